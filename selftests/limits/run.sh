#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What an operator forbids: a latency limit of 0 forbids halting, so CPUs poll
# and do nothing else; a state that is disabled in sysfs is not used.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

halts_in_a_second() {
	halts=$(usage 1)
	sleep 1
	halts=$(($(usage 1) - halts))
}
halts() {
	halts_in_a_second
	[ "$halts" -gt 0 ]
}
# A halt counts when it ends, and it may have begun before it was forbidden.
end_halts() {
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 10 >/dev/null
}
never_halts() {
	end_halts
	halts_in_a_second
	[ "$halts" -eq 0 ] && return
	echo "$halts halts" >&2
	return 1
}

check "loads, with a window of 0" load guest_halt_poll_ns=0
check "CPUs halt" halts
exec 4>/dev/cpu_dma_latency
printf '\0\0\0\0' >&4
check "no CPU halts while /dev/cpu_dma_latency is held at 0" never_halts
exec 4>&-
check "CPUs halt once it is released" halts

# One CPU's limit: "n/a" stands for no latency at all, 0 for no limit.
qos=/sys/devices/system/cpu/cpu1/power/pm_qos_resume_latency_us
halts_of() {
	cat "/sys/devices/system/cpu/cpu$1/cpuidle/state1/usage"
}
only_others_halt() {
	end_halts
	zero=$(halts_of 0) one=$(halts_of 1)
	sleep 1
	[ "$(halts_of 1)" -eq "$one" ] && [ "$(halts_of 0)" -gt "$zero" ]
}
all_halt() {
	zero=$(halts_of 0) one=$(halts_of 1)
	sleep 1
	[ "$(halts_of 1)" -gt "$one" ] && [ "$(halts_of 0)" -gt "$zero" ]
}
echo n/a >$qos
check "CPU 1 alone does not halt while its own limit is 0" only_others_halt
echo 1 >$qos
check "it halts under a limit of 1 us" all_halt
echo n/a >$qos
check "it does not halt under a limit of 0 again" only_others_halt
echo 0 >$qos
check "it halts without a limit" all_halt

# disable STATE 0|1, on both CPUs
disable() {
	for cpu in 0 1; do
		echo "$2" >"/sys/devices/system/cpu/cpu$cpu/cpuidle/state$1/disable"
	done
}
never_polls() {
	polled=$(usage 0)
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 300 >/dev/null
	[ "$(usage 0)" -eq "$polled" ]
}
echo 5000000 >"$params"/guest_halt_poll_ns
echo 5000000 >"$params"/halt_cost_ns
echo 1000000 >"$params"/guest_halt_poll_grow_start
check "CPUs poll with a large window" polls
disable 0 1
check "no CPU polls while POLL is disabled" never_polls
disable 0 0
disable 1 1
check "no CPU halts while HLT is disabled" never_halts
disable 1 0
check "CPUs halt again" halts
check "unloads" unload

finish
