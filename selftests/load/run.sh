#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Loading and unloading, in a guest whose driver slot is free.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

before=$(cat $cpuidle/current_governor)

every_cpu_has_states() {
	for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		reads "$cpu/cpuidle/state0/name" POLL || return 1
		reads "$cpu/cpuidle/state1/name" HLT || return 1
	done
}

no_cpu_has_states() {
	! ls -d /sys/devices/system/cpu/cpu[0-9]*/cpuidle/state* 2>/dev/null
}

# The signature that this guest's hypervisor shows. Plain emulation has its own.
signature() {
	case $(accel) in
	tcg) echo TCGTCGTCGTCG ;;
	*) echo KVMKVMKVM ;;
	esac
}

check "no driver before" driver_is none
check "loads" load
check "the log says how, in one line" logged "loaded: mode own driver, driver hpoll, governor hpoll, window 0 to 200000 ns, gate auto: hypervisor signature \"$(signature)\" at CPUID leaf 0x40000000"
check "driver is hpoll" driver_is hpoll
check "governor is hpoll" governor_is hpoll
check "every CPU has POLL and HLT" every_cpu_has_states
check "status: active" status_has "active: yes"
check "status: mode" status_has "mode: own driver"
check "status: gate" status_has "gate: auto"

not_twice() {
	! load
}
check "does not load twice" not_twice

uses_both_states() {
	poll=$(usage 0)
	halt=$(usage 1)
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 200 >/dev/null
	sleep 1
	[ "$(usage 0)" -gt "$poll" ] && [ "$(usage 1)" -gt "$halt" ]
}
check "CPUs poll and halt" uses_both_states

check "unloads" unload
check "no driver after" driver_is none
check "the governor before is current again" governor_is "$before"
not_listed() {
	! governor_listed hpoll
}
check "hpoll is not offered as governor any more" not_listed
check "no CPU has idle states left" no_cpu_has_states
check "loads again" load
check "unloads again" unload

finish
