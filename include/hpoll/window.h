/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Window: one CPU's idle periods under the policy of the day.
 *
 * Pure, like the policies: see policy.h. What a period was like is learned from
 * when the next one begins, not on the way out, which is between a wake-up and
 * the work that it is for.
 */
#ifndef HPOLL_WINDOW_H
#define HPOLL_WINDOW_H

#include <hpoll/budget.h>
#include <hpoll/policy.h>
#include <hpoll/policy_adaptive.h>

/*
 * What latency is worth: polling for so many times as long as it saves pays. Two
 * CPUs that wait for each other, both halting, see idle periods of twice what a halt
 * costs and more; with less than that they would never begin to poll.
 */
#define HPOLL_LATENCY_WORTH	8U

/* After so many hits in a row the timers are not asked for. */
#define HPOLL_HITS_WITHOUT_TIMERS	4U

/* A poll that takes so much longer than it should was interrupted by the host. */
#define HPOLL_PREEMPTED_NS	100000U

/*
 * How idle lengths are counted: those below 1024 ns, then by powers of two, and all
 * from 2^32 ns on together.
 */
#define HPOLL_LENGTHS		24
#define HPOLL_LENGTHS_SHIFT	10

/**
 * struct hpoll_counts - what came of it, since the module was loaded
 * @hits: periods that ended while polling
 * @misses: periods that were polled for in vain
 * @halts: periods that ended in a halt, polled for or not
 * @refused: periods that the budget left no poll for
 * @preempted: polls that the host interrupted
 * @polled_ns: time polled, in nanoseconds
 * @vain_ns: ... in vain
 * @halted_ns: time halted
 * @lengths: how many periods were of which length, see hpoll_lengths_from_ns()
 *
 * Counted when the next period begins.
 */
struct hpoll_counts {
	u64 hits;
	u64 misses;
	u64 halts;
	u64 refused;
	u64 preempted;
	u64 polled_ns;
	u64 vain_ns;
	u64 halted_ns;
	u64 lengths[HPOLL_LENGTHS];
};

/**
 * struct hpoll_now - what is known when an idle period begins
 * @now_ns: the CPU's clock, in nanoseconds
 * @timer_ns: how far the next timer is, in nanoseconds; HPOLL_NO_TIMER where
 *            that is not known
 * @event_ns: how far the next timer interrupt is, if the tick is not stopped, in
 *            nanoseconds; HPOLL_NO_TIMER where that is not known
 * @stolen_ns: see hpoll_budget_fill()
 * @wake_ns: what a wake-up from a halt was measured to take longer than one from
 *           polling, in nanoseconds; 0 if it was not
 * @duty: a latency limit forbids to halt
 *
 * For the adaptive policy, all but @duty.
 */
struct hpoll_now {
	u64 now_ns;
	u64 timer_ns;
	u64 event_ns;
	u64 stolen_ns;
	u32 wake_ns;
	bool duty;
};

/**
 * struct hpoll_window - one CPU's state; all zeroes is a fresh one
 * @classic_ns: how long polling is worth it, as the classic rule left it
 * @cost_ns: what it is worth to save a halt, as it was when the present period began
 * @wake_ns: how much longer a wake-up from a halt takes
 * @event_ns: when a timer interrupt is to be expected in the present period
 * @halted_ns: how long the present period's halts were
 * @policy: the present period's policy
 * @hits_in_a_row: how many periods before this one ended while polling, up to
 *                 HPOLL_HITS_WITHOUT_TIMERS
 * @over: the period is over, and @policy has not learned from it yet
 * @halted: there was a halt in it
 * @preempted: the host interrupted a poll in it
 * @period: the present period, or the last one
 * @budget: what polling in vain may still burn
 * @adaptive: the adaptive policy's state
 * @counts: what came of it
 *
 * 15 cache lines, of which a period touches six.
 */
struct hpoll_window {
	u32 classic_ns;
	u32 cost_ns;
	u32 wake_ns;
	u64 event_ns;
	u64 halted_ns;
	enum hpoll_policy policy;
	u8 hits_in_a_row;
	bool over;
	bool halted;
	bool preempted;
	struct hpoll_period period;
	struct hpoll_budget budget;
	struct hpoll_adaptive adaptive;
	struct hpoll_counts counts;
};

/**
 * hpoll_window_reset() - forget what was learned
 * @window: the CPU's state, with no period in it; the counts stay
 */
void hpoll_window_reset(struct hpoll_window *window);

/**
 * hpoll_lengths_from_ns() - which periods a count is of
 * @i: its index in &hpoll_counts.lengths
 *
 * Return: the shortest of them, in nanoseconds; the next one's are longer.
 */
static inline u64 hpoll_lengths_from_ns(unsigned int i)
{
	return i ? 1ULL << (HPOLL_LENGTHS_SHIFT + i - 1) : 0;
}

/**
 * hpoll_window_wants_timers() - is it worth asking for the timers?
 * @window: the CPU's state, between two periods
 *
 * To ask takes longer than all the rest of a decision. After some periods that ended
 * while polling, another one like them is likely, which the lengths tell as well.
 *
 * Return: true if hpoll_window_begin() shall be told.
 */
static inline bool hpoll_window_wants_timers(const struct hpoll_window *window)
{
	return window->hits_in_a_row < HPOLL_HITS_WITHOUT_TIMERS;
}

/**
 * hpoll_window_begin() - an idle period begins: how long is polling worth it?
 * @window: the CPU's state
 * @params: the tunables
 * @now: what is known
 *
 * A policy that was changed takes over with what it had learned when it was
 * last in use.
 *
 * Return: the window in nanoseconds, not above @params->max_ns.
 */
u32 hpoll_window_begin(struct hpoll_window *window, const struct hpoll_params *params,
		       const struct hpoll_now *now);

/**
 * hpoll_window_polled() - the CPU has polled
 * @window: the CPU's state
 * @ns: for how long, in nanoseconds
 * @timed_out: nothing came, so that the period goes on
 */
void hpoll_window_polled(struct hpoll_window *window, u64 ns, bool timed_out);

/**
 * hpoll_window_halted() - the CPU has halted
 * @window: the CPU's state
 * @ns: for how long, in nanoseconds
 * @work: there is something to do
 *
 * An adaptive policy's period is not over where nothing but a timer interrupt came
 * that was foreseen when it began: it goes on with a halt.
 */
void hpoll_window_halted(struct hpoll_window *window, u64 ns, bool work);

/**
 * hpoll_window_goes_on() - is the period not over?
 * @window: the CPU's state
 *
 * Return: true if what comes next belongs to the same period, and shall be a halt.
 */
static inline bool hpoll_window_goes_on(const struct hpoll_window *window)
{
	return window->halted && !window->over;
}

#endif
