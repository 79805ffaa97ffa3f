# SPDX-License-Identifier: GPL-2.0-only
"""The QEMU that emulates a KVM host.

Before 8.1 QEMU could run a stale translation of code that another CPU had
just patched (it translated without locking the page). Kernels patch
themselves all the time: static keys, static calls, tracepoints. With Debian
12's QEMU 7.2 half of the guests died that did nothing but switch tracepoints
on and off under load, by an int3 that nobody owned or by hanging; with 10.0
none did. So where the machine's own QEMU is older, a newer one is unpacked
from a later Debian release into the cache, with the libraries it needs.
"""

import os
import re
import subprocess

from . import archive, packages

SOUND = (8, 1)
SUITE = "trixie"
PACKAGE = "qemu-system-x86"
BINARY = "qemu-system-x86_64"
NEED_MB = 600
DATA_DIRS = ("usr/share/qemu", "usr/share/seabios")
LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = "usr/lib64/ld-linux-x86-64.so.2"


def version(text):
    """(major, minor) from what --version prints; (0, 0) if it does not say."""
    match = re.search(r"version (\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _own_version():
    try:
        return version(subprocess.run([BINARY, "--version"], capture_output=True, text=True,
                                      check=False).stdout)
    except FileNotFoundError:
        return (0, 0)


def command():
    """How to start a QEMU that emulates soundly: the first words of a command."""
    if _own_version() >= SOUND:
        return [BINARY]
    tree = os.path.join(packages.cache_dir(), f"qemu-{SUITE}")
    if not os.path.isdir(tree):
        packages.unpack([PACKAGE], tree, NEED_MB, apt=archive.apt(SUITE, alone=True), whole=True)
    words = [os.path.join(tree, LOADER), "--library-path", os.path.join(tree, LIBRARIES),
             os.path.join(tree, "usr/bin", BINARY)]
    for data in DATA_DIRS:
        words += ["-L", os.path.join(tree, data)]
    return words
