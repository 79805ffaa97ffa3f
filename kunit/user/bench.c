// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a decision costs: begin, poll, halt, and learn from it, under each policy.
 *
 * Prints TAP. The policies take turns, and the least time of many turns counts:
 * it is the one that nothing else disturbed.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hpoll/window.h>

#define PERIODS		20000
#define TURNS		50

/* What a period may cost, and how many times what it does under the classic rule. */
#define MOST_NS		60.0
#define MOST_TIMES	3.0

static u64 lengths_ns[PERIODS];

static u64 random_state = 1;

static u32 random_below(u32 limit)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 33) % limit;
}

/* Short and long, near and far, in no order that a CPU's own predictor could learn. */
static void draw_lengths(void)
{
	int i;

	for (i = 0; i < PERIODS; i++) {
		if (random_below(10) < 7)
			lengths_ns[i] = 1000 + random_below(60000);
		else
			lengths_ns[i] = 100000 + random_below(5000000);
	}
}

static double turn_ns(enum hpoll_policy policy)
{
	const struct hpoll_params params = {
		HPOLL_MAINLINE_DEFAULTS,
		.budget_pct = HPOLL_DEFAULT_BUDGET_PCT,
		.policy = policy,
	};
	struct hpoll_now now = {
		.now_ns = 1,
		.timer_ns = HPOLL_NO_TIMER,
		.event_ns = HPOLL_NO_TIMER,
	};
	struct hpoll_window window = { };
	struct timespec from, to;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < PERIODS; i++) {
		u32 window_ns = hpoll_window_begin(&window, &params, &now);

		now.now_ns += lengths_ns[i];
		if (lengths_ns[i] <= window_ns) {
			hpoll_window_polled(&window, lengths_ns[i], false);
			continue;
		}
		if (window_ns)
			hpoll_window_polled(&window, window_ns, true);
		hpoll_window_halted(&window, lengths_ns[i] - window_ns, true);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / PERIODS;
}

int main(void)
{
	double classic = 1e9, adaptive = 1e9;
	bool fast, near;
	int i;

	draw_lengths();
	for (i = 0; i < TURNS; i++) {
		double ns = turn_ns(HPOLL_POLICY_CLASSIC);

		classic = ns < classic ? ns : classic;
		ns = turn_ns(HPOLL_POLICY_ADAPTIVE);
		adaptive = ns < adaptive ? ns : adaptive;
	}

	fast = adaptive <= MOST_NS;
	near = adaptive <= MOST_TIMES * classic;
	printf("TAP version 13\n1..2\n");
	printf("%s 1 adaptive: %.1f ns per idle period, at most %.0f\n", fast ? "ok" : "not ok",
	       adaptive, MOST_NS);
	printf("%s 2 adaptive: %.1f times the classic rule's %.1f ns, at most %.0f\n",
	       near ? "ok" : "not ok", adaptive / classic, classic, MOST_TIMES);
	return fast && near ? 0 : 1;
}
