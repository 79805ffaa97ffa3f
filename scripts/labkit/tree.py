# SPDX-License-Identifier: GPL-2.0-only
"""A clean Debian tree with some packages installed, to change root to.

    <cache>/trees/<key>/

Nothing is ever written there: commands run on a copy that is dropped.
"""

import os
import subprocess

from . import archive, locks, packages, progress
from .errors import LabError

NEED_MB = 1500
# Kept in memory; what a test installs has to fit.
COPY_MB = 2000

# In a mount namespace of its own.
RUN = """
set -e
work=$1 tree=$2 given=$3
shift 3
mount -t tmpfs -o size={copy}m tmpfs "$work"
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay -o lowerdir="$tree",upperdir="$work/upper",workdir="$work/work" overlay "$work/root"
mount -t proc proc "$work/root/proc"
mkdir "$work/root/given"
mount --bind "$given" "$work/root/given"
exec chroot "$work/root" "$@"
"""


def _make(names, suite, target):
    main, security = archive.mirrors(packages.indexes(), suite)
    if not main:
        raise LabError(f"apt's sources name no mirror of Debian {suite}")

    def fill(work):
        tree, sources = os.path.join(work, "tree"), os.path.join(work, "sources.list")
        with open(sources, "w", encoding="utf-8") as file:
            file.write(archive.sources(suite, main, security, ""))
        done = subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--mode=root",
                               f"--include={','.join(names)}", suite, tree, sources],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise LabError(f"mmdebstrap failed: {lines[-1]}: check the network")
        return tree
    with progress.slow("making a clean Debian tree"):
        packages.cache(target, NEED_MB, fill)


def directory(names):
    """The path of a tree with these packages of the machine's own release. Needs root."""
    if os.geteuid() != 0:
        raise LabError("a clean Debian tree takes root to make")
    packages.require(["mmdebstrap"])
    suite = archive.own_release()
    target = os.path.join(packages.cache_dir(), "trees", packages.key(suite, names))
    with locks.locked(target + ".lock", "making a Debian tree"):
        if not os.path.isdir(target):
            _make(names, suite, target)
    return target


def command(tree, given, work, words):
    """The command that runs `words` in a copy of the tree, in which the directory
    `given` is /given; work: an empty directory. Needs root."""
    return ["unshare", "--mount", "sh", "-c", RUN.format(copy=COPY_MB), "sh", work, tree, given,
            *words]
