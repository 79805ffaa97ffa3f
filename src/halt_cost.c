// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a halt costs, from the times of some wake-ups.
 */

#include <hpoll/halt_cost.h>

static u32 median(u32 *values)
{
	u32 i, j;

	for (i = 1; i < HPOLL_HALT_COST_SAMPLES; i++) {
		u32 value = values[i];

		for (j = i; j > 0 && values[j - 1] > value; j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
	return values[HPOLL_HALT_COST_SAMPLES / 2];
}

u32 hpoll_halt_cost_estimate_ns(struct hpoll_halt_cost_samples *samples, u32 before_ns)
{
	u32 halted_ns = median(samples->halted_ns);
	u32 polled_ns = median(samples->polled_ns);
	u32 cost_ns = halted_ns > polled_ns ? halted_ns - polled_ns : 1;

	return before_ns ? ((u64)before_ns + cost_ns + 1) / 2 : cost_ns;
}
