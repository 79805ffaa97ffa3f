# SPDX-License-Identifier: GPL-2.0-only
"""Programs for guests: Debian packages with all that they need, as a disk.

    <cache>/programs/<key>/disk.ext4

A guest mounts it and changes root to it; what it writes is dropped.
"""

import os
import shutil
import subprocess

from . import archive, locks, packages, progress
from .errors import LabError

NEED_MB = 2500
FREE_MB = 512
# Nothing runs by these.
USELESS = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info")


def _size_mb(tree):
    total = 0
    for folder, _, files in os.walk(tree):
        total += sum(os.lstat(os.path.join(folder, f)).st_size + 4096 for f in files)
    return total // packages.MB


def _finish(tree):
    """Turn the tree into an image of it."""
    for name in USELESS:
        shutil.rmtree(os.path.join(tree, name), ignore_errors=True)
    for name in ("proc", "sys", "dev", "tmp", "root"):
        os.makedirs(os.path.join(tree, name), exist_ok=True)
    image = tree + ".ext4"
    size = _size_mb(tree) * 5 // 4 + FREE_MB
    done = subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", "-d", tree, image, f"{size}M"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LabError(f"mke2fs failed: {done.stderr.strip()}: is the disk full?", code=1)
    shutil.rmtree(tree)
    os.mkdir(tree)
    os.rename(image, os.path.join(tree, "disk.ext4"))


def image(names):
    """The path of a disk with these packages."""
    packages.require(["e2fsprogs"])
    suite = archive.own_release()
    target = os.path.join(packages.cache_dir(), "programs",
                          packages.key(suite, names))
    path = os.path.join(target, "disk.ext4")
    with locks.locked(target + ".lock", "fetching programs for guests"):
        if not os.path.exists(path):
            progress.say(f"fetching programs for guests: {' '.join(names)}")
            packages.unpack(names, target, NEED_MB, _finish,
                            archive.apt(suite, alone=True), whole=True)
    return path
