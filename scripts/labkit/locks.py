# SPDX-License-Identifier: GPL-2.0-only
"""Locks between checkouts that share the cache."""

import contextlib
import fcntl
import os

from . import progress


@contextlib.contextmanager
def locked(path, what):
    """Hold the lock file `path`; say so when another checkout has it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with progress.slow(f"waiting for another checkout that is {what}"):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
