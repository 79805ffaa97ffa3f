// SPDX-License-Identifier: GPL-2.0-only
/*
 * sleeper - sleep so many microseconds, so many times, on one CPU
 *
 * usage: sleeper CPU US TIMES
 */

#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct timespec pause = { };
	cpu_set_t set;
	long us, times;

	if (argc != 4)
		errx(2, "usage: sleeper CPU US TIMES");
	us = atol(argv[2]);
	times = atol(argv[3]);
	if (us < 1 || us > 999999 || times < 1)
		errx(2, "%s us, %s times: want 1 to 999999 us, at least once", argv[2], argv[3]);
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(2, "CPU %s", argv[1]);

	pause.tv_nsec = us * 1000;
	while (times--)
		nanosleep(&pause, NULL);
	return 0;
}
