/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host poll: while a CPU polls in the guest, the host must not poll for it as
 * well. Per CPU; what was found is put back.
 */
#ifndef HPOLL_HOST_POLL_H
#define HPOLL_HOST_POLL_H

#include <hpoll/gate.h>

/**
 * hpoll_host_poll_init() - do what was asked for, from now on
 * @facts: the machine's facts; say whether the host offers the control
 *
 * To be called once the driver is registered, so that of a CPU that comes the
 * driver hears first. An error is logged. Process context.
 *
 * Return: 0 (also where the host offers nothing), or a negative errno.
 */
int hpoll_host_poll_init(const struct hpoll_facts *facts);

/**
 * hpoll_host_poll_exit() - undo hpoll_host_poll_init()
 *
 * Restores every CPU. Process context, before the driver is unregistered.
 */
void hpoll_host_poll_exit(void);

/**
 * hpoll_host_poll_off() - this CPU polls by itself from now on
 * @cpu: the CPU; if it is offline or on its way, this is done when it is there
 *
 * At any time, also before hpoll_host_poll_init(). May sleep.
 */
void hpoll_host_poll_off(unsigned int cpu);

/**
 * hpoll_host_poll_restore() - ... and no longer
 * @cpu: the CPU; a CPU that goes offline is restored in any case
 *
 * At any time. May sleep.
 */
void hpoll_host_poll_restore(unsigned int cpu);

/**
 * hpoll_host_poll_offered() - does the host offer the control?
 *
 * Return: true if it does.
 */
bool hpoll_host_poll_offered(void);

/**
 * hpoll_host_poll_count_off() - on how many CPUs is it off, through us?
 *
 * Any context; the number may be old when it arrives.
 *
 * Return: the number.
 */
unsigned int hpoll_host_poll_count_off(void);

#endif
