// SPDX-License-Identifier: GPL-2.0-only
/*
 * The budget of polling in vain: a bucket.
 */

#include <hpoll/budget.h>

/* Nothing that happened earlier counts. */
#define LONGEST_NS	1000000000ULL

static u32 capacity_ns(const struct hpoll_budget *budget, u32 cost_ns)
{
	u64 ns = (u64)HPOLL_BUDGET_HALTS * cost_ns >> budget->strain;

	return ns < U32_MAX ? ns : U32_MAX;
}

static void add(struct hpoll_budget *budget, u32 cost_ns, u64 ns)
{
	u64 left_ns = budget->left_ns + (ns >> budget->strain);
	u32 most_ns = capacity_ns(budget, cost_ns);

	budget->left_ns = left_ns < most_ns ? left_ns : most_ns;
}

static void more_strain(struct hpoll_budget *budget)
{
	budget->strain += 2;
	if (budget->strain > HPOLL_BUDGET_STRAIN_MAX)
		budget->strain = HPOLL_BUDGET_STRAIN_MAX;
}

static void look_at_host(struct hpoll_budget *budget, u64 now_ns, u64 stolen_ns)
{
	u64 time_ns = now_ns - budget->looked_ns;
	u64 looks = time_ns / HPOLL_BUDGET_LOOK_NS;
	u64 gone_ns = stolen_ns - budget->stolen_ns;

	if (!looks)
		return;
	/* Both may tell of the same time. */
	if (gone_ns < budget->lost_ns)
		gone_ns = budget->lost_ns;
	if (gone_ns > time_ns / 4)
		more_strain(budget);
	else
		budget->strain -= looks < budget->strain ? looks : budget->strain;
	budget->looked_ns = now_ns;
	budget->stolen_ns = stolen_ns;
	budget->lost_ns = 0;
}

void hpoll_budget_fill(struct hpoll_budget *budget, u32 pct, u32 cost_ns, u64 now_ns,
		       u64 stolen_ns)
{
	u64 time_ns = now_ns - budget->filled_ns;

	if (!budget->filled_ns || now_ns < budget->filled_ns) {
		/* Fresh; or the clock went backwards and says nothing. */
		if (!budget->filled_ns)
			budget->left_ns = capacity_ns(budget, cost_ns);
		budget->looked_ns = now_ns;
		budget->stolen_ns = stolen_ns;
		budget->lost_ns = 0;
		time_ns = 0;
	}
	budget->filled_ns = now_ns;
	look_at_host(budget, now_ns, stolen_ns);

	if (time_ns > LONGEST_NS)
		time_ns = LONGEST_NS;
	/* 41/4096 is a hundredth. */
	add(budget, cost_ns, time_ns * pct * 41 >> 12);
}

bool hpoll_budget_allows(const struct hpoll_budget *budget, u32 window_ns)
{
	return window_ns <= budget->left_ns;
}

void hpoll_budget_saved(struct hpoll_budget *budget, u32 cost_ns)
{
	add(budget, cost_ns, cost_ns);
}

void hpoll_budget_burned(struct hpoll_budget *budget, u64 ns)
{
	budget->left_ns -= ns < budget->left_ns ? ns : budget->left_ns;
}

void hpoll_budget_lost(struct hpoll_budget *budget, u64 ns)
{
	budget->lost_ns += ns;
}
