// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a halt, from timed wake-ups.
 */

#include <kunit/test.h>

#include <hpoll/halt_cost.h>

static void halt_cost_by_medians(struct kunit *test)
{
	static const struct {
		const char *name;
		struct hpoll_halt_cost_samples samples;
		u32 cost_ns;
	} cases[] = {
		{ "dear",
		  { { 230, 231, 229, 235, 227, 230, 228, 240, 233 },
		    { 7, 8, 7, 7, 8, 9, 7, 7, 7 } }, 223 },
		{ "four of nine disturbed",
		  { { 900, 230, 900, 230, 5, 230, 230, 5, 230 },
		    { 7, 7, 1, 7, 900, 7, 800, 7, 1 } }, 223 },
		{ "as cheap as polling",
		  { { 5, 5, 5, 5, 5, 5, 5, 5, 5 }, { 5, 5, 5, 5, 5, 5, 5, 5, 5 } }, 1 },
		{ "cheaper than polling",
		  { { 5, 5, 5, 5, 5, 5, 5, 5, 5 }, { 9, 9, 9, 9, 9, 9, 9, 9, 9 } }, 1 },
		{ "falling",
		  { { 9, 8, 7, 6, 5, 4, 3, 2, 1 }, { 0, 0, 0, 0, 0, 0, 0, 0, 0 } }, 5 },
		{ "the largest",
		  { { U32_MAX, U32_MAX, U32_MAX, U32_MAX, U32_MAX, U32_MAX, U32_MAX, U32_MAX,
		      U32_MAX }, { 0, 0, 0, 0, 0, 0, 0, 0, 0 } }, U32_MAX },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hpoll_halt_cost_samples samples = cases[i].samples;

		KUNIT_EXPECT_EQ_MSG(test, hpoll_halt_cost_estimate_ns(&samples, 0),
				    cases[i].cost_ns, "%s", cases[i].name);
	}
}

static void halt_cost_keeps_some_of_the_past(struct kunit *test)
{
	static const struct {
		u32 before_ns, halted_ns, cost_ns;
	} cases[] = {
		{ 0, 1000, 1000 },
		{ 1000, 1000, 1000 },
		{ 1000, 2000, 1500 },
		{ 1000, 0, 501 },
		{ 1, 0, 1 },		/* never 0, which is not known */
		{ U32_MAX, U32_MAX, U32_MAX },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hpoll_halt_cost_samples samples = { };

		for (j = 0; j < HPOLL_HALT_COST_SAMPLES; j++)
			samples.halted_ns[j] = cases[i].halted_ns;
		KUNIT_EXPECT_EQ_MSG(test,
				    hpoll_halt_cost_estimate_ns(&samples, cases[i].before_ns),
				    cases[i].cost_ns, "%u", i);
	}
}

static struct kunit_case halt_cost_cases[] = {
	KUNIT_CASE(halt_cost_by_medians),
	KUNIT_CASE(halt_cost_keeps_some_of_the_past),
	{}
};

static struct kunit_suite halt_cost_suite = {
	.name = "hpoll_halt_cost",
	.test_cases = halt_cost_cases,
};

kunit_test_suite(halt_cost_suite);
