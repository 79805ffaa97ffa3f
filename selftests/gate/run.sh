#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The gate in a guest that shows KVM's signature.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

# opens REASON GATE
opens() {
	load "gate=$2" || {
		echo "$load_error" >&2
		return 1
	}
	logged "$1" && status_has "reason: $1"
	opens_result=$?
	unload
	return "$opens_result"
}

kvm='hypervisor signature "KVMKVMKVM" at CPUID leaf 0x40000000'
check "gate=auto" opens "$kvm" auto
check "gate=kvm" opens "$kvm" kvm
check "gate=hypervisor" opens "hypervisor bit set in CPUID" hypervisor
check "gate=force" opens "gate=force" force
check "gate=KVMKVMKVM" opens "$kvm" KVMKVMKVM
check "a list with a blank in it" opens "$kvm" '"Microsoft Hv,KVMKVMKVM"'
check "gate=off refuses" refused "No such device" "gate off refuses: gate=off" gate=off
check "a list without KVM refuses" refused "No such device" \
	'no listed signature in CPUID (hypervisor bit set, signature seen: KVMKVMKVM)' \
	gate=VMwareVMware
for bad in kvmm yes 1 "KVMKVMKVM," ",KVMKVMKVM" KVMKVMKVMKVMK AUTO; do
	check "gate=$bad is refused as a mistake" refused "Invalid argument" \
		"gate=$bad is none of" "gate=$bad"
done
check "too many signatures are refused" refused "Argument list too long" "is none of" \
	gate=AAAAAAAAA,BBBBBBBBB,CCCCCCCCC,DDDDDDDDD,EEEEEEEEE,FFFFFFFFF,GGGGGGGGG,HHHHHHHHH,IIIIIIIII

finish
