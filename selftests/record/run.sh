#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hpoll-record on this kernel: what it records of a program whose idle periods are
# known, with and without hpoll.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

PINGS=500
prefix=/tmp/idle

# record OPTION-OR-COMMAND...
record() {
	rm -f "$prefix".cpu*
	"$HPOLL_LIB/hpoll-record" -o "$prefix" "$@" >/tmp/said 2>&1 && return
	cat /tmp/said >&2
	return 1
}

lines_are_periods() {
	! cat "$prefix".cpu* | grep -Evx '[0-9]+ ([0-9]+|-) (resched|timer|other)' >&2
}

# Each round trip is a period of either CPU, unless the answer comes before it idles.
has_periods() {
	for cpu in 0 1; do
		count=$(grep -c resched "$prefix.cpu$cpu")
		[ "$count" -ge $((PINGS / 5)) ] || {
			echo "CPU $cpu: $count periods" >&2
			return 1
		}
	done
}

# Sleeps of 20 ms are a timer's; other interrupts may cut some of them short.
knows_timers() {
	record "$HPOLL_LIB/sleeper" 1 20000 40 || return 1
	near=$(awk '$3 == "timer" && $2 > 10000000 && $2 <= 20000000' "$prefix.cpu1" | wc -l)
	diag "$near periods begun with a timer 10 to 20 ms away, and ended by one"
	[ "$near" -ge 10 ]
}

nothing_left() {
	! find /sys/kernel/tracing/instances -name 'hpoll*' | grep .
}

check "records a command" record "$HPOLL_LIB/pingpong" -a 0 -b 1 -w 0 -n "$PINGS"
check "each line is a period" lines_are_periods
check "both CPUs have waited" has_periods
check "knows timers" knows_timers
check "records for a time" record -t 1
check "leaves no tracing behind" nothing_left

check "hpoll loads" load_wide
check "records a command under hpoll" record "$HPOLL_LIB/pingpong" -a 0 -b 1 -w 0 -n "$PINGS"
check "each line is a period" lines_are_periods
check "both CPUs have waited" has_periods
check "hpoll unloads" unload

fails_with() {
	"$HPOLL_LIB/hpoll-record" -o "$prefix" -b 1048576 -t 1 >/tmp/said 2>&1 && return 1
	grep -q "can't set up tracing" /tmp/said
}
check "a buffer that does not fit is refused" fails_with
check "... and leaves nothing behind" nothing_left

finish
