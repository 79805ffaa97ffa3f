# SPDX-License-Identifier: GPL-2.0-only
"""Traces of real programs, recorded in a guest and kept with the sources."""

import base64
import glob
import gzip
import os

from labkit import build, cli, kernels, lab, programs
from labkit.errors import LabError
from labkit.spec import GuestSpec

KERNEL = "6.12"
PROGRAMS = ["fio", "rt-tests", "sysbench", "redis-server", "redis-tools", "sockperf", "gcc",
            "make", "libc6-dev", "coreutils", "dash"]
FOLDER = os.path.join(cli.TOP, "tools", "replay", "corpus")
TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
# A CPU that hardly idled tells nothing.
LEAST_PERIODS = 100


def paths():
    """The traces that are kept."""
    return sorted(glob.glob(os.path.join(glob.escape(FOLDER), "*.gz")))


def name(path):
    return os.path.basename(path).removesuffix(".gz")


def traces(data):
    """{name: text} of what the guest sent. Pure."""
    parts = {}
    for one in data:
        if "trace" in one:
            parts.setdefault(one["trace"], []).append((one["part"], one["base64"]))
    return {what: gzip.decompress(base64.b64decode("".join(text for _, text in sorted(some))))
            .decode() for what, some in parts.items()}


def record(out):
    """Boot a guest, run the programs, write the traces anew."""
    # Without KVM, plain emulation: a halt distorts least there.
    accel = "kvm" if lab.choose("auto", KERNEL)[0] == "kvm" else "tcg"
    files = build.guest(KERNEL, os.path.join(out, "build.log"))
    top = [os.path.join(cli.TOP, part) for part in ("src", "include", "kunit")]
    spec = GuestSpec(
        "corpus", [TEST], kernel=KERNEL, mem=1024, timeout=900, files_dir=files,
        disk=programs.image(PROGRAMS), modules=["virtio_blk", "crc32c_generic", "ext4"],
        files=[(os.path.join(cli.TOP, "tools", "record", "hpoll-record"), "/bin/hpoll-record"),
               *((part, "/programs/hpoll/" + os.path.basename(part)) for part in top)])
    guest = lab.run_guests([spec], accel, os.path.join(out, "log"))[0]
    if not guest.passed:
        raise LabError(f"recording failed: {guest.verdict.reason}: see {out}/log", code=1)
    found = traces([one["value"] for one in guest.json["data"]])
    write(found, lab.LABELS[accel], kernels.release(KERNEL))
    return found


def write(found, label, release):
    os.makedirs(FOLDER, exist_ok=True)
    for path in paths():
        os.unlink(path)
    for what, text in sorted(found.items()):
        if text.count("\n") < LEAST_PERIODS:
            continue
        head = f"# {what}: recorded in a guest of two CPUs, Linux {release}, {label}\n"
        # No time in it, so that the same trace gives the same file.
        with open(os.path.join(FOLDER, what + ".gz"), "wb") as file:
            file.write(gzip.compress((head + text).encode(), 9, mtime=0))
