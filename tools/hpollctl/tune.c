// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpollctl tune: set parameters, all of them or none.
 */

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "hpollctl.h"
#include "json.h"

enum kind { NUMBER, YES_NO, WORD };

/**
 * struct parameter - one that can be set
 * @name: its name
 * @kind: what it takes
 * @least: of a number
 * @most: of a number
 * @words: what else it takes, between blanks
 */
struct parameter {
	const char *name;
	enum kind kind;
	u64 least;
	u64 most;
	const char *words;
};

static const struct parameter parameters[] = {
	{ "guest_halt_poll_ns", NUMBER, 0, U32_MAX, NULL },
	{ "guest_halt_poll_grow", NUMBER, 0, U32_MAX, NULL },
	{ "guest_halt_poll_shrink", NUMBER, 0, U32_MAX, NULL },
	{ "guest_halt_poll_grow_start", NUMBER, 0, U32_MAX, NULL },
	{ "guest_halt_poll_allow_shrink", YES_NO, 0, 0, "Y N y n 1 0" },
	{ "policy", WORD, 0, 0, "adaptive classic" },
	{ "halt_cost_ns", NUMBER, 0, U32_MAX, NULL },
	{ "poll_budget_pct", NUMBER, 1, 100, NULL },
};

#define PARAMETERS_COUNT	ARRAY_SIZE(parameters)

struct change {
	const struct parameter *parameter;
	const char *value;
	char *old;
};

static char *path_of(const struct parameter *parameter)
{
	char *path;

	if (asprintf(&path, "%s%s", PARAMETERS, parameter->name) < 0)
		err(EXIT_CANNOT, "%s", parameter->name);
	return path;
}

static char *read_value(const struct parameter *parameter)
{
	char *path = path_of(parameter), *value = files_line(path);

	if (!value)
		err(EXIT_CANNOT, "%s", path);
	free(path);
	return value;
}

static bool write_value(const struct parameter *parameter, const char *value)
{
	char *path = path_of(parameter);
	bool done = files_write(path, value);
	int error = errno;

	free(path);
	errno = error;
	return done;
}

static const struct parameter *find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < PARAMETERS_COUNT; i++)
		if (strlen(parameters[i].name) == len && !strncmp(parameters[i].name, name, len))
			return &parameters[i];
	if (len == strlen("gate") && !strncmp(name, "gate", len))
		errx(EXIT_USAGE, "gate is set at load alone: modprobe hpoll gate=...");
	errx(EXIT_USAGE, "there is no parameter %.*s; 'hpollctl tune' lists them", (int)len, name);
}

/* The kernel takes hexadecimal, too, but whoever types that may have meant anything. */
static void validate(const struct parameter *parameter, const char *value)
{
	if (parameter->kind == NUMBER)
		to_number(parameter->name, value, parameter->least, parameter->most);
	else if (strchr(value, ' ') || !text_has_word(parameter->words, value))
		errx(EXIT_USAGE, "%s %s: expected one of: %s", parameter->name, value,
		     parameter->words);
}

static struct change parse(const char *word)
{
	const char *equals = strchr(word, '=');
	struct change change = { };

	if (!equals)
		errx(EXIT_USAGE, "%s: expected NAME=VALUE", word);
	change.parameter = find(word, equals - word);
	change.value = equals + 1;
	validate(change.parameter, change.value);
	return change;
}

static void take_back(const struct change *changes, int done)
{
	while (done--)
		if (!write_value(changes[done].parameter, changes[done].old))
			warnx("%s could not be set back to %s", changes[done].parameter->name,
			      changes[done].old);
}

static void apply(const struct change *changes, int count)
{
	int i, error;

	for (i = 0; i < count; i++) {
		if (write_value(changes[i].parameter, changes[i].value))
			continue;
		error = errno;
		take_back(changes, i);
		errx(EXIT_CANNOT, "%s=%s: %s%s; nothing was changed", changes[i].parameter->name,
		     changes[i].value, strerror(error), error == EACCES ? " (be root)" : "");
	}
}

static void report(const struct options *options, const struct parameter *parameter,
		   const char *old)
{
	char *now = read_value(parameter);

	if (options->json) {
		json_open(parameter->name, '{');
		if (old)
			json_text("old", old);
		json_text("now", now);
		json_close('}');
	} else if (old) {
		printf("%s: %s -> %s\n", parameter->name, old, now);
	} else {
		printf("%s: %s\n", parameter->name, now);
	}
	free(now);
}

int tune_run(const struct options *options, int argc, char **argv)
{
	struct change *changes = calloc(argc, sizeof(*changes));
	int count = argc - 1, i;

	if (!changes)
		err(EXIT_CANNOT, "tune");
	if (count && argv[1][0] == '-')
		errx(EXIT_USAGE, "usage: hpollctl tune [NAME=VALUE]...");
	for (i = 0; i < count; i++)
		changes[i] = parse(argv[i + 1]);
	if (!files_exist(PARAMETERS))
		errx(EXIT_TROUBLE, "hpoll is not loaded; 'hpollctl doctor' says why");
	for (i = 0; i < count; i++)
		changes[i].old = read_value(changes[i].parameter);
	apply(changes, count);

	if (options->json)
		json_open(NULL, '{');
	for (i = 0; i < count; i++)
		report(options, changes[i].parameter, changes[i].old);
	for (i = 0; !count && i < (int)PARAMETERS_COUNT; i++)
		report(options, &parameters[i], NULL);
	if (options->json)
		json_close('}');
	for (i = 0; i < count; i++)
		free(changes[i].old);
	free(changes);
	return EXIT_FINE;
}
