// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traces: one idle period in a line.
 *
 *	LENGTH_NS [TIMER_NS|- [resched|timer|other]]
 *
 * '#' begins a comment. Files that end in .gz or .zst are read through gzip or
 * zstd.
 */

#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay.h"

struct source {
	const char *name;
	FILE *file;
	const char *tool;
	pid_t helper;
};

/* As the shell says that there is no such command. */
#define MISSING	127

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), want = strlen(end);

	return length > want && !strcmp(text + length - want, end);
}

/* No shell: a path may hold anything. */
static void unpack(struct source *source, const char *tool, const char *path)
{
	int ends[2];

	/* The tool's own words would not say what we were about. */
	if (access(path, R_OK))
		err(1, "%s", path);
	if (pipe(ends))
		err(1, "pipe");
	source->tool = tool;
	source->helper = fork();
	if (source->helper < 0)
		err(1, "fork");
	if (!source->helper) {
		dup2(ends[1], STDOUT_FILENO);
		/* What is wrong is said once, by us. */
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		close(ends[0]);
		close(ends[1]);
		execlp(tool, tool, "-dcq", "--", path, (char *)NULL);
		_exit(MISSING);
	}
	close(ends[1]);
	source->file = fdopen(ends[0], "r");
	if (!source->file)
		err(1, "%s", path);
}

static struct source source_open(const char *path)
{
	struct source source = { .name = path };

	if (!strcmp(path, "-")) {
		source.name = "standard input";
		source.file = stdin;
	} else if (ends_in(path, ".gz")) {
		unpack(&source, "gzip", path);
	} else if (ends_in(path, ".zst")) {
		unpack(&source, "zstd", path);
	} else {
		source.file = fopen(path, "r");
		if (!source.file)
			err(1, "%s", path);
	}
	return source;
}

static void source_close(struct source *source)
{
	int status;

	if (ferror(source->file))
		err(1, "%s", source->name);
	if (source->file != stdin)
		fclose(source->file);
	if (!source->helper)
		return;
	if (waitpid(source->helper, &status, 0) < 0)
		err(1, "%s", source->name);
	if (WIFEXITED(status) && WEXITSTATUS(status) == MISSING)
		errx(1, "%s: to read it, install %s", source->name, source->tool);
	if (status)
		errx(1, "%s: %s can't unpack it", source->name, source->tool);
}

static char *skip_blanks(char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Return: behind the number, NULL if there is none or it does not fit. */
static char *read_ns(char *at, u64 *ns)
{
	u64 value = 0;

	if (!isdigit((unsigned char)*at))
		return NULL;
	for (; isdigit((unsigned char)*at); at++) {
		u64 digit = *at - '0';

		if (value > (U64_MAX - digit) / 10)
			return NULL;
		value = value * 10 + digit;
	}
	*ns = value;
	return *at && *at != ' ' && *at != '\t' ? NULL : skip_blanks(at);
}

static char *skip_word(char *at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(at, word, length))
		return NULL;
	at += length;
	return *at && *at != ' ' && *at != '\t' ? NULL : skip_blanks(at);
}

/* Return: what was expected where something else was found; NULL if all is well. */
static const char *parse(char *at, struct period *period)
{
	char *next;

	period->timer_ns = HPOLL_NO_TIMER;
	at = read_ns(at, &period->length_ns);
	if (!at)
		return "expected the length of an idle period, in ns, as a whole number";
	if (!*at)
		return NULL;

	next = skip_word(at, "-");
	if (!next)
		next = read_ns(at, &period->timer_ns);
	if (!next)
		return "expected in the second column the distance to the next timer, in ns, or -";
	if (!*next)
		return NULL;

	at = next;
	next = skip_word(at, "resched");
	if (!next)
		next = skip_word(at, "timer");
	if (!next)
		next = skip_word(at, "other");
	if (!next)
		return "expected resched, timer or other in the third column";
	return *next ? "expected at most three columns" : NULL;
}

struct trace trace_read(const char *path)
{
	struct source source = source_open(path);
	struct trace trace = { .name = source.name };
	size_t room = 0, size = 0, number = 0;
	const char *wrong;
	char *line = NULL;
	ssize_t length;

	while ((length = getline(&line, &size, source.file)) >= 0) {
		char *text = skip_blanks(line), *end;

		number++;
		if (strlen(line) != (size_t)length)
			errx(1, "%s: line %zu: expected text, found a zero byte", source.name,
			     number);
		line[strcspn(line, "#")] = '\0';
		end = line + strlen(line);
		while (end > text && isspace((unsigned char)end[-1]))
			*--end = '\0';
		if (!*text)
			continue;
		if (trace.count == room) {
			room = room ? 2 * room : 4096;
			trace.periods = reallocarray(trace.periods, room,
						     sizeof(*trace.periods));
			if (!trace.periods)
				err(1, "%s", source.name);
		}
		wrong = parse(text, &trace.periods[trace.count++]);
		if (wrong)
			errx(1, "%s: line %zu: %s", source.name, number, wrong);
	}
	free(line);
	source_close(&source);
	if (!trace.count)
		errx(1, "%s: expected at least one idle period, found none", source.name);
	return trace;
}

void trace_free(struct trace *trace)
{
	free(trace->periods);
}
