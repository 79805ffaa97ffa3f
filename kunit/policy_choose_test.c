// SPDX-License-Identifier: GPL-2.0-only
/*
 * Poll or halt: the whole decision table.
 */

#include <kunit/test.h>

#include <hpoll/policy.h>

/* A window and a latency limit that are neither 0 nor round. */
#define WINDOW	54321U
#define LIMIT	1234LL

enum answer { POLL, HALT };

struct decision {
	s64 latency_ns;
	u32 window_ns;
	bool can_poll;
	bool can_halt;
	bool polled_last;
	bool timed_out;
	enum answer answer;
};

/*
 * Every combination, written out, not computed: choose_table_complete() below
 * makes sure that none is missing.
 */
static const struct decision decisions[] = {
	/* limit, window, can poll, can halt, polled last, timed out */
	/* A latency limit of 0 forbids every halt. */
	{ 0, 0, 1, 1, 0, 0, POLL },
	{ 0, 0, 1, 1, 0, 1, POLL },
	{ 0, 0, 1, 1, 1, 0, POLL },
	{ 0, 0, 1, 1, 1, 1, POLL },
	{ 0, WINDOW, 1, 1, 0, 0, POLL },
	{ 0, WINDOW, 1, 1, 0, 1, POLL },
	{ 0, WINDOW, 1, 1, 1, 0, POLL },
	{ 0, WINDOW, 1, 1, 1, 1, POLL },

	/* ... whatever else is usable, */
	{ 0, 0, 1, 0, 0, 0, POLL },
	{ 0, 0, 1, 0, 0, 1, POLL },
	{ 0, 0, 1, 0, 1, 0, POLL },
	{ 0, 0, 1, 0, 1, 1, POLL },
	{ 0, WINDOW, 1, 0, 0, 0, POLL },
	{ 0, WINDOW, 1, 0, 0, 1, POLL },
	{ 0, WINDOW, 1, 0, 1, 0, POLL },
	{ 0, WINDOW, 1, 0, 1, 1, POLL },

	/* ... and even where polling was disabled. */
	{ 0, 0, 0, 1, 0, 0, POLL },
	{ 0, 0, 0, 1, 0, 1, POLL },
	{ 0, 0, 0, 1, 1, 0, POLL },
	{ 0, 0, 0, 1, 1, 1, POLL },
	{ 0, WINDOW, 0, 1, 0, 0, POLL },
	{ 0, WINDOW, 0, 1, 0, 1, POLL },
	{ 0, WINDOW, 0, 1, 1, 0, POLL },
	{ 0, WINDOW, 0, 1, 1, 1, POLL },

	{ 0, 0, 0, 0, 0, 0, POLL },
	{ 0, 0, 0, 0, 0, 1, POLL },
	{ 0, 0, 0, 0, 1, 0, POLL },
	{ 0, 0, 0, 0, 1, 1, POLL },
	{ 0, WINDOW, 0, 0, 0, 0, POLL },
	{ 0, WINDOW, 0, 0, 0, 1, POLL },
	{ 0, WINDOW, 0, 0, 1, 0, POLL },
	{ 0, WINDOW, 0, 0, 1, 1, POLL },

	/* No polling: halt. */
	{ LIMIT, 0, 0, 1, 0, 0, HALT },
	{ LIMIT, 0, 0, 1, 0, 1, HALT },
	{ LIMIT, 0, 0, 1, 1, 0, HALT },
	{ LIMIT, 0, 0, 1, 1, 1, HALT },
	{ LIMIT, WINDOW, 0, 1, 0, 0, HALT },
	{ LIMIT, WINDOW, 0, 1, 0, 1, HALT },
	{ LIMIT, WINDOW, 0, 1, 1, 0, HALT },
	{ LIMIT, WINDOW, 0, 1, 1, 1, HALT },

	/* Neither: halt. */
	{ LIMIT, 0, 0, 0, 0, 0, HALT },
	{ LIMIT, 0, 0, 0, 0, 1, HALT },
	{ LIMIT, 0, 0, 0, 1, 0, HALT },
	{ LIMIT, 0, 0, 0, 1, 1, HALT },
	{ LIMIT, WINDOW, 0, 0, 0, 0, HALT },
	{ LIMIT, WINDOW, 0, 0, 0, 1, HALT },
	{ LIMIT, WINDOW, 0, 0, 1, 0, HALT },
	{ LIMIT, WINDOW, 0, 0, 1, 1, HALT },

	/* No halting: poll, whatever the window and the last state say. */
	{ LIMIT, 0, 1, 0, 0, 0, POLL },
	{ LIMIT, 0, 1, 0, 0, 1, POLL },
	{ LIMIT, 0, 1, 0, 1, 0, POLL },
	{ LIMIT, 0, 1, 0, 1, 1, POLL },
	{ LIMIT, WINDOW, 1, 0, 0, 0, POLL },
	{ LIMIT, WINDOW, 1, 0, 0, 1, POLL },
	{ LIMIT, WINDOW, 1, 0, 1, 0, POLL },
	{ LIMIT, WINDOW, 1, 0, 1, 1, POLL },

	/* Both: the window decides, and a poll in vain is followed by a halt. */
	{ LIMIT, 0, 1, 1, 0, 0, HALT },
	{ LIMIT, 0, 1, 1, 0, 1, HALT },
	{ LIMIT, 0, 1, 1, 1, 0, HALT },
	{ LIMIT, 0, 1, 1, 1, 1, HALT },
	{ LIMIT, WINDOW, 1, 1, 0, 0, POLL },
	{ LIMIT, WINDOW, 1, 1, 0, 1, POLL },
	{ LIMIT, WINDOW, 1, 1, 1, 0, POLL },
	{ LIMIT, WINDOW, 1, 1, 1, 1, HALT },
};

static void decision_name(const struct decision *d, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "limit=%lld window=%u poll=%d halt=%d polled=%d timeout=%d",
		 (long long)d->latency_ns, d->window_ns, d->can_poll,
		 d->can_halt, d->polled_last, d->timed_out);
}

KUNIT_ARRAY_PARAM(decision, decisions, decision_name);

static struct hpoll_choice choose(const struct decision *d, bool timer_is_near)
{
	struct hpoll_idle idle = {
		.latency_ns = d->latency_ns,
		.window_ns = d->window_ns,
		.can_poll = d->can_poll,
		.can_halt = d->can_halt,
		.polled_last = d->polled_last,
		.timed_out = d->timed_out,
		.timer_is_near = timer_is_near,
	};

	return hpoll_choose(&idle);
}

static void expect_with_timer(struct kunit *test, const struct decision *d, bool timer_is_near)
{
	struct hpoll_choice choice = choose(d, timer_is_near);

	if (d->answer == POLL) {
		KUNIT_EXPECT_TRUE(test, choice.poll);
		KUNIT_EXPECT_FALSE(test, choice.stop_tick);
		KUNIT_EXPECT_EQ(test, d->window_ns, choice.poll_ns);
	} else {
		KUNIT_EXPECT_FALSE(test, choice.poll);
		KUNIT_EXPECT_EQ(test, choice.stop_tick, !timer_is_near);
		KUNIT_EXPECT_EQ(test, 0U, choice.poll_ns);
	}
}

/* A timer that is near decides about the tick alone. */
static void expect_answer(struct kunit *test, const struct decision *d)
{
	expect_with_timer(test, d, false);
	expect_with_timer(test, d, true);
}

static void choose_table(struct kunit *test)
{
	expect_answer(test, test->param_value);
}

static int times_in_table(const struct decision *wanted)
{
	int i, times = 0;

	for (i = 0; i < (int)ARRAY_SIZE(decisions); i++)
		if (decisions[i].latency_ns == wanted->latency_ns &&
		    decisions[i].window_ns == wanted->window_ns &&
		    decisions[i].can_poll == wanted->can_poll &&
		    decisions[i].can_halt == wanted->can_halt &&
		    decisions[i].polled_last == wanted->polled_last &&
		    decisions[i].timed_out == wanted->timed_out)
			times++;
	return times;
}

static void choose_table_complete(struct kunit *test)
{
	unsigned int bits;

	KUNIT_EXPECT_EQ(test, 64, (int)ARRAY_SIZE(decisions));
	for (bits = 0; bits < 64; bits++) {
		struct decision d = {
			.latency_ns = bits & 1 ? LIMIT : 0,
			.window_ns = bits & 2 ? WINDOW : 0,
			.can_poll = bits & 4,
			.can_halt = bits & 8,
			.polled_last = bits & 16,
			.timed_out = bits & 32,
		};

		KUNIT_EXPECT_EQ_MSG(test, 1, times_in_table(&d),
				    "combination 0x%x", bits);
	}
}

/* Values at the ends of their types decide as those in the table do. */
static const struct decision extremes[] = {
	{ -1, WINDOW, 1, 1, 0, 0, POLL },
	{ S64_MIN, 0, 1, 1, 1, 1, POLL },
	{ 1, 0, 1, 1, 0, 0, HALT },
	{ 1, 1, 1, 1, 0, 0, POLL },
	{ 1, 1, 1, 1, 1, 1, HALT },
	{ 0, U32_MAX, 1, 1, 0, 0, POLL },
	{ S64_MAX, U32_MAX, 1, 1, 0, 0, POLL },
	{ S64_MAX, U32_MAX, 1, 1, 1, 1, HALT },
	{ S64_MAX, U32_MAX, 0, 1, 0, 0, HALT },
	/* Larger than 32 bits, and 0 in the lower ones. */
	{ 1LL << 32, 0, 1, 1, 0, 0, HALT },
	{ 1LL << 32, WINDOW, 1, 1, 1, 1, HALT },
};

KUNIT_ARRAY_PARAM(extreme, extremes, decision_name);

static void choose_extremes(struct kunit *test)
{
	expect_answer(test, test->param_value);
}

static struct kunit_case policy_choose_cases[] = {
	KUNIT_CASE(choose_table_complete),
	KUNIT_CASE_PARAM(choose_table, decision_gen_params),
	KUNIT_CASE_PARAM(choose_extremes, extreme_gen_params),
	{}
};

static struct kunit_suite policy_choose_suite = {
	.name = "hpoll_policy_choose",
	.test_cases = policy_choose_cases,
};

kunit_test_suite(policy_choose_suite);
