# SPDX-License-Identifier: GPL-2.0-only
"""The KUnit suites and the fuzzer in user space, under sanitizers."""

import glob
import os

from labkit import packages

from . import ktap, proc
from .results import FAIL, Result

PACKAGES = ["gcc", "make", "libc6-dev"]
BUILD_LIMIT_S = 300
RUN_LIMIT_S = 600


def run(top, say):
    """Build and run all; one result for each case of a suite and each fuzz test."""
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
    for name in [*(os.path.basename(s).removesuffix(".c") for s in sources), "fuzz"]:
        say(name)
        status, lines = proc.run([os.path.join(out, name)], limit=RUN_LIMIT_S)
        report = ktap.parse(lines)
        prefix = "user: " + ("fuzz: " if name == "fuzz" else "")
        results = ktap.flatten(report, prefix, 0 if name == "fuzz" else 1)
        # A sanitizer's report comes with neither a result nor a plan fulfilled.
        if status != 0 and not any(r.status == FAIL for r in results):
            results.append(Result(f"user: {name}", FAIL, [f"exit status {status}", *lines[-40:]]))
        found += results
    return found
