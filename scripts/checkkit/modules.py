# SPDX-License-Identifier: GPL-2.0-only
"""Build what guests need for each of their kernels, without a warning, and look at it.

What is built here is what the guests run.
"""

import functools
import os
import re

from labkit import headers, kernels, packages
from labkit.errors import LabError
from labkit.spec import load_plan

from . import direct, lanes, proc
from .results import FAIL, PASS, Result

PACKAGES = ["make", "gcc", "libc6-dev", "binutils", "sparse"]
# Where sparse is among the tools that were unpacked with the headers or runs
# with the machine's own.
SPARSE = ("6.1", "6.12")
# Where a call through a pointer is fatal on more hardware (IBT).
DIRECT = (*SPARSE, kernels.NEWEST)
# With the same words each time, or everything would be built again.
STRICT = ("W=1", "KCFLAGS=-Werror")
LIMIT_S = 1200


def wanted(top):
    """The kernels that guests boot."""
    return sorted({spec.kernel for spec in load_plan(os.path.join(top, "selftests",
                                                                  "guests.toml"))})


def _make(top, kernel, *options, goal="guest"):
    status, lines = proc.run(["make", f"KVER={kernel}", goal, *STRICT, *options], cwd=top,
                             limit=LIMIT_S, env={"LC_ALL": "C.UTF-8"})
    return status, [line for line in lines if line.strip()]


@functools.cache
def build(top, kernel):
    """Build everything for a kernel, once; the lines of what is wrong."""
    status, lines = _make(top, kernel)
    return [] if status == 0 else lines[-30:] or [f"exit status {status}"]


def fetch(some, say):
    """Have the kernels' headers; {kernel: [what is wrong]}.

    Not left to make: a kernel of our own takes longer than a module may, and
    two builds at a time must not both install what they miss.
    """
    wrong = {}
    for kernel in some:
        say(f"fetching headers for {kernel}")
        try:
            headers.directory(kernel)
            wrong[kernel] = []
        except LabError as error:
            wrong[kernel] = [str(error)]
    return wrong


def sparse(top, kernel):
    """Sparse over the same; it runs on sources that need no compiling, too."""
    status, lines = _make(top, kernel, "C=2")
    if status != 0:
        return lines[-30:] or [f"exit status {status}"]
    checked = sum(line.split()[0] == "CHECK" for line in lines)
    warnings = [line for line in lines if re.search(r"\b(warning|error): ", line)]
    return warnings or ([] if checked else ["sparse checked no file"])


def direct_calls(top, kernel):
    """No call through a pointer in the module that `build` left."""
    module = os.path.join(top, "build", "module", kernels.release(kernel), "hpoll.ko")
    if not os.path.exists(module):
        return [f"no {module}: did the build fail?"]
    return direct.check(module)[0]


def run(top, say):
    """Build and look, for two kernels at a time; the results."""
    packages.require(PACKAGES)
    found = {}

    def look(kernel):
        what = {"W=1 build": build}
        if kernel in SPARSE:
            what["sparse"] = sparse
        if kernel in DIRECT:
            what["direct calls"] = direct_calls
        found[kernel] = []
        for name, method in what.items():
            say(f"{name} {kernel}")
            lines = method(top, kernel)
            found[kernel].append(Result(f"modules: {name} {kernel}", FAIL if lines else PASS, lines))

    fetched = fetch(wanted(top), say)
    lanes.beside([kernel for kernel, lines in fetched.items() if not lines], look)
    for kernel, lines in fetched.items():
        if lines:
            found[kernel] = [Result(f"modules: headers for {kernel}", FAIL, lines)]
    return [result for kernel in fetched for result in found[kernel]]
