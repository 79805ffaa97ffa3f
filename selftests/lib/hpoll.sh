# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What tests do with hpoll, through the files that an operator uses; to be
# sourced after tap.sh.

# shellcheck source=selftests/lib/stats.sh
. "$HPOLL_LIB/stats.sh"

# shellcheck disable=SC2034 # for the tests
{
	cpuidle=/sys/devices/system/cpu/cpuidle
	params=/sys/module/hpoll/parameters
	hpoll_ko=$HPOLL_LIB/hpoll.ko
}

# load [PARAMETER=VALUE...]: insmod, with the error it gives in $load_error
load() {
	load_error=$(insmod "$hpoll_ko" "$@" 2>&1)
}

# load_wide [PARAMETER=VALUE...]: such that CPUs that wake each other up poll, under
# either policy and however slow the emulation is
load_wide() {
	load guest_halt_poll_ns=5000000 guest_halt_poll_grow_start=1000000 \
		halt_cost_ns=5000000 "$@"
}

unload() {
	rmmod hpoll
}

loaded() {
	[ -d /sys/module/hpoll ]
}

# reads FILE TEXT: the file's first line is this
reads() {
	read -r reads_line <"$1" || :
	[ "$reads_line" = "$2" ] && return
	echo "$1: \"$reads_line\" instead of \"$2\"" >&2
	return 1
}

driver_is() {
	reads $cpuidle/current_driver "$1"
}

governor_is() {
	reads $cpuidle/current_governor "$1"
}

set_governor() {
	echo "$1" >$cpuidle/current_governor
}

governor_listed() {
	case " $(cat $cpuidle/available_governors) " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

# status_has TEXT: a line of the status file is this
status_has() {
	grep -qxF "$1" $params/status && return
	sed 's/^/status: /' $params/status >&2
	return 1
}

# inactive REASON: the status says that hpoll does nothing, and why
inactive() {
	grep -q "^active: no, $1" $params/status && return
	sed 's/^/status: /' $params/status >&2
	return 1
}

# logged TEXT: hpoll's last line in the kernel log has this in it
logged() {
	logged_line=$(dmesg | grep 'hpoll: ' | tail -n 1)
	case $logged_line in
	*"$1"*) return 0 ;;
	esac
	echo "log: \"$logged_line\" has no \"$1\"" >&2
	return 1
}

# dmesg_has TEXT: some line of hpoll's has this in it
dmesg_has() {
	dmesg | grep 'hpoll: ' | grep -qF "$1"
}

# refused ERRNO-TEXT REASON [PARAMETER=VALUE...]: loading fails like this and
# leaves nothing behind
refused() {
	refused_errno=$1
	refused_reason=$2
	shift 2
	if load "$@"; then
		echo "loaded" >&2
		unload
		return 1
	fi
	case $load_error in
	*"$refused_errno"*) ;;
	*)
		echo "$load_error" >&2
		return 1
		;;
	esac
	logged "not loaded: " && logged "$refused_reason" && ! loaded &&
		! governor_listed hpoll
}

# writes PARAMETER VALUE [READ]: takes it, and reads as this (or as it was written)
writes() {
	echo "$2" >"$params/$1" && reads "$params/$1" "${3:-$2}"
}

# refuses PARAMETER VALUE ERROR-TEXT: with this error, and it changes nothing
refuses() {
	refuses_before=$(cat "$params/$1")
	refuses_error=$( (echo "$2" >"$params/$1") 2>&1) && return 1
	case $refuses_error in
	*"$3"*) ;;
	*)
		echo "$refuses_error" >&2
		return 1
		;;
	esac
	reads "$params/$1" "$refuses_before"
}

# within SECONDS COMMAND...: it succeeds by then, tried once a second
within() {
	within_left=$1
	shift
	while [ "$within_left" -gt 0 ]; do
		"$@" && return
		sleep 1
		within_left=$((within_left - 1))
	done
	return 1
}

uptime_ms() {
	awk '{ printf "%.0f\n", $1 * 1000 }' /proc/uptime
}

# usage STATE: how often CPUs 0 and 1 together have entered this state
usage() {
	cat /sys/devices/system/cpu/cpu[01]/cpuidle/state"$1"/usage |
		awk '{ n += $1 } END { print n }'
}

# Do CPUs 0 and 1 poll while they wake each other up? Where others keep them busy
# at the time, they have nothing to poll for: so it is tried again.
polls() {
	for polls_try in 1 2 3 4 5; do
		polled=$(usage 0)
		"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 300 >/dev/null
		polled=$(($(usage 0) - polled))
		[ $polled -gt 100 ] && return
		echo "polls: $polled in try $polls_try" >&2
	done
	return 1
}

# Two processes that wake each other up, on CPUs 0 and 1, until stop_load.
start_load() {
	while :; do
		"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 500 >/dev/null
	done &
	load_pid=$!
}

stop_load() {
	kill "$load_pid"
	wait "$load_pid" 2>/dev/null
	killall pingpong 2>/dev/null
	return 0
}
