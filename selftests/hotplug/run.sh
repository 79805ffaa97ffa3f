#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# CPUs come and go, under load and with governor switches: those that come after
# loading, and each of them many times.
#
# 	rounds		how often each CPU goes and comes (200)

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

rounds=$(option rounds 200)
driver=$(cat $cpuidle/current_driver)
before=$(cat $cpuidle/current_governor)
cpus=/sys/devices/system/cpu

online() {
	echo "$2" >"$cpus/cpu$1/online"
}
has_states() {
	reads "$cpus/cpu$1/cpuidle/state0/name" POLL &&
		reads "$cpus/cpu$1/cpuidle/state1/name" HLT
}
has_none() {
	! ls -d "$cpus/cpu$1/cpuidle/state"* 2>/dev/null
}
# CPUs that can be taken away. Some kernels let CPU 0 go, some do not.
removable=
for path in "$cpus"/cpu[0-9]*; do
	[ ! -e "$path/online" ] || removable="$removable ${path##*cpu}"
done
diag "CPUs that can go:$removable; $rounds rounds"

late=$(cat $cpus/offline)
if [ -n "$late" ]; then
	check "loads with CPUs $late offline" load
	for cpu in $removable; do
		check "CPU $cpu comes" online "$cpu" 1
		check "... and has its states" has_states "$cpu"
	done
	check "unloads" unload
	for cpu in $removable; do
		check "CPU $cpu has no states left" has_none "$cpu"
	done
fi

# Two processes that wake each other up, wherever they may run.
start_free_load() {
	while :; do
		"$HPOLL_LIB/pingpong" -n 500 >/dev/null 2>&1
	done &
	load_pid=$!
}

switch_governors() {
	while :; do
		set_governor menu
		set_governor hpoll
		usleep 20000
	done 2>/dev/null
}

go_and_come() {
	round=0
	while [ "$round" -lt "$rounds" ]; do
		for cpu in $removable; do
			online "$cpu" 0 && online "$cpu" 1 || return 1
		done
		round=$((round + 1))
	done
}
all_have_states() {
	for cpu in $removable; do
		has_states "$cpu" || return 1
	done
}

check "loads" load
start_free_load
switch_governors &
switcher=$!
check "each CPU goes and comes $rounds times under load and governor switches" go_and_come
kill $switcher
wait $switcher 2>/dev/null
set_governor hpoll
check "status: active" status_has "active: yes"
check "every CPU has its states" all_have_states
check "unloads under load" unload
stop_load
check "the driver before is current" driver_is "$driver"
check "the governor before is current" governor_is "$before"

finish
