# SPDX-License-Identifier: GPL-2.0-only
"""Turn what the host-side script reported into results. Pure.

The report's lines are described in guest/boot-guest, the channel's in
guest/lab, the result in SCHEMA.md.
"""

import json
from dataclasses import dataclass, field

from . import exits, verdict

SCHEMA = 1


@dataclass
class Raw:
    """One guest's report, sorted by kind."""

    channel: list = field(default_factory=list)
    console: list = field(default_factory=list)
    qemu: list = field(default_factory=list)
    gave_up: list = field(default_factory=list)
    hist: dict = field(default_factory=dict)
    cpu: dict = field(default_factory=dict)
    no_exits: str = ""
    khz: int | None = None
    begun: bool = False
    ended: bool = False
    stopped: str = ""
    timed_out: bool = False
    status: int = 0


def split(lines):
    """{guest name: Raw} from the whole report. Damaged lines are passed over."""
    guests, raw = {}, None
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "begin":
            raw = guests.setdefault(rest, Raw(begun=True))
        elif raw is None:
            continue
        elif kind == "stopped":
            raw.stopped = rest
        elif kind == "chan":
            raw.channel.append(rest)
        elif kind == "cons":
            raw.console.append(rest.replace("\r", ""))
        elif kind == "qemu":
            raw.qemu.append(rest)
        elif kind == "gaveup":
            raw.gave_up.append(rest)
        elif kind == "noexits":
            raw.no_exits = rest
        elif kind == "khz" and rest.isdigit():
            raw.khz = int(rest)
        elif kind == "exits":
            phase, _, hist = rest.partition(" ")
            raw.hist.setdefault(phase, []).append(hist)
        elif kind == "cpu":
            words = rest.split()
            if len(words) == 4 and all(w.lstrip("-").isdigit() for w in words[1:]):
                raw.cpu.setdefault(words[0], []).append(tuple(map(int, words[1:])))
        elif kind == "end":
            words = rest.split()
            if len(words) == 2 and words[0].isdigit():
                raw.status, raw.timed_out, raw.ended = int(words[0]), words[1] == "1", True
                raw = None
    return guests


def _phases(raw):
    """The measured phases; one that was opened twice is summed up."""
    phases = {}
    for line in raw.channel:
        words = line.split()
        if words[:2] == ["P", "end"] and len(words) >= 3 and words[2] in raw.cpu:
            name = words[2]
            counts = None if raw.no_exits else exits.parse(raw.hist.get(name, []))
            ticks, ns, host_ms = map(sum, zip(*raw.cpu[name]))
            phase = phases.setdefault(name, {
                "exits": counts, "host_cpu_ticks": ticks, "host_cpu_ns": ns,
                "host_ms": host_ms, "ns": None, "times": len(raw.cpu[name])})
            if len(words) == 4 and words[3].isdigit():
                phase["ns"] = (phase["ns"] or 0) + int(words[3])
    return phases


def _data(channel):
    """The D lines' objects, with the test that said them; bad JSON is kept as text."""
    found, test = [], None
    for line in channel:
        kind, _, rest = line.partition(" ")
        if kind == "S":
            test = rest
        elif kind == "D":
            try:
                value = json.loads(rest)
            except ValueError:
                value = {"bad_json": rest}
            found.append({"test": test, "value": value})
    return found


@dataclass
class GuestResult:
    """How a guest fared. `json` is what goes to the file (see SCHEMA.md)."""

    name: str
    verdict: verdict.Verdict
    json: dict
    channel: list
    console: list
    gave_up: list
    begun: bool

    @property
    def passed(self):
        return self.verdict.passed

    @property
    def phases(self):
        return self.json["phases"]

    @property
    def data(self):
        return [d["value"] for d in self.json["data"]]


def result(spec, token, accel, raw, release, seconds):
    """Judge one guest. raw: its Raw, None where it was never started."""
    raw = raw or Raw()
    judged = verdict.judge(token, raw.channel, raw.console, ended=raw.ended,
                           timed_out=raw.timed_out, status=raw.status, wanted=len(spec.tests))
    if judged.outcome == "lab-error" and (raw.qemu or raw.stopped):
        judged.reason += f": {raw.qemu[-1] if raw.qemu else raw.stopped}"
    if judged.outcome == "triple-fault" and raw.gave_up:
        judged.reason += (f"; the host saw: {' '.join(raw.gave_up[0].split())}, "
                          f"_text is {judged.info.get('text', 'unknown')}")
    tests = [{"name": t.name, "status": t.status, "ok": t.ok, "failed": t.failed,
              "skipped": t.skipped, "skips": t.skips, "failures": t.failures,
              "problem": t.problem, "tap": t.lines} for t in judged.tests]
    return GuestResult(
        name=spec.name, verdict=judged, channel=raw.channel, console=raw.console,
        gave_up=raw.gave_up, begun=raw.begun,
        json={
            "schema": SCHEMA,
            "name": spec.name,
            "accel": accel,
            "kernel": judged.info.get("release", release),
            "cpus": spec.cpus,
            "mem_mb": spec.mem,
            "cpu": ",".join(spec.cpu_flags()),
            "cmdline": judged.info.get("cmdline", ""),
            "clocksource": judged.info.get("clocksource"),
            "tsc_khz": raw.khz,
            "verdict": judged.outcome,
            "reason": judged.reason,
            "repeated": [],
            "exits_missing": raw.no_exits or None,
            "tests": tests,
            "phases": _phases(raw),
            "data": _data(raw.channel),
            "seconds": round(seconds, 1) if seconds is not None else None,
        })
