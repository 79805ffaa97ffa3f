#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A CPU that turns back on its way up or down, since something else failed:
# what hpoll did for it is undone, or done again. By the kernel's own means to
# let a step fail.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

driver=$(cat $cpuidle/current_driver)
before=$(cat $cpuidle/current_governor)
cpu1=/sys/devices/system/cpu/cpu1
has_states() {
	reads "$cpu1"/cpuidle/state0/name POLL && reads "$cpu1"/cpuidle/state1/name HLT
}

# turns_back 0|1 STATE: CPU 1's way down or up fails at STATE and is undone
turns_back() {
	echo "$2" >"$cpu1"/hotplug/fail
	if (echo "$1" >"$cpu1"/online) 2>/dev/null; then
		echo "did not fail at state $2" >&2
		return 1
	fi
	reads "$cpu1"/online $((1 - $1))
}

down_fails() {
	turns_back 0 "$1" && has_states
}
up_fails() {
	echo 0 >"$cpu1"/online && turns_back 1 "$1" && echo 1 >"$cpu1"/online && has_states
}

state_of() {
	sed -n "s|^ *\([0-9]*\): $1\$|\1|p" /sys/devices/system/cpu/hotplug/states
}

check "loads" load
ours=$(state_of cpuidle/hpoll:online)
# Passed on the way down after ours has gone, and on the way up before it comes.
below=$(state_of workqueue:online)
above=$(state_of sched:active)
diag "states: $below, ours $ours, $above"
check "CPU 1 stays when its way down fails before hpoll's turn" down_fails "$above"
check "... at hpoll's turn" down_fails "$ours"
check "... after it" down_fails "$below"
check "CPU 1 comes later when its way up fails before hpoll's turn" up_fails "$below"
check "... at hpoll's turn" up_fails "$ours"
check "... after it" up_fails "$above"
check "unloads" unload
check "the driver before is current" driver_is "$driver"
check "the governor before is current" governor_is "$before"

finish
