/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Budget: how much of a CPU's time may polling in vain burn?
 *
 * Pure, like the policies: see policy.h. A bucket that a share of the time
 * fills, and the halts that polling saved; polling in vain empties it. While the
 * host has no time for this guest it fills slowly.
 */
#ifndef HPOLL_BUDGET_H
#define HPOLL_BUDGET_H

#include <hpoll/types.h>

/* What the bucket holds, in halts. */
#define HPOLL_BUDGET_HALTS	8U

/*
 * Each halves what the bucket holds, and what flows in. With all of it an eighth of a
 * halt is left: HPOLL_LATENCY_WORTH times less than polling is worth otherwise, which
 * is what a halt itself takes.
 */
#define HPOLL_BUDGET_STRAIN_MAX	6U

/* How often the stolen time is looked at, and by how much strain falls. */
#define HPOLL_BUDGET_LOOK_NS	64000000ULL

/**
 * struct hpoll_budget - one CPU's state; all zeroes is a fresh one
 * @filled_ns: when it was last filled, in nanoseconds of the CPU's clock
 * @looked_ns: when stolen time was last looked at
 * @stolen_ns: how much there was then
 * @lost_ns: for how long polls have been interrupted since then
 * @left_ns: for how long polling in vain may go on
 * @strain: how busy the host seems, 0 to HPOLL_BUDGET_STRAIN_MAX
 */
struct hpoll_budget {
	u64 filled_ns;
	u64 looked_ns;
	u64 stolen_ns;
	u64 lost_ns;
	u32 left_ns;
	u32 strain;
};

/**
 * hpoll_budget_fill() - time has gone by
 * @budget: the CPU's state
 * @pct: the share of the time that polling in vain may burn, 1 to 100 percent
 * @cost_ns: what a halt costs more than a poll that succeeds, in nanoseconds
 * @now_ns: the CPU's clock, in nanoseconds
 * @stolen_ns: for how long the host ran others while this CPU wanted to run,
 *             since boot, in nanoseconds; constant where that is not known
 *
 * A quarter of the time stolen or lost between two looks is a busy host.
 */
void hpoll_budget_fill(struct hpoll_budget *budget, u32 pct, u32 cost_ns, u64 now_ns,
		       u64 stolen_ns);

/**
 * hpoll_budget_allows() - is there enough for a poll in vain?
 * @budget: the CPU's state
 * @window_ns: how long it would be, in nanoseconds
 *
 * Return: true if there is.
 */
bool hpoll_budget_allows(const struct hpoll_budget *budget, u32 window_ns);

/**
 * hpoll_budget_saved() - a poll has saved a halt
 * @budget: the CPU's state
 * @cost_ns: what that would have cost, in nanoseconds
 */
void hpoll_budget_saved(struct hpoll_budget *budget, u32 cost_ns);

/**
 * hpoll_budget_burned() - a poll was in vain
 * @budget: the CPU's state
 * @ns: how long it was, in nanoseconds
 */
void hpoll_budget_burned(struct hpoll_budget *budget, u64 ns);

/**
 * hpoll_budget_lost() - the host ran something else in the middle of a poll
 * @budget: the CPU's state
 * @ns: for how long, in nanoseconds
 */
void hpoll_budget_lost(struct hpoll_budget *budget, u64 ns);

#endif
