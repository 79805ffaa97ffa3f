// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpollctl status: is it active, and what has it done?
 */

#include <err.h>
#include <stdio.h>
#include <string.h>

#include "hpollctl.h"
#include "json.h"
#include "state.h"

static void print_cpus(const struct table *cpus)
{
	unsigned int row;

	puts("");
	printf("%4s %8s %9s %12s %12s %5s %9s %9s %9s\n", "cpu", "window", "halt cost", "hits",
	       "halts", "hit%", "polled", "in vain", "halted");
	for (row = 0; row < cpus->rows; row++) {
		u64 hits = table_at(cpus, row, "hits");
		u64 halts = table_at(cpus, row, "halts");

		printf("%4llu %8s %9s %12llu %12llu %5.1f %9s",
		       table_at(cpus, row, "cpu"), human_ns(table_at(cpus, row, "window_ns")),
		       human_ns(table_at(cpus, row, "halt_cost_ns")), hits, halts,
		       hits + halts ? 100.0 * hits / (hits + halts) : 0,
		       human_ns(table_at(cpus, row, "polled_ns")));
		printf(" %9s %9s\n", human_ns(table_at(cpus, row, "vain_ns")),
		       human_ns(table_at(cpus, row, "halted_ns")));
	}
}

static void print_json(const struct state *state, const struct table *cpus)
{
	unsigned int i, row;

	json_open(NULL, '{');
	json_bool("loaded", state->loaded);
	json_bool("active", state->active);
	json_open("status", '{');
	for (i = 0; i < state->count; i++)
		json_text(state->lines[i].key, state->lines[i].value);
	json_close('}');
	if (cpus) {
		json_open("cpus", '[');
		for (row = 0; row < cpus->rows; row++) {
			json_open(NULL, '{');
			for (i = 0; i < cpus->columns; i++)
				json_number(cpus->names[i],
					    cpus->cells[row * cpus->columns + i]);
			json_close('}');
		}
		json_close(']');
	}
	json_close('}');
}

int status_run(const struct options *options, int argc, char **argv)
{
	struct state state = state_read();
	struct table *cpus = NULL;
	unsigned int i;

	no_arguments(argc, argv);
	/* The counters are root's; all else is everybody's. */
	if (state.loaded)
		cpus = table_read(DEBUGFS "hpoll/cpus");
	if (options->json) {
		print_json(&state, cpus);
	} else if (!state.loaded) {
		puts("hpoll is not loaded; 'hpollctl doctor' says why");
	} else {
		for (i = 0; i < state.count; i++)
			printf("%s: %s\n", state.lines[i].key, state.lines[i].value);
		if (cpus)
			print_cpus(cpus);
		else
			warn("no counters: %s", DEBUGFS "hpoll/cpus");
	}
	table_free(cpus);
	state_free(&state);
	return state.active ? EXIT_FINE : EXIT_TROUBLE;
}
