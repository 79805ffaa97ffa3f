# SPDX-License-Identifier: GPL-2.0-only
"""hpollctl, built with sanitizers, over trees of files as a guest has them."""

import glob
import json
import os
import pty
import shutil
import subprocess
import tempfile
import unittest

import sanitized
from labkit.cli import TOP

PARAMETERS = {
    "guest_halt_poll_ns": "200000", "guest_halt_poll_grow": "2", "guest_halt_poll_shrink": "2",
    "guest_halt_poll_grow_start": "50000", "guest_halt_poll_allow_shrink": "Y",
    "policy": "adaptive", "halt_cost_ns": "0", "poll_budget_pct": "1", "gate": "auto",
}
STATUS = """\
active: yes
mode: own driver
driver: hpoll
governor: hpoll
cpus: 2 of 2 online
gate: auto
reason: hypervisor signature "KVMKVMKVM" at CPUID leaf 0x40000000
host poll: controlled, off on 2 CPUs
halt cost: 40000 to 52000 ns, measured on 2 CPUs
"""
CPUS = """\
cpu window_ns halt_cost_ns hits misses halts refused preempted polled_ns vain_ns halted_ns budget_ns strain
0 114688 40000 6000 100 4000 50 0 240000000 4000000 900000000 100000 0
1 0 52000 0 0 0 0 0 0 0 0 0 0
"""
LENGTHS = "from_ns cpu0 cpu1\n0 0 0\n1024 5 1\n2048 0 0\n4096 10 3\n8192 0 0\n"


def setUpModule():
    # pylint: disable=global-statement
    global FOLDER, TOOL
    FOLDER = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, FOLDER)
    TOOL = os.path.join(FOLDER, "hpollctl")
    sanitized.build(TOOL, *glob.glob("tools/hpollctl/*.c", root_dir=TOP), "-pthread")


class Guest(unittest.TestCase):
    """A guest whose files can be changed."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        for name, value in PARAMETERS.items():
            self.put(f"sys/module/hpoll/parameters/{name}", value + "\n")
        self.put("sys/module/hpoll/parameters/status", STATUS)
        self.put("sys/kernel/debug/hpoll/cpus", CPUS)
        self.put("sys/kernel/debug/hpoll/lengths", LENGTHS)
        self.put("sys/devices/system/cpu/cpuidle/current_driver", "hpoll\n")
        self.put("sys/devices/system/cpu/cpuidle/current_governor", "hpoll\n")
        self.put("sys/devices/system/cpu/online", "0-1\n")
        self.put("proc/cmdline", "root=/dev/vda1 ro quiet\n")
        self.put("proc/stat", "cpu  100 0 50 800 0 0 0 10 0 0\n")
        self.put("cpuid", "hypervisor KVMKVMKVM poll-control dedicated\n")
        self.put("dmesg", "[    1.0] hpoll: loaded: mode own driver\n")

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def get(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def status(self, **lines):
        found = dict(line.split(": ", 1) for line in STATUS.splitlines())
        found.update({key.replace("_", " "): value for key, value in lines.items()})
        self.put("sys/module/hpoll/parameters/status",
                 "".join(f"{key}: {value}\n" for key, value in found.items()))

    def unload(self):
        shutil.rmtree(os.path.join(self.root, "sys/module/hpoll"))
        shutil.rmtree(os.path.join(self.root, "sys/kernel/debug/hpoll"))

    def run_tool(self, *words, status=0):
        done = subprocess.run([TOOL, f"--root={self.root}", *words], capture_output=True,
                              text=True, check=False, env=dict(os.environ, COLUMNS="80"))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status in (0, 1) and done.stdout else done.stderr

    def json(self, *words, status=0):
        return json.loads(self.run_tool("--json", *words, status=status))


class Arguments(Guest):
    def refused(self, text, *words):
        self.assertIn(text, self.run_tool(*words, status=2))

    def test_bad_ones(self):
        self.refused("no command")
        self.refused("there is no command stat", "stat")
        self.refused("hpollctl --help", "--jsn", "status")
        self.refused("status takes no argument, such as all", "status", "all")
        self.refused("doctor takes no argument", "doctor", "-v")
        self.refused("-d 0: expected a whole number from 1", "top", "-d", "0")
        self.refused("-n x: expected", "top", "-n", "x")
        self.refused("usage: hpollctl top", "top", "-q")
        self.refused("-d 1x: expected", "histogram", "-d", "1x")
        self.refused("do without --root", "bench")
        self.refused("-c 0,0: expected two different CPUs", "bench", "-c", "0,0")
        self.refused("-c 1: expected two different CPUs", "bench", "-c", "1")
        self.refused("-r 0: expected", "bench", "-r", "0")
        self.refused("no JSON", "--json", "record")

    def test_help(self):
        for command in ("status", "top", "histogram", "tune", "doctor", "bench", "record"):
            self.assertIn(command, self.run_tool("--help"))


class Status(Guest):
    def test_active(self):
        text = self.run_tool("status")
        self.assertIn("active: yes\n", text)
        self.assertRegex(text, r"\n +0 +115 us +40\.0 us +6000 +4000 +60\.0 ")

    def test_json(self):
        found = self.json("status")
        self.assertTrue(found["active"])
        self.assertEqual(found["status"]["reason"],
                         'hypervisor signature "KVMKVMKVM" at CPUID leaf 0x40000000')
        self.assertEqual(found["cpus"][0]["vain_ns"], 4000000)

    def test_not_loaded(self):
        self.unload()
        self.assertIn("hpoll is not loaded", self.run_tool("status", status=1))
        self.assertFalse(self.json("status", status=1)["loaded"])

    def test_not_active(self):
        self.status(active="no, another governor is current")
        self.assertIn("active: no", self.run_tool("status", status=1))

    def test_without_counters(self):
        shutil.rmtree(os.path.join(self.root, "sys/kernel/debug"))
        self.assertIn("active: yes", self.run_tool("status"))
        self.assertNotIn("cpus", self.json("status"))

    def test_damaged_tables(self):
        for text in ("", "\n", "cpu hits\n0\n", "cpu hits\n0 1 2\n", "cpu hits\n0 x\n",
                     "cpu hits\n0 99999999999999999999999\n"):
            self.put("sys/kernel/debug/hpoll/cpus", text)
            self.assertIn("of another version", self.run_tool("top", "-n", "1", status=3))


class Top(Guest):
    def test_in_a_pipe(self):
        text = self.run_tool("top", "-n", "1")
        self.assertNotIn("\033", text)
        self.assertEqual(text.count("\n"), 4)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()[1:]), text)

    def test_json(self):
        found = self.json("top", "-n", "1")
        self.assertEqual([cpu["cpu"] for cpu in found["cpus"]], [0, 1])
        self.assertEqual(found["cpus"][0]["hits_per_s"], 0)

    def test_a_terminal(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([TOOL, f"--root={self.root}", "top", "-n", "1"],
                              stdout=theirs) as process:
            os.close(theirs)
            text = b""
            try:
                while data := os.read(ours, 4096):
                    text += data
            except OSError:
                pass
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"\033[H", text)

    def test_not_loaded(self):
        self.unload()
        self.assertIn("hpoll is not loaded", self.run_tool("top", status=1))


class Histogram(Guest):
    def test_text(self):
        text = self.run_tool("histogram")
        self.assertRegex(text, r"1\.0 us and longer +6 +31\.6%")
        self.assertIn("19 idle periods", text)
        self.assertEqual(len(text.splitlines()), 4, "nothing above and below what there is")

    def test_json(self):
        self.assertEqual(self.json("histogram")["lengths"][3], {"from_ns": 4096, "periods": 13})

    def test_nothing_meanwhile(self):
        self.assertIn("no idle period", self.run_tool("histogram", "-d", "1"))


class Tune(Guest):
    def value(self, name):
        return self.get(f"sys/module/hpoll/parameters/{name}").strip()

    def test_sets(self):
        text = self.run_tool("tune", "guest_halt_poll_ns=100000", "policy=classic")
        self.assertIn("guest_halt_poll_ns: 200000 -> 100000\n", text)
        self.assertEqual(self.value("policy"), "classic")

    def test_json(self):
        self.assertEqual(self.json("tune", "poll_budget_pct=2"),
                         {"poll_budget_pct": {"old": "1", "now": "2"}})

    def test_shows(self):
        self.assertEqual(len(self.run_tool("tune").splitlines()), len(PARAMETERS) - 1)
        self.assertEqual(self.json("tune")["policy"], {"now": "adaptive"})

    def test_bad_values_change_nothing(self):
        for bad, says in (("guest_halt_poll_ns=200us", "expected a whole number"),
                          ("guest_halt_poll_ns=4294967296", "to 4294967295"),
                          ("guest_halt_poll_ns=", "expected a whole number"),
                          ("guest_halt_poll_ns=-1", "expected a whole number"),
                          ("poll_budget_pct=0", "from 1 to 100"),
                          ("policy=fast", "one of: adaptive classic"),
                          ("policy=", "one of"), ("policy=adaptive classic", "one of"),
                          ("guest_halt_poll_allow_shrink=maybe", "one of"),
                          ("gate=force", "set at load alone"), ("status=x", "no parameter status"),
                          ("guest_halt=1", "no parameter guest_halt;"), ("policy", "NAME=VALUE"),
                          ("-x", "usage")):
            for words in ((bad,), ("halt_cost_ns=5", bad)):
                if bad == "-x" and len(words) > 1:
                    continue
                self.assertIn(says, self.run_tool("tune", *words, status=2))
                self.assertEqual(self.value("halt_cost_ns"), "0")

    def test_what_was_written_is_taken_back(self):
        path = os.path.join(self.root, "sys/module/hpoll/parameters/policy")
        os.unlink(path)
        os.symlink("/proc/self/oom_score_adj", path)
        text = self.run_tool("tune", "halt_cost_ns=5", "policy=classic", status=3)
        self.assertIn("nothing was changed", text)
        self.assertEqual(self.value("halt_cost_ns"), "0")

    def test_not_loaded(self):
        self.unload()
        self.assertIn("hpoll is not loaded", self.run_tool("tune", "policy=classic", status=1))


class Doctor(Guest):
    """A guest for each cause; more of them are made in the lab."""

    def finds(self, check, level, says, next_step=None):
        found = self.json("doctor", status=level == "trouble")
        self.assertEqual(found["trouble"], level == "trouble")
        mine = [f for f in found["findings"] if f["check"] == check]
        self.assertEqual(len(mine), 1, found)
        self.assertEqual(mine[0]["level"], level)
        self.assertIn(says, mine[0]["says"] + "; " + mine[0]["evidence"])
        if next_step:
            self.assertIn(next_step, mine[0]["next"])

    def silent(self, check):
        found = self.json("doctor")
        self.assertNotIn(check, [f["check"] for f in found["findings"]])

    def test_all_is_well(self):
        found = self.json("doctor")
        self.assertEqual({f["level"] for f in found["findings"]}, {"ok"})
        text = self.run_tool("doctor")
        self.assertIn("ok       CPUs poll through it", text)
        self.assertNotIn("to do:", text)

    def test_not_loaded(self):
        self.unload()
        self.put("dmesg", "[ 1.0] Linux\n")
        self.finds("loaded", "trouble", "no word of it in the kernel log", "modprobe hpoll")

    def test_refused_by_the_gate(self):
        self.unload()
        self.put("dmesg", "[ 1.0] hpoll: not loaded: gate off refuses: off\n"
                 "[ 2.0] hpoll: not loaded: gate auto refuses: no hypervisor is to be seen\n")
        self.put("cpuid", "\n")
        self.finds("loaded", "trouble", "gate auto refuses: no hypervisor", "gate=force")

    def test_a_refusal_that_no_gate_helps_against(self):
        self.unload()
        for reason in ("cpuidle is disabled; boot without cpuidle.off=1",
                       "idle loop overridden by idle=poll on the kernel command line; boot without it"):
            self.put("dmesg", f"[ 1.0] hpoll: not loaded: gate auto refuses: {reason}\n")
            self.finds("loaded", "trouble", reason, "boot without that option")

    def test_a_refusal_before_the_last_load(self):
        self.unload()
        self.put("dmesg", "hpoll: not loaded: gate off refuses: off\nhpoll: loaded: mode fused\n")
        self.finds("loaded", "trouble", "hpoll is not loaded", "modprobe hpoll")

    def test_the_slot_is_taken(self):
        self.unload()
        self.put("dmesg", "hpoll: not loaded: the cpuidle driver is intel_idle, "
                 "whose state 0 does not poll\n")
        self.finds("loaded", "trouble", "intel_idle", "intel_idle.max_cstate=0")

    def test_another_governor(self):
        self.status(active="no, another governor is current; to change that: echo")
        self.put("sys/devices/system/cpu/cpuidle/current_governor", "menu\n")
        self.finds("active", "trouble", "current_governor is menu", "echo hpoll >")

    def test_no_driver(self):
        self.status(active="no, no cpuidle driver is registered any more; load again")
        self.finds("active", "trouble", "not active", "rmmod hpoll")

    def test_a_driver_that_does_not_poll(self):
        self.status(active="no, the cpuidle driver has no state that polls")
        self.put("sys/devices/system/cpu/cpuidle/current_driver", "acpi_idle\n")
        self.finds("active", "trouble", "driver: acpi_idle", "boot without the driver")

    def test_some_cpus(self):
        self.status(cpus="1 of 2 online")
        self.finds("cpus", "trouble", "1 of 2")

    def test_hidden(self):
        self.put("cpuid", "\n")
        self.finds("hypervisor", "note", "no hypervisor bit", "-hypervisor")

    def test_no_hint(self):
        self.put("cpuid", "hypervisor KVMKVMKVM poll-control\n")
        self.silent("haltpoll")
        self.unload()
        self.put("dmesg", "")
        found = self.json("doctor", status=1)
        self.assertIn("haltpoll", [f["check"] for f in found["findings"]])

    def test_host_polls(self):
        self.put("cpuid", "hypervisor KVMKVMKVM dedicated\n")
        self.finds("host-poll", "note", "POLL_CONTROL", "kvm-poll-control=on")

    def test_another_hypervisor(self):
        self.put("cpuid", "hypervisor signature=XenVMMXenVMM\n")
        self.finds("hypervisor", "ok", "XenVMMXenVMM")
        self.silent("host-poll")

    def test_cheap_halts(self):
        self.put("sys/kernel/debug/hpoll/cpus",
                 CPUS.replace("40000 ", "400 ").replace("52000", "900"))
        self.finds("halt-cost", "note", "next to nothing", "cpu-pm=on")

    def test_one_cpu(self):
        self.put("sys/devices/system/cpu/online", "0\n")
        self.finds("one-cpu", "note", "no other can wake it")

    def test_lists_of_cpus(self):
        for text, single in (("0-3,5\n", False), ("3\n", True), ("0,2\n", False), ("", False)):
            self.put("sys/devices/system/cpu/online", text)
            found = [f["check"] for f in self.json("doctor")["findings"]]
            self.assertEqual("one-cpu" in found, single, text)

    def test_steal(self):
        self.put("proc/stat", "cpu  100 0 50 800 0 0 0 200 0 0\n")
        self.finds("steal", "trouble", "17% of the time is stolen", "pinned")

    def test_command_line(self):
        for word in ("idle=poll", "idle=halt", "nohlt", "cpuidle.off=1"):
            self.put("proc/cmdline", f"ro {word} quiet\n")
            self.finds("command-line", "trouble", word, "command line")
        self.put("proc/cmdline", "ro foo.idle=poll nohltx\n")
        self.silent("command-line")

    def test_budget(self):
        self.put("sys/kernel/debug/hpoll/cpus", CPUS.replace(" 50 0 2", " 9000 0 2"))
        self.finds("use", "note", "9000 of 10000", "poll_budget_pct")

    def test_nothing_to_gain(self):
        self.put("sys/kernel/debug/hpoll/cpus", CPUS.replace("6000", "6"))
        self.finds("use", "note", "6 of 4006", "histogram")

    def test_an_empty_tree(self):
        shutil.rmtree(self.root)
        os.mkdir(self.root)
        found = self.json("doctor", status=1)
        self.assertEqual(found["findings"][0]["check"], "loaded")


if __name__ == "__main__":
    unittest.main()
