#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hpoll in a guest that was booted in an unusual way: it loads, works, gives way
# and leaves. What it has to say about this guest comes on the command line:
#
# 	says		a line that is in the log or the status (none)
# 	gate		gate= to load with (auto)

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

before=$(cat $cpuidle/current_governor)
driver=$(cat $cpuidle/current_driver)
gate=$(option gate auto)
says=$(option says "" | tr '_' ' ')

diag "$(cat /proc/cmdline)"
check "loads" load "gate=$gate"
check "status: active" status_has "active: yes"
if [ -n "$says" ]; then
	has_said() {
		dmesg_has "$says" || grep -qF "$says" "$params"/status
	}
	check "it says: $says" has_said
fi

# Sleepers wake up, so timers end polls and halts, on every CPU.
sleep_often() {
	for _ in $(seq 50); do
		usleep "$1"
	done
}
sleepers_wake() {
	sleep_often 1000 &
	sleep_often 100 &
	sleep_often 30
	wait
}
uses() {
	uses_before=$(cat /sys/devices/system/cpu/cpu0/cpuidle/state"$1"/usage)
	sleepers_wake
	# Above, one CPU may always have something to do.
	for _ in $(seq 10); do
		usleep 10000
	done
	[ "$(cat /sys/devices/system/cpu/cpu0/cpuidle/state"$1"/usage)" -gt "$uses_before" ]
}
echo 0 >$params/guest_halt_poll_ns
check "CPU 0 halts without a window" uses 1
echo 50000000 >$params/guest_halt_poll_ns
echo 50000000 >$params/halt_cost_ns
echo 5000000 >$params/guest_halt_poll_grow_start
check "CPU 0 polls with a large one" uses 0
check "gives way to menu" set_governor menu
check "sleepers wake up" sleepers_wake
check "comes back" set_governor hpoll
check "sleepers wake up again" sleepers_wake
check "unloads" unload
check "the driver before is current" driver_is "$driver"
check "the governor before is current" governor_is "$before"

finish
