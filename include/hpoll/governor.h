/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Governor: glue between the cpuidle core and the policy.
 */
#ifndef HPOLL_GOVERNOR_H
#define HPOLL_GOVERNOR_H

#include <linux/types.h>

/**
 * hpoll_governor_register() - make the governor known to the core
 *
 * It is not current yet, unless the kernel command line names it. Process
 * context.
 *
 * Return: 0 or a negative errno.
 */
int hpoll_governor_register(void);

/**
 * hpoll_governor_activate() - make it current, if the operator did not choose
 * another one on the kernel command line
 *
 * Process context.
 */
void hpoll_governor_activate(void);

/**
 * hpoll_governor_unregister() - take it out of the core again
 *
 * If it is current, the one before it is current afterwards. CPUs may still
 * be on their way through it until hpoll_core_drain() returns. Process
 * context.
 */
void hpoll_governor_unregister(void);

/**
 * hpoll_governor_has_cpu() - does the core use it on this CPU?
 * @cpu: the CPU
 *
 * It does not if another governor is current, or if the core could not enable
 * the CPU's device, of which it says nothing. Any context; may be outdated on
 * return.
 *
 * Return: true if it does.
 */
bool hpoll_governor_has_cpu(unsigned int cpu);

/**
 * hpoll_governor_is_current() - is it in use?
 *
 * Any context; may be outdated on return.
 *
 * Return: true if it is.
 */
bool hpoll_governor_is_current(void);

#endif
