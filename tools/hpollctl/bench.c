// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpollctl bench: wake-ups between two CPUs under each governor, side by side.
 *
 * Two figures: how long it takes from waking a sleeping thread on another CPU until
 * it runs; and a round trip between two threads that take turns. Governors alternate
 * within one run, and the order is turned round after each round, since a guest may
 * be faster now than it is in a second. "hpoll:classic" is hpoll under that policy.
 */

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files.h"
#include "hpollctl.h"
#include "json.h"
#include "state.h"

#define CURRENT_GOVERNOR	CPUIDLE "current_governor"
#define AVAILABLE_GOVERNORS	CPUIDLE "available_governors"

#define POLICY			PARAMETERS "policy"

#define MAX_GOVERNORS	8
#define MAX_ROUNDS	101

/* The sleeper has long been idle by then. The waker is not: it counts the time. */
#define GAP_NS		100000

/* What a switch leaves to do, and a window to be learned. */
#define WARM_UPS	200

enum figure { WAKE_UP, ROUND_TRIP, FIGURES };

static const char * const figure_names[] = { "wake-up", "round trip" };
static const char * const figure_keys[] = { "wake_up_ns", "round_trip_ns" };

/**
 * struct contender - what is measured
 * @name: as it was asked for
 * @governor: made current
 * @policy: ... with this policy of hpoll's; NULL: as it is
 * @medians: of each round
 */
struct contender {
	const char *name;
	char *governor;
	const char *policy;
	u64 medians[FIGURES][MAX_ROUNDS];
};

struct plan {
	unsigned int cpus[2];
	unsigned int samples;
	unsigned int rounds;
	struct contender contenders[MAX_GOVERNORS];
	unsigned int count;
};

/**
 * struct duel - two threads that wake each other up
 * @turn: whose turn it is: 0 or 1
 * @woken_ns: when thread 1 was woken, for thread 1
 * @samples: how many turns each has
 * @took_ns: what was measured
 * @pause: thread 0 waits for GAP_NS before each turn, at work
 * @cpu: of thread 1
 */
struct duel {
	atomic_uint turn;
	atomic_ullong woken_ns;
	unsigned int samples;
	u64 *took_ns;
	bool pause;
	unsigned int cpu;
};

static char *governor_before;
/* NULL unless it is to be changed. */
static char *policy_before;
static atomic_int stopped;

static void restore(void)
{
	if (policy_before)
		files_write(POLICY, policy_before);
	if (governor_before)
		files_write(CURRENT_GOVERNOR, governor_before);
}

static void stop(int sig)
{
	stopped = sig;
}

static void bind_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(EXIT_USAGE, "-c: CPU %u", cpu);
}

static void hand_over(struct duel *duel, u32 to)
{
	atomic_store(&duel->turn, to);
	syscall(SYS_futex, &duel->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void await(struct duel *duel, u32 turn)
{
	while (atomic_load(&duel->turn) != turn)
		syscall(SYS_futex, &duel->turn, FUTEX_WAIT_PRIVATE, !turn, NULL, NULL, 0);
}

static void *answer(void *arg)
{
	struct duel *duel = arg;
	unsigned int i;

	bind_to(duel->cpu);
	for (i = 0; i < duel->samples; i++) {
		await(duel, 1);
		if (duel->pause)
			duel->took_ns[i] = now_ns() - atomic_load(&duel->woken_ns);
		hand_over(duel, 0);
	}
	return NULL;
}

static void work_for(u64 ns)
{
	u64 start_ns = now_ns();

	while (now_ns() - start_ns < ns)
		;
}

static void call(struct duel *duel)
{
	u64 start_ns;
	unsigned int i;

	for (i = 0; i < duel->samples; i++) {
		if (duel->pause)
			work_for(GAP_NS);
		start_ns = now_ns();
		atomic_store(&duel->woken_ns, start_ns);
		hand_over(duel, 1);
		await(duel, 0);
		if (!duel->pause)
			duel->took_ns[i] = now_ns() - start_ns;
		if (stopped)
			exit(128 + stopped);
	}
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static u64 median(u64 *numbers, unsigned int count)
{
	qsort(numbers, count, sizeof(*numbers), compare);
	return numbers[(count - 1) / 2];
}

static u64 measure(const struct plan *plan, enum figure figure, unsigned int samples)
{
	struct duel duel = {
		.samples = samples,
		.pause = figure == WAKE_UP,
		.cpu = plan->cpus[1],
		.took_ns = calloc(samples, sizeof(*duel.took_ns)),
	};
	pthread_t thread;
	u64 ns;

	if (!duel.took_ns)
		err(EXIT_CANNOT, "bench");
	errno = pthread_create(&thread, NULL, answer, &duel);
	if (errno)
		err(EXIT_CANNOT, "bench: a thread");
	call(&duel);
	pthread_join(thread, NULL);
	ns = median(duel.took_ns, samples);
	free(duel.took_ns);
	return ns;
}

static void use_policy(const char *policy)
{
	if (!files_write(POLICY, policy))
		err(EXIT_CANNOT, "policy %s can't be switched to%s", policy,
		    errno == EACCES ? " (be root)" : "");
}

static void use_governor(const char *governor)
{
	/* Who names one governor may be no root, if that is the current one. */
	if (!strcmp(governor, governor_before) && geteuid())
		return;
	if (!files_write(CURRENT_GOVERNOR, governor))
		err(EXIT_CANNOT, "governor %s can't be switched to%s", governor,
		    errno == EACCES ? " (be root)" : "");
}

static void measure_round(struct plan *plan, unsigned int round)
{
	unsigned int i, figure;

	for (i = 0; i < plan->count; i++) {
		/* There and back. */
		struct contender *c = &plan->contenders[round % 2 ? plan->count - 1 - i : i];

		use_governor(c->governor);
		/* One without a policy is not measured under another one's. */
		if (policy_before)
			use_policy(c->policy ?: policy_before);
		for (figure = 0; figure < FIGURES; figure++) {
			measure(plan, figure, WARM_UPS);
			c->medians[figure][round] = measure(plan, figure, plan->samples);
		}
	}
}

static u64 overall(struct contender *contender, enum figure figure, unsigned int rounds)
{
	return median(contender->medians[figure], rounds);
}

static void print_figure(struct plan *plan, enum figure figure)
{
	u64 base = overall(&plan->contenders[0], figure, plan->rounds);
	unsigned int i;

	printf("%s between CPUs %u and %u:\n", figure_names[figure], plan->cpus[0],
	       plan->cpus[1]);
	for (i = 0; i < plan->count; i++) {
		struct contender *c = &plan->contenders[i];
		u64 ns = overall(c, figure, plan->rounds);

		/* Sorted by now. */
		printf("  %-14s %9s  (rounds: %s to %s)", c->name, human_ns(ns),
		       human_ns(c->medians[figure][0]),
		       human_ns(c->medians[figure][plan->rounds - 1]));
		if (i && ns)
			printf("  %.1f times as fast as %s", (double)base / ns,
			       plan->contenders[0].name);
		putchar('\n');
	}
}

static void print_text(struct plan *plan)
{
	print_figure(plan, WAKE_UP);
	print_figure(plan, ROUND_TRIP);
	printf("Medians of %u rounds of %u samples each, governors alternating.\n", plan->rounds,
	       plan->samples);
}

static void print_json(struct plan *plan)
{
	unsigned int i, figure, round;

	json_open(NULL, '{');
	json_number("samples", plan->samples);
	json_open("governors", '[');
	for (i = 0; i < plan->count; i++) {
		struct contender *c = &plan->contenders[i];

		json_open(NULL, '{');
		json_text("governor", c->name);
		for (figure = 0; figure < FIGURES; figure++) {
			json_number(figure_keys[figure], overall(c, figure, plan->rounds));
			json_open(figure == WAKE_UP ? "wake_up_rounds_ns" : "round_trip_rounds_ns",
				  '[');
			for (round = 0; round < plan->rounds; round++)
				json_number(NULL, c->medians[figure][round]);
			json_close(']');
		}
		json_close('}');
	}
	json_close(']');
	json_close('}');
}

static bool is_policy(const char *name)
{
	return !strcmp(name, "adaptive") || !strcmp(name, "classic");
}

/* NAME, or hpoll:POLICY */
static void add_contender(struct plan *plan, const char *name, const char *available)
{
	struct contender *c = &plan->contenders[plan->count];
	char *colon;

	if (plan->count == MAX_GOVERNORS)
		errx(EXIT_USAGE, "-g: more than %d governors", MAX_GOVERNORS);
	c->name = name;
	c->governor = strdup(name);
	if (!c->governor)
		err(EXIT_CANNOT, "bench");
	colon = strchr(c->governor, ':');
	if (colon) {
		*colon = '\0';
		c->policy = colon + 1;
		if (strcmp(c->governor, "hpoll") || !is_policy(c->policy))
			errx(EXIT_USAGE,
			     "-g %s: expected a governor, hpoll:adaptive or hpoll:classic", name);
	}
	if (!text_has_word(available, c->governor))
		errx(EXIT_USAGE, "-g: there is no governor %s; there are: %s", c->governor,
		     available);
	plan->count++;
}

/* Restored in the end, if it is changed. */
static void remember_policy(const struct plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->count; i++) {
		if (!plan->contenders[i].policy)
			continue;
		policy_before = files_line(POLICY);
		if (!policy_before)
			err(EXIT_CANNOT, "%s", POLICY);
		return;
	}
}

/* What is asked for; or hpoll and the kernel's usual one, as far as they are there. */
static void choose_governors(struct plan *plan, char *wanted)
{
	static const char * const usual[] = { "menu", "hpoll" };
	char *available = files_line(AVAILABLE_GOVERNORS), *name, *rest;
	size_t i;

	governor_before = files_line(CURRENT_GOVERNOR);
	if (!available || !governor_before)
		err(EXIT_CANNOT, "%s", CURRENT_GOVERNOR);
	for (name = wanted ? strtok_r(wanted, ",", &rest) : NULL; name;
	     name = strtok_r(NULL, ",", &rest))
		add_contender(plan, name, available);
	if (wanted)
		return;
	for (i = 0; i < ARRAY_SIZE(usual); i++)
		if (text_has_word(available, usual[i]))
			add_contender(plan, usual[i], available);
	if (!plan->count)
		add_contender(plan, governor_before, available);
}

static void parse_cpus(struct plan *plan, const char *text)
{
	char rest;

	if (sscanf(text, "%u,%u%c", &plan->cpus[0], &plan->cpus[1], &rest) != 2 ||
	    plan->cpus[0] == plan->cpus[1] || plan->cpus[0] >= CPU_SETSIZE ||
	    plan->cpus[1] >= CPU_SETSIZE)
		errx(EXIT_USAGE, "-c %s: expected two different CPUs, such as 0,1", text);
}

int bench_run(const struct options *options, int argc, char **argv)
{
	static struct plan plan = { .cpus = { 0, 1 }, .samples = 2000, .rounds = 5 };
	char *governors = NULL;
	unsigned int round;
	int c;

	while ((c = getopt(argc, argv, "c:g:n:r:")) != -1) {
		switch (c) {
		case 'c':
			parse_cpus(&plan, optarg);
			break;
		case 'g':
			governors = optarg;
			break;
		case 'n':
			plan.samples = to_number("-n", optarg, 10, 10000000);
			break;
		case 'r':
			plan.rounds = to_number("-r", optarg, 1, MAX_ROUNDS);
			break;
		default:
			errx(EXIT_USAGE, "see hpollctl --help");
		}
	}
	no_arguments(argc - optind + 1, argv + optind - 1);
	if (!files_are_real())
		errx(EXIT_USAGE, "bench measures this machine: do without --root");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		errx(EXIT_CANNOT, "bench needs two CPUs, one that wakes the other");
	choose_governors(&plan, governors);
	remember_policy(&plan);

	bind_to(plan.cpus[1]);
	bind_to(plan.cpus[0]);
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	atexit(restore);
	for (round = 0; round < plan.rounds; round++)
		measure_round(&plan, round);

	if (options->json)
		print_json(&plan);
	else
		print_text(&plan);
	return EXIT_FINE;
}
