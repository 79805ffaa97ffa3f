// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pictures: for each trace the lengths of its periods as dots, each policy's
 * window as a line, and the policies' cost ratios as bars beside.
 */

#include <err.h>
#include <math.h>
#include <stdlib.h>

#include "replay.h"

/* Of one trace's part, in pixels. */
#define WIDTH		1100
#define HEIGHT		300
#define LEFT		70
#define TOP		34
#define GRAPH_WIDTH	700
#define GRAPH_HEIGHT	220
#define BARS_LEFT	(LEFT + GRAPH_WIDTH + 110)
#define BAR_HEIGHT	16
/* More points than this can't be told apart. */
#define POINTS		700
/* The least length that the logarithmic axis shows, in ns. */
#define LEAST_NS	1000.0

static const char * const colours[POLICIES] = {
	[POLICY_CLASSIC] = "#c0392b",
	[POLICY_ADAPTIVE] = "#1f6fb2",
	[POLICY_ALWAYS] = "#8e6c1f",
	[POLICY_NEVER] = "#777777",
	[POLICY_BEST_FIXED] = "#2e8b57",
	[POLICY_OPTIMUM] = "#999999",
};

struct plot {
	FILE *file;
	const char *path;
	const struct trace *trace;
	double top_ns;
	int parts;
	int bars;
};

/* Always as long as itself: it is written again once the height is known. */
static void print_head(struct plot *plot)
{
	fprintf(plot->file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"12\" width=\"%d\" height=\"%10d\">",
		WIDTH, plot->parts * HEIGHT);
}

struct plot *plot_open(const char *path)
{
	struct plot *plot = calloc(1, sizeof(*plot));

	if (!plot)
		err(1, "no memory");
	plot->path = path;
	plot->file = fopen(path, "w");
	if (!plot->file)
		err(1, "%s", path);
	print_head(plot);
	fprintf(plot->file, "\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
	return plot;
}

static void print_escaped(FILE *file, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? '?' : *text, file);
		}
	}
}

/* The top of the present trace's graph. */
static int top_of(const struct plot *plot)
{
	return (plot->parts - 1) * HEIGHT + TOP;
}

/* Every how many periods there is a point. */
static size_t step_of(const struct plot *plot)
{
	return plot->trace->count / POINTS + 1;
}

static double x_of(const struct plot *plot, size_t i)
{
	return LEFT + (double)GRAPH_WIDTH * i / plot->trace->count;
}

static double y_of(const struct plot *plot, double ns)
{
	double part;

	if (ns < LEAST_NS)
		ns = LEAST_NS;
	if (ns > plot->top_ns)
		ns = plot->top_ns;
	part = log(ns / LEAST_NS) / log(plot->top_ns / LEAST_NS);
	return top_of(plot) + GRAPH_HEIGHT * (1 - part);
}

static void plot_axis(struct plot *plot)
{
	double ns;

	for (ns = LEAST_NS; ns <= plot->top_ns; ns *= 10) {
		fprintf(plot->file,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g us</text>\n",
			LEFT, LEFT + GRAPH_WIDTH, y_of(plot, ns), y_of(plot, ns), LEFT - 6,
			y_of(plot, ns) + 4, ns / 1000);
	}
}

void plot_trace(struct plot *plot, const struct trace *trace,
		const struct settings *settings)
{
	double top_ns = settings->params.max_ns;
	size_t i;

	plot->trace = trace;
	plot->parts++;
	plot->bars = 0;
	for (i = 0; i < trace->count; i++)
		if (trace->periods[i].length_ns > top_ns)
			top_ns = trace->periods[i].length_ns;
	plot->top_ns = top_ns < 10 * LEAST_NS ? 10 * LEAST_NS : top_ns;

	fprintf(plot->file, "<text x=\"%d\" y=\"%d\" font-size=\"14\">", LEFT,
		top_of(plot) - 12);
	print_escaped(plot->file, trace->name);
	fprintf(plot->file, " (%zu idle periods; dots: their lengths, lines: windows)</text>\n",
		trace->count);
	plot_axis(plot);
	fprintf(plot->file, "<g fill=\"#bbbbbb\">\n");
	for (i = 0; i < trace->count; i += step_of(plot))
		fprintf(plot->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>\n", x_of(plot, i),
			y_of(plot, trace->periods[i].length_ns));
	fprintf(plot->file, "</g>\n<text x=\"%d\" y=\"%d\">cost, times the optimum</text>\n",
		BARS_LEFT, plot->parts * HEIGHT - HEIGHT + TOP - 12);
}

static void plot_bar(struct plot *plot, enum policy_id id, double ratio)
{
	int y = top_of(plot) + plot->bars++ * (BAR_HEIGHT + 8);
	double width = fmin(40 * ratio, 150);

	fprintf(plot->file,
		"<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n<text x=\"%.1f\" y=\"%d\">%.2f</text>\n",
		BARS_LEFT - 6, y + BAR_HEIGHT - 4, policy_names[id], BARS_LEFT, y,
		width, BAR_HEIGHT, colours[id], BARS_LEFT + width + 6, y + BAR_HEIGHT - 4, ratio);
}

void plot_windows(struct plot *plot, enum policy_id id, const u32 *windows,
		  double ratio)
{
	size_t i;

	plot_bar(plot, id, ratio);
	/* That one has no window: it knows. */
	if (id == POLICY_OPTIMUM)
		return;
	fprintf(plot->file, "<polyline fill=\"none\" stroke=\"%s\" points=\"", colours[id]);
	for (i = 0; i < plot->trace->count; i += step_of(plot))
		fprintf(plot->file, "%.1f,%.1f ", x_of(plot, i), y_of(plot, windows[i]));
	fprintf(plot->file, "\"/>\n");
}

void plot_close(struct plot *plot)
{
	fprintf(plot->file, "</svg>\n");
	rewind(plot->file);
	print_head(plot);
	if (ferror(plot->file) || fclose(plot->file))
		err(1, "%s", plot->path);
	free(plot);
}
