# SPDX-License-Identifier: GPL-2.0-only
"""The kernel matrix: the selftests on each kernel, as a table. Pure.

Only ratios are shown: times are the machine's, not the module's.
"""

from dataclasses import dataclass, field

from . import page

BEGIN = "<!-- kernel matrix: written by scripts/lab matrix --readme -->"
END = "<!-- end of the kernel matrix -->"

HEAD = ("kernel", "release", "how it ran", "passed", "failed", "skipped",
        "IPI to an idle CPU", "round trip")


@dataclass
class Row:
    """One kernel. problem: why it could not be run at all.

    gains: how many times faster than under menu, as text, for an IPI and for a
    round trip; "-" where that was not measured.
    """

    kernel: str
    release: str = "?"
    accels: list = field(default_factory=list)
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    gains: tuple = ("-", "-")
    problem: str = ""

    @property
    def good(self):
        return not self.problem and not self.failed and self.passed > 0


def label(name, release):
    """"sid" alone would not say which version that was."""
    version = ".".join(release.split("-")[0].split(".")[:2])
    return name if name.startswith(version) or release == "?" else f"{version} ({name})"


def row(name, results, gains):
    """Count the results (the lab's JSON) of one kernel's guests."""
    made = Row(name, gains=gains)
    for one in results:
        made.release = one["kernel"]
        if one["accel"] not in made.accels:
            made.accels.append(one["accel"])
        for test in one["tests"]:
            made.passed += test["ok"]
            made.failed += test["failed"]
            made.skipped += test["skipped"]
        # A guest that died, or a test that did not end, has no failed result.
        if one["verdict"] != "pass" and not any(t["failed"] for t in one["tests"]):
            made.failed += 1
    return made


def _cells(one):
    first = label(one.kernel, one.release)
    if one.problem:
        return (first, one.release, f"not run: {one.problem}", *("-",) * 5)
    return (first, one.release, ", ".join(one.accels), one.passed, one.failed, one.skipped,
            *one.gains)


def _line(cells):
    return f"| {' | '.join(str(c).replace('|', chr(92) + '|') for c in cells)} |"


def table(rows):
    """The rows as the lines of a Markdown table."""
    return [_line(HEAD), _line(("---",) * len(HEAD)), *(_line(_cells(one)) for one in rows)]


def merge(text, rows, kernels):
    """The lines of a table that keeps what `text` has of kernels that were not run.

    kernels: the matrix, in its order.
    """
    old = text.partition(BEGIN)[2].partition(END)[0].splitlines()
    fresh = {one.kernel: [one] for one in rows}
    lines = table([])
    for kernel in kernels:
        if kernel in fresh:
            lines += table(fresh[kernel])[2:]
        else:
            lines += [line for line in old
                      if line.startswith(f"| {kernel} |") or f" ({kernel}) |" in line]
    return lines


def replace(text, lines):
    """The README's text with these lines for its table."""
    return page.replace("README", text, BEGIN, END, lines)
