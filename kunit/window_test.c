// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window: idle periods put together from polls and halts, and who learns
 * what from them, and when.
 */

#include <kunit/test.h>

#include <hpoll/window.h>

#define US	1000U
#define MS	1000000U

#define DEFAULTS						\
	.max_ns = HPOLL_DEFAULT_MAX_NS,				\
	.grow = HPOLL_DEFAULT_GROW,				\
	.shrink = HPOLL_DEFAULT_SHRINK,				\
	.grow_start_ns = HPOLL_DEFAULT_GROW_START_NS,		\
	.allow_shrink = HPOLL_DEFAULT_ALLOW_SHRINK

static const struct hpoll_params classic = {
	DEFAULTS,
};

static const struct hpoll_params adaptive = {
	DEFAULTS,
	.policy = HPOLL_POLICY_ADAPTIVE,
};

static u32 begin(struct hpoll_window *window, const struct hpoll_params *params)
{
	return hpoll_window_begin(window, params, HPOLL_NO_TIMER, false);
}

/* An idle period as the idle loop has it: polled for in vain at first. */
static void live(struct hpoll_window *window, const struct hpoll_params *params, u64 length_ns)
{
	u32 window_ns = begin(window, params);

	if (length_ns <= window_ns) {
		hpoll_window_polled(window, length_ns, false);
		return;
	}
	if (window_ns)
		hpoll_window_polled(window, window_ns, true);
	hpoll_window_halted(window, length_ns - window_ns);
}

/* The classic rule sees a halt alone, without the poll before it. */
static void window_classic_sees_halts(struct kunit *test)
{
	static const struct {
		u64 length_ns;
		u32 window_ns;
	} periods[] = {
		{ 10 * US, 0 },
		{ 110 * US, 50 * US },		/* halts for 60 us: grows */
		{ 90 * US, 100 * US },		/* polled: nothing to learn */
		{ 250 * US, 100 * US },		/* halts for 150 us: grows */
		{ 450 * US, 200 * US },		/* halts for 250 us: shrinks */
		{ 5 * MS, 100 * US },
		{ 5 * MS, 50 * US },
		{ 5 * MS, 0 },
	};
	struct hpoll_window window = { };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		live(&window, &classic, periods[i].length_ns);
		KUNIT_EXPECT_EQ_MSG(test, window.period.window_ns, periods[i].window_ns,
				    "period %u", i);
		KUNIT_EXPECT_EQ_MSG(test, window.period.length_ns, periods[i].length_ns,
				    "period %u", i);
	}
}

/* The adaptive policy is told the same as one that is asked directly. */
static void window_adaptive_sees_periods(struct kunit *test)
{
	static const u64 lengths_ns[] = {
		20 * US, 5 * MS, 20 * US, 150 * US, 0, 201 * US, 200 * US, 1, 5 * MS, 5 * MS,
		5 * MS, 30 * US,
	};
	struct hpoll_adaptive direct = { };
	struct hpoll_window window = { };
	u32 i, window_ns;

	for (i = 0; i < 20 * ARRAY_SIZE(lengths_ns); i++) {
		struct hpoll_period period = {
			.length_ns = lengths_ns[i % ARRAY_SIZE(lengths_ns)],
			.timer_ns = HPOLL_NO_TIMER,
		};

		window_ns = hpoll_adaptive_window_ns(&direct, adaptive.max_ns, HPOLL_NO_TIMER);
		live(&window, &adaptive, period.length_ns);
		KUNIT_ASSERT_EQ(test, window.period.window_ns, window_ns);
		period.window_ns = window_ns;
		hpoll_adaptive_observe(&direct, adaptive.max_ns, &period);
	}
	begin(&window, &adaptive);
	KUNIT_EXPECT_TRUE(test, !memcmp(&window.adaptive, &direct, sizeof(direct)));
}

/* Nothing is learned on the way out of a period. */
static void window_learns_at_begin(struct kunit *test)
{
	struct hpoll_window window = { }, before;

	live(&window, &adaptive, 20 * US);
	begin(&window, &adaptive);
	before = window;
	hpoll_window_polled(&window, 200 * US, true);
	hpoll_window_halted(&window, 5 * MS);
	KUNIT_EXPECT_TRUE(test, !memcmp(&window.adaptive, &before.adaptive,
					sizeof(before.adaptive)));
	begin(&window, &adaptive);
	KUNIT_EXPECT_FALSE(test, !memcmp(&window.adaptive, &before.adaptive,
					 sizeof(before.adaptive)));

	/* ... and only once. */
	before = window;
	begin(&window, &adaptive);
	KUNIT_EXPECT_TRUE(test, !memcmp(&window.adaptive, &before.adaptive,
					sizeof(before.adaptive)));
}

/* A poll that ran out of time is not the end. */
static void window_goes_on_after_a_poll(struct kunit *test)
{
	struct hpoll_window window = { };

	begin(&window, &adaptive);
	hpoll_window_polled(&window, 30 * US, true);
	hpoll_window_polled(&window, 40 * US, true);
	KUNIT_EXPECT_FALSE(test, window.over);
	hpoll_window_polled(&window, 50 * US, false);
	KUNIT_EXPECT_TRUE(test, window.over);
	KUNIT_EXPECT_EQ(test, window.period.length_ns, 120ULL * US);
}

static void window_holds_the_maximum(struct kunit *test)
{
	struct hpoll_params low = classic;
	struct hpoll_window window = { };

	live(&window, &classic, 60 * US);
	live(&window, &classic, 160 * US);
	live(&window, &classic, 290 * US);
	KUNIT_EXPECT_EQ(test, begin(&window, &classic), 200 * US);
	low.max_ns = 30 * US;
	KUNIT_EXPECT_EQ(test, begin(&window, &low), 30 * US);
	low.max_ns = 0;
	KUNIT_EXPECT_EQ(test, begin(&window, &low), 0U);
	low.policy = HPOLL_POLICY_ADAPTIVE;
	KUNIT_EXPECT_EQ(test, begin(&window, &low), 0U);
}

static void window_knows_the_cost(struct kunit *test)
{
	static const struct {
		u32 max_ns, halt_cost_ns, cost_ns;
	} costs[] = {
		{ 200 * US, 0, 200 * US },
		{ 200 * US, 600, 600 },
		{ 200 * US, 60 * US, 60 * US },
		{ 200 * US, 200 * US, 200 * US },
		{ 200 * US, U32_MAX, 200 * US },
		{ 0, 60 * US, 0 },
		{ U32_MAX, 0, U32_MAX },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		struct hpoll_params params = {
			.max_ns = costs[i].max_ns,
			.policy = HPOLL_POLICY_ADAPTIVE,
			.halt_cost_ns = costs[i].halt_cost_ns,
		};
		struct hpoll_window window = { };

		/* A fresh state waits for as long as a halt costs. */
		KUNIT_EXPECT_EQ_MSG(test, begin(&window, &params),
				    costs[i].cost_ns < HPOLL_ADAPTIVE_MAX_NS ?
				    costs[i].cost_ns : HPOLL_ADAPTIVE_MAX_NS, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, window.cost_ns, costs[i].cost_ns, "%u", i);
	}
}

/* Each period teaches the policy that it was begun under. */
static void window_switches_policies(struct kunit *test)
{
	struct hpoll_window window = { };

	live(&window, &classic, 60 * US);
	KUNIT_EXPECT_EQ(test, begin(&window, &adaptive), HPOLL_DEFAULT_MAX_NS);
	KUNIT_EXPECT_EQ(test, window.classic_ns, 50 * US);
	hpoll_window_polled(&window, 60 * US, false);
	KUNIT_EXPECT_EQ(test, begin(&window, &classic), 50 * US);
	KUNIT_EXPECT_EQ(test, (u32)window.adaptive.seen[0].total, 64U);
	hpoll_window_polled(&window, 50 * US, true);
	hpoll_window_halted(&window, 60 * US);
	begin(&window, &adaptive);
	KUNIT_EXPECT_EQ(test, window.classic_ns, 100 * US);
	KUNIT_EXPECT_EQ(test, (u32)window.adaptive.seen[0].total, 64U);
}

static void window_passes_on_what_is_known(struct kunit *test)
{
	struct hpoll_window window = { };

	live(&window, &adaptive, 5 * MS);
	live(&window, &adaptive, 5 * MS);
	live(&window, &adaptive, 5 * MS);
	live(&window, &adaptive, 5 * MS);
	KUNIT_EXPECT_EQ(test, hpoll_window_begin(&window, &adaptive, 100 * US, true), 125 * US);
	KUNIT_EXPECT_EQ(test, window.period.timer_ns, 100ULL * US);
	KUNIT_EXPECT_TRUE(test, window.period.duty);
	begin(&window, &adaptive);
	KUNIT_EXPECT_FALSE(test, window.period.duty);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(window_classic_sees_halts),
	KUNIT_CASE(window_adaptive_sees_periods),
	KUNIT_CASE(window_learns_at_begin),
	KUNIT_CASE(window_goes_on_after_a_poll),
	KUNIT_CASE(window_holds_the_maximum),
	KUNIT_CASE(window_knows_the_cost),
	KUNIT_CASE(window_switches_policies),
	KUNIT_CASE(window_passes_on_what_is_known),
	{}
};

static struct kunit_suite window_suite = {
	.name = "hpoll_window",
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
