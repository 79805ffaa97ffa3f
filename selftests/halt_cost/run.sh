#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What a halt costs, as the module measures it by itself: dear where a halt is an
# exit, cheap where it is none, and windows that follow.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"
# shellcheck source=selftests/lib/json.sh
. "$HPOLL_LIB/json.sh"

# Nothing is that dear, so that the maximum does not hide what was measured.
MAX_NS=20000000
# On a slow kernel beside other guests as well.
WAIT_S=30
# HPOLL_LATENCY_WORTH
WORTH=8
# In an emulator, where everything takes ten times longer than on hardware.
CHEAP_NS=30000
# What the module finds is at least that part of what a wake-up is seen to take longer.
SHARE=4
ipi=/sys/kernel/debug/ipi_wake

cost_line() {
	sed -n 's/^halt cost: //p' "$params"/status
}

is_measured() {
	case $(cost_line) in
	*" ns, measured on $1 CPUs") ;;
	*) return 1 ;;
	esac
}

# measured CPUS: within some seconds
measured() {
	within "$WAIT_S" is_measured "$1" && return
	sed 's/^/status: /' "$params"/status >&2
	return 1
}

# check_measured WHAT COMMAND...: all CPUs are; a kernel that proves what it does may take
# longer to idle than a CPU is waited for, PATIENCE_US
check_measured() {
	measured_what=$1
	shift
	if "$@"; then
		ok "$measured_what"
	elif [ "$(uname -r | sed 's/.*-//')" = debug ]; then
		skip "$measured_what" "this debug kernel takes too long to idle"
		return 1
	else
		not_ok "$measured_what"
	fi
}

# The least and the most that it costs, in ns
least_ns() {
	cost_line | cut -d ' ' -f 1
}
most_ns() {
	cost_line | cut -d ' ' -f 3
}

# windows_within BOUND: nothing is polled for longer, BOUND being a command that
# prints ns. What it says may change meanwhile: the most counts.
windows_within() {
	start_load
	bound_ns=$("$1")
	windows=
	for _ in 1 2 3 4 5 6 7 8; do
		usleep 100000
		windows="$windows $(tail -n +2 /sys/kernel/debug/hpoll/cpus | cut -d ' ' -f 2 | tr '\n' ' ')"
		now_ns=$("$1")
		[ "$now_ns" -le "$bound_ns" ] || bound_ns=$now_ns
	done
	stop_load
	diag "windows, ns: $windows, none above $bound_ns"
	for window in $windows; do
		[ "$window" -le "$bound_ns" ] || return 1
	done
}
worth_ns() {
	echo $(($(most_ns) * WORTH))
}
fixed_ns() {
	echo 12345
}

# woken_ns POLICY MAX_NS: how long a task on an idle CPU takes to run once another
# CPU wakes it, by the kernel's clock
woken_ns() {
	echo "$1" >"$params"/policy
	echo "$2" >"$params"/guest_halt_poll_ns
	for samples in 50 300; do
		echo "source=0 target=1 gap_us=200 task=1 samples=$samples" >$ipi/run
	done
	figure p50 <$ipi/result
	echo adaptive >"$params"/policy
	echo $MAX_NS >"$params"/guest_halt_poll_ns
}

check "loads with policy=classic" load policy=classic guest_halt_poll_ns=$MAX_NS
check "classic: the cost is not used" status_has "halt cost: not used by policy=classic"
sleep 2
not_measured() {
	[ "$(total halt_cost_ns)" = 0 ]
}
check "... nor measured" not_measured
echo adaptive >"$params"/policy
if check_measured "adaptive: measured on all CPUs" measured "$(nproc)"; then
	diag "halt cost: $(cost_line)"
	check "windows keep to what it is worth" windows_within worth_ns
fi

if [ "$(option cheap 0)" = 1 ]; then
	check "a halt is cheap where it hands over at once: less than $CHEAP_NS ns" \
		[ "$(most_ns)" -lt "$CHEAP_NS" ]
fi
case $(accel) in
kvm | nested-kvm-on-tcg)
	check "ipi_wake loads" insmod "$HPOLL_LIB/ipi_wake.ko"
	polled_ns=$(woken_ns classic $MAX_NS)
	halted_ns=$(woken_ns adaptive 0)
	rmmod ipi_wake
	check "a wake-up takes twice as long from a halt that exits ($halted_ns ns, from a poll $polled_ns)" \
		[ "$halted_ns" -ge $((2 * polled_ns)) ]
	check "... and the cost says so (at least $(least_ns) ns)" \
		[ $((SHARE * $(least_ns))) -ge $((halted_ns - polled_ns)) ]
	check "... so it is polled for" polls
	;;
*) skip "a halt is dear where it exits" "a halt does not exit here" ;;
esac

fixed_ns >"$params"/halt_cost_ns
check "halt_cost_ns wins" status_has "halt cost: 12345 ns, set by halt_cost_ns"
check "... and windows follow" windows_within fixed_ns
echo 0 >"$params"/halt_cost_ns

refreshed() {
	echo 0 >/sys/devices/system/cpu/cpu1/online && usleep 100000 &&
		echo 1 >/sys/devices/system/cpu/cpu1/online && measured "$(nproc)"
}
check_measured "measured on a CPU that left and came back" refreshed
check "unloads" unload

hpoll_ko=$HPOLL_LIB/hpoll-test.ko
if driver_is none 2>/dev/null; then
	check "fused: loads" load fault=kprobe policy=adaptive guest_halt_poll_ns=$MAX_NS
	check_measured "fused: measured on all CPUs" measured "$(nproc)"
	diag "fused: halt cost: $(cost_line)"
	check "fused: unloads" unload
else
	skip "fused: measured on all CPUs" "the driver's slot is taken"
fi

finish
