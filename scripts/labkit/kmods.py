# SPDX-License-Identifier: GPL-2.0-only
"""Find kernel modules by name in an unpacked package, with what they need.

Unpacked packages carry no modules.dep (depmod writes it at installation), so
the dependencies are read from the modules themselves.
"""

import lzma
import os
import re

from .errors import LabError

SUFFIX = re.compile(r"\.ko(\.xz)?$")
DEPENDS = re.compile(rb"\0depends=([\w,-]*)\0")


def _key(name):
    return name.replace("-", "_")


def _index(root):
    found = {}
    for folder, _, files in os.walk(root):
        for name in files:
            if SUFFIX.search(name):
                found[_key(SUFFIX.sub("", name))] = os.path.join(folder, name)
    return found


def _load(path):
    with open(path, "rb") as file:
        data = file.read()
    return lzma.decompress(data) if path.endswith(".xz") else data


def _builtin(root):
    try:
        with open(os.path.join(root, "modules.builtin"), encoding="utf-8") as file:
            return {_key(SUFFIX.sub("", os.path.basename(line.strip()))) for line in file}
    except OSError:
        return set()


def with_dependencies(root, names):
    """[(name, bytes)] in the order to insert them; built-in ones are left out."""
    index, builtin, order = _index(root), _builtin(root), {}

    def visit(name):
        key = _key(name)
        if key in order or key in builtin:
            return
        if key not in index:
            raise LabError(f"kernel {os.path.basename(root)} has no module {name!r}: "
                           "check the name")
        data = _load(index[key])
        match = DEPENDS.search(data)
        for needed in filter(None, match.group(1).decode().split(",") if match else ()):
            visit(needed)
        order[key] = data

    for name in names:
        visit(name)
    return list(order.items())
