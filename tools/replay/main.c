// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpoll-replay: replay traces of idle periods under policies.
 */

#include <ctype.h>
#include <err.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>

#include "replay.h"

enum format { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON };

struct options {
	struct settings settings;
	bool wanted[POLICIES];
	enum format format;
	const char *plot;
};

static const char help[] =
	"usage: hpoll-replay [OPTION]... FILE...\n"
	"Replay traces of idle periods under polling policies, and compare what they cost.\n"
	"\n"
	"A trace has one idle period in a line: its length in ns; optionally how far the\n"
	"next timer was when it began, in ns, or '-'; optionally how it ended (resched,\n"
	"timer or other). '#' begins a comment. Files may end in .gz or .zst; - is\n"
	"standard input.\n"
	"\n"
	"  -p, --policy=NAME[,NAME]  classic, adaptive, always, never, best-fixed, optimum;\n"
	"                            may be repeated (default: all of them)\n"
	"      --max-ns=N            guest_halt_poll_ns (default 200000)\n"
	"      --halt-cost-ns=N      what a halt costs more than a poll; 0, the default,\n"
	"                            stands for --max-ns, which wins if it is smaller\n"
	"      --grow=N              guest_halt_poll_grow (default 2)\n"
	"      --shrink=N            guest_halt_poll_shrink (default 2)\n"
	"      --grow-start-ns=N     guest_halt_poll_grow_start (default 50000)\n"
	"      --allow-shrink=Y|N    guest_halt_poll_allow_shrink (default Y)\n"
	"      --poll-budget-pct=N   poll_budget_pct (default 1); all time is taken for idle\n"
	"  -f, --format=FORMAT       table, tsv or json (default: table)\n"
	"      --plot=FILE.svg       draw windows over time and cost ratios\n"
	"  -h, --help                print this\n"
	"\n"
	"cost_ratio is the cost in units of what a policy that knows the future would\n"
	"pay: a period of length T costs T where the window covers it, else the window\n"
	"and a halt.\n";

static u32 to_number(const char *option, const char *text, u32 least, u32 most)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*text) || value < least ||
	    value > most)
		errx(EXIT_USAGE, "--%s=%s: expected a whole number from %u to %u", option, text,
		     least, most);
	return value;
}

static u32 to_u32(const char *option, const char *text)
{
	return to_number(option, text, 0, U32_MAX);
}

static bool to_bool(const char *option, const char *text)
{
	if (!strcmp(text, "Y") || !strcmp(text, "y") || !strcmp(text, "1"))
		return true;
	if (strcmp(text, "N") && strcmp(text, "n") && strcmp(text, "0"))
		errx(EXIT_USAGE, "--%s=%s: expected Y or N", option, text);
	return false;
}

static void want(struct options *options, char *names)
{
	char *name;
	int i;

	while ((name = strsep(&names, ","))) {
		for (i = 0; i < POLICIES; i++)
			if (!strcmp(name, policy_names[i]))
				break;
		if (i == POLICIES)
			errx(EXIT_USAGE,
			     "--policy=%s: expected classic, adaptive, always, never, best-fixed or optimum",
			     name);
		options->wanted[i] = true;
	}
}

static enum format to_format(const char *text)
{
	if (!strcmp(text, "table"))
		return FORMAT_TABLE;
	if (!strcmp(text, "tsv"))
		return FORMAT_TSV;
	if (!strcmp(text, "json"))
		return FORMAT_JSON;
	errx(EXIT_USAGE, "--format=%s: expected table, tsv or json", text);
}

enum long_option { MAX_NS = 256, HALT_COST_NS, GROW, SHRINK, GROW_START_NS, ALLOW_SHRINK,
		   POLL_BUDGET_PCT, PLOT };

static const struct option long_options[] = {
	{ "policy", required_argument, NULL, 'p' },
	{ "max-ns", required_argument, NULL, MAX_NS },
	{ "halt-cost-ns", required_argument, NULL, HALT_COST_NS },
	{ "grow", required_argument, NULL, GROW },
	{ "shrink", required_argument, NULL, SHRINK },
	{ "grow-start-ns", required_argument, NULL, GROW_START_NS },
	{ "allow-shrink", required_argument, NULL, ALLOW_SHRINK },
	{ "poll-budget-pct", required_argument, NULL, POLL_BUDGET_PCT },
	{ "format", required_argument, NULL, 'f' },
	{ "plot", required_argument, NULL, PLOT },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static struct options parse(int argc, char **argv)
{
	struct options options = {
		.settings.params = {
			HPOLL_MAINLINE_DEFAULTS,
			.budget_pct = HPOLL_DEFAULT_BUDGET_PCT,
		},
	};
	struct hpoll_params *params = &options.settings.params;
	u32 *cost_ns = &options.settings.cost_ns;
	bool any = false;
	int option, i;

	while ((option = getopt_long(argc, argv, "p:f:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'p':
			want(&options, optarg);
			any = true;
			break;
		case MAX_NS:
			params->max_ns = to_u32("max-ns", optarg);
			break;
		case HALT_COST_NS:
			*cost_ns = to_u32("halt-cost-ns", optarg);
			break;
		case GROW:
			params->grow = to_u32("grow", optarg);
			break;
		case SHRINK:
			params->shrink = to_u32("shrink", optarg);
			break;
		case GROW_START_NS:
			params->grow_start_ns = to_u32("grow-start-ns", optarg);
			break;
		case ALLOW_SHRINK:
			params->allow_shrink = to_bool("allow-shrink", optarg);
			break;
		case POLL_BUDGET_PCT:
			params->budget_pct = to_number("poll-budget-pct", optarg, 1, 100);
			break;
		case 'f':
			options.format = to_format(optarg);
			break;
		case PLOT:
			options.plot = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			exit(0);
		default:
			errx(EXIT_USAGE, "see hpoll-replay --help");
		}
	}
	if (optind == argc)
		errx(EXIT_USAGE, "expected a trace to replay: see hpoll-replay --help");
	if (!*cost_ns || *cost_ns > params->max_ns)
		*cost_ns = params->max_ns;
	for (i = 0; !any && i < POLICIES; i++)
		options.wanted[i] = true;
	return options;
}

/* A string as JSON writes it. */
static void print_json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c < ' ')
			printf("\\u%04x", c);
		else
			printf(c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	putchar('"');
}

/* A tab or a line end in a name would make a column or a row of its own. */
static void print_tsv_string(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' ? '?' : *text);
}

static void print_row(enum format format, bool first, const struct trace *trace,
		      enum policy_id id, const struct outcome *outcome, double ratio)
{
	switch (format) {
	case FORMAT_TSV:
		print_tsv_string(trace->name);
		printf("\t%s\t%zu\t%.4f\t%llu\t%llu\t%llu\n", policy_names[id], trace->count, ratio,
		       outcome->polled_ns, outcome->vain_ns, outcome->halts);
		break;
	case FORMAT_JSON:
		printf("%s {\"file\": ", first ? "" : ",\n");
		print_json_string(trace->name);
		printf(", \"policy\": \"%s\", \"periods\": %zu, \"cost_ratio\": %.4f",
		       policy_names[id], trace->count, ratio);
		printf(", \"polled_ns\": %llu, \"vain_ns\": %llu, \"halts\": %llu}",
		       outcome->polled_ns, outcome->vain_ns, outcome->halts);
		break;
	default:
		printf("%-32s %-10s %9zu %10.3f %12.3f %12.3f %9llu\n", trace->name,
		       policy_names[id], trace->count, ratio, outcome->polled_ns / 1e6,
		       outcome->vain_ns / 1e6, outcome->halts);
	}
}

static void print_head(enum format format)
{
	if (format == FORMAT_TSV)
		printf("file\tpolicy\tperiods\tcost_ratio\tpolled_ns\tvain_ns\thalts\n");
	else if (format == FORMAT_JSON)
		printf("[\n");
	else
		printf("%-32s %-10s %9s %10s %12s %12s %9s\n", "file", "policy", "periods",
		       "cost_ratio", "polled_ms", "vain_ms", "halts");
}

static void print_tail(const struct options *options, const double *logs, int traces)
{
	int i;

	if (options->format == FORMAT_JSON)
		printf("\n]\n");
	if (options->format != FORMAT_TABLE || traces < 2)
		return;
	for (i = 0; i < POLICIES; i++)
		if (options->wanted[i])
			printf("%-32s %-10s %9s %10.3f\n", "geometric mean", policy_names[i], "",
			       exp(logs[i] / traces));
}

int main(int argc, char **argv)
{
	struct options options = parse(argc, argv);
	int traces = argc - optind, i, id;
	double logs[POLICIES] = { };
	struct plot *plot = NULL;
	struct trace *all;
	bool first = true;

	/* All of them first: where one is bad, nothing is printed. */
	all = calloc(traces, sizeof(*all));
	if (!all)
		err(1, "no memory");
	for (i = 0; i < traces; i++)
		all[i] = trace_read(argv[optind + i]);
	if (options.plot)
		plot = plot_open(options.plot);

	print_head(options.format);
	for (i = 0; i < traces; i++) {
		struct outcome optimum = policy_run(POLICY_OPTIMUM, &options.settings, &all[i],
						    NULL);
		u32 *windows = plot ? malloc(all[i].count * sizeof(*windows)) : NULL;

		if (plot)
			plot_trace(plot, &all[i], &options.settings);
		for (id = 0; id < POLICIES; id++) {
			struct outcome outcome;
			double ratio;

			if (!options.wanted[id])
				continue;
			outcome = policy_run(id, &options.settings, &all[i], windows);
			ratio = cost_ratio(&outcome, &optimum);
			logs[id] += log(ratio);
			print_row(options.format, first, &all[i], id, &outcome, ratio);
			first = false;
			if (plot)
				plot_windows(plot, id, windows, ratio);
		}
		free(windows);
	}
	print_tail(&options, logs, traces);
	if (plot)
		plot_close(plot);
	for (i = 0; i < traces; i++)
		trace_free(&all[i]);
	free(all);
	if (fflush(stdout) || ferror(stdout))
		err(1, "standard output");
	return 0;
}
