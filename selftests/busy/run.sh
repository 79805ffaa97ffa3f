#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A host that has no time for this guest: more CPUs want to run than it has. What
# it takes away is noticed, polling in vain keeps to its budget, and once the
# host is quiet all is as before.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

MAX_NS=5000000
COST_NS=1000000
PCT=1
ROUNDS=15

[ "$(nproc)" -ge 4 ] || skip_all "takes a guest with more CPUs than its host"

# CPUs 2 and up compute, while 0 and 1 wake each other up.
begin_strain() {
	hogs=
	for cpu in $(seq 2 $(($(nproc) - 1))); do
		taskset "$(printf %x $((1 << cpu)))" sh -c 'while :; do :; done' &
		hogs="$hogs $!"
	done
	start_load
}
end_strain() {
	# shellcheck disable=SC2086 # words
	kill $hogs
	stop_load
}

# Is the host seen to be busy, or quiet?
strained() {
	[ "$(total strain)" -gt 0 ]
}
unstrained() {
	[ "$(total strain)" = 0 ]
}
# in_time COMMAND: within some seconds; if not, with the statistics
in_time() {
	within "$ROUNDS" "$1" && return
	cat /sys/kernel/debug/hpoll/cpus >&2
	return 1
}

# What may be burned: a share of the time of all CPUs, what polls that hit have
# saved, and what each CPU had at first.
keeps_to_budget() {
	vain_us=$(($(total vain_ns) / 1000))
	time_us=$((($(uptime_ms) - loaded_ms) * 1000 * $(nproc)))
	saved_us=$(($(total hits) * COST_NS / 1000))
	first_us=$((9 * $(nproc) * COST_NS / 1000))
	diag "polled in vain for $vain_us us of $time_us us, $(total hits) hits, $(total preempted) polls preempted, $(total refused) refused"
	[ "$vain_us" -le $((time_us * PCT / 100 + saved_us + first_us)) ]
}

loaded_ms=$(uptime_ms)
check "loads" load policy=adaptive guest_halt_poll_ns=$MAX_NS halt_cost_ns=$COST_NS \
	poll_budget_pct=$PCT
begin_strain
check "a busy host is noticed" in_time strained
sleep 3
end_strain
check "polling in vain keeps to its budget" keeps_to_budget
check "a quiet host is noticed" in_time unstrained
check "CPUs poll again" polls
check "unloads" unload

finish
