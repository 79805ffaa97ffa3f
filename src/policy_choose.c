// SPDX-License-Identifier: GPL-2.0-only
/*
 * Poll or halt: the part of a decision that every policy shares.
 */

#include <hpoll/policy.h>

struct hpoll_choice hpoll_choose(const struct hpoll_idle *idle)
{
	struct hpoll_choice halt = { .stop_tick = !idle->timer_is_near };
	struct hpoll_choice poll = { .poll = true, .poll_ns = idle->window_ns };

	if (idle->latency_ns <= 0)
		return poll;

	if (!idle->can_poll)
		return halt;
	if (!idle->can_halt)
		return poll;

	if (!idle->window_ns)
		return halt;
	if (idle->polled_last && idle->timed_out)
		return halt;

	return poll;
}
