# SPDX-License-Identifier: GPL-2.0-only
"""How the checks count, what they find in a tree, and how commands end."""

import os
import sys
import tempfile
import time
import unittest
from unittest import mock

from checkkit import guests, modules, proc, results, static, unit
from checkkit.results import FAIL, PASS, SKIP, Result
from labkit.errors import LabError


class Results(unittest.TestCase):
    def test_summary(self):
        found = [Result("a", PASS), Result("b", FAIL, ["why"]), Result("c", SKIP, ["no msr"]),
                 Result("d", PASS)]
        self.assertEqual(results.summary(found), "2 passed, 1 failed, 1 skipped")
        self.assertEqual(results.show(found[1]), ["FAIL: b", "    why"])


def guest(**change):
    test = {"name": "load", "status": 0, "problem": "", "tap": ["1..2", "ok 1 - a", "ok 2 - b"]}
    test.update(change.pop("test", {}))
    return {"name": "plain-6.1", "verdict": "pass", "reason": "", "repeated": [],
            "tests": [test], **change}


class Guests(unittest.TestCase):
    def statuses(self, **change):
        return [r.status for r in guests.read(guest(**change))]

    def test_each_line_counts(self):
        self.assertEqual(self.statuses(), [PASS, PASS])

    def test_a_failed_line_is_counted_once(self):
        self.assertEqual(self.statuses(verdict="fail", test={
            "tap": ["1..2", "ok 1 - a", "not ok 2 - b"], "problem": "1 failed: b"}), [PASS, FAIL])

    def test_a_panic_fails_though_every_line_is_ok(self):
        found = guests.read(guest(verdict="panic", reason="Kernel panic"))
        self.assertEqual(found[-1].status, FAIL)
        self.assertIn("panic: Kernel panic", found[-1].output)

    def test_a_test_that_did_not_end(self):
        self.assertEqual(self.statuses(verdict="timeout", reason="no end", test={
            "status": None, "problem": "did not end", "tap": ["1..2", "ok 1 - a"]})[0], PASS)
        self.assertIn(FAIL, self.statuses(verdict="timeout", reason="no end", test={
            "status": None, "problem": "did not end", "tap": ["1..2", "ok 1 - a"]}))

    def test_a_bad_exit_status_fails(self):
        self.assertIn(FAIL, self.statuses(verdict="fail", test={"status": 1,
                                                                "problem": "exit status 1"}))

    def test_nothing_ran(self):
        self.assertEqual(self.statuses(tests=[]), [FAIL])

    def test_a_boot_that_was_repeated_is_seen(self):
        first = {"verdict": "triple-fault", "reason": "the host saw: vcpu 1"}
        self.assertEqual(self.statuses(repeated=[first] * 2), [PASS, PASS, SKIP, SKIP])
        skip = guests.read(guest(repeated=[first] * 2))[-1]
        self.assertEqual(skip.name, "guests: plain-6.1: second boot")
        self.assertIn("triple-fault: the host saw", skip.output[0])

    def test_of_a_console_the_complaint_is_shown_as_told_in_full(self):
        hung = "INFO: task kworker/1:1:53 blocked for more than 61 seconds."
        panic = "Kernel panic - not syncing: hung_task: blocked tasks"
        stack = ["task:kworker/1:1 state:D", "Call Trace:", *map(str, range(100))]
        lines = ["booted", f"[  9.1] {hung}", f"[  9.2] {panic}", "booted", f"[  9.1] {hung}", *stack]
        self.assertEqual(guests.excerpt(lines), [f"[  9.1] {hung}", *stack[:39]])

    def test_of_a_console_without_a_complaint_its_end_is_shown(self):
        self.assertEqual(guests.excerpt(list(map(str, range(20)))), list(map(str, range(5, 20))))

    def test_a_kernel_that_cannot_be_built_fails_and_spares_the_others(self):
        commands = []

        def run(command, **_):
            commands.append(command)
            return (2 if "KVER=sid" in command else 0), ["no network"]

        top = Modules.TOP
        with mock.patch.object(proc, "run", run), \
                mock.patch.object(modules, "build", modules.build.__wrapped__), \
                mock.patch.object(modules.headers, "directory", lambda _: ""), \
                mock.patch.object(guests.glob, "glob", lambda *_: []), \
                mock.patch.object(guests.os.path, "exists", lambda _: False), \
                mock.patch.object(guests.lab, "prepare", lambda: None), \
                mock.patch.object(guests.emulator, "command", lambda: None), \
                mock.patch.object(guests.lab, "choose", lambda _: ("nested", "")):
            found = guests.run(top, lambda _: None)
        self.assertEqual([r.output for r in found if r.name == "guests: build for sid"],
                         [["no network"]])
        only = [w for w in commands[-1] if w.startswith("brief-")]
        self.assertEqual(only, ["brief-5.10", "brief-6.12-rt"])

    def test_a_skip_stays_one(self):
        self.assertEqual(self.statuses(test={"status": 4, "tap": ["1..0 # SKIP no hint"]}), [SKIP])


class Unit(unittest.TestCase):
    """The recorder, over tests that are not to be found by name."""

    @staticmethod
    def record(**methods):
        case = type("Case", (unittest.TestCase,), methods)
        suite = unittest.TestSuite(case(name) for name in methods if name.startswith("test"))
        return unit.record(suite)

    def test_statuses_and_output(self):
        def broken(_):
            raise RuntimeError("broken")

        found = self.record(
            test_a=lambda t: None,
            test_b=lambda t: t.assertEqual(1, 2),
            test_c=lambda t: t.skipTest("no gcc"),
            test_d=broken)
        self.assertEqual([r.status for r in found], [PASS, FAIL, SKIP, FAIL])
        self.assertIn("AssertionError: 1 != 2", found[1].output)
        self.assertEqual(found[2].output, ["no gcc"])
        self.assertIn("RuntimeError: broken", found[3].output)

    def test_subtests_count_as_their_test(self):
        def two_of_three(test):
            for i in range(3):
                with test.subTest(i=i):
                    test.assertEqual(i, 1)

        found = self.record(test_a=two_of_three)
        self.assertEqual([r.status for r in found], [FAIL])
        self.assertIn("AssertionError: 2 != 1", found[0].output)

    def test_a_setup_that_breaks_fails_the_test(self):
        found = self.record(setUp=lambda t: t.fail("no"), test_a=lambda t: None)
        self.assertEqual([r.status for r in found], [FAIL])

    def test_a_module_that_cannot_be_imported(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_no.py"), "w", encoding="utf-8") as file:
                file.write("import no_such_module_at_all\n")
            found = unit.record(unittest.TestLoader().discover(folder))
        self.assertEqual([r.status for r in found], [FAIL])


GOOD = {
    "src/gate.c": "// SPDX-License-Identifier: GPL-2.0-only\n#include <hpoll/gate.h>\n",
    "src/compat.h": "/* SPDX-License-Identifier: GPL-2.0-only */\n#if LINUX_VERSION_CODE > 1\n#endif\n",
    "scripts/tool": "#!/bin/sh\n# SPDX-License-Identifier: GPL-2.0-only\necho \"$1\"\n",
}


class Modules(unittest.TestCase):
    """What a build and sparse say, to results."""

    TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

    def statuses(self, make, direct=(), unfetched=""):
        """{name of a check: status}, with make and the disassembly made up."""
        def headers(kernel):
            if kernel == unfetched:
                raise LabError("no network")

        with mock.patch.object(proc, "run", lambda command, **_: make(command)), \
                mock.patch.object(modules, "build", modules.build.__wrapped__), \
                mock.patch.object(modules, "direct_calls", lambda *_: list(direct)), \
                mock.patch.object(modules.packages, "require", lambda _: None), \
                mock.patch.object(modules.headers, "directory", headers):
            return {r.name.removeprefix("modules: "): r.status
                    for r in modules.run(self.TOP, lambda _: None)}

    @staticmethod
    def good(_):
        return 0, ["  CHECK   src/main.c"]

    def test_every_kernel_of_the_guests_is_built(self):
        found = self.statuses(self.good)
        self.assertEqual(set(found.values()), {PASS})
        for kernel in modules.wanted(self.TOP):
            self.assertIn(f"W=1 build {kernel}", found)
        self.assertIn("sparse 6.12", found)
        self.assertIn("direct calls sid", found)

    def test_a_build_that_fails(self):
        found = self.statuses(lambda c: (2, ["error"]) if "KVER=5.10" in c else self.good(c))
        self.assertEqual([n for n, s in found.items() if s == FAIL], ["W=1 build 5.10"])

    def test_sparse_warns_or_checks_nothing(self):
        for lines in (["  CHECK   a.c", "a.c:1:2: warning: context imbalance"], ["  CC  a.o"]):
            found = self.statuses(lambda c, lines=lines: (0, lines) if "C=2" in c else self.good(c))
            self.assertEqual([n for n, s in found.items() if s == FAIL],
                             ["sparse 6.1", "sparse 6.12"])

    def test_headers_that_cannot_be_had(self):
        found = self.statuses(self.good, unfetched="sid")
        self.assertEqual([n for n, s in found.items() if s == FAIL], ["headers for sid"])
        self.assertNotIn("W=1 build sid", found)


class Static(unittest.TestCase):
    """Each check that needs no kernel, over a tree with one thing wrong."""

    def wrong(self, method, **change):
        with tempfile.TemporaryDirectory() as top:
            for name, text in {**GOOD, **change}.items():
                path = os.path.join(top, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return getattr(static.Checks(top, print), method)()

    def test_spdx(self):
        self.assertEqual(self.wrong("spdx"), [])
        self.assertEqual(self.wrong("spdx", **{"tools/x.c": "int x;\n"}),
                         ["tools/x.c: no SPDX-License-Identifier: GPL-2.0-only at its top"])
        self.assertTrue(self.wrong("spdx", **{"scripts/new": "#!/usr/bin/env python3\n"}))

    def test_version_tests(self):
        self.assertEqual(self.wrong("version_tests"), [])
        self.assertEqual(len(self.wrong("version_tests", **{
            "src/main.c": "#if LINUX_VERSION_CODE > KERNEL_VERSION(6, 1, 0)\n#endif\n"})), 1)

    def test_pure_rooms(self):
        self.assertEqual(self.wrong("pure_rooms"), [])
        self.assertEqual(self.wrong("pure_rooms", **{
            "src/policy_new.c": "#include <linux/ktime.h>\n"}),
            ["src/policy_new.c: #include <linux/ktime.h>"])

    def test_what_a_build_left_is_not_ours(self):
        self.assertEqual(self.wrong("spdx", **{"hpoll.mod.c": "", "build/x.c": "int x;\n"}), [])

    def test_unknown_check(self):
        with self.assertRaises(LabError):
            static.run(".", print, ["no such"])


class Proc(unittest.TestCase):
    def test_status_and_output(self):
        self.assertEqual(proc.run(["sh", "-c", "echo a; echo b >&2; exit 3"]), (3, ["a", "b"]))

    def test_time_limit_ends_the_whole_group(self):
        started = time.monotonic()
        status, lines = proc.run(["sh", "-c", "sleep 60 & echo $!; wait"], limit=0.5)
        self.assertIsNone(status)
        self.assertLess(time.monotonic() - started, 20)
        # A busy machine may take a moment to let it die.
        while self.alive(int(lines[0])) and time.monotonic() - started < 20:
            time.sleep(0.1)
        self.assertFalse(self.alive(int(lines[0])))

    @staticmethod
    def alive(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                return file.read().rpartition(")")[2].split()[0] != "Z"
        except FileNotFoundError:
            return False

    def test_a_command_that_is_missing(self):
        with self.assertRaises(LabError):
            proc.run(["/nonexistent/command"])

    def test_lines_are_passed_on(self):
        seen = []
        proc.run([sys.executable, "-c", "print('one')"], line=seen.append)
        self.assertEqual(seen, ["one"])
