// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window: idle periods put together from polls and halts, and who learns
 * what from them, and when.
 */

#include <kunit/test.h>

#include <hpoll/window.h>

#define US	1000U
#define MS	1000000U

static const struct hpoll_params classic = {
	HPOLL_MAINLINE_DEFAULTS,
};

static const struct hpoll_params adaptive = {
	HPOLL_MAINLINE_DEFAULTS,
	.policy = HPOLL_POLICY_ADAPTIVE,
	.budget_pct = 100,
};

static const struct hpoll_now nothing_known = {
	.now_ns = 1,
	.timer_ns = HPOLL_NO_TIMER,
	.event_ns = HPOLL_NO_TIMER,
};

static u32 begin(struct hpoll_window *window, const struct hpoll_params *params)
{
	return hpoll_window_begin(window, params, &nothing_known);
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
	hpoll_window_halted(window, length_ns - window_ns, true);
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
	struct hpoll_window window = { };
	struct hpoll_adaptive before;

	live(&window, &adaptive, 20 * US);
	begin(&window, &adaptive);
	before = window.adaptive;
	hpoll_window_polled(&window, 200 * US, true);
	hpoll_window_halted(&window, 5 * MS, true);
	KUNIT_EXPECT_TRUE(test, !memcmp(&window.adaptive, &before,
					sizeof(before)));
	begin(&window, &adaptive);
	KUNIT_EXPECT_FALSE(test, !memcmp(&window.adaptive, &before,
					 sizeof(before)));

	/* ... and only once. */
	before = window.adaptive;
	begin(&window, &adaptive);
	KUNIT_EXPECT_TRUE(test, !memcmp(&window.adaptive, &before,
					sizeof(before)));
}

/* The wake-up of a halt came before its end. */
static void window_knows_wake_ups(struct kunit *test)
{
	static const struct {
		u32 polled_ns, halted_ns, length_ns;
	} periods[] = {
		{ 0, 90 * US, 60 * US },
		{ 20 * US, 90 * US, 80 * US },
		{ 0, 50 * US, 25 * US },	/* never more than half */
		{ 0, 5 * US, 2500 },
	};
	/* Too large for the stack of a kernel that watches it. */
	static struct hpoll_window window;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		struct hpoll_now now = nothing_known;
		struct hpoll_adaptive direct = { };
		struct hpoll_period period = {
			.length_ns = periods[i].length_ns,
			.timer_ns = HPOLL_NO_TIMER,
		};

		memset(&window, 0, sizeof(window));
		now.wake_ns = 30 * US;
		period.window_ns = hpoll_window_begin(&window, &adaptive, &now);
		if (periods[i].polled_ns)
			hpoll_window_polled(&window, periods[i].polled_ns, true);
		hpoll_window_halted(&window, periods[i].halted_ns, true);
		hpoll_window_begin(&window, &adaptive, &now);
		hpoll_adaptive_observe(&direct, window.cost_ns, &period);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&window.adaptive, &direct, sizeof(direct)), 0,
				    "%u", i);
		/* What is counted is what was. */
		KUNIT_EXPECT_EQ_MSG(test, window.counts.halted_ns, (u64)periods[i].halted_ns, "%u",
				    i);
	}
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

/* Nor is a halt that nothing but a timer interrupt ended which was foreseen. */
static void window_goes_on_after_a_tick(struct kunit *test)
{
	static const struct {
		u32 halted_ns;
		bool work, goes_on;
	} halts[] = {
		{ 999 * US, false, false },	/* too early: something else */
		{ 1000 * US, false, true },
		{ 1110 * US, false, true },	/* late by two wake-ups and some more */
		{ 1111 * US, false, false },
		{ 1000 * US, true, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(halts); i++) {
		struct hpoll_now now = nothing_known;
		struct hpoll_window window = { };

		now.event_ns = MS;
		now.wake_ns = 30 * US;
		hpoll_window_begin(&window, &adaptive, &now);
		hpoll_window_halted(&window, halts[i].halted_ns, halts[i].work);
		KUNIT_EXPECT_EQ_MSG(test, hpoll_window_goes_on(&window), halts[i].goes_on, "%u", i);
		if (!halts[i].goes_on)
			continue;
		/* The rest belongs to it. */
		hpoll_window_halted(&window, 7 * MS, true);
		KUNIT_EXPECT_EQ_MSG(test, hpoll_window_goes_on(&window), false, "%u", i);
		begin(&window, &adaptive);
		KUNIT_EXPECT_EQ_MSG(test, window.counts.halts, 1ULL, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, window.counts.halted_ns, halts[i].halted_ns + 7ULL * MS,
				    "%u", i);
		/* The classic rule sees each halt for itself. */
		hpoll_window_begin(&window, &classic, &now);
		hpoll_window_halted(&window, halts[i].halted_ns, halts[i].work);
		KUNIT_EXPECT_EQ_MSG(test, hpoll_window_goes_on(&window), false, "%u", i);
	}
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
		u32 max_ns, halt_cost_ns, measured_ns, cost_ns;
	} costs[] = {
		{ 200 * US, 0, 0, 200 * US },
		{ 200 * US, 600, 0, 600 },
		{ 200 * US, 60 * US, 0, 60 * US },
		{ 200 * US, 200 * US, 0, 200 * US },
		{ 200 * US, U32_MAX, 0, 200 * US },
		{ 200 * US, 0, 600, 4800 },
		{ 200 * US, 0, 24 * US, 192 * US },
		{ 200 * US, 0, 26 * US, 200 * US },
		{ U32_MAX, 0, U32_MAX, U32_MAX },
		{ 200 * US, 0, U32_MAX, 200 * US },
		{ 200 * US, 60 * US, 600, 60 * US },
		{ 0, 60 * US, 0, 0 },
		{ 0, 0, 60 * US, 0 },
		{ U32_MAX, 0, 0, U32_MAX },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		struct hpoll_params params = {
			.max_ns = costs[i].max_ns,
			.policy = HPOLL_POLICY_ADAPTIVE,
			.halt_cost_ns = costs[i].halt_cost_ns,
			.budget_pct = 1,
		};
		struct hpoll_now now = {
			.now_ns = 1,
			.timer_ns = HPOLL_NO_TIMER,
			.event_ns = HPOLL_NO_TIMER,
			.wake_ns = costs[i].measured_ns,
		};
		struct hpoll_window window = { };

		/* A fresh state waits for as long as a halt costs. */
		KUNIT_EXPECT_EQ_MSG(test, hpoll_window_begin(&window, &params, &now),
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
	hpoll_window_halted(&window, 60 * US, true);
	begin(&window, &adaptive);
	KUNIT_EXPECT_EQ(test, window.classic_ns, 100 * US);
	KUNIT_EXPECT_EQ(test, (u32)window.adaptive.seen[0].total, 64U);
}

static void window_passes_on_what_is_known(struct kunit *test)
{
	struct hpoll_now now = { .now_ns = 1, .timer_ns = 100 * US, .event_ns = HPOLL_NO_TIMER,
				 .duty = true };
	struct hpoll_window window = { };

	live(&window, &adaptive, 5 * MS);
	live(&window, &adaptive, 5 * MS);
	live(&window, &adaptive, 5 * MS);
	live(&window, &adaptive, 5 * MS);
	KUNIT_EXPECT_EQ(test, hpoll_window_begin(&window, &adaptive, &now), 125 * US);
	KUNIT_EXPECT_EQ(test, window.period.timer_ns, 100ULL * US);
	KUNIT_EXPECT_TRUE(test, window.period.duty);
	begin(&window, &adaptive);
	KUNIT_EXPECT_FALSE(test, window.period.duty);
}

/* What the budget does not allow for as a whole is not begun. */
static void window_keeps_to_the_budget(struct kunit *test)
{
	struct hpoll_now now = nothing_known;
	struct hpoll_params params = adaptive;
	struct hpoll_window window = { };

	params.budget_pct = 1;
	KUNIT_EXPECT_EQ(test, begin(&window, &params), 200 * US);
	window.budget.left_ns = 200 * US - 1;
	KUNIT_EXPECT_EQ(test, begin(&window, &params), 0U);
	KUNIT_EXPECT_EQ(test, window.counts.refused, 1ULL);
	/* Time fills it again. */
	now.now_ns += MS;
	KUNIT_EXPECT_EQ(test, hpoll_window_begin(&window, &params, &now), 200 * US);
	KUNIT_EXPECT_EQ(test, window.counts.refused, 1ULL);
	/* The classic rule knows no budget. */
	window.budget.left_ns = 0;
	window.classic_ns = 200 * US;
	KUNIT_EXPECT_EQ(test, begin(&window, &classic), 200 * US);
}

static void window_pays_the_budget(struct kunit *test)
{
	static const struct {
		u64 length_ns;
		s64 change_ns;
	} periods[] = {
		{ 100 * US, 200 * US },		/* saved a halt */
		{ 5 * MS, -200 * (s64)US },	/* polled in vain */
	};
	struct hpoll_window window = { };
	u32 i, before_ns;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		begin(&window, &adaptive);
		window.adaptive = (struct hpoll_adaptive) { };
		window.budget.left_ns = 600 * US;
		live(&window, &adaptive, periods[i].length_ns);
		before_ns = window.budget.left_ns;
		begin(&window, &adaptive);
		KUNIT_EXPECT_EQ_MSG(test, (s64)window.budget.left_ns - before_ns,
				    periods[i].change_ns, "%u", i);
	}
}

/* Polling that a latency limit demands is no attempt that failed. */
static void window_duty_costs_no_budget(struct kunit *test)
{
	struct hpoll_now now = nothing_known;
	struct hpoll_window window = { };

	now.duty = true;
	hpoll_window_begin(&window, &adaptive, &now);
	hpoll_window_polled(&window, 200 * US, true);
	hpoll_window_halted(&window, 300 * US, true);
	begin(&window, &adaptive);
	KUNIT_EXPECT_EQ(test, window.budget.left_ns, HPOLL_BUDGET_HALTS * 200 * US);
}

/* A poll that took longer than it could was interrupted by the host. */
static void window_notices_preemption(struct kunit *test)
{
	static const struct {
		u32 polled_ns;
		bool timed_out, preempted;
	} polls[] = {
		{ 200 * US, false, false },
		{ 201 * US, true, false },
		{ 500 * US, true, false },	/* window, cost and some interrupts */
		{ 501 * US, true, true },
		{ 3 * MS, false, true },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(polls); i++) {
		struct hpoll_window window = { };

		begin(&window, &adaptive);
		hpoll_window_polled(&window, polls[i].polled_ns, polls[i].timed_out);
		if (polls[i].timed_out)
			hpoll_window_halted(&window, 20 * US, true);
		begin(&window, &adaptive);
		KUNIT_EXPECT_EQ_MSG(test, window.counts.preempted, (u64)polls[i].preempted, "%u",
				    i);
		KUNIT_EXPECT_EQ_MSG(test, window.counts.polled_ns,
				    polls[i].preempted ? 200ULL * US : polls[i].polled_ns, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, window.budget.lost_ns,
				    polls[i].preempted ? polls[i].polled_ns - 200 * US : 0ULL,
				    "%u", i);
		/* The next period is another one. */
		hpoll_window_polled(&window, US, false);
		begin(&window, &adaptive);
		KUNIT_EXPECT_EQ_MSG(test, window.counts.preempted, (u64)polls[i].preempted, "%u",
				    i);
	}
}

static void window_asks_for_timers(struct kunit *test)
{
	struct hpoll_window window = { };
	u32 i;

	for (i = 0; i < HPOLL_HITS_WITHOUT_TIMERS; i++) {
		KUNIT_EXPECT_TRUE(test, hpoll_window_wants_timers(&window));
		begin(&window, &adaptive);
		hpoll_window_polled(&window, 20 * US, false);
		begin(&window, &adaptive);
	}
	KUNIT_EXPECT_FALSE(test, hpoll_window_wants_timers(&window));
	hpoll_window_halted(&window, 5 * MS, true);
	begin(&window, &adaptive);
	KUNIT_EXPECT_TRUE(test, hpoll_window_wants_timers(&window));
}

static void window_counts(struct kunit *test)
{
	struct hpoll_window window = { };
	struct hpoll_counts *counts = &window.counts;

	live(&window, &adaptive, 20 * US);
	KUNIT_EXPECT_EQ(test, counts->hits, 0ULL);
	live(&window, &adaptive, 30 * US);
	KUNIT_EXPECT_EQ(test, counts->hits, 1ULL);
	KUNIT_EXPECT_EQ(test, counts->polled_ns, 20ULL * US);
	begin(&window, &adaptive);
	hpoll_window_polled(&window, 40 * US, true);
	hpoll_window_halted(&window, 5 * MS, true);
	begin(&window, &adaptive);
	hpoll_window_halted(&window, 7 * MS, true);
	begin(&window, &classic);
	KUNIT_EXPECT_EQ(test, counts->hits, 2ULL);
	KUNIT_EXPECT_EQ(test, counts->misses, 1ULL);
	KUNIT_EXPECT_EQ(test, counts->halts, 2ULL);
	KUNIT_EXPECT_EQ(test, counts->polled_ns, 90ULL * US);
	KUNIT_EXPECT_EQ(test, counts->vain_ns, 40ULL * US);
	KUNIT_EXPECT_EQ(test, counts->halted_ns, 12ULL * MS);

	/* What was learned is forgotten, what was counted is not. */
	hpoll_window_reset(&window);
	KUNIT_EXPECT_EQ(test, counts->halts, 2ULL);
	KUNIT_EXPECT_EQ(test, (u32)window.adaptive.seen[0].total, 0U);
	KUNIT_EXPECT_EQ(test, window.budget.filled_ns, 0ULL);
}

/* guest_halt_poll_ns=0 for a while: afterwards it goes on as before. */
static void window_is_switched_off_and_on(struct kunit *test)
{
	struct hpoll_params off = adaptive;
	struct hpoll_window window = { };
	u32 window_ns, left_ns, i;

	off.max_ns = 0;
	for (i = 0; i < 300; i++)
		live(&window, &adaptive, 30 * US);
	window_ns = begin(&window, &adaptive);
	left_ns = window.budget.left_ns;
	KUNIT_EXPECT_GE(test, window_ns, 30 * US);
	hpoll_window_polled(&window, 30 * US, false);
	for (i = 0; i < 300; i++) {
		live(&window, &off, 30 * US);
		KUNIT_EXPECT_EQ(test, window.period.window_ns, 0U);
	}
	KUNIT_EXPECT_EQ(test, begin(&window, &adaptive), window_ns);
	KUNIT_EXPECT_GE(test, window.budget.left_ns, left_ns);
}

/* Every length has its place, and is in it what it is said to be. */
static void window_counts_lengths(struct kunit *test)
{
	static const struct {
		u64 length_ns;
		u32 index;
	} periods[] = {
		{ 0, 0 },
		{ 1, 0 },
		{ 1023, 0 },
		{ 1024, 1 },
		{ 2047, 1 },
		{ 2048, 2 },
		{ 200 * US, 8 },
		{ MS, 10 },
		{ (1ULL << 31) - 1, 21 },
		{ 1ULL << 31, 22 },
		{ (1ULL << 32) - 1, 22 },
		{ 1ULL << 32, 23 },
		{ U64_MAX, 23 },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		struct hpoll_window window = { };
		u32 index = periods[i].index;

		begin(&window, &classic);
		hpoll_window_halted(&window, periods[i].length_ns, true);
		begin(&window, &classic);
		for (j = 0; j < HPOLL_LENGTHS; j++)
			KUNIT_EXPECT_EQ_MSG(test, window.counts.lengths[j], (u64)(j == index),
					    "period %u, count %u", i, j);
		KUNIT_EXPECT_LE_MSG(test, hpoll_lengths_from_ns(index), periods[i].length_ns,
				    "period %u", i);
		if (index + 1 < HPOLL_LENGTHS)
			KUNIT_EXPECT_LE_MSG(test, periods[i].length_ns + 1,
					    hpoll_lengths_from_ns(index + 1), "period %u", i);
	}
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(window_classic_sees_halts),
	KUNIT_CASE(window_adaptive_sees_periods),
	KUNIT_CASE(window_learns_at_begin),
	KUNIT_CASE(window_knows_wake_ups),
	KUNIT_CASE(window_goes_on_after_a_poll),
	KUNIT_CASE(window_goes_on_after_a_tick),
	KUNIT_CASE(window_holds_the_maximum),
	KUNIT_CASE(window_knows_the_cost),
	KUNIT_CASE(window_switches_policies),
	KUNIT_CASE(window_passes_on_what_is_known),
	KUNIT_CASE(window_keeps_to_the_budget),
	KUNIT_CASE(window_pays_the_budget),
	KUNIT_CASE(window_duty_costs_no_budget),
	KUNIT_CASE(window_notices_preemption),
	KUNIT_CASE(window_asks_for_timers),
	KUNIT_CASE(window_counts),
	KUNIT_CASE(window_is_switched_off_and_on),
	KUNIT_CASE(window_counts_lengths),
	{}
};

static struct kunit_suite window_suite = {
	.name = "hpoll_window",
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
