# SPDX-License-Identifier: GPL-2.0-only
"""Turn a guest's results into figures per governor. Pure.

What comes in is the "data" and "phases" of selftests/latency: data has one
object per measurement, phases the host's exits while it ran.
"""

from statistics import median

MEASURES = ("ipi", "pingpong")
MIXED = ("alternating", "mostly-long")


def per_op(exits, ops):
    """Exits per operation, by name, the frequent ones first; None if not counted."""
    if exits is None or not ops:
        return None
    return {name: round(count / ops, 3)
            for name, count in sorted(exits.items(), key=lambda item: -item[1])}


def measured(data, phases, governor, what):
    """One measure of one governor over all rounds, or None if it has none."""
    rounds = [d for d in data if d.get("what") == what and d.get("governor") == governor
              and "p50" in d.get("ns", {})]
    if not rounds:
        return None
    exits, ops = {}, 0
    for one in rounds:
        counted = phases.get(f"{governor}.{what}.{one['round']}", {}).get("exits")
        if counted is None:
            exits = None
            break
        ops += one["ops"]
        for name, count in counted.items():
            exits[name] = exits.get(name, 0) + count
    return {
        "ns_p50": median(one["ns"]["p50"] for one in rounds),
        "rounds_ns_p50": [one["ns"]["p50"] for one in rounds],
        "ns_p99": median(one["ns"]["p99"] for one in rounds),
        "exits_per_op": per_op(exits, ops),
    }


def mixed(data, governor):
    """{workload: its figures} of one governor; what was not measured is not in it."""
    found = {}
    for what in MIXED:
        rounds = [d for d in data if d.get("what") == what and d.get("governor") == governor]
        if rounds:
            vain = [d["vain_ns"] / d["ops"] for d in rounds if d["vain_ns"] is not None]
            found[what] = {
                "ns_p50": median(d["ns"]["p50"] for d in rounds),
                "rounds_ns_p50": [d["ns"]["p50"] for d in rounds],
                "vain_ns_per_op": median(vain) if vain else None,
            }
    return found


def governors(data, phases):
    """{governor: its figures}, in the order in which they were measured."""
    found = {}
    for name in dict.fromkeys(d["governor"] for d in data if "governor" in d):
        ipi, trip = (measured(data, phases, name, what) for what in MEASURES)
        if not ipi or not trip:
            continue
        found[name] = {
            "ipi_wake_ns_p50": ipi["ns_p50"],
            "pingpong_ns_p50": trip["ns_p50"],
            "exits_per_op": trip["exits_per_op"],
            "ipi_exits_per_op": ipi["exits_per_op"],
            "ipi_wake_ns_p50_rounds": ipi["rounds_ns_p50"],
            "pingpong_ns_p50_rounds": trip["rounds_ns_p50"],
            "ipi_wake_ns_p99": ipi["ns_p99"],
            "pingpong_ns_p99": trip["ns_p99"],
            "mixed": mixed(data, name),
        }
    return found


def gates(data):
    """What the gate said, in the order in which it was asked."""
    return [{key: d[key] for key in ("gate", "result", "log")}
            for d in data if d.get("what") == "gate"]


def setup(data):
    """How the guest was measured: drivers, window, gap."""
    for one in data:
        if one.get("what") == "setup":
            return {key: value for key, value in one.items() if key != "what"}
    return {}


def case(result):
    """One guest's part of results.json. `result` is the lab's JSON for it."""
    data, phases = [d["value"] for d in result["data"]], result["phases"]
    return {"verdict": result["verdict"], "reason": result.get("reason", ""),
            "cpu": result["cpu"], "setup": setup(data), "gates": gates(data),
            "governors": governors(data, phases)}


def lacking(one, wanted):
    """The governors that were to be measured and were not."""
    return [name for name in wanted if name not in one["governors"]]


def results(accel, kernel, cases):
    """results.json; `cases` in order, the first is the one at the top level."""
    first = next(iter(cases.values()))
    return {"accel": accel, "kernel": kernel, "governors": first["governors"], "cases": cases}
