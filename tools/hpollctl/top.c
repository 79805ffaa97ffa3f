// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpollctl top: what hpoll does on each CPU, live.
 */

#include <err.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "hpollctl.h"
#include "json.h"
#include "state.h"

#define NARROWEST	40
#define WIDEST		200
/* Where nobody says how wide the terminal is: a pipe, a serial line. */
#define USUAL_WIDTH	80

/* What stands left of the bars. */
#define FIGURES_WIDTH	44

struct view {
	bool json;
	bool clears;
	unsigned int width;
};

/* What happened on a CPU between two readings. */
struct rates {
	u64 cpu;
	u64 window_ns;
	double hits_s;
	double halts_s;
	double refused_s;
	double hit_share;
	double vain_share;
	double halted_share;
};

static atomic_bool stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = true;
}

static unsigned int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long width = 0;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	else if (columns)
		width = strtol(columns, NULL, 10);
	if (width <= 0)
		width = USUAL_WIDTH;
	return width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width;
}

/* Return: the row of this CPU, which may have gone; -1 */
static int find_cpu(const struct table *table, u64 cpu)
{
	unsigned int row;

	for (row = 0; row < table->rows; row++)
		if (table_at(table, row, "cpu") == cpu)
			return row;
	return -1;
}

static struct rates compare(const struct table *before, unsigned int was,
			    const struct table *after, unsigned int is, double seconds)
{
	u64 hits = table_at(after, is, "hits") - table_at(before, was, "hits");
	u64 halts = table_at(after, is, "halts") - table_at(before, was, "halts");
	u64 polled = table_at(after, is, "polled_ns") - table_at(before, was, "polled_ns");
	u64 vain = table_at(after, is, "vain_ns") - table_at(before, was, "vain_ns");
	u64 halted = table_at(after, is, "halted_ns") - table_at(before, was, "halted_ns");
	u64 refused = table_at(after, is, "refused") - table_at(before, was, "refused");

	return (struct rates) {
		.cpu = table_at(after, is, "cpu"),
		.window_ns = table_at(after, is, "window_ns"),
		.hits_s = hits / seconds,
		.halts_s = halts / seconds,
		.refused_s = refused / seconds,
		.hit_share = (polled - vain) / seconds / 1e9,
		.vain_share = vain / seconds / 1e9,
		.halted_share = halted / seconds / 1e9,
	};
}

static void put(char c, unsigned int times)
{
	while (times--)
		putchar(c);
}

static unsigned int part(double share, unsigned int width)
{
	return share > 1 ? width : share * width + 0.5;
}

/* '#' polled with success, 'x' polled in vain, '.' halted, ' ' at work. */
static void print_bar(const struct rates *r, unsigned int width)
{
	unsigned int good = part(r->hit_share, width);
	unsigned int vain = part(r->hit_share + r->vain_share, width) - good;
	unsigned int halted = part(r->hit_share + r->vain_share + r->halted_share, width) - good -
			      vain;

	putchar('[');
	put('#', good);
	put('x', vain);
	put('.', halted);
	put(' ', width - good - vain - halted);
	putchar(']');
}

static void print_rates(const struct rates *r, const struct view *view)
{
	printf("%4llu %8s %9.0f %9.0f %5.1f %5.1f", r->cpu, human_ns(r->window_ns),
	       r->hits_s, r->halts_s, 100 * r->hit_share, 100 * r->vain_share);
	if (view->width > FIGURES_WIDTH + 14) {
		putchar(' ');
		print_bar(r, view->width - FIGURES_WIDTH - 4);
	}
	putchar('\n');
}

static void print_json(const struct rates *r)
{
	json_open(NULL, '{');
	json_number("cpu", r->cpu);
	json_number("window_ns", r->window_ns);
	json_fraction("hits_per_s", r->hits_s);
	json_fraction("halts_per_s", r->halts_s);
	json_fraction("refused_per_s", r->refused_s);
	json_fraction("polled_share", r->hit_share + r->vain_share);
	json_fraction("vain_share", r->vain_share);
	json_fraction("halted_share", r->halted_share);
	json_close('}');
}

static void print_head(const struct state *state, const struct view *view)
{
	if (view->clears)
		fputs("\033[H\033[J", stdout);
	printf("hpoll: active: %s; halt cost: %s\n", state_value(state, "active"),
	       state_value(state, "halt cost"));
	printf("%4s %8s %9s %9s %5s %5s", "cpu", "window", "hits/s", "halts/s", "poll%", "vain%");
	if (view->width > FIGURES_WIDTH + 14)
		fputs("  # polled, x in vain, . halted", stdout);
	putchar('\n');
}

static void show(const struct view *view, const struct table *before, const struct table *after,
		 double seconds)
{
	struct state state = state_read();
	unsigned int row;

	if (view->json) {
		json_open(NULL, '{');
		json_bool("active", state.active);
		json_open("cpus", '[');
	} else {
		print_head(&state, view);
	}
	for (row = 0; row < after->rows; row++) {
		int was = find_cpu(before, table_at(after, row, "cpu"));
		struct rates rates;

		if (was < 0)
			continue;
		rates = compare(before, was, after, row, seconds);
		if (view->json)
			print_json(&rates);
		else
			print_rates(&rates, view);
	}
	if (view->json) {
		json_close(']');
		json_close('}');
	}
	fflush(stdout);
	state_free(&state);
}

static void rest(unsigned int seconds)
{
	struct timespec pause = { .tv_sec = seconds };

	while (nanosleep(&pause, &pause) && !stopped)
		;
}

int top_run(const struct options *options, int argc, char **argv)
{
	struct view view = {
		.json = options->json,
		.clears = !options->json && isatty(STDOUT_FILENO),
	};
	unsigned int delay_s = 1, times = 0, i;
	struct table *before, *after;
	u64 then_ns, at_ns;
	int c;

	while ((c = getopt(argc, argv, "d:n:")) != -1) {
		switch (c) {
		case 'd':
			delay_s = to_number("-d", optarg, 1, 3600);
			break;
		case 'n':
			times = to_number("-n", optarg, 1, 1000000);
			break;
		default:
			errx(EXIT_USAGE, "usage: hpollctl top [-d SECONDS] [-n TIMES]");
		}
	}
	no_arguments(argc - optind + 1, argv + optind - 1);

	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	before = state_cpus();
	then_ns = now_ns();
	for (i = 0; !times || i < times; i++) {
		rest(delay_s);
		if (stopped)
			break;
		after = state_cpus();
		at_ns = now_ns();
		view.width = terminal_width();
		show(&view, before, after, (at_ns - then_ns) / 1e9);
		table_free(before);
		before = after;
		then_ns = at_ns;
	}
	table_free(before);
	return EXIT_FINE;
}
