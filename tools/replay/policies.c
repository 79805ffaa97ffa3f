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

/*
 * As the idle loop does: poll, and halt where nothing came. @clock_ns goes on, but
 * knows of no time between idle periods.
 */
static u32 live(struct hpoll_window *window, const struct hpoll_params *params,
		const struct period *period, u64 *clock_ns)
{
	struct hpoll_now now = { .now_ns = *clock_ns, .timer_ns = period->timer_ns,
				 .event_ns = HPOLL_NO_TIMER };
	u32 window_ns;

	if (!hpoll_window_wants_timers(window))
		now.timer_ns = HPOLL_NO_TIMER;
	window_ns = hpoll_window_begin(window, params, &now);
	*clock_ns += period->length_ns;
	if (period->length_ns <= window_ns) {
		hpoll_window_polled(window, period->length_ns, false);
	} else {
		hpoll_window_polled(window, window_ns, true);
		hpoll_window_halted(window, period->length_ns - window_ns, true);
		*clock_ns += params->halt_cost_ns;
	}
	return window_ns;
}

struct outcome policy_run(enum policy_id id, const struct settings *settings,
			  const struct trace *trace, u32 *windows)
{
	struct hpoll_params params = settings->params;
	struct hpoll_window window = { };
	struct outcome outcome = { };
	u64 clock_ns = 1;
	u32 window_ns = 0;
	size_t i;

	params.policy = id == POLICY_ADAPTIVE ? HPOLL_POLICY_ADAPTIVE : HPOLL_POLICY_CLASSIC;
	params.halt_cost_ns = settings->cost_ns;
	if (id == POLICY_BEST_FIXED)
		window_ns = best_fixed_ns(settings, trace);
	else if (id == POLICY_ALWAYS)
		window_ns = settings->params.max_ns;

	for (i = 0; i < trace->count; i++) {
		const struct period *period = &trace->periods[i];

		if (id == POLICY_CLASSIC || id == POLICY_ADAPTIVE)
			window_ns = live(&window, &params, period, &clock_ns);
		else if (id == POLICY_OPTIMUM)
			window_ns = period->length_ns <= settings->cost_ns ? period->length_ns : 0;

		count(&outcome, settings, period->length_ns, window_ns);
		if (windows)
			windows[i] = window_ns;
	}
	return outcome;
}

double cost_ratio(const struct outcome *outcome, const struct outcome *optimum)
{
	if (!optimum->cost_ns)
		return outcome->cost_ns ? (double)outcome->cost_ns : 1;
	return (double)outcome->cost_ns / optimum->cost_ns;
}
