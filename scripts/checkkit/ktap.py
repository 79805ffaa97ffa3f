# SPDX-License-Identifier: GPL-2.0-only
"""Read KTAP and TAP, with subtests, and count what is missing as failed. Pure."""

import re
from dataclasses import dataclass, field

from .results import FAIL, PASS, SKIP, Result

LINE = re.compile(r"^(?P<indent> *)(?P<bad>not )?ok\b\s*(?P<nr>\d+)?\s*(?:-\s+)?(?P<text>.*)$")
PLAN = re.compile(r"^(?P<indent> *)1\.\.(?P<count>\d+)\s*(?:#\s*(?P<text>.*))?$")
DIRECTIVE = re.compile(r"(?:^|\s)#\s*(?P<kind>skip|todo)\b\S*\s*(?P<why>.*)$", re.IGNORECASE)
NAMED = re.compile(r"^ *# Subtest: (?P<name>.+)$")
VERSION = re.compile(r"^ *K?TAP version \d+$")


@dataclass
class Test:
    """One result line with the subtests above it."""

    name: str
    status: str
    output: list = field(default_factory=list)
    subtests: list = field(default_factory=list)


@dataclass
class Report:
    """A whole output: its outermost tests, and what is wrong beyond them."""

    tests: list = field(default_factory=list)
    problems: list = field(default_factory=list)


def _judge(match):
    text = match["text"].strip()
    directive = DIRECTIVE.search(match["text"])
    if not directive:
        return text, FAIL if match["bad"] else PASS, []
    text = match["text"][:directive.start()].strip()
    if directive["kind"].lower() == "skip":
        return text, SKIP, [directive["why"].strip() or "no reason given"]
    return text, PASS, []


def parse(lines):
    """Read an output. Subtests stand above, and deeper than, what they belong to."""
    report = Report()
    open_groups = {}    # indent -> results at that depth, not yet claimed
    plans, titles, notes = {}, {}, []

    def close(depth):
        """Take all that is deeper than `depth`; complain about what is missing."""
        taken = []
        for indent in sorted(i for i in {*open_groups, *plans} if i > depth):
            group = open_groups.pop(indent, [])
            planned = plans.pop(indent, None)
            title = titles.pop(indent, "")
            if planned is not None and planned != len(group):
                report.problems.append(f"{title or 'a test'}: planned {planned}, "
                                       f"ran {len(group)}")
            taken += group
        for indent in [i for i in titles if i > depth]:
            del titles[indent]
        return taken

    for line in lines:
        line = line.rstrip()
        match, plan, named = LINE.match(line), PLAN.match(line), NAMED.match(line)
        if match:
            indent = len(match["indent"])
            subtests = close(indent)
            name, status, output = _judge(match)
            if status != FAIL and any(s.status == FAIL for s in subtests):
                status = FAIL
            group = open_groups.setdefault(indent, [])
            nr = int(match["nr"]) if match["nr"] else len(group) + 1
            if nr != len(group) + 1:
                report.problems.append(f"{name}: number {nr} where {len(group) + 1} was due")
            # A skip's reason is enough; only a failure needs what was said before.
            group.append(Test(name or f"test {nr}", status,
                              notes if status == FAIL else output, subtests))
            notes = []
        elif plan:
            indent = len(plan["indent"])
            if indent in plans:
                report.problems.append("two plans")
            plans[indent] = int(plan["count"])
            if not plans[indent] and plan["text"]:
                why = re.sub(r"^skip\w*\s*", "", plan["text"], flags=re.IGNORECASE)
                del plans[indent]
                open_groups.setdefault(indent, []).append(Test("all", SKIP, [why]))
        elif named:
            titles[len(line) - len(line.lstrip())] = named["name"]
        elif line.strip().startswith("Bail out!"):
            report.problems.append(line.strip())
        elif line.strip() and not VERSION.match(line):
            notes.append(line.strip())
    has_plan = 0 in plans
    if any(i > 0 for i in open_groups):
        report.problems.append("ended within a subtest")
    report.tests = close(-1)
    if not has_plan and not any(t.status == SKIP and t.name == "all" for t in report.tests):
        report.problems.append("no plan")
    elif not report.tests:
        report.problems.append("no test, and no reason")
    if report.problems and notes:
        report.problems += notes
    return report


def _leaves(test):
    return [leaf for sub in test.subtests for leaf in _leaves(sub)] or [test]


def flatten(report, prefix, depth=1):
    """Results, one for each test `depth` levels down; deeper ones are its rows.

    What is wrong with the whole is a failed result of its own.
    """
    found = []

    def visit(test, path, left):
        name = f"{path}{test.name}"
        if left and test.subtests:
            for sub in test.subtests:
                visit(sub, f"{name}: ", left - 1)
            return
        rows = len(_leaves(test)) if test.subtests else 0
        output = list(test.output) if test.status != PASS else []
        for leaf in _leaves(test) if test.subtests else []:
            if leaf.status == FAIL:
                output += [f"row: {leaf.name}", *(f"    {n}" for n in leaf.output)]
        found.append(Result(name, test.status, output, rows))

    for test in report.tests:
        visit(test, prefix, depth)
    if report.problems:
        found.append(Result(f"{prefix}complete output", FAIL, report.problems))
    return found
