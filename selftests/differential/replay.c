// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay - does the classic rule decide as mainline's haltpoll did?
 *
 * Reads a trace of mainline's governor at work on stdin. Of interest are two
 * events, in this order on each CPU:
 *
 *   reflect: (haltpoll_reflect+0x0/0x90) block=73512 index=1
 *        an idle state was left; a probe on the governor's entry, so block is
 *        exactly the length on which the governor will decide
 *   guest_halt_poll_ns: halt_poll_ns 100000 (grow 50000)
 *        what it decided, if it took a branch that changes the window
 *
 * Every block is given to hpoll_classic_next_ns(), the source that is built into
 * the module. The two windows must be equal at every step. Where they differ
 * for one of the documented reasons that is counted apart, and the replay goes
 * on with mainline's window.
 *
 * Prints the counts as JSON on one line. Exit status: 0 equal, 1 not, 2 the
 * trace or an option is bad.
 */

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include <hpoll/policy.h>

#define EXIT_USAGE	2
#define MAX_CPUS	256
#define MAX_LINE	512
/* How many disagreements are shown; the rest is counted. */
#define SHOWN		10

struct cpu {
	/* The window by our rule; mainline sets it to 0 when it is enabled. */
	u32 window_ns;
	/* A block was seen, whose decision may follow. */
	bool pending;
	u32 old_ns;
	u64 block_ns;
	unsigned long line;
};

struct counts {
	unsigned long blocks;
	unsigned long grows;
	unsigned long shrinks;
	unsigned long unchanged;
	unsigned long documented;
	unsigned long disagreed;
};

static struct hpoll_params params = {
	HPOLL_MAINLINE_DEFAULTS,
};

static struct cpu cpus[MAX_CPUS];
static struct counts counts;

static u32 to_u32(char option, const char *text)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || value > U32_MAX)
		errx(EXIT_USAGE, "-%c %s: want a number from 0 to %u", option, text, U32_MAX);
	return value;
}

/* As the kernel writes it in sysfs, or as a number. */
static bool to_bool(char option, const char *text)
{
	if (!strcmp(text, "Y") || !strcmp(text, "1"))
		return true;
	if (!strcmp(text, "N") || !strcmp(text, "0"))
		return false;
	errx(EXIT_USAGE, "-%c %s: want Y or N", option, text);
}

static void parse(int argc, char **argv)
{
	static const char usage[] =
		"usage: replay [-m MAX_NS] [-g GROW] [-s SHRINK] [-t START_NS] [-a Y|N] <TRACE";
	int option;

	opterr = 0;
	while ((option = getopt(argc, argv, "m:g:s:t:a:")) != -1) {
		switch (option) {
		case 'm':
			params.max_ns = to_u32('m', optarg);
			break;
		case 'g':
			params.grow = to_u32('g', optarg);
			break;
		case 's':
			params.shrink = to_u32('s', optarg);
			break;
		case 't':
			params.grow_start_ns = to_u32('t', optarg);
			break;
		case 'a':
			params.allow_shrink = to_bool('a', optarg);
			break;
		default:
			errx(EXIT_USAGE, "%s", usage);
		}
	}
	if (optind != argc)
		errx(EXIT_USAGE, "unexpected '%s'; %s", argv[optind], usage);
}

/*
 * The differences that are meant: mainline lets the window stay above a
 * maximum that was lowered, wraps products at 2^32, and makes a window smaller
 * when it grows by a factor of 0.
 */
static bool documented(const struct cpu *cpu)
{
	u64 product = (u64)cpu->old_ns * params.grow;

	if (cpu->old_ns > params.max_ns)
		return true;
	if (cpu->block_ns > params.max_ns || cpu->block_ns <= cpu->old_ns)
		return false;
	return product > U32_MAX || product < cpu->old_ns;
}

/* Mainline went from old_ns to new_ns after the pending block. */
static void compare(struct cpu *cpu, u32 old_ns, u32 new_ns)
{
	cpu->pending = false;
	if (old_ns == cpu->old_ns && new_ns == cpu->window_ns) {
		if (new_ns > old_ns)
			counts.grows++;
		else if (new_ns < old_ns)
			counts.shrinks++;
		else
			counts.unchanged++;
		return;
	}

	if (old_ns == cpu->old_ns && documented(cpu)) {
		counts.documented++;
	} else {
		counts.disagreed++;
		if (counts.disagreed <= SHOWN)
			warnx("line %lu, CPU %d, block %llu: mainline %u -> %u, ours %u -> %u",
			      cpu->line, (int)(cpu - cpus), cpu->block_ns, old_ns, new_ns,
			      cpu->old_ns, cpu->window_ns);
	}
	cpu->window_ns = new_ns;
}

static void on_block(struct cpu *cpu, u64 block_ns, int index, unsigned long line)
{
	/* No event since the last block: mainline left the window alone. */
	if (cpu->pending)
		compare(cpu, cpu->old_ns, cpu->old_ns);
	/* State 0 polls: nothing is learned. */
	if (index == 0)
		return;

	counts.blocks++;
	cpu->pending = true;
	cpu->line = line;
	cpu->block_ns = block_ns;
	cpu->old_ns = cpu->window_ns;
	cpu->window_ns = hpoll_classic_next_ns(&params, cpu->old_ns, block_ns);
}

static void on_decision(struct cpu *cpu, u32 old_ns, u32 new_ns, unsigned long line)
{
	if (!cpu->pending)
		errx(EXIT_USAGE, "line %lu: a decision without a block", line);
	compare(cpu, old_ns, new_ns);
}

static void read_line(const char *text, unsigned long line)
{
	const char *reflect = strstr(text, " reflect: (");
	const char *decision = strstr(text, " guest_halt_poll_ns: ");
	const char *bracket = strchr(text, '[');
	unsigned int id, new_ns, old_ns;
	unsigned long long block_ns;
	char how[8];
	int index;

	if (strstr(text, "LOST") && strstr(text, "EVENTS"))
		errx(EXIT_USAGE, "line %lu: events were lost", line);
	if (!reflect && !decision)
		return;
	if (!bracket || sscanf(bracket, "[%u]", &id) != 1 || id >= MAX_CPUS)
		errx(EXIT_USAGE, "line %lu: no CPU in '%s'", line, text);

	if (reflect) {
		reflect = strstr(reflect, ") block=");
		if (!reflect || sscanf(reflect, ") block=%llu index=%d", &block_ns, &index) != 2)
			errx(EXIT_USAGE, "line %lu: want block and index in '%s'", line, text);
		on_block(&cpus[id], block_ns, index, line);
	} else {
		if (sscanf(decision, " guest_halt_poll_ns: halt_poll_ns %u (%7s %u)",
			   &new_ns, how, &old_ns) != 3)
			errx(EXIT_USAGE, "line %lu: want two windows in '%s'", line, text);
		on_decision(&cpus[id], old_ns, new_ns, line);
	}
}

int main(int argc, char **argv)
{
	unsigned long line = 0;
	char text[MAX_LINE];

	parse(argc, argv);
	while (fgets(text, sizeof(text), stdin)) {
		text[strcspn(text, "\n")] = '\0';
		read_line(text, ++line);
	}
	/* The trace may have been cut between the last block and its decision. */

	printf("{\"blocks\":%lu,\"grows\":%lu,\"shrinks\":%lu,\"unchanged\":%lu",
	       counts.blocks, counts.grows, counts.shrinks, counts.unchanged);
	printf(",\"documented\":%lu,\"disagreed\":%lu}\n", counts.documented, counts.disagreed);
	return counts.disagreed ? 1 : 0;
}
