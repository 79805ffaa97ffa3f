# SPDX-License-Identifier: GPL-2.0-only
"""Programs of ours, built with sanitizers for their tests."""

import subprocess

from labkit.cli import TOP


def build(program, *words):
    """Compile to `program`. words: sources and what else gcc shall know, from the top."""
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra",
                    "-Wno-missing-field-initializers", "-fsanitize=address,undefined",
                    "-fno-sanitize-recover=all", "-Iinclude", "-o", program, *words],
                   cwd=TOP, check=True)
