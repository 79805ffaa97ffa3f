# SPDX-License-Identifier: GPL-2.0-only
"""The policies over every kind of trace, as a table and as pictures."""

import csv
import math
import os
import random
import subprocess

from labkit import page
from labkit.errors import LabError

from . import kinds

SEED = 1
PERIODS = 20000
POLICIES = ("classic", "always", "best-fixed", "adaptive")
# What a picture shows, so that single periods can be told apart.
PICTURES = ("bimodal", "alternating", "phases-200", "past-grow-start")
PICTURE_PERIODS = 600

BEGIN = "<!-- policy table: written by make policy-report -->"
END = "<!-- end of the policy table -->"


def write_traces(folder, names, count):
    """The paths of fresh traces of these kinds."""
    paths = []
    for name in names:
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.writelines(kinds.trace(name, random.Random(SEED), count))
    return paths


def _replay(replay, *arguments):
    done = subprocess.run([replay, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LabError(f"hpoll-replay failed: {done.stderr.strip()}", code=1)
    return done.stdout


def measure(replay, folder):
    """{kind: {policy: its row}}, by hpoll-replay."""
    paths = write_traces(folder, kinds.KINDS, PERIODS)
    rows = csv.DictReader(_replay(replay, "--policy", ",".join(POLICIES), "--format", "tsv",
                                  *paths).splitlines(), delimiter="\t")
    found = {name: {} for name in kinds.KINDS}
    for row in rows:
        found[os.path.basename(row["file"])][row["policy"]] = row
    return found


def draw(replay, folder, path):
    """A picture of some kinds."""
    _replay(replay, "--policy", "classic,adaptive", "--plot", path,
            *write_traces(folder, PICTURES, PICTURE_PERIODS))


def table(found):
    """Cost ratios, and how much is polled in vain by the classic and the adaptive policy. Pure."""
    def vain(row):
        return f"{int(row['vain_ns']) / int(row['periods']) / 1000:.1f}"

    lines = ["| idle lengths | " + " | ".join(POLICIES)
             + " | in vain: classic | adaptive |",
             "|---" * (len(POLICIES) + 3) + "|"]
    for name, by in found.items():
        lines.append(f"| {kinds.KINDS[name][0]} | "
                     + " | ".join(f"{float(by[p]['cost_ratio']):.2f}" for p in POLICIES)
                     + f" | {vain(by['classic'])} | {vain(by['adaptive'])} |")
    means = (math.exp(sum(math.log(float(by[p]["cost_ratio"])) for by in found.values())
                      / len(found)) for p in POLICIES)
    lines.append("| geometric mean | " + " | ".join(f"{mean:.2f}" for mean in means) + " | | |")
    return lines


def replace(text, lines):
    """The page's text with these lines for its table. Pure."""
    return page.replace("page policy.md", text, BEGIN, END, lines)
