/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON, written as it comes. Keys are NULL within a list.
 */
#ifndef HPOLLCTL_JSON_H
#define HPOLLCTL_JSON_H

#include <hpoll/types.h>

/**
 * json_open() - an object or a list begins
 * @key: its key, or NULL
 * @bracket: '{' or '['
 */
void json_open(const char *key, char bracket);

/**
 * json_close() - ... and ends
 * @bracket: '}' or ']'
 *
 * The outermost one ends the line as well.
 */
void json_close(char bracket);

/**
 * json_text() - a string
 * @key: its key, or NULL
 * @text: the string; NULL becomes null
 */
void json_text(const char *key, const char *text);

/**
 * json_number() - a number
 * @key: its key, or NULL
 * @number: the number
 */
void json_number(const char *key, u64 number);

/**
 * json_fraction() - a number with three decimals
 * @key: its key, or NULL
 * @number: the number
 */
void json_fraction(const char *key, double number);

/**
 * json_bool() - true or false
 * @key: its key, or NULL
 * @value: which
 */
void json_bool(const char *key, bool value);

#endif
