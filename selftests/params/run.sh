#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Module parameters: defaults, modes, good and bad writes, and that they work.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

has_mode() {
	[ "$(stat -c %a "$params/$1")" = "$2" ]
}

check "loads" load
for point in guest_halt_poll_ns:200000 guest_halt_poll_grow:2 \
	guest_halt_poll_shrink:2 guest_halt_poll_grow_start:50000 halt_cost_ns:0; do
	name=${point%:*}
	check "$name: mode 644" has_mode "$name" 644
	check "$name: default" reads "$params/$name" "${point#*:}"
	check "$name: takes 0" writes "$name" 0
	check "$name: takes 4294967295" writes "$name" 4294967295
	check "$name: refuses 4294967296" refuses "$name" 4294967296 "Numerical result out of range"
	check "$name: refuses -1" refuses "$name" -1 "Invalid argument"
	check "$name: refuses a word" refuses "$name" fast "Invalid argument"
	check "$name: refuses nothing" refuses "$name" "" "Invalid argument"
	check "$name: refuses a unit" refuses "$name" 200us "Invalid argument"
	check "$name: takes its default" writes "$name" "${point#*:}"
done
name=guest_halt_poll_allow_shrink
check "$name: mode 644" has_mode "$name" 644
check "$name: default" reads "$params/$name" Y
check "$name: takes N" writes "$name" N
check "$name: takes 1" writes "$name" 1 Y
check "$name: refuses a word" refuses "$name" perhaps "Invalid argument"
name=poll_budget_pct
check "$name: mode 644" has_mode "$name" 644
check "$name: default" reads "$params/$name" 1
check "$name: takes 100" writes "$name" 100
for value in 0 101 4294967296; do
	check "$name: refuses $value" refuses "$name" $value "Numerical result out of range"
done
check "$name: refuses -1" refuses "$name" -1 "Invalid argument"
check "$name: refuses a word" refuses "$name" some "Invalid argument"
check "$name: takes 1" writes "$name" 1
check "policy: mode 644" has_mode policy 644
check "policy: default" reads "$params"/policy adaptive
check "gate: mode 444" has_mode gate 444
check "gate: default" reads "$params"/gate auto
check "status: mode 444" has_mode status 444

# By hpoll's own count, as what a probe polls is not a policy's. It counts a period
# when the next one begins.
counted() {
	echo $(($(total hits) + $(total misses)))
}
polls_in_vain() {
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 5 >/dev/null
	polls_before=$(counted)
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 300 >/dev/null
	polls=$(($(counted) - polls_before))
}
never_polls() {
	polls_in_vain
	[ "$polls" = 0 ] && return
	echo "$polls polls" >&2
	return 1
}
polls_again() {
	polls_in_vain
	[ "$polls" -gt 100 ] && return
	echo "$polls polls" >&2
	return 1
}
# Afresh: what was learned under all those values takes some hundred periods to forget.
check "unloads" unload
check "loads with a large window" load_wide
check "a large window polls" polls_again
echo 0 >"$params"/guest_halt_poll_ns
check "guest_halt_poll_ns=0 takes effect at once: no poll" never_polls
echo 5000000 >"$params"/guest_halt_poll_ns
check "... and back" polls_again
check "unloads" unload

loads_with() {
	load policy=classic guest_halt_poll_ns=2400000 guest_halt_poll_grow_start=24000000 \
		guest_halt_poll_allow_shrink=N &&
		reads "$params"/policy classic &&
		reads "$params"/guest_halt_poll_ns 2400000 &&
		reads "$params"/guest_halt_poll_grow_start 24000000 &&
		reads "$params"/guest_halt_poll_allow_shrink N
}
check "takes values at load, also a start above the maximum" loads_with
check "... and polls with them" polls_again
unload

bad_load() {
	load guest_halt_poll_ns=much && return 1
	! loaded
}
check "a bad value at load is refused" bad_load
bad_share() {
	load poll_budget_pct=0 && return 1
	! loaded
}
check "... and one out of range" bad_share

finish
