# SPDX-License-Identifier: GPL-2.0-only
"""The policies over every kind of trace, as a table and as pictures."""

import csv
import math
import os
import random
import subprocess

from labkit import page
from labkit.errors import LabError

from . import corpus, kinds

SEED = 1
PERIODS = 20000
POLICIES = ("classic", "always", "best-fixed", "adaptive")
# What a picture shows, so that single periods can be told apart.
PICTURES = ("bimodal", "alternating", "phases-200", "past-grow-start")
PICTURE_PERIODS = 600

# The page's parts: made-up traces, and those of real programs.
MADE_UP = ("<!-- policy table: written by make policy-report -->",
           "<!-- end of the policy table -->")
RECORDED = ("<!-- recorded table: written by make policy-report -->",
            "<!-- end of the recorded table -->")


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


def measure(replay, paths):
    """{trace: {policy: its row}}, by hpoll-replay."""
    rows = csv.DictReader(_replay(replay, "--policy", ",".join(POLICIES), "--format", "tsv",
                                  *paths).splitlines(), delimiter="\t")
    found = {corpus.name(path): {} for path in paths}
    for row in rows:
        found[corpus.name(row["file"])][row["policy"]] = row
    return found


def measure_made_up(replay, folder):
    """The same over every kind of made-up trace, by kind."""
    return measure(replay, write_traces(folder, kinds.KINDS, PERIODS))


def draw(replay, folder, path):
    """A picture of some kinds."""
    _replay(replay, "--policy", "classic,adaptive", "--plot", path,
            *write_traces(folder, PICTURES, PICTURE_PERIODS))


def geometric_mean(found, policy):
    return math.exp(sum(math.log(float(by[policy]["cost_ratio"])) for by in found.values())
                    / len(found))


def table(found, titles):
    """Cost ratios, and how much is polled in vain by the classic and the adaptive policy.

    titles: {trace: what it is}. Pure.
    """
    def vain(row):
        return f"{int(row['vain_ns']) / int(row['periods']) / 1000:.1f}"

    lines = ["| idle lengths | " + " | ".join(POLICIES)
             + " | in vain: classic | adaptive |",
             "|---" * (len(POLICIES) + 3) + "|"]
    for name, by in found.items():
        lines.append(f"| {titles.get(name, name)} | "
                     + " | ".join(f"{float(by[p]['cost_ratio']):.2f}" for p in POLICIES)
                     + f" | {vain(by['classic'])} | {vain(by['adaptive'])} |")
    lines.append("| geometric mean | "
                 + " | ".join(f"{geometric_mean(found, p):.2f}" for p in POLICIES) + " | | |")
    return lines


def replace(text, made_up, recorded):
    """The page's text with tables of these. Pure."""
    titles = {name: title for name, (title, _) in kinds.KINDS.items()}
    text = page.replace("page policy.md", text, *MADE_UP, table(made_up, titles))
    return page.replace("page policy.md", text, *RECORDED, table(recorded, {}))
