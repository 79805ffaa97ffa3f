// SPDX-License-Identifier: GPL-2.0-only
/*
 * hammer - write to files at a fixed rate, from every CPU at once
 *
 * usage: hammer -s SECONDS -r RATE FILE=VALUE,VALUE... ...
 *
 * One process on each CPU writes RATE times a second: one of the values to one
 * of the files, in pseudo-random order. Prints how many writes came about, and
 * fails if one failed or if they were fewer than half of what was asked for.
 */

#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILES	16
#define MAX_VALUES	16
#define EXIT_USAGE	2

struct target {
	const char *path;
	char *values[MAX_VALUES];
	int nr_values;
};

static struct target targets[MAX_FILES];
static int nr_targets;

static noreturn void refuse(void)
{
	errx(EXIT_USAGE, "usage: hammer -s SECONDS -r RATE FILE=VALUE,VALUE... ...");
}

static long to_number(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || value < 1 || value > 1000000)
		errx(EXIT_USAGE, "%s: want a number from 1 to 1000000", text);
	return value;
}

static void add_target(char *text)
{
	struct target *target = &targets[nr_targets];
	char *values = strchr(text, '=');
	char *value;

	if (!values || nr_targets == MAX_FILES)
		refuse();
	*values++ = 0;
	target->path = text;
	while ((value = strsep(&values, ",")) && target->nr_values < MAX_VALUES)
		target->values[target->nr_values++] = value;
	nr_targets++;
}

static unsigned int pick(unsigned int *state, unsigned int below)
{
	*state = *state * 1664525u + 1013904223u;
	return (unsigned long long)*state * below >> 32;
}

static unsigned long hammer(int cpu, long seconds, long rate)
{
	const long period_ns = 1000000000 / rate;
	unsigned int state = cpu + 1;
	unsigned long done = 0;
	struct timespec start, next;
	int fd[MAX_FILES];
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	for (i = 0; i < nr_targets; i++) {
		fd[i] = open(targets[i].path, O_WRONLY);
		if (fd[i] < 0)
			err(1, "%s", targets[i].path);
	}

	clock_gettime(CLOCK_MONOTONIC, &start);
	next = start;
	while (done < (unsigned long)(seconds * rate)) {
		const struct target *target;
		const char *value;
		struct timespec now;

		i = pick(&state, nr_targets);
		target = &targets[i];
		value = target->values[pick(&state, target->nr_values)];
		if (pwrite(fd[i], value, strlen(value), 0) < 0)
			err(1, "%s to %s", value, target->path);
		done++;

		next.tv_nsec += period_ns;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		/* Where the machine can't keep up, the time is what ends it. */
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > start.tv_sec + seconds)
			break;
	}
	return done;
}

int main(int argc, char **argv)
{
	long seconds = 0, rate = 0, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long *done, sum = 0, wanted;
	int option, cpu, status, failed = 0;

	while ((option = getopt(argc, argv, "s:r:")) != -1) {
		if (option == 's')
			seconds = to_number(optarg);
		else if (option == 'r')
			rate = to_number(optarg);
		else
			refuse();
	}
	while (optind < argc)
		add_target(argv[optind++]);
	if (!seconds || !rate || !nr_targets)
		refuse();

	done = mmap(NULL, cpus * sizeof(*done), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (done == MAP_FAILED)
		err(1, "no memory");
	for (cpu = 0; cpu < cpus; cpu++) {
		pid_t child = fork();

		if (child < 0)
			err(1, "fork");
		if (!child) {
			done[cpu] = hammer(cpu, seconds, rate);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	for (cpu = 0; cpu < cpus; cpu++)
		sum += done[cpu];
	wanted = cpus * seconds * rate;
	printf("%lu of %lu writes from %ld CPUs in about %ld s\n", sum, wanted, cpus, seconds);
	return failed || sum < wanted / 2;
}
