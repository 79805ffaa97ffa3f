// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: hypervisor facts from CPUID, and KVM's host-poll control.
 */

#include <linux/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <uapi/asm/kvm_para.h>

#include <hpoll/arch.h>

#include "compat.h"

/* Where hypervisors put their leaves, as hypervisor_cpuid_base() scans it. */
#define LEAVES_FIRST	0x40000000U
#define LEAVES_END	0x40010000U
#define LEAVES_STEP	0x100U

static const char *idle_override(void)
{
	switch (boot_option_idle_override) {
	case IDLE_NO_OVERRIDE:
		return NULL;
	case IDLE_HALT:
		return "idle=halt";
	case IDLE_NOMWAIT:
		return "idle=nomwait";
	case IDLE_POLL:
		return "idle=poll";
	default:
		return "idle=";
	}
}

static void collect_signatures(struct hpoll_facts *facts)
{
	u32 leaf, eax, reg[HPOLL_SIGNATURE_LEN / sizeof(u32)];
	struct hpoll_signature found;

	for (leaf = LEAVES_FIRST; leaf < LEAVES_END; leaf += LEAVES_STEP) {
		cpuid(leaf, &eax, &reg[0], &reg[1], &reg[2]);
		if (!hpoll_signature_set(&found, leaf, (const char *)reg))
			continue;
		/*
		 * Leaves that do not exist answer with another leaf's data,
		 * the same for all of them.
		 */
		if (hpoll_facts_signature(facts, found.text))
			continue;
		facts->signature[facts->nr_signatures++] = found;
		if (facts->nr_signatures == HPOLL_FACT_SIGNATURES)
			break;
	}
}

void hpoll_arch_facts(struct hpoll_facts *facts)
{
	facts->hypervisor_bit = boot_cpu_has(X86_FEATURE_HYPERVISOR);
	facts->idle_override = idle_override();
	collect_signatures(facts);
}

bool hpoll_arch_host_poll_offered(const struct hpoll_facts *facts)
{
	const struct hpoll_signature *kvm;

	kvm = hpoll_facts_signature(facts, HPOLL_SIGNATURE_KVM);
	if (!kvm)
		return false;

	/* Leaf base + 1 holds the features: KVM_CPUID_FEATURES. */
	return cpuid_eax(kvm->leaf + 1) & BIT(KVM_FEATURE_POLL_CONTROL);
}

int hpoll_arch_host_poll_get(bool *enabled)
{
	u32 low, high;

	if (rdmsr_safe(MSR_KVM_POLL_CONTROL, &low, &high))
		return -EIO;

	*enabled = low & 1;
	return 0;
}

int hpoll_arch_host_poll_set(bool enabled)
{
	return wrmsr_safe(MSR_KVM_POLL_CONTROL, enabled, 0) ? -EIO : 0;
}
