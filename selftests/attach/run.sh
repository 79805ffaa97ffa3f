#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest whose driver slot is taken by the built-in haltpoll driver.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/msr.sh
. "$HPOLL_LIB/msr.sh"

ROUNDS=20

before=$(cat $cpuidle/current_governor)
found=$(control 0)

check "the slot is taken by haltpoll" driver_is haltpoll
check "loads" load_wide
check "the log says how" logged "loaded: mode attached, driver haltpoll, governor hpoll"
check "status: mode" status_has "mode: attached"
check "the driver stays" driver_is haltpoll
check "governor is hpoll" governor_is hpoll

check "CPUs poll over the other's driver" polls

back_and_forth() {
	i=0
	while [ "$i" -lt "$ROUNDS" ]; do
		set_governor menu || return 1
		set_governor hpoll || return 1
		i=$((i + 1))
	done
}
start_load
check "$ROUNDS times to menu and back under load" back_and_forth
# Mainline's driver controls host polling as well, as a CPU comes and goes.
comes_back() {
	echo 0 >/sys/devices/system/cpu/cpu1/online && echo 1 >/sys/devices/system/cpu/cpu1/online
}
check "CPU 1 goes and comes back" comes_back
check "the host polls for no CPU" controls 0
check "unloads under load" unload
check "host polling is as mainline's driver wants it" controls "$found"
stop_load
check "the governor before is current again" governor_is "$before"
check "the driver is still there" driver_is haltpoll

finish
