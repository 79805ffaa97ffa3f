// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU's idle periods, put together from polls and halts for the policy.
 */

#include <hpoll/window.h>

static void learn(struct hpoll_window *window, const struct hpoll_params *params)
{
	window->over = false;
	if (window->policy == HPOLL_POLICY_ADAPTIVE)
		hpoll_adaptive_observe(&window->adaptive, window->cost_ns, &window->period);
	else if (window->halted)
		window->classic_ns = hpoll_classic_next_ns(params, window->classic_ns,
							   window->halted_ns);
}

u32 hpoll_window_begin(struct hpoll_window *window, const struct hpoll_params *params,
		       u64 timer_ns, bool duty)
{
	u32 window_ns;

	if (window->over)
		learn(window, params);

	window->policy = params->policy;
	if (window->policy == HPOLL_POLICY_ADAPTIVE) {
		window->cost_ns = params->max_ns;
		if (params->halt_cost_ns && params->halt_cost_ns < params->max_ns)
			window->cost_ns = params->halt_cost_ns;
		window_ns = hpoll_adaptive_window_ns(&window->adaptive, window->cost_ns, timer_ns);
	} else {
		/* The maximum may have been lowered since the last halt. */
		window_ns = window->classic_ns < params->max_ns ? window->classic_ns :
								  params->max_ns;
	}

	window->halted = false;
	window->period.length_ns = 0;
	window->period.window_ns = window_ns;
	window->period.timer_ns = timer_ns;
	window->period.duty = duty;
	return window_ns;
}

void hpoll_window_polled(struct hpoll_window *window, u64 ns, bool timed_out)
{
	window->period.length_ns += ns;
	window->over = !timed_out;
}

void hpoll_window_halted(struct hpoll_window *window, u64 ns)
{
	window->period.length_ns += ns;
	window->halted_ns = ns;
	window->halted = true;
	window->over = true;
}
