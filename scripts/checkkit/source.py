# SPDX-License-Identifier: GPL-2.0-only
"""The kernel source that checks need: Debian's linux-source package, pruned.

    <cache>/kunit/<package>_<version>-<key>/
        source/linux/   what a UML kernel and the source checkers need of the tree
        builds/         one UML build directory per KUnit configuration
        lock            held while a checkout's tests are built and run there

<key> is made from everything below that shapes the tree.
"""

import hashlib
import os

from labkit import packages, sources

PACKAGE = "linux-source-6.1"
NEED_MB = 1500

# Where a checkout's tests are linked into the tree.
HOOK = "drivers/hpoll"
HOOK_LINES = {
    "drivers/Kconfig": '\nsource "drivers/hpoll/kunit/Kconfig"\n',
    "drivers/Makefile": "\nobj-$(CONFIG_HPOLL_KUNIT_TEST) += hpoll/kunit/\n",
}

LEFT_OUT = sources.left_out(PACKAGE)


def _key():
    shape = repr((HOOK, HOOK_LINES, LEFT_OUT))
    return hashlib.sha256(shape.encode()).hexdigest()[:8]


def _root():
    return os.path.join(packages.cache_dir(), "kunit")


def _hook(tree):
    for name, lines in HOOK_LINES.items():
        with open(os.path.join(tree, "linux", name), "a", encoding="utf-8") as file:
            file.write(lines)


def _make(target):
    packages.require(["xz-utils"])

    def finish(tree):
        sources.extract(PACKAGE, tree, LEFT_OUT)
        _hook(tree)

    packages.unpack([PACKAGE], target, NEED_MB, finish)


def base():
    """The cache directory of the newest kernel source, fetched unless there."""
    return os.path.dirname(sources.newest(PACKAGE, _root(), _key(), "fetching the kernel source",
                                          _make, leaf="source"))


def linux():
    """The kernel source tree."""
    return os.path.join(base(), "source", "linux")
