/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State: what hpoll itself says.
 */
#ifndef HPOLLCTL_STATE_H
#define HPOLLCTL_STATE_H

#include <stdbool.h>

#include "files.h"

/* Of the status file. */
#define STATE_LINES	16

/**
 * struct state_line - one line of the status
 * @key: before the colon
 * @value: after it
 */
struct state_line {
	char *key;
	char *value;
};

/**
 * struct state - hpoll's state
 * @loaded: the module is there
 * @active: ... and CPUs poll through it
 * @lines: what the status says
 * @count: how many lines
 * @text: what they point into
 */
struct state {
	bool loaded;
	bool active;
	struct state_line lines[STATE_LINES];
	unsigned int count;
	char *text;
};

/**
 * state_read() - ask it
 *
 * Ends the program with EXIT_CANNOT if the status can't be read.
 *
 * Return: the state.
 */
struct state state_read(void);

/**
 * state_free() - forget it
 * @state: the state
 */
void state_free(struct state *state);

/**
 * state_value() - one line's
 * @state: the state
 * @key: the line's
 *
 * Return: the value; "" where there is no such line.
 */
const char *state_value(const struct state *state, const char *key);

/**
 * state_cpus() - the counters of all CPUs
 *
 * Ends the program, with a word on why, if they can't be read.
 *
 * Return: the table of debugfs.
 */
struct table *state_cpus(void);

/**
 * state_lengths() - how many idle periods there were of each length
 *
 * As state_cpus().
 *
 * Return: the table of debugfs.
 */
struct table *state_lengths(void);

/**
 * human_ns() - a time that is easy to read
 * @ns: in nanoseconds
 *
 * Return: at most 7 characters, in one of four buffers that are used in turn.
 */
const char *human_ns(u64 ns);

#endif
