#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The gate in a guest that can't know that it is one.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

nobody='(hypervisor bit clear, signature seen: none); gate=force loads anyway'
check "gate=auto refuses" refused "No such device" \
	"no known hypervisor signature in CPUID $nobody"
check "gate=kvm refuses" refused "No such device" \
	"no KVM signature in CPUID $nobody" gate=kvm
check "gate=hypervisor refuses" refused "No such device" \
	"hypervisor bit clear in CPUID; gate=force loads anyway" gate=hypervisor
check "a list refuses" refused "No such device" \
	"no listed signature in CPUID $nobody" gate=KVMKVMKVM
check "gate=force loads" load gate=force
check "... with the driver" driver_is hpoll
check "... and the governor" governor_is hpoll
check "... without host-poll control" status_has "host poll: not offered, off on 0 CPUs"
check "unloads" unload

finish
