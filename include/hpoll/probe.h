/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probe: measure what a halt costs, on each CPU.
 *
 * Another CPU asks for a halt or a poll, waits until this one is in it, and takes
 * the time until a task that it wakes there has run: see halt_cost.h. While it is
 * asked for, the policy is not, and learns nothing.
 */
#ifndef HPOLL_PROBE_H
#define HPOLL_PROBE_H

#include <linux/compiler.h>
#include <linux/percpu.h>

#include <hpoll/types.h>

/* The longest poll that is asked for; then the CPU gives up on it. */
#define HPOLL_PROBE_POLL_NS	10000000U

/**
 * enum hpoll_probe_state - what a CPU is asked to do when it idles
 * @HPOLL_PROBE_NONE: what it likes
 * @HPOLL_PROBE_POLL: poll, for HPOLL_PROBE_POLL_NS at most
 * @HPOLL_PROBE_HALT: halt
 */
enum hpoll_probe_state {
	HPOLL_PROBE_NONE,
	HPOLL_PROBE_POLL,
	HPOLL_PROBE_HALT,
};

/**
 * struct hpoll_probe - one CPU's state
 * @wanted: what it is asked to do
 * @in: what it does because it was asked to
 * @cost_ns: what a halt costs, in nanoseconds; 0 while that is not known
 * @ready: it asks hpoll what to do
 * @wait_s: how long not to measure it, in seconds
 * @pause_s: ... after the next measurement
 */
struct hpoll_probe {
	enum hpoll_probe_state wanted;
	enum hpoll_probe_state in;
	u32 cost_ns;
	bool ready;
	u8 wait_s;
	u8 pause_s;
};

DECLARE_PER_CPU(struct hpoll_probe, hpoll_probe);

/**
 * hpoll_probe_wanted() - what is this CPU asked to do?
 *
 * Idle loop, interrupts off; RCU need not watch, as for all with this_cpu below.
 *
 * Return: what to do.
 */
static __always_inline enum hpoll_probe_state hpoll_probe_wanted(void)
{
	return READ_ONCE(this_cpu_ptr(&hpoll_probe)->wanted);
}

/**
 * hpoll_probe_enter() - this CPU is about to do what it is asked to
 * @state: what that is
 */
static __always_inline void hpoll_probe_enter(enum hpoll_probe_state state)
{
	WRITE_ONCE(this_cpu_ptr(&hpoll_probe)->in, state);
}

/**
 * hpoll_probe_leave() - this CPU has done what it was asked to
 * @timed_out: in vain, so that it won't do it again
 */
static __always_inline void hpoll_probe_leave(bool timed_out)
{
	WRITE_ONCE(this_cpu_ptr(&hpoll_probe)->in, HPOLL_PROBE_NONE);
	if (timed_out)
		WRITE_ONCE(this_cpu_ptr(&hpoll_probe)->wanted, HPOLL_PROBE_NONE);
}

/**
 * hpoll_probe_cost_ns() - what does a halt cost on this CPU?
 *
 * Return: the cost in nanoseconds; 0 if it is not known.
 */
static __always_inline u32 hpoll_probe_cost_ns(void)
{
	return READ_ONCE(this_cpu_ptr(&hpoll_probe)->cost_ns);
}

/**
 * hpoll_probe_ready() - can a CPU be measured?
 * @cpu: the CPU
 * @ready: from now on it asks what to do, or from now on no more
 *
 * Any context.
 */
void hpoll_probe_ready(unsigned int cpu, bool ready);

/**
 * hpoll_probe_range_ns() - what halts cost, over all CPUs
 * @least_ns: where the least goes, in nanoseconds
 * @most_ns: where the most goes, in nanoseconds
 *
 * Any context.
 *
 * Return: on how many of the CPUs that are online it is known.
 */
unsigned int hpoll_probe_range_ns(u32 *least_ns, u32 *most_ns);

/**
 * hpoll_probe_init() - begin to measure, now and then
 *
 * Process context.
 */
void hpoll_probe_init(void);

/**
 * hpoll_probe_exit() - end it
 *
 * Process context; no CPU may become ready any more. May sleep.
 */
void hpoll_probe_exit(void);

#endif
