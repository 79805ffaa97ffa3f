// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classic rule: one window per CPU that grows while halts turn out short
 * enough to have been polled for, and shrinks while they turn out longer.
 */

#include <hpoll/policy.h>

u32 hpoll_classic_next_ns(const struct hpoll_params *params, u32 window_ns,
			  u64 block_ns)
{
	u64 next_ns;

	/* The maximum may have been lowered since the window was set. */
	if (window_ns > params->max_ns)
		window_ns = params->max_ns;

	if (block_ns > params->max_ns) {
		if (!params->allow_shrink)
			return window_ns;
		if (!params->shrink)
			return 0;

		/* Below the least useful window, halving on only delays 0. */
		next_ns = window_ns / params->shrink;
		return next_ns < params->grow_start_ns ? 0 : next_ns;
	}

	if (block_ns <= window_ns)
		return window_ns;

	next_ns = (u64)window_ns * params->grow;
	if (next_ns < window_ns)
		next_ns = window_ns;
	if (next_ns < params->grow_start_ns)
		next_ns = params->grow_start_ns;
	return next_ns > params->max_ns ? params->max_ns : next_ns;
}
