/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What depends on the architecture: the machine's facts, and the hypervisor's
 * own polling.
 */
#ifndef HPOLL_ARCH_H
#define HPOLL_ARCH_H

#include <hpoll/gate.h>

/**
 * hpoll_arch_facts() - find out what machine this is
 * @facts: where the facts go
 *
 * Executes CPUID up to 256 times; in a guest each is a VM exit. Process
 * context, once, at load. Does not set @facts->cpuidle_disabled.
 */
void hpoll_arch_facts(struct hpoll_facts *facts);

/**
 * hpoll_arch_host_poll_offered() - does the host let us steer its polling?
 * @facts: the machine's facts
 *
 * KVM says so in bit 12 (KVM_FEATURE_POLL_CONTROL) of its feature leaf. The
 * leaf is looked up where the signature was found, which need not be where
 * the kernel itself looks.
 *
 * Return: true if MSR_KVM_POLL_CONTROL exists.
 */
bool hpoll_arch_host_poll_offered(const struct hpoll_facts *facts);

/**
 * hpoll_arch_host_poll_get() - does the host poll for this CPU?
 * @enabled: where the answer goes; untouched on error
 *
 * On the CPU in question, in any context.
 *
 * Return: 0, or -EIO if the host does not let us read it.
 */
int hpoll_arch_host_poll_get(bool *enabled);

/**
 * hpoll_arch_host_poll_set() - make the host poll for this CPU, or not
 * @enabled: poll
 *
 * On the CPU in question, in any context.
 *
 * Return: 0, or -EIO if the host refused.
 */
int hpoll_arch_host_poll_set(bool enabled);

#endif
