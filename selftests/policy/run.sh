#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The policies: chosen at load and while in use, and what the adaptive one does.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

# Long enough for whatever this emulation is.
MAX_NS=5000000
SWITCHES=200

# How long all CPUs have polled, in us; without the time for which the host had
# taken one away from its poll.
polled_us() {
	echo $(($(total polled_ns) / 1000))
}

# Nothing to do for 3 s: polled for less than 1% of the time of two CPUs.
rests() {
	sleep 1
	rest_from=$(polled_us)
	sleep 3
	rest_us=$(($(polled_us) - rest_from))
	diag "at rest: polled for $rest_us us in 3 s"
	[ "$rest_us" -lt 60000 ]
}

# Whoever sleeps for 1 ms, again and again, is hardly polled for: a timer tells. Less
# than 2% of the time, of which the budget is a half.
lets_sleep() {
	"$HPOLL_LIB/sleeper" 0 1000 200
	sleep_from=$(polled_us)
	sleep_began=$(uptime_ms)
	"$HPOLL_LIB/sleeper" 0 1000 2000
	sleep_us=$(($(polled_us) - sleep_from))
	time_us=$((($(uptime_ms) - sleep_began) * 1000))
	diag "2000 sleeps of 1 ms: polled for $sleep_us us of $time_us us"
	[ "$sleep_us" -lt $((time_us / 50)) ]
}

switch_often() {
	i=0
	while [ "$i" -lt "$SWITCHES" ]; do
		writes policy classic && writes policy adaptive || return 1
		i=$((i + 1))
	done
}

no_such_policy() {
	load policy=fast && return 1
	! loaded
}
check "a policy that does not exist is refused at load" no_such_policy
check "loads with policy=adaptive" load policy=adaptive guest_halt_poll_ns=$MAX_NS \
	guest_halt_poll_grow_start=1000000
check "policy: adaptive" reads "$params"/policy adaptive
echo $MAX_NS >"$params"/halt_cost_ns
check "adaptive: polls while CPUs wake each other up" polls
echo 200000 >"$params"/halt_cost_ns
check "adaptive: a guest at rest does not poll" rests
check "adaptive: no polling before timers that are far" lets_sleep
echo $MAX_NS >"$params"/halt_cost_ns

for value in "" fast Adaptive 1; do
	check "policy refuses '$value'" refuses policy "$value" "Invalid argument"
done
check "... and stays adaptive" reads "$params"/policy adaptive

check "to classic" writes policy classic
check "classic: polls" polls
check "back to adaptive" writes policy adaptive
check "adaptive: polls" polls

not_polls() {
	! polls
}
echo 500 >"$params"/halt_cost_ns
check "a halt that costs next to nothing: no poll" not_polls
echo $MAX_NS >"$params"/halt_cost_ns
check "one that costs the maximum: polls" polls
echo 0 >"$params"/guest_halt_poll_ns
check "guest_halt_poll_ns=0: no poll" not_polls
echo $MAX_NS >"$params"/guest_halt_poll_ns

start_load
check "$SWITCHES switches between policies under load" switch_often
stop_load
check "... and it polls" polls
check "unloads" unload

# Where there is no governor, the driver asks the policy itself.
hpoll_ko=$HPOLL_LIB/hpoll-test.ko
if driver_is none 2>/dev/null; then
	check "fused: loads with policy=adaptive" load fault=kprobe policy=adaptive
	start_load
	check "fused: switches under load" switch_often
	stop_load
	check "fused: unloads" unload
else
	skip "fused: policy=adaptive" "the driver's slot is taken"
fi

finish
