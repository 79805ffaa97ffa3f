# SPDX-License-Identifier: GPL-2.0-only
"""The kernel source that checks need: Debian's linux-source package, pruned.

    <cache>/kunit/<package>_<version>-<key>/
        source/linux/   what a UML kernel and the source checkers need of the tree
        builds/         one UML build directory per KUnit configuration
        lock            held while a checkout's tests are built and run there

<key> is made from everything below that shapes the tree.
"""

import glob
import hashlib
import os
import shutil
import subprocess

from labkit import packages, progress
from labkit.errors import LabError
from labkit.locks import locked

PACKAGE = "linux-source-6.1"
NEED_MB = 1500

# Where a checkout's tests are linked into the tree.
HOOK = "drivers/hpoll"
HOOK_LINES = {
    "drivers/Kconfig": '\nsource "drivers/hpoll/kunit/Kconfig"\n',
    "drivers/Makefile": "\nobj-$(CONFIG_HPOLL_KUNIT_TEST) += hpoll/kunit/\n",
}

# Left out: nothing that Kconfig or a minimal UML build reads. Halves the time
# to unpack and saves a gigabyte. Kconfig files and Makefiles all stay.
LEFT_OUT = [
    *(f"{PACKAGE}/arch/{name}/*.[chS]" for name in (
        "alpha", "arc", "arm", "arm64", "csky", "hexagon", "ia64", "loongarch", "m68k",
        "microblaze", "mips", "nios2", "openrisc", "parisc", "powerpc", "riscv", "s390", "sh",
        "sparc", "xtensa")),
    *(f"{PACKAGE}/{name}/*.[chS]" for name in (
        "drivers/gpu", "drivers/net", "drivers/media", "drivers/scsi", "drivers/staging",
        "drivers/usb", "drivers/infiniband", "drivers/iio", "drivers/clk", "drivers/pinctrl",
        "drivers/mtd", "drivers/hwmon", "drivers/comedi", "sound", "samples")),
    *(f"{PACKAGE}/tools/{name}" for name in ("perf", "power", "virtio", "usb", "objtool")),
    f"{PACKAGE}/arch/*.dts*",
    f"{PACKAGE}/tools/testing/selftests",
    f"{PACKAGE}/Documentation/*.rst",
    f"{PACKAGE}/Documentation/*.txt",
    f"{PACKAGE}/Documentation/*.yaml",
    f"{PACKAGE}/Documentation/*.svg",
]


def _key():
    shape = repr((HOOK, HOOK_LINES, LEFT_OUT))
    return hashlib.sha256(shape.encode()).hexdigest()[:8]


def _root():
    return os.path.join(packages.cache_dir(), "kunit")


def _prune(tree):
    """Unpack the package's archive, without what nothing here reads."""
    archive = os.path.join(tree, "usr", "src", f"{PACKAGE}.tar.xz")
    command = ["tar", "-xJf", archive, "-C", tree, "--wildcards",
               *(f"--exclude={name}" for name in LEFT_OUT)]
    with progress.slow(f"unpacking {PACKAGE}'s archive"):
        done = subprocess.run(command, check=False, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["tar failed"]
        raise LabError(f"could not unpack {PACKAGE}: {lines[-1]}: is the disk full?")
    os.rename(os.path.join(tree, PACKAGE), os.path.join(tree, "linux"))
    shutil.rmtree(os.path.join(tree, "usr"))


def _hook(tree):
    for name, lines in HOOK_LINES.items():
        with open(os.path.join(tree, "linux", name), "a", encoding="utf-8") as file:
            file.write(lines)


def base():
    """The cache directory of the newest kernel source, fetched unless there."""
    version = packages.candidate(PACKAGE)
    have = sorted(glob.glob(os.path.join(glob.escape(_root()), f"{PACKAGE}_*-{_key()}", "source")),
                  key=os.path.getmtime)
    if not version and not have and os.geteuid() == 0:
        packages.update()
        version = packages.candidate(PACKAGE)
    if not version:
        if have:
            return os.path.dirname(have[-1])
        raise LabError(f"Debian's package lists know no {PACKAGE}: run apt-get update, "
                       "with Debian 12 among the sources")
    path = os.path.join(_root(), f"{PACKAGE}_{version}-{_key()}")
    target = os.path.join(path, "source")
    with locked(os.path.join(_root(), "lock"), "fetching the kernel source"):
        if not os.path.isdir(target):
            packages.require(["xz-utils"])

            def finish(tree):
                _prune(tree)
                _hook(tree)

            try:
                packages.unpack([PACKAGE], target, NEED_MB, finish)
            except LabError as error:
                if not have:
                    raise
                progress.say(f"{error}; going on with the cached one")
                return os.path.dirname(have[-1])
    return path


def linux():
    """The kernel source tree."""
    return os.path.join(base(), "source", "linux")
