# SPDX-License-Identifier: GPL-2.0-only
"""Build what a guest needs: the module and the tests' programs."""

import os
import subprocess

from . import kernels, packages, progress
from .cli import TOP
from .errors import LabError


def guest(kernel, log):
    """Build for a kernel; the directory of what goes to /lib/hpoll.

    log: a file that gets what make says.
    """
    packages.require(["make", "gcc", "libc6-dev"])
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "w", encoding="utf-8") as file, progress.slow(f"building for {kernel}"):
        # Lines about slow downloads still reach the reader, through stderr.
        built = subprocess.run(["make", "-s", "guest", f"KVER={kernel}"], cwd=TOP, stdout=file,
                               stderr=subprocess.PIPE, text=True, check=False)
        file.write(built.stderr)
    if built.returncode:
        lines = built.stderr.strip().splitlines() or ["no message"]
        wrong = [line for line in lines if "error" in line.lower()] or lines
        raise LabError(f"the build failed: {wrong[0]}: see {log}", code=1)
    return os.path.join(TOP, "build", "guest", kernels.release(kernel))
