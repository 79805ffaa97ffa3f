# SPDX-License-Identifier: GPL-2.0-only
"""The lab's judgement, over recorded reports; and what it says to bad input."""

import io
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, SCRIPTS)

from labkit import (cpio, debugkernel, emulator, exits, kmods, lab, machine, packages,  # noqa: E402
                    progress, report, scratch, sources, spec, tap, verdict)
from labkit.errors import LabError  # noqa: E402

TOKEN = "f3655edf7594a725"
RECORDED = os.path.join(SCRIPTS, "tests", "lab")


def recorded(name):
    with open(os.path.join(RECORDED, name), encoding="utf-8") as file:
        return file.read().splitlines()


def judged(lines, token=TOKEN, name="smoke", tests=("smoke",)):
    guest = spec.GuestSpec(name, list(tests))
    return report.result(guest, token, "nested-kvm-on-tcg", report.split(lines).get(name),
                         "6.12", 1.0)


class Outcome(unittest.TestCase):
    def expect(self, result, outcome, reason):
        self.assertEqual(result.verdict.outcome, outcome, result.verdict.reason)
        self.assertIn(reason, result.verdict.reason)
        self.assertEqual(result.passed, outcome == "pass")
        self.assertEqual(result.json["verdict"], outcome)

    def test_pass(self):
        self.expect(judged(recorded("pass.report")), "pass", "")

    def test_panic(self):
        self.expect(judged(recorded("panic.report")), "panic", "sysrq triggered crash in test smoke")

    def test_warn_is_named_not_the_panic_it_caused(self):
        self.expect(judged(recorded("warn.report")), "warn", "WARNING: CPU: 1 PID: 154 at w.c:2")

    def test_hang(self):
        self.expect(judged(recorded("hang.report")), "timeout", "in test smoke")

    def test_a_task_that_hangs_is_named(self):
        self.expect(judged(recorded("hung.report")), "panic",
                    "INFO: task insmod:152 blocked for more than")

    def test_hang_before_any_test(self):
        self.expect(judged(["begin smoke", "cons ", "end 137 1"]), "timeout", "no test running")

    def test_reset(self):
        self.expect(judged(recorded("reset.report")), "triple-fault", "in test smoke")

    def test_reset_whose_place_the_host_saw(self):
        lines = recorded("reset.report")
        lines.insert(-1, "gaveup vcpu 1 reason shutdown rip 0xffffffffa3e848e9 info1 0x0")
        lines.insert(1, "chan I text ffffffffa3e00000")
        self.expect(judged(lines), "triple-fault", "the host saw: vcpu 1 reason shutdown rip "
                    "0xffffffffa3e848e9 info1 0x0, _text is ffffffffa3e00000")

    def test_silence(self):
        self.expect(judged(["begin smoke", "cons ", "end 0 0"]), "no-verdict", "without a word")

    def test_qemu_fails(self):
        self.expect(judged(["begin smoke", "qemu qemu: bad CPU", "cons ", "end 1 0"]),
                    "lab-error", "status 1: qemu: bad CPU")

    def test_never_started(self):
        self.expect(judged(["host 6.1"]), "lab-error", "stopped before")

    def test_truncated_at_every_line(self):
        # Only the whole report passes; the last line is the host's good-bye.
        lines = recorded("pass.report")[:-1]
        for length in range(len(lines)):
            self.assertFalse(judged(lines[:length]).passed, lines[length])
        self.expect(judged(lines), "pass", "")

    def test_truncated_within_the_end(self):
        lines = recorded("pass.report")[:-2]
        self.expect(judged(lines + ["end"]), "lab-error", "stopped before")
        self.expect(judged(lines + ["end 0"]), "lab-error", "stopped before")

    @staticmethod
    def crashed(old="", new=""):
        """A test that crashes its kernel and goes on in the next, with one text changed."""
        return judged([line.replace(old, new) for line in recorded("crash.report")],
                      tests=("crash",))

    def test_wanted_crash_that_the_test_survived(self):
        self.expect(self.crashed(), "pass", "")

    def test_crash_after_which_nobody_went_on(self):
        for instead in ("", "hpoll_lab: resumed 0"):
            self.expect(self.crashed(f"hpoll_lab: resumed {TOKEN}", instead),
                        "panic", "sysrq triggered crash")

    def test_splat_around_a_wanted_crash(self):
        for near, after in (("not syncing", 0), ("resumed", 1)):
            lines = recorded("crash.report")
            at = after + next(i for i, line in enumerate(lines) if near in line)
            lines.insert(at, "cons [    9.1] WARNING: CPU: 0 PID: 1 at x.c:1")
            self.expect(judged(lines, tests=("crash",)), "warn", "WARNING: CPU: 0 PID: 1")

    def test_panic_that_was_not_wanted_before_a_resume(self):
        self.expect(self.crashed("sysrq triggered crash", "Fatal exception"),
                    "panic", "Fatal exception")

    def test_splat_found_by_the_guest(self):
        self.expect(judged(recorded("splat.report")), "warn", "BUG: scheduling while atomic")

    def test_splats_that_do_not_panic(self):
        # With panic_on_warn or without, on the console or only in the guest's log.
        for splat in ("WARNING: possible circular locking dependency detected",
                      "WARNING: inconsistent lock state",
                      "WARNING: suspicious RCU usage",
                      "BUG: sleeping function called from invalid context at mm/slab.h:1",
                      "BUG: KASAN: slab-use-after-free in f+0x1/0x2 [hpoll]",
                      "UBSAN: array-index-out-of-bounds in x.c:1:2",
                      "INFO: lockdep is turned off."):
            for line in (f"cons [   15.1] {splat}", f"chan F [   15.1][   T12] {splat}"):
                lines = recorded("pass.report")
                lines.insert(-4, line)
                self.expect(judged(lines), "warn", splat)

    def test_lockdep_off(self):
        lines = recorded("pass.report")
        lines.insert(-4, "chan F lockdep turned itself off")
        self.expect(judged(lines), "fail", "lockdep turned itself off")

    LEAK = ('unreferenced object 0xffff888003a0e480 (size 64):',
            '  comm "insmod", pid 178, jiffies 4294897344',
            '  hex dump (first 32 bytes):',
            '    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................',
            '  backtrace (crc 0):',
            '    __kmalloc_cache_noprof+0x25c/0x2f0',
            '    hpoll_init+0x30/0x1000 [hpoll]')

    def test_leak(self):
        lines = recorded("pass.report")
        lines[-4:-4] = [f"chan K {line}" for line in self.LEAK]
        self.expect(judged(lines), "warn",
                    'kmemleak: unreferenced object 0xffff888003a0e480 (size 64), comm "insmod", '
                    'pid 178: __kmalloc_cache_noprof+0x25c/0x2f0 < hpoll_init+0x30/0x1000 [hpoll]')
        lines[-4:-4] = [f"chan K {line}" for line in self.LEAK]
        self.expect(judged(lines), "warn", "[hpoll] (and 1 more)")

    def test_leak_without_a_known_shape(self):
        lines = recorded("pass.report")
        lines.insert(-4, "chan K something new")
        self.expect(judged(lines), "warn", "kmemleak: something new")

    def test_splat_the_guest_did_not_report(self):
        lines = recorded("pass.report")
        lines.insert(-3, "cons [   15.1] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:")
        self.expect(judged(lines), "warn", "rcu: INFO")

    def test_late_verdict_of_a_guest_that_then_hung(self):
        lines = recorded("pass.report")
        lines[lines.index("end 0 0")] = "end 137 1"
        self.expect(judged(lines), "timeout", "time limit")

    def test_lines_of_no_guest_do_not_matter(self):
        stray = ["chan V 1 pass", "cons Kernel panic - not syncing: x", "end 1 1"]
        self.expect(judged(stray + recorded("pass.report") + stray), "pass", "")

    def test_other_guests_do_not_matter(self):
        lines = recorded("pass.report")
        other = [line.replace("smoke", "other") for line in recorded("panic.report")]
        self.expect(judged(other + lines), "pass", "")
        self.expect(judged(lines + other), "pass", "")


class EmulationDied(unittest.TestCase):
    def test_only_before_the_first_word_or_with_the_host(self):
        self.assertTrue(verdict.emulation_died("panic", []))
        self.assertTrue(verdict.emulation_died("no-verdict", [""]))
        self.assertTrue(verdict.emulation_died("lab-error", ["I release 6.12", "S load"]))
        self.assertFalse(verdict.emulation_died("panic", ["I release 6.12"]))
        self.assertFalse(verdict.emulation_died("triple-fault", ["I release 6.12"]))
        for outcome in ("pass", "fail", "warn", "timeout"):
            self.assertFalse(verdict.emulation_died(outcome, []), outcome)

    def test_triple_faults_in_the_kernels_image_alone(self):
        text = "ffffffffa3e00000"
        for rips, died in ((["ffffffffa3e848e9"], True), (["ffffffffa3e00000"], True),
                           (["ffffffffc05123f0"], False), (["ffffffffa3dfffff"], False),
                           (["401000"], False), (["ffffffffa3e848e9", "ffffffffc05123f0"], False),
                           ([], False)):
            saw = [f"vcpu 1 reason shutdown rip 0x{rip} info1 0x0" for rip in rips]
            self.assertEqual(verdict.emulation_died("triple-fault", ["S load"], saw, text), died,
                             rips)
            self.assertFalse(verdict.emulation_died("triple-fault", ["S load"], saw, ""))
        self.assertFalse(verdict.emulation_died("triple-fault", ["S load"], ["garbled"], text))

    def boots(self, accel, *outcomes):
        """What the lab does if its boots of one guest end like this."""
        left = list(outcomes)

        def boot(specs, _accel, _log):
            raw = report.Raw(begun=True)
            made = report.result(specs[0], "t", accel, raw, "6.12", 1.0)
            made.verdict.outcome = left.pop(0)
            return [made]

        with mock.patch.object(lab, "_boot", boot), mock.patch.object(progress, "say"):
            found = lab._boot_soundly([spec.GuestSpec("g", ["t"])], accel, None)
        self.assertEqual(left, [])
        return found[0].verdict.outcome, found[0].json["repeated"]

    def test_repeated_twice_and_kept(self):
        outcome, deaths = self.boots("nested", "no-verdict", "pass")
        self.assertEqual((outcome, [d["verdict"] for d in deaths]), ("pass", ["no-verdict"]))
        outcome, deaths = self.boots("tcg", "lab-error", "no-verdict", "panic")
        self.assertEqual((outcome, [d["verdict"] for d in deaths]),
                         ("panic", ["lab-error", "no-verdict"]))
        outcome, deaths = self.boots("nested", "no-verdict", "no-verdict", "no-verdict")
        self.assertEqual((outcome, len(deaths)), ("no-verdict", 2))

    def test_whose_turn_had_not_come_is_booted_twice_yet(self):
        """Two guests; the host dies in the first, then in the second."""
        ends = [{"a": "lab-error", "b": None}, {"a": "pass", "b": "lab-error"}, {"b": "pass"}]
        booted = []

        def boot(specs, accel, log):
            booted.append(([s.name for s in specs], log))
            results = []
            for one in specs:
                ended = ends[len(booted) - 1][one.name]
                made = report.result(one, "t", accel, report.Raw(begun=ended is not None), "6.12",
                                     1.0)
                made.verdict.outcome = ended or "lab-error"
                results.append(made)
            return results

        with mock.patch.object(lab, "_boot", boot), mock.patch.object(progress, "say"):
            found = lab._boot_soundly([spec.GuestSpec(n, ["t"]) for n in "ab"], "nested", "log")
        self.assertEqual(booted, [(["a", "b"], "log"), (["a", "b"], "log/boot-2"),
                                  (["b"], "log/boot-3")])
        self.assertEqual([r.verdict.outcome for r in found], ["pass", "pass"])
        self.assertEqual([[d["verdict"] for d in r.json["repeated"]] for r in found], [["lab-error"]] * 2)

    def test_no_host_at_all_is_not_tried_for_ever(self):
        def boot(specs, accel, _log):
            return [report.result(s, "t", accel, report.Raw(), "6.12", 1.0) for s in specs]

        with mock.patch.object(lab, "_boot", boot), mock.patch.object(progress, "say"):
            found = lab._boot_soundly([spec.GuestSpec(n, ["t"]) for n in "ab"], "nested", None)
        self.assertEqual([r.verdict.outcome for r in found], ["lab-error"] * 2)

    def test_not_repeated(self):
        self.assertEqual(self.boots("nested", "fail"), ("fail", []))
        self.assertEqual(self.boots("kvm", "no-verdict"), ("no-verdict", []))


class Emulator(unittest.TestCase):
    def test_version(self):
        self.assertEqual(emulator.version("QEMU emulator version 7.2.22 (Debian 1:7.2)"), (7, 2))
        self.assertEqual(emulator.version("QEMU emulator version 10.0.2"), (10, 0))
        self.assertEqual(emulator.version("no idea"), (0, 0))
        self.assertLess((7, 2), emulator.SOUND)
        self.assertLess(emulator.SOUND, (10, 0))


class Token(unittest.TestCase):
    def moved(self, replacement):
        return [replacement if line.startswith("chan V ") else line
                for line in recorded("pass.report")]

    def test_places_that_are_not_the_channel(self):
        good = f"V {TOKEN} pass"
        for line in (f"cons {good}", f"chan T {good}", f"chan  {good}", f"chan # {good}",
                     f"chan x{good}", f"qemu {good}", good, f'chan D "{good}"'):
            self.assertFalse(judged(self.moved(line)).passed, line)
        self.assertTrue(judged(self.moved(f"chan {good}")).passed)

    def test_wrong_words(self):
        for line in ("chan V 0000 pass", f"chan V {TOKEN} fail", f"chan V {TOKEN}",
                     f"chan V {TOKEN} passed", f"chan V {TOKEN} pass pass", "chan V  pass",
                     f"chan V {TOKEN[:-1]} pass"):
            result = judged(self.moved(line))
            self.assertEqual(result.verdict.outcome, "fail", line)

    def test_said_twice(self):
        lines = recorded("pass.report")
        at = lines.index(f"chan V {TOKEN} pass")
        self.assertFalse(judged(lines[:at] + ["chan V 1 pass"] + lines[at:]).passed)


class Tap(unittest.TestCase):
    def problem(self, lines, status=0):
        return tap.parse("t", lines, status).problem

    def test_good(self):
        got = tap.parse("t", ["TAP version 13", "1..2", "ok 1 - a", "ok 2"], 0)
        self.assertEqual((got.ok, got.failed, got.skipped, got.problem), (2, 0, 0, ""))

    def test_plan_at_the_end(self):
        self.assertEqual(self.problem(["ok 1", "1..1"]), "")

    def test_not_ok(self):
        got = tap.parse("t", ["1..2", "ok 1", "not ok 2 - the reason"], 0)
        self.assertEqual(got.failures, ["the reason"])
        self.assertEqual(got.problem, "1 failed: the reason")

    def test_todo_may_fail(self):
        self.assertEqual(self.problem(["1..1", "not ok 1 - a # TODO later"]), "")

    def test_skip_is_not_a_pass(self):
        got = tap.parse("t", ["1..2", "ok 1 - gate # SKIP no kvm", "ok 2 # skip"], 0)
        self.assertEqual((got.ok, got.skipped, got.problem), (0, 2, ""))
        self.assertEqual(got.skips, ["gate: no kvm", "no reason given"])

    def test_skip_word_in_a_name_is_no_skip(self):
        self.assertEqual(tap.parse("t", ["1..1", "ok 1 - skip nothing"], 0).ok, 1)

    def test_all_skipped(self):
        got = tap.parse("t", ["1..0 # SKIP needs two CPUs"], 4)
        self.assertEqual((got.skips, got.problem), (["needs two CPUs"], ""))

    def test_status_of_a_skip_needs_a_skip(self):
        self.assertEqual(self.problem(["1..1", "ok 1"], 4), "exit status 4")

    def test_too_few_too_many(self):
        self.assertEqual(self.problem(["1..2", "ok 1"]), "planned 2, ran 1")
        self.assertEqual(self.problem(["1..1", "ok 1", "ok 2"]), "planned 1, ran 2")

    def test_no_plan(self):
        self.assertEqual(self.problem(["ok 1"]), "no plan")
        self.assertEqual(self.problem([]), "no plan")

    def test_status(self):
        self.assertEqual(self.problem(["1..1", "ok 1"], 1), "exit status 1")
        self.assertEqual(self.problem(["1..1", "ok 1"], None), "did not end")

    def test_bail_out(self):
        self.assertEqual(self.problem(["1..1", "ok 1", "Bail out! disk"]), "Bail out! disk")

    def test_what_is_not_a_result(self):
        got = tap.parse("t", ["1..1", "    not ok 1 - sub", "# not ok 2", "okay", "ok 1"], 0)
        self.assertEqual((got.ok, got.failed, got.problem), (1, 0, ""))

    def test_failures_reach_the_verdict(self):
        for replaced, reason in ((("chan T ok 2 - slept", "chan T not ok 2 - slept"), "slept"),
                                 (("chan T ok 2 - slept", "chan T # nothing"), "planned 3"),
                                 (("chan E smoke 0", "chan E smoke 1"), "exit status 1"),
                                 (("chan E smoke 0", "chan T #"), "did not end")):
            lines = recorded("pass.report")
            lines[lines.index(replaced[0])] = replaced[1]
            result = judged(lines)
            self.assertEqual(result.verdict.outcome, "fail")
            self.assertIn(reason, result.verdict.reason)

    def test_missing_test(self):
        result = judged(recorded("pass.report"), tests=("smoke", "other"))
        self.assertIn("1 of 2 tests ran", result.verdict.reason)
        self.assertFalse(result.passed)

    def test_no_test(self):
        lines = ["begin smoke", f"chan V {TOKEN} pass", "end 0 0"]
        self.assertEqual(judged(lines, tests=()).verdict.reason, "no test ran")


class Exits(unittest.TestCase):
    def test_svm(self):
        phases = judged(recorded("pass.report")).phases
        self.assertEqual(phases["sleepy"], {
            "exits": {"CPUID": 66, "IO": 71, "INTR_WINDOW": 506, "INTR": 674, "HLT": 780,
                      "MSR": 1851},
            "host_cpu_ticks": 496, "host_cpu_ns": 4995023766, "host_ms": 3830,
            "ns": 3415650772, "times": 1})

    def test_svm_page_fault_and_pause(self):
        self.assertEqual([exits.name(2, n) for n in (1024, 119, 120, 124, 0, 0x4e, 127)],
                         ["NPF", "PAUSE", "HLT", "MSR", "CR", "EXCEPTION", "SHUTDOWN"])

    def test_vmx(self):
        # MSR reads and writes are one; a flag above the basic reason is dropped.
        self.assertEqual(exits.parse(recorded("vmx.hist")), {
            "PAUSE": 12, "MSR": 1107, "NPF": 3, "INTR": 300, "HLT": 5310, "isa1:99": 3})

    def test_same_number_other_vendor(self):
        self.assertEqual(exits.name(1, 12), "HLT")
        self.assertNotEqual(exits.name(2, 12), "HLT")

    def test_not_countable_is_null_not_zero(self):
        result = judged(recorded("hidden.report"))
        self.assertTrue(result.passed)
        self.assertIsNone(result.phases["sleepy"]["exits"])
        self.assertIn("no tracepoint", result.json["exits_missing"])
        self.assertEqual(result.json["tsc_khz"], 2096026)

    def test_repeated_phase_is_summed(self):
        phase = judged(recorded("hidden.report")).phases["sleepy"]
        self.assertEqual((phase["times"], phase["host_cpu_ticks"], phase["host_cpu_ns"],
                          phase["host_ms"], phase["ns"]), (2, 11, 110000000, 150, None))

    def test_open_phase_is_not_reported(self):
        self.assertEqual(judged(recorded("panic.report")).phases, {})


class Data(unittest.TestCase):
    def test_data(self):
        result = judged(recorded("pass.report"))
        self.assertEqual(result.data, [{"a": 1, "b": [1, 2]}])
        self.assertEqual(result.json["data"][0]["test"], "smoke")

    def test_bad_json_is_kept(self):
        lines = recorded("pass.report")
        lines[lines.index('chan D {"a": 1, "b": [1,2]}')] = 'chan D {"a": '
        self.assertEqual(judged(lines).data, [{"bad_json": '{"a": '}])

    def test_facts(self):
        about = judged(recorded("pass.report")).json
        self.assertEqual((about["kernel"], about["clocksource"], about["accel"]),
                         ("6.12.117+deb12-cloud-amd64", "kvm-clock", "nested-kvm-on-tcg"))


class Splats(unittest.TestCase):
    SPLATS = (
        "[    1.0] WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2",
        "[    1.0][    T1] WARNING: possible circular locking dependency detected",
        "[    1.0] BUG: kernel NULL pointer dereference, address: 0000000000000000",
        "[    1.0] Oops: 0000 [#1] PREEMPT SMP",
        "[    1.0] general protection fault, probably for non-canonical address",
        "[    1.0] watchdog: BUG: soft lockup - CPU#1 stuck for 22s!",
        "[    1.0] INFO: task insmod:12 blocked for more than 120 seconds.",
        "[    1.0] rcu: INFO: rcu_preempt self-detected stall on CPU",
        "[    1.0] unchecked MSR access error: WRMSR to 0x4b564d05",
        "[    1.0] UBSAN: shift-out-of-bounds in x.c:1:2",
        "BUG: scheduling while atomic: swapper/0/0/0x00000002",
        "[    1.0] kmemleak: Kernel memory leak detector disabled",
        "[    1.0] INFO: lockdep is turned off.",
    )
    HARMLESS = (
        "[    1.0] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on",
        "[    1.0] hrtimer: interrupt took 15898198 ns",
        "[    1.0] kvm [103]: vcpu0, guest rIP: 0xffffffff9769b448 Unhandled WRMSR(0xc0010007)",
        "[    1.0] Failed to access perfctr msr (MSR c0010007 is 0)",
        "[    1.0] reboot: Power down",
        "[    1.0] DEBUG: nothing",
        "[    1.0] kmemleak: Kernel memory leak detector initialized (mem pool available: 15000)",
    )

    def test_python(self):
        for line in self.SPLATS:
            self.assertTrue(verdict.first_splat([line]), line)
        for line in self.HARMLESS:
            self.assertEqual(verdict.first_splat([line]), "", line)

    def test_grep_agrees(self):
        # The guest uses the same list with grep -E.
        with tempfile.NamedTemporaryFile("w", suffix=".splats") as file:
            file.write("\n".join(verdict.SPLATS) + "\n")
            file.flush()
            done = subprocess.run(["grep", "-E", "-f", file.name], text=True, check=False,
                                  input="\n".join(self.SPLATS + self.HARMLESS), capture_output=True)
        self.assertEqual(done.stdout.splitlines(), list(self.SPLATS))


class Unpack(unittest.TestCase):
    def test_two_labs_fetch_one_after_the_other(self):
        at_it, most, made = [], [], []

        def download(wanted, debs, _apt, _whole):
            at_it.append(wanted)
            most.append(len(at_it))
            time.sleep(0.2)
            at_it.pop()
            made.append(debs)

        with tempfile.TemporaryDirectory() as root, \
                mock.patch.dict(os.environ, {"XDG_CACHE_HOME": root}), \
                mock.patch.object(progress, "say", lambda _: None), \
                mock.patch.object(packages, "_download", download):
            labs = [threading.Thread(target=packages.unpack,
                                     args=(["qemu"], os.path.join(root, name), 1))
                    for name in ("one", "two", "one")]
            for lab_ in labs:
                lab_.start()
            for lab_ in labs:
                lab_.join()
            self.assertEqual(sorted(os.listdir(root)), ["hpoll", "one", "two"])
        self.assertEqual(len(made), 3)
        self.assertEqual(max(most), 1)


class Newest(unittest.TestCase):
    """Which of the kept sources is used, and when one is made."""

    def newest(self, kept, version, make=None):
        """The name below root, relative to it; what was made; what was said."""
        made, said = [], []

        def default(target):
            made.append(os.path.basename(os.path.dirname(target)))
            os.makedirs(target)

        with tempfile.TemporaryDirectory() as root:
            for age, name in enumerate(reversed(kept)):
                path = os.path.join(root, name, "source")
                os.makedirs(path)
                os.utime(path, (1e9 - age, 1e9 - age))
            with mock.patch.object(packages, "candidate", lambda _: version), \
                    mock.patch.object(packages, "update", lambda: None), \
                    mock.patch.object(progress, "say", said.append):
                path = sources.newest("linux-source", root, "k", "fetching", make or default,
                                      leaf="source")
            return os.path.relpath(path, root), made, said

    def test_kept(self):
        kept = ["linux-source_2-k", "linux-source_1-k", "linux-source_2-other"]
        self.assertEqual(self.newest(kept, "2"), ("linux-source_2-k/source", [], []))

    def test_newer_is_made(self):
        self.assertEqual(self.newest(["linux-source_1-k"], "2"),
                         ("linux-source_2-k/source", ["linux-source_2-k"], []))

    def test_unknown_to_the_lists(self):
        self.assertEqual(self.newest(["linux-source_1-k", "linux-source_2-k"], ""),
                         ("linux-source_2-k/source", [], []))
        with self.assertRaisesRegex(LabError, "know no linux-source: run apt-get update"):
            self.newest([], "")

    def test_one_that_cannot_be_made(self):
        def fail(_):
            raise LabError("disk full")

        self.assertEqual(self.newest(["linux-source_1-k"], "2", fail),
                         ("linux-source_1-k/source", [],
                          ["disk full; going on with the cached one"]))
        with self.assertRaisesRegex(LabError, "disk full"):
            self.newest([], "2", fail)


class DebugKernel(unittest.TestCase):
    def test_names(self):
        self.assertTrue(debugkernel.knows("6.12-debug"))
        self.assertTrue(debugkernel.knows("6.12.117-debug"))
        for name in ("6.12", "6.12.117+deb12-cloud-amd64", "6.1-debug", "6.12.1-debugger"):
            self.assertFalse(debugkernel.knows(name), name)

    def test_what_kconfig_did_not_take(self):
        config = 'CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_D="-x"\nCONFIG_XY=y\n'
        fragment = '# why\n\nCONFIG_A=y\nCONFIG_C=n\nCONFIG_D="-x"\nCONFIG_X=n\nCONFIG_NEVER_HEARD=n\n'
        self.assertEqual(debugkernel.not_taken(fragment, config), [])
        for line in ("CONFIG_B=y", "CONFIG_C=y", "CONFIG_A=n", 'CONFIG_D="-y"', "CONFIG_E=y"):
            self.assertEqual(debugkernel.not_taken(fragment + line + "\n", config), [line])

    def test_first_error(self):
        self.assertEqual(debugkernel.first_error(
            ["In file included from x.h:1:", "x.c:3:1: error: expected ;",
             "make[1]: *** [x.o] Error 1"]), "x.c:3:1: error: expected ;")
        self.assertIn("No space left", debugkernel.first_error(
            ["fatal: cannot write x.o: No space left on device", "make: *** [x.o] Error 1"]))
        self.assertEqual(debugkernel.first_error(["a", "killed "]), "killed")
        self.assertEqual(debugkernel.first_error([]), "no message")

    def test_what_is_kept(self):
        with tempfile.TemporaryDirectory() as tree:
            def write(name, text="x"):
                path = os.path.join(tree, "linux", name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)

            write("include/config/kernel.release", "6.12.9-debug\n")
            for name in ("arch/x86/boot/bzImage", "modules.builtin", "arch/x86/kernel/msr.ko",
                         ".config", "Makefile", "Kbuild", "Module.symvers", "arch/x86/Makefile",
                         "arch/x86/Makefile.um", "tools/objtool/objtool", "tools/objtool/check.o",
                         "include/linux/list.h", "arch/x86/include/asm/msr.h", "kernel/fork.c",
                         "scripts/mod/modpost", "scripts/mod/modpost.o", "scripts/mod/.x.cmd"):
                write(name)
            debugkernel._keep(os.path.join(tree, "linux"), tree)
            found = sorted(os.path.relpath(os.path.join(folder, name), tree)
                           for folder, _, names in os.walk(tree) for name in names)
        headers = "headers/usr/src/linux-headers-6.12.9-debug/"
        self.assertEqual(found, sorted([
            "image/boot/vmlinuz-6.12.9-debug", "image/lib/modules/6.12.9-debug/modules.builtin",
            "image/lib/modules/6.12.9-debug/msr.ko",
            *(headers + name for name in (
                ".config", "Kbuild", "Makefile", "Module.symvers", "arch/x86/Makefile",
                "arch/x86/Makefile.um", "arch/x86/include/asm/msr.h",
                "include/config/kernel.release", "include/linux/list.h", "scripts/mod/modpost",
                "tools/objtool/objtool"))]))


class Follow(unittest.TestCase):
    """The lab waits for no emulated host that stands still."""

    def follow(self, script, limit=30):
        run = lab._Run.__new__(lab._Run)
        run.accel, run.specs = "tcg", [spec.GuestSpec("a", [])]
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as work, \
                mock.patch.object(run, "work", work, create=True), \
                mock.patch.object(lab, "_limit", lambda *_: 0.2), \
                mock.patch.object(lab, "SILENCE_S", 0.2), \
                machine.running(["sh", "-c", script], None, work) as process:
            found, _ = run.follow(process, limit, mock.Mock())
        return found, time.monotonic() - began

    def test_a_host_that_stands_still_in_a_guest(self):
        found, took = self.follow("echo begin a; sleep 20")
        self.assertEqual(found, ["begin a", "stopped it said nothing more and was given up "
                                 "(no message; is the machine very busy?)"])
        self.assertLess(took, 5)

    def test_a_host_that_stands_still_after_a_guest(self):
        found, took = self.follow("echo begin a; echo end 0 0; sleep 20")
        self.assertEqual(found[:2], ["begin a", "end 0 0"])
        self.assertLess(took, 5)

    def test_a_host_that_ends_in_a_guest(self):
        found, _ = self.follow("echo begin a; exit 3")
        self.assertIn("it ended by itself with status 3", found[-1])
        self.assertIn("ended by itself with status 3", judged(found, name="a").verdict.reason)

    def test_a_host_that_is_killed(self):
        self.assertIn("it was killed by signal 9", self.follow("echo begin a; kill -9 $$")[0][-1])

    def test_the_limit_of_all(self):
        self.assertLess(self.follow("sleep 20", limit=0.2)[1], 5)


class Specs(unittest.TestCase):
    def refused(self, text, **changes):
        values = {"name": "a", "tests": [sys.executable]} | changes
        with self.assertRaises(LabError) as caught:
            spec.GuestSpec(**values).check()
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(caught.exception.code, 2)

    def test_bad_values(self):
        self.refused("cpus", cpus=0)
        self.refused("cpus", cpus="2")
        self.refused("mem", mem=1)
        self.refused("timeout", timeout=0)
        self.refused("bad guest name", name="a b")
        self.refused("bad guest name", name="../a")
        self.refused("no test given", tests=[])
        self.refused("no test", tests=["/nonexistent"])
        self.refused("no test", tests=[RECORDED])
        self.refused("not executable", tests=[os.path.join(RECORDED, "pass.report")])
        self.refused("two tests", tests=[sys.executable, sys.executable])
        self.refused("no file", files=[("/nonexistent", "/x")])
        self.refused("no directory", files_dir="/nonexistent")
        self.refused("no module", modules=["./nonexistent.ko"])

    def test_disk(self):
        self.refused("no disk /nonexistent", disk="/nonexistent")

    def test_turns(self):
        self.refused("turns without exits = false", turns=True)
        for accel, turns, wanted in (("tcg", False, "tcg"), ("tcg", True, "tcg,thread=single"),
                                     ("nested", False, "kvm"), ("kvm", False, "kvm")):
            one = spec.GuestSpec("a", [], turns=turns, exits=not turns)
            self.assertEqual(lab._accel(accel, one), wanted)

    def test_disks_of_the_nested_host(self):
        disks = []
        self.assertEqual([lab._device(disks, name) for name in ("/a", "/b", "/a")],
                         ["/dev/vda", "/dev/vdb", "/dev/vda"])
        self.assertEqual(disks, ["/a", "/b"])

    def test_hidden(self):
        for cpu, hidden in (("", False), ("kvm=off", True), ("-hypervisor", True),
                            ("host,hypervisor=off", True), ("kvm-hint-dedicated=on", False)):
            self.assertEqual(spec.GuestSpec("a", [], cpu=cpu).is_hidden, hidden, cpu)
        self.assertTrue(spec.GuestSpec("a", [], hidden=True).is_hidden)

    def test_model_is_the_lab_s(self):
        self.assertEqual(spec.GuestSpec("a", [], cpu="host, -hypervisor,kvm=off").cpu_flags(),
                         ["-hypervisor", "kvm=off"])

    def plan(self, text, **kw):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return spec.load_plan(path, **kw)

    def test_plan(self):
        text = """
            [[guest]]
            name = "one"
            kernels = ["6.1", "6.12"]
            tests = ["t"]
            cpus = 4
            [[guest]]
            name = "two"
            tests = ["t"]
            files = ["a:/b", "c"]
            modules = ["msr", "x.ko"]
        """
        specs = self.plan(text)
        self.assertEqual([(s.name, s.kernel, s.cpus) for s in specs],
                         [("one-6.1", "6.1", 4), ("one-6.12", "6.12", 4), ("two-6.12", "6.12", 2)])
        self.assertTrue(os.path.isabs(specs[0].tests[0]))
        self.assertEqual([d for _, d in specs[2].files], ["/b", "/lib/hpoll/c"])
        self.assertEqual(specs[2].modules[0], "msr")
        self.assertTrue(os.path.isabs(specs[2].modules[1]))
        self.assertEqual([s.name for s in self.plan(text, only=["one"])], ["one-6.1", "one-6.12"])
        self.assertEqual([s.name for s in self.plan(text, only=["one-6.1"])], ["one-6.1"])

    def test_only_by_a_name_with_dashes(self):
        text = '[[guest]]\nname = "a-b"\nkernels = ["6.12", "6.12-debug"]\ntests = ["t"]'
        for only, found in (("a-b", ["a-b-6.12", "a-b-6.12-debug"]), ("a-b-6.12", ["a-b-6.12"]),
                            ("a-b-6.12-debug", ["a-b-6.12-debug"])):
            self.assertEqual([s.name for s in self.plan(text, only=[only])], found)

    def test_bad_plans(self):
        for text, said in (("[[guest]]\nname=", "not valid TOML"), ("", "declares no"),
                           ("[[guest]]\ntests=[]", "no name"),
                           ('[[guest]]\nname="a"\ncpu_s=1', "unknown key 'cpu_s'")):
            with self.assertRaises(LabError) as caught:
                self.plan(text)
            self.assertIn(said, str(caught.exception))
        with self.assertRaises(LabError):
            self.plan('[[guest]]\nname="a"\ntests=["t"]', only=["b"])
        with self.assertRaises(LabError):
            spec.load_plan("/nonexistent.toml")


class CommandLine(unittest.TestCase):
    def refused(self, *words, said):
        done = subprocess.run([sys.executable, os.path.join(SCRIPTS, "lab"), *words],
                              capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Alab: [^\n]*\n\Z")
        self.assertIn(said, done.stderr)

    def test_bad_arguments(self):
        self.refused(said="--help")
        self.refused("boot", said="invalid choice")
        self.refused("run", said="TEST")
        self.refused("run", "/nonexistent", said="no test /nonexistent")
        self.refused("run", "--cpus", "many", sys.executable, said="--cpus")
        self.refused("run", "--cpus", "0", sys.executable, said="cpus is 0")
        self.refused("run", "--accel", "magic", sys.executable, said="--accel")
        self.refused("kernel", "6.12.1", said="unknown kernel '6.12.1'")
        self.refused("headers", "../../etc", said="unknown kernel")
        self.refused("plan", "/nonexistent.toml", said="cannot read the plan")


class Guest(unittest.TestCase):
    """The guest's helper script, outside a guest and over a fake channel."""

    def lab(self, *words, channel=None):
        env = {k: v for k, v in os.environ.items() if k != "LAB_CHANNEL"}
        if channel:
            env["LAB_CHANNEL"] = channel
        return subprocess.run(["sh", os.path.join(SCRIPTS, "guest", "lab"), *words], env=env,
                              capture_output=True, text=True, check=False, timeout=20)

    def test_silent_outside_the_lab(self):
        for words in (("phase", "begin", "x"), ("phase", "end", "x"), ("data", '{"a": 1}')):
            done = self.lab(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_usage(self):
        for words in ((), ("phase",), ("phase", "begin"), ("phase", "start", "x"),
                      ("phase", "begin", "x", "y"), ("data",), ("data", "a", "b")):
            self.assertEqual(self.lab(*words).returncode, 2, words)

    def test_data_is_one_line(self):
        with tempfile.NamedTemporaryFile() as file:
            self.lab("data", '{\n"a": "\\n"}', channel=file.name)
            self.assertEqual(file.read(), b'D { "a": "\\n"}\n')


class Archives(unittest.TestCase):
    def test_cpio_unpacks(self):
        out = io.BytesIO()
        archive = cpio.Archive(out)
        archive.write("a/b/c", b"abc", 0o755)
        archive.write("a/b/d", b"")
        archive.symlink("bin/sh", "busybox")
        archive.close()
        data = out.getvalue()
        self.assertEqual(len(data) % 4, 0)
        self.assertEqual(data.count(b"070701"), 7)
        names, at = [], 0
        while at < len(data):
            fields = [int(data[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
            mode, size, length = fields[1], fields[6], fields[11]
            name = data[at + 110:at + 110 + length - 1].decode()
            body = at + (110 + length + 3) // 4 * 4
            names.append((name, oct(mode), data[body:body + size]))
            at = body + (size + 3) // 4 * 4
        self.assertEqual(names[:5], [
            ("a", "0o40755", b""), ("a/b", "0o40755", b""), ("a/b/c", "0o100755", b"abc"),
            ("a/b/d", "0o100644", b""), ("bin", "0o40755", b"")])
        self.assertEqual(names[5:], [("bin/sh", "0o120777", b"busybox"), ("TRAILER!!!", "0o0", b"")])

    def test_module_dependencies(self):
        with tempfile.TemporaryDirectory() as root:
            for name, needs in (("kvm-amd", "kvm"), ("kvm", "irqbypass,builtin"), ("irqbypass", "")):
                with open(os.path.join(root, name + ".ko"), "wb") as file:
                    file.write(b"\x7fELF\0license=GPL\0depends=" + needs.encode() + b"\0name=x\0")
            with open(os.path.join(root, "modules.builtin"), "w", encoding="utf-8") as file:
                file.write("kernel/builtin.ko\n")
            self.assertEqual([n for n, _ in kmods.with_dependencies(root, ["kvm_amd", "kvm"])],
                             ["irqbypass", "kvm", "kvm_amd"])
            with self.assertRaises(LabError):
                kmods.with_dependencies(root, ["nothing"])

    def test_scratch_sweeps_the_dead_only(self):
        with tempfile.TemporaryDirectory() as parent:
            dead = os.path.join(parent, "x-4194305-abc")
            alive = os.path.join(parent, f"x-{os.getpid()}-abc")
            other = os.path.join(parent, "y-4194305-abc")
            for path in (dead, alive, other):
                os.mkdir(path)
            with scratch.directory(parent, "x") as path:
                self.assertTrue(os.path.isdir(path))
            self.assertEqual(sorted(os.listdir(parent)), sorted(map(os.path.basename, (alive, other))))


if __name__ == "__main__":
    unittest.main()
