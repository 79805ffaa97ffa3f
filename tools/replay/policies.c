// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies over a trace.
 *
 * A period of length T under a window w costs T if T <= w, else w and a halt.
 */

#include <stdlib.h>

#include "replay.h"

const char * const policy_names[POLICIES] = {
	[POLICY_CLASSIC] = "classic",
	[POLICY_ADAPTIVE] = "adaptive",
	[POLICY_ALWAYS] = "always",
	[POLICY_NEVER] = "never",
	[POLICY_BEST_FIXED] = "best-fixed",
	[POLICY_OPTIMUM] = "optimum",
};

static void count(struct outcome *outcome, const struct settings *settings,
		  u64 length_ns, u32 window_ns)
{
	if (length_ns <= window_ns) {
		outcome->cost_ns += length_ns;
		outcome->polled_ns += length_ns;
		return;
	}
	outcome->cost_ns += (u64)window_ns + settings->cost_ns;
	outcome->polled_ns += window_ns;
	outcome->vain_ns += window_ns;
	outcome->halts++;
}

static int compare_lengths(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The window that, never changed, would have cost least: 0 or one of the lengths. */
static u32 best_fixed_ns(const struct settings *settings, const struct trace *trace)
{
	u64 *lengths = malloc((trace->count + 1) * sizeof(*lengths));
	u64 best = (u64)trace->count * settings->cost_ns;
	u64 covered_ns = 0;
	u32 window_ns = 0;
	size_t i;

	if (!lengths)
		abort();
	for (i = 0; i < trace->count; i++)
		lengths[i] = trace->periods[i].length_ns;
	qsort(lengths, trace->count, sizeof(*lengths), compare_lengths);
	for (i = 0; i < trace->count && lengths[i] <= settings->params.max_ns; i++) {
		u64 cost;

		covered_ns += lengths[i];
		cost = covered_ns +
		       (u64)(trace->count - i - 1) * (lengths[i] + settings->cost_ns);
		if (cost < best) {
			best = cost;
			window_ns = lengths[i];
		}
	}
	free(lengths);
	return window_ns;
}

struct outcome policy_run(enum policy_id id, const struct settings *settings,
			  const struct trace *trace, u32 *windows)
{
	static const struct hpoll_adaptive fresh;
	struct hpoll_adaptive adaptive = fresh;
	struct outcome outcome = { };
	u32 classic_ns = 0, fixed_ns = 0;
	size_t i;

	if (id == POLICY_BEST_FIXED)
		fixed_ns = best_fixed_ns(settings, trace);
	else if (id == POLICY_ALWAYS)
		fixed_ns = settings->params.max_ns;

	for (i = 0; i < trace->count; i++) {
		struct hpoll_period period = {
			.length_ns = trace->periods[i].length_ns,
			.window_ns = fixed_ns,
			.timer_ns = trace->periods[i].timer_ns,
		};

		if (id == POLICY_CLASSIC)
			period.window_ns = classic_ns;
		else if (id == POLICY_ADAPTIVE)
			period.window_ns = hpoll_adaptive_window_ns(&adaptive, settings->cost_ns,
								    period.timer_ns);
		else if (id == POLICY_OPTIMUM)
			period.window_ns = period.length_ns <= settings->cost_ns ?
					   period.length_ns : 0;

		count(&outcome, settings, period.length_ns, period.window_ns);
		if (windows)
			windows[i] = period.window_ns;

		if (id == POLICY_ADAPTIVE)
			hpoll_adaptive_observe(&adaptive, settings->cost_ns, &period);
		else if (id == POLICY_CLASSIC && period.length_ns > classic_ns)
			classic_ns = hpoll_classic_next_ns(&settings->params, classic_ns,
							   period.length_ns - classic_ns);
	}
	return outcome;
}

double cost_ratio(const struct outcome *outcome, const struct outcome *optimum)
{
	if (!optimum->cost_ns)
		return outcome->cost_ns ? (double)outcome->cost_ns : 1;
	return (double)outcome->cost_ns / optimum->cost_ns;
}
