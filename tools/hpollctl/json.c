// SPDX-License-Identifier: GPL-2.0-only

#include <stdio.h>

#include "json.h"

static unsigned int depth;
static bool follows;

static void put_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void next(const char *key)
{
	if (follows)
		putchar(',');
	follows = true;
	if (key) {
		put_text(key);
		putchar(':');
	}
}

void json_open(const char *key, char bracket)
{
	next(key);
	putchar(bracket);
	depth++;
	follows = false;
}

void json_close(char bracket)
{
	putchar(bracket);
	follows = true;
	if (--depth)
		return;
	putchar('\n');
	fflush(stdout);
	follows = false;
}

void json_text(const char *key, const char *text)
{
	next(key);
	if (text)
		put_text(text);
	else
		fputs("null", stdout);
}

void json_number(const char *key, u64 number)
{
	next(key);
	printf("%llu", number);
}

void json_fraction(const char *key, double number)
{
	next(key);
	printf("%.3f", number);
}

void json_bool(const char *key, bool value)
{
	next(key);
	fputs(value ? "true" : "false", stdout);
}
