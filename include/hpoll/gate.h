/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gate: should this machine have hpoll at all?
 *
 * Pure: facts about the machine and the gate parameter in, a verdict with its
 * reason out. Called once, at load, from process context.
 */
#ifndef HPOLL_GATE_H
#define HPOLL_GATE_H

#include <hpoll/types.h>

/* A hypervisor's CPUID signature: 12 bytes in EBX, ECX, EDX. */
#define HPOLL_SIGNATURE_LEN	12
/* Shorter ones would be typing errors: no hypervisor in use has one below 9. */
#define HPOLL_SIGNATURE_MIN	9
#define HPOLL_GATE_SIGNATURES	8
#define HPOLL_FACT_SIGNATURES	4
#define HPOLL_REASON_LEN	192

/**
 * enum hpoll_gate_mode - what opens the gate
 * @HPOLL_GATE_AUTO: the signature of KVM or of another known hypervisor
 * @HPOLL_GATE_KVM: KVM's signature
 * @HPOLL_GATE_HYPERVISOR: the CPUID hypervisor bit
 * @HPOLL_GATE_LIST: one of the signatures that the operator lists
 * @HPOLL_GATE_FORCE: open
 * @HPOLL_GATE_OFF: closed
 */
enum hpoll_gate_mode {
	HPOLL_GATE_AUTO,
	HPOLL_GATE_KVM,
	HPOLL_GATE_HYPERVISOR,
	HPOLL_GATE_LIST,
	HPOLL_GATE_FORCE,
	HPOLL_GATE_OFF,
};

/**
 * struct hpoll_gate - the gate parameter, understood
 * @mode: what opens the gate
 * @nr_signatures: how many of @signature are set; 0 unless @mode is
 *                 HPOLL_GATE_LIST
 * @signature: the listed signatures, NUL-terminated, padding removed
 */
struct hpoll_gate {
	enum hpoll_gate_mode mode;
	u32 nr_signatures;
	char signature[HPOLL_GATE_SIGNATURES][HPOLL_SIGNATURE_LEN + 1];
};

/**
 * struct hpoll_signature - a signature that CPUID showed
 * @leaf: the leaf where it sits, 0x40000000 + n * 0x100 (a hypervisor that
 *        also offers another's interface has more than one)
 * @text: its text, NUL-terminated, padding removed
 */
struct hpoll_signature {
	u32 leaf;
	char text[HPOLL_SIGNATURE_LEN + 1];
};

/**
 * struct hpoll_facts - what is known of this machine
 * @hypervisor_bit: CPUID 1 ECX bit 31
 * @nr_signatures: how many of @signature are set
 * @signature: what the hypervisor leaves say, lowest leaf first
 * @cpuidle_disabled: the kernel's cpuidle framework is off (cpuidle.off=1)
 * @idle_override: the command line option that took idling out of cpuidle's
 *                 hands ("idle=poll"), or NULL
 */
struct hpoll_facts {
	bool hypervisor_bit;
	u32 nr_signatures;
	struct hpoll_signature signature[HPOLL_FACT_SIGNATURES];
	bool cpuidle_disabled;
	const char *idle_override;
};

/**
 * struct hpoll_verdict - the gate's answer
 * @open: hpoll may run here
 * @reason: why, or why not and what the operator can do; one line without a
 *          line end, for the log and for the status file
 */
struct hpoll_verdict {
	bool open;
	char reason[HPOLL_REASON_LEN];
};

/**
 * hpoll_gate_parse() - understand the gate parameter
 * @arg: "auto", "kvm", "hypervisor", "force", "off", or a comma-separated list
 *       of CPUID signatures of HPOLL_SIGNATURE_MIN to HPOLL_SIGNATURE_LEN
 *       printable characters, with or without blanks around each; one
 *       trailing line end is ignored
 * @gate: where the result goes; untouched on error
 *
 * Return: 0, -EINVAL if @arg is none of these, -E2BIG if it lists more than
 * HPOLL_GATE_SIGNATURES.
 */
int hpoll_gate_parse(const char *arg, struct hpoll_gate *gate);

/**
 * hpoll_signature_set() - read a signature's text out of its 12 bytes
 * @signature: where the text goes
 * @leaf: the leaf where the bytes were found
 * @bytes: EBX, ECX, EDX in this order
 *
 * Removes padding: NULs and blanks at the end, blanks in front.
 *
 * Return: true, or false if this is no signature: empty, or something that
 * can't be printed. Processors without such leaves answer with other data.
 */
bool hpoll_signature_set(struct hpoll_signature *signature, u32 leaf,
			 const char bytes[HPOLL_SIGNATURE_LEN]);

/**
 * hpoll_facts_signature() - look for a signature among the facts
 * @facts: the facts
 * @text: the signature's text without padding
 *
 * Return: the signature found, or NULL.
 */
const struct hpoll_signature *
hpoll_facts_signature(const struct hpoll_facts *facts, const char *text);

/* KVM's signature without its padding. */
#define HPOLL_SIGNATURE_KVM	"KVMKVMKVM"

/**
 * hpoll_gate_judge() - open or closed?
 * @gate: the gate parameter
 * @facts: the machine
 * @verdict: where the answer goes
 *
 * Whatever @gate says, idle= on the command line and a disabled cpuidle keep
 * the gate closed: hpoll could load but never work.
 */
void hpoll_gate_judge(const struct hpoll_gate *gate,
		      const struct hpoll_facts *facts,
		      struct hpoll_verdict *verdict);

#endif
