/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of the kernel's KUnit as hpoll's suites use, for user space.
 *
 * The very same *_test.c files are built against it, with sanitizers, and
 * print the same KTAP lines as a kernel does. An assertion leaves its case by
 * longjmp().
 */
#ifndef HPOLL_USER_KUNIT_TEST_H
#define HPOLL_USER_KUNIT_TEST_H

#include <limits.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <hpoll/types.h>

#define S64_MAX	LLONG_MAX
#define S64_MIN	LLONG_MIN

#define KUNIT_PARAM_DESC_SIZE	128

struct kunit {
	const void *param_value;
	bool failed;
	jmp_buf abort;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(test_name)						\
	{ .run_case = test_name, .name = #test_name }

#define KUNIT_CASE_PARAM(test_name, gen_params)				\
	{ .run_case = test_name, .name = #test_name,			\
	  .generate_params = gen_params }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
static const void *name##_gen_params(const void *prev, char *desc)	\
{									\
	typeof(&(array)[0]) next = prev;				\
									\
	next = next ? next + 1 : (array);				\
	if (next == (array) + ARRAY_SIZE(array))			\
		return NULL;						\
	get_desc(next, desc);						\
	return next;							\
}

__attribute__((format(printf, 6, 7)))
void kunit_check(struct kunit *test, bool ok, bool assertion, const char *file,
		 int line, const char *fmt, ...);

#define KUNIT_CHECK(test, ok, assertion, fmt, ...)			\
	kunit_check(test, ok, assertion, __FILE__, __LINE__, fmt, ##__VA_ARGS__)

#define KUNIT_COMPARE(test, left, op, right, assertion, fmt, ...) do {	\
	typeof(left) __left = (left);					\
	typeof(right) __right = (right);				\
									\
	KUNIT_CHECK(test, __left op __right, assertion,			\
		    "expected %s %s %s, but\n"				\
		    "        %s == %lld (0x%llx)\n"			\
		    "        %s == %lld (0x%llx)\n" fmt,		\
		    #left, #op, #right,					\
		    #left, (long long)__left, (long long)__left,	\
		    #right, (long long)__right, (long long)__right,	\
		    ##__VA_ARGS__);					\
} while (0)

#define KUNIT_EXPECT_EQ(test, left, right)				\
	KUNIT_COMPARE(test, left, ==, right, false, "%s", "")
#define KUNIT_EXPECT_EQ_MSG(test, left, right, fmt, ...)		\
	KUNIT_COMPARE(test, left, ==, right, false, fmt, ##__VA_ARGS__)
#define KUNIT_ASSERT_EQ(test, left, right)				\
	KUNIT_COMPARE(test, left, ==, right, true, "%s", "")

#define KUNIT_EXPECT_LE(test, left, right)				\
	KUNIT_COMPARE(test, left, <=, right, false, "%s", "")
#define KUNIT_EXPECT_LE_MSG(test, left, right, fmt, ...)		\
	KUNIT_COMPARE(test, left, <=, right, false, fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_GE(test, left, right)				\
	KUNIT_COMPARE(test, left, >=, right, false, "%s", "")
#define KUNIT_EXPECT_GT(test, left, right)				\
	KUNIT_COMPARE(test, left, >, right, false, "%s", "")
#define KUNIT_EXPECT_GE_MSG(test, left, right, fmt, ...)		\
	KUNIT_COMPARE(test, left, >=, right, false, fmt, ##__VA_ARGS__)

#define KUNIT_EXPECT_PTR_EQ(test, left, right)				\
	KUNIT_CHECK(test, (left) == (right), false,			\
		    "expected %s == %s", #left, #right)

#define KUNIT_EXPECT_TRUE(test, condition)				\
	KUNIT_CHECK(test, condition, false, "expected %s to be true", #condition)
#define KUNIT_EXPECT_FALSE(test, condition)				\
	KUNIT_CHECK(test, !(condition), false,				\
		    "expected %s to be false", #condition)
#define KUNIT_ASSERT_TRUE(test, condition)				\
	KUNIT_CHECK(test, condition, true, "expected %s to be true", #condition)

#define KUNIT_EXPECT_STREQ(test, left, right) do {			\
	const char *__left = (left);					\
	const char *__right = (right);					\
									\
	KUNIT_CHECK(test, !strcmp(__left, __right), false,		\
		    "expected %s == %s, but\n"				\
		    "        \"%s\"\n        \"%s\"",			\
		    #left, #right, __left, __right);			\
} while (0)

/* One suite for each program: main() in kunit.c runs it. */
extern struct kunit_suite *const kunit_the_suite;

#define kunit_test_suite(suite)						\
	struct kunit_suite *const kunit_the_suite = &(suite)

#define MODULE_DESCRIPTION(text)	struct kunit_suite
#define MODULE_LICENSE(text)		struct kunit_suite

#endif
