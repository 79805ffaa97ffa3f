// SPDX-License-Identifier: GPL-2.0-only
/*
 * pingpong - round-trip time of one byte between two CPUs
 *
 * Two processes, each pinned to a CPU of its own, pass a byte to and fro
 * through two pipes. While one runs the other waits, so every round trip holds
 * two wake-ups of an idle CPU. Prints the distribution as JSON on one line.
 *
 * With a gap the first CPU busy-waits before each round: the second one has then
 * been idle for that long. A jitter adds up to that much, evenly spread, from
 * the same pseudo-random sequence in every run.
 */

#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long u64;

#define EXIT_USAGE	2
#define MAX_ROUNDS	10000000
#define MAX_GAP_US	1000000
/* Share of the worst rounds whose mean is given: a percentile is noisier. */
#define WORST_SHARE	100

struct options {
	unsigned int cpu[2];
	unsigned int rounds;
	unsigned int warmup;
	unsigned int gap_us;
	unsigned int jitter_us;
};

static const char usage[] =
	"usage: pingpong [-a CPU] [-b CPU] [-n ROUNDS] [-w WARMUP] [-g GAP_US] [-j JITTER_US]";

static unsigned int to_uint(char option, const char *text, unsigned int least, unsigned int most)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || value < least || value > most)
		errx(EXIT_USAGE, "-%c %s: want a number from %u to %u", option, text, least, most);
	return value;
}

static struct options parse(int argc, char **argv)
{
	struct options options = {
		.cpu = { 0, 1 }, .rounds = 1000, .warmup = 100,
	};
	int option;

	opterr = 0;
	while ((option = getopt(argc, argv, "a:b:n:w:g:j:")) != -1) {
		switch (option) {
		case 'a':
		case 'b':
			options.cpu[option - 'a'] = to_uint(option, optarg, 0, CPU_SETSIZE - 1);
			break;
		case 'n':
			options.rounds = to_uint(option, optarg, 1, MAX_ROUNDS);
			break;
		case 'w':
			options.warmup = to_uint(option, optarg, 0, MAX_ROUNDS);
			break;
		case 'g':
			options.gap_us = to_uint(option, optarg, 0, MAX_GAP_US);
			break;
		case 'j':
			options.jitter_us = to_uint(option, optarg, 0, MAX_GAP_US);
			break;
		default:
			errx(EXIT_USAGE, "%s", usage);
		}
	}
	if (optind != argc)
		errx(EXIT_USAGE, "unexpected '%s'; %s", argv[optind], usage);
	if (options.cpu[0] == options.cpu[1])
		errx(EXIT_USAGE, "-a and -b are both CPU %u: want two", options.cpu[0]);
	return options;
}

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		errx(EXIT_USAGE, "can't run on CPU %u: %s", cpu, strerror(errno));
}

static u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void busy_wait(u64 ns)
{
	u64 end = now_ns() + ns;

	while (now_ns() < end)
		;
}

/* 0 to most, by the generator of Numerical Recipes. */
static unsigned int spread(unsigned int most)
{
	static unsigned int state = 1;

	state = state * 1664525u + 1013904223u;
	return (u64)state * (most + 1) >> 32;
}

static noreturn void echo(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1)
		if (write(to, &byte, 1) != 1)
			break;
	_exit(0);
}

static u64 round_trip(int to, int from)
{
	u64 start = now_ns();
	char byte = 0;

	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		errx(1, "the other process is gone");
	return now_ns() - start;
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 mean(const u64 *ns, unsigned int count)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		sum += ns[i];
	return sum / count;
}

static u64 quantile(const u64 *ns, unsigned int count, unsigned int percent)
{
	return ns[((u64)(count - 1) * percent + 50) / 100];
}

static void report(const struct options *options, u64 *ns, u64 elapsed_ns)
{
	unsigned int n = options->rounds;
	unsigned int worst = (n + WORST_SHARE - 1) / WORST_SHARE;

	qsort(ns, n, sizeof(*ns), compare_u64);
	printf("{\"unit\":\"ns\",\"a\":%u,\"b\":%u,\"gap_us\":%u,\"jitter_us\":%u",
	       options->cpu[0], options->cpu[1], options->gap_us, options->jitter_us);
	printf(",\"samples\":%u,\"elapsed_ns\":%llu", n, elapsed_ns);
	printf(",\"min\":%llu,\"p1\":%llu,\"p50\":%llu,\"p90\":%llu,\"p99\":%llu,\"max\":%llu",
	       quantile(ns, n, 0), quantile(ns, n, 1), quantile(ns, n, 50),
	       quantile(ns, n, 90), quantile(ns, n, 99), quantile(ns, n, 100));
	printf(",\"mean\":%llu,\"worst1pct_mean\":%llu}\n", mean(ns, n),
	       mean(ns + n - worst, worst));
}

int main(int argc, char **argv)
{
	struct options options = parse(argc, argv);
	int ping[2], pong[2];
	u64 start;
	unsigned int i;
	u64 *ns;
	pid_t child;

	ns = calloc(options.rounds, sizeof(*ns));
	if (!ns)
		errx(1, "no memory for %u rounds", options.rounds);
	/* Touched now, so that no round pays for a page fault. */
	memset(ns, 0xff, options.rounds * sizeof(*ns));

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ping) || pipe(pong))
		errx(1, "pipe: %s", strerror(errno));
	/* Here first, so that a CPU which isn't there is reported once. */
	pin(options.cpu[1]);
	child = fork();
	if (child < 0)
		errx(1, "fork: %s", strerror(errno));
	if (!child) {
		close(ping[1]);
		close(pong[0]);
		echo(ping[0], pong[1]);
	}
	close(ping[0]);
	close(pong[1]);
	pin(options.cpu[0]);

	for (i = 0; i < options.warmup; i++)
		round_trip(ping[1], pong[0]);

	start = now_ns();
	for (i = 0; i < options.rounds; i++) {
		unsigned int gap_us = options.gap_us;

		if (options.jitter_us)
			gap_us += spread(options.jitter_us);
		if (gap_us)
			busy_wait((u64)gap_us * 1000);
		ns[i] = round_trip(ping[1], pong[0]);
	}
	report(&options, ns, now_ns() - start);

	close(ping[1]);
	waitpid(child, NULL, 0);
	return fflush(stdout) ? 1 : 0;
}
