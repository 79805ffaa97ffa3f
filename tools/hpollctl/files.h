/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files: the kernel's, below a directory of choice, so that tests can have their own.
 */
#ifndef HPOLLCTL_FILES_H
#define HPOLLCTL_FILES_H

#include <hpoll/types.h>

#define PARAMETERS	"/sys/module/hpoll/parameters/"
#define DEBUGFS		"/sys/kernel/debug/"
#define CPUIDLE		"/sys/devices/system/cpu/cpuidle/"

/**
 * files_set_root() - where "/" is
 * @root: a directory
 */
void files_set_root(const char *root);

/**
 * files_are_real() - is that the machine itself?
 *
 * Return: false under --root.
 */
bool files_are_real(void);

/**
 * files_read() - a whole file
 * @path: from the root on
 *
 * Return: its text, to be freed; NULL with errno if it can't be read.
 */
char *files_read(const char *path);

/**
 * files_line() - the first line of a file
 * @path: from the root on
 *
 * Return: the line without its end, to be freed; NULL with errno.
 */
char *files_line(const char *path);

/**
 * files_write() - write a line
 * @path: from the root on, to an existing file
 * @text: the line
 *
 * Return: true if that was done; false with errno.
 */
bool files_write(const char *path, const char *text);

/**
 * files_exist() - is there such a file?
 * @path: from the root on
 *
 * Return: true if there is.
 */
bool files_exist(const char *path);

/**
 * text_has_word() - is this word in the text?
 * @text: words between blanks or line ends; or NULL
 * @word: one of them
 *
 * Return: true if it is.
 */
bool text_has_word(const char *text, const char *word);

/**
 * struct table - numbers under names, as in hpoll's files in debugfs
 * @columns: how many
 * @rows: how many
 * @names: of the columns
 * @cells: row by row
 */
struct table {
	unsigned int columns;
	unsigned int rows;
	char **names;
	u64 *cells;
};

/**
 * table_read() - read a table
 * @path: from the root on
 *
 * Return: the table, for table_free(); NULL with errno, EPROTO if it is none.
 */
struct table *table_read(const char *path);

/**
 * table_at() - one number
 * @table: the table
 * @row: below @table->rows
 * @name: the column's
 *
 * Return: the number; 0 where there is no such column.
 */
u64 table_at(const struct table *table, unsigned int row, const char *name);

/**
 * table_total() - the sum of a column
 * @table: the table
 * @name: the column's
 *
 * Return: the sum.
 */
u64 table_total(const struct table *table, const char *name);

/**
 * table_free() - forget it
 * @table: the table, or NULL
 */
void table_free(struct table *table);

#endif
