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

/*
 * What counts less as time goes by does so because what comes later counts more: a
 * period's weight grows by a quarter each EVERY periods, and when it has doubled
 * all counts are halved. They add up to some 64 weights.
 */
#define EVERY		16U
#define STEPS		3U
#define MEMORY_SHIFT	6

static const u8 weights[STEPS] = { 64, 81, 102 };

/* At first the best window is worked out anew each time. */
#define SOON		(8 * weights[0])

/* What is saved for bad times, in halts. */
#define ALLOWANCE_HALTS	4U

#define BELOW(bit)	((1ULL << (bit)) - 1)

static u32 limit(u32 cost_ns)
{
	return cost_ns < HPOLL_ADAPTIVE_MAX_NS ? cost_ns : HPOLL_ADAPTIVE_MAX_NS;
}

/* Is the next timer due before a halt pays off? */
static bool is_near(u64 timer_ns, u32 cost_ns)
{
	return timer_ns < cost_ns - cost_ns / 8;
}

/* ... and will it have come by then, as late as timers are here? */
static bool is_waited_for(const struct hpoll_adaptive *adaptive, u64 timer_ns, u32 cost_ns)
{
	/* Both, since the sum wraps around where no timer is known. */
	return is_near(timer_ns, cost_ns) && is_near(timer_ns + adaptive->late_ns, cost_ns);
}

/* One of eight parts of what was late last, seven of what was before. */
static void learn_lateness(struct hpoll_adaptive *adaptive, u32 cost_ns,
			   const struct hpoll_period *period)
{
	u64 late_ns;

	if (!is_near(period->timer_ns, cost_ns) || period->length_ns < period->timer_ns)
		return;
	late_ns = period->length_ns - period->timer_ns;
	if (late_ns > cost_ns)
		late_ns = cost_ns;
	adaptive->late_ns += (s32)(late_ns - adaptive->late_ns) / 8;
}

/* Return: the bucket of a length; that of HPOLL_ADAPTIVE_MAX_NS is behind the last. */
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

static void halve(struct hpoll_adaptive_seen *seen)
{
	u32 i;

	seen->longer /= 2;
	seen->total = seen->longer;
	seen->used = 0;
	for (i = 0; i < HPOLL_ADAPTIVE_BUCKETS; i++) {
		seen->count[i] /= 2;
		seen->total += seen->count[i];
		seen->used |= (u64)(seen->count[i] > 0) << i;
	}
}

static void grow_weight(struct hpoll_adaptive_seen *seen)
{
	/* Until there is so much to remember, nothing is forgotten. */
	if (seen->total < (u32)weights[seen->step] << MEMORY_SHIFT)
		return;
	if (++seen->step == STEPS) {
		seen->step = 0;
		halve(seen);
	}
}

/*
 * What fell into the last covered bucket will now and then fall just behind it.
 * With one of 16 assumed to do so, a window that covers the next bucket, too, may
 * cost less.
 */
static u32 with_margin(const struct hpoll_adaptive_seen *seen, u32 cost_ns, u32 last,
		       u32 uncovered)
{
	u64 more = (u64)uncovered * (end_of(last + 1) - end_of(last));
	u64 less = (u64)seen->count[last] * cost_ns / 16;
	u32 end_ns = more < less ? end_of(last + 1) : end_of(last);

	return end_ns < cost_ns ? end_ns : cost_ns;
}

/*
 * For a window at the end of each bucket: those that it covers cost their
 * length, the others the window and a halt.
 */
static u32 best_window_ns(const struct hpoll_adaptive_seen *seen, u32 cost_ns)
{
	u64 left = seen->used & BELOW(bucket_of(cost_ns) + 1);
	u64 best = (u64)seen->total * cost_ns;
	u32 uncovered = seen->total, best_uncovered = uncovered;
	u32 best_last = HPOLL_ADAPTIVE_BUCKETS;
	u64 covered_ns = 0;

	for (; left; left &= left - 1) {
		u32 last = __builtin_ctzll(left);
		u32 end_ns = end_of(last) < cost_ns ? end_of(last) : cost_ns;
		u64 sum;

		/* The middle of a bucket is about 1/16 below its end. */
		covered_ns += (u64)seen->count[last] * (end_ns - end_ns / 16);
		uncovered -= seen->count[last];
		sum = covered_ns + (u64)uncovered * ((u64)end_ns + cost_ns);
		if (sum < best) {
			best = sum;
			best_last = last;
			best_uncovered = uncovered;
		}
	}
	if (best_last == HPOLL_ADAPTIVE_BUCKETS)
		return 0;
	return with_margin(seen, cost_ns, best_last, best_uncovered);
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

/* A halt that costs less than a look at the clock. */
static bool is_not_worth_it(u32 cost_ns)
{
	return cost_ns < 1U << HPOLL_ADAPTIVE_SHIFT;
}

u32 hpoll_adaptive_window_ns(const struct hpoll_adaptive *adaptive, u32 cost_ns,
			     u64 timer_ns)
{
	u32 window_ns, least_ns;

	cost_ns = limit(cost_ns);
	if (is_not_worth_it(cost_ns))
		return 0;

	if (is_waited_for(adaptive, timer_ns, cost_ns))
		window_ns = timer_ns + adaptive->late_ns + cost_ns / 8;
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
	bool waited, longer;
	u32 weight;

	cost_ns = limit(cost_ns);
	/* Where nothing is polled for, whatever comes, there is nothing to learn. */
	if (is_not_worth_it(cost_ns))
		return;
	if (!period->duty)
		account(adaptive, cost_ns, period);

	waited = is_waited_for(adaptive, period->timer_ns, cost_ns);
	learn_lateness(adaptive, cost_ns, period);
	/* Where a timer decides, its end says nothing about others. */
	if (waited)
		return;

	longer = period->length_ns >= cost_ns;
	weight = weights[seen->step];
	if (longer) {
		seen->longer += weight;
	} else {
		u32 bucket = bucket_of(period->length_ns);

		seen->count[bucket] += weight;
		seen->used |= 1ULL << bucket;
	}
	seen->total += weight;

	if (++seen->fresh >= EVERY || seen->total < SOON) {
		seen->fresh = 0;
		grow_weight(seen);
		seen->window_ns = best_window_ns(seen, cost_ns);
	}
	adaptive->past = (2 * adaptive->past + longer) % HPOLL_ADAPTIVE_CONTEXTS;
}
