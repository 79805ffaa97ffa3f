# SPDX-License-Identifier: GPL-2.0-only
"""Static checks: each has a name, and passes without output."""

import os
import re

from labkit import packages
from labkit.errors import LabError

from . import proc, source
from .results import FAIL, PASS, Result

PACKAGES = ["perl", "shellcheck", "pyflakes3", "mandoc"]
NOT_OURS = {".git", "build", "__pycache__"}
C_DIRS = ("src", "include", "kunit", "selftests", "tools")
LIMIT_S = 1200

# What checkpatch is not asked for, by directory or file, and why.
CHECKPATCH_IGNORE = {
    # The one file that may test a version; and checkpatch takes the name
    # LINUX_VERSION_CODE on the left for a constant.
    "src/compat.h": ["LINUX_VERSION_CODE", "CONSTANT_COMPARISON"],
    # User space has no __aligned() and no __printf(), and repeats KUnit's macros
    # as they are.
    "include/hpoll/types.h": ["PREFER_DEFINED_ATTRIBUTE_MACRO"],
    "kunit/user/": ["PREFER_DEFINED_ATTRIBUTE_MACRO", "MACRO_ARG_REUSE"],
    # Tracepoint headers are read more than once, with macros of their own.
    "include/trace/": ["PARENTHESIS_ALIGNMENT", "SPACING", "OPEN_ENDED_LINE", "MACRO_ARG_PRECEDENCE"],
}

# Where the version stands.
VERSIONS = {
    "src/main.c": r'^MODULE_VERSION\("(.+)"\);$',
    "dkms.conf": r'^PACKAGE_VERSION="(.+)"$',
    "debian/changelog": r"\Ahpoll \((.+)\)",
}


def files(top):
    """Every file of ours, relative to `top`."""
    found = []
    for folder, names, leaves in os.walk(top):
        names[:] = sorted(n for n in names if n not in NOT_OURS)
        for leaf in sorted(leaves):
            path = os.path.join(folder, leaf)
            if os.path.isfile(path) and not os.path.islink(path):
                found.append(os.path.relpath(path, top))
    # What a build right in the tree leaves behind.
    return [f for f in found if not f.endswith((".mod.c", ".o", ".ko", ".cmd", ".mod"))]


def _read(top, name):
    with open(os.path.join(top, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def _interpreter(top, name):
    """What runs a script, by its first line: "sh", "python3", or nothing."""
    with open(os.path.join(top, name), "rb") as file:
        first = file.readline(200)
    match = re.match(rb"^#!\s*\S*?(?:/env\s+)?(?:.*/)?(sh|bash|dash|python3?)\b", first)
    return match[1].decode() if match else ""


def _c_files(top):
    return [f for f in files(top) if f.endswith((".c", ".h"))
            and f.split(os.sep)[0] in C_DIRS]


class Checks:
    """All checks over one checkout. Each method gives the lines of what is wrong."""

    def __init__(self, top, say):
        self.top, self.say = top, say

    def _run(self, command):
        status, lines = proc.run(command, cwd=self.top, limit=LIMIT_S,
                                 env={"LC_ALL": "C.UTF-8"})
        if status is None:
            return 1, [f"took more than {LIMIT_S} s"]
        return status, lines

    def checkpatch(self):
        tool = os.path.join(source.linux(), "scripts", "checkpatch.pl")
        groups = {}
        for name in _c_files(self.top):
            ignore = tuple(i for prefix, types in CHECKPATCH_IGNORE.items()
                           if name.startswith(prefix) for i in types)
            groups.setdefault(ignore, []).append(name)
        wrong = []
        for ignore, names in groups.items():
            status, lines = self._run(
                ["perl", tool, "--strict", "--no-tree", "--no-summary", "--show-types",
                 "--terse", *([f"--ignore={','.join(ignore)}"] if ignore else []),
                 "-f", *names])
            lines = [line for line in lines if line.strip()]
            wrong += lines or ([f"checkpatch: exit status {status}"] if status else [])
        return wrong

    def kernel_doc(self):
        tool = os.path.join(source.linux(), "scripts", "kernel-doc")
        names = [f for f in files(self.top) if re.match(r"include/hpoll/[^/]+\.h$", f)]
        if not names:
            return ["no header below include/hpoll"]
        # Werror alone lets some pass with status 0.
        status, lines = self._run(["perl", tool, "-none", "-Werror", *names])
        return lines or ([f"kernel-doc: exit status {status}"] if status else [])

    def shellcheck(self):
        names = [f for f in files(self.top) if _interpreter(self.top, f) in ("sh", "bash", "dash")]
        names += [f for f in files(self.top)
                  if f.endswith(".sh") and f not in names]
        if not names:
            return ["no shell script found"]
        status, lines = self._run(["shellcheck", "-x", "-f", "gcc", *names])
        return lines or ([f"shellcheck: exit status {status}"] if status else [])

    def pyflakes(self):
        names = [f for f in files(self.top) if f.endswith(".py")
                 or _interpreter(self.top, f).startswith("python")]
        status, lines = self._run(["pyflakes3", *names])
        return lines or ([f"pyflakes3: exit status {status}"] if status else [])

    def man_pages(self):
        names = [f for f in files(self.top) if re.match(r"tools/.*\.[1-8]$", f)]
        status, lines = self._run(["mandoc", "-Tlint", "-W", "warning", *names])
        return lines or ([f"mandoc: exit status {status}"] if status else [])

    def one_version(self):
        """The module, DKMS and the packages agree on it."""
        found = {}
        for name, pattern in VERSIONS.items():
            match = re.search(pattern, _read(self.top, name), re.MULTILINE)
            found[name] = match[1] if match else None
        wanted = found["src/main.c"]
        return [f"{name}: version {one}, src/main.c has {wanted}"
                for name, one in found.items() if one is None or one != wanted]

    def spdx(self):
        """Every source says its licence in its first three lines."""
        wrong = []
        for name in files(self.top):
            base = os.path.basename(name)
            if not (name.endswith((".c", ".h", ".py", ".sh", ".toml")) or _interpreter(self.top, name)
                    or base in ("Makefile", "Kbuild", "Kconfig")):
                continue
            head = "\n".join(_read(self.top, name).splitlines()[:3])
            if "SPDX-License-Identifier: GPL-2.0-only" not in head:
                wrong.append(f"{name}: no SPDX-License-Identifier: GPL-2.0-only at its top")
        return wrong

    def version_tests(self):
        """Only src/compat.h may test a kernel's version."""
        pattern = re.compile(r"\b(LINUX_VERSION_CODE|KERNEL_VERSION|RHEL_RELEASE_CODE)\b")
        return [f"{name}:{nr}: {line.strip()}"
                for name in _c_files(self.top) if name != "src/compat.h"
                for nr, line in enumerate(_read(self.top, name).splitlines(), 1)
                if pattern.search(line)]

    def pure_rooms(self):
        """Policy and gate include no header but hpoll's own."""
        names = [f for f in files(self.top)
                 if re.match(r"src/(gate|window|policy_\w+)\.c$|include/hpoll/(gate|window|policy\w*)\.h$", f)]
        if not names:
            return ["no pure room found"]
        return [f"{name}: {line.strip()}" for name in names
                for line in _read(self.top, name).splitlines()
                if line.lstrip().startswith("#include") and "<hpoll/" not in line]


TABLE = {
    "checkpatch --strict": lambda c: c.checkpatch(),
    "kernel-doc": lambda c: c.kernel_doc(),
    "shellcheck": lambda c: c.shellcheck(),
    "pyflakes": lambda c: c.pyflakes(),
    "one version": lambda c: c.one_version(),
    "man pages": lambda c: c.man_pages(),
    "SPDX lines": lambda c: c.spdx(),
    "version tests in compat.h alone": lambda c: c.version_tests(),
    "pure rooms include no kernel header": lambda c: c.pure_rooms(),
}


def run(top, say, only=None, done=None):
    """Run the checks; their results. done: takes each as it comes."""
    unknown = [name for name in only or [] if name not in TABLE]
    if unknown:
        raise LabError(f"no static check {unknown[0]!r}: see --list")
    packages.require(PACKAGES)
    checks, found = Checks(top, say), []
    for name, method in TABLE.items():
        if only and name not in only:
            continue
        say(name)
        try:
            wrong = method(checks)
        except LabError as error:
            wrong = [f"could not run: {error}"]
        found.append(Result(f"static: {name}", FAIL if wrong else PASS, wrong))
        if done:
            done(found[-1])
    return found
