# SPDX-License-Identifier: GPL-2.0-only
"""Boot guests and say how they fared.

    from labkit.lab import run_guests
    from labkit.spec import GuestSpec

    results = run_guests([GuestSpec("hint", ["selftests/latency"], kernel="6.12",
                                    cpu="kvm-hint-dedicated=on")])
    if results[0].passed: ...

Three ways to run them, each with the label that every figure carries:

    kvm                  the machine's own KVM, where it really boots a guest
    nested-kvm-on-tcg    a KVM host inside TCG, which emulates SVM; real exits,
                         about ten times slower than hardware
    tcg                  plain emulation: nothing exits, HLT is nearly free
"""

import contextlib
import os
import secrets
import shlex
import shutil
import subprocess
import tempfile
import time

from . import emulator, images, kernels, machine, packages, progress, report, scratch, verdict
from .errors import LabError
from .spec import GuestSpec

ACCELS = ("auto", "kvm", "nested", "tcg")
LABELS = {"kvm": "kvm", "nested": "nested-kvm-on-tcg", "tcg": "tcg"}

# The outer machine's kernel: the one on which nesting was verified.
HOST_KERNEL = "6.1"
HOST_CPUS = 2
# Without XSAVE, AVX and protection keys can't be used either, but QEMU would still
# announce them. Linux 7.2 uses AVX where it is announced; 5.10 switches keys
# at each context switch, for which QEMU flushes its TLB: a round trip then takes
# four times as long. Five levels of page tables make both tables' walks longer
# and serve nothing here.
HOST_CPU = "max,+svm,+npt,-xsave,-avx,-la57,-pku"
HOST_MB = 1536
HOST_BOOT_S = 240
# Until the first test. On a busy machine a nested boot was seen to take 90 s.
GUEST_BOOT_S = {"kvm": 60, "nested": 240, "tcg": 180}
# Beyond its own limit a guest may take this long to report its console.
REPORT_S = 30
# ... and this long where the emulated host has to notice, whose clock may be slow.
SILENCE_S = 120
TMP_MB = 600
# Seen to die twice in a row of the emulation: one boot in ten does.
MOST_BOOTS = 3

# A panic ends QEMU at once (panic=-1, -no-reboot); it prints the whole log
# first, since "quiet" kept the warnings from the console. Under TCG the timer
# check fails now and then for want of time. A task that hangs ends the guest, too:
# where it and the CPUs stand is only in the log.
APPEND = ("console=ttyS0 quiet panic=-1 panic_on_warn=1 oops=panic panic_print=32 "
          "hung_task_panic=1 sysctl.kernel.hung_task_timeout_secs=60 "
          "sysctl.kernel.hung_task_all_cpu_backtrace=1 "
          "sysctl.kernel.panic_on_rcu_stall=1 no_timer_check rdinit=/init")

# Emulated on cores that others use too, a CPU may stand still for longer than
# the kernel's patience (20 to 30 s). Real stalls are still found, only later.
PATIENT = (" rcupdate.rcu_cpu_stall_timeout=100 watchdog_thresh=60 "
           "workqueue.watchdog_thresh=120")

PROBE = "#!/bin/sh\necho 1..1\necho ok 1 - boots\n"


def _cpu(accel, spec):
    model = "max" if accel == "tcg" else "host"
    return ",".join([model, *spec.cpu_flags()])


def _accel(accel, spec):
    if accel != "tcg":
        return "kvm"
    return "tcg,thread=single" if spec.turns else "tcg"


def _limit(spec, accel):
    return GUEST_BOOT_S[accel] + spec.timeout + REPORT_S


def _prefer_timers(pid):
    """Let the emulated host's timers fire in time, as hardware's do.

    QEMU's main thread fires them and competes with its two CPUs for two cores.
    Where guests poll it loses; ticks then are milliseconds late, and a governor
    that sees an overdue tick (menu) polls as well, which keeps it so.
    """
    with contextlib.suppress(OSError):
        # On Linux this is the one thread, not those that it has started.
        os.setpriority(os.PRIO_PROCESS, pid, -15)


class _Run:
    """One boot of a host, or of the guests on this machine: paths and tokens."""

    def __init__(self, work, specs, accel):
        self.work = work
        self.accel = accel
        self.specs = specs
        self.token = {s.name: secrets.token_hex(8) for s in specs}
        self.release = {s.name: kernels.release(s.kernel) for s in specs}
        self.base = os.path.join(work, "base.cpio")
        images.write_base(self.base)
        for spec in specs:
            images.write_overlay(self.overlay(spec), spec)

    def overlay(self, spec):
        return os.path.join(self.work, f"{spec.name}.cpio")

    def env(self, spec, kernel, base, overlay, qemu, disk):
        return {
            "NAME": spec.name, "KERNEL": kernel, "BASE": base, "OVERLAY": overlay,
            "ACCEL": _accel(self.accel, spec), "CPU": _cpu(self.accel, spec),
            "CPUS": spec.cpus, "MEM": spec.mem, "TIMEOUT": spec.timeout,
            "BOOT_TIMEOUT": GUEST_BOOT_S[self.accel],
            "APPEND": f"{APPEND}{'' if self.accel == 'kvm' else PATIENT} "
                      f"hpoll_lab.token={self.token[spec.name]} "
                      f"hpoll_lab.accel={LABELS[self.accel]} {spec.append}".strip(),
            "HIDDEN": int(spec.is_hidden and self.accel != "tcg"), "EMULATOR": qemu,
            "DISK": disk or "",
        }

    def follow(self, process, limit, waiting):
        """Collect the report, the last line of which says how it ended; say what goes on."""
        found, started, name = [], time.monotonic(), ""
        seconds, began = {}, None
        limits = {s.name: _limit(s, self.accel) for s in self.specs}
        deadline = started + limit
        for line in machine.lines(process, lambda: deadline):
            found.append(line)
            kind, _, rest = line.partition(" ")
            # Who watches over guests in the emulated host stands still where that does.
            if kind in ("begin", "end"):
                deadline = min(started + limit,
                               time.monotonic() + limits.get(rest, 0) + SILENCE_S)
            if kind == "host":
                _prefer_timers(process.pid)
                progress.say(f"KVM host (in TCG) up after {time.monotonic() - started:.0f} s")
            elif kind == "begin":
                name, began = rest, time.monotonic()
                waiting.now(f"booting guest {name}")
            elif kind == "end" and began:
                seconds[name] = time.monotonic() - began
            elif line.startswith("chan S "):
                waiting.now(f"guest {name}: running {line[7:]}")
                progress.say(waiting.text)
        found.append(f"stopped {machine.how_it_stopped(process)} ({_why(self.work)})")
        return found, seconds

    def results(self, found, seconds):
        raw = report.split(found)
        # What ended the lab is the reason for those as well that did not begin.
        never = report.Raw(stopped=found[-1].removeprefix("stopped "))
        return [report.result(s, self.token[s.name], LABELS[self.accel], raw.get(s.name, never),
                              self.release[s.name], seconds.get(s.name)) for s in self.specs]


def _device(disks, path):
    """Which disk of the host's it is; several guests may have the same one."""
    if path not in disks:
        disks.append(path)
    return f"/dev/vd{chr(ord('a') + disks.index(path))}"


def _nested(run, stderr):
    """All guests in one boot of a host inside TCG."""
    guests, disks = [], []
    for spec in run.specs:
        kernel = f"/kernels/{run.release[spec.name]}"
        overlay = f"/overlays/{spec.name}.cpio"
        disk = _device(disks, spec.disk) if spec.disk else None
        guests.append((spec.name, run.env(spec, kernel, "/base.cpio", overlay, images.QEMU, disk),
                       {kernel: kernels.vmlinuz(spec.kernel), "/base.cpio": run.base,
                        overlay: run.overlay(spec)}))
    initrd = os.path.join(run.work, "host.cpio")
    host = kernels.release(HOST_KERNEL)
    images.write_host(initrd, host, guests, ["kvm-amd", *(["virtio_blk"] if disks else [])])
    mem = HOST_MB + max(s.mem for s in run.specs) + 3 * os.path.getsize(initrd) // packages.MB
    command = [
        *emulator.command(), "-accel", "tcg,thread=multi", "-M", "pc", "-cpu", HOST_CPU,
        "-smp", str(HOST_CPUS), "-m", str(mem), "-nodefaults", "-no-user-config",
        "-display", "none", "-no-reboot",
        "-serial", f"file:{os.path.join(run.work, 'host.console')}", "-serial", "stdio",
        "-kernel", kernels.vmlinuz(HOST_KERNEL), "-initrd", initrd,
        "-append", "console=ttyS0 quiet panic=-1 no_timer_check tsc=reliable rdinit=/init"
        + PATIENT]
    for disk in disks:
        command += ["-drive", f"file={disk},format=raw,if=virtio,snapshot=on"]
    limit = HOST_BOOT_S + sum(_limit(s, run.accel) for s in run.specs)
    with machine.running(command, stderr, run.work) as process, \
            progress.slow("booting a KVM host inside TCG") as waiting:
        return run.follow(process, limit, waiting)


def _write_starter(path, command):
    """A program that becomes QEMU. Where its parent is killed outright, it goes too."""
    # The full path, as busybox has an applet of that name that can't do it.
    setpriv = shutil.which("setpriv")
    wrap = [setpriv, "--pdeathsig", "KILL"] if setpriv else []
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec {shlex.join(wrap + command)} "$@"\n')
    os.chmod(path, 0o755)


def _direct(run, stderr):
    """The guests one after the other on this machine."""
    found, seconds = [], {}
    qemu = os.path.join(run.work, "qemu")
    _write_starter(qemu, emulator.command() if run.accel == "tcg" else [images.QEMU])
    for spec in run.specs:
        env = os.path.join(run.work, f"{spec.name}.env")
        with open(env, "w", encoding="utf-8") as file:
            file.write(images.env_text(run.env(spec, kernels.vmlinuz(spec.kernel), run.base,
                                               run.overlay(spec), qemu, spec.disk)))
        command = [packages.busybox(), "sh", images.guest_file("boot-guest"), env]
        with machine.running(command, stderr, run.work) as process, \
                progress.slow(f"booting guest {spec.name}") as waiting:
            lines, took = run.follow(process, _limit(spec, run.accel), waiting)
        found += lines
        seconds.update(took)
    return found, seconds


def _boot(specs, accel, log=None):
    packages.check_space(tempfile.gettempdir(), TMP_MB)
    with scratch.directory() as work, \
            open(os.path.join(work, "stderr"), "wb") as stderr:
        run = _Run(work, specs, accel)
        found, seconds = (_nested if accel == "nested" else _direct)(run, stderr)
        results = run.results(found, seconds)
        if log:
            _keep_logs(log, accel, work, found, results)
        if accel == "nested" and not any(line.startswith("host ") for line in found):
            raise LabError("the KVM host inside TCG did not come up: " + _why(work), code=1)
        return results


def _why(work):
    for name in ("stderr", "host.console"):
        with contextlib.suppress(OSError), \
                open(os.path.join(work, name), encoding="utf-8", errors="replace") as file:
            lines = file.read().strip().splitlines()
            if lines:
                return lines[-1].strip()
    return "no message; is the machine very busy?"


def _keep_logs(log, accel, work, found, results):
    os.makedirs(log, exist_ok=True)
    with open(os.path.join(log, f"{accel}.report"), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in found)
    for name in ("stderr", "host.console"):
        with contextlib.suppress(OSError):
            shutil.copy(os.path.join(work, name), os.path.join(log, f"{accel}.{name}"))
    for result in results:
        for kind in ("channel", "console"):
            path = os.path.join(log, f"{result.name}.{kind}")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in getattr(result, kind))


def probe(kernel="6.12"):
    """(usable, why): does /dev/kvm really boot a guest? A file proves nothing."""
    if not os.path.exists("/dev/kvm"):
        return False, "there is no /dev/kvm"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False, "/dev/kvm may not be opened by this user"
    with scratch.directory() as work:
        test = os.path.join(work, "probe")
        with open(test, "w", encoding="utf-8") as file:
            file.write(PROBE)
        os.chmod(test, 0o755)
        spec = GuestSpec("probe", [test], kernel=kernel, cpus=1, timeout=60)
        found = _boot([spec], "kvm")[0]
    if found.passed:
        return True, "/dev/kvm boots a guest"
    return False, f"/dev/kvm does not boot a guest ({found.verdict.reason})"


def prepare():
    """Have QEMU; busybox and the kernels are fetched when first asked for."""
    if os.uname().machine != "x86_64":
        raise LabError(f"the lab needs an x86_64 machine, this is {os.uname().machine}")
    packages.require(["qemu-system-x86"])


def choose(accel, kernel="6.12"):
    """The accelerator to use, and why."""
    if accel not in ACCELS:
        raise LabError(f"unknown accelerator {accel!r}: choose from {', '.join(ACCELS)}")
    if accel in ("nested", "tcg"):
        return accel, "as asked"
    usable, why = probe(kernel)
    if usable:
        return "kvm", why
    if accel == "kvm":
        raise LabError(f"cannot use kvm: {why}: use --accel nested")
    return "nested", why


def _boot_each_where_it_can(specs, accel, log):
    """Guests that need no exits are emulated plainly rather than nested."""
    plain = [s for s in specs if accel == "nested" and not s.exits]
    rest = [s for s in specs if s not in plain]
    found = {}
    for some, how in ((plain, "tcg"), (rest, accel)):
        if some:
            found.update((r.name, r) for r in _boot_soundly(some, how, log))
    return [found[s.name] for s in specs]


def _boot_soundly(specs, accel, log):
    """Boot; where the emulation died of itself, again, a few times, and openly.

    Emulated kernels now and then die, or take the emulated host with them. That is
    said, and kept in the result as "repeated"; everything else counts as it is. A
    guest whose turn had not come when the host died has not been booted yet.
    """
    found, left, boots = {}, list(specs), 0
    deaths = {spec.name: [] for spec in specs}
    while left:
        boots += 1
        specs_now, left = left, []
        results = _boot(specs_now, accel, log if not log or boots == 1 else
                        os.path.join(log, f"boot-{boots}"))
        stuck = not any(r.begun for r in results)
        for result, spec in zip(results, specs_now):
            judged = result.verdict
            died = accel != "kvm" and verdict.emulation_died(
                judged.outcome, result.channel, result.gave_up, judged.info.get("text", ""))
            if not died or len(deaths[spec.name]) == MOST_BOOTS - 1 or stuck:
                result.json["repeated"] = deaths[spec.name]
                found[spec.name] = result
                continue
            left.append(spec)
            if result.begun:
                progress.say(f"NOTE: guest {spec.name} died of the emulation ({judged.outcome}: "
                             f"{judged.reason}); booting it again")
                deaths[spec.name].append({"verdict": judged.outcome, "reason": judged.reason})
    return [found[s.name] for s in specs]


def run_guests(specs, accel="auto", log=None):
    """Boot `specs` one after the other, and give a GuestResult for each.

    A guest that hangs or panics does not disturb those after it. accel: auto,
    kvm, nested or tcg. log: a directory for the raw logs. Raises LabError
    where no guest could be started at all.
    """
    specs = list(specs)
    for spec in specs:
        spec.check()
        if [s.name for s in specs].count(spec.name) > 1:
            raise LabError(f"two guests are called {spec.name}: rename one")
    prepare()
    for spec in specs:
        with progress.slow(f"looking up kernel {spec.kernel}"):
            kernels.vmlinuz(spec.kernel)
    accel, why = choose(accel, specs[0].kernel)
    if why != "as asked":
        progress.say(f"accelerator: {LABELS[accel]} ({why})")
    try:
        return _boot_each_where_it_can(specs, accel, log)
    except (OSError, subprocess.SubprocessError) as error:
        raise LabError(f"cannot run guests: {error}", code=1) from error
