// SPDX-License-Identifier: GPL-2.0-only
/*
 * The budget: what fills it, what empties it, and how a busy host strains it.
 */

#include <kunit/test.h>

#include <hpoll/budget.h>

#define US	1000ULL
#define MS	1000000ULL

#define COST_NS		200000U
#define FULL_NS		(HPOLL_BUDGET_HALTS * COST_NS)
#define BEGIN_NS	(1000 * MS)

/* Full, and its clock is at BEGIN_NS. */
static struct hpoll_budget fresh(void)
{
	struct hpoll_budget budget = { };

	hpoll_budget_fill(&budget, 1, COST_NS, BEGIN_NS, 0);
	return budget;
}

static struct hpoll_budget empty(void)
{
	struct hpoll_budget budget = fresh();

	hpoll_budget_burned(&budget, U64_MAX);
	return budget;
}

static void budget_begins_full(struct kunit *test)
{
	struct hpoll_budget budget = fresh();

	KUNIT_EXPECT_EQ(test, budget.left_ns, FULL_NS);
	KUNIT_EXPECT_TRUE(test, hpoll_budget_allows(&budget, COST_NS));
	KUNIT_EXPECT_EQ(test, budget.strain, 0U);
}

static void budget_is_burned(struct kunit *test)
{
	struct hpoll_budget budget = fresh();
	u32 i;

	for (i = 0; i < HPOLL_BUDGET_HALTS; i++) {
		KUNIT_EXPECT_TRUE(test, hpoll_budget_allows(&budget, COST_NS));
		hpoll_budget_burned(&budget, COST_NS);
	}
	KUNIT_EXPECT_FALSE(test, hpoll_budget_allows(&budget, 1));
	/* Nothing is owed. */
	hpoll_budget_burned(&budget, U64_MAX);
	KUNIT_EXPECT_EQ(test, budget.left_ns, 0U);
	KUNIT_EXPECT_TRUE(test, hpoll_budget_allows(&budget, 0));
}

static void budget_fills_with_time(struct kunit *test)
{
	static const struct {
		u32 pct;
		u64 time_ns;
		u32 least_ns, most_ns;
	} times[] = {
		{ 1, 0, 0, 0 },
		{ 1, 10 * MS, 100 * US, 101 * US },
		{ 2, 10 * MS, 200 * US, 201 * US },
		{ 50, MS, 500 * US, 501 * US },
		{ 100, MS, 1000 * US, 1002 * US },
		{ 1, 10000 * MS, FULL_NS, FULL_NS },
		{ 100, 1ULL << 62, FULL_NS, FULL_NS },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		struct hpoll_budget budget = empty();

		hpoll_budget_fill(&budget, times[i].pct, COST_NS, BEGIN_NS + times[i].time_ns, 0);
		KUNIT_EXPECT_GE_MSG(test, budget.left_ns, times[i].least_ns, "%u", i);
		KUNIT_EXPECT_LE_MSG(test, budget.left_ns, times[i].most_ns, "%u", i);
	}
}

static void budget_fills_with_what_was_saved(struct kunit *test)
{
	struct hpoll_budget budget = empty();

	hpoll_budget_saved(&budget, COST_NS);
	KUNIT_EXPECT_EQ(test, budget.left_ns, COST_NS);
	hpoll_budget_saved(&budget, COST_NS);
	KUNIT_EXPECT_EQ(test, budget.left_ns, 2 * COST_NS);
	budget.left_ns = FULL_NS - 1;
	hpoll_budget_saved(&budget, COST_NS);
	KUNIT_EXPECT_EQ(test, budget.left_ns, FULL_NS);
}

static void budget_follows_the_cost(struct kunit *test)
{
	struct hpoll_budget budget = fresh();

	hpoll_budget_fill(&budget, 1, 1000, BEGIN_NS, 0);
	KUNIT_EXPECT_EQ(test, budget.left_ns, HPOLL_BUDGET_HALTS * 1000);
	hpoll_budget_fill(&budget, 1, 0, BEGIN_NS, 0);
	KUNIT_EXPECT_EQ(test, budget.left_ns, 0U);
	hpoll_budget_fill(&budget, 100, U32_MAX, BEGIN_NS + 500 * MS, 0);
	KUNIT_EXPECT_GE(test, budget.left_ns, (u32)(500 * MS));
}

static void budget_clock_goes_backwards(struct kunit *test)
{
	struct hpoll_budget budget = empty();

	hpoll_budget_fill(&budget, 100, COST_NS, 10 * MS, 500 * MS);
	KUNIT_EXPECT_EQ(test, budget.left_ns, 0U);
	KUNIT_EXPECT_EQ(test, budget.strain, 0U);
	hpoll_budget_fill(&budget, 100, COST_NS, 11 * MS, 500 * MS);
	KUNIT_EXPECT_GT(test, budget.left_ns, 0U);
}

/* What it holds, and all that flows in, halves with each. */
static void budget_strain_shrinks(struct kunit *test)
{
	u32 strain;

	for (strain = 0; strain <= HPOLL_BUDGET_STRAIN_MAX; strain++) {
		struct hpoll_budget budget = fresh();

		budget.strain = strain;
		hpoll_budget_fill(&budget, 1, COST_NS, BEGIN_NS + 1, 0);
		KUNIT_EXPECT_EQ(test, budget.left_ns, FULL_NS >> strain);
		hpoll_budget_burned(&budget, U64_MAX);
		hpoll_budget_saved(&budget, COST_NS);
		KUNIT_EXPECT_EQ(test, budget.left_ns, COST_NS >> strain);
		hpoll_budget_fill(&budget, 100, COST_NS, BEGIN_NS + 50 * MS, 0);
		KUNIT_EXPECT_EQ(test, budget.left_ns, FULL_NS >> strain);
	}
}

/* Polls that were interrupted tell the same, where time stolen is not known. */
static void budget_strain_by_lost_time(struct kunit *test)
{
	static const struct {
		u64 lost_ns, stolen_ns;
		u32 strain;
	} looks[] = {
		{ 2 * MS, 0, 0 },	/* now and then: that is no busy host */
		{ 17 * MS, 0, 2 },
		{ 16 * MS, 0, 1 },
		{ 0, 0, 0 },
		{ 10 * MS, 10 * MS, 0 },	/* of the same time */
		{ 60 * MS, 10 * MS, 2 },
		{ 10 * MS, 60 * MS, 4 },
	};
	struct hpoll_budget budget = fresh();
	u64 now_ns = BEGIN_NS, stolen_ns = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		now_ns += HPOLL_BUDGET_LOOK_NS;
		stolen_ns += looks[i].stolen_ns;
		hpoll_budget_lost(&budget, looks[i].lost_ns / 2);
		hpoll_budget_lost(&budget, looks[i].lost_ns / 2);
		hpoll_budget_fill(&budget, 1, COST_NS, now_ns, stolen_ns);
		KUNIT_EXPECT_EQ_MSG(test, budget.strain, looks[i].strain, "look %u", i);
	}
}

/* Down at once, up by one for each look at a quiet host. */
static void budget_strain_by_stolen_time(struct kunit *test)
{
	static const struct {
		u64 time_ns, stolen_ns;
		u32 strain;
	} looks[] = {
		{ HPOLL_BUDGET_LOOK_NS - 1, 60 * MS, 0 },	/* not yet time to look */
		{ 1, 0, 2 },
		{ HPOLL_BUDGET_LOOK_NS, 50 * MS, 4 },
		{ HPOLL_BUDGET_LOOK_NS, 17 * MS, 6 },
		{ HPOLL_BUDGET_LOOK_NS, 17 * MS, 6 },
		{ HPOLL_BUDGET_LOOK_NS, 16 * MS, 5 },		/* less than a quarter */
		{ HPOLL_BUDGET_LOOK_NS, 0, 4 },
		{ 3 * HPOLL_BUDGET_LOOK_NS, 0, 1 },
		{ 100 * HPOLL_BUDGET_LOOK_NS, MS, 0 },
	};
	struct hpoll_budget budget = fresh();
	u64 now_ns = BEGIN_NS, stolen_ns = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		now_ns += looks[i].time_ns;
		stolen_ns += looks[i].stolen_ns;
		hpoll_budget_fill(&budget, 1, COST_NS, now_ns, stolen_ns);
		KUNIT_EXPECT_EQ_MSG(test, budget.strain, looks[i].strain, "look %u", i);
	}
}

static struct kunit_case budget_cases[] = {
	KUNIT_CASE(budget_begins_full),
	KUNIT_CASE(budget_is_burned),
	KUNIT_CASE(budget_fills_with_time),
	KUNIT_CASE(budget_fills_with_what_was_saved),
	KUNIT_CASE(budget_follows_the_cost),
	KUNIT_CASE(budget_clock_goes_backwards),
	KUNIT_CASE(budget_strain_shrinks),
	KUNIT_CASE(budget_strain_by_lost_time),
	KUNIT_CASE(budget_strain_by_stolen_time),
	{}
};

static struct kunit_suite budget_suite = {
	.name = "hpoll_budget",
	.test_cases = budget_cases,
};

kunit_test_suite(budget_suite);
