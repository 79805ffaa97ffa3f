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

#include <hpoll/policy.h>
#include <hpoll/policy_adaptive.h>

/**
 * struct hpoll_window - one CPU's state; all zeroes is a fresh one
 * @classic_ns: how long polling is worth it, as the classic rule left it
 * @cost_ns: what a halt costs, as it was when the present period began
 * @halted_ns: how long the present period's halt was
 * @policy: the present period's policy
 * @over: the period is over, and @policy has not learned from it yet
 * @halted: it ended in a halt
 * @period: the present period, or the last one
 * @adaptive: the adaptive policy's state
 *
 * 10 cache lines.
 */
struct hpoll_window {
	u32 classic_ns;
	u32 cost_ns;
	u64 halted_ns;
	enum hpoll_policy policy;
	bool over;
	bool halted;
	struct hpoll_period period;
	struct hpoll_adaptive adaptive;
};

/**
 * hpoll_window_begin() - an idle period begins: how long is polling worth it?
 * @window: the CPU's state
 * @params: the tunables
 * @timer_ns: how far the next timer is, in nanoseconds; HPOLL_NO_TIMER where
 *            that is not known
 * @duty: a latency limit forbids to halt
 *
 * A policy that was changed takes over with what it had learned when it was
 * last in use.
 *
 * Return: the window in nanoseconds, not above @params->max_ns.
 */
u32 hpoll_window_begin(struct hpoll_window *window, const struct hpoll_params *params,
		       u64 timer_ns, bool duty);

/**
 * hpoll_window_polled() - the CPU has polled
 * @window: the CPU's state
 * @ns: for how long, in nanoseconds
 * @timed_out: nothing came, so that the period goes on
 */
void hpoll_window_polled(struct hpoll_window *window, u64 ns, bool timed_out);

/**
 * hpoll_window_halted() - the CPU has halted, and the period is over
 * @window: the CPU's state
 * @ns: for how long, in nanoseconds
 */
void hpoll_window_halted(struct hpoll_window *window, u64 ns);

#endif
