# SPDX-License-Identifier: GPL-2.0-only
"""Installing: make install into an empty tree, Debian packages into a clean one."""

import glob
import os
import shutil

from labkit import kernels, locks, packages, scratch, tree
from labkit.errors import LabError

from . import ktap, proc
from .results import FAIL, Result

PACKAGES = ["gcc", "make", "libc6-dev", "kmod", "openssl", "mmdebstrap", "debhelper", "dh-dkms"]
# What is installed before hpoll's packages are: what they need, and a kernel's headers.
KERNEL, NEXT_KERNEL = "6.1", "6.12"
HEADERS_MB = 200
BUILD_LIMIT_S = 300
TEST_LIMIT_S = 900
# What the packages are built from.
SOURCES = ("CHANGELOG.md", "Kbuild", "LICENSE", "Makefile", "README.md", "debian", "dkms.conf",
           "include", "packaging", "src", "tools")


def build_debs(top):
    """Build the packages into build/deb/; their paths."""
    packages.require(PACKAGES)
    out = os.path.join(top, "build", "deb")
    source = os.path.join(out, "source")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(source)
    for name in SOURCES:
        path = os.path.join(top, name)
        if os.path.isdir(path):
            shutil.copytree(path, os.path.join(source, name),
                            ignore=shutil.ignore_patterns("corpus"))
        else:
            shutil.copy(path, source)
    status, lines = proc.run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=source,
                             limit=BUILD_LIMIT_S, env={"LC_ALL": "C.UTF-8"})
    debs = [path for path in sorted(glob.glob(os.path.join(glob.escape(out), "*.deb")))
            if "dbgsym" not in path]
    if status != 0 or len(debs) != 2:
        raise LabError("\n".join(["dpkg-buildpackage failed:", *lines[-15:]]))
    return debs


def _results(prefix, status, lines):
    found = ktap.flatten(ktap.parse(lines), prefix, 0)
    bad = next((r for r in found if r.status == FAIL), None)
    if bad:
        bad.output += [line for line in lines if not line.startswith("ok ")]
    elif status != 0:
        found.append(Result(prefix + "as a whole", FAIL, [f"exit status {status}", *lines[-20:]]))
    return found


def make_install(top):
    status, lines = proc.run([os.path.join(top, "packaging", "tests", "make-install"), KERNEL],
                             limit=TEST_LIMIT_S)
    return _results("install: make install: ", status, lines)


def _headers(kernel):
    """The package of a kernel's headers."""
    return f"linux-headers-{kernels.release(kernel)}"


def _fetch_kernel(kernel):
    """A directory with the packages of a kernel and its headers."""
    first = _headers(kernel)
    target = os.path.join(packages.cache_dir(), "debs", first)
    with locks.locked(target + ".lock", "fetching a kernel"):
        if not os.path.isdir(target):
            names = [n for n in packages.depends(first) if n.startswith("linux-")]
            packages.fetch([first, *names], target, HEADERS_MB)
    return target


def debian_packages(top, say):
    base = tree.directory(["dkms", "gcc", "make", "libc6-dev", "linux-base", "pahole", "initramfs-tools",
                           _headers(KERNEL)])
    with scratch.directory() as given, scratch.directory() as work:
        say("building packages")
        for path in build_debs(top):
            shutil.copy(path, given)
        for name in ("packaging/tests/debian-packages", "selftests/lib/tap.sh"):
            shutil.copy(os.path.join(top, name), given)
        shutil.copytree(_fetch_kernel(NEXT_KERNEL), os.path.join(given, "kernel"))
        say("installing packages")
        status, lines = proc.run(
            tree.command(base, given, work,
                         ["/given/debian-packages", "/given", "/given/kernel"]),
            limit=TEST_LIMIT_S)
    return _results("install: Debian packages: ", status, lines)


def run(top, say):
    """Install in each way, and take it out again; the results."""
    packages.require(PACKAGES)
    say("make install")
    return make_install(top) + debian_packages(top, say)
