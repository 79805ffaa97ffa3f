# SPDX-License-Identifier: GPL-2.0-only
"""KTAP and TAP as kernels, user-space tests and guests print it."""

import unittest

from checkkit import ktap
from checkkit.results import FAIL, PASS, SKIP

KERNEL = """\
KTAP version 1
1..2
    KTAP version 1
    # Subtest: first
    1..2
        KTAP version 1
        # Subtest: rows
        ok 1 a row
        ok 2 another
    # rows: pass:2 fail:0 skip:0 total:2
    ok 1 rows
    ok 2 plain
# first: pass:2 fail:0 skip:0 total:2
ok 1 first
    KTAP version 1
    # Subtest: second
    1..1
    # broken: EXPECTATION FAILED at second_test.c:12
    Expected 1 == answer, but
        answer == 2
    not ok 1 broken
not ok 2 second
"""


def flat(text, depth=0):
    return ktap.flatten(ktap.parse(text.splitlines()), "", depth)


class Ktap(unittest.TestCase):
    def test_cases_of_suites_with_their_rows(self):
        found = flat(KERNEL, 1)
        self.assertEqual([(r.name, r.status, r.rows) for r in found],
                         [("first: rows", PASS, 2), ("first: plain", PASS, 0),
                          ("second: broken", FAIL, 0)])

    def test_a_failure_says_what_was_expected(self):
        self.assertIn("answer == 2", flat(KERNEL, 1)[-1].output)

    def test_a_failed_row_fails_its_case_and_is_named(self):
        found = flat(KERNEL.replace("        ok 2 another", "        not ok 2 another"), 1)
        self.assertEqual(found[0].status, FAIL)
        self.assertIn("row: another", found[0].output)

    def test_a_case_that_is_missing(self):
        found = flat(KERNEL.replace("    ok 2 plain\n", ""), 1)
        self.assertIn("first: planned 2, ran 1", found[-1].output)

    def test_a_kernel_that_died_within_a_suite(self):
        found = flat(KERNEL[:KERNEL.index("ok 1 first")], 1)
        self.assertEqual(found[-1].status, FAIL)
        self.assertEqual(found[-1].name, "complete output")

    def test_a_suite_that_is_missing(self):
        found = flat(KERNEL[:KERNEL.index("    KTAP version 1\n    # Subtest: second")], 1)
        self.assertEqual(found[-1].status, FAIL)


class Tap(unittest.TestCase):
    def test_plain(self):
        found = flat("TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no msr\n")
        self.assertEqual([(r.name, r.status) for r in found],
                         [("a", PASS), ("b", FAIL), ("c", SKIP)])
        self.assertEqual(found[2].output, ["no msr"])

    def test_plan_at_the_end(self):
        self.assertEqual([r.status for r in flat("ok 1 - a\n1..1\n")], [PASS])

    def test_a_skip_is_never_a_pass(self):
        found = flat("1..0 # SKIP no haltpoll in this kernel\n")
        self.assertEqual([r.status for r in found], [SKIP])
        self.assertEqual(found[0].output, ["no haltpoll in this kernel"])

    def test_todo_may_fail(self):
        self.assertEqual([r.status for r in flat("1..1\nnot ok 1 - a # TODO later\n")], [PASS])

    def test_what_is_no_complete_output(self):
        for text in ("", "ok 1 - a\n", "1..2\nok 1 - a\n", "1..1\nok 1 - a\nok 2 - b\n",
                     "1..0\n", "1..2\nok 1 - a\nBail out! no memory\n",
                     "1..2\nok 1 - a\nok 3 - b\n", "1..1\n1..1\nok 1 - a\n"):
            with self.subTest(text=text):
                self.assertEqual(flat(text)[-1].status, FAIL)

    def test_words_that_only_look_like_results(self):
        self.assertEqual([r.name for r in flat("1..1\nokay then\n# ok 7\nok 1 - a\n")], ["a"])
