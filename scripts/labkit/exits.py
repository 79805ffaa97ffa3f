# SPDX-License-Identifier: GPL-2.0-only
"""Names for VM exits, the same on both kinds of x86.

A line of the histogram looks like this (isa 1 is VMX, isa 2 is SVM):

    { isa:          2, exit_reason:        120 } hitcount:       5310
"""

import re

VMX, SVM = 1, 2

# Common name: what both call it. Where one vendor splits a reason that the
# other does not, the halves are counted together (VMX: MSR read and write).
NAMES = {
    VMX: {
        0: "EXCEPTION", 1: "INTR", 2: "SHUTDOWN", 3: "INIT", 7: "INTR_WINDOW", 8: "NMI_WINDOW",
        10: "CPUID", 12: "HLT", 14: "INVLPG", 16: "RDTSC", 18: "HYPERCALL", 28: "CR", 29: "DR",
        30: "IO", 31: "MSR", 32: "MSR", 36: "MWAIT", 39: "MONITOR", 40: "PAUSE",
        44: "APIC_ACCESS", 45: "EOI", 48: "NPF", 49: "NPF_MISCONFIG", 51: "RDTSCP",
        52: "PREEMPTION_TIMER", 54: "WBINVD", 55: "XSETBV", 56: "APIC_WRITE", 58: "INVPCID",
    },
    SVM: {
        0x60: "INTR", 0x61: "NMI", 0x63: "INIT", 0x64: "INTR_WINDOW", 0x6e: "RDTSC",
        0x72: "CPUID", 0x74: "IRET", 0x77: "PAUSE", 0x78: "HLT", 0x79: "INVLPG", 0x7b: "IO",
        0x7c: "MSR", 0x7f: "SHUTDOWN", 0x81: "HYPERCALL", 0x87: "RDTSCP", 0x89: "WBINVD",
        0x8a: "MONITOR", 0x8b: "MWAIT", 0x8d: "XSETBV", 0x400: "NPF",
        0x401: "APIC_WRITE", 0x402: "APIC_ACCESS",
    },
}

# The low half of a VMX reason is the reason; above it are flags.
VMX_BASIC = 0xffff

HIST = re.compile(r"isa:\s*(\d+),\s*exit_reason:\s*(\d+)\s*}\s*hitcount:\s*(\d+)")


def name(isa, reason):
    if isa == VMX:
        reason &= VMX_BASIC
    if isa == SVM:
        if reason < 0x20:
            return "CR"
        if reason < 0x40:
            return "DR"
        if reason < 0x60:
            return "EXCEPTION"
    return NAMES.get(isa, {}).get(reason, f"isa{isa}:{reason}")


def parse(lines):
    """{name: count} from the histogram's lines; other lines are ignored."""
    counts = {}
    for line in lines:
        match = HIST.search(line)
        if match:
            isa, reason, hits = map(int, match.groups())
            key = name(isa, reason)
            counts[key] = counts.get(key, 0) + hits
    return counts
