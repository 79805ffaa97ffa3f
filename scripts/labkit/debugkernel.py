# SPDX-License-Identifier: GPL-2.0-only
"""A kernel that finds faults: lock proofs, sanitizers, leak scan, faults on demand.

Debian builds none, so it is made here from Debian's source and debug.config,
once, and kept:

    <cache>/debug-kernel/<package>_<version>-<key>/
        image/      boot/vmlinuz-*, lib/modules/*
        headers/    a KDIR

in the shape of Debian's unpacked packages (see kernels.py). <key> is made
from what shapes it: the configuration, the compiler, and what is kept.
"""

import contextlib
import functools
import glob
import hashlib
import os
import re
import shutil
import subprocess
import time

from . import machine, packages, progress, sources
from .errors import LabError

NAME = "6.12-debug"
RELEASE = re.compile(r"^6\.12\.\d+-debug$")
PACKAGE = "linux-source-6.12"
CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debug.config")
PACKAGES = ["gcc", "make", "libc6-dev", "flex", "bison", "bc", "libelf-dev", "xz-utils"]
WITHOUT = sources.left_out(PACKAGE, keep=("tools/objtool",))
NEED_MB = 3000
# How many lines a whole build prints, for the progress line alone.
STEPS = 1550
LIMIT_S = 5400

# What a module's build reads, apart from the trees in HEADER_TREES.
HEADER_FILES = (".config", "Makefile", "Kbuild", "Module.symvers", "arch/x86/Makefile*",
                "tools/objtool/objtool")
HEADER_TREES = ("include", "arch/x86/include", "scripts")


def knows(name):
    return name == NAME or bool(RELEASE.match(name))


def not_taken(fragment, config):
    """The lines of a configuration fragment that Kconfig did not take as they are. Pure."""
    got = config.splitlines()

    def holds(line):
        option, _, value = line.partition("=")
        if value == "n":
            return not any(other.startswith(option + "=") for other in got)
        return line in got

    return [line for line in fragment.splitlines()
            if line and not line.startswith("#") and not holds(line)]


def first_error(lines):
    """The line of a failed build that says why. Pure."""
    for line in lines:
        if re.search(r"\berror\b|No space left|\*\*\*", line, re.IGNORECASE):
            return line.strip()
    return lines[-1].strip() if lines else "no message"


def _root():
    return os.path.join(packages.cache_dir(), "debug-kernel")


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _compiler():
    try:
        out = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise LabError(f"gcc does not run: {error}: reinstall it") from error
    return out.stdout.splitlines()[0]


def _key():
    shape = repr((_compiler(), _read(CONFIG), WITHOUT, HEADER_FILES, HEADER_TREES))
    return hashlib.sha256(shape.encode()).hexdigest()[:8]


def _make(linux, log, *arguments):
    """Run make in the source, gently; what it printed, line by line."""
    # Whatever make runs us, its variables are not meant for this one.
    command = ["env", "-u", "MAKEFLAGS", "-u", "MFLAGS", "-u", "MAKELEVEL", "LC_ALL=C",
               "nice", "-n", "10", "make", "-C", linux, "--no-print-directory", *arguments]
    deadline = time.monotonic() + LIMIT_S
    with open(log, "w+", encoding="utf-8", errors="replace") as messages:
        with machine.running(command, messages, os.path.dirname(linux)) as process:
            yield from machine.lines(process, lambda: deadline)
            try:
                status = process.wait(5)
            except subprocess.TimeoutExpired:
                raise LabError(f"building {NAME} took more than {LIMIT_S} s", code=1) from None
        messages.seek(0)
        if status != 0:
            raise LabError(f"could not build {NAME}: {first_error(messages.read().splitlines())}",
                           code=1)


def _configure(linux, log):
    for _ in _make(linux, log, "-s", f"KCONFIG_ALLCONFIG={CONFIG}", "allnoconfig"):
        pass
    lost = not_taken(_read(CONFIG), _read(os.path.join(linux, ".config")))
    if lost:
        raise LabError(f"the source of {NAME} does not take {lost[0]} from {CONFIG}: "
                       "see what it depends on", code=1)


def _compile(linux, log):
    started, steps = time.monotonic(), 0
    with progress.slow(f"building {NAME}: about 10 minutes, once") as waiting:
        for line in _make(linux, log, f"-j{os.cpu_count() or 1}", "bzImage", "modules"):
            steps += line.startswith("  ")
            waiting.text = (f"building {NAME}, once: step {steps} of about {STEPS}")
    progress.say(f"built {NAME} in {time.monotonic() - started:.0f} s")


def _move(linux, name, target):
    path = os.path.join(target, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.move(os.path.join(linux, name), path)


def _keep(linux, tree):
    """What guests boot and what module builds read; the rest goes."""
    release = _read(os.path.join(linux, "include", "config", "kernel.release")).strip()
    if not RELEASE.match(release):
        raise LabError(f"{PACKAGE} made a kernel {release}: not what {NAME} stands for", code=1)
    boot = os.path.join(tree, "image", "boot")
    modules = os.path.join(tree, "image", "lib", "modules", release)
    headers = os.path.join(tree, "headers", "usr", "src", f"linux-headers-{release}")
    for folder in (boot, modules, headers):
        os.makedirs(folder)
    shutil.move(os.path.join(linux, "arch", "x86", "boot", "bzImage"),
                os.path.join(boot, f"vmlinuz-{release}"))
    shutil.move(os.path.join(linux, "modules.builtin"), modules)
    for path in glob.glob(os.path.join(glob.escape(linux), "**", "*.ko"), recursive=True):
        shutil.move(path, modules)
    for pattern in HEADER_FILES:
        for path in glob.glob(os.path.join(glob.escape(linux), pattern)):
            _move(linux, os.path.relpath(path, linux), headers)
    for name in HEADER_TREES:
        _move(linux, name, headers)
    for folder, _, files in os.walk(headers):
        for name in files:
            if name.endswith((".o", ".cmd", ".d")):
                os.unlink(os.path.join(folder, name))
    shutil.rmtree(linux)


def _build(tree):
    """Turn the unpacked source package into the kernel."""
    sources.extract(PACKAGE, tree, WITHOUT)
    linux, log = os.path.join(tree, "linux"), os.path.join(tree, "log")
    _configure(linux, log)
    _compile(linux, log)
    os.unlink(log)
    _keep(linux, tree)


def _make_home(home):
    if re.search(r"[\s:]", home):
        raise LabError(f"a kernel can't be built in {home}: set XDG_CACHE_HOME to a path "
                       "without blanks and colons")
    packages.require(PACKAGES)
    packages.unpack([PACKAGE], home, NEED_MB, _build)


@functools.cache
def _home():
    """The directory of the newest debug kernel, built unless it is there."""
    # The key is made from what it says.
    packages.require(["gcc"])
    return sources.newest(PACKAGE, _root(), _key(), f"building {NAME}", _make_home)


def release():
    with contextlib.suppress(IndexError):
        return os.listdir(os.path.join(image(), "lib", "modules"))[0]
    raise LabError(f"no kernel in {image()}: remove that cache and try again")


def image():
    return os.path.join(_home(), "image")


def headers():
    return os.path.join(_home(), "headers")
