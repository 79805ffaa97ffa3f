# SPDX-License-Identifier: GPL-2.0-only
"""What a check found out."""

from dataclasses import asdict, dataclass, field

PASS, FAIL, SKIP = "pass", "fail", "skip"


@dataclass
class Result:
    """One individual test. `output` is what a person needs where it did not pass.

    rows: how many inputs it tried, where it says so.
    """

    name: str
    status: str
    output: list = field(default_factory=list)
    rows: int = 0

    def json(self):
        return asdict(self)


def count(results, status):
    return sum(r.status == status for r in results)


def summary(results):
    """The last line of every check."""
    return (f"{count(results, PASS)} passed, {count(results, FAIL)} failed, "
            f"{count(results, SKIP)} skipped")


def show(result):
    """The lines that a result which did not pass is reported by."""
    word = {PASS: "ok", FAIL: "FAIL", SKIP: "skip"}[result.status]
    return [f"{word}: {result.name}", *(f"    {line}" for line in result.output)]
