// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pure rooms under random input: what must hold whatever comes in.
 *
 * Prints TAP. FUZZ_SEED chooses the random numbers (it is printed, so that a
 * failure can be had again), FUZZ_ROUNDS how many sequences or strings each
 * test tries.
 */

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

#include <hpoll/gate.h>
#include <hpoll/halt_cost.h>
#include <hpoll/policy.h>
#include <hpoll/policy_adaptive.h>
#include <hpoll/window.h>

#define DEFAULT_SEED	1ULL
#define DEFAULT_ROUNDS	1000000ULL
#define SEQUENCE	8

static u64 rounds;
static u64 random_state;
static char broken[1024];

/* splitmix64: small, fast, and every seed is a good one. */
static u64 random_u64(void)
{
	u64 z = (random_state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static u32 below(u32 limit)
{
	return random_u64() % limit;
}

static bool coin(void)
{
	return random_u64() >> 63;
}

/* Half of all values are at, or next to, one where something changes. */
static u32 random_u32(void)
{
	static const u32 edges[] = {
		0, 1, 2, 3, 10000, 50000, 100000, 200000, 2400000, 24000000,
		1U << 16, 1U << 31, U32_MAX / 2, U32_MAX,
	};

	switch (below(6)) {
	case 0:
		return random_u64();
	case 1:
		return random_u64() >> (32 + below(32));
	case 2:
		return below(400000);
	default:
		return edges[below(ARRAY_SIZE(edges))] + below(3) - 1;
	}
}

static u64 random_block(const struct hpoll_params *params, u32 window_ns)
{
	switch (below(6)) {
	case 0:
		return (u64)params->max_ns + below(3) - 1;
	case 1:
		return (u64)window_ns + below(3) - 1;
	case 2:
		return random_u64() >> below(64);
	case 3:
		return U64_MAX - below(2);
	default:
		return random_u32();
	}
}

static void random_params(struct hpoll_params *params)
{
	params->max_ns = random_u32();
	params->grow = coin() ? below(4) : random_u32();
	params->shrink = coin() ? below(4) : random_u32();
	params->grow_start_ns = random_u32();
	params->allow_shrink = coin();
}

/* Remembers the first fault of a test. Returns false, for its caller. */
__attribute__((format(printf, 1, 2)))
static bool fault(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(broken, sizeof(broken), fmt, args);
	va_end(args);
	return false;
}

static bool classic_fault(const char *what, const struct hpoll_params *p,
			  u32 window_ns, u64 block_ns, u32 next_ns)
{
	return fault("%s: max %u grow %u/%u start %u shrink %d, window %u, block %llu: %u",
		     what, p->max_ns, p->grow, p->shrink, p->grow_start_ns,
		     p->allow_shrink, window_ns, block_ns, next_ns);
}

static bool classic_step(const struct hpoll_params *params, u32 window_ns,
			 u64 block_ns, u32 next_ns)
{
	u32 held_ns = window_ns < params->max_ns ? window_ns : params->max_ns;
	const char *what = NULL;

	if (next_ns > params->max_ns)
		what = "window above max";
	else if (!params->max_ns && next_ns)
		what = "a window with max 0";
	else if (block_ns <= params->max_ns && next_ns < held_ns)
		what = "growing made the window smaller";
	else if (block_ns > params->max_ns && next_ns > held_ns)
		what = "shrinking made the window larger";
	else if (block_ns > params->max_ns && !params->allow_shrink &&
		 next_ns != held_ns)
		what = "the window changed though shrinking is not allowed";
	else if (block_ns <= held_ns && next_ns != held_ns)
		what = "a halt that the window covers changed it";
	else if (next_ns > held_ns && next_ns < params->grow_start_ns &&
		 next_ns != params->max_ns)
		what = "grown, but below grow_start";
	else if (next_ns < held_ns && next_ns &&
		 next_ns < params->grow_start_ns)
		what = "shrunk below grow_start, but not to 0";
	else if (next_ns != hpoll_classic_next_ns(params, window_ns, block_ns))
		what = "another answer to the same question";

	return !what ||
	       classic_fault(what, params, window_ns, block_ns, next_ns);
}

/* A window's life: halts, and now and then an operator who turns a knob. */
static bool fuzz_classic(void)
{
	struct hpoll_params params;
	u32 window_ns, next_ns;
	u64 block_ns;
	int i;

	random_params(&params);
	window_ns = coin() ? 0 : random_u32();
	for (i = 0; i < SEQUENCE; i++) {
		block_ns = random_block(&params, window_ns);
		next_ns = hpoll_classic_next_ns(&params, window_ns, block_ns);
		if (!classic_step(&params, window_ns, block_ns, next_ns))
			return false;
		window_ns = next_ns;
		if (!below(8))
			params.max_ns = random_u32();
		else if (!below(16))
			random_params(&params);
	}
	return true;
}

/* Whatever the past: enough long halts stop the polling. */
static bool fuzz_classic_rest(void)
{
	struct hpoll_params params;
	u32 window_ns = random_u32();
	int i;

	random_params(&params);
	params.allow_shrink = true;
	if (params.shrink == 1)
		params.shrink = 0;
	for (i = 0; i < 33; i++)
		window_ns = hpoll_classic_next_ns(&params, window_ns, U64_MAX);
	if (!window_ns)
		return true;
	return classic_fault("still polling after 33 long halts", &params, 0,
			     U64_MAX, window_ns);
}

/* With nothing but short halts, the window gets as far as it may. */
static bool fuzz_classic_busy(void)
{
	struct hpoll_params params;
	u32 window_ns = random_u32();
	int i;

	random_params(&params);
	if (params.grow < 2)
		params.grow = 2;
	if (!params.grow_start_ns)
		params.grow_start_ns = 1;
	for (i = 0; i < 33; i++)
		window_ns = hpoll_classic_next_ns(&params, window_ns,
						  params.max_ns);
	if (window_ns == params.max_ns)
		return true;
	return classic_fault("not at max after 33 short halts", &params, 0,
			     params.max_ns, window_ns);
}

/* Lengths near what matters for a window and a cost, or anything. */
static u64 random_length(u32 window_ns, u32 cost_ns)
{
	switch (below(6)) {
	case 0:
		return (u64)window_ns + below(3);
	case 1:
		return (u64)cost_ns + below(3) - (cost_ns ? 1 : 0);
	case 2:
		return random_u64() >> below(64);
	case 3:
		return below(1000);
	default:
		return random_u32();
	}
}

static const char *adaptive_fault(const struct hpoll_adaptive *adaptive,
				  u32 cost_ns, u32 window_ns)
{
	u32 i, j, total;

	if (window_ns > cost_ns)
		return "window above the cost";
	if (window_ns > HPOLL_ADAPTIVE_MAX_NS)
		return "window above every bucket";
	if (adaptive->past >= HPOLL_ADAPTIVE_CONTEXTS)
		return "an unknown past";
	for (i = 0; i < HPOLL_ADAPTIVE_CONTEXTS; i++) {
		total = adaptive->seen[i].longer;
		for (j = 0; j < HPOLL_ADAPTIVE_BUCKETS; j++)
			total += adaptive->seen[i].count[j];
		if (total != adaptive->seen[i].total)
			return "the counts do not add up";
	}
	return NULL;
}

/* A CPU's life under the adaptive policy, with a cost that changes. */
static bool fuzz_adaptive(void)
{
	static struct hpoll_adaptive adaptive;
	u32 cost_ns = random_u32();
	struct hpoll_period period;
	const char *what;
	int i;

	/* Now and then a fresh one, mostly one with a past. */
	if (!below(64))
		adaptive = (struct hpoll_adaptive) { };
	for (i = 0; i < SEQUENCE; i++) {
		period.timer_ns = coin() ? HPOLL_NO_TIMER : random_length(0, cost_ns);
		period.window_ns = hpoll_adaptive_window_ns(&adaptive, cost_ns,
							    period.timer_ns);
		what = adaptive_fault(&adaptive, cost_ns, period.window_ns);
		if (what)
			return fault("%s: cost %u, timer %llu: %u", what, cost_ns,
				     period.timer_ns, period.window_ns);
		period.length_ns = random_length(period.window_ns, cost_ns);
		period.duty = !below(16);
		hpoll_adaptive_observe(&adaptive, cost_ns, &period);
		if (!below(8))
			cost_ns = random_u32();
	}
	return true;
}

/*
 * An adversary that sees each window before it chooses a length. It tries a way
 * of choosing over many periods, and varies the worst that it has found.
 */
#define FOE_PERIODS	10000
#define FOE_CHOICES	7
#define FOE_COST_NS	200000U

struct foe {
	u32 weight[FOE_CHOICES];
	u32 dwell;
};

static u64 foe_length(u32 choice, u32 window_ns)
{
	switch (choice) {
	case 0:
		return window_ns + 1ULL;
	case 1:
		return 1;
	case 2:
		return window_ns ? window_ns : 1;
	case 3:
		return FOE_COST_NS;
	case 4:
		return 1 + below(2 * FOE_COST_NS);
	case 5:
		return window_ns < FOE_COST_NS ? window_ns + 1ULL : 1;
	default:
		return 50ULL * FOE_COST_NS;
	}
}

static u32 foe_choice(const struct foe *foe)
{
	u32 sum = 0, i, at;

	for (i = 0; i < FOE_CHOICES; i++)
		sum += foe->weight[i];
	if (!sum)
		return 0;
	at = below(sum);
	for (i = 0; at >= foe->weight[i]; i++)
		at -= foe->weight[i];
	return i;
}

/* Return: the cost in millionths of the optimum. */
static u64 foe_play(const struct foe *foe)
{
	struct hpoll_adaptive adaptive = { };
	struct hpoll_period period = { .timer_ns = HPOLL_NO_TIMER };
	u64 cost = 0, optimum = 0;
	u32 i, left = 0, choice = 0;

	for (i = 0; i < FOE_PERIODS; i++) {
		if (!left) {
			choice = foe_choice(foe);
			left = 1 + below(foe->dwell);
		}
		left--;
		period.window_ns = hpoll_adaptive_window_ns(&adaptive, FOE_COST_NS,
							    HPOLL_NO_TIMER);
		period.length_ns = foe_length(choice, period.window_ns);
		optimum += period.length_ns < FOE_COST_NS ? period.length_ns : FOE_COST_NS;
		cost += period.length_ns <= period.window_ns ? period.length_ns :
			(u64)period.window_ns + FOE_COST_NS;
		hpoll_adaptive_observe(&adaptive, FOE_COST_NS, &period);
	}
	return cost * 1000000 / optimum;
}

static bool fuzz_adaptive_guard(void)
{
	static struct foe worst;
	static u64 most;
	struct foe foe = worst;
	u64 got;
	u32 i;

	if (!most || !below(4))
		for (i = 0; i < FOE_CHOICES; i++)
			foe.weight[i] = coin() ? 0 : below(100);
	else
		foe.weight[below(FOE_CHOICES)] = below(100);
	foe.dwell = 1 + (coin() ? 0 : below(200));

	got = foe_play(&foe);
	if (got > most) {
		most = got;
		worst = foe;
	}
	/* 2.2 times */
	if (got <= 2200000)
		return true;
	return fault("cost %llu millionths of the optimum: weights %u %u %u %u %u %u %u, dwell %u",
		     got, foe.weight[0], foe.weight[1], foe.weight[2], foe.weight[3],
		     foe.weight[4], foe.weight[5], foe.weight[6], foe.dwell);
}

/* The share of the time, what was saved, and what the bucket held at first. */
static u64 may_burn_ns(const struct hpoll_params *params, u64 time_ns, u64 hits)
{
	return time_ns / 99 * params->budget_pct +
	       (hits + HPOLL_BUDGET_HALTS + 1) * params->halt_cost_ns;
}

/* Whatever comes, polling in vain keeps to the budget. */
static bool fuzz_budget(void)
{
	static struct hpoll_window window;
	static struct hpoll_params params;
	static struct hpoll_now now;
	static u64 begin_ns;
	struct hpoll_counts *counts = &window.counts;
	u64 length_ns;
	u32 window_ns;
	int i;

	if (!begin_ns || !below(1024)) {
		window = (struct hpoll_window) { };
		now = (struct hpoll_now) {
			.now_ns = 1 + random_u64() / 4,
			.event_ns = HPOLL_NO_TIMER,
		};
		begin_ns = now.now_ns;
		params = (struct hpoll_params) {
			.max_ns = U32_MAX,
			.policy = HPOLL_POLICY_ADAPTIVE,
			.halt_cost_ns = 1 + below(HPOLL_ADAPTIVE_MAX_NS),
			.budget_pct = 1 + below(100),
		};
	}
	for (i = 0; i < SEQUENCE; i++) {
		now.timer_ns = coin() ? HPOLL_NO_TIMER : random_length(0, params.halt_cost_ns);
		now.stolen_ns += coin() ? 0 : below(30000000);
		window_ns = hpoll_window_begin(&window, &params, &now);
		length_ns = coin() ? window_ns + 1 + below(9) :
				     random_length(window_ns, params.halt_cost_ns) % (1ULL << 32);
		if (length_ns <= window_ns) {
			hpoll_window_polled(&window, length_ns, false);
		} else {
			if (window_ns)
				hpoll_window_polled(&window, window_ns, true);
			hpoll_window_halted(&window, length_ns - window_ns, true);
		}
		/* Now and then a CPU is busy. */
		now.now_ns += length_ns + (below(8) ? 0 : below(1000000));
		if (counts->vain_ns > may_burn_ns(&params, now.now_ns - begin_ns, counts->hits))
			return fault("burned %llu ns in vain in %llu ns: %u%%, cost %u, hits %llu",
				     counts->vain_ns, now.now_ns - begin_ns, params.budget_pct,
				     params.halt_cost_ns, counts->hits);
	}
	return true;
}

static bool fuzz_halt_cost(void)
{
	struct hpoll_halt_cost_samples samples;
	u32 least = U32_MAX, most = 0, cost_ns, i;
	u32 before_ns = coin() ? 0 : random_u32();

	for (i = 0; i < HPOLL_HALT_COST_SAMPLES; i++) {
		samples.halted_ns[i] = random_u32();
		samples.polled_ns[i] = random_u32();
		if (samples.halted_ns[i] < least)
			least = samples.halted_ns[i];
		if (samples.halted_ns[i] > most)
			most = samples.halted_ns[i];
	}
	cost_ns = hpoll_halt_cost_estimate_ns(&samples, before_ns);
	if (cost_ns && (cost_ns <= most || cost_ns <= before_ns || cost_ns == 1))
		return true;
	return fault("cost %u from halts of %u to %u, %u before", cost_ns, least, most, before_ns);
}

static bool fuzz_choose(void)
{
	struct hpoll_idle idle = {
		.latency_ns = coin() ? below(3) : (s64)random_u64(),
		.window_ns = coin() ? below(2) : random_u32(),
		.polled_last = coin(),
		.timed_out = coin(),
		.can_poll = below(4),
		.can_halt = below(4),
	};
	struct hpoll_choice choice = hpoll_choose(&idle);
	const char *what = NULL;

	if (choice.poll && choice.stop_tick)
		what = "the tick is stopped while polling";
	else if (!choice.poll && idle.latency_ns <= 0)
		what = "halted against a latency limit of 0";
	else if (choice.poll && idle.latency_ns > 0 && !idle.can_poll &&
		 idle.can_halt)
		what = "polled though that is disabled";
	else if (!choice.poll && idle.can_poll && !idle.can_halt)
		what = "halted though that is disabled";
	else if (choice.poll && choice.poll_ns != idle.window_ns)
		what = "polls for another time than the window";
	else if (choice.poll && !choice.poll_ns && idle.latency_ns > 0 &&
		 idle.can_halt)
		what = "polls without a window";
	if (!what)
		return true;
	return fault("%s: limit %lld window %u polled %d timeout %d poll %d halt %d",
		     what, idle.latency_ns, idle.window_ns, idle.polled_last,
		     idle.timed_out, idle.can_poll, idle.can_halt);
}

/* Random strings, and good ones with something wrong in them. */
static size_t random_arg(char *arg, size_t size)
{
	static const char * const seeds[] = {
		"auto", "kvm", "hypervisor", "force", "off", "KVMKVMKVM",
		"KVMKVMKVM,Microsoft Hv", "bhyve bhyve ", "123456789012",
		"AAAAAAAAA,BBBBBBBBB,CCCCCCCCC,DDDDDDDDD,EEEEEEEEE,FFFFFFFFF,GGGGGGGGG,HHHHHHHHH",
		"A23456789,B23456789,C23456789,D23456789,E23456789,F23456789,G23456789,H23456789,I23456789",
		"", ",", "\n",
	};
	static const char likely[] = ",,\n ~!A\x7f\x1f\x80\xff";
	size_t len, at, i, times;

	if (below(4)) {
		len = snprintf(arg, size, "%s", seeds[below(ARRAY_SIZE(seeds))]);
	} else {
		len = below(size);
		for (i = 0; i < len; i++)
			arg[i] = below(3) ? 'a' + below(26) : random_u64();
	}
	for (times = below(4); times; times--) {
		at = below(len + 1);
		switch (below(3)) {
		case 0:
			if (at < len)
				arg[at] = likely[below(sizeof(likely) - 1)];
			break;
		case 1:
			if (len + 1 < size) {
				memmove(arg + at + 1, arg + at, len - at);
				arg[at] = likely[below(sizeof(likely) - 1)];
				len++;
			}
			break;
		default:
			if (at < len) {
				memmove(arg + at, arg + at + 1, len - at - 1);
				len--;
			}
		}
	}
	for (i = 0; i < len; i++)
		if (!arg[i])
			arg[i] = ' ';
	arg[len] = '\0';
	return len;
}

/* What the parsed gate would be written as. */
static void write_gate(const struct hpoll_gate *gate, char *text, size_t size)
{
	static const char * const names[] = {
		[HPOLL_GATE_AUTO] = "auto",
		[HPOLL_GATE_KVM] = "kvm",
		[HPOLL_GATE_HYPERVISOR] = "hypervisor",
		[HPOLL_GATE_FORCE] = "force",
		[HPOLL_GATE_OFF] = "off",
	};
	size_t len = 0;
	u32 i;

	if (gate->mode != HPOLL_GATE_LIST) {
		snprintf(text, size, "%s", names[gate->mode]);
		return;
	}
	for (i = 0; i < gate->nr_signatures; i++)
		len += snprintf(text + len, size - len, "%s%s", i ? "," : "",
				gate->signature[i]);
}

/* For a message: a string as C would write it. */
static const char *quoted(const char *text)
{
	static char out[1024];
	size_t len = 0;

	for (; *text && len + 5 < sizeof(out); text++)
		len += sprintf(out + len,
			       isprint((unsigned char)*text) ? "%c" : "\\%03o",
			       (unsigned char)*text);
	out[len] = '\0';
	return out;
}

static bool list_is_sound(const struct hpoll_gate *gate)
{
	size_t len;
	u32 i;

	if (gate->mode != HPOLL_GATE_LIST)
		return !gate->nr_signatures;
	if (!gate->nr_signatures || gate->nr_signatures > HPOLL_GATE_SIGNATURES)
		return false;
	for (i = 0; i < gate->nr_signatures; i++) {
		len = strnlen(gate->signature[i], sizeof(gate->signature[i]));
		if (len < HPOLL_SIGNATURE_MIN || len > HPOLL_SIGNATURE_LEN ||
		    gate->signature[i][len - 1] == ' ' ||
		    strpbrk(gate->signature[i], ",\n"))
			return false;
	}
	return true;
}

static bool parse_is_sound(const char *arg)
{
	struct hpoll_gate gate, before, again;
	char text[256];
	int err;

	memset(&gate, 0x5a, sizeof(gate));
	memcpy(&before, &gate, sizeof(gate));
	err = hpoll_gate_parse(arg, &gate);
	if (err) {
		if (err != -EINVAL && err != -E2BIG)
			return fault("error %d for \"%s\"", err, quoted(arg));
		if (memcmp(&gate, &before, sizeof(gate)))
			return fault("gate touched on error: \"%s\"",
				     quoted(arg));
		return true;
	}
	if (!list_is_sound(&gate))
		return fault("an unsound gate from \"%s\"", quoted(arg));

	/* Written out and read again it is the same gate. */
	write_gate(&gate, text, sizeof(text));
	if (hpoll_gate_parse(text, &again) ||
	    again.mode != gate.mode ||
	    again.nr_signatures != gate.nr_signatures ||
	    memcmp(again.signature, gate.signature, sizeof(gate.signature)))
		return fault("\"%s\" does not survive a round trip",
			     quoted(arg));
	return true;
}

static bool fuzz_gate_parse(void)
{
	char arg[160], *exact;
	size_t len = random_arg(arg, sizeof(arg));
	bool ok;

	/* In a block of its exact size, so that any read beyond is seen. */
	exact = malloc(len + 1);
	if (!exact)
		abort();
	memcpy(exact, arg, len + 1);
	ok = parse_is_sound(exact);
	free(exact);
	return ok;
}

static void random_bytes(char bytes[HPOLL_SIGNATURE_LEN])
{
	static const char seeds[][HPOLL_SIGNATURE_LEN + 1] = {
		"KVMKVMKVM\0\0\0", "Microsoft Hv", "bhyve bhyve ",
		"\0\0\0\0\0\0\0\0\0\0\0\0", "            ", "SomethingNew",
	};
	int times;

	memcpy(bytes, seeds[below(ARRAY_SIZE(seeds))], HPOLL_SIGNATURE_LEN);
	for (times = below(3); times; times--)
		bytes[below(HPOLL_SIGNATURE_LEN)] =
			below(3) ? ' ' + below(95) : random_u64();
}

static bool fuzz_signature_set(void)
{
	struct hpoll_signature signature, before;
	char *bytes = malloc(HPOLL_SIGNATURE_LEN);
	u32 leaf = random_u32();
	bool is_signature;
	size_t len;

	if (!bytes)
		abort();
	random_bytes(bytes);
	memset(&signature, 0x5a, sizeof(signature));
	memcpy(&before, &signature, sizeof(signature));
	is_signature = hpoll_signature_set(&signature, leaf, bytes);
	free(bytes);

	if (!is_signature) {
		if (!memcmp(&signature, &before, sizeof(signature)))
			return true;
		return fault("no signature, but the result was touched");
	}
	len = strnlen(signature.text, sizeof(signature.text));
	if (!len || len > HPOLL_SIGNATURE_LEN || signature.leaf != leaf ||
	    signature.text[len - 1] == ' ')
		return fault("unsound signature, %zu bytes", len);
	return true;
}

static bool fuzz_judge(void)
{
	static const char * const overrides[] = {
		NULL, NULL, NULL, "idle=poll", "idle=halt", "nohlt",
	};
	struct hpoll_facts facts = {
		.hypervisor_bit = coin(),
		.cpuidle_disabled = !below(4),
		.idle_override = overrides[below(ARRAY_SIZE(overrides))],
	};
	struct hpoll_verdict verdict;
	char arg[160], bytes[HPOLL_SIGNATURE_LEN];
	struct hpoll_gate gate;
	u32 i, tries = below(HPOLL_FACT_SIGNATURES + 1);
	size_t len;

	random_arg(arg, sizeof(arg));
	if (hpoll_gate_parse(arg, &gate))
		gate = (struct hpoll_gate) { .mode = HPOLL_GATE_AUTO };
	for (i = 0; i < tries; i++) {
		random_bytes(bytes);
		facts.nr_signatures +=
			hpoll_signature_set(&facts.signature[facts.nr_signatures],
					    0x40000000 + 0x100 * i, bytes);
	}

	memset(&verdict, 0x5a, sizeof(verdict));
	hpoll_gate_judge(&gate, &facts, &verdict);
	len = strnlen(verdict.reason, sizeof(verdict.reason));
	if (!len || len == sizeof(verdict.reason))
		return fault("a reason of %zu bytes", len);
	for (i = 0; i < len; i++)
		if (!isprint((unsigned char)verdict.reason[i]))
			return fault("unprintable: \"%s\"",
				     quoted(verdict.reason));
	if (verdict.open &&
	    (facts.cpuidle_disabled || facts.idle_override ||
	     gate.mode == HPOLL_GATE_OFF))
		return fault("open though it could not work: \"%s\"",
			     quoted(verdict.reason));
	if (!verdict.open && gate.mode == HPOLL_GATE_FORCE &&
	    !facts.cpuidle_disabled && !facts.idle_override)
		return fault("closed though forced: \"%s\"",
			     quoted(verdict.reason));
	return true;
}

static const struct {
	const char *name;
	bool (*round)(void);
	/* How many usual rounds one of it takes. */
	u32 takes;
} tests[] = {
	{ "classic: sequences of halts and settings", fuzz_classic, 1 },
	{ "classic: long halts end the polling", fuzz_classic_rest, 1 },
	{ "classic: short halts reach the maximum", fuzz_classic_busy, 1 },
	{ "adaptive: sequences of periods and costs", fuzz_adaptive, 1 },
	{ "adaptive: an adversary over 10000 periods", fuzz_adaptive_guard, 1000 },
	{ "budget: polling in vain keeps to it", fuzz_budget, 1 },
	{ "halt cost: within what was timed", fuzz_halt_cost, 1 },
	{ "choose: random states", fuzz_choose, 1 },
	{ "gate: random and mutated parameters", fuzz_gate_parse, 1 },
	{ "gate: random CPUID bytes", fuzz_signature_set, 1 },
	{ "gate: random machines", fuzz_judge, 1 },
};

static u64 from_environment(const char *name, u64 otherwise)
{
	const char *text = getenv(name);
	char *end;
	u64 value;

	if (!text || !*text)
		return otherwise;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (*end || errno || !isdigit((unsigned char)*text)) {
		fprintf(stderr, "fuzz: %s must be a number, not \"%s\"\n",
			name, text);
		exit(2);
	}
	return value;
}

int main(void)
{
	u64 seed = from_environment("FUZZ_SEED", DEFAULT_SEED);
	bool ok, all_ok = true;
	size_t i;
	u64 n;

	rounds = from_environment("FUZZ_ROUNDS", DEFAULT_ROUNDS);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%zu\n", ARRAY_SIZE(tests));
	printf("# seed %llu (FUZZ_SEED), %llu rounds each (FUZZ_ROUNDS)\n",
	       seed, rounds);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		/* Each test has numbers of its own, whatever the others use. */
		random_state = seed + (i << 56);
		ok = true;
		for (n = 0; ok && n * tests[i].takes < rounds; n++)
			ok = tests[i].round();
		if (!ok)
			printf("# round %llu: %s\n", n, broken);
		printf("%sok %zu %s\n", ok ? "" : "not ", i + 1, tests[i].name);
		all_ok &= ok;
	}
	return all_ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
