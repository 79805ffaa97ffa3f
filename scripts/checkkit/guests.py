# SPDX-License-Identifier: GPL-2.0-only
"""The selftests in guests, through the lab; each TAP line counts.

Guests that need no exits measure nothing, so two of them run at a time; those
that do run alone, one after the other.
"""

import glob
import json
import os
import sys

from labkit import emulator, lab, verdict
from labkit.spec import load_plan

from . import ktap, lanes, modules, proc
from .results import FAIL, SKIP, Result


def read(guest):
    """Results from one guest's JSON. Pure."""
    found = []
    for test in guest["tests"]:
        prefix = f"guests: {guest['name']}: {test['name']}: "
        results = ktap.flatten(ktap.parse(test["tap"]), prefix, 0)
        if test["problem"] and not any(r.status == FAIL for r in results):
            results.append(Result(prefix + "as a whole", FAIL, [test["problem"]]))
        found += results
    judged, whole = guest["verdict"], f"guests: {guest['name']}: as a whole"
    # "fail" only repeats what a test said; a panic or a warning is news.
    if judged not in ("pass", "fail") or (judged == "fail" and
                                          not any(r.status == FAIL for r in found)):
        found.append(Result(whole, FAIL, [f"{judged}: {guest['reason']}"]))
    elif not guest["tests"]:
        found.append(Result(whole, FAIL, ["no test ran"]))
    for nth, boot in zip(("first", "second"), guest["repeated"]):
        found.append(Result(f"guests: {guest['name']}: {nth} boot", SKIP,
                            [f"died of the emulation, and was booted again: {boot['verdict']}: "
                             f"{boot['reason']}"]))
    return found


def excerpt(lines):
    """What a console says of a failure: the kernel's first complaint and what follows
    it, as told last, which is in full; its end where there is none. Pure."""
    complaint = verdict.first_splat(lines)
    if not complaint:
        return lines[-15:]
    told = max(i for i, line in enumerate(lines) if complaint in line)
    return lines[told:told + 40]


def _console(logs, name):
    """The console of a guest that failed."""
    for path in sorted(glob.glob(os.path.join(glob.escape(logs), "**", f"{name}.cons*"),
                                 recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        if lines:
            return [f"console ({path}):", *(f"  {line}" for line in excerpt(lines))]
    return []


class _Booter:
    """Boots guests of the plan by commands of their own, and keeps what they said."""

    def __init__(self, top, plan, accel, say):
        self.top, self.plan, self.accel, self.say = top, plan, accel, say
        self.out = os.path.join(top, "build", "check", "guests")
        self.logs = os.path.join(top, "build", "check", "logs")
        self.lines, self.failed = [], []
        for path in glob.glob(os.path.join(glob.escape(self.out), "*.json")):
            os.unlink(path)

    def boot(self, specs, log):
        """Boot guests one after the other."""
        status, lines = proc.run(
            [sys.executable, os.path.join(self.top, "scripts", "lab"), "plan", self.plan,
             "--json", self.out, "--log", os.path.join(self.logs, log), "--accel", self.accel,
             "--files", os.path.join(self.top, "build", "guest", "{release}"),
             *(word for spec in specs for word in ("--only", spec.name))],
            cwd=self.top, limit=600 + sum(spec.timeout + 60 for spec in specs),
            line=lambda text: self.say(text.removeprefix("lab: ")))
        self.lines += lines
        if status != 0:
            self.failed.append(f"exit status {status}: " + "".join(lines[-1:]))


def run(top, say, accel="auto"):
    """Build what guests need, boot them, and collect every test's results."""
    plan = os.path.join(top, "selftests", "guests.toml")
    specs = load_plan(plan)
    found = []
    wrong = modules.fetch(sorted({spec.kernel for spec in specs}), say)

    def build(kernel):
        say(f"building for {kernel}")
        wrong[kernel] = modules.build(top, kernel)

    lanes.beside([kernel for kernel, lines in wrong.items() if not lines], build)
    for kernel, lines in wrong.items():
        if lines:
            found.append(Result(f"guests: build for {kernel}", FAIL, lines))
            specs = [spec for spec in specs if spec.kernel != kernel]
    if not specs:
        return found
    lab.prepare()
    how = lab.choose(accel)[0]
    if how != "kvm":
        # Once, before two guests at a time would.
        emulator.command()
    booter = _Booter(top, plan, how, say)
    say("booting")
    # The longest first, or one of them is left over at the end.
    lanes.beside(sorted((s for s in specs if not s.exits), key=lambda s: -s.timeout),
            lambda spec: booter.boot([spec], spec.name))
    alone = [s for s in specs if s.exits]
    if alone:
        booter.boot(alone, "alone")
    for spec in specs:
        path = os.path.join(booter.out, f"{spec.name}.json")
        if not os.path.exists(path):
            found.append(Result(f"guests: {spec.name}", FAIL,
                                ["gave no result", *booter.failed[:1]]))
            continue
        with open(path, encoding="utf-8") as file:
            results = read(json.load(file))
        if any(r.status == FAIL for r in results):
            results[[r.status for r in results].index(FAIL)].output += _console(booter.logs, spec.name)
        found += results
    for text in booter.lines:
        if text.startswith("lab: NOTE: "):
            print("guests:", text.removeprefix("lab: "), flush=True)
    if booter.failed and not any(r.status == FAIL for r in found):
        found.append(Result("guests: lab", FAIL, booter.failed))
    return found


def accel_of(top):
    """How the guests ran, for the report: the label that the lab gave."""
    found = set()
    for path in glob.glob(os.path.join(glob.escape(top), "build", "check", "guests", "*.json")):
        with open(path, encoding="utf-8") as file:
            found.add(json.load(file)["accel"])
    return ", ".join(sorted(found))
