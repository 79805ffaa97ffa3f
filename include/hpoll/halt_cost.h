/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Halt cost: what a wake-up from a halt costs more than one from polling.
 *
 * Pure, like the policies: see policy.h. Who takes the times: see probe.h.
 */
#ifndef HPOLL_HALT_COST_H
#define HPOLL_HALT_COST_H

#include <hpoll/types.h>

/* How many wake-ups of either kind make one measurement. */
#define HPOLL_HALT_COST_SAMPLES	9

/**
 * struct hpoll_halt_cost_samples - wake-ups of one CPU by another, as timed by that
 * @halted_ns: from a halt, in nanoseconds
 * @polled_ns: from polling, in nanoseconds
 */
struct hpoll_halt_cost_samples {
	u32 halted_ns[HPOLL_HALT_COST_SAMPLES];
	u32 polled_ns[HPOLL_HALT_COST_SAMPLES];
};

/**
 * hpoll_halt_cost_estimate_ns() - a measurement's result
 * @samples: the times; sorted on return
 * @before_ns: the result before, in nanoseconds; 0 if there was none
 *
 * By medians, so that up to four disturbed times of either kind do no harm; and
 * the mean with the result before, so that a disturbed measurement does little.
 *
 * Return: the cost in nanoseconds, at least 1.
 */
u32 hpoll_halt_cost_estimate_ns(struct hpoll_halt_cost_samples *samples, u32 before_ns);

#endif
