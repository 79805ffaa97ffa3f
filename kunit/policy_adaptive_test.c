// SPDX-License-Identifier: GPL-2.0-only
/*
 * The adaptive policy: single decisions, what it learns from patterns, and the
 * bound that it keeps.
 */

#include <kunit/test.h>

#include <hpoll/policy_adaptive.h>

#define US	1000U
#define MS	1000000U
#define SECOND	1000000000ULL

/* guest_halt_poll_ns' default, as if a halt cost that. */
#define COST	(200 * US)

static u64 optimum_ns(u64 length_ns, u32 cost_ns)
{
	return length_ns < cost_ns ? length_ns : cost_ns;
}

/* One period: what it cost. */
static u64 live(struct hpoll_adaptive *adaptive, u32 cost_ns, u64 length_ns,
		u64 timer_ns)
{
	struct hpoll_period period = {
		.length_ns = length_ns,
		.window_ns = hpoll_adaptive_window_ns(adaptive, cost_ns, timer_ns),
		.timer_ns = timer_ns,
	};

	hpoll_adaptive_observe(adaptive, cost_ns, &period);
	return length_ns <= period.window_ns ? length_ns :
					       (u64)period.window_ns + cost_ns;
}

static void live_often(struct hpoll_adaptive *adaptive, u32 cost_ns,
		       u64 length_ns, u32 times)
{
	while (times--)
		live(adaptive, cost_ns, length_ns, HPOLL_NO_TIMER);
}

/* A decision alone: the room that the guard leaves, what was learnt, the window. */
struct decision {
	const char *name;
	u32 allowance_ns;
	u32 learnt_ns;
	u32 cost_ns;
	u64 timer_ns;
	u32 window_ns;
};

static const struct decision decisions[] = {
	{ "a fresh state waits as long as a halt costs", 0, 0, COST, HPOLL_NO_TIMER, COST },
	{ "what was learnt", COST, 30 * US, COST, HPOLL_NO_TIMER, 30 * US },
	{ "nothing, if that was learnt", COST, 0, COST, HPOLL_NO_TIMER, 0 },
	{ "never longer than a halt costs", COST, 300 * US, COST, HPOLL_NO_TIMER, COST },
	{ "the guard wants more", COST - 50 * US, 30 * US, COST, HPOLL_NO_TIMER, 50 * US },
	{ "the guard wants less", COST - 20 * US, 30 * US, COST, HPOLL_NO_TIMER, 30 * US },
	{ "more room than a halt costs", 4 * COST, 0, COST, HPOLL_NO_TIMER, 0 },

	{ "a halt that costs nothing", 0, 30 * US, 0, HPOLL_NO_TIMER, 0 },
	{ "a halt that costs nothing, and a timer", 0, 30 * US, 0, 0, 0 },
	{ "a halt that costs 511 ns", 0, 0, 511, HPOLL_NO_TIMER, 0 },
	{ "a halt that costs 512 ns", 0, 0, 512, HPOLL_NO_TIMER, 512 },
	{ "a halt that costs more than any bucket", 0, 0, U32_MAX, HPOLL_NO_TIMER,
	  HPOLL_ADAPTIVE_MAX_NS },

	{ "a timer due now", COST, 0, COST, 0, COST / 8 },
	{ "a timer within reach is waited for", COST, 0, COST, 100 * US, 125 * US },
	{ "the last timer within reach", COST, 0, COST, COST - COST / 8 - 1, COST - 1 },
	{ "the first timer out of reach", COST, 0, COST, COST - COST / 8, 0 },
	{ "a far timer", COST, 30 * US, COST, SECOND, 30 * US },
	{ "the guard does not trust timers", 0, 0, COST, 100 * US, COST },
};

static void decision_name(const struct decision *decision, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", decision->name);
}

KUNIT_ARRAY_PARAM(decision, decisions, decision_name);

static void adaptive_decides(struct kunit *test)
{
	const struct decision *d = test->param_value;
	u32 past;

	for (past = 0; past < HPOLL_ADAPTIVE_CONTEXTS; past++) {
		struct hpoll_adaptive adaptive = {
			.past = past,
			.allowance_ns = d->allowance_ns,
		};

		adaptive.seen[past].window_ns = d->learnt_ns;
		KUNIT_EXPECT_EQ(test, d->window_ns,
				hpoll_adaptive_window_ns(&adaptive, d->cost_ns, d->timer_ns));
	}
}

/* A pattern of lengths that comes again and again, and what it may cost then. */
struct pattern {
	const char *name;
	u32 lengths_ns[24];
	/* Thousandths of the optimum, once 200 periods were seen. */
	u32 most_permille;
};

static const struct pattern patterns[] = {
	{ "always short", { 20 * US }, 1000 },
	{ "always just past classic's grow_start", { 58 * US }, 1000 },
	{ "always far too long", { 4 * MS }, 1000 },
	{ "always as long as a halt costs", { COST }, 1000 },
	{ "a little less than a halt costs", { COST - 10 * US }, 1060 },
	{ "alternating", { 15 * US, 1 * MS }, 1000 },
	{ "two of three are short", { 30 * US, 30 * US, 3 * MS }, 1000 },
	{ "two of three are long", { 30 * US, 3 * MS, 3 * MS }, 1000 },
	{ "short ones of two lengths", { 10 * US, 60 * US }, 1000 },
	{ "three short ones, then a long one: the past says half of it",
	  { 20 * US, 20 * US, 20 * US, 3 * MS }, 1100 },
	{ "phases of six", { 50 * US, 50 * US, 50 * US, 50 * US, 50 * US, 50 * US,
			     5 * MS, 5 * MS, 5 * MS, 5 * MS, 5 * MS, 5 * MS }, 1150 },
};

static void pattern_name(const struct pattern *pattern, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", pattern->name);
}

KUNIT_ARRAY_PARAM(pattern, patterns, pattern_name);

static void adaptive_learns(struct kunit *test)
{
	const struct pattern *p = test->param_value;
	struct hpoll_adaptive adaptive = { };
	u64 cost = 0, optimum = 0;
	u32 count = 0, i;

	while (count < ARRAY_SIZE(p->lengths_ns) && p->lengths_ns[count])
		count++;
	for (i = 0; i < 2200; i++) {
		u64 length_ns = p->lengths_ns[i % count];
		u64 one = live(&adaptive, COST, length_ns, HPOLL_NO_TIMER);

		if (i < 200)
			continue;
		cost += one;
		optimum += optimum_ns(length_ns, COST);
	}
	KUNIT_EXPECT_LE(test, cost * 1000, optimum * p->most_permille);
}

/* A length next to each edge of each bucket is covered once it is known. */
static void adaptive_covers_every_length(struct kunit *test)
{
	u32 octave, quarter, length_ns;

	for (octave = 2; octave < HPOLL_ADAPTIVE_SHIFT + HPOLL_ADAPTIVE_OCTAVES - 1; octave++) {
		for (quarter = 4; quarter < 8; quarter++) {
			u32 edge_ns = quarter << (octave - 2);

			for (length_ns = edge_ns - 1; length_ns <= edge_ns + 1; length_ns++) {
				struct hpoll_adaptive adaptive = { };
				u32 window_ns;

				live_often(&adaptive, HPOLL_ADAPTIVE_MAX_NS, length_ns, 100);
				/* What was learnt, without the guard. */
				adaptive.allowance_ns = HPOLL_ADAPTIVE_MAX_NS;
				window_ns = hpoll_adaptive_window_ns(&adaptive,
								     HPOLL_ADAPTIVE_MAX_NS,
								     HPOLL_NO_TIMER);
				KUNIT_EXPECT_GE_MSG(test, window_ns, length_ns, "%u ns",
						    length_ns);
				/* The end of the bucket behind; the first holds all below 512. */
				KUNIT_EXPECT_LE_MSG(test, window_ns,
						    768 + length_ns + length_ns / 2, "%u ns",
						    length_ns);
			}
		}
	}
}

static void adaptive_takes_any_length(struct kunit *test)
{
	static const u64 lengths_ns[] = {
		0, 1, 511, 512, HPOLL_ADAPTIVE_MAX_NS - 1, HPOLL_ADAPTIVE_MAX_NS,
		HPOLL_ADAPTIVE_MAX_NS + 1ULL, U32_MAX, U32_MAX + 1ULL, U64_MAX - 1, U64_MAX,
	};
	static const u32 costs_ns[] = {
		0, 1, 2, 7, 8, 511, 512, 640, COST, HPOLL_ADAPTIVE_MAX_NS - 1,
		HPOLL_ADAPTIVE_MAX_NS, HPOLL_ADAPTIVE_MAX_NS + 1, U32_MAX,
	};
	struct hpoll_adaptive adaptive = { };
	u32 i, j, k;

	/* The cost may change at any time. */
	for (i = 0; i < ARRAY_SIZE(lengths_ns); i++) {
		for (j = 0; j < ARRAY_SIZE(costs_ns); j++) {
			for (k = 0; k < ARRAY_SIZE(lengths_ns); k++) {
				live(&adaptive, costs_ns[j], lengths_ns[i], lengths_ns[k]);
				live(&adaptive, costs_ns[j], lengths_ns[i], HPOLL_NO_TIMER);
				KUNIT_EXPECT_LE(test,
						hpoll_adaptive_window_ns(&adaptive, costs_ns[j],
									 lengths_ns[k]),
						costs_ns[j]);
			}
		}
	}
}

static void adaptive_forgets(struct kunit *test)
{
	struct hpoll_adaptive adaptive = { };
	u32 i;

	/* However often something was seen, a change is noticed soon. */
	live_often(&adaptive, COST, 20 * US, 1000000);
	for (i = 0; i < 100 && hpoll_adaptive_window_ns(&adaptive, COST, HPOLL_NO_TIMER); i++)
		live(&adaptive, COST, 5 * MS, HPOLL_NO_TIMER);
	KUNIT_EXPECT_LE(test, i, 4U);

	live_often(&adaptive, COST, 5 * MS, 1000000);
	for (i = 0; i < 100; i++)
		if (live(&adaptive, COST, 20 * US, HPOLL_NO_TIMER) == 20 * US)
			break;
	KUNIT_EXPECT_LE(test, i, 4U);

	/* Within the present kind of past, too: the memory is of 64 periods. */
	live_often(&adaptive, COST, 20 * US, 1000000);
	for (i = 0; i < 200; i++)
		if (live(&adaptive, COST, 100 * US, HPOLL_NO_TIMER) == 100 * US)
			break;
	KUNIT_EXPECT_LE(test, i, 64U);
}

static void adaptive_timers_teach_nothing_else(struct kunit *test)
{
	struct hpoll_adaptive adaptive = { };
	u32 i;

	live_often(&adaptive, COST, 5 * MS, 100);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, live(&adaptive, COST, 50 * US, 50 * US), 50 * US);
	KUNIT_EXPECT_EQ(test, hpoll_adaptive_window_ns(&adaptive, COST, HPOLL_NO_TIMER), 0U);
}

/* A millisecond's sleeper: known to be far, nothing comes before. */
static void adaptive_far_timers_are_not_polled_for(struct kunit *test)
{
	struct hpoll_adaptive adaptive = { };
	u64 polled_ns = 0;
	u32 i;

	for (i = 0; i < 1000; i++)
		polled_ns += live(&adaptive, COST, 1 * MS, 1 * MS) - COST;
	/* At first only. */
	KUNIT_EXPECT_LE(test, polled_ns, 3ULL * COST);
}

/* Near timers are waited for as long as they have been late lately, or not at all. */
static void adaptive_learns_how_late_timers_are(struct kunit *test)
{
	static const struct {
		u32 late_ns, least_ns, most_ns;
	} cases[] = {
		{ 0, 75 * US, 75 * US },
		{ 20 * US, 90 * US, 95 * US },
		{ 80 * US, 150 * US, 155 * US },
		{ 150 * US, 0, 0 },		/* too late for a wait to pay off */
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hpoll_adaptive adaptive = { };
		u32 window_ns = 0;

		live_often(&adaptive, COST, 5 * MS, 100);
		for (j = 0; j < 100; j++) {
			window_ns = hpoll_adaptive_window_ns(&adaptive, COST, 50 * US);
			live(&adaptive, COST, 50 * US + cases[i].late_ns, 50 * US);
		}
		KUNIT_EXPECT_GE_MSG(test, window_ns, cases[i].least_ns, "%u", i);
		KUNIT_EXPECT_LE_MSG(test, window_ns, cases[i].most_ns, "%u", i);
		/* Ended before: says nothing about timers. */
		if (!window_ns)
			continue;
		for (j = 0; j < 100; j++)
			live(&adaptive, COST, 10 * US, 50 * US);
		KUNIT_EXPECT_EQ_MSG(test, hpoll_adaptive_window_ns(&adaptive, COST, 50 * US),
				    window_ns, "%u", i);
	}
}

static void adaptive_duty_is_no_choice(struct kunit *test)
{
	struct hpoll_adaptive adaptive = { };
	struct hpoll_period duty = {
		.length_ns = SECOND,
		.window_ns = U32_MAX,
		.timer_ns = HPOLL_NO_TIMER,
		.duty = true,
	};
	u32 i, room_ns;

	live_often(&adaptive, COST, 5 * MS, 100);
	room_ns = adaptive.allowance_ns;
	for (i = 0; i < 100; i++)
		hpoll_adaptive_observe(&adaptive, COST, &duty);
	KUNIT_EXPECT_EQ(test, room_ns, adaptive.allowance_ns);
	KUNIT_EXPECT_EQ(test, hpoll_adaptive_window_ns(&adaptive, COST, HPOLL_NO_TIMER), 0U);
}

/* guest_halt_poll_ns=0 for a while: what was known before is known after. */
static void adaptive_learns_nothing_while_off(struct kunit *test)
{
	struct hpoll_adaptive adaptive = { };
	u32 window_ns;

	live_often(&adaptive, COST, 30 * US, 300);
	window_ns = hpoll_adaptive_window_ns(&adaptive, COST, HPOLL_NO_TIMER);
	KUNIT_EXPECT_GE(test, window_ns, 30 * US);
	live_often(&adaptive, 0, 30 * US, 1000);
	live_often(&adaptive, 511, 30 * US, 1000);
	KUNIT_EXPECT_EQ(test, window_ns,
			hpoll_adaptive_window_ns(&adaptive, COST, HPOLL_NO_TIMER));
}

/* Whoever knows the window can do no worse than this. */
static u64 worst_length_ns(u32 way, u32 round, u32 window_ns)
{
	switch (way) {
	case 0:
		return window_ns + 1ULL;
	case 1:
		return window_ns < COST ? window_ns + 1ULL : 1;
	case 2:
		return window_ns > COST / 2 ? window_ns + 1ULL : 1;
	case 3:
		return window_ns ? window_ns + 1ULL : 1;
	case 4:
		return round % 2 ? window_ns + 1ULL : 5ULL * MS;
	default:
		return round % 16 ? window_ns + 1ULL : 5ULL * MS;
	}
}

static void adaptive_guards(struct kunit *test)
{
	u32 way, round;

	for (way = 0; way < 6; way++) {
		struct hpoll_adaptive adaptive = { };
		u64 cost = 0, optimum = 0;

		for (round = 0; round < 10000; round++) {
			u32 window_ns = hpoll_adaptive_window_ns(&adaptive, COST,
								 HPOLL_NO_TIMER);
			u64 length_ns = worst_length_ns(way, round, window_ns);

			cost += live(&adaptive, COST, length_ns, HPOLL_NO_TIMER);
			optimum += optimum_ns(length_ns, COST);
			KUNIT_EXPECT_LE_MSG(test, cost * 10, optimum * 22, "way %u, round %u",
					    way, round);
		}
	}
}

static struct kunit_case policy_adaptive_cases[] = {
	KUNIT_CASE_PARAM(adaptive_decides, decision_gen_params),
	KUNIT_CASE_PARAM(adaptive_learns, pattern_gen_params),
	KUNIT_CASE(adaptive_covers_every_length),
	KUNIT_CASE(adaptive_takes_any_length),
	KUNIT_CASE(adaptive_forgets),
	KUNIT_CASE(adaptive_timers_teach_nothing_else),
	KUNIT_CASE(adaptive_far_timers_are_not_polled_for),
	KUNIT_CASE(adaptive_learns_how_late_timers_are),
	KUNIT_CASE(adaptive_duty_is_no_choice),
	KUNIT_CASE(adaptive_learns_nothing_while_off),
	KUNIT_CASE(adaptive_guards),
	{}
};

static struct kunit_suite policy_adaptive_suite = {
	.name = "hpoll_policy_adaptive",
	.test_cases = policy_adaptive_cases,
};

kunit_test_suite(policy_adaptive_suite);
