// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpollctl histogram: how long idle periods are.
 */

#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpollctl.h"
#include "json.h"
#include "state.h"

#define BAR_WIDTH	40

/* All CPUs' together: every column but the first. */
static u64 row_total(const struct table *lengths, unsigned int row)
{
	const u64 *cells = lengths->cells + (size_t)row * lengths->columns;
	unsigned int column;
	u64 total = 0;

	for (column = 1; column < lengths->columns; column++)
		total += cells[column];
	return total;
}

static void print_text(const u64 *counts, const struct table *lengths)
{
	unsigned int row, first = 0, last = lengths->rows;
	u64 most = 0, total = 0;

	for (row = 0; row < lengths->rows; row++) {
		total += counts[row];
		most = counts[row] > most ? counts[row] : most;
	}
	if (!total) {
		puts("no idle period under hpoll");
		return;
	}
	while (!counts[first])
		first++;
	while (!counts[last - 1])
		last--;
	for (row = first; row < last; row++) {
		unsigned int bar = counts[row] * BAR_WIDTH / most;

		printf("%8s and longer %12llu %5.1f%% ",
		       human_ns(table_at(lengths, row, "from_ns")), counts[row],
		       100.0 * counts[row] / total);
		while (bar--)
			putchar('#');
		putchar('\n');
	}
	printf("%llu idle periods\n", total);
}

static void print_json(const u64 *counts, const struct table *lengths)
{
	unsigned int row;

	json_open(NULL, '{');
	json_open("lengths", '[');
	for (row = 0; row < lengths->rows; row++) {
		json_open(NULL, '{');
		json_number("from_ns", table_at(lengths, row, "from_ns"));
		json_number("periods", counts[row]);
		json_close('}');
	}
	json_close(']');
	json_close('}');
}

int histogram_run(const struct options *options, int argc, char **argv)
{
	struct table *lengths, *before = NULL;
	unsigned int seconds = 0, row;
	u64 *counts;
	int c;

	while ((c = getopt(argc, argv, "d:")) != -1) {
		if (c != 'd')
			errx(EXIT_USAGE, "usage: hpollctl histogram [-d SECONDS]");
		seconds = to_number("-d", optarg, 1, 86400);
	}
	no_arguments(argc - optind + 1, argv + optind - 1);

	if (seconds) {
		before = state_lengths();
		sleep(seconds);
	}
	lengths = state_lengths();
	counts = calloc(lengths->rows + 1, sizeof(*counts));
	if (!counts)
		err(EXIT_CANNOT, "histogram");
	for (row = 0; row < lengths->rows; row++) {
		counts[row] = row_total(lengths, row);
		/* A CPU that left has taken its counts along. */
		if (before && row_total(before, row) <= counts[row])
			counts[row] -= row_total(before, row);
	}
	if (options->json)
		print_json(counts, lengths);
	else
		print_text(counts, lengths);
	free(counts);
	table_free(before);
	table_free(lengths);
	return EXIT_FINE;
}
