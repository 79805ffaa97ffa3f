#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Everything at once, for a while: load, governor switches, parameters, CPUs that
# come and go, loading and unloading. Ends with how often each was done.
#
#	seconds		how long (60)

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

seconds=$(option seconds 60)
driver=$(cat $cpuidle/current_driver)
before=$(cat $cpuidle/current_governor)
counts=/tmp/soak
mkdir -p $counts
last=$(($(nproc) - 1))
policy=adaptive

uptime_s() {
	cut -d . -f 1 /proc/uptime
}
ends=$(($(uptime_s) + seconds))

# repeat NAME COMMAND...: until the end, counting how often it worked
repeat() {
	name=$1
	shift
	count=0
	while [ "$(uptime_s)" -lt "$ends" ]; do
		if "$@"; then count=$((count + 1)); fi
	done 2>/dev/null
	echo "$count" >"$counts/$name"
}

pass_bytes() {
	"$HPOLL_LIB/pingpong" -n 500 >/dev/null
}
wait_between() {
	"$HPOLL_LIB/pingpong" -n 200 -g 100 -j 2000 >/dev/null
}
sleep_often() {
	for us in 10 50 100 500 1000 5000; do
		usleep "$us"
	done
}
work_in_pipes() {
	dd if=/dev/zero bs=4k count=500 2>/dev/null | gzip -1 | gunzip >/dev/null
}
switch_governor() {
	set_governor menu && usleep 30000 && set_governor hpoll && usleep 70000
}
# The first of the arguments, then one after the other, a call each.
set_parameters() {
	for value in 0 1 50000 200000 4294967295; do
		echo "$value" >"$params"/guest_halt_poll_ns &&
			echo "$value" >"$params"/guest_halt_poll_grow_start &&
			echo $((value % 4)) >"$params"/guest_halt_poll_grow &&
			echo $((value % 3)) >"$params"/guest_halt_poll_shrink &&
			echo $((value / 2)) >"$params"/halt_cost_ns &&
			echo $((value % 100 + 1)) >"$params"/poll_budget_pct &&
			echo "$policy" >"$params"/policy || return 1
		usleep 10000
	done
	if [ "$policy" = classic ]; then policy=adaptive; else policy=classic; fi
}
go_and_come() {
	for cpu in $(seq 1 "$last"); do
		echo 0 >"/sys/devices/system/cpu/cpu$cpu/online" && usleep 20000 &&
			echo 1 >"/sys/devices/system/cpu/cpu$cpu/online" || return 1
	done
	usleep 200000
}
unload_and_load() {
	unload && usleep 50000 && load && usleep 500000
}
read_status() {
	grep -q '^mode: ' "$params"/status
	usleep 5000
}

check "loads" load
for action in pass_bytes wait_between sleep_often work_in_pipes switch_governor \
	set_parameters go_and_come unload_and_load read_status; do
	repeat $action $action &
done
wait

for action in pass_bytes wait_between sleep_often work_in_pipes switch_governor \
	set_parameters go_and_come unload_and_load read_status; do
	count=$(cat $counts/$action)
	check "$action: $count times in $seconds s" [ "$count" -gt 0 ]
done
check "unloads" unload
check "the driver before is current" driver_is "$driver"
set_governor "$before"
sleep 2
check "the governor before can be current" governor_is "$before"

finish
