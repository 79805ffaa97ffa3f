# SPDX-License-Identifier: GPL-2.0-only
"""Judge a guest by what it left: its channel, its console, how it ended. Pure.

A guest passes only if it says so, by the run's token, on its channel, as a
line of its own, and nothing speaks against it. Silence is a failure.
"""

import re
from dataclasses import dataclass, field

from . import tap

# What the kernel prints when something is wrong. Also given to the guest,
# which looks for the same in its whole log: "quiet" keeps most of it from the
# console. Must be valid for grep -E.
START = r"(^|\] *)"
SPLATS = (
    START + r"Kernel panic - not syncing",
    START + r"WARNING: ",
    START + r"BUG: ",
    START + r"(Oops|kernel BUG at|general protection fault|stack segment)",
    START + r"(UBSAN|KASAN|KCSAN|KFENCE): ",
    START + r"INFO: (task .* blocked|rcu|possible|trying|inconsistent|lockdep)",
    START + r"rcu: INFO: ",
    START + r"(unchecked MSR access error|Call Trace:|unregister_netdevice: waiting)",
    r"rcu.*detected (stalls|expedited stalls)",
    r"watchdog: BUG: ",
    r"(soft|hard) (lockup|LOCKUP)",
    r"scheduling while atomic",
    r"sleeping function called from invalid context",
    START + r"kmemleak: .*(disabled|Cannot allocate)",
    r"(circular|recursive) locking|inconsistent lock state|suspicious RCU usage",
)
_SPLAT = re.compile("|".join(SPLATS))
_PANIC = re.compile(SPLATS[0])
_CALL_TRACE = re.compile(r"Call Trace:")
_WARN_PANIC = re.compile(r"panic_on_warn set")


# A test that crashes its kernel on purpose does it like this, and init says on
# the console when it goes on in the next one.
_WANTED_CRASH = re.compile(START + r"Kernel panic - not syncing: sysrq triggered crash")
_RESUMED = "hpoll_lab: resumed "


@dataclass
class Verdict:
    """outcome: pass, fail, panic, warn, timeout, triple-fault, no-verdict or lab-error."""

    outcome: str
    reason: str
    tests: list = field(default_factory=list)
    info: dict = field(default_factory=dict)

    @property
    def passed(self):
        return self.outcome == "pass"


def read_tests(channel):
    """The tests' TAP from the channel's S, T and E lines."""
    tests, name, lines = [], None, []
    for line in channel:
        kind, _, rest = line.partition(" ")
        if kind == "S":
            if name is not None:
                tests.append(tap.parse(name, lines, None))
            name, lines = rest, []
        elif kind == "T" and name is not None:
            lines.append(rest)
        elif kind == "E" and name is not None:
            status = rest.rpartition(" ")[2]
            tests.append(tap.parse(name, lines, int(status) if status.isdigit() else None))
            name, lines = None, []
    if name is not None:
        tests.append(tap.parse(name, lines, None))
    return tests


def read_info(channel):
    """{key: value} from the channel's I lines."""
    info = {}
    for line in channel:
        if line.startswith("I "):
            key, _, value = line[2:].partition(" ")
            info[key] = value
    return info


def read_leaks(channel):
    """One line for each object that kmemleak reported: what it is and who made it."""
    leaks, calls = [], False
    for line in channel:
        if not line.startswith("K "):
            continue
        text = line[2:].strip()
        if text.startswith("unreferenced object"):
            leaks.append(text.removesuffix(":"))
            calls = False
        elif not leaks:
            leaks.append(text)
        elif text.startswith("comm "):
            leaks[-1] += ", " + text.split(", jiffies")[0]
        elif text.startswith("backtrace"):
            calls, joint = True, ": "
        elif calls:
            leaks[-1] += joint + text
            joint = " < "
    return leaks


def _without_stamp(line):
    return re.sub(r"^(<\d+>)?(\[[^\]]*\]\s*)*", "", line).strip()


def first_splat(console, *, but_panic=False):
    """The kernel's first complaint, without its time stamp, or ''."""
    for line in console:
        if _SPLAT.search(line) and not (but_panic and _PANIC.search(line)):
            return _without_stamp(line)
    return ""


def _without_wanted_crash(console, token):
    """The console without a crash that was wanted: one the test survived."""
    resumed = next((i for i, line in enumerate(console)
                    if _without_stamp(line) == _RESUMED + token), None)
    crash = next((i for i, line in enumerate(console) if _WANTED_CRASH.search(line)), None)
    if resumed is None or crash is None or resumed < crash:
        return console
    return console[:crash] + console[resumed + 1:]


def judge(token, channel, console, *, ended=True, timed_out=False, status=0, wanted=None):
    """The verdict on one guest.

    channel, console: lists of lines. ended: QEMU's end was seen; status: its
    exit status. wanted: how many tests were to run, None where unknown.
    """
    tests, info = read_tests(channel), read_info(channel)
    console = _without_wanted_crash(console, token)

    def verdict(outcome, reason):
        return Verdict(outcome, reason, tests, info)

    running = next((t.name for t in tests if t.status is None), None)
    during = f" in test {running}" if running else ""
    said = [line for line in channel if line.startswith("V ")]
    complaint = first_splat(console)

    if any(_PANIC.search(line) for line in console):
        if not any(_WARN_PANIC.search(line) for line in console):
            return verdict("panic", complaint + during)
        # The WARN that led to it is the news. It comes later: it was held back
        # by "quiet" until the panic had the whole log printed.
        warning = first_splat((c for c in console if not _CALL_TRACE.search(c)), but_panic=True)
        return verdict("warn", (warning or complaint) + during)
    if timed_out:
        return verdict("timeout", "no end within the time limit" + (during or ", no test running")
                       + (f"; the console says {complaint}" if complaint else ""))
    if not ended:
        return verdict("lab-error", "the lab stopped before the guest ended" + during)
    if complaint:
        return verdict("warn", complaint + during)
    if not said:
        if status != 0:
            return verdict("lab-error", f"QEMU ended with status {status}" + during)
        if not channel:
            return verdict("no-verdict", "the guest ended without a word")
        return verdict("triple-fault",
                       "the guest was reset without panic or verdict: triple fault?" + during)
    faults = [line[2:] for line in channel if line.startswith("F ")]
    if faults:
        return verdict("warn" if _SPLAT.search(faults[0]) else "fail",
                       _without_stamp(faults[0]))
    leaks = read_leaks(channel)
    if leaks:
        return verdict("warn", "kmemleak: " + leaks[0]
                       + (f" (and {len(leaks) - 1} more)" if len(leaks) > 1 else ""))
    bad = [t for t in tests if t.problem]
    if bad:
        return verdict("fail", f"{bad[0].name}: {bad[0].problem}")
    if not tests:
        return verdict("fail", "no test ran")
    if wanted is not None and len(tests) != wanted:
        return verdict("fail", f"{len(tests)} of {wanted} tests ran")
    if not any(t.ok + t.skipped for t in tests):
        return verdict("fail", "no test gave a result")
    if said != [f"V {token} pass"]:
        return verdict("fail", f"wrong verdict line: {said[0]!r}")
    return verdict("pass", "")


# An image of the kernel is smaller; modules are beyond.
_IMAGE_BYTES = 64 << 20


def _in_kernel_image(gave_up, text):
    """Did the CPUs give up in the kernel's own code, and not in a module's?"""
    places = [re.search(r"\brip 0x([0-9a-f]+)", line) for line in gave_up]
    if not places or not all(places) or not re.fullmatch("[0-9a-f]+", text):
        return False
    return all(0 <= int(place[1], 16) - int(text, 16) < _IMAGE_BYTES for place in places)


def emulation_died(outcome, channel, gave_up=(), text=""):
    """Did a guest die of the emulation rather than of what it ran? Pure.

    Its kernel died before its init said a word, when nothing of ours had run,
    or the host that was emulated for it went away. The host was seen to do so
    without a word, as a triple fault ends a machine; a guest may, too. That is
    the emulation's where the host saw a CPU give up in the kernel's own image.

    gave_up: what the host saw; text: where the image begins.
    """
    if outcome == "lab-error":
        return True
    if outcome == "triple-fault":
        return _in_kernel_image(gave_up, text)
    return outcome in ("panic", "no-verdict") and not any(map(str.strip, channel))
