// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU's idle periods, put together from polls and halts for the policy.
 */

#include <hpoll/window.h>

/* A timer's interrupt is that late, beyond what a wake-up takes. */
#define LATE_NS		50000U

/*
 * When did the wake-up come? The end of a halt is later than that by what a wake-up
 * takes; but not by more than half of the halt, as what was measured may be too much.
 */
static u64 until_wake_up_ns(const struct hpoll_window *window)
{
	u64 halted_ns = window->halted_ns;

	return halted_ns - (window->wake_ns < halted_ns / 2 ? window->wake_ns : halted_ns / 2);
}

static unsigned int length_index(u64 length_ns)
{
	u64 high = length_ns >> HPOLL_LENGTHS_SHIFT;
	unsigned int i = high ? 64 - __builtin_clzll(high) : 0;

	return i < HPOLL_LENGTHS ? i : HPOLL_LENGTHS - 1;
}

static void count(struct hpoll_window *window, u64 length_ns, u64 polled_ns)
{
	struct hpoll_counts *counts = &window->counts;

	counts->lengths[length_index(length_ns)]++;
	counts->polled_ns += polled_ns;
	counts->preempted += window->preempted;
	if (!window->halted) {
		counts->hits++;
		window->hits_in_a_row += window->hits_in_a_row < HPOLL_HITS_WITHOUT_TIMERS;
		return;
	}
	window->hits_in_a_row = 0;
	counts->halts++;
	counts->halted_ns += window->halted_ns;
	counts->misses += polled_ns > 0;
	counts->vain_ns += polled_ns;
}

static void pay(struct hpoll_window *window, u64 polled_ns)
{
	if (window->halted)
		hpoll_budget_burned(&window->budget, polled_ns);
	else
		hpoll_budget_saved(&window->budget, window->cost_ns);
}

static void learn(struct hpoll_window *window, const struct hpoll_params *params)
{
	struct hpoll_period period = window->period;
	u64 polled_ns = period.length_ns;

	if (window->halted) {
		polled_ns -= window->halted_ns;
		period.length_ns = polled_ns + until_wake_up_ns(window);
	}
	/* The rest was the host's. */
	if (window->preempted && polled_ns > period.window_ns) {
		hpoll_budget_lost(&window->budget, polled_ns - period.window_ns);
		polled_ns = period.window_ns;
	}
	count(window, period.length_ns, polled_ns);

	if (window->policy == HPOLL_POLICY_ADAPTIVE) {
		hpoll_adaptive_observe(&window->adaptive, window->cost_ns, &period);
		if (!period.duty)
			pay(window, polled_ns);
	} else if (window->halted) {
		window->classic_ns = hpoll_classic_next_ns(params, window->classic_ns,
							   window->halted_ns);
	}
	window->over = false;
}

static u32 halt_cost_ns(const struct hpoll_params *params, const struct hpoll_now *now)
{
	u64 ns = params->halt_cost_ns;

	if (!ns)
		ns = (u64)now->wake_ns * HPOLL_LATENCY_WORTH;
	return ns && ns < params->max_ns ? ns : params->max_ns;
}

static u32 adaptive_ns(struct hpoll_window *window, const struct hpoll_params *params,
		       const struct hpoll_now *now)
{
	u32 window_ns;

	window->wake_ns = now->wake_ns;
	window->cost_ns = halt_cost_ns(params, now);
	/* Off: the budget is kept for later. */
	if (!window->cost_ns)
		return 0;
	hpoll_budget_fill(&window->budget, params->budget_pct, window->cost_ns, now->now_ns,
			  now->stolen_ns);
	window_ns = hpoll_adaptive_window_ns(&window->adaptive, window->cost_ns, now->timer_ns);
	if (hpoll_budget_allows(&window->budget, window_ns))
		return window_ns;
	window->counts.refused++;
	return 0;
}

void hpoll_window_reset(struct hpoll_window *window)
{
	*window = (struct hpoll_window) { .counts = window->counts };
}

u32 hpoll_window_begin(struct hpoll_window *window, const struct hpoll_params *params,
		       const struct hpoll_now *now)
{
	u32 window_ns;

	if (window->over)
		learn(window, params);

	window->policy = params->policy;
	if (window->policy == HPOLL_POLICY_ADAPTIVE) {
		window_ns = adaptive_ns(window, params, now);
	} else {
		window->cost_ns = 0;
		/* The maximum may have been lowered since the last halt. */
		window_ns = window->classic_ns < params->max_ns ? window->classic_ns :
								  params->max_ns;
	}

	window->halted = false;
	window->halted_ns = 0;
	window->event_ns = now->event_ns;
	window->preempted = false;
	window->period.length_ns = 0;
	window->period.window_ns = window_ns;
	window->period.timer_ns = now->timer_ns;
	window->period.duty = now->duty;
	return window_ns;
}

void hpoll_window_polled(struct hpoll_window *window, u64 ns, bool timed_out)
{
	u64 most_ns = (u64)window->period.window_ns + window->cost_ns + HPOLL_PREEMPTED_NS;

	window->preempted |= ns > most_ns;
	window->period.length_ns += ns;
	window->over = !timed_out;
}

/* A little late, as halts end. */
static bool is_foreseen(const struct hpoll_window *window)
{
	u64 length_ns = window->period.length_ns;

	return window->policy == HPOLL_POLICY_ADAPTIVE && length_ns >= window->event_ns &&
	       length_ns - window->event_ns <= 2ULL * window->wake_ns + LATE_NS;
}

void hpoll_window_halted(struct hpoll_window *window, u64 ns, bool work)
{
	window->period.length_ns += ns;
	window->halted_ns += ns;
	window->halted = true;
	window->over = work || !is_foreseen(window);
}
