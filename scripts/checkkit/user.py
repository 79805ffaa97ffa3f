# SPDX-License-Identifier: GPL-2.0-only
"""The KUnit suites and the fuzzer in user space, under sanitizers; a decision's cost."""

import glob
import os

from labkit import packages

from . import ktap, proc
from .results import FAIL, Result

PACKAGES = ["gcc", "make", "libc6-dev"]
BUILD_LIMIT_S = 300
RUN_LIMIT_S = 600


def run(top, say):
    """Build and run all; one result for each case of a suite, each fuzz test, each bound."""
    packages.require(PACKAGES)
    out = os.path.join(top, "build", "user")
    say("building")
    status, lines = proc.run(["make", "-s", "-j2", "-C", os.path.join(top, "kunit", "user"),
                              f"O={out}"], limit=BUILD_LIMIT_S)
    # Warnings are errors there.
    if status != 0:
        return [Result("user: build", FAIL, lines[-30:])]
    sources = sorted(glob.glob(os.path.join(glob.escape(top), "kunit", "*_test.c")))
    found = []
    for name in [*(os.path.basename(s).removesuffix(".c") for s in sources), "fuzz", "bench"]:
        say(name)
        status, lines = proc.run([os.path.join(out, name)], limit=RUN_LIMIT_S)
        report = ktap.parse(lines)
        is_suite = name.endswith("_test")
        prefix = "user: " + ("" if is_suite else f"{name}: ")
        results = ktap.flatten(report, prefix, 1 if is_suite else 0)
        # A sanitizer's report comes with neither a result nor a plan fulfilled.
        if status != 0 and not any(r.status == FAIL for r in results):
            results.append(Result(f"user: {name}", FAIL, [f"exit status {status}", *lines[-40:]]))
        found += results
    return found
