# SPDX-License-Identifier: GPL-2.0-only
"""hpoll-replay, built with sanitizers, against a plain account in Python; and
that the policies' page says what it finds."""

import base64
import glob
import gzip
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import sanitized
from labkit.cli import TOP
from policykit import corpus, kinds, report

MAX_NS = 200000
COLUMNS = ["file", "policy", "periods", "cost_ratio", "polled_ns", "vain_ns", "halts"]


def setUpModule():
    # pylint: disable=global-statement
    global FOLDER, REPLAY
    FOLDER = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, FOLDER)
    REPLAY = os.path.join(FOLDER, "hpoll-replay")
    sanitized.build(REPLAY, *glob.glob("tools/replay/*.c", root_dir=TOP), "src/policy_classic.c",
                    "src/policy_adaptive.c", "src/budget.c", "src/window.c", "-lm")


def run(*arguments, text=None):
    done = subprocess.run([REPLAY, *arguments], input=text, capture_output=True, text=True,
                          check=False, cwd=FOLDER)
    return done.returncode, done.stdout, done.stderr


def classic_next(window, block, most=MAX_NS, grow=2, shrink=2, start=50000):
    if block > most:
        window //= shrink
        return 0 if window < start else window
    if block <= window:
        return window
    return min(max(window * grow, start), most)


def account(lengths, windows, cost):
    """(cost, polled, in vain, halts), as plainly as it can be said."""
    total = polled = vain = halts = 0
    for length, window in zip(lengths, windows):
        if length <= window:
            total += length
            polled += length
        else:
            total += window + cost
            polled += window
            vain += window
            halts += 1
    return total, polled, vain, halts


class Replay(unittest.TestCase):
    def rows(self, *arguments, text=None):
        status, out, err = run("--format", "tsv", *arguments, text=text)
        self.assertEqual((status, err), (0, ""))
        lines = [line.split("\t") for line in out.splitlines()]
        self.assertEqual(lines[0], COLUMNS)
        return [dict(zip(COLUMNS, line)) for line in lines[1:]]

    def expect(self, row, lengths, windows, cost):
        total, polled, vain, halts = account(lengths, windows, cost)
        optimum = sum(min(length, cost) for length in lengths)
        self.assertEqual((row["polled_ns"], row["vain_ns"], row["halts"], row["periods"]),
                         (str(polled), str(vain), str(halts), str(len(lengths))), row["policy"])
        self.assertAlmostEqual(float(row["cost_ratio"]), total / optimum, places=4)

    def test_agrees_with_a_plain_account(self):
        chance = random.Random(7)
        for cost in (MAX_NS, 60000):
            lengths = [chance.choice((chance.randrange(1, 400000), 20000, 3000000, cost, cost + 1))
                       for _ in range(3000)]
            by = {r["policy"]: r for r in self.rows(
                f"--halt-cost-ns={cost}", "-", text="".join(f"{n}\n" for n in lengths))}
            self.assertEqual(list(by), ["classic", "adaptive", "always", "never", "best-fixed",
                                        "optimum"])
            self.expect(by["always"], lengths, [MAX_NS] * len(lengths), cost)
            self.expect(by["never"], lengths, [0] * len(lengths), cost)
            self.expect(by["optimum"], lengths, [n if n <= cost else 0 for n in lengths], cost)
            windows, window = [], 0
            for length in lengths:
                windows.append(window)
                if length > window:
                    window = classic_next(window, length - window)
            self.expect(by["classic"], lengths, windows, cost)
            best = min((account(lengths, [w] * len(lengths), cost)[0], w)
                       for w in {0, *(n for n in lengths[:300] if n <= MAX_NS)})
            mine = float(by["best-fixed"]["cost_ratio"]) * sum(min(n, cost) for n in lengths)
            self.assertLessEqual(mine, best[0] * 1.0001)

    def test_the_issue_of_classic(self):
        # Just past grow_start, classic polls 50 us and halts 8 us for ever.
        text = "58000\n" * 1000
        by = {r["policy"]: float(r["cost_ratio"]) for r in self.rows("-", text=text)}
        self.assertAlmostEqual(by["classic"], 250 / 58, places=2)
        self.assertEqual(by["adaptive"], 1)

    def test_timers_are_used(self):
        text = "".join(f"{n + 1000} {n}\n" for n in (60000, 4000000) * 500)
        row, = self.rows("--policy=adaptive", "-", text=text)
        self.assertLess(float(row["cost_ratio"]), 1.01)

    def test_parameters(self):
        text = "58000\n" * 1000
        row, = self.rows("-p", "classic", "--grow-start-ns=60000", "-", text=text)
        self.assertEqual(row["halts"], "1")
        row, = self.rows("-p", "classic", "--max-ns=0", "-", text=text)
        self.assertEqual((row["halts"], row["polled_ns"]), ("1000", "0"))

    def test_columns_comments_and_blanks(self):
        text = "# a trace\n\n 1000\n2000 -\n3000 4000 # why\n4000\t-\ttimer \n5000 6 resched\n6 7 other"
        row, = self.rows("-p", "never", "-", text=text)
        self.assertEqual(row["periods"], "6")

    def test_bad_lines(self):
        for line, what in (("x", "the length of an idle period"), ("-5", "the length"),
                           ("1.5", "the length"), ("12us", "the length"),
                           ("18446744073709551616", "the length"),
                           ("5 x", "in the second column"), ("5 -6", "second column"),
                           ("5 6 foo", "resched, timer or other"), ("5 6 timers", "resched, timer"),
                           ("5 6 timer 7", "at most three columns")):
            status, out, err = run("-", text=f"1000\n# c\n{line}\n")
            self.assertEqual((status, out), (1, ""), line)
            self.assertIn("standard input: line 3: expected", err)
            self.assertIn(what, err)
            self.assertEqual(err.count("\n"), 1)

    def test_a_bad_trace_after_a_good_one_prints_nothing(self):
        good, bad = (os.path.join(FOLDER, name) for name in ("good", "bad"))
        picture = os.path.join(FOLDER, "none.svg")
        for path, text in ((good, "1000\n"), (bad, "1000\nx\n")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        status, out, err = run("--plot", picture, good, bad)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("bad: line 2: expected", err)
        self.assertFalse(os.path.exists(picture))

    def test_bad_usage(self):
        for arguments, what in ((["-p", "fast", "-"], "--policy=fast: expected classic"),
                                (["--max-ns=1us", "-"], "--max-ns=1us: expected a whole number"),
                                (["--max-ns=4294967296", "-"], "from 0 to 4294967295"),
                                (["--allow-shrink=perhaps", "-"], "expected Y or N"),
                                (["--format=xml", "-"], "expected table, tsv or json"),
                                ([], "expected a trace to replay")):
            status, out, err = run(*arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertIn(what, err)

    def test_files_that_cannot_be_read(self):
        broken = os.path.join(FOLDER, "broken.gz")
        with open(broken, "wb") as file:
            file.write(b"no gzip")
        empty = os.path.join(FOLDER, "empty")
        with open(empty, "wb"):
            pass
        for path, what in (("/no/such", "/no/such: No such file"), ("/no/such.gz", "No such file"),
                           (broken, "can't unpack it"), (FOLDER, "Is a directory"),
                           (empty, "expected at least one idle period")):
            status, out, err = run(path)
            self.assertEqual((status, out), (1, ""), path)
            self.assertIn(what, err)
            self.assertEqual(err.count("\n"), 1, err)

    def test_packed_files(self):
        path = os.path.join(FOLDER, "packed trace.gz")
        with gzip.open(path, "wt") as file:
            file.write("1000\n" * 5)
        row, = self.rows("-p", "never", path)
        self.assertEqual((row["periods"], row["file"]), ("5", path))

    def test_json(self):
        name = os.path.join(FOLDER, 'odd "name"\t\\')
        with open(name, "w", encoding="utf-8") as file:
            file.write("1000\n")
        status, out, _ = run("-f", "json", name, name)
        self.assertEqual(status, 0)
        found = json.loads(out)
        self.assertEqual(len(found), 12)
        self.assertEqual(list(found[0]), COLUMNS)
        self.assertEqual(found[0]["file"], name)

    def test_plot(self):
        path, name = os.path.join(FOLDER, "a.svg"), os.path.join(FOLDER, "<&>")
        with open(name, "w", encoding="utf-8") as file:
            file.write("1000\n20000\n3000000\n" * 2000)
        self.assertEqual(run("--plot", path, name, name)[0], 0)
        root = xml.etree.ElementTree.parse(path).getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.get("height").strip(), "600")
        # The optimum has no window.
        self.assertEqual(len(root.findall(f"{space}polyline")), 10)

    def test_no_room_for_the_result(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([REPLAY, "-"], input=b"1000\n", stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)


class Goals(unittest.TestCase):
    """What the adaptive policy must reach, on made-up traces and on real programs'."""

    @classmethod
    def setUpClass(cls):
        cls.made_up = report.measure_made_up(REPLAY, FOLDER)
        cls.recorded = report.measure(REPLAY, corpus.paths())
        cls.found = {**cls.made_up, **cls.recorded}

    def ratio(self, trace, policy="adaptive"):
        return float(self.found[trace][policy]["cost_ratio"])

    def test_geometric_mean(self):
        self.assertLessEqual(report.geometric_mean(self.made_up, "adaptive"), 1.10)

    def test_what_was_recorded(self):
        """No further above the optimum than whoever knows the best window beforehand."""
        self.assertLessEqual(report.geometric_mean(self.recorded, "adaptive"),
                             report.geometric_mean(self.recorded, "best-fixed") * 1.01)

    def test_nowhere_worse_than_classic_by_more_than_2_percent(self):
        for trace in self.found:
            self.assertLessEqual(self.ratio(trace), self.ratio(trace, "classic") * 1.02, trace)

    def test_alternation_and_timers(self):
        for kind in ("alternating", "two-of-three", "timer-1ms", "timer-100us", "timers-in-turn"):
            self.assertLessEqual(self.ratio(kind), 1.05, kind)

    def test_the_page_is_up_to_date(self):
        with open(os.path.join(TOP, "Documentation", "policy.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(report.replace(page, self.made_up, self.recorded), page,
                         "run make policy-report")


class Corpus(unittest.TestCase):
    """What the guest sends, and what is kept of it."""

    def sent(self, what, text, width):
        packed = base64.b64encode(gzip.compress(text.encode())).decode()
        return [{"trace": what, "part": at // width, "base64": packed[at:at + width]}
                for at in range(0, len(packed), width)]

    def test_parts_are_put_together(self):
        one = "".join(f"{i} - other\n" for i in range(500))
        data = [{"what": "figures"}, *self.sent("one", one, 100), *self.sent("two", "5\n", 8)]
        self.assertEqual(corpus.traces(reversed(data)), {"one": one, "two": "5\n"})

    def test_there_are_traces_of_real_programs(self):
        names = " ".join(map(corpus.name, corpus.paths()))
        for program in ("pingpong", "fio", "tcp", "hackbench", "sysbench", "cyclictest", "build",
                        "redis", "rest"):
            self.assertIn(program, names)


class Traces(unittest.TestCase):
    def test_a_seed_makes_the_same_trace(self):
        for name in kinds.KINDS:
            one, same, other = (list(kinds.trace(name, random.Random(seed), 50))
                                for seed in (1, 1, 2))
            self.assertEqual(one, same, name)
            self.assertEqual(len(one), 50)
            self.assertNotEqual(one, other, name)

    def test_command(self):
        command = os.path.join(TOP, "scripts", "make-trace")
        for arguments, status, what in ((["short", "--count", "2"], 0, "# short: around 20 us; seed 1"),
                                        ([], 0, "memoryless"),
                                        (["none"], 2, "invalid choice"),
                                        (["short", "--count", "0"], 2, "expected at least 1")):
            done = subprocess.run([command, *arguments], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, status, arguments)
            self.assertIn(what, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
