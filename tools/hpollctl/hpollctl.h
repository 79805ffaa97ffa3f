/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hpollctl: what hpoll does in this guest, and what to do about it.
 */
#ifndef HPOLLCTL_H
#define HPOLLCTL_H

#include <hpoll/types.h>

/**
 * enum exit_code - what every command ends with
 * @EXIT_FINE: done, and hpoll is as one would wish
 * @EXIT_TROUBLE: done, but hpoll is not loaded or not active, or doctor found something
 * @EXIT_USAGE: a bad argument; nothing was changed
 * @EXIT_CANNOT: something could not be read or written
 */
enum exit_code {
	EXIT_FINE = 0,
	EXIT_TROUBLE = 1,
	EXIT_USAGE = 2,
	EXIT_CANNOT = 3,
};

/**
 * struct options - what all commands take
 * @json: --json
 */
struct options {
	bool json;
};

/**
 * struct command - one of hpollctl's
 * @name: its name
 * @usage: its arguments
 * @does: in a few words
 * @run: gets the words from its name on; returns an exit_code
 */
struct command {
	const char *name;
	const char *usage;
	const char *does;
	int (*run)(const struct options *options, int argc, char **argv);
};

int status_run(const struct options *options, int argc, char **argv);
int top_run(const struct options *options, int argc, char **argv);
int histogram_run(const struct options *options, int argc, char **argv);
int tune_run(const struct options *options, int argc, char **argv);
int doctor_run(const struct options *options, int argc, char **argv);
int bench_run(const struct options *options, int argc, char **argv);
int record_run(const struct options *options, int argc, char **argv);

/**
 * to_number() - a whole number that an option was given
 * @option: its name, for the complaint
 * @text: what was given
 * @least: the least that will do
 * @most: the most
 *
 * Return: the number. Anything else ends the program with EXIT_USAGE.
 */
u64 to_number(const char *option, const char *text, u64 least, u64 most);

/**
 * now_ns() - the time that goes by
 *
 * Return: in nanoseconds, since whenever.
 */
u64 now_ns(void);

/**
 * no_arguments() - this command takes none
 * @argc: how many words there are, the command's name included
 * @argv: the words
 *
 * Ends the program with EXIT_USAGE if there are more.
 */
void no_arguments(int argc, char **argv);

#endif
