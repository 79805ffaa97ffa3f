// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs one KUnit suite in user space and prints KTAP as the kernel does.
 */

#include <stdarg.h>
#include <stdlib.h>

#include <kunit/test.h>

void kunit_check(struct kunit *test, bool ok, bool assertion, const char *file,
		 int line, const char *fmt, ...)
{
	char text[1024];
	char *at, *end;
	va_list args;

	if (ok)
		return;

	test->failed = true;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);

	printf("    # %s:%d\n", file, line);
	for (at = text; at && *at; at = end) {
		end = strchr(at, '\n');
		if (end)
			*end++ = '\0';
		printf("    #   %s\n", at);
	}
	if (assertion)
		longjmp(test->abort, 1);
}

static const char *ok_text(bool ok)
{
	return ok ? "ok" : "not ok";
}

static bool run_once(const struct kunit_case *kcase, const void *param)
{
	struct kunit test = { .param_value = param };

	if (!setjmp(test.abort))
		kcase->run_case(&test);
	return !test.failed;
}

static bool run_case(const struct kunit_case *kcase)
{
	char desc[KUNIT_PARAM_DESC_SIZE];
	const void *param = NULL;
	bool ok = true, row_ok;
	int row = 0;

	if (!kcase->generate_params)
		return run_once(kcase, NULL);

	printf("        KTAP version 1\n");
	printf("        # Subtest: %s\n", kcase->name);
	while ((param = kcase->generate_params(param, desc))) {
		row_ok = run_once(kcase, param);
		printf("        %s %d %s\n", ok_text(row_ok), ++row, desc);
		ok &= row_ok;
	}
	return ok;
}

int main(void)
{
	const struct kunit_suite *suite = kunit_the_suite;
	const struct kunit_case *kcase;
	bool ok = true, case_ok;
	int nr = 0;

	/* What was printed before a sanitizer stops the program is kept. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (kcase = suite->test_cases; kcase->run_case; kcase++)
		nr++;
	printf("KTAP version 1\n1..1\n    KTAP version 1\n");
	printf("    # Subtest: %s\n    1..%d\n", suite->name, nr);

	nr = 0;
	for (kcase = suite->test_cases; kcase->run_case; kcase++) {
		case_ok = run_case(kcase);
		printf("    %s %d %s\n", ok_text(case_ok), ++nr, kcase->name);
		ok &= case_ok;
	}
	printf("%s 1 %s\n", ok_text(ok), suite->name);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
