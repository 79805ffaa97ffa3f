# SPDX-License-Identifier: GPL-2.0-only
"""KUnit under kunit.py: a UML kernel with this checkout's suites.

The kernel is built once for each kernel source and configuration and kept in
the cache; after that only the suites and what they test are compiled. All
checkouts share it: each links itself into the source tree while it holds the
lock, and no object of another checkout's is ever used. Where nothing has
changed since the kernel was built, it only runs.
"""

import glob
import hashlib
import os
import re
import shutil
import sys
import time

from labkit import locks, packages
from labkit.errors import LabError

from . import ktap, proc, source
from .results import FAIL, Result

PACKAGES = ["gcc", "make", "libc6-dev", "flex", "bison", "bc"]
# How many objects a whole build has, for the progress line alone.
OBJECTS = 457
BUILD_MB = 600
BUILD_LIMIT_S = 2400
RUN_LIMIT_S = 120
SUITE = re.compile(r'^\t\.name = "(hpoll_\w+)",$', re.MULTILINE)


def _link(top, linux):
    """Put this checkout into the kernel tree, in one step."""
    path = os.path.join(linux, source.HOOK)
    fresh = f"{path}.{os.getpid()}"
    if os.path.lexists(fresh):
        os.unlink(fresh)
    os.symlink(top, fresh)
    os.replace(fresh, path)


def _suites(top):
    """The suites that the sources define."""
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(top), "kunit", "*_test.c"))):
        with open(path, encoding="utf-8") as file:
            found += SUITE.findall(file.read())
    return found


def _fingerprint(top):
    """All that our part of the kernel is made from."""
    found = hashlib.sha256()
    for pattern in ("kunit/*", "kunit/.kunitconfig", "src/*.[ch]", "include/hpoll/*.h"):
        for path in sorted(glob.glob(os.path.join(glob.escape(top), pattern))):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
                found.update(f"{os.path.relpath(path, top)} {len(content)}\n".encode() + content)
    return found.hexdigest()


def _is_built(build, fingerprint):
    try:
        with open(os.path.join(build, "hpoll-built"), encoding="utf-8") as file:
            return file.read() == fingerprint
    except FileNotFoundError:
        return False


def _objects(build):
    return sum(name.endswith(".o") for _, _, names in os.walk(build) for name in names)


class _Progress:
    """A line now and then while the kernel is built."""

    def __init__(self, build, say):
        self.build, self.say = build, say
        self.started = self.last = time.monotonic()

    def __call__(self):
        now = time.monotonic()
        if now - self.last < 10:
            return
        self.last = now
        self.say(f"building a UML kernel: {_objects(self.build)} of about {OBJECTS} objects, "
                 f"{now - self.started:.0f} s")


def _kunit(linux, build, command, options, limit, nice=False, tick=None):
    """Run kunit.py from the kernel source; (status, lines)."""
    tool = os.path.join(linux, "tools", "testing", "kunit", "kunit.py")
    return proc.run([sys.executable, tool, command, f"--build_dir={build}", *options],
                    cwd=linux, nice=nice, limit=limit, tick=tick,
                    env={"LC_ALL": "C", "PYTHONDONTWRITEBYTECODE": "1"})


def _build(top, linux, build, say):
    """Build; the lines of a failure, or none."""
    fingerprint, stamp = _fingerprint(top), os.path.join(build, "hpoll-built")
    if _is_built(build, fingerprint):
        return []
    # From here on what is there is no longer what the stamp says.
    if os.path.exists(stamp):
        os.unlink(stamp)
    shutil.rmtree(os.path.join(build, source.HOOK), ignore_errors=True)
    cold = not os.path.exists(os.path.join(build, "linux"))
    if cold:
        packages.check_space(os.path.dirname(os.path.dirname(build)), BUILD_MB)
        say("building a UML kernel: about 3 minutes, once")
    os.makedirs(build, exist_ok=True)
    config = os.path.join(top, "kunit", ".kunitconfig")
    status, lines = _kunit(linux, build, "build",
                           [f"--jobs={os.cpu_count() or 1}", f"--kunitconfig={config}"],
                           BUILD_LIMIT_S, cold, _Progress(build, say))
    if status is None:
        return [f"the build took more than {BUILD_LIMIT_S} s"]
    if status != 0:
        return lines[-40:]
    # kunit.py passes compiler warnings on and goes on.
    if any("warning:" in line and source.HOOK in line for line in lines):
        return lines
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(fingerprint)
    return []


def run(top, say, show=None):
    """Build and run the suites; their results, one for each case.

    say: takes a line of progress. show: takes each line of KTAP.
    """
    packages.require(PACKAGES)
    base = source.base()
    linux = os.path.join(base, "source", "linux")
    if re.search(r"[\s:]", base):
        raise LabError(f"a kernel can't be built in {base}: set XDG_CACHE_HOME to a path "
                       "without blanks and colons")
    with open(os.path.join(top, "kunit", ".kunitconfig"), "rb") as file:
        key = hashlib.sha256(file.read()).hexdigest()[:8]
    build = os.path.join(base, "builds", key)
    with locks.locked(os.path.join(base, "lock"), "running its KUnit suites"):
        _link(os.path.abspath(top), linux)
        wrong = _build(top, linux, build, say)
        if wrong:
            return [Result("kunit: build", FAIL, wrong)]
        status, lines = _kunit(linux, build, "exec",
                               ["--raw_output=kunit", f"--timeout={RUN_LIMIT_S}"],
                               RUN_LIMIT_S + 30)
    # kunit.py's own lines have a time in front, and it resets a terminal that isn't there.
    lines = [line for line in lines if not re.match(r"^\[\d\d:\d\d:\d\d\] |^stty: ", line)]
    for line in lines if show else []:
        show(line)
    report = ktap.parse(lines)
    if status != 0:
        report.problems.append(f"kunit.py: exit status {status}" if status is not None
                               else f"not ended after {RUN_LIMIT_S} s")
    ran = [test.name for test in report.tests]
    report.problems += [f"suite {name} did not run" for name in _suites(top) if name not in ran]
    return ktap.flatten(report, "kunit: ")
