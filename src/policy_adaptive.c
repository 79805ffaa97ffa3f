// SPDX-License-Identifier: GPL-2.0-only
/*
 * The adaptive policy.
 *
 * Waiting for an idle period to end by polling costs its length; giving up
 * after a window and halting costs the window and a halt. Which window costs
 * least follows from how the lengths are distributed, so these are counted, apart
 * for each kind of past, and the counts fade.
 */

#include <hpoll/policy_adaptive.h>

/* One period's weight; the counts of a kind of past add up to some 64 of it. */
#define WEIGHT		64U
#define MEMORY_SHIFT	6
/* How often the best window is worked out, once there is something to go by. */
#define EVERY		4U
#define SOON		(8 * WEIGHT)

/* What is saved for bad times, in halts. */
#define ALLOWANCE_HALTS	4U

static u32 limit(u32 cost_ns)
{
	return cost_ns < HPOLL_ADAPTIVE_MAX_NS ? cost_ns : HPOLL_ADAPTIVE_MAX_NS;
}

/* Does the next timer come before a halt pays off, even if a little late? */
static bool is_near(u64 timer_ns, u32 cost_ns)
{
	return timer_ns < cost_ns - cost_ns / 8;
}

/* Return: the bucket of a length below HPOLL_ADAPTIVE_MAX_NS. */
static u32 bucket_of(u32 length_ns)
{
	u32 octave;

	if (length_ns < 1U << HPOLL_ADAPTIVE_SHIFT)
		return 0;
	octave = 31 - __builtin_clz(length_ns);
	return 4 * (octave - HPOLL_ADAPTIVE_SHIFT) + ((length_ns >> (octave - 2)) & 3);
}

/* Return: the length at which the next bucket begins. */
static u32 end_of(u32 bucket)
{
	return (5 + bucket % 4) << (HPOLL_ADAPTIVE_SHIFT - 2 + bucket / 4);
}

/* Old counts fade, so that what changes is noticed. */
static u16 faded(u16 count)
{
	return count - ((count * EVERY + (1U << MEMORY_SHIFT) - 1) >> MEMORY_SHIFT);
}

static void fade(struct hpoll_adaptive_seen *seen)
{
	u32 i;

	seen->longer = faded(seen->longer);
	seen->total = seen->longer;
	for (i = 0; i < HPOLL_ADAPTIVE_BUCKETS; i++) {
		seen->count[i] = faded(seen->count[i]);
		seen->total += seen->count[i];
	}
}

/*
 * For a window at the end of each bucket: those that it covers cost their
 * length, the others the window and a halt.
 *
 * What fell into the last covered bucket will now and then fall just behind it.
 * With one of 16 assumed to do so, a window that covers the next bucket, too, may
 * cost less.
 */
static u32 best_window_ns(const struct hpoll_adaptive_seen *seen, u32 cost_ns)
{
	u64 best = (u64)seen->total * cost_ns;
	u64 covered_ns = 0;
	u32 uncovered = seen->total;
	u32 best_ns = 0;
	u32 i;

	for (i = 0; i < HPOLL_ADAPTIVE_BUCKETS; i++) {
		u32 end_ns = end_of(i) < cost_ns ? end_of(i) : cost_ns;
		u64 sum;

		if (seen->count[i]) {
			/* The middle of a bucket is about 1/16 below its end. */
			covered_ns += (u64)seen->count[i] * (end_ns - end_ns / 16);
			uncovered -= seen->count[i];
			sum = covered_ns + (u64)uncovered * ((u64)end_ns + cost_ns);
			if (sum < best) {
				u64 more = (u64)uncovered * (end_of(i + 1) - end_of(i));
				u64 less = (u64)seen->count[i] * cost_ns / 16;

				best = sum;
				best_ns = more < less ? end_of(i + 1) : end_ns;
			}
		}
		if (end_ns == cost_ns)
			break;
	}
	return best_ns < cost_ns ? best_ns : cost_ns;
}

/*
 * The guard. Polling for as long as a halt costs never costs more than twice the
 * optimum. Any other window may lose cost_ns - window_ns more than that, so it is
 * taken only while the cost so far leaves room for this loss.
 */
static u32 least_window_ns(const struct hpoll_adaptive *adaptive, u32 cost_ns)
{
	return cost_ns > adaptive->allowance_ns ? cost_ns - adaptive->allowance_ns : 0;
}

static void account(struct hpoll_adaptive *adaptive, u32 cost_ns,
		    const struct hpoll_period *period)
{
	bool covered = period->length_ns <= period->window_ns;
	u64 optimum = period->length_ns < cost_ns ? period->length_ns : cost_ns;
	u64 cost = covered ? period->length_ns : (u64)period->window_ns + cost_ns;
	/* 2.1875 times the optimum. */
	u64 allowance = adaptive->allowance_ns + 2 * optimum + optimum / 8 + optimum / 16;
	u64 most = (u64)ALLOWANCE_HALTS * cost_ns;

	allowance = allowance > cost ? allowance - cost : 0;
	adaptive->allowance_ns = allowance < most ? allowance : most;
}

u32 hpoll_adaptive_window_ns(const struct hpoll_adaptive *adaptive, u32 cost_ns,
			     u64 timer_ns)
{
	u32 window_ns, least_ns;

	cost_ns = limit(cost_ns);
	/* Not worth a look at the clock. */
	if (cost_ns < 1U << HPOLL_ADAPTIVE_SHIFT)
		return 0;

	if (is_near(timer_ns, cost_ns))
		window_ns = timer_ns + cost_ns / 8;
	else
		window_ns = adaptive->seen[adaptive->past].window_ns;

	least_ns = least_window_ns(adaptive, cost_ns);
	if (window_ns < least_ns)
		window_ns = least_ns;
	return window_ns < cost_ns ? window_ns : cost_ns;
}

void hpoll_adaptive_observe(struct hpoll_adaptive *adaptive, u32 cost_ns,
			    const struct hpoll_period *period)
{
	struct hpoll_adaptive_seen *seen = &adaptive->seen[adaptive->past];
	bool longer;

	cost_ns = limit(cost_ns);
	if (!period->duty)
		account(adaptive, cost_ns, period);

	/* Where a timer decides, its end says nothing about others. */
	if (is_near(period->timer_ns, cost_ns))
		return;

	longer = period->length_ns >= cost_ns;
	if (longer)
		seen->longer += WEIGHT;
	else
		seen->count[bucket_of(period->length_ns)] += WEIGHT;
	seen->total += WEIGHT;

	if (++seen->fresh >= EVERY || seen->total < SOON) {
		seen->fresh = 0;
		if (seen->total > WEIGHT << MEMORY_SHIFT)
			fade(seen);
		seen->window_ns = best_window_ns(seen, cost_ns);
	}
	adaptive->past = (2 * adaptive->past + longer) % HPOLL_ADAPTIVE_CONTEXTS;
}
