// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gate: facts about this machine and the gate parameter give a verdict
 * and its reason.
 */

#include <hpoll/gate.h>

/* Hypervisors in the field, as they name themselves in CPUID. */
static const char * const known_signatures[] = {
	HPOLL_SIGNATURE_KVM,
	"Microsoft Hv",
	"VMwareVMware",
	"XenVMMXenVMM",
	"TCGTCGTCGTCG",
	"VBoxVBoxVBox",
	"bhyve bhyve",
	/* Parallels, in the two ways to read its byte order, and as of old. */
	"prl hyperv",
	"lrpepyh  vr",
	"lrpepyh vr",
	"ACRNACRNACRN",
	"QNXQVMBSQG",
	"Jailhouse",
};

static const struct keyword {
	const char *name;
	enum hpoll_gate_mode mode;
} keywords[] = {
	{ "auto", HPOLL_GATE_AUTO },
	{ "kvm", HPOLL_GATE_KVM },
	{ "hypervisor", HPOLL_GATE_HYPERVISOR },
	{ "force", HPOLL_GATE_FORCE },
	{ "off", HPOLL_GATE_OFF },
};

static bool is_printable(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

/*
 * Hypervisors pad with NULs or blanks at the end, some also with a blank in
 * front; operators type the blanks or leave them. Returns the new length.
 */
static size_t strip_padding(const char **text, size_t len)
{
	while (len && ((*text)[len - 1] == '\0' || (*text)[len - 1] == ' '))
		len--;
	while (len && **text == ' ') {
		(*text)++;
		len--;
	}
	return len;
}

static const struct keyword *find_keyword(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keywords); i++)
		if (strlen(keywords[i].name) == len &&
		    !memcmp(keywords[i].name, text, len))
			return &keywords[i];
	return NULL;
}

static int parse_list(const char *arg, size_t len, struct hpoll_gate *gate)
{
	struct hpoll_gate list = { .mode = HPOLL_GATE_LIST };
	size_t start, end, item_len;
	const char *item;

	for (start = 0; start <= len; start = end + 1) {
		for (end = start; end < len && arg[end] != ','; end++)
			;
		item = arg + start;
		item_len = strip_padding(&item, end - start);
		if (item_len < HPOLL_SIGNATURE_MIN ||
		    item_len > HPOLL_SIGNATURE_LEN ||
		    !is_printable(item, item_len))
			return -EINVAL;
		/* "KVMKVMKVM,hypervisor" would never match what it seems to. */
		if (find_keyword(item, item_len))
			return -EINVAL;
		if (list.nr_signatures == HPOLL_GATE_SIGNATURES)
			return -E2BIG;
		memcpy(list.signature[list.nr_signatures], item, item_len);
		list.nr_signatures++;
	}

	*gate = list;
	return 0;
}

int hpoll_gate_parse(const char *arg, struct hpoll_gate *gate)
{
	const struct keyword *keyword;
	size_t len = strlen(arg);

	/* What "echo auto >" leaves at the end. */
	if (len && arg[len - 1] == '\n')
		len--;

	keyword = find_keyword(arg, len);
	if (keyword) {
		*gate = (struct hpoll_gate) { .mode = keyword->mode };
		return 0;
	}

	return parse_list(arg, len, gate);
}

bool hpoll_signature_set(struct hpoll_signature *signature, u32 leaf,
			 const char bytes[HPOLL_SIGNATURE_LEN])
{
	const char *text = bytes;
	size_t len = strip_padding(&text, HPOLL_SIGNATURE_LEN);

	if (!len || !is_printable(text, len))
		return false;

	*signature = (struct hpoll_signature) { .leaf = leaf };
	memcpy(signature->text, text, len);
	return true;
}

const struct hpoll_signature *
hpoll_facts_signature(const struct hpoll_facts *facts, const char *text)
{
	u32 i;

	for (i = 0; i < facts->nr_signatures; i++)
		if (!strcmp(facts->signature[i].text, text))
			return &facts->signature[i];
	return NULL;
}

static const struct hpoll_signature *
find_known(const struct hpoll_facts *facts)
{
	const struct hpoll_signature *found;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known_signatures); i++) {
		found = hpoll_facts_signature(facts, known_signatures[i]);
		if (found)
			return found;
	}
	return NULL;
}

static const struct hpoll_signature *
find_listed(const struct hpoll_gate *gate, const struct hpoll_facts *facts)
{
	const struct hpoll_signature *found;
	u32 i;

	for (i = 0; i < gate->nr_signatures; i++) {
		found = hpoll_facts_signature(facts, gate->signature[i]);
		if (found)
			return found;
	}
	return NULL;
}

/* What the operator would otherwise have to find out: who answers here? */
static const char *seen(const struct hpoll_facts *facts)
{
	if (facts->nr_signatures)
		return facts->signature[0].text;
	return "none";
}

static void judge_signature(const struct hpoll_facts *facts,
			    const struct hpoll_signature *found,
			    const char *wanted, struct hpoll_verdict *verdict)
{
	verdict->open = found;
	if (found)
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "hypervisor signature \"%s\" at CPUID leaf 0x%x",
			 found->text, found->leaf);
	else
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "%s in CPUID (hypervisor bit %s, signature seen: %s); gate=force loads anyway",
			 wanted, facts->hypervisor_bit ? "set" : "clear",
			 seen(facts));
}

static void judge_plainly(bool open, const char *reason,
			  struct hpoll_verdict *verdict)
{
	verdict->open = open;
	snprintf(verdict->reason, sizeof(verdict->reason), "%s", reason);
}

static void judge_bit(const struct hpoll_facts *facts,
		      struct hpoll_verdict *verdict)
{
	if (facts->hypervisor_bit)
		judge_plainly(true, "hypervisor bit set in CPUID", verdict);
	else
		judge_plainly(false,
			      "hypervisor bit clear in CPUID; gate=force loads anyway",
			      verdict);
}

void hpoll_gate_judge(const struct hpoll_gate *gate,
		      const struct hpoll_facts *facts,
		      struct hpoll_verdict *verdict)
{
	if (gate->mode == HPOLL_GATE_OFF) {
		judge_plainly(false, "gate=off", verdict);
		return;
	}
	if (facts->cpuidle_disabled) {
		judge_plainly(false,
			      "cpuidle is disabled; boot without cpuidle.off=1",
			      verdict);
		return;
	}
	if (facts->idle_override) {
		verdict->open = false;
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "idle loop overridden by %s on the kernel command line; boot without it",
			 facts->idle_override);
		return;
	}

	switch (gate->mode) {
	case HPOLL_GATE_KVM:
		judge_signature(facts,
				hpoll_facts_signature(facts,
						      HPOLL_SIGNATURE_KVM),
				"no KVM signature", verdict);
		break;
	case HPOLL_GATE_HYPERVISOR:
		judge_bit(facts, verdict);
		break;
	case HPOLL_GATE_LIST:
		judge_signature(facts, find_listed(gate, facts),
				"no listed signature", verdict);
		break;
	case HPOLL_GATE_FORCE:
		judge_plainly(true, "gate=force", verdict);
		break;
	case HPOLL_GATE_AUTO:
	default:
		judge_signature(facts, find_known(facts),
				"no known hypervisor signature", verdict);
		break;
	}
}
