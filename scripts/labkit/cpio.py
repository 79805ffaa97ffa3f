# SPDX-License-Identifier: GPL-2.0-only
"""Write initramfs archives ("newc" cpio).

The kernel unpacks archives that were simply concatenated, later files over
earlier ones, which is how a guest gets its base and its own overlay.
"""

import os
import stat

ALIGN = 4
TRAILER = "TRAILER!!!"


class Archive:
    """Collects files in memory order and writes them to `out` as they come."""

    def __init__(self, out):
        self.out = out
        self.inode = 0
        self.dirs = set()

    def _entry(self, name, mode, data=b"", rdev=(0, 0)):
        self.inode += 1
        raw = name.encode() + b"\0"
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, *rdev, len(raw), 0)
        head = b"070701" + b"".join(b"%08X" % f for f in fields) + raw
        self.out.write(head + b"\0" * (-len(head) % ALIGN))
        self.out.write(data)
        self.out.write(b"\0" * (-len(data) % ALIGN))

    def mkdir(self, path):
        """A directory and those above it, each once."""
        path = path.strip("/")
        if not path or path in self.dirs:
            return
        self.mkdir(os.path.dirname(path))
        self.dirs.add(path)
        self._entry(path, stat.S_IFDIR | 0o755)

    def write(self, path, data, mode=0o644):
        path = path.strip("/")
        self.mkdir(os.path.dirname(path))
        self._entry(path, stat.S_IFREG | mode, data)

    def symlink(self, path, target):
        path = path.strip("/")
        self.mkdir(os.path.dirname(path))
        self._entry(path, stat.S_IFLNK | 0o777, target.encode())

    def chardev(self, path, major, minor):
        path = path.strip("/")
        self.mkdir(os.path.dirname(path))
        self._entry(path, stat.S_IFCHR | 0o600, rdev=(major, minor))

    def add(self, path, source):
        """A file of this machine, with its permission bits; links are followed."""
        with open(source, "rb") as file:
            data = file.read()
        self.write(path, data, stat.S_IMODE(os.stat(source).st_mode))

    def add_tree(self, path, source):
        """A directory of this machine and all below it, links followed."""
        self.mkdir(path)
        for folder, dirs, files in os.walk(source, followlinks=True):
            dirs[:] = sorted(d for d in dirs if not d.startswith("."))
            below = os.path.normpath(os.path.join(path, os.path.relpath(folder, source)))
            self.mkdir(below)
            for name in sorted(files):
                full = os.path.join(folder, name)
                if os.path.isfile(full):
                    self.add(os.path.join(below, name), full)

    def close(self):
        self._entry(TRAILER, 0)
