# SPDX-License-Identifier: GPL-2.0-only
"""Debian's kernels, unpacked in the cache.

    <cache>/kernels/<release>/image/      vmlinuz and modules, as packaged
    <cache>/kernels/<release>/headers/    see headers.py
    <cache>/kernels/<short name>          text: the release that a short name last meant

A short name is a version (6.12) or "sid" for whatever Debian's development
has now, with "-rt" for PREEMPT_RT; without, it is the cloud flavour.

Each half has a file `.versions` that names the package it came from. Every
answer that came from apt is noted with the age of apt's lists, and is asked
for again only when they have changed. So a warm cache needs neither network
nor lists, and still follows the mirror: what apt newly offers is fetched, and
if that fails the cached one serves.
"""

import os
import re

from . import archive, debugkernel, packages, progress
from .errors import LabError

# Where a version is to be had; all others are looked for in sid.
SUITES = {"5.10": "bullseye", "6.1": "bookworm", "6.12": "bookworm"}
NEWEST = "sid"
KNOWN = ", ".join((*SUITES, NEWEST, debugkernel.NAME))

SHORT = re.compile(rf"^(\d+\.\d+|{NEWEST})(-rt)?$")
RELEASE = re.compile(r"^(\d+\.\d+)[\w.+~-]*-(cloud|rt)-amd64$")
IMAGE_MB = 900


def _root():
    return os.path.join(packages.cache_dir(), "kernels")


def _parts(name):
    """(version, flavour) of a short name or a release."""
    match = SHORT.match(name) or RELEASE.match(name)
    return match[1], "rt-amd64" if match[2] in ("-rt", "rt") else "cloud-amd64"


def suite(name):
    """The Debian release that a kernel comes from."""
    return SUITES.get(_parts(name)[0], NEWEST)


def apt(name):
    """apt's options to ask for a kernel's packages."""
    return archive.apt(suite(name))


def pick(name, offered):
    """The release among packages' names that a short name means, or None. Pure."""
    version, flavour = _parts(name)
    for package in offered:
        full = package.removeprefix("linux-image-").removesuffix("-unsigned")
        match = RELEASE.match(full)
        if match and full.endswith(flavour) and version in (NEWEST, match[1]):
            return full
    return None


def _offered(name):
    """The release that apt offers under a short name, or None."""
    version, flavour = _parts(name)
    for meta in (f"linux-image-{version}-{flavour}", f"linux-image-{flavour}"):
        full = pick(name, packages.depends(meta, apt(name)))
        if full:
            return full
    return None


def _may_update(name):
    """Are there lists that only need to be fetched? Other releases' are always."""
    return not apt(name) and os.geteuid() == 0


_resolved = {}


def check(name):
    """Complain where this can't be a kernel's name."""
    if not any(known(name) for known in (RELEASE.match, SHORT.match, debugkernel.knows)):
        raise LabError(f"unknown kernel {name!r}: give one of {KNOWN}, with -rt for PREEMPT_RT, "
                       "or a full release such as 6.12.117+deb12-cloud-amd64")


def release(name):
    """The full release for a short name or a full one."""
    check(name)
    if debugkernel.knows(name):
        return debugkernel.release()
    if RELEASE.match(name):
        return name
    if name in _resolved:
        return _resolved[name]
    note = os.path.join(_root(), name)
    known, _, age = packages.read(note).partition(" ")
    if known and age == packages.lists_age() and cached(known, "image"):
        _resolved[name] = known
        return known
    full = _find(name, known)
    if full != known and known and cached(known, "image"):
        # Only a promise so far: fall back to the known one if it can't be had.
        try:
            _image(full)
        except LabError as error:
            progress.say(f"{error}; going on with {known}")
            full = known
    packages.remember(note, f"{full} {packages.lists_age()}")
    _resolved[name] = full
    return full


def _find(name, known):
    """The release that apt offers, or else the known one."""
    try:
        full = _offered(name)
        if not full and not known and _may_update(name):
            packages.update()
            full = _offered(name)
    except LabError as error:
        if not known:
            raise
        progress.say(f"{error}; going on with {known}")
        full = known
    if not full and not known:
        now = "" if suite(name) != NEWEST else _offered(NEWEST)
        raise LabError(f"Debian {suite(name)} has no kernel {name}"
                       + (f" but {now}" if now else "") + f": choose one of {KNOWN}, "
                       "or run apt-get update")
    return full or known


def cached(full, half):
    return os.path.exists(os.path.join(_root(), full, half, ".versions"))


def ensure(full, half, names, need_mb, finish=None, whole=False):
    """The directory of one half, fetched unless it is there and current.

    names(apt): the packages it is made of, the one that it is known by first.
    finish(directory, target) adapts it. whole: with all that they depend on.
    """
    target = os.path.join(_root(), full, half)
    stamp = os.path.join(target, ".versions")
    have, _, age = packages.read(stamp).partition("\n")
    if have and age == packages.lists_age():
        return target
    first = f"linux-{half}-{full}"
    try:
        options = archive.apt(suite(full), alone=whole)
        offered = packages.candidate(first, options)
        if not have and not offered and _may_update(full):
            packages.update()
            offered = packages.candidate(first, options)
        if offered and have != f"{first} {offered}":
            def complete(tree):
                if finish:
                    finish(tree, target)
                packages.remember(os.path.join(tree, ".versions"),
                                  f"{first} {offered}\n{packages.lists_age()}")
            packages.unpack([first, *names(options)], target, need_mb, complete, options, whole)
            return target
    except LabError as error:
        if not have:
            raise
        progress.say(f"{error}; going on with the cached one")
        return target
    if not have:
        raise LabError(f"Debian {suite(full)}'s package lists know no {first}: "
                       f"run apt-get update, or choose one of {KNOWN}")
    packages.remember(stamp, f"{have}\n{packages.lists_age()}")
    return target


def _image(full):
    if debugkernel.knows(full):
        return debugkernel.image()
    # Since 2026 the image is split over several packages.
    pieces = tuple(f"linux-{piece}-{full}" for piece in ("base", "binary", "modules"))

    def names(options):
        return [n for n in packages.depends(f"linux-image-{full}", options) if n in pieces]
    return ensure(full, "image", names, IMAGE_MB)


def vmlinuz(name):
    full = release(name)
    base = _image(full)
    for path in (f"boot/vmlinuz-{full}", f"usr/lib/modules/{full}/vmlinuz"):
        if os.path.exists(os.path.join(base, path)):
            return os.path.join(base, path)
    raise LabError(f"no vmlinuz in {base}: remove that cache and try again")


def modules_dir(name):
    full = release(name)
    base = _image(full)
    for lib in ("lib", "usr/lib"):
        path = os.path.join(base, lib, "modules", full)
        if os.path.isdir(path):
            return path
    raise LabError(f"no modules in {base}: remove that cache and try again")
