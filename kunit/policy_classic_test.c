// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classic rule: golden sequences, and every edge of a single step.
 */

#include <kunit/test.h>

#include <hpoll/policy.h>

#define MS	1000000ULL
#define SECOND	(1000 * MS)

#define DEFAULTS { HPOLL_MAINLINE_DEFAULTS }

/* max_ns, grow, shrink, grow_start_ns, allow_shrink */
#define PARAMS(m, g, s, gs, allow) {				\
	.max_ns = (m), .grow = (g), .shrink = (s),		\
	.grow_start_ns = (gs), .allow_shrink = (allow),		\
}

/* One step: params, the window before, the halt, the window after. */
struct step {
	const char *name;
	struct hpoll_params params;
	u32 window_ns;
	u64 block_ns;
	u32 next_ns;
};

static const struct step steps[] = {
	/* The three branches, at the defaults. */
	{ "grow from 0 starts at grow_start", DEFAULTS, 0, 10000, 50000 },
	{ "grow doubles", DEFAULTS, 50000, 60000, 100000 },
	{ "grow reaches max exactly", DEFAULTS, 100000, 150000, 200000 },
	{ "grow stops at max", DEFAULTS, 150000, 180000, 200000 },
	{ "shrink halves", DEFAULTS, 200000, 300000, 100000 },
	{ "shrink to exactly grow_start stays", DEFAULTS, 100000, SECOND, 50000 },
	{ "shrink below grow_start is 0", DEFAULTS, 99999, SECOND, 0 },
	{ "shrink from grow_start is 0", DEFAULTS, 50000, SECOND, 0 },
	{ "shrink from 0 stays 0", DEFAULTS, 0, SECOND, 0 },
	{ "a halt that the window covers changes nothing", DEFAULTS, 100000, 40000, 100000 },

	/* block against window. */
	{ "block 0, window 0", DEFAULTS, 0, 0, 0 },
	{ "block 0", DEFAULTS, 100000, 0, 100000 },
	{ "block 1, window 0", DEFAULTS, 0, 1, 50000 },
	{ "block = window - 1", DEFAULTS, 100000, 99999, 100000 },
	{ "block = window", DEFAULTS, 100000, 100000, 100000 },
	{ "block = window + 1", DEFAULTS, 100000, 100001, 200000 },

	/* block against max. */
	{ "block = max - 1", DEFAULTS, 50000, 199999, 100000 },
	{ "block = max", DEFAULTS, 50000, 200000, 100000 },
	{ "block = max + 1", DEFAULTS, 100000, 200001, 50000 },
	{ "block = max, window 0", DEFAULTS, 0, 200000, 50000 },
	{ "block far above 32 bits is no short halt", DEFAULTS, 100000, (1ULL << 32) + 60000,
	  50000 },
	{ "block at its type's maximum", DEFAULTS, 100000, U64_MAX, 50000 },

	/* window against max. */
	{ "window = max, block below", DEFAULTS, 200000, 100000, 200000 },
	{ "window = max, block = max", DEFAULTS, 200000, 200000, 200000 },
	{ "window = max, block = max + 1", DEFAULTS, 200000, 200001, 100000 },
	{ "window = max - 1, block = max", DEFAULTS, 199999, 200000, 200000 },

	/* grow. */
	{ "grow 0 keeps the window", PARAMS(200000, 0, 2, 50000, true), 100000, 150000, 100000 },
	{ "grow 0 lifts to grow_start", PARAMS(200000, 0, 2, 50000, true), 0, 10000, 50000 },
	{ "grow 0 lifts a small window", PARAMS(200000, 0, 2, 50000, true), 20000, 30000, 50000 },
	{ "grow 1 keeps the window", PARAMS(200000, 1, 2, 50000, true), 100000, 150000, 100000 },
	{ "grow 1 lifts to grow_start", PARAMS(200000, 1, 2, 50000, true), 0, 10000, 50000 },
	{ "grow 3", PARAMS(200000, 3, 2, 50000, true), 50000, 60000, 150000 },
	{ "grow 0, grow_start 0 keeps 0", PARAMS(200000, 0, 2, 0, true), 0, 10000, 0 },
	{ "grow 2, grow_start 0 keeps 0", PARAMS(200000, 2, 2, 0, true), 0, 10000, 0 },

	/* shrink. */
	{ "shrink 0 is 0 at once", PARAMS(200000, 2, 0, 50000, true), 200000, 200001, 0 },
	{ "shrink 1 keeps the window", PARAMS(200000, 2, 1, 50000, true), 200000, SECOND, 200000 },
	{ "shrink 1 at grow_start", PARAMS(200000, 2, 1, 50000, true), 50000, SECOND, 50000 },
	{ "shrink 1 below grow_start is 0", PARAMS(200000, 2, 1, 50000, true), 49999, SECOND, 0 },
	{ "shrink 3 rounds down", PARAMS(200000, 2, 3, 0, true), 200000, SECOND, 66666 },
	{ "shrink at its type's maximum", PARAMS(200000, 2, U32_MAX, 0, true), 200000, SECOND, 0 },
	{ "shrink, grow_start 0, goes to 1", PARAMS(200000, 2, 2, 0, true), 2, SECOND, 1 },
	{ "shrink, grow_start 0, 1 becomes 0", PARAMS(200000, 2, 2, 0, true), 1, SECOND, 0 },
	{ "no shrinking", PARAMS(200000, 2, 2, 50000, false), 200000, SECOND, 200000 },
	{ "no shrinking beats shrink 0", PARAMS(200000, 2, 0, 50000, false), 100000, SECOND,
	  100000 },
	{ "no shrinking keeps a small window", PARAMS(200000, 2, 2, 50000, false), 1, SECOND, 1 },

	/* max 0, or lowered since. */
	{ "max 0, window 0, block 0", PARAMS(0, 2, 2, 50000, true), 0, 0, 0 },
	{ "max 0, window 0, block 1", PARAMS(0, 2, 2, 50000, true), 0, 1, 0 },
	{ "max 0, large window, block 0", PARAMS(0, 2, 2, 50000, true), 200000, 0, 0 },
	{ "max 0, large window, long block", PARAMS(0, 2, 2, 50000, true), 200000, SECOND, 0 },
	{ "max 0, large window, no shrinking", PARAMS(0, 2, 2, 50000, false), 200000, SECOND, 0 },
	{ "max 0, shrink 1", PARAMS(0, 2, 1, 0, true), 200000, SECOND, 0 },
	{ "max lowered, block covered", PARAMS(80000, 2, 2, 50000, true), 200000, 10000, 80000 },
	{ "max lowered, block = new max", PARAMS(80000, 2, 2, 50000, true), 200000, 80000, 80000 },
	{ "max lowered, block between the two", PARAMS(80000, 2, 2, 10000, true), 200000, 100000,
	  40000 },
	{ "max lowered, no shrinking", PARAMS(80000, 2, 2, 50000, false), 200000, SECOND, 80000 },
	{ "max lowered below grow_start", PARAMS(30000, 2, 2, 50000, true), 200000, SECOND, 0 },
	{ "max 1", PARAMS(1, 2, 2, 50000, true), 0, 1, 1 },

	/* 64-bit products. */
	{ "2^31 x 2 does not wrap to 0", PARAMS(U32_MAX, 2, 2, 50000, true), 1U << 31,
	  (1ULL << 31) + 1, U32_MAX },
	{ "2^31 x 2, lower max", PARAMS(3000000000U, 2, 2, 50000, true), 1U << 31, 2500000000ULL,
	  3000000000U },
	{ "2^16 x 2^16", PARAMS(200000, 1U << 16, 2, 50000, true), 1U << 16, 70000, 200000 },
	{ "3 x (2^32 - 1)", PARAMS(200000, U32_MAX, 2, 0, true), 3, 4, 200000 },
	{ "2^32 - 2 grows by 2^32 - 1", PARAMS(U32_MAX, U32_MAX, 2, 0, true), U32_MAX - 1, U32_MAX,
	  U32_MAX },

	/* grow_start above max: the HANA tuning notes' values. */
	{ "grow_start 10 x max, grow", PARAMS(2400000, 2, 2, 24000000, true), 0, MS, 2400000 },
	{ "grow_start 10 x max, at max", PARAMS(2400000, 2, 2, 24000000, true), 2400000, 2400000,
	  2400000 },
	{ "grow_start 10 x max, shrink", PARAMS(2400000, 2, 2, 24000000, true), 2400000, 2400001,
	  0 },
	{ "grow_start 10 x max, no shrinking", PARAMS(2400000, 2, 2, 24000000, false), 2400000,
	  SECOND, 2400000 },
	{ "grow_start = max", PARAMS(200000, 2, 2, 200000, true), 0, 1, 200000 },

	/* All parameters at the ends of their types. */
	{ "all at maximum, from 0", PARAMS(U32_MAX, U32_MAX, U32_MAX, U32_MAX, true), 0, 1,
	  U32_MAX },
	{ "all at maximum, window at maximum",
	  PARAMS(U32_MAX, U32_MAX, U32_MAX, U32_MAX, true), U32_MAX, U32_MAX, U32_MAX },
	{ "all at maximum, block one more",
	  PARAMS(U32_MAX, U32_MAX, U32_MAX, U32_MAX, true), U32_MAX, (u64)U32_MAX + 1, 0 },
	{ "all at maximum, block at maximum",
	  PARAMS(U32_MAX, U32_MAX, U32_MAX, U32_MAX, true), U32_MAX, U64_MAX, 0 },
	{ "all at maximum, no shrinking",
	  PARAMS(U32_MAX, U32_MAX, U32_MAX, U32_MAX, false), U32_MAX, U64_MAX, U32_MAX },
	{ "all 0", PARAMS(0, 0, 0, 0, false), 0, 0, 0 },
	{ "all 0 but the window and the block", PARAMS(0, 0, 0, 0, false), U32_MAX, U64_MAX, 0 },
};

static void step_name(const struct step *step, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", step->name);
}

KUNIT_ARRAY_PARAM(step, steps, step_name);

static void classic_step(struct kunit *test)
{
	const struct step *step = test->param_value;

	KUNIT_EXPECT_EQ(test, step->next_ns,
			hpoll_classic_next_ns(&step->params, step->window_ns,
					      step->block_ns));
}

/* A run of halts, and the window after each; the first window is 0. */
#define MAX_RUN	10

struct run {
	const char *name;
	struct hpoll_params params;
	int len;
	u64 block_ns[MAX_RUN];
	u32 window_ns[MAX_RUN];
};

static const struct run runs[] = {
	{
		"defaults up and down", DEFAULTS, 7,
		{ 150000, 150000, 150000, 200000, SECOND, SECOND, SECOND },
		{ 50000, 100000, 200000, 200000, 100000, 50000, 0 },
	}, {
		"defaults up, held, down, up again", DEFAULTS, 9,
		{ 10000, 60000, 150000, 20000, MS, MS, MS, MS, 30000 },
		{ 50000, 100000, 200000, 200000, 100000, 50000, 0, 0, 50000 },
	}, {
		"one long halt between short ones costs one step", DEFAULTS, 6,
		{ 60000, 60000, 120000, MS, 120000, 120000 },
		{ 50000, 100000, 200000, 100000, 200000, 200000 },
	}, {
		"halts that are always too long never start polling", DEFAULTS, 3,
		{ 200001, MS, SECOND },
		{ 0, 0, 0 },
	}, {
		"no shrinking stays at max", PARAMS(200000, 2, 2, 50000, false), 5,
		{ 150000, 150000, 150000, SECOND, U64_MAX },
		{ 50000, 100000, 200000, 200000, 200000 },
	}, {
		"shrink 0 falls at once", PARAMS(200000, 2, 0, 50000, true), 5,
		{ 150000, 150000, 150000, MS, MS },
		{ 50000, 100000, 200000, 0, 0 },
	}, {
		"grow 0 and 1 stay at grow_start", PARAMS(200000, 0, 2, 50000, true), 4,
		{ 10000, 150000, 150000, MS },
		{ 50000, 50000, 50000, 0 },
	}, {
		"a max that is no multiple of grow_start",
		PARAMS(170000, 2, 2, 50000, true), 6,
		{ 160000, 160000, 160000, MS, MS, MS },
		{ 50000, 100000, 170000, 85000, 0, 0 },
	}, {
		"grow_start above max is all or nothing",
		PARAMS(2400000, 2, 2, 24000000, true), 5,
		{ MS, MS, 2400000, SECOND, MS },
		{ 2400000, 2400000, 2400000, 0, 2400000 },
	},
};

static void run_name(const struct run *run, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", run->name);
}

KUNIT_ARRAY_PARAM(run, runs, run_name);

static void classic_golden_sequence(struct kunit *test)
{
	const struct run *run = test->param_value;
	u32 window_ns = 0;
	int i;

	for (i = 0; i < run->len; i++) {
		window_ns = hpoll_classic_next_ns(&run->params, window_ns,
						  run->block_ns[i]);
		KUNIT_EXPECT_EQ_MSG(test, run->window_ns[i], window_ns,
				    "after halt %d of %llu ns", i + 1,
				    (unsigned long long)run->block_ns[i]);
	}
}

/* An operator lowers the maximum in the middle of a run. */
static void classic_max_lowered(struct kunit *test)
{
	struct hpoll_params params = DEFAULTS;
	u32 window_ns = 200000;

	params.allow_shrink = false;
	window_ns = hpoll_classic_next_ns(&params, window_ns, SECOND);
	KUNIT_EXPECT_EQ(test, 200000U, window_ns);

	params.max_ns = 120000;
	window_ns = hpoll_classic_next_ns(&params, window_ns, SECOND);
	KUNIT_EXPECT_EQ(test, 120000U, window_ns);

	params.max_ns = 0;
	window_ns = hpoll_classic_next_ns(&params, window_ns, SECOND);
	KUNIT_EXPECT_EQ(test, 0U, window_ns);
	window_ns = hpoll_classic_next_ns(&params, window_ns, 0);
	KUNIT_EXPECT_EQ(test, 0U, window_ns);

	/* Raised again it starts anew, not where it was. */
	params.max_ns = 200000;
	window_ns = hpoll_classic_next_ns(&params, window_ns, 1000);
	KUNIT_EXPECT_EQ(test, 50000U, window_ns);
}

/* Mainline's, so that settings and scripts carry over. */
static void classic_defaults(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 200000U, HPOLL_DEFAULT_MAX_NS);
	KUNIT_EXPECT_EQ(test, 2U, HPOLL_DEFAULT_GROW);
	KUNIT_EXPECT_EQ(test, 2U, HPOLL_DEFAULT_SHRINK);
	KUNIT_EXPECT_EQ(test, 50000U, HPOLL_DEFAULT_GROW_START_NS);
	KUNIT_EXPECT_TRUE(test, HPOLL_DEFAULT_ALLOW_SHRINK);
}

static struct kunit_case policy_classic_cases[] = {
	KUNIT_CASE(classic_defaults),
	KUNIT_CASE_PARAM(classic_step, step_gen_params),
	KUNIT_CASE_PARAM(classic_golden_sequence, run_gen_params),
	KUNIT_CASE(classic_max_lowered),
	{}
};

static struct kunit_suite policy_classic_suite = {
	.name = "hpoll_policy_classic",
	.test_cases = policy_classic_cases,
};

kunit_test_suite(policy_classic_suite);

MODULE_DESCRIPTION("KUnit tests of hpoll");
MODULE_LICENSE("GPL");
