# SPDX-License-Identifier: GPL-2.0-only
"""Temporary directories that don't pile up, not even when the lab is killed."""

import contextlib
import glob
import os
import shutil
import tempfile


def _sweep(parent, prefix):
    """Remove what a killed lab left; a living one's is kept."""
    for path in glob.glob(os.path.join(glob.escape(parent), f"{prefix}-*-*")):
        pid = os.path.basename(path)[len(prefix):].split("-")[1]
        if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def directory(parent=None, prefix="hpoll-lab"):
    """A directory for the body, by default where TMPDIR says."""
    parent = parent or tempfile.gettempdir()
    _sweep(parent, prefix)
    path = tempfile.mkdtemp(prefix=f"{prefix}-{os.getpid()}-", dir=parent)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
