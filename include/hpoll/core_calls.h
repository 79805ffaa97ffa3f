/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core calls: what the cpuidle core does not export, found by name at load
 * and called directly, never through a pointer.
 */
#ifndef HPOLL_CORE_CALLS_H
#define HPOLL_CORE_CALLS_H

#include <linux/cpuidle.h>

/**
 * hpoll_core_init() - find the core's calls and variables
 *
 * Process context, once, at load. Either everything is found that registering
 * and safely unregistering a governor takes (another governor to give way to
 * among it), or governors are out of the question on this kernel.
 */
void hpoll_core_init(void);

/**
 * hpoll_core_missing() - what could not be found
 *
 * Return: NULL if governors can be used; otherwise the first thing that is
 * missing, to be read after "no": a symbol's name, or "other governor".
 */
const char *hpoll_core_missing(void);

/**
 * hpoll_core_symbol() - what was looked for
 * @index: which one, from 0
 * @found: where is said if it was found; untouched past the last one
 *
 * Any context.
 *
 * Return: the symbol's name, NULL past the last one.
 */
const char *hpoll_core_symbol(unsigned int index, bool *found);

/**
 * hpoll_core_cpuidle_disabled() - is the framework off?
 *
 * Return: true if the kernel was booted with cpuidle.off=1; false otherwise,
 * or if that can't be found out.
 */
bool hpoll_core_cpuidle_disabled(void);

/**
 * hpoll_core_halt() - halt this CPU as the kernel itself would
 *
 * Idle loop, interrupts off, RCU not watching. The idle routine that the
 * kernel chose at boot (HLT, MWAIT or a paravirtual one); safe_halt() where
 * it can't be found. Returns with interrupts on or off, as the kernel has it.
 */
void hpoll_core_halt(void);

/**
 * hpoll_core_latency_ns() - cpuidle_governor_latency_req()
 * @cpu: the CPU
 *
 * Idle loop, interrupts off, RCU watching. Only if hpoll_core_missing() is
 * NULL, as all below.
 *
 * Return: the strictest PM QoS latency limit on @cpu in nanoseconds.
 */
s64 hpoll_core_latency_ns(unsigned int cpu);

/**
 * struct hpoll_core_timers - what a CPU's timers will do
 * @timer_ns: how far the next timer is, the tick apart, in nanoseconds
 * @event_ns: how far the next timer interrupt is, the tick's included, if nothing
 *            is stopped, in nanoseconds
 *
 * KTIME_MAX where there is none, or that can't be known.
 */
struct hpoll_core_timers {
	u64 timer_ns;
	u64 event_ns;
};

/**
 * hpoll_core_timers() - tick_nohz_get_sleep_length()
 *
 * Idle loop, interrupts off, RCU watching. Programs nothing.
 *
 * Return: what this CPU's timers will do.
 */
struct hpoll_core_timers hpoll_core_timers(void);

/**
 * struct hpoll_core_driver - who has the cpuidle driver's slot
 * @name: its name, cut off if it is longer; "none" if there is none
 * @present: there is one
 * @polls: it has a state 0 that polls, and another one
 */
struct hpoll_core_driver {
	char name[32];
	bool present;
	bool polls;
};

/**
 * hpoll_core_look_at_driver() - see who has the cpuidle driver's slot
 * @look: where the answer goes; it may be outdated on return
 *
 * Takes cpuidle_driver_lock, so that a driver which leaves at the same time is
 * there as a whole or not at all. Process context.
 */
void hpoll_core_look_at_driver(struct hpoll_core_driver *look);

/**
 * hpoll_core_register_governor() - cpuidle_register_governor()
 * @gov: the governor
 *
 * Takes cpuidle_lock.
 *
 * Return: 0, -EEXIST, -ENODEV.
 */
int hpoll_core_register_governor(struct cpuidle_governor *gov);

/**
 * hpoll_core_activate_governor() - make @gov current, unless the operator
 * chose another one on the kernel command line (cpuidle.governor=)
 * @gov: a registered governor
 *
 * Takes cpuidle_lock; pauses cpuidle.
 *
 * Return: the governor that was current before, or NULL.
 */
struct cpuidle_governor *
hpoll_core_activate_governor(struct cpuidle_governor *gov);

/**
 * hpoll_core_unregister_governor() - take @gov out of the core
 * @gov: a registered governor
 * @successor: who shall be current if @gov is; if it is NULL or gone by now,
 *             the registered governor with the highest rating
 *
 * Afterwards nothing in the core points to @gov, but a CPU may still be on
 * its way through it: see hpoll_core_drain(). Takes cpuidle_lock; pauses
 * cpuidle.
 */
void hpoll_core_unregister_governor(struct cpuidle_governor *gov,
				    struct cpuidle_governor *successor);

/**
 * hpoll_core_current_governor() - the current governor
 *
 * Any context; may be outdated on return. Not to be dereferenced unless it is
 * the caller's own.
 *
 * Return: the governor, NULL if there is none or it can't be known.
 */
const struct cpuidle_governor *hpoll_core_current_governor(void);

/**
 * hpoll_core_drain() - wait until every CPU has left the idle period it was in
 *
 * A CPU that halts or polls counts as quiescent for RCU, so no grace period
 * says that it has left the code and the data of a driver or a governor. That
 * it has run something other than its idle task does. May sleep.
 */
void hpoll_core_drain(void);

#endif
