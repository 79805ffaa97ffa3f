// SPDX-License-Identifier: GPL-2.0-only

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpollctl.h"
#include "state.h"

struct state state_read(void)
{
	struct state state = { };
	char *line, *rest, *colon;

	state.loaded = files_exist(PARAMETERS);
	if (!state.loaded)
		return state;
	state.text = files_read(PARAMETERS "status");
	if (!state.text)
		err(EXIT_CANNOT, "%s", PARAMETERS "status");
	for (line = strtok_r(state.text, "\n", &rest); line && state.count < STATE_LINES;
	     line = strtok_r(NULL, "\n", &rest)) {
		colon = strstr(line, ": ");
		if (!colon)
			continue;
		*colon = '\0';
		state.lines[state.count].key = line;
		state.lines[state.count].value = colon + 2;
		state.count++;
	}
	state.active = !strcmp(state_value(&state, "active"), "yes");
	return state;
}

void state_free(struct state *state)
{
	free(state->text);
}

const char *state_value(const struct state *state, const char *key)
{
	unsigned int i;

	for (i = 0; i < state->count; i++)
		if (!strcmp(state->lines[i].key, key))
			return state->lines[i].value;
	return "";
}

static struct table *read_debugfs(const char *path)
{
	struct table *table = table_read(path);

	if (table)
		return table;
	if (!files_exist(PARAMETERS))
		errx(EXIT_TROUBLE, "hpoll is not loaded; 'hpollctl doctor' says why");
	if (errno == EACCES)
		errx(EXIT_CANNOT, "%s: only root may read this", path);
	if (errno == ENOENT)
		errx(EXIT_CANNOT, "%s: not there; 'mount -t debugfs none /sys/kernel/debug'?",
		     path);
	if (errno == EPROTO)
		errx(EXIT_CANNOT, "%s: no table; is hpollctl of another version than hpoll?",
		     path);
	err(EXIT_CANNOT, "%s", path);
}

struct table *state_cpus(void)
{
	return read_debugfs(DEBUGFS "hpoll/cpus");
}

struct table *state_lengths(void)
{
	return read_debugfs(DEBUGFS "hpoll/lengths");
}

const char *human_ns(u64 ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	static char buffers[4][16];
	static unsigned int turn;
	char *buffer = buffers[turn++ % 4];
	double value = ns;
	unsigned int unit = 0;

	while (value >= 1000 && unit < 3) {
		value /= 1000;
		unit++;
	}
	snprintf(buffer, sizeof(buffers[0]), "%.*f %s", unit && value < 100 ? 1 : 0, value,
		 units[unit]);
	return buffer;
}
