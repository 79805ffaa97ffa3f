/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hpoll-replay: what a policy would have cost on a recorded sequence of idle
 * periods. The policies are the very sources that the module is built from.
 */
#ifndef HPOLL_REPLAY_H
#define HPOLL_REPLAY_H

#include <hpoll/window.h>

#define EXIT_USAGE	2

/* One idle period of a trace: its length and how far the next timer was. */
struct period {
	u64 length_ns;
	u64 timer_ns;
};

struct trace {
	const char *name;
	struct period *periods;
	size_t count;
};

/*
 * Read a trace from a file, from standard input where @path is "-". Ends the
 * program with a message where a line is not what it should be.
 */
struct trace trace_read(const char *path);
void trace_free(struct trace *trace);

struct settings {
	struct hpoll_params params;
	/* What a halt costs: never more than params.max_ns. */
	u32 cost_ns;
};

enum policy_id {
	POLICY_CLASSIC,
	POLICY_ADAPTIVE,
	POLICY_ALWAYS,
	POLICY_NEVER,
	POLICY_BEST_FIXED,
	POLICY_OPTIMUM,
	POLICIES,
};

extern const char * const policy_names[POLICIES];

/* What a policy made of a trace. */
struct outcome {
	u64 cost_ns;
	u64 polled_ns;
	/* ... before a halt, so that it was for nothing. */
	u64 vain_ns;
	u64 halts;
};

/*
 * Run a policy over a trace. @windows, where it is not NULL, gets the window of
 * each period.
 */
struct outcome policy_run(enum policy_id id, const struct settings *settings,
			  const struct trace *trace, u32 *windows);

/* How many times the optimum a cost is; 1 where both are 0. */
double cost_ratio(const struct outcome *outcome, const struct outcome *optimum);

/* Windows over time and cost ratios, as a picture. */
struct plot;
struct plot *plot_open(const char *path);
void plot_trace(struct plot *plot, const struct trace *trace,
		const struct settings *settings);
void plot_windows(struct plot *plot, enum policy_id id, const u32 *windows,
		  double ratio);
void plot_close(struct plot *plot);

#endif
