/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The adaptive policy: the window that costs least over what was seen lately.
 *
 * Pure, like every policy: see policy.h. Documentation/policy.md explains it.
 */
#ifndef HPOLL_POLICY_ADAPTIVE_H
#define HPOLL_POLICY_ADAPTIVE_H

#include <hpoll/types.h>

/* No timer is known. */
#define HPOLL_NO_TIMER		U64_MAX

/*
 * Lengths are counted in buckets of a quarter of an octave, from 512 ns on;
 * what is shorter goes to the first. No window is longer than the last one's
 * upper end.
 */
#define HPOLL_ADAPTIVE_SHIFT	9
#define HPOLL_ADAPTIVE_OCTAVES	13
#define HPOLL_ADAPTIVE_BUCKETS	(4 * HPOLL_ADAPTIVE_OCTAVES)
#define HPOLL_ADAPTIVE_MAX_NS	(1U << (HPOLL_ADAPTIVE_SHIFT + HPOLL_ADAPTIVE_OCTAVES))

/* Whether each of the last two periods was worth a halt. */
#define HPOLL_ADAPTIVE_CONTEXTS	4

/**
 * struct hpoll_adaptive_seen - what followed on one kind of past
 * @count: periods by length, as weights that grow
 * @longer: ... and those that were worth a halt
 * @total: the sum of all of them
 * @window_ns: the window that costs least over them, in nanoseconds
 * @fresh: periods since that was last worked out
 * @step: how far the weight has grown since the counts were halved
 * @used: a bit for each bucket that counts anything
 *
 * Two cache lines, of which a period touches at most both.
 */
struct hpoll_adaptive_seen {
	u16 count[HPOLL_ADAPTIVE_BUCKETS];
	u16 longer;
	u16 total;
	u32 window_ns;
	u8 fresh;
	u8 step;
	u64 used;
} __aligned(64);

/**
 * struct hpoll_adaptive - one CPU's state; all zeroes is a fresh one
 * @seen: what followed on each kind of past
 * @past: the present kind
 * @allowance_ns: by how much the cost so far is below the bound that the guard
 *                keeps, in nanoseconds
 * @late_ns: how late near timers have been lately, in nanoseconds
 *
 * 9 cache lines of 64 bytes, of which a period touches at most three.
 */
struct hpoll_adaptive {
	struct hpoll_adaptive_seen seen[HPOLL_ADAPTIVE_CONTEXTS];
	u32 past;
	u32 allowance_ns;
	u32 late_ns;
};

/**
 * struct hpoll_period - one idle period, after its end
 * @length_ns: from its begin to its end, polled and halted, in nanoseconds
 * @window_ns: how long polling was tried for at most, in nanoseconds
 * @timer_ns: how far the next timer was when it began, in nanoseconds;
 *            HPOLL_NO_TIMER where that is not known
 * @duty: a latency limit forbade to halt, so that @window_ns was no choice
 */
struct hpoll_period {
	u64 length_ns;
	u32 window_ns;
	u64 timer_ns;
	bool duty;
};

/**
 * hpoll_adaptive_window_ns() - how long is polling worth it, now?
 * @adaptive: the CPU's state
 * @cost_ns: what a halt costs more than a poll that succeeds, in nanoseconds;
 *           below 512 polling is never worth it
 * @timer_ns: how far the next timer is, in nanoseconds; HPOLL_NO_TIMER where
 *            that is not known
 *
 * A timer that comes before a halt pays off, as late as timers are here, is waited
 * for. Otherwise the window is the one that costs least over what followed on the
 * present kind of past, but as long as it takes to stay below 2.2 times the cost of
 * a policy that knows the future, whatever comes.
 *
 * Return: the window in nanoseconds, 0 <= window <= @cost_ns.
 */
u32 hpoll_adaptive_window_ns(const struct hpoll_adaptive *adaptive, u32 cost_ns,
			     u64 timer_ns);

/**
 * hpoll_adaptive_observe() - learn from an idle period
 * @adaptive: the CPU's state
 * @cost_ns: as in the decision on that period
 * @period: what it was like
 *
 * Bounded: at worst one walk over the buckets, every fourth time.
 */
void hpoll_adaptive_observe(struct hpoll_adaptive *adaptive, u32 cost_ns,
			    const struct hpoll_period *period);

#endif
