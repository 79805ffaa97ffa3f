# SPDX-License-Identifier: GPL-2.0-only
"""What to boot: one guest, or a plan of several. Checked before anything starts."""

import os
import re
import tomllib
from dataclasses import dataclass, field, replace

from .errors import LabError

NAME = re.compile(r"^[\w.+:-]+$")


@dataclass
class GuestSpec:
    """One guest.

    tests: directories with an executable run.sh, or executables.
    timeout: seconds for all its tests; booting has a limit of its own.
    cpu: flags added to the CPU model, as in "kvm-hint-dedicated=on".
    hidden: the guest can't see a hypervisor, so it is told the TSC's
        frequency; None means: see whether `cpu` hides it.
    files: (source, path in the guest) pairs; files_dir: a directory whose
        content goes to /lib/hpoll.
    modules: loaded before the tests: names of modules of the guest's kernel
        (with what they need), or paths of .ko files.
    next_kernel: its kernel's image goes to /boot/vmlinuz, for tests that go on
        in another kernel.
    disk: an image that is /dev/vda in the guest; what it writes there is dropped.
    turns: its CPUs take turns in one thread: a halt hands over at once, and costs
        little. Only in plain TCG, so not with exits.
    exits: its tests need a hypervisor's exits; if not, plain TCG does instead
        of the nested lab: less to emulate, so less to go wrong.
    """

    name: str
    tests: list
    kernel: str = "6.12"
    cpus: int = 2
    mem: int = 384
    cpu: str = ""
    append: str = ""
    timeout: int = 180
    hidden: bool | None = None
    files: list = field(default_factory=list)
    files_dir: str | None = None
    modules: list = field(default_factory=list)
    next_kernel: bool = False
    disk: str | None = None
    turns: bool = False
    exits: bool = True

    @property
    def is_hidden(self):
        if self.hidden is not None:
            return self.hidden
        flags = self.cpu.replace(" ", "").split(",")
        return "-hypervisor" in flags or "hypervisor=off" in flags or "kvm=off" in flags

    def cpu_flags(self):
        """The flags alone; a leading model (host, max) belongs to the accelerator."""
        flags = [f.strip() for f in self.cpu.split(",") if f.strip()]
        if flags and flags[0] in ("host", "max"):
            flags = flags[1:]
        return flags

    def check(self):
        """Complain about the first thing that can't work."""
        if not NAME.match(self.name):
            raise LabError(f"bad guest name {self.name!r}: use letters, digits and . + : - _")
        for what, low, high in (("cpus", 1, 64), ("mem", 128, 65536), ("timeout", 1, 86400)):
            value = getattr(self, what)
            if not isinstance(value, int) or not low <= value <= high:
                raise LabError(f"guest {self.name}: {what} is {value!r}: "
                               f"give a number from {low} to {high}")
        if not self.tests:
            raise LabError(f"guest {self.name}: no test given: name a directory with a run.sh, "
                           "or an executable")
        seen = set()
        for test in self.tests:
            base = test_name(test)
            if base in seen:
                raise LabError(f"guest {self.name}: two tests are called {base}: rename one")
            seen.add(base)
            runs = os.path.join(test, "run.sh") if os.path.isdir(test) else test
            if not os.path.isfile(runs):
                raise LabError(f"no test {test}: name a directory with a run.sh, or an executable")
            if not os.access(runs, os.X_OK):
                raise LabError(f"{runs} is not executable: chmod +x it")
        for source, _ in self.files:
            if not os.path.exists(source):
                raise LabError(f"no file {source} for the guest: check the path")
        if self.files_dir and not os.path.isdir(self.files_dir):
            raise LabError(f"no directory {self.files_dir} for the guest: build first")
        if self.turns and self.exits:
            raise LabError(f"guest {self.name}: turns without exits = false: CPUs take turns in "
                           "plain TCG alone")
        if self.disk and not os.path.isfile(self.disk):
            raise LabError(f"no disk {self.disk} for the guest: check the path")
        for module in self.modules:
            if is_path(module) and not os.path.isfile(module):
                raise LabError(f"no module {module}: build it first")


def is_path(module):
    return "/" in module or module.endswith(".ko")


def test_name(path):
    return os.path.basename(os.path.normpath(path))


GUEST_KEYS = {"name", "kernels", "cpus", "mem", "cpu", "append", "timeout", "hidden",
              "tests", "files", "modules", "next_kernel", "turns", "exits"}


def read_plan(path):
    """A TOML plan as it is written."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise LabError(f"cannot read the plan {path}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise LabError(f"{path} is not valid TOML: {error}") from error


def load_plan(path, *, files_dir=None, only=None, kernel=None):
    """The guests of a TOML plan, one for each of their kernels.

        matrix = ["6.1", "6.12"]            # for `lab matrix`; not used here

        [[guest]]
        name = "hint"                       # the guest is called hint-6.12
        kernels = ["6.1", "6.12"]           # default ["6.12"]
        cpu = "kvm-hint-dedicated=on"
        tests = ["../selftests/load"]       # relative to the plan
        # also cpus, mem, append, timeout, hidden, exits, modules, files = ["src:dst"]

    files_dir: what goes to /lib/hpoll; "{release}" in it is the guest's kernel.
    kernel: every guest with this one, whatever the plan says; but those made for
        kernels that are not in the matrix.
    """
    plan = read_plan(path)
    base = os.path.dirname(os.path.abspath(path))

    def local(name):
        return os.path.normpath(os.path.join(base, name))

    specs = []
    for entry in plan.get("guest", []):
        unknown = set(entry) - GUEST_KEYS
        if unknown:
            raise LabError(f"{path}: unknown key {sorted(unknown)[0]!r} in guest "
                           f"{entry.get('name', '?')!r}: known are {', '.join(sorted(GUEST_KEYS))}")
        if "name" not in entry:
            raise LabError(f"{path}: a guest has no name: give it one")
        rest = {k: v for k, v in entry.items() if k not in ("name", "kernels", "tests",
                                                            "files", "modules")}
        spec = GuestSpec(
            name=entry["name"], tests=[local(t) for t in entry.get("tests", [])],
            files=[(local(s), d) for s, d in map(split_file, entry.get("files", []))],
            modules=[local(m) if is_path(m) else m for m in entry.get("modules", [])], **rest)
        if kernel and not set(entry.get("kernels", plan["matrix"])) & set(plan["matrix"]):
            continue
        for name in [kernel] if kernel else entry.get("kernels", ["6.12"]):
            specs.append(replace(spec, name=f"{entry['name']}-{name}", kernel=name,
                                 files_dir=files_dir))
    if only:
        specs = [s for s in specs
                 if s.name in only or s.name.removesuffix(f"-{s.kernel}") in only]
        if not specs:
            raise LabError(f"{path} has no guest called {' or '.join(only)}: see the plan")
    if not specs:
        raise LabError(f"{path} declares no [[guest]]: add one")
    return specs


def split_file(text):
    """"SRC[:DST]" -> (source, path in the guest); default: /lib/hpoll/<name>."""
    source, _, target = text.partition(":")
    return source, target or "/lib/hpoll/" + os.path.basename(source)
