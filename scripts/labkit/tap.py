# SPDX-License-Identifier: GPL-2.0-only
"""Read TAP, the way kselftest writes it. Pure."""

import re
from dataclasses import dataclass, field

RESULT = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:-\s*)?(.*)$")
DIRECTIVE = re.compile(r"(?:^|\s)#\s*(skip|todo)\b\S*\s*(.*)$", re.IGNORECASE)
PLAN = re.compile(r"^1\.\.(\d+)\s*(?:#\s*(.*))?$")


@dataclass
class Tap:
    """One test's output. `problem` is empty where the test passed or skipped."""

    name: str
    status: int | None = None
    ok: int = 0
    failed: int = 0
    skipped: int = 0
    skips: list = field(default_factory=list)
    failures: list = field(default_factory=list)
    problem: str = ""
    lines: list = field(default_factory=list)


def parse(name, lines, status):
    """Count results; indented lines (subtests) and comments are not results.

    status: the exit status, None where the test did not end.
    """
    tap = Tap(name=name, status=status, lines=list(lines))
    plan = None
    for line in lines:
        planned = PLAN.match(line)
        if planned:
            if plan is not None:
                tap.problem = tap.problem or "two plans"
            plan = int(planned.group(1))
            if plan == 0:
                why = re.sub(r"^skip\w*\s*", "", planned.group(2) or "", flags=re.IGNORECASE)
                tap.skipped += 1
                tap.skips.append(why or "no reason given")
            continue
        if line.startswith("Bail out!"):
            tap.problem = tap.problem or line
            continue
        result = RESULT.match(line)
        if not result:
            continue
        bad, _, text = result.groups()
        directive = DIRECTIVE.search(text)
        kind = directive.group(1).lower() if directive else ""
        if kind == "skip":
            tap.skipped += 1
            label = text[:directive.start()].strip()
            tap.skips.append(": ".join(filter(None, (label, directive.group(2))))
                             or "no reason given")
        elif bad and kind != "todo":
            tap.failed += 1
            tap.failures.append(text.strip())
        else:
            tap.ok += 1
    results = tap.ok + tap.failed + (tap.skipped if plan != 0 else 0)
    if tap.failed:
        tap.problem = tap.problem or f"{tap.failed} failed: {tap.failures[0] or 'no name'}"
    elif status is None:
        tap.problem = tap.problem or "did not end"
    elif status != 0 and not (status == SKIP_STATUS and tap.skipped):
        tap.problem = tap.problem or f"exit status {status}"
    elif plan is None:
        tap.problem = tap.problem or "no plan"
    elif plan != results:
        tap.problem = tap.problem or f"planned {plan}, ran {results}"
    return tap


# kselftest's way to say that the whole test was skipped.
SKIP_STATUS = 4
