# SPDX-License-Identifier: GPL-2.0-only
"""hpoll-record: what becomes of traces in the kernel's text format, and of bad input."""

import os
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
RECORD = os.path.join(TOP, "tools", "record", "hpoll-record")
END = 4294967295
HEAD = """\
# tracer: nop
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
"""


def line(cpu, us, event, task="<idle>-0", flags="d..2."):
    """One event, so many us after second 100."""
    return f"          {task}       [{cpu:03}] {flags}   100.{us:06}: {event}\n"


def idle(cpu, us, state):
    return line(cpu, us, f"cpu_idle: state={state} cpu_id={cpu}")


def switch(cpu, us, prev=0):
    return line(cpu, us, f"sched_switch: prev_comm=swapper/{cpu} prev_pid={prev} prev_prio=120 "
                         "prev_state=R ==> next_comm=sh next_pid=7 next_prio=120")


def timer(cpu, us, what, key="00000000aa", function="hrtimer_wakeup", expires=0):
    rest = {"start": f" function={function} expires={expires} softexpires={expires} mode=ABS",
            "expire_entry": f" function={function} now={100_000_000_000 + us * 1000}",
            "cancel": ""}[what]
    return line(cpu, us, f"hrtimer_{what}: hrtimer={key}{rest}", flags="d.h1.")


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = os.path.join(folder.name, "t")

    def run_it(self, *arguments, text=None):
        return subprocess.run([RECORD, "-o", self.prefix, *arguments], input=text,
                              capture_output=True, text=True, check=False)

    def convert(self, *lines, polls=False):
        """{cpu: its lines}"""
        done = self.run_it(*(["-p"] if polls else []), "-i", "-", text=HEAD + "".join(lines))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = {}
        for cpu in range(4):
            path = f"{self.prefix}.cpu{cpu}"
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    found[cpu] = file.read().splitlines()
        return found

    def test_lengths_per_cpu(self):
        found = self.convert(
            idle(0, 10, 1), idle(1, 20, 1), idle(0, 60, END), switch(0, 61),
            idle(1, 500, END), switch(1, 501), idle(0, 600, 1), idle(0, 700, END))
        self.assertEqual(found, {0: ["50000 - resched", "100000 - other"],
                                 1: ["480000 - resched"]})

    def test_across_a_second(self):
        later = idle(0, 5, END).replace(" 100.", " 101.")
        self.assertEqual(self.convert(idle(0, 999990, 1), later), {0: ["15000 - other"]})

    def test_poll_and_the_halt_after_it_are_one(self):
        lines = (idle(0, 10, 0), idle(0, 60, END), idle(0, 61, 1), idle(0, 100, END),
                 switch(0, 101))
        self.assertEqual(self.convert(*lines, polls=True), {0: ["90000 - resched"]})
        self.assertEqual(self.convert(*lines), {0: ["50000 - other", "39000 - resched"]})

    def test_poll_that_hit(self):
        self.assertEqual(self.convert(
            idle(0, 10, 0), idle(0, 30, END), switch(0, 31), idle(0, 50, 1), idle(0, 90, END),
            polls=True), {0: ["20000 - resched", "40000 - other"]})

    def test_two_halts_are_two(self):
        self.assertEqual(self.convert(
            idle(0, 10, 1), idle(0, 30, END), idle(0, 31, 1), idle(0, 90, END), polls=True),
            {0: ["20000 - other", "59000 - other"]})

    def test_timers(self):
        found = self.convert(
            timer(0, 5, "start", expires=100_000_110_000), idle(0, 10, 1),
            idle(0, 112, END), timer(0, 113, "expire_entry"), switch(0, 114),
            idle(0, 200, 1), idle(0, 210, END), switch(0, 211))
        self.assertEqual(found, {0: ["102000 100000 timer", "10000 - resched"]})

    def test_timer_that_is_handled_before_the_state_is_left(self):
        found = self.convert(
            timer(0, 5, "start", expires=100_000_110_000), idle(0, 10, 1),
            timer(0, 111, "expire_entry"), idle(0, 112, END), switch(0, 114),
            idle(0, 200, 1), idle(0, 210, END), switch(0, 211))
        self.assertEqual(found, {0: ["102000 100000 timer", "10000 - resched"]})

    def test_nearest_timer_of_this_cpu(self):
        found = self.convert(
            timer(0, 1, "start", "aa", expires=100_000_900_000),
            timer(0, 2, "start", "bb", expires=100_000_500_000),
            timer(1, 3, "start", "cc", expires=100_000_300_000),
            idle(0, 100, 1), idle(0, 150, END), switch(0, 151),
            timer(0, 152, "cancel", "bb"), idle(0, 200, 1), idle(0, 250, END))
        self.assertEqual(found[0], ["50000 400000 resched", "50000 700000 other"])

    def test_timers_that_do_not_count(self):
        found = self.convert(
            timer(0, 1, "start", "aa", "tick_nohz_handler", 100_000_200_000),
            timer(0, 2, "start", "bb", expires=1_700_000_000_000_000_000),
            idle(0, 100, 1), idle(0, 150, END),
            timer(0, 151, "expire_entry", "aa", "tick_nohz_handler"))
        self.assertEqual(found, {0: ["50000 - other"]})

    def test_begun_before_the_trace(self):
        self.assertEqual(self.convert(idle(0, 5, END), idle(0, 10, 1), idle(0, 20, END)),
                         {0: ["10000 - other"]})

    def test_older_format(self):
        text = "  <idle>-0 [000] 100.000010: cpu_idle: state=1 cpu_id=0\n" \
               "  <idle>-0 [000] 100.000020: cpu_idle: state=4294967295 cpu_id=0\n"
        self.assertEqual(self.convert(text), {0: ["10000 - other"]})

    def test_no_idle_periods(self):
        done = self.run_it("-i", "-", text=HEAD)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no idle period in the trace", done.stderr)
        self.assertEqual(os.listdir(os.path.dirname(self.prefix)), [])

    def test_bad_input(self):
        for arguments, says in (
                ((), "expected -t SECONDS or a command"),
                (("-t", "0"), "-t 0: expected seconds, 1 to 86400"),
                (("-t", "99999999999"), "expected seconds"),
                (("-t", "1s"), "expected seconds"),
                (("-t", "5", "true"), "expected one of them"),
                (("-b", "1", "-t", "5"), "-b 1: expected KiB"),
                (("-i", "-", "-t", "5"), "-i: nothing is recorded"),
                (("-i", "/nonexistent"), "/nonexistent: can't read it"),
                (("-x",), "see hpoll-record -h")):
            with self.subTest(arguments=arguments):
                done = self.run_it(*arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(says, done.stderr)
                self.assertEqual(os.listdir(os.path.dirname(self.prefix)), [])

    def test_bad_prefix(self):
        done = subprocess.run([RECORD, "-o", "/nonexistent/x", "-t", "5"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("can't write to /nonexistent", done.stderr)

    def test_help(self):
        self.assertIn("usage: hpoll-record", self.run_it("-h").stdout)


if __name__ == "__main__":
    unittest.main()
