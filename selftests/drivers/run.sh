#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Other drivers come and go while hpoll is there.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/msr.sh
. "$HPOLL_LIB/msr.sh"

before=$(cat $cpuidle/current_governor)

hold() {
	insmod "$HPOLL_LIB/slot_holder.ko" "$@"
}
release() {
	rmmod slot_holder
}

start_load

# A driver goes and comes under a governor that is attached to it.
check "a driver that polls has the slot" hold polls=1
check "hpoll attaches to it" load_wide
check "status: mode" status_has "mode: attached"
check "CPUs poll" polls
check "the driver leaves" release
check "hpoll is still the governor" governor_is hpoll
check "status: no driver" status_has "driver: none"
check "status: no CPU" status_has "cpus: 0 of $(nproc) online"
check "status: not active, and why" inactive "no cpuidle driver is registered"
check "the driver comes back" hold polls=1
check "status: active again" status_has "active: yes"
check "CPUs poll again" polls
check "it leaves" release
check "one comes that does not poll" hold
check "status: not active, and why" inactive "the cpuidle driver has no state that polls"
check "it leaves" release

# One that wants a governor of its own makes the core keep the one before.
check "a driver comes that wants menu" hold polls=1 governor=menu
check "menu is current" governor_is menu
check "status: not active, and why" inactive "another governor is current"
check "hpoll leaves while the core keeps it as the one before" unload
check "the driver leaves" release
check "the governor before is current" governor_is "$before"
check "hpoll loads with its own driver" load
check "status: mode" status_has "mode: own driver"
refuses_slot() {
	! hold polls=1 2>/dev/null
}
check "no other driver can take the slot" refuses_slot
check "unloads" unload

check "a driver has the slot" hold polls=1
check "hpoll attaches to it" load
set_governor menu
check "it leaves" release
check "a driver comes that wants hpoll" hold polls=1 governor=hpoll
check "hpoll is current" governor_is hpoll
check "hpoll leaves" unload
check "the governor before is current" governor_is "$before"
check "the driver leaves" release
check "the governor before is current still" governor_is "$before"

ROUNDS=20
come_and_go() {
	round=0
	while [ "$round" -lt "$ROUNDS" ]; do
		hold polls=1 && load && release || return 1
		case $((round % 3)) in
		0) hold polls=1 governor=menu && unload && release ;;
		1) hold polls=1 && set_governor menu && release && unload ;;
		2) unload ;;
		esac || return 1
		governor_is "$before" || return 1
		round=$((round + 1))
	done
}
check "$ROUNDS rounds of coming and going" come_and_go

# Devices of a driver may outlive their CPU's absence, and so may what hpoll
# was told about it.
host_poll_follows() {
	echo 0 >/sys/devices/system/cpu/cpu1/online
	set_governor menu
	echo 1 >/sys/devices/system/cpu/cpu1/online
	controls_are 1 || return 1
	echo 0 >/sys/devices/system/cpu/cpu1/online
	set_governor hpoll
	echo 1 >/sys/devices/system/cpu/cpu1/online
	controls_are 0
}
if has_control; then
	check "a driver has the slot" hold polls=1
	check "hpoll attaches to it" load
	check "host polling follows the governor on a CPU that was offline meanwhile" host_poll_follows
	check "unloads" unload
	check "the host polls after" controls_are 1
	check "the driver leaves" release
fi
stop_load

finish
