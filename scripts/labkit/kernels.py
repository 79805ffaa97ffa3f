# SPDX-License-Identifier: GPL-2.0-only
"""Debian's cloud kernels and their headers, unpacked in the cache.

    <cache>/kernels/<release>/image/      boot/vmlinuz-*, lib/modules/*
    <cache>/kernels/<release>/headers/    a KDIR that needs nothing from /usr/src
    <cache>/kernels/<short name>          text: the release that a short name last meant

Each half has a file `.versions` that names the package it came from. Every
answer that came from apt is noted with the age of apt's lists, and is asked
for again only when they have changed. So a warm cache needs neither network
nor lists, and still follows the mirror: what apt newly offers is fetched, and
if that fails the cached one serves.
"""

import os
import re

from . import packages, progress
from .errors import LabError

FLAVOUR = "cloud-amd64"
SHORT = re.compile(r"^\d+\.\d+$")
RELEASE = re.compile(r"^\d+\.\d+[\w.+~-]*-" + FLAVOUR + "$")
LISTS = "/var/lib/apt/lists"
IMAGE_MB = 200
HEADERS_MB = 200


def _root():
    return os.path.join(packages.cache_dir(), "kernels")


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def _remember(path, text):
    if _read(path) == text:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fresh = f"{path}.{os.getpid()}"
    with open(fresh, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(fresh, path)


def _offered(short):
    """The release that apt offers under a short name such as 6.12, or None."""
    for meta in (f"linux-image-{short}-{FLAVOUR}", f"linux-image-{FLAVOUR}"):
        for name in packages.depends(meta):
            release = name.removeprefix("linux-image-").removesuffix("-unsigned")
            if release.startswith(short + ".") and RELEASE.match(release):
                return release
    return None


def _lists_age():
    """Changes whenever apt's lists do; "none" without lists."""
    try:
        return str(max(os.stat(os.path.join(LISTS, name)).st_mtime_ns
                       for name in os.listdir(LISTS)))
    except (OSError, ValueError):
        return "none"


_resolved = {}


def release(name):
    """The full release for a short name (6.1, 6.12) or a full one."""
    if RELEASE.match(name):
        return name
    if not SHORT.match(name):
        raise LabError(f"unknown kernel {name!r}: give 6.1, 6.12 or a full release "
                       f"such as 6.12.117+deb12-{FLAVOUR}")
    if name in _resolved:
        return _resolved[name]
    note = os.path.join(_root(), name)
    known, _, age = _read(note).partition(" ")
    if known and age == _lists_age() and _cached(known, "image"):
        _resolved[name] = known
        return known
    full = _offered(name)
    if not full and not known and os.geteuid() == 0:
        packages.update()
        full = _offered(name)
    full = full or known
    if not full:
        raise LabError(f"Debian's package lists know no {name} {FLAVOUR} kernel: "
                       "run apt-get update, or choose 6.1 or 6.12")
    if full != known and known and _cached(known, "image"):
        # Only a promise so far: fall back to the known one if it can't be had.
        try:
            _image(full)
        except LabError as error:
            progress.say(f"{error}; going on with {known}")
            full = known
    _remember(note, f"{full} {_lists_age()}")
    _resolved[name] = full
    return full


def _cached(full, half):
    return os.path.exists(os.path.join(_root(), full, half, ".versions"))


def _ensure(full, half, names, need_mb, finish=None):
    """The directory of one half, fetched unless it is there and current."""
    target = os.path.join(_root(), full, half)
    stamp = os.path.join(target, ".versions")
    have, _, age = _read(stamp).partition("\n")
    if have and age == _lists_age():
        return target
    first = names()[0]
    offered = packages.candidate(first)
    if not have and not offered and os.geteuid() == 0:
        packages.update()
        offered = packages.candidate(first)
    if offered and have != f"{first} {offered}":
        def complete(tree):
            if finish:
                finish(tree, target)
            _remember(os.path.join(tree, ".versions"), f"{first} {offered}\n{_lists_age()}")
        try:
            packages.unpack(names(), target, need_mb, complete)
        except LabError as error:
            if not have:
                raise
            progress.say(f"{error}; going on with the cached one")
    elif have:
        _remember(stamp, f"{have}\n{_lists_age()}")
    else:
        raise LabError(f"Debian's package lists know no {first}: run apt-get update, "
                       "or choose 6.1 or 6.12")
    return target


def _image(full):
    return _ensure(full, "image", lambda: [f"linux-image-{full}"], IMAGE_MB)


def vmlinuz(name):
    full = release(name)
    path = os.path.join(_image(full), "boot", f"vmlinuz-{full}")
    if not os.path.exists(path):
        raise LabError(f"no vmlinuz in {os.path.dirname(path)}: remove that cache and try again")
    return path


def modules_dir(name):
    full = release(name)
    base = _image(full)
    for lib in ("lib", "usr/lib"):
        path = os.path.join(base, lib, "modules", full)
        if os.path.isdir(path):
            return path
    raise LabError(f"no modules in {base}: remove that cache and try again")


def _header_packages(full):
    main = f"linux-headers-{full}"
    wanted = re.compile(r"^linux-headers-.*-common$|^linux-kbuild-")
    return [main] + [n for n in packages.depends(main) if wanted.match(n)]


def _relocate(full):
    """Header trees name /usr/src in one place only: the include in Makefile."""
    def finish(tree, target):
        path = os.path.join(tree, "usr", "src", f"linux-headers-{full}", "Makefile")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = text.replace("/usr/src/", os.path.join(target, "usr", "src") + "/")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return finish


# What Debian's header packages depend on, apart from other kernel packages.
BUILD_PACKAGES = ["gcc", "make", "libc6-dev", "pahole", "libelf1"]


def headers(name):
    """The directory for make's KDIR, and what a build there takes."""
    packages.require(BUILD_PACKAGES)
    full = release(name)
    base = _ensure(full, "headers", lambda: _header_packages(full), HEADERS_MB, _relocate(full))
    return os.path.join(base, "usr", "src", f"linux-headers-{full}")
