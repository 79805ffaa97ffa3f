/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policy: for how long is polling worth it, now?
 *
 * Pure: plain integers in, plain integers out; no clock, no lock, no
 * allocation, no global state. Everything here may be called from the idle
 * loop with interrupts off, and equally from user space.
 */
#ifndef HPOLL_POLICY_H
#define HPOLL_POLICY_H

#include <hpoll/types.h>

/**
 * enum hpoll_policy - the rule by which windows are learned
 * @HPOLL_POLICY_CLASSIC: mainline's doubling rule
 * @HPOLL_POLICY_ADAPTIVE: see policy_adaptive.h
 */
enum hpoll_policy {
	HPOLL_POLICY_CLASSIC,
	HPOLL_POLICY_ADAPTIVE,
};

/**
 * struct hpoll_params - one snapshot of the tunables
 * @max_ns: guest_halt_poll_ns, upper bound of every window, in nanoseconds;
 *          0 means that nothing is ever polled for
 * @grow: guest_halt_poll_grow, factor by which a window grows
 * @shrink: guest_halt_poll_shrink, divisor by which a window shrinks; 0 sets
 *          it to 0 at once
 * @grow_start_ns: guest_halt_poll_grow_start, least window that a growing one
 *                 gets, in nanoseconds; may exceed @max_ns, which then wins
 * @allow_shrink: guest_halt_poll_allow_shrink
 * @policy: policy
 * @halt_cost_ns: halt_cost_ns, for how long polling pays if it saves a halt,
 *                in nanoseconds, for the adaptive policy; @max_ns wins if it is
 *                smaller; 0: by what was measured, or @max_ns while nothing is
 * @budget_pct: poll_budget_pct, the share of a CPU's time that polling in vain
 *              may burn beyond what polling saved, 1 to 100 percent, for the
 *              adaptive policy
 *
 * Where mainline's haltpoll governor has them, names, units and defaults are
 * its own, so that an operator's settings carry over. Every combination of
 * values is valid. A decision takes one snapshot and uses it to its end.
 */
struct hpoll_params {
	u32 max_ns;
	u32 grow;
	u32 shrink;
	u32 grow_start_ns;
	bool allow_shrink;
	enum hpoll_policy policy;
	u32 halt_cost_ns;
	u32 budget_pct;
};

/* Mainline haltpoll's defaults. */
#define HPOLL_DEFAULT_MAX_NS		200000U
#define HPOLL_DEFAULT_GROW		2U
#define HPOLL_DEFAULT_SHRINK		2U
#define HPOLL_DEFAULT_GROW_START_NS	50000U
#define HPOLL_DEFAULT_ALLOW_SHRINK	true

/* ... in the initializer of a struct hpoll_params. */
#define HPOLL_MAINLINE_DEFAULTS						\
	.max_ns = HPOLL_DEFAULT_MAX_NS,					\
	.grow = HPOLL_DEFAULT_GROW,					\
	.shrink = HPOLL_DEFAULT_SHRINK,					\
	.grow_start_ns = HPOLL_DEFAULT_GROW_START_NS,			\
	.allow_shrink = HPOLL_DEFAULT_ALLOW_SHRINK

#define HPOLL_DEFAULT_BUDGET_PCT	1U

/**
 * hpoll_classic_next_ns() - mainline's doubling rule, with its faults mended
 * @params: the tunables
 * @window_ns: the window that led to this halt, in nanoseconds
 * @block_ns: how long the CPU was then halted, in nanoseconds
 *
 * To be called when a state that does not poll was left. The rule is that of
 * adjust_poll_limit() in drivers/cpuidle/governors/haltpoll.c (6.9 and later).
 * Deliberate differences: the result never exceeds @params->max_ns, also when
 * that was lowered since or when shrinking is off; products are 64 bits wide;
 * growing never makes a window smaller.
 *
 * Return: the next window in nanoseconds, 0 <= window <= @params->max_ns.
 */
u32 hpoll_classic_next_ns(const struct hpoll_params *params, u32 window_ns,
			  u64 block_ns);

/**
 * struct hpoll_idle - what is known when a CPU is about to go idle
 * @latency_ns: the strictest latency limit on this CPU, in nanoseconds, as
 *              PM QoS states it; 0 forbids every halt
 * @window_ns: the window as the policy left it, not above the current
 *             maximum, in nanoseconds
 * @polled_last: the idle state left last was the polling one
 * @timed_out: ... and it was left because its time was over
 * @can_poll: a polling state exists and is not disabled
 * @can_halt: a halting state exists and is not disabled
 * @timer_is_near: the next timer comes before a tick would disturb
 */
struct hpoll_idle {
	s64 latency_ns;
	u32 window_ns;
	bool polled_last;
	bool timed_out;
	bool can_poll;
	bool can_halt;
	bool timer_is_near;
};

/**
 * struct hpoll_choice - what the CPU shall do now
 * @poll: poll; otherwise halt
 * @poll_ns: time limit of the poll in nanoseconds; 0 leaves it to the cpuidle
 *           core (used where polling is a duty and no window is known)
 * @stop_tick: the tick may be stopped; never while polling or where a timer is
 *             near, so that a short idle period does not touch the timer hardware
 */
struct hpoll_choice {
	bool poll;
	u32 poll_ns;
	bool stop_tick;
};

/**
 * hpoll_choose() - poll or halt
 * @idle: what is known
 *
 * In this order: a latency limit of 0 polls and does nothing else; a state
 * that an operator disabled is not used while the other one can be; window 0
 * halts; a poll that ran out of time is followed by a halt; otherwise poll.
 *
 * Return: the choice.
 */
struct hpoll_choice hpoll_choose(const struct hpoll_idle *idle);

#endif
