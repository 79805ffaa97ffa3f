// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpollctl: which command it is.
 */

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files.h"
#include "hpollctl.h"

static const struct command commands[] = {
	{ "status", "", "is it active, and what has it done?", status_run },
	{ "top", "[-d SECONDS] [-n TIMES]", "what it does on each CPU, live", top_run },
	{ "histogram", "[-d SECONDS]", "how long idle periods are", histogram_run },
	{ "tune", "[NAME=VALUE]...", "set parameters, or show them", tune_run },
	{ "doctor", "", "why is it not faster?", doctor_run },
	{ "bench", "[-c CPU,CPU] [-g GOVERNOR,...] [-n SAMPLES] [-r ROUNDS]",
	  "wake-ups under each governor, side by side", bench_run },
	{ "record", "[ARGUMENT]...", "idle periods to a file, by hpoll-record", record_run },
};

#define COMMANDS	ARRAY_SIZE(commands)

static void print_help(void)
{
	size_t i;

	puts("usage: hpollctl [--json] [--root=DIR] COMMAND [ARGUMENT]...\n"
	     "See what hpoll does in this guest, and steer it.\n");
	for (i = 0; i < COMMANDS; i++)
		printf("  %-10s %s%s%s\n", commands[i].name, commands[i].does,
		       *commands[i].usage ? ": " : "", commands[i].usage);
	puts("\n"
	     "  -j, --json      print JSON\n"
	     "      --root=DIR  read and write below DIR instead of /\n"
	     "  -h, --help      print this\n"
	     "\n"
	     "It ends with 0; 1 if hpoll is not loaded or not active, or doctor found something;\n"
	     "2 after a bad argument, with nothing changed; 3 if something could not be read or\n"
	     "written.");
}

u64 to_number(const char *option, const char *text, u64 least, u64 most)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*text) || value < least || value > most)
		errx(EXIT_USAGE, "%s %s: expected a whole number from %llu to %llu",
		     option, text, least, most);
	return value;
}

u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

void no_arguments(int argc, char **argv)
{
	if (argc > 1)
		errx(EXIT_USAGE, "%s takes no argument, such as %s; see hpollctl --help", argv[0],
		     argv[1]);
}

int main(int argc, char **argv)
{
	enum { ROOT = 256 };
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "root", required_argument, NULL, ROOT },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct options options = { };
	size_t i;
	int c;

	while ((c = getopt_long(argc, argv, "+jh", long_options, NULL)) != -1) {
		switch (c) {
		case 'j':
			options.json = true;
			break;
		case ROOT:
			files_set_root(optarg);
			break;
		case 'h':
			print_help();
			return EXIT_FINE;
		default:
			errx(EXIT_USAGE, "see hpollctl --help");
		}
	}
	if (optind == argc)
		errx(EXIT_USAGE, "no command: see hpollctl --help");
	for (i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].name, argv[optind]))
			continue;
		argc -= optind;
		argv += optind;
		optind = 0;
		return commands[i].run(&options, argc, argv);
	}
	errx(EXIT_USAGE, "there is no command %s: see hpollctl --help", argv[optind]);
}
