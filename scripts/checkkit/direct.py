# SPDX-License-Identifier: GPL-2.0-only
"""Prove from a module's disassembly that it calls nothing through a pointer.

The functions that the cpuidle core does not export are called by static_call.
Such a call is a direct call, or a jump, to a trampoline `__SCT__<key>`, which
the kernel patches. Where functions are sealed against indirect calls (x86
IBT), any other way would be fatal.

The one exception are the kernel's own paravirt calls, which it writes as
`call *pv_ops+N` and replaces by direct ones when it loads a module.
"""

import re
import subprocess

from labkit.errors import LabError

KEY = re.compile(r"\b__SCK__(hpoll_\w+)")
FUNCTION = re.compile(r"^[0-9a-f]+ <(?P<name>.+)>:$")
SECTION = re.compile(r"^Disassembly of section (?P<name>.+):$")
# Offset, bytes, then the instruction with its prefixes.
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\t(?:[0-9a-f]{2} )+\s*\t(?P<text>.+)$")
BRANCH = re.compile(r"^(?:\w+ )*(?:call|jmp)[lqw]?\b")
INDIRECT = re.compile(r"^(?:\w+ )*(?:l?call|l?jmp)[lqw]?\s+\*")
RELOCATION = re.compile(r"^\s+[0-9a-f]+: (?P<type>R_X86_64_\w+)\t(?P<symbol>[\w.$]+)")
THUNK = re.compile(r"^__x86_indirect_\w*thunk")
# The kernel's own way to call whoever traces a tracepoint; those may be called so.
TRACERS = re.compile(r"^__traceiter_")


def judge(symbols, disassembly):
    """What is wrong, and how many direct calls each key has. Pure.

    symbols: the lines of `objdump -t`. disassembly: of `objdump -dr`.
    """
    calls = {match[1]: 0 for line in symbols for match in KEY.finditer(line)}
    wrong, section, function, branch, pending = [], "?", "?", "", ""

    def settle():
        if pending and not TRACERS.match(function):
            wrong.append(f"indirect, in {function} ({section}): {pending}")

    for line in disassembly:
        if match := SECTION.match(line):
            settle()
            section, pending = match["name"], ""
        elif match := FUNCTION.match(line):
            settle()
            function, branch, pending = match["name"], "", ""
        elif match := INSTRUCTION.match(line):
            settle()
            text = " ".join(match["text"].split())
            branch = text if BRANCH.match(text) else ""
            pending = text if INDIRECT.match(text) else ""
        elif match := RELOCATION.match(line):
            symbol = match["symbol"]
            if pending and symbol == "pv_ops":
                pending = ""
            if THUNK.match(symbol) and not TRACERS.match(function):
                wrong.append(f"indirect, in {function} ({section}): {branch or '?'} to {symbol}")
            elif branch and symbol.startswith("__SCT__") and symbol[7:] in calls:
                calls[symbol[7:]] += 1
    settle()
    if not calls:
        wrong.append("no static call key __SCK__hpoll_* in this module")
    wrong += [f"no direct call by the key {key}" for key, count in calls.items() if not count]
    return wrong, calls


def _objdump(option, path):
    try:
        done = subprocess.run(["objdump", *option, path], text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    except FileNotFoundError as error:
        raise LabError("no objdump: run as root: apt-get install -y --no-install-recommends "
                       "binutils") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["objdump failed"]
        raise LabError(lines[-1])
    return done.stdout.splitlines()


def check(path):
    return judge(_objdump(["-t"], path), _objdump(["-dr"], path))
