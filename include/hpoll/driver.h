/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Driver: glue between the cpuidle core and the machine's idle states.
 */
#ifndef HPOLL_DRIVER_H
#define HPOLL_DRIVER_H

/**
 * enum hpoll_mode - how hpoll runs
 * @HPOLL_MODE_OWN: its own driver, and the governor over it
 * @HPOLL_MODE_ATTACHED: the governor over another's driver, whose state 0
 *                       polls
 * @HPOLL_MODE_FUSED: its own driver with a single state that polls, then
 *                    halts; no governor can be registered on this kernel
 */
enum hpoll_mode {
	HPOLL_MODE_OWN,
	HPOLL_MODE_ATTACHED,
	HPOLL_MODE_FUSED,
};

/**
 * hpoll_driver_register() - take the driver's slot, or find out who has it
 * @fused: register the driver with the single state
 * @mode: where the mode goes
 *
 * A CPU whose registration fails idles as it would without a driver; it is
 * logged and the others go on. Process context.
 *
 * Return: 0; -EBUSY if the slot is taken by a driver that can't be attached
 * to; another negative errno. Errors are logged; what was allocated is still
 * to be freed with hpoll_driver_free().
 */
int hpoll_driver_register(bool fused, enum hpoll_mode *mode);

/**
 * hpoll_driver_has_cpu() - does this CPU use hpoll's own driver?
 * @cpu: the CPU
 *
 * Process context; may be outdated on return.
 *
 * Return: true if it does.
 */
bool hpoll_driver_has_cpu(unsigned int cpu);

/**
 * hpoll_driver_unregister() - undo hpoll_driver_register()
 *
 * CPUs may still be on their way through it; hpoll_driver_free() is to be
 * called once hpoll_core_drain() has returned. Process context.
 */
void hpoll_driver_unregister(void);

/**
 * hpoll_driver_free() - free what the core pointed to
 *
 * After hpoll_core_drain(). Process context.
 */
void hpoll_driver_free(void);

#endif
