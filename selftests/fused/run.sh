#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Fused mode: none of the core's symbols is found, as on a kernel where they are
# not to be had.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/json.sh
. "$HPOLL_LIB/json.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

hpoll_ko=$HPOLL_LIB/hpoll-test.ko
driver=$(cat $cpuidle/current_driver)

if [ "$driver" != none ]; then
	check "refuses where the driver's slot is taken" refused "Device or resource busy" \
		"the cpuidle driver is $driver, and this kernel lets no governor attach to it" fault=kprobe
	finish
fi

before=$(cat $cpuidle/current_governor)
check "loads" load_wide fault=kprobe
check "status: active" status_has "active: yes"
check "status: mode" status_has "mode: fused"
check "driver is hpoll" driver_is hpoll
check "the governor is left alone" governor_is "$before"
check "one state" reads /sys/devices/system/cpu/cpu0/cpuidle/state0/name POLL-HLT

fused() {
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 2000 | figure p50
}
gains() {
	with=$(fused)
	unload
	without=$(fused)
	diag "round trip p50: $without ns without hpoll, $with ns fused"
	[ $((with * 2)) -lt "$without" ]
}
case $(accel) in
tcg)
	skip "wakes up faster" "HLT costs nothing in plain TCG"
	unload
	;;
*) check "wakes up at least twice as fast" gains ;;
esac

rounds() {
	i=0
	while [ "$i" -lt 20 ]; do
		load fault=kprobe || return 1
		unload || return 1
		i=$((i + 1))
	done
}
# The file can be read while what it tells about goes.
read_status() {
	while :; do
		cat $params/status
	done >/dev/null 2>&1
}
start_load
read_status &
reader=$!
check "20 rounds of loading and unloading under load" rounds
kill $reader
stop_load
check "no driver after" driver_is none
check "the governor before is current" governor_is "$before"

finish
