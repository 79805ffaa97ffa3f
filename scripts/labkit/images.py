# SPDX-License-Identifier: GPL-2.0-only
"""Initramfs images, for guests and for the outer machine of the nested lab.

They are written afresh for each run: that takes a fraction of a second, and
a cached image would be one more thing that can be stale.
"""

import os
import shlex
import subprocess

from . import cpio, kernels, kmods, packages, verdict
from .errors import LabError
from .spec import is_path, test_name

GUEST_FILES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "guest")
QEMU = "qemu-system-x86_64"

# What QEMU reads to boot a kernel directly; it looks in these directories.
FIRMWARE_DIRS = ("/usr/share/seabios", "/usr/share/qemu", "/usr/lib/ipxe/qemu")
FIRMWARE = ("bios-256k.bin", "kvmvapic.bin", "linuxboot.bin", "linuxboot_dma.bin")


def guest_file(name):
    return os.path.join(GUEST_FILES, name)


def _busybox(archive):
    path = packages.busybox()
    archive.add("bin/busybox", path)
    applets = subprocess.run([path, "--list"], capture_output=True, text=True, check=True).stdout
    for applet in applets.split():
        if applet != "busybox":
            archive.symlink(f"bin/{applet}", "busybox")
    archive.symlink("sbin", "bin")
    for path in ("proc", "sys", "dev", "tmp", "run", "root", "etc"):
        archive.mkdir(path)
    archive.chardev("dev/console", 5, 1)


def _modules(archive, loads):
    """Modules that the init inserts, in this order."""
    for number, (name, data) in enumerate(loads):
        archive.write(f"lib/lab-modules/{number:02}-{name}.ko", data)


def write_base(path):
    """What every guest has."""
    with open(path, "wb") as out:
        archive = cpio.Archive(out)
        _busybox(archive)
        archive.add("init", guest_file("init"))
        archive.add("bin/lab", guest_file("lab"))
        archive.write("etc/lab/splats", ("\n".join(verdict.SPLATS) + "\n").encode())
        archive.close()


def write_overlay(path, spec):
    """What this guest has: its tests, their files, its modules."""
    with open(path, "wb") as out:
        archive = cpio.Archive(out)
        for test in spec.tests:
            name = test_name(test)
            if os.path.isdir(test):
                archive.add_tree(f"tests/{name}", test)
            else:
                archive.add(f"tests/{name}", test)
        archive.write("etc/lab/tests", "".join(f"{test_name(t)}\n" for t in spec.tests).encode())
        archive.mkdir("lib/hpoll")
        if spec.files_dir:
            archive.add_tree("lib/hpoll", spec.files_dir)
        for source, target in spec.files:
            if os.path.isdir(source):
                archive.add_tree(target, source)
            else:
                archive.add(target, source)
        if spec.next_kernel:
            archive.add("boot/vmlinuz", kernels.vmlinuz(spec.kernel))
        _modules(archive, _guest_modules(spec))
        archive.close()


def _guest_modules(spec):
    loads, seen = [], set()
    for module in spec.modules:
        if is_path(module):
            with open(module, "rb") as file:
                fresh = [(os.path.basename(module).removesuffix(".ko"), file.read())]
        else:
            fresh = kmods.with_dependencies(kernels.modules_dir(spec.kernel), [module])
        loads += [(name, data) for name, data in fresh if name not in seen]
        seen.update(name for name, _ in fresh)
    return loads


def env_text(values):
    return "".join(f"{key}={shlex.quote(str(value))}\n" for key, value in values.items())


def _libraries(binary):
    """Paths of the shared libraries that ldd names, the loader included."""
    out = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False).stdout
    found = []
    for line in out.splitlines():
        if "not found" in line:
            raise LabError(f"{binary} lacks {line.split()[0]}: reinstall qemu-system-x86")
        found += [word for word in line.split() if word.startswith("/")][:1]
    return found


def write_host(path, release, guests, modules):
    """The outer machine: KVM, QEMU and everything that `guests` need.

    guests: [(name, env values, files)], files: {path in the outer: source}.
    modules: names of kernel modules that it loads.
    """
    with open(path, "wb") as out:
        archive = cpio.Archive(out)
        _busybox(archive)
        archive.add("init", guest_file("host-init"))
        archive.add("bin/boot-guest", guest_file("boot-guest"))
        _modules(archive, kmods.with_dependencies(kernels.modules_dir(release), modules))
        binary = _which(QEMU)
        archive.add(f"usr/bin/{QEMU}", binary)
        for library in _libraries(binary):
            archive.add(library, library)
        for name in FIRMWARE:
            source = next((os.path.join(d, name) for d in FIRMWARE_DIRS
                           if os.path.exists(os.path.join(d, name))), None)
            if not source:
                raise LabError(f"QEMU's firmware {name} is missing: reinstall seabios "
                               "and qemu-system-data")
            archive.add(f"usr/share/qemu/{name}", source)
        written = set()
        for number, (_, values, files) in enumerate(guests):
            for target, source in files.items():
                if target not in written:
                    archive.add(target, source)
                    written.add(target)
            # Numbers keep the order; the outer init takes what the shell's * gives.
            archive.write(f"guests/{number:03}/env", env_text(values).encode())
        archive.close()


def _which(command):
    for folder in ("/usr/bin", "/usr/local/bin"):
        path = os.path.join(folder, command)
        if os.access(path, os.X_OK):
            return path
    raise LabError(f"{command} is missing: run as root: apt-get install qemu-system-x86")
