# SPDX-License-Identifier: GPL-2.0-only
"""Debian's kernel source packages, unpacked without what nothing here reads."""

import glob
import os
import shutil
import subprocess

from . import locks, packages, progress
from .errors import LabError


def left_out(package, keep=()):
    """Patterns of what Kconfig and the builds here never read.

    Halves the time to unpack and saves a gigabyte. Kconfig files and Makefiles
    all stay. keep: paths that a caller does read.
    """
    names = [
        *(f"arch/{name}/*.[chS]" for name in (
            "alpha", "arc", "arm", "arm64", "csky", "hexagon", "ia64", "loongarch", "m68k",
            "microblaze", "mips", "nios2", "openrisc", "parisc", "powerpc", "riscv", "s390", "sh",
            "sparc", "xtensa")),
        *(f"{name}/*.[chS]" for name in (
            "drivers/gpu", "drivers/net", "drivers/media", "drivers/scsi", "drivers/staging",
            "drivers/usb", "drivers/infiniband", "drivers/iio", "drivers/clk", "drivers/pinctrl",
            "drivers/mtd", "drivers/hwmon", "drivers/comedi", "sound", "samples")),
        *(f"tools/{name}" for name in ("perf", "power", "virtio", "usb", "objtool")),
        "arch/*.dts*",
        "tools/testing/selftests",
        "Documentation/*.rst",
        "Documentation/*.txt",
        "Documentation/*.yaml",
        "Documentation/*.svg",
    ]
    return [f"{package}/{name}" for name in names if name not in keep]


def extract(package, tree, without):
    """Put the kernel source that `package`, unpacked in `tree`, carries to tree/linux."""
    archive = os.path.join(tree, "usr", "src", f"{package}.tar.xz")
    command = ["tar", "-xJf", archive, "-C", tree, "--wildcards",
               *(f"--exclude={name}" for name in without)]
    with progress.slow(f"unpacking {package}'s archive"):
        done = subprocess.run(command, check=False, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["tar failed"]
        raise LabError(f"could not unpack {package}: {lines[-1]}: is the disk full?")
    os.rename(os.path.join(tree, package), os.path.join(tree, "linux"))
    shutil.rmtree(os.path.join(tree, "usr"))


def _version(package, have):
    """The newest version of `package`; None where none is known but some is kept."""
    version = packages.candidate(package)
    if not version and not have and os.geteuid() == 0:
        packages.update()
        version = packages.candidate(package)
    if not version and not have:
        raise LabError(f"Debian's package lists know no {package}: run apt-get update, "
                       "with Debian 12 and its updates among the sources")
    return version


def newest(package, root, key, what, make, leaf=""):
    """The directory root/<package>_<version>-<key>/leaf of the newest version.

    Where it is not kept yet, make(directory) makes it, one checkout at a time;
    where that fails, the newest one that is kept has to do.
    what: what goes on then, for those who wait.
    """
    have = sorted(glob.glob(os.path.join(glob.escape(root), f"{package}_*-{key}", leaf)),
                  key=os.path.getmtime)
    version = _version(package, have)
    if not version:
        return have[-1]
    target = os.path.normpath(os.path.join(root, f"{package}_{version}-{key}", leaf))
    with locks.locked(os.path.join(root, "lock"), what):
        if not os.path.isdir(target):
            try:
                make(target)
            except LabError as error:
                if not have:
                    raise
                progress.say(f"{error}; going on with the cached one")
                return have[-1]
    return target
