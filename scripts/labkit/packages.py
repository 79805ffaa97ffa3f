# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages: install what the lab runs, unpack what it only reads.

QEMU is installed. Kernels, headers and busybox are only unpacked into the
cache: installing a kernel would rebuild the machine's initramfs for nothing.

apt: options for apt where it is not the machine's own release that is asked,
as archive.apt() gives them.
"""

import glob
import hashlib
import os
import shutil
import subprocess

from . import locks, progress, scratch
from .errors import LabError

MB = 1 << 20
LISTS = "/var/lib/apt/lists"


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "hpoll")


def _command(command, cwd=None):
    """Run a command, quietly: (did it succeed, its output)."""
    env = dict(os.environ, LC_ALL="C", DEBIAN_FRONTEND="noninteractive")
    try:
        done = subprocess.run(command, cwd=cwd, env=env, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    except FileNotFoundError:
        return False, f"{command[0]} is not on this machine"
    return done.returncode == 0, done.stdout


def _query(*command):
    """A command's output; nothing where it failed."""
    good, out = _command(command)
    return out if good else ""


def _wrong(command, cwd=None):
    """Run a command for its effect: '' on success, else its first error line."""
    good, out = _command(command, cwd)
    if good:
        return ""
    lines = out.strip().splitlines() or ["no message"]
    errors = [line for line in lines if line.startswith("E:")]
    return (errors or lines)[0]


def installed(package):
    return _query("dpkg-query", "-W", "-f", "${Status}", package).endswith("ok installed")


def update(apt=(), what="the package lists (apt-get update)"):
    """Refresh apt's lists; '' or what went wrong."""
    with progress.slow(f"refreshing {what}"):
        return _wrong(["apt-get", *apt, "update"])


def indexes():
    """Where apt's sources say that its lists come from, one a line."""
    return _query("apt-get", "update", "--print-uris")


def lists_age():
    """Changes whenever apt's lists do; "none" without lists."""
    try:
        return str(max(os.stat(os.path.join(LISTS, name)).st_mtime_ns
                       for name in os.listdir(LISTS)))
    except (OSError, ValueError):
        return "none"


def read(path):
    """A note in the cache; '' without one."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def remember(path, text):
    """Write such a note."""
    if read(path) == text:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fresh = f"{path}.{os.getpid()}"
    with open(fresh, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(fresh, path)


def require(packages):
    """Install those of `packages` that are missing, or say how to."""
    missing = [p for p in packages if not installed(p)]
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        raise LabError(f"missing package{'s' * (len(missing) > 1)}: run as root: "
                       + " ".join(command))
    names = " ".join(missing)
    progress.say(f"installing {names}")
    with progress.slow(f"installing {names}"):
        wrong = _wrong(command)
        if wrong:
            # Lists that are missing or older than the mirror are the usual cause.
            update()
            wrong = _wrong(command)
    if wrong:
        raise LabError(f"could not install {names}: {wrong}: try: {' '.join(command)}")


def have_lists():
    return bool(glob.glob(f"{LISTS}/*_Packages*"))


def candidate(package, apt=()):
    """The version apt would fetch, or None."""
    for line in _query("apt-cache", *apt, "policy", package).splitlines():
        if line.strip().startswith("Candidate:"):
            version = line.split(":", 1)[1].strip()
            return None if version == "(none)" else version
    return None


def depends(package, apt=()):
    """Names of the packages that `package` depends on, first choices only."""
    out = _query("apt-cache", *apt, "depends", "--important", package)
    return [line.split(":", 1)[1].strip() for line in out.splitlines()
            if line.strip().startswith("Depends:")]


def check_space(path, need_mb):
    """Before writing: one clear line instead of a half-written cache."""
    while not os.path.exists(path):
        path = os.path.dirname(path)
    free = shutil.disk_usage(path).free // MB
    if free < need_mb:
        raise LabError(f"only {free} MB free at {path}, {need_mb} MB needed: make room, "
                       "or set XDG_CACHE_HOME or TMPDIR to another disk")


def _fetch(packages, into, apt=(), whole=False):
    # apt fails where another apt has the same directories.
    with locks.locked(os.path.join(cache_dir(), "lock"), "fetching packages"), \
            progress.slow(f"fetching {_named(packages)}"):
        _download(packages, into, apt, whole)


def _download(packages, into, apt, whole):
    command = ["apt-get", *apt, "-o", "APT::Sandbox::User=root"]
    if whole:
        os.mkdir(os.path.join(into, "partial"))
        command += ["-o", f"Dir::Cache::archives={into}", "--no-install-recommends",
                    "--download-only", "-y", "install", *packages]
    else:
        command += ["download", *packages]
    wrong = _wrong(command, into)
    if wrong and (apt or os.geteuid() == 0):
        # The lists may be older than the mirror.
        update(apt)
        wrong = _wrong(command, into)
    if wrong:
        raise LabError(f"could not fetch {packages[0]}: {wrong}: check the network, "
                       "then run apt-get update")


def key(suite, names):
    """A name in the cache for these packages of a Debian release."""
    return hashlib.sha256(" ".join([suite, *sorted(names)]).encode()).hexdigest()[:16]


def cache(target, need_mb, fill):
    """Make the directory `target` of the cache, all or nothing.

    fill(work) makes it inside the directory `work`, a temporary neighbour, and
    says where it is; then it is renamed.
    """
    parent = os.path.dirname(target)
    try:
        os.makedirs(parent, exist_ok=True)
        check_space(parent, need_mb)
        with scratch.directory(parent, ".new") as work:
            _put(fill(work), target, os.path.join(work, "old"))
    except OSError as error:
        raise LabError(f"cannot write the cache: {error}: make room, or set "
                       "XDG_CACHE_HOME to another place") from error


def unpack(packages, target, need_mb, finish=None, apt=(), whole=False):
    """Fetch packages and unpack them together as the directory `target`.

    `finish(directory)` may adapt the tree before anyone sees it. whole: with
    all that they depend on, so that programs run there; `apt` must then take
    nothing for installed.
    """
    def fill(work):
        _unpack(packages, work, apt, whole)
        tree = os.path.join(work, "tree")
        if finish:
            finish(tree)
        return tree

    cache(target, need_mb, fill)


def _named(packages):
    return packages[0] if len(packages) == 1 else f"{packages[0]} and {len(packages) - 1} more"


def _unpack(packages, work, apt, whole):
    what = _named(packages)
    debs, tree = os.path.join(work, "debs"), os.path.join(work, "tree")
    os.mkdir(debs)
    os.mkdir(tree)
    progress.say(f"fetching {what}")
    _fetch(packages, debs, apt, whole)
    with progress.slow(f"unpacking {what}"):
        for deb in sorted(glob.glob("*.deb", root_dir=debs)):
            wrong = _wrong(["dpkg-deb", "-x", os.path.join(debs, deb), tree])
            if wrong:
                raise LabError(f"could not unpack {deb}: {wrong}: is the disk full?")


def fetch(packages, target, need_mb):
    """Fetch packages for whoever installs them elsewhere, as files in `target`."""
    def fill(work):
        debs = os.path.join(work, "debs")
        os.mkdir(debs)
        _fetch(packages, debs)
        return debs

    cache(target, need_mb, fill)


def _put(tree, target, old):
    if os.path.isdir(target):
        os.rename(target, old)
    try:
        os.rename(tree, target)
    except OSError:
        # Another lab was quicker with the same thing; use that.
        if not os.path.isdir(target):
            raise


def busybox():
    """The path of a static busybox."""
    if installed("busybox-static"):
        return "/bin/busybox"
    target = os.path.join(cache_dir(), "busybox")
    path = os.path.join(target, "bin", "busybox")
    if not os.path.exists(path):
        if not have_lists() and os.geteuid() == 0:
            update()
        unpack(["busybox-static"], target, 50)
    if not os.path.exists(path):
        # Merged-/usr packages carry it below usr.
        path = os.path.join(target, "usr", "bin", "busybox")
    return path
