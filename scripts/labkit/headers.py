# SPDX-License-Identifier: GPL-2.0-only
"""Kernel headers, unpacked in the cache so that modules can be built with them.

    <cache>/kernels/<release>/headers/usr/src/linux-headers-<release>/    KDIR

Where the header packages come from a Debian release whose programs run here,
that is all. Headers of a later one carry build tools (objtool, modpost) that
want its C library, and a configuration made for its compiler; so its compiler
is unpacked with them, and make is run with that release's /usr in place of
ours, in a mount namespace of its own. make finds a GNUmakefile in KDIR that does
that: for whoever builds there it is a KDIR like the others.
"""

import os
import re
import shutil

from . import debugkernel, kernels, packages

HEADERS_MB = 200
WHOLE_MB = 1200
# What Debian's header packages depend on, apart from other kernel packages.
BUILD_PACKAGES = ["gcc", "make", "libc6-dev", "pahole", "libelf1"]
# The same where they are unpacked with a release: all that a build runs.
WHOLE_PACKAGES = ["bash", "coreutils", "dash", "diffutils", "dpkg", "findutils", "grep", "gzip",
                  "make", "mawk", "mount", "perl-base", "sed", "tar"]

# Read by make instead of the Makefile beside it.
BRIDGE = """\
# Written by hpoll's lab. What builds modules for this kernel was made for a
# later Debian release; so make is run with the /usr of that release, which
# nothing else on this machine gets to see.
.PHONY: $(or $(MAKECMDGOALS),all) inside
$(or $(MAKECMDGOALS),all): inside ;
inside:
	+@unshare --mount $(if $(filter-out 0,$(shell id -u)),--map-root-user) \\
		sh -c 'mount --bind "$$1" /usr && shift && exec "$$@"' sh \\
		'{usr}' $(MAKE) --no-print-directory -C {kdir} -f Makefile $(MAKECMDGOALS)
"""


def _needs_whole(full):
    return kernels.suite(full) == kernels.NEWEST


def _edit(path, change):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(change(text))


def own_compiler(text, there):
    """A package's choice of compiler, or plain gcc where that is not `there`. Pure."""
    return re.sub(r"\bgcc-\d+\b", lambda match: match[0] if there(match[0]) else "gcc", text)


def _kdir(full):
    return f"usr/src/linux-headers-{full}"


def _finish(full):
    """Make the tree usable where it will be."""
    def whole(tree, target):
        with open(os.path.join(tree, _kdir(full), "GNUmakefile"), "w", encoding="utf-8") as file:
            file.write(BRIDGE.format(usr=os.path.join(target, "usr"), kdir=f"/{_kdir(full)}"))
        # A link that the package's installation would make.
        os.symlink("mawk", os.path.join(tree, "usr", "bin", "awk"))

    def usual(tree, target):
        # The one place where /usr/src is named.
        _edit(os.path.join(tree, _kdir(full), "Makefile"),
              lambda text: text.replace("/usr/src/", os.path.join(target, "usr", "src") + "/"))
        _edit(os.path.join(tree, _kdir(full), ".kernelvariables"),
              lambda text: own_compiler(text, shutil.which))

    return whole if _needs_whole(full) else usual


def directory(name):
    """The directory for make's KDIR, and what a build there takes."""
    full = kernels.release(name)
    if debugkernel.knows(full):
        packages.require(BUILD_PACKAGES)
        return os.path.join(debugkernel.headers(), _kdir(full))
    whole = _needs_whole(full)
    packages.require(["make"] if whole else BUILD_PACKAGES)
    wanted = re.compile(r"^linux-headers-.*-common(-rt)?$|^linux-kbuild-")

    def names(options):
        if whole:
            return WHOLE_PACKAGES
        return [n for n in packages.depends(f"linux-headers-{full}", options) if wanted.match(n)]
    base = kernels.ensure(full, "headers", names, WHOLE_MB if whole else HEADERS_MB,
                          _finish(full), whole)
    return os.path.join(base, _kdir(full))
