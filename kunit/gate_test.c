// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gate: what the parameter may say, what CPUID may show, and what follows.
 */

#include <kunit/test.h>

#include <hpoll/gate.h>

/* Parsing: keywords and lists. */

struct good {
	const char *arg;
	enum hpoll_gate_mode mode;
	u32 nr;
	const char *signature[HPOLL_GATE_SIGNATURES];
};

static const struct good goods[] = {
	{ "auto", HPOLL_GATE_AUTO },
	{ "kvm", HPOLL_GATE_KVM },
	{ "hypervisor", HPOLL_GATE_HYPERVISOR },
	{ "force", HPOLL_GATE_FORCE },
	{ "off", HPOLL_GATE_OFF },

	/* What "echo auto >" writes. */
	{ "auto\n", HPOLL_GATE_AUTO },
	{ "off\n", HPOLL_GATE_OFF },
	{ "KVMKVMKVM\n", HPOLL_GATE_LIST, 1, { "KVMKVMKVM" } },

	{ "KVMKVMKVM", HPOLL_GATE_LIST, 1, { "KVMKVMKVM" } },
	{ "Microsoft Hv", HPOLL_GATE_LIST, 1, { "Microsoft Hv" } },
	{ "KVMKVMKVM,Microsoft Hv", HPOLL_GATE_LIST, 2, { "KVMKVMKVM", "Microsoft Hv" } },
	{ "KVMKVMKVM,Microsoft Hv\n", HPOLL_GATE_LIST, 2, { "KVMKVMKVM", "Microsoft Hv" } },
	{ "KVMKVMKVM   ,bhyve bhyve ", HPOLL_GATE_LIST, 2, { "KVMKVMKVM", "bhyve bhyve" } },
	/* Blanks around don't count, however many. */
	{ "KVMKVMKVM, Microsoft Hv", HPOLL_GATE_LIST, 2, { "KVMKVMKVM", "Microsoft Hv" } },
	{ " lrpepyh  vr , KVMKVMKVM", HPOLL_GATE_LIST, 2, { "lrpepyh  vr", "KVMKVMKVM" } },
	{ "KVMKVMKVM          ", HPOLL_GATE_LIST, 1, { "KVMKVMKVM" } },
	/* The least and the largest printable character, and the limits of length. */
	{ "! $%&/()~", HPOLL_GATE_LIST, 1, { "! $%&/()~" } },
	{ "123456789", HPOLL_GATE_LIST, 1, { "123456789" } },
	{ "123456789012", HPOLL_GATE_LIST, 1, { "123456789012" } },
	{ "AAAAAAAAA,BBBBBBBBB,CCCCCCCCC,DDDDDDDDD,EEEEEEEEE,FFFFFFFFF,GGGGGGGGG,HHHHHHHHH",
	  HPOLL_GATE_LIST, 8,
	  { "AAAAAAAAA", "BBBBBBBBB", "CCCCCCCCC", "DDDDDDDDD",
	    "EEEEEEEEE", "FFFFFFFFF", "GGGGGGGGG", "HHHHHHHHH" } },
};

/* A line end in a test's name would break the lines of the report. */
static void name_arg(const char *arg, char *desc)
{
	size_t i;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "\"%s\"", arg);
	for (i = 0; desc[i]; i++)
		if (desc[i] < ' ' || desc[i] > '~' || desc[i] == '#')
			desc[i] = '?';
}

static void good_name(const struct good *good, char *desc)
{
	name_arg(good->arg, desc);
}

KUNIT_ARRAY_PARAM(good, goods, good_name);

static void gate_parse_good(struct kunit *test)
{
	const struct good *good = test->param_value;
	struct hpoll_gate gate;
	u32 i;

	memset(&gate, 0x5a, sizeof(gate));
	KUNIT_ASSERT_EQ(test, 0, hpoll_gate_parse(good->arg, &gate));
	KUNIT_EXPECT_EQ(test, (int)good->mode, (int)gate.mode);
	KUNIT_ASSERT_EQ(test, good->nr, gate.nr_signatures);
	for (i = 0; i < HPOLL_GATE_SIGNATURES; i++)
		KUNIT_EXPECT_STREQ(test, i < good->nr ? good->signature[i] : "",
				   &gate.signature[i][0]);
}

struct bad {
	const char *name;
	const char *arg;
	int error;
};

static const struct bad bads[] = {
	{ "empty", "", -EINVAL },
	{ "a line end alone", "\n", -EINVAL },
	{ "a blank", " ", -EINVAL },
	{ "many blanks", "            ", -EINVAL },
	{ "a comma", ",", -EINVAL },
	{ "a comma at the end", "KVMKVMKVM,", -EINVAL },
	{ "a comma and a line end", "KVMKVMKVM,\n", -EINVAL },
	{ "a comma in front", ",KVMKVMKVM", -EINVAL },
	{ "two commas", "KVMKVMKVM,,Microsoft Hv", -EINVAL },
	{ "eight commas", ",,,,,,,,", -EINVAL },
	{ "too short", "12345678", -EINVAL },
	{ "too short but for blanks", "12345678    ", -EINVAL },
	{ "too short but for blanks in front", "    12345678", -EINVAL },
	{ "too long", "1234567890123", -EINVAL },
	{ "second too short", "KVMKVMKVM,xen", -EINVAL },
	{ "second too long", "KVMKVMKVM,1234567890123", -EINVAL },
	{ "unprintable", "KVM\001KVMKVM", -EINVAL },
	{ "a tab", "KVM\tKVMKVM", -EINVAL },
	{ "delete", "KVM\177KVMKVM", -EINVAL },
	{ "not ASCII", "KVMKVMKVM\303\244", -EINVAL },
	{ "a line end inside", "KVMKVMKVM\n,Microsoft Hv", -EINVAL },
	{ "two line ends", "KVMKVMKVM\n\n", -EINVAL },
	{ "a keyword and two line ends", "auto\n\n", -EINVAL },
	{ "a carriage return", "auto\r\n", -EINVAL },
	{ "a keyword in capitals", "AUTO", -EINVAL },
	{ "a keyword and a blank", "auto ", -EINVAL },
	{ "a keyword cut short", "aut", -EINVAL },
	{ "a keyword and more", "autos", -EINVAL },
	{ "a keyword in a list", "KVMKVMKVM,force", -EINVAL },
	{ "two keywords", "auto,kvm", -EINVAL },
	/* The one keyword that is long enough to be taken for a signature. */
	{ "hypervisor and a blank", "hypervisor ", -EINVAL },
	{ "hypervisor in a list", "KVMKVMKVM,hypervisor", -EINVAL },
	{ "hypervisor before a list", "hypervisor,KVMKVMKVM", -EINVAL },
	{ "a number", "1", -EINVAL },
	{ "nine items",
	  "AAAAAAAAA,BBBBBBBBB,CCCCCCCCC,DDDDDDDDD,EEEEEEEEE,FFFFFFFFF,GGGGGGGGG,HHHHHHHHH,IIIIIIIII",
	  -E2BIG },
	{ "nine items, the last one bad",
	  "AAAAAAAAA,BBBBBBBBB,CCCCCCCCC,DDDDDDDDD,EEEEEEEEE,FFFFFFFFF,GGGGGGGGG,HHHHHHHHH,I",
	  -EINVAL },
};

static void bad_name(const struct bad *bad, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", bad->name);
}

KUNIT_ARRAY_PARAM(bad, bads, bad_name);

static void gate_parse_bad(struct kunit *test)
{
	const struct bad *bad = test->param_value;
	struct hpoll_gate gate, before;

	memset(&gate, 0x5a, sizeof(gate));
	memcpy(&before, &gate, sizeof(gate));
	KUNIT_EXPECT_EQ(test, bad->error, hpoll_gate_parse(bad->arg, &gate));
	KUNIT_EXPECT_EQ_MSG(test, 0, memcmp(&before, &gate, sizeof(gate)),
			    "a refused parameter changed the gate");
}

/* Signatures as CPUID shows them: 12 bytes, no NUL behind them. */

struct cpuid {
	const char *name;
	const char bytes[HPOLL_SIGNATURE_LEN + 1];
	const char *text;
};

static const struct cpuid cpuids[] = {
	{ "KVM, padded with NUL", "KVMKVMKVM\0\0\0", "KVMKVMKVM" },
	{ "Hyper-V, all 12 bytes", "Microsoft Hv", "Microsoft Hv" },
	{ "bhyve, padded with a blank", "bhyve bhyve ", "bhyve bhyve" },
	{ "Parallels, padded in front", " lrpepyh  vr", "lrpepyh  vr" },
	{ "padded with blanks and NULs", "QNXQVMBSQG \0", "QNXQVMBSQG" },
	{ "padded with NULs and blanks", "QNXQVMBSQG\0 ", "QNXQVMBSQG" },
	{ "short ones are signatures too", "X\0\0\0\0\0\0\0\0\0\0\0", "X" },
	{ "empty", "\0\0\0\0\0\0\0\0\0\0\0\0", NULL },
	{ "blanks only", "            ", NULL },
	{ "a NUL inside", "KVM\0KVMKVM\0\0", NULL },
	{ "a NUL in front", "\0KVMKVMKVM\0\0", NULL },
	{ "all bits set", "\377\377\377\377\377\377\377\377\377\377\377\377", NULL },
	{ "Intel's leaf 7 echoed", "\007\0\0\0\0\003\0\0\0\003\0\0", NULL },
	{ "one control character", "KVMKVMKVM\033\0\0", NULL },
	{ "delete at the end", "KVMKVMKVM\177\0\0", NULL },
	{ "not ASCII", "KVMKVMK\303\244\0\0\0", NULL },
};

static void cpuid_name(const struct cpuid *cpuid, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", cpuid->name);
}

KUNIT_ARRAY_PARAM(cpuid, cpuids, cpuid_name);

static void gate_signature_set(struct kunit *test)
{
	const struct cpuid *cpuid = test->param_value;
	char bytes[HPOLL_SIGNATURE_LEN];
	struct hpoll_signature signature;

	/* A copy of its exact size lets sanitizers see a read beyond it. */
	memcpy(bytes, cpuid->bytes, sizeof(bytes));
	memset(&signature, 0x5a, sizeof(signature));
	if (!cpuid->text) {
		KUNIT_EXPECT_FALSE(test, hpoll_signature_set(&signature,
							     0x40000000,
							     bytes));
		return;
	}
	KUNIT_ASSERT_TRUE(test, hpoll_signature_set(&signature, 0x40000100,
						    bytes));
	KUNIT_EXPECT_EQ(test, 0x40000100U, signature.leaf);
	KUNIT_EXPECT_STREQ(test, cpuid->text, &signature.text[0]);
}

/* Machines. */

static const struct hpoll_facts bare_metal = {
	.hypervisor_bit = false,
};

static const struct hpoll_facts kvm = {
	.hypervisor_bit = true,
	.nr_signatures = 1,
	.signature = { { 0x40000000, "KVMKVMKVM" } },
};

/* Hyper-V enlightenments move KVM's leaf. */
static const struct hpoll_facts kvm_moved = {
	.hypervisor_bit = true,
	.nr_signatures = 2,
	.signature = {
		{ 0x40000000, "Microsoft Hv" },
		{ 0x40000100, "KVMKVMKVM" },
	},
};

static const struct hpoll_facts hyperv = {
	.hypervisor_bit = true,
	.nr_signatures = 1,
	.signature = { { 0x40000000, "Microsoft Hv" } },
};

/* -cpu host,-hypervisor: the leaves answer, the bit is clear. */
static const struct hpoll_facts kvm_no_bit = {
	.hypervisor_bit = false,
	.nr_signatures = 1,
	.signature = { { 0x40000000, "KVMKVMKVM" } },
};

/* -cpu host,kvm=off: the bit is set, nobody answers. */
static const struct hpoll_facts bit_only = {
	.hypervisor_bit = true,
};

static const struct hpoll_facts unknown = {
	.hypervisor_bit = true,
	.nr_signatures = 1,
	.signature = { { 0x40000000, "SomethingNew" } },
};

static const struct hpoll_facts full = {
	.hypervisor_bit = true,
	.nr_signatures = HPOLL_FACT_SIGNATURES,
	.signature = {
		{ 0x40000000, "SomethingNew" },
		{ 0x40000100, "OtherThing" },
		{ 0x40000200, "Jailhouse" },
		{ 0x40000300, "KVMKVMKVM" },
	},
};

static const struct hpoll_facts kvm_idle_poll = {
	.hypervisor_bit = true,
	.nr_signatures = 1,
	.signature = { { 0x40000000, "KVMKVMKVM" } },
	.idle_override = "idle=poll",
};

static const struct hpoll_facts kvm_nohlt = {
	.hypervisor_bit = true,
	.nr_signatures = 1,
	.signature = { { 0x40000000, "KVMKVMKVM" } },
	.idle_override = "nohlt",
};

static const struct hpoll_facts kvm_cpuidle_off = {
	.hypervisor_bit = true,
	.nr_signatures = 1,
	.signature = { { 0x40000000, "KVMKVMKVM" } },
	.cpuidle_disabled = true,
};

static const struct hpoll_facts kvm_both_off = {
	.hypervisor_bit = true,
	.nr_signatures = 1,
	.signature = { { 0x40000000, "KVMKVMKVM" } },
	.cpuidle_disabled = true,
	.idle_override = "idle=halt",
};

/* Reasons that more than one row expects. */
#define AT_0(text)	"hypervisor signature \"" text "\" at CPUID leaf 0x40000000"
#define KVM_AT_0	AT_0("KVMKVMKVM")
#define KVM_AT_100	"hypervisor signature \"KVMKVMKVM\" at CPUID leaf 0x40000100"
#define KVM_AT_300	"hypervisor signature \"KVMKVMKVM\" at CPUID leaf 0x40000300"
#define NOT(what, bit, seen)	what " in CPUID (hypervisor bit " bit \
				", signature seen: " seen "); gate=force loads anyway"
#define NO_KNOWN(bit, seen)	NOT("no known hypervisor signature", bit, seen)
#define NO_KVM(bit, seen)	NOT("no KVM signature", bit, seen)
#define NO_LISTED(bit, seen)	NOT("no listed signature", bit, seen)
#define BIT_SET		"hypervisor bit set in CPUID"
#define BIT_CLEAR	"hypervisor bit clear in CPUID; gate=force loads anyway"
#define NO_CPUIDLE	"cpuidle is disabled; boot without cpuidle.off=1"
#define OVERRIDDEN(by)	"idle loop overridden by " by \
			" on the kernel command line; boot without it"

struct judgement {
	const char *gate;
	struct {
		const char *name;
		const struct hpoll_facts *facts;
	} machine;
	bool open;
	const char *reason;
};

#define ON(machine)	{ #machine, &(machine) }
#define LISTED		"KVMKVMKVM,Microsoft Hv"

static const struct judgement judgements[] = {
	{ "auto", ON(kvm), true, KVM_AT_0 },
	{ "auto", ON(kvm_moved), true, KVM_AT_100 },
	{ "auto", ON(hyperv), true, AT_0("Microsoft Hv") },
	{ "auto", ON(kvm_no_bit), true, KVM_AT_0 },
	{ "auto", ON(full), true, KVM_AT_300 },
	{ "auto", ON(unknown), false, NO_KNOWN("set", "SomethingNew") },
	{ "auto", ON(bit_only), false, NO_KNOWN("set", "none") },
	{ "auto", ON(bare_metal), false, NO_KNOWN("clear", "none") },

	{ "kvm", ON(kvm), true, KVM_AT_0 },
	{ "kvm", ON(kvm_moved), true, KVM_AT_100 },
	{ "kvm", ON(hyperv), false, NO_KVM("set", "Microsoft Hv") },
	{ "kvm", ON(kvm_no_bit), true, KVM_AT_0 },
	{ "kvm", ON(full), true, KVM_AT_300 },
	{ "kvm", ON(unknown), false, NO_KVM("set", "SomethingNew") },
	{ "kvm", ON(bit_only), false, NO_KVM("set", "none") },
	{ "kvm", ON(bare_metal), false, NO_KVM("clear", "none") },

	{ "hypervisor", ON(kvm), true, BIT_SET },
	{ "hypervisor", ON(kvm_moved), true, BIT_SET },
	{ "hypervisor", ON(hyperv), true, BIT_SET },
	{ "hypervisor", ON(kvm_no_bit), false, BIT_CLEAR },
	{ "hypervisor", ON(full), true, BIT_SET },
	{ "hypervisor", ON(unknown), true, BIT_SET },
	{ "hypervisor", ON(bit_only), true, BIT_SET },
	{ "hypervisor", ON(bare_metal), false, BIT_CLEAR },

	{ LISTED, ON(kvm), true, KVM_AT_0 },
	/* The list's order counts, not that of the leaves. */
	{ LISTED, ON(kvm_moved), true, KVM_AT_100 },
	{ "Microsoft Hv,KVMKVMKVM", ON(kvm_moved), true, AT_0("Microsoft Hv") },
	{ LISTED, ON(hyperv), true, AT_0("Microsoft Hv") },
	{ LISTED, ON(kvm_no_bit), true, KVM_AT_0 },
	{ LISTED, ON(full), true, KVM_AT_300 },
	{ LISTED, ON(unknown), false, NO_LISTED("set", "SomethingNew") },
	{ "SomethingNew", ON(unknown), true, AT_0("SomethingNew") },
	{ "SomethingNew", ON(kvm), false, NO_LISTED("set", "KVMKVMKVM") },
	/* The whole text must be the same. */
	{ "KVMKVMKVMKVM", ON(kvm), false, NO_LISTED("set", "KVMKVMKVM") },
	{ "kvmkvmkvm", ON(kvm), false, NO_LISTED("set", "KVMKVMKVM") },
	{ LISTED, ON(bit_only), false, NO_LISTED("set", "none") },
	{ LISTED, ON(bare_metal), false, NO_LISTED("clear", "none") },

	{ "force", ON(kvm), true, "gate=force" },
	{ "force", ON(kvm_moved), true, "gate=force" },
	{ "force", ON(hyperv), true, "gate=force" },
	{ "force", ON(kvm_no_bit), true, "gate=force" },
	{ "force", ON(full), true, "gate=force" },
	{ "force", ON(unknown), true, "gate=force" },
	{ "force", ON(bit_only), true, "gate=force" },
	{ "force", ON(bare_metal), true, "gate=force" },

	{ "off", ON(kvm), false, "gate=off" },
	{ "off", ON(kvm_moved), false, "gate=off" },
	{ "off", ON(hyperv), false, "gate=off" },
	{ "off", ON(kvm_no_bit), false, "gate=off" },
	{ "off", ON(full), false, "gate=off" },
	{ "off", ON(unknown), false, "gate=off" },
	{ "off", ON(bit_only), false, "gate=off" },
	{ "off", ON(bare_metal), false, "gate=off" },

	/* Where hpoll could never work, nothing opens the gate. */
	{ "auto", ON(kvm_idle_poll), false, OVERRIDDEN("idle=poll") },
	{ "kvm", ON(kvm_idle_poll), false, OVERRIDDEN("idle=poll") },
	{ "hypervisor", ON(kvm_idle_poll), false, OVERRIDDEN("idle=poll") },
	{ LISTED, ON(kvm_idle_poll), false, OVERRIDDEN("idle=poll") },
	{ "force", ON(kvm_idle_poll), false, OVERRIDDEN("idle=poll") },
	{ "off", ON(kvm_idle_poll), false, "gate=off" },
	{ "force", ON(kvm_nohlt), false, OVERRIDDEN("nohlt") },

	{ "auto", ON(kvm_cpuidle_off), false, NO_CPUIDLE },
	{ "kvm", ON(kvm_cpuidle_off), false, NO_CPUIDLE },
	{ "hypervisor", ON(kvm_cpuidle_off), false, NO_CPUIDLE },
	{ LISTED, ON(kvm_cpuidle_off), false, NO_CPUIDLE },
	{ "force", ON(kvm_cpuidle_off), false, NO_CPUIDLE },
	{ "off", ON(kvm_cpuidle_off), false, "gate=off" },

	{ "auto", ON(kvm_both_off), false, NO_CPUIDLE },
	{ "force", ON(kvm_both_off), false, NO_CPUIDLE },
	{ "off", ON(kvm_both_off), false, "gate=off" },
};

static void judgement_name(const struct judgement *judgement, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "gate=%s on %s", judgement->gate,
		 judgement->machine.name);
}

KUNIT_ARRAY_PARAM(judgement, judgements, judgement_name);

static void gate_judge(struct kunit *test)
{
	const struct judgement *judgement = test->param_value;
	struct hpoll_verdict verdict;
	struct hpoll_gate gate;

	KUNIT_ASSERT_EQ(test, 0, hpoll_gate_parse(judgement->gate, &gate));
	memset(&verdict, 0x5a, sizeof(verdict));
	hpoll_gate_judge(&gate, judgement->machine.facts, &verdict);
	KUNIT_EXPECT_EQ(test, (int)judgement->open, (int)verdict.open);
	KUNIT_EXPECT_STREQ(test, judgement->reason, &verdict.reason[0]);
}

/* Each hypervisor that auto knows, by the name that it gives itself. */
static const char * const known[] = {
	"KVMKVMKVM", "Microsoft Hv", "VMwareVMware", "XenVMMXenVMM",
	"TCGTCGTCGTCG", "VBoxVBoxVBox", "bhyve bhyve", "prl hyperv",
	"lrpepyh  vr", "lrpepyh vr", "ACRNACRNACRN", "QNXQVMBSQG", "Jailhouse",
};

static void known_name(const char * const *name, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", *name);
}

KUNIT_ARRAY_PARAM(known, known, known_name);

static void gate_auto_knows(struct kunit *test)
{
	const char * const *name = test->param_value;
	struct hpoll_gate gate = { .mode = HPOLL_GATE_AUTO };
	struct hpoll_facts facts = { .nr_signatures = 1 };
	struct hpoll_verdict verdict;

	facts.signature[0].leaf = 0x40000000;
	snprintf(facts.signature[0].text, sizeof(facts.signature[0].text), "%s",
		 *name);
	hpoll_gate_judge(&gate, &facts, &verdict);
	KUNIT_EXPECT_TRUE(test, verdict.open);

	/* Each is also long enough, and short enough, to be listed. */
	KUNIT_EXPECT_EQ(test, 0, hpoll_gate_parse(*name, &gate));
	KUNIT_EXPECT_EQ(test, (int)HPOLL_GATE_LIST, (int)gate.mode);
}

static void gate_facts_signature(struct kunit *test)
{
	struct hpoll_facts none = kvm_moved;

	KUNIT_EXPECT_PTR_EQ(test, &kvm_moved.signature[1],
			    hpoll_facts_signature(&kvm_moved, "KVMKVMKVM"));
	KUNIT_EXPECT_PTR_EQ(test, &kvm_moved.signature[0],
			    hpoll_facts_signature(&kvm_moved, "Microsoft Hv"));
	KUNIT_EXPECT_PTR_EQ(test, (const struct hpoll_signature *)NULL,
			    hpoll_facts_signature(&kvm_moved, "KVMKVMKV"));
	KUNIT_EXPECT_PTR_EQ(test, (const struct hpoll_signature *)NULL,
			    hpoll_facts_signature(&kvm_moved, ""));

	/* Only what is counted is looked at. */
	none.nr_signatures = 1;
	KUNIT_EXPECT_PTR_EQ(test, (const struct hpoll_signature *)NULL,
			    hpoll_facts_signature(&none, "KVMKVMKVM"));
}

/* The same signature twice, as KVM with its interface at two leaves. */
static void gate_lowest_leaf_wins(struct kunit *test)
{
	struct hpoll_facts twice = kvm_moved;

	twice.signature[0] = (struct hpoll_signature) { 0x40000000, "KVMKVMKVM" };
	KUNIT_EXPECT_PTR_EQ(test, (const struct hpoll_signature *)&twice.signature[0],
			    hpoll_facts_signature(&twice, "KVMKVMKVM"));
}

/* A reason that would not fit is cut, never written beyond its end. */
static void gate_reason_fits(struct kunit *test)
{
	char option[2 * HPOLL_REASON_LEN];
	struct hpoll_gate gate = { .mode = HPOLL_GATE_FORCE };
	struct hpoll_facts facts = { .idle_override = option };
	struct hpoll_verdict verdict;

	memset(option, 'x', sizeof(option) - 1);
	option[sizeof(option) - 1] = '\0';
	memset(&verdict, 0x5a, sizeof(verdict));
	hpoll_gate_judge(&gate, &facts, &verdict);
	KUNIT_EXPECT_FALSE(test, verdict.open);
	KUNIT_EXPECT_EQ(test, (int)sizeof(verdict.reason) - 1,
			(int)strnlen(verdict.reason, sizeof(verdict.reason)));
}

static struct kunit_case gate_cases[] = {
	KUNIT_CASE_PARAM(gate_parse_good, good_gen_params),
	KUNIT_CASE_PARAM(gate_parse_bad, bad_gen_params),
	KUNIT_CASE_PARAM(gate_signature_set, cpuid_gen_params),
	KUNIT_CASE(gate_facts_signature),
	KUNIT_CASE(gate_lowest_leaf_wins),
	KUNIT_CASE_PARAM(gate_judge, judgement_gen_params),
	KUNIT_CASE_PARAM(gate_auto_knows, known_gen_params),
	KUNIT_CASE(gate_reason_fits),
	{}
};

static struct kunit_suite gate_suite = {
	.name = "hpoll_gate",
	.test_cases = gate_cases,
};

kunit_test_suite(gate_suite);
