// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpollctl record: hpoll-record under another name.
 */

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpollctl.h"

int record_run(const struct options *options, int argc, char **argv)
{
	(void)argc;
	if (options->json)
		errx(EXIT_USAGE, "record writes traces for hpoll-replay, no JSON");
	argv[0] = "hpoll-record";
	execvp(argv[0], argv);
	if (errno == ENOENT)
		errx(EXIT_CANNOT, "hpoll-record is not in the PATH: install it beside hpollctl");
	err(EXIT_CANNOT, "hpoll-record");
}
