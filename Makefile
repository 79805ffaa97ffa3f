# SPDX-License-Identifier: GPL-2.0-only
#
# What a person types.
#
#   make                     the module, for the running kernel
#   make KVER=6.12           ... for another one: a full release, or 5.10, 6.1,
#                            6.12 or sid (the newest) for Debian's cloud kernels,
#                            6.12-rt for PREEMPT_RT, 6.12-debug for the lab's own;
#                            what is missing is fetched, or built
#   make KDIR=/path          ... for a kernel build tree
#   make demo                what it gains, in a real guest
#   make check               all tests
#   make kunit               the tests of the pure logic alone
#   make selftests           the tests in guests alone
#   make guest KVER=6.12     what a lab guest needs, below build/guest/
#   make tools               the programs of tools/, into build/
#   make install             module, tools and their settings; PREFIX=/usr/local, DESTDIR=
#   make uninstall           ... and out again
#   make deb                 Debian packages hpoll-dkms and hpoll-tools, in build/deb/
#   make policy-report       the table and picture of Documentation/policy.md
#   make clean
#
# W=1, C=1 and V=1 are handed to the kernel's build.

KVER ?= $(shell uname -r)

# The newest Linux that the kernel matrix has passed on.
TESTED := 7.2

ifndef KDIR
ifneq ($(wildcard /lib/modules/$(KVER)/build/Makefile),)
KDIR := /lib/modules/$(KVER)/build
endif
endif

# Only the goals that compile against a kernel need its headers.
KERNEL_GOALS := all module guest install install-module uninstall
ifneq ($(filter $(KERNEL_GOALS),$(or $(MAKECMDGOALS),all)),)
ifndef KDIR
ifeq ($(KVER),$(shell uname -r))
$(error No headers for the running kernel $(KVER): apt-get install linux-headers-$(KVER), or choose another kernel with KVER= or KDIR=)
endif
KDIR := $(shell scripts/lab headers $(KVER))
ifneq ($(.SHELLSTATUS),0)
$(error No headers for KVER=$(KVER))
endif
endif
ifeq ($(wildcard $(KDIR)/Makefile),)
$(error KDIR=$(KDIR) is no kernel build tree: it has no Makefile)
endif
RELEASE := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
ifeq ($(RELEASE),)
$(error KDIR=$(KDIR) is not configured: it has no include/generated/utsrelease.h)
endif
NEWEST := $(shell printf '%s\n' '$(RELEASE)' $(TESTED) | cut -d . -f 1,2 | sort -V | tail -n 1)
ifneq ($(NEWEST),$(TESTED))
$(info Note: Linux $(NEWEST) is newer than what this hpoll was tested on (up to $(TESTED)).)
$(info If it does not build, look for a newer hpoll. If it does, try it first where a)
$(info crash does no harm. Please report either.)
endif
endif

# One directory per kernel, so that builds for several do not mix: the sources
# are linked into it, the kernel's build leaves its objects beside the links.
OUT := build/module/$(RELEASE)
GUEST := build/guest/$(RELEASE)

KMAKE = $(MAKE) -C $(KDIR)

.PHONY: all module guest demo check kunit selftests tools policy-report deb clean \
	install install-module install-tools install-dkms install-config uninstall

all: module

module:
	@scripts/link-sources $(OUT) ./Kbuild src include
	$(KMAKE) M=$(CURDIR)/$(OUT) modules
	@echo "Built $(OUT)/hpoll.ko for Linux $(RELEASE)"

# What the tests in guests need: modules (hpoll also as a build whose
# steps can be made to fail), static programs, since a guest has no C library,
# and shell libraries. As few runs of the kernel's build as can be: each one
# costs seconds, even with nothing to do.
TEST_MODULES := $(wildcard selftests/*/Kbuild)
TEST_CFLAGS := -O2 -static -Wall -Wextra -Werror -Iinclude
KUNIT = $(shell grep -qs '^CONFIG_KUNIT=' $(KDIR)/.config && echo m)

guest: $(addprefix $(GUEST)/,pingpong replay hammer sleeper kexec_load hpollctl)
	@scripts/link-sources $(OUT) ./Kbuild src include selftests/Kbuild $(dir $(TEST_MODULES)) kunit
	@scripts/link-sources $(OUT)/test ./Kbuild src include
	$(KMAKE) M=$(CURDIR)/$(OUT) CONFIG_HPOLL_SELFTESTS=m CONFIG_HPOLL_KUNIT_TEST=$(KUNIT) modules
	$(KMAKE) M=$(CURDIR)/$(OUT)/test CONFIG_HPOLL_TEST_FAULTS=y modules
	@cp $(OUT)/hpoll.ko $(OUT)/selftests/*/*.ko $(if $(KUNIT),$(OUT)/kunit/*.ko) \
		selftests/lib/*.sh tools/record/hpoll-record $(GUEST)/
	@cp $(OUT)/test/hpoll.ko $(GUEST)/hpoll-test.ko

$(GUEST):
	@mkdir -p $@

$(GUEST)/pingpong: selftests/latency/pingpong.c | $(GUEST)
	$(CC) $(TEST_CFLAGS) -o $@ $^

$(GUEST)/hammer: selftests/nonsense/hammer.c | $(GUEST)
	$(CC) $(TEST_CFLAGS) -o $@ $^

$(GUEST)/sleeper: selftests/lib/sleeper.c | $(GUEST)
	$(CC) $(TEST_CFLAGS) -o $@ $^

$(GUEST)/kexec_load: selftests/kexec/kexec_load.c | $(GUEST)
	$(CC) $(TEST_CFLAGS) -o $@ $^

$(GUEST)/replay: selftests/differential/replay.c src/policy_classic.c | $(GUEST)
	$(CC) $(TEST_CFLAGS) -o $@ $^

TOOLS_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -Wno-missing-field-initializers \
	-D_GNU_SOURCE -Iinclude

REPLAY_ROOMS := $(addprefix src/,policy_classic.c policy_adaptive.c budget.c window.c)

tools: build/hpoll-replay build/hpollctl

build/hpoll-replay: $(wildcard tools/replay/*.[ch]) $(REPLAY_ROOMS) \
		$(wildcard include/hpoll/*.h)
	@mkdir -p $(@D)
	$(CC) $(TOOLS_CFLAGS) -o $@ $(filter %.c,$^) -lm

HPOLLCTL := $(wildcard tools/hpollctl/*.[ch]) include/hpoll/types.h

build/hpollctl: $(HPOLLCTL)
	@mkdir -p $(@D)
	$(CC) $(TOOLS_CFLAGS) -pthread -o $@ $(filter %.c,$^)

# For guests, which have no C library.
$(GUEST)/hpollctl: $(HPOLLCTL) | $(GUEST)
	$(CC) $(TOOLS_CFLAGS) -static -pthread -o $@ $(filter %.c,$^)

policy-report: tools
	@scripts/policy-report

demo:
	@scripts/demo

check:
	@scripts/check

kunit:
	@scripts/check --only kunit

selftests:
	@scripts/check --only guests

# Installing. DESTDIR is put before each path, as packages need it. What an operator
# may have changed is left alone.
VERSION := $(shell sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' src/main.c)
PREFIX ?= /usr/local
MODULE_DIR = $(DESTDIR)/lib/modules/$(RELEASE)/updates
DKMS_DIR = $(DESTDIR)/usr/src/hpoll-$(VERSION)
BIN_DIR = $(DESTDIR)$(PREFIX)/bin
MAN_DIR = $(DESTDIR)$(PREFIX)/share/man/man1
COMPLETION_DIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
CONFIG := modprobe modules-load
PROGRAMS := hpollctl hpoll-record hpoll-replay

install: install-module install-config install-tools
	@echo "Installed for Linux $(RELEASE). It is loaded at boot; to load it now: modprobe hpoll"

# Where the kernel wants signatures: SIGN_KEY and SIGN_CERT, PEM files.
install-module: module
	install -D -m 644 $(OUT)/hpoll.ko $(MODULE_DIR)/hpoll.ko
ifneq ($(SIGN_KEY),)
	$(KDIR)/scripts/sign-file sha256 "$(SIGN_KEY)" "$(SIGN_CERT)" $(MODULE_DIR)/hpoll.ko
endif
	depmod -b "$(DESTDIR)/" $(RELEASE)

install-config:
	@for kind in $(CONFIG); do \
		to="$(DESTDIR)/etc/$$kind.d/hpoll.conf"; \
		[ -e "$$to" ] || install -D -m 644 packaging/$$kind.conf "$$to" || exit; \
	done

install-tools: tools
	install -d $(BIN_DIR) $(MAN_DIR) $(COMPLETION_DIR)
	install build/hpollctl build/hpoll-replay tools/record/hpoll-record $(BIN_DIR)
	install -m 644 $(wildcard tools/*/*.1) $(MAN_DIR)
	install -m 644 tools/hpollctl/hpollctl.bash $(COMPLETION_DIR)/hpollctl

# Where DKMS finds it: "dkms install hpoll/$(VERSION)" is next.
install-dkms:
	install -d $(DKMS_DIR)
	cp -r Kbuild LICENSE dkms.conf src include $(DKMS_DIR)/

uninstall:
	rm -f $(MODULE_DIR)/hpoll.ko $(addprefix $(BIN_DIR)/,$(PROGRAMS)) \
		$(addprefix $(MAN_DIR)/,$(PROGRAMS:=.1)) $(COMPLETION_DIR)/hpollctl \
		$(CONFIG:%=$(DESTDIR)/etc/%.d/hpoll.conf)
	-rmdir $(MODULE_DIR) 2>/dev/null
	depmod -b "$(DESTDIR)/" $(RELEASE)
	@[ -n "$(DESTDIR)" ] || [ ! -d /sys/module/hpoll ] || echo "hpoll is still loaded: rmmod hpoll"

deb:
	@scripts/build-deb

clean:
	rm -rf build
