# SPDX-License-Identifier: GPL-2.0-only
"""The unit tests of the lab and of the checks themselves.

Run as a program (`python3 -m checkkit.unit FOLDER FILE`), it runs the tests in
FOLDER and writes what became of each to FILE, whatever they print.
"""

import json
import os
import sys
import tempfile
import unittest

from . import proc
from .results import FAIL, PASS, SKIP, Result

LIMIT_S = 600


class Recorder(unittest.TestResult):
    """Keeps one outcome for each test; a failed subtest fails its test."""

    def __init__(self):
        super().__init__()
        self.found = {}

    def _note(self, test, status, output=""):
        name = f"unit: {test.id()}"
        before = self.found.get(name)
        if before and before.status == FAIL:
            before.output += output.splitlines()
        else:
            self.found[name] = Result(name, status, output.splitlines())

    def addSuccess(self, test):
        super().addSuccess(test)
        self._note(test, PASS)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._note(test, FAIL, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self._note(test, FAIL, self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._note(test, SKIP, reason or "no reason given")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, FAIL, f"{subtest}\n" + self._exc_info_to_string(err, test))

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._note(test, PASS)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._note(test, FAIL, "passed, but was expected to fail")


def record(suite):
    """Run a suite; its results."""
    recorder = Recorder()
    suite.run(recorder)
    return list(recorder.found.values())


def main(folder, path):
    found = record(unittest.defaultTestLoader.discover(folder))
    with open(path, "w", encoding="utf-8") as file:
        json.dump([result.json() for result in found], file)


def run(top, say):
    say("running")
    scripts = os.path.join(top, "scripts")
    with tempfile.NamedTemporaryFile(prefix="hpoll-unit-", mode="r", encoding="utf-8") as file:
        status, lines = proc.run([sys.executable, "-m", "checkkit.unit", "tests", file.name],
                                 cwd=scripts, limit=LIMIT_S,
                                 env={"PYTHONPATH": scripts, "PYTHONDONTWRITEBYTECODE": "1"})
        text = file.read()
    if status != 0 or not text:
        return [Result("unit: run", FAIL, [f"exit status {status}", *lines[-20:]])]
    found = [Result(**result) for result in json.loads(text)]
    return found or [Result("unit: run", FAIL, ["no test found"])]


if __name__ == "__main__":
    main(*sys.argv[1:])
