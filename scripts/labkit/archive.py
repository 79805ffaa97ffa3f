# SPDX-License-Identifier: GPL-2.0-only
"""Debian releases other than the machine's own, by an apt of their own.

    <cache>/apt/<suite>/     sources, lists and state: all that apt keeps

Nothing of it touches the machine's apt. The mirrors are those that the
machine uses: they carry all releases side by side.
"""

import os
import re

from . import locks, packages, progress
from .errors import LabError

# In these there is no separate archive for security updates.
UNSTABLE = ("sid", "experimental")
# What sources may say instead of a release's name.
ALIASES = ("oldstable", "stable", "testing", "unstable", "sid")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
INDEX = re.compile(r"^'([^']*)/dists/([^/']+)/InRelease'")


def own_release():
    """The machine's Debian release, such as bookworm; '' if it does not say."""
    try:
        with open("/etc/os-release", encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return ""
    match = re.search(r"^VERSION_CODENAME=\"?(\w+)", text, re.MULTILINE)
    return match[1] if match else ""


def mirrors(indexes, own):
    """(main, security) mirrors of Debian; None for one that is not there. Pure.

    indexes: what `apt-get update --print-uris` prints; own: the machine's
    release, by which Debian's mirrors are told from others.
    """
    found = {}
    for line in indexes.splitlines():
        match = INDEX.match(line)
        if match:
            found.setdefault(match[2], match[1])
    names = (own, *ALIASES)
    return (next((found[n] for n in names if n in found), None),
            next((found[f"{n}-security"] for n in names if f"{n}-security" in found), None))


def sources(suite, main, security, keyring):
    """The lines of a sources.list for one suite. Pure."""
    options = f" [signed-by={keyring}]" if keyring else ""
    lines = [f"deb{options} {main} {suite} main"]
    if security and suite not in UNSTABLE:
        lines.append(f"deb{options} {security} {suite}-security main")
    return "".join(line + "\n" for line in lines)


def _home(suite):
    return os.path.join(packages.cache_dir(), "apt", suite)


def _options(home):
    """What makes apt use nothing but `home`, for whoever runs it.

    The status file is empty: nothing is installed there, so whatever a package
    depends on is fetched. Archived releases and snapshots are valid for ever.
    """
    settings = {
        "Dir::Etc::SourceList": os.path.join(home, "sources.list"),
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::Etc::PreferencesParts": "/dev/null",
        "Dir::State": home,
        "Dir::State::Status": os.path.join(home, "status"),
        "Dir::Cache": os.path.join(home, "cache"),
        "Acquire::Check-Valid-Until": "false",
        "Acquire::Languages": "none",
        "APT::Sandbox::User": "root",
    }
    return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]


def _write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _prepare(suite, home):
    main, security = mirrors(packages.indexes(), own_release())
    if not main:
        raise LabError(f"apt's sources name no mirror of Debian {own_release()}, where "
                       f"{suite} could be fetched: the lab needs a Debian machine")
    for folder in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(home, folder), exist_ok=True)
    _write(os.path.join(home, "status"), "")
    _write(os.path.join(home, "sources.list"),
           sources(suite, main, security, KEYRING if os.path.exists(KEYRING) else ""))


def apt(suite, alone=False):
    """apt's options for a Debian release; none where the machine's own will do.

    The lists are fetched when they are missing or older than the machine's.
    alone: as if nothing were installed, also for the machine's own release.
    """
    if suite == own_release() and not alone:
        return []
    home = _home(suite)
    stamp = os.path.join(home, "fetched")
    with locks.locked(os.path.join(home, "lock"), f"reading Debian {suite}'s package lists"):
        fetched, age = packages.read(stamp), packages.lists_age()
        if fetched != age:
            _prepare(suite, home)
            wrong = packages.update(_options(home), f"package lists of Debian {suite}")
            if not wrong:
                packages.remember(stamp, age)
            elif fetched:
                progress.say(f"{wrong}; going on with the lists at hand")
            else:
                raise LabError(f"could not fetch Debian {suite}'s package lists: {wrong}: "
                               "check the network")
    return _options(home)
