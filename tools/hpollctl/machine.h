/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machine: what doctor has to know about this guest.
 */
#ifndef HPOLLCTL_MACHINE_H
#define HPOLLCTL_MACHINE_H

#include <stdbool.h>

#include "state.h"

/**
 * struct cpuid_facts - what the hypervisor says of itself
 * @hypervisor: the hypervisor bit is set
 * @signature: the first signature; "" where there is none
 * @kvm: KVM's is among them
 * @poll_control: KVM lets its polling be controlled
 * @dedicated: KVM hints that vCPUs have CPUs of their own
 */
struct cpuid_facts {
	bool hypervisor;
	char signature[13];
	bool kvm;
	bool poll_control;
	bool dedicated;
};

/**
 * struct machine - this guest
 * @state: what hpoll says
 * @cpus: hpoll's counters; NULL where they can't be read
 * @cpuid: what the hypervisor says
 * @cmdline: the kernel's command line
 * @driver: the current cpuidle driver
 * @governor: the current governor
 * @refusal: why hpoll did not load the last time, from the kernel's log; or NULL
 * @log_error: the log can't be read, an errno; or 0
 * @online: how many CPUs are online
 * @steal_pct: the share of its time that the host took away, a second long
 *
 * Text that can't be read is "".
 */
struct machine {
	struct state state;
	struct table *cpus;
	struct cpuid_facts cpuid;
	char *cmdline;
	char *driver;
	char *governor;
	char *refusal;
	int log_error;
	unsigned int online;
	double steal_pct;
};

/**
 * machine_look() - look at this guest
 *
 * Takes a second. Needs no right: what can't be read is left out.
 *
 * Return: what was found.
 */
struct machine machine_look(void);

/**
 * machine_free() - forget it
 * @machine: what was found
 */
void machine_free(struct machine *machine);

#endif
