// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

#define MAX_BYTES	0x400000U

static const char *root = "";

void files_set_root(const char *dir)
{
	root = dir;
}

bool files_are_real(void)
{
	return !*root;
}

static int open_below_root(const char *path, int flags)
{
	char *whole;
	int fd;

	if (asprintf(&whole, "%s%s", root, path) < 0)
		return -1;
	fd = open(whole, flags | O_CLOEXEC);
	free(whole);
	return fd;
}

static char *read_all(int fd)
{
	size_t size = 4096, used = 0;
	char *text = malloc(size), *larger;
	ssize_t got;

	while (text && (got = read(fd, text + used, size - used - 1)) != 0) {
		if (got < 0) {
			free(text);
			return NULL;
		}
		used += got;
		if (size - used > 1)
			continue;
		larger = size < MAX_BYTES ? realloc(text, 2 * size) : NULL;
		if (!larger) {
			free(text);
			errno = EFBIG;
		}
		text = larger;
		size *= 2;
	}
	if (text)
		text[used] = '\0';
	return text;
}

char *files_read(const char *path)
{
	int fd = open_below_root(path, O_RDONLY);
	char *text;
	int error;

	if (fd < 0)
		return NULL;
	text = read_all(fd);
	error = errno;
	close(fd);
	errno = error;
	return text;
}

char *files_line(const char *path)
{
	char *text = files_read(path);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

bool files_write(const char *path, const char *text)
{
	int fd = open_below_root(path, O_WRONLY | O_TRUNC);
	int len, error;
	char *line;
	bool done;

	if (fd < 0)
		return false;
	len = asprintf(&line, "%s\n", text);
	/* At once: the kernel takes each write for a whole value. */
	done = len >= 0 && write(fd, line, len) == len;
	error = errno;
	if (len >= 0)
		free(line);
	close(fd);
	errno = error;
	return done;
}

bool files_exist(const char *path)
{
	int fd = open_below_root(path, O_PATH);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool text_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	while (text && *text) {
		text += strspn(text, "\n ");
		if (strcspn(text, "\n ") == len && !strncmp(text, word, len))
			return true;
		text += strcspn(text, "\n ");
	}
	return false;
}

static unsigned int count_words(const char *line)
{
	unsigned int words = 0;

	for (line += strspn(line, " "); *line; line += strspn(line, " ")) {
		words++;
		line += strcspn(line, " ");
	}
	return words;
}

static bool read_names(struct table *table, char *line)
{
	char *word, *rest;

	table->names = calloc(count_words(line) + 1, sizeof(*table->names));
	if (!table->names)
		return false;
	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		table->names[table->columns] = strdup(word);
		if (!table->names[table->columns])
			return false;
		table->columns++;
	}
	return table->columns > 0;
}

static bool read_row(struct table *table, char *line)
{
	unsigned int column;
	u64 *cells;
	char *end;

	cells = reallocarray(table->cells, (size_t)(table->rows + 1) * table->columns,
			     sizeof(*cells));
	if (!cells)
		return false;
	table->cells = cells;
	cells += (size_t)table->rows * table->columns;
	for (column = 0; column < table->columns; column++, line = end) {
		errno = 0;
		cells[column] = strtoull(line, &end, 10);
		if (end == line || errno || (*end && *end != ' '))
			return false;
	}
	table->rows++;
	return !*end;
}

struct table *table_read(const char *path)
{
	char *text = files_read(path), *line, *rest;
	struct table *table;

	if (!text)
		return NULL;
	table = calloc(1, sizeof(*table));
	line = strtok_r(text, "\n", &rest);
	if (!table || !line || !read_names(table, line))
		goto bad;
	while ((line = strtok_r(NULL, "\n", &rest)))
		if (!read_row(table, line))
			goto bad;
	free(text);
	return table;

bad:
	table_free(table);
	free(text);
	errno = EPROTO;
	return NULL;
}

u64 table_at(const struct table *table, unsigned int row, const char *name)
{
	unsigned int column;

	for (column = 0; column < table->columns; column++)
		if (!strcmp(table->names[column], name))
			return table->cells[row * table->columns + column];
	return 0;
}

u64 table_total(const struct table *table, const char *name)
{
	unsigned int row;
	u64 total = 0;

	for (row = 0; row < table->rows; row++)
		total += table_at(table, row, name);
	return total;
}

void table_free(struct table *table)
{
	unsigned int column;

	if (!table)
		return;
	for (column = 0; column < table->columns; column++)
		free(table->names[column]);
	free(table->names);
	free(table->cells);
	free(table);
}
