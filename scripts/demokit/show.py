# SPDX-License-Identifier: GPL-2.0-only
"""The demo's figures as text, at most 80 columns wide. Pure."""

import textwrap

WIDTH = 80

# What reaching another CPU costs, whatever way its APIC is written to: an MSR
# (x2APIC), or its page (xAPIC: a nested page fault, or the virtual APIC's exits).
IPI_EXITS = ("MSR", "APIC_WRITE", "APIC_ACCESS", "NPF")

METHOD = {
    "kvm": "KVM on this machine's hardware.",
    "nested-kvm-on-tcg": "A real KVM, in a host that QEMU emulates (TCG): every exit really "
                         "happens, and takes about ten times longer than on hardware. "
                         "The ratios tell, not the microseconds.",
    "tcg": "Plain emulation, without KVM: nothing exits, so NO GAIN CAN BE SHOWN here. What a halt "
           "costs is what QEMU's threads make of it; the figures only prove that hpoll runs.",
}

NAMES = {"none": "(no driver)"}


def fill(text, indent=""):
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def us(ns):
    """Nanoseconds as microseconds, three digits that count."""
    value = ns / 1000
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def ratio(base, value):
    """How many times below the base."""
    if not base or not value:
        return "-"
    times = base / value
    return f"{times:.1f}x" if times < 9.95 else f"{times:.0f}x"


def spread(rounds):
    return f"{us(min(rounds))}-{us(max(rounds))}"


def exits(per_op, names=None):
    """Their sum; all of them where no names are given."""
    if per_op is None:
        return "-"
    return f"{sum(v for k, v in per_op.items() if names is None or k in names):.2f}"


ROW = "{:13} {:>7} {:>13} {:>6}  {:>7} {:>13} {:>6}"
EXITS_ROW = "{:13} {:>9} {:>10} {:>7}   {:>9} {:>10} {:>7}"


def times_table(governors, accel):
    """Median, spread and gain of both measures; no gain where it would mislead."""
    base = governors.get("menu", {}) if accel != "tcg" else {}
    lines = [f"{'':13} {'--- IPI to an idle CPU, us --':^28}  {'-- ping-pong round trip, us --':^28}".rstrip(),
             ROW.format("governor", "median", "rounds", "gain", "median", "rounds", "gain")]
    for name, one in governors.items():
        lines.append(ROW.format(
            NAMES.get(name, name),
            us(one["ipi_wake_ns_p50"]), spread(one["ipi_wake_ns_p50_rounds"]),
            ratio(base.get("ipi_wake_ns_p50"), one["ipi_wake_ns_p50"]),
            us(one["pingpong_ns_p50"]), spread(one["pingpong_ns_p50_rounds"]),
            ratio(base.get("pingpong_ns_p50"), one["pingpong_ns_p50"])).rstrip())
    return lines


def mixed_table(governors, accel):
    """The workloads between which CPUs sleep; nothing where they were not measured."""
    measured = {name: one["mixed"] for name, one in governors.items()
                if len(one["mixed"]) == 2}
    if not measured:
        return []
    base = measured.get("menu") if accel != "tcg" else None
    lines = [f"{'':13} {'--- every second gap long ---':^28}  {'-- two of three gaps long --':^28}".rstrip(),
             ROW.format("governor", "median", "rounds", "gain", "median", "rounds", "gain")]
    vain = []
    for name, by in measured.items():
        cells = []
        for what, one in by.items():
            cells += [us(one["ns_p50"]), spread(one["rounds_ns_p50"]),
                      ratio(base and base[what]["ns_p50"], one["ns_p50"])]
        lines.append(ROW.format(NAMES.get(name, name), *cells).rstrip())
        if all(one["vain_ns_per_op"] is not None for one in by.values()):
            vain.append(f"{name} " + " and ".join(us(one["vain_ns_per_op"])
                                                  for one in by.values()))
    if vain:
        lines.append(fill("Polled in vain, us per wake-up: " + ", ".join(vain) + "."))
    return lines


def exits_table(governors):
    """VM exits per operation; nothing where they were not counted."""
    if all(one["exits_per_op"] is None for one in governors.values()):
        return []
    lines = [f"{'':13} {'---- exits per IPI sent ----':^28}   {'-- exits per round trip --':^28}".rstrip(),
             EXITS_ROW.format("governor", "HLT", "MSR/APIC", "all", "HLT", "MSR/APIC", "all")]
    for name, one in governors.items():
        cells = [f(one[key]) for key in ("ipi_exits_per_op", "exits_per_op")
                 for f in (lambda e: exits(e, ("HLT",)), lambda e: exits(e, IPI_EXITS), exits)]
        lines.append(EXITS_ROW.format(NAMES.get(name, name), *cells).rstrip())
    return lines


def gate_lines(gates):
    lines = []
    for one in gates:
        lines.append(f"insmod hpoll.ko gate={one['gate']}: {one['result']}; the guest's log:")
        lines += [fill(text, "    ") for text in one["log"]] or ["    (nothing)"]
    return lines


def case(title, about, one, accel):
    """One guest: what it is, what the gate said, what was measured."""
    lines = ["", title, "=" * len(title), fill(about), "", *gate_lines(one["gates"]), ""]
    if one["governors"]:
        lines += times_table(one["governors"], accel)
        mixed = mixed_table(one["governors"], accel)
        lines += ["", *mixed] if mixed else []
        counted = exits_table(one["governors"])
        lines += ["", *counted] if counted else []
    if one["verdict"] != "pass":
        lines += ["", fill(f"FAILED: {one['reason'] or one['verdict']}")]
    return "\n".join(lines)


def legend(accel, setup, busy):
    """How to read the tables."""
    text = [f"How it was measured: {accel}. {METHOD[accel]}"]
    if setup:
        text.append(
            f"Medians of {setup['rounds']} rounds in alternating order, in one boot; 'rounds' is "
            f"the least and the greatest round's median, 'gain' how many times faster than menu. "
            "hpoll is hpoll with policy=adaptive, hpoll-classic with policy=classic. "
            f"The IPI goes to a CPU that has been idle for {setup['gap_us']} us. Both pollers "
            f"may poll for {setup['window_ns'] // 1000} us. '(no driver)' is the guest before "
            "hpoll was loaded, measured once. In the mixed workloads a task is woken on an "
            "idle CPU after gaps of which every second one, or two of three, are 5 ms long; "
            "shown is how long it takes after the short ones.")
    if busy:
        text.append(f"NOTE: {busy}")
    return "\n".join(fill(t) for t in text)
