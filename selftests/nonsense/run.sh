#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Parameters that make no sense, in every combination, and parameters that change
# a thousand times a second: nothing may hang, warn or stop polling for good.
#
# 	seconds		how long they change (10)

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

seconds=$(option seconds 10)
before=$(cat $cpuidle/current_governor)

# works: a CPU comes back from idle, whatever the parameters are
works() {
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 20 -w 0 >/dev/null
}

loads_with_all() {
	count=0
	for max in 0 1 4294967295; do
		for grow in 0 1 4294967295; do
			for shrink in 0 1 4294967295; do
				for start in 0 1 4294967295; do
					load guest_halt_poll_ns="$max" guest_halt_poll_grow="$grow" \
						guest_halt_poll_shrink="$shrink" \
						guest_halt_poll_grow_start="$start" \
						guest_halt_poll_allow_shrink=$((count % 2)) &&
						works && unload || return 1
					count=$((count + 1))
				done
			done
		done
	done
	for max in 0 1 4294967295; do
		for cost in 0 1 512 4294967295; do
			for pct in 1 100; do
				load policy=adaptive guest_halt_poll_ns="$max" \
					halt_cost_ns="$cost" poll_budget_pct="$pct" &&
					works && unload || return 1
				count=$((count + 1))
			done
		done
	done
	diag "$count combinations"
}
check "loads and works with every combination of extremes" loads_with_all

check "loads" load
start_load
hammer() {
	"$HPOLL_LIB/hammer" -s "$seconds" -r 1000 "$params"/guest_halt_poll_ns=0,1,200000,4294967295 \
		"$params"/guest_halt_poll_grow=0,1,2,4294967295 \
		"$params"/guest_halt_poll_shrink=0,1,2,4294967295 \
		"$params"/guest_halt_poll_grow_start=0,1,50000,4294967295 \
		"$params"/guest_halt_poll_allow_shrink=0,1 \
		"$params"/policy=classic,adaptive \
		"$params"/poll_budget_pct=1,2,99,100 \
		"$params"/halt_cost_ns=0,1,512,60000,4294967295 >/tmp/hammer
	status=$?
	diag "$(cat /tmp/hammer)"
	[ "$status" = 0 ]
}
check "parameters change 1000 times a second on every CPU under load" hammer
stop_load
for parameter in guest_halt_poll_ns:5000000 guest_halt_poll_grow:2 \
	guest_halt_poll_shrink:2 guest_halt_poll_grow_start:1000000 \
	guest_halt_poll_allow_shrink:Y policy:adaptive \
	halt_cost_ns:5000000 poll_budget_pct:1; do
	echo "${parameter#*:}" >"$params/${parameter%:*}"
done
check "CPUs poll with sensible parameters again" polls
check "unloads" unload
check "the governor before is current" governor_is "$before"

finish
