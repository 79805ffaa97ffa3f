#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The files that hpoll makes, as Documentation/abi.md has them: which there are,
# their modes, the form of what they hold, and that those which are read-only
# are. What parameters take and refuse is in the test params.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

states=/sys/devices/system/cpu/cpu0/cpuidle

# files_are DIRECTORY NAME...: these and no others
files_are() {
	directory=$1
	shift
	found=$(cd "$directory" && printf '%s\n' *)
	wanted=$(printf '%s\n' "$@" | sort)
	[ "$found" = "$wanted" ] && return
	echo "$directory: $found" >&2
	return 1
}

# file_is NAME MODE PATTERN: one parameter's file; the pattern is for its lines
file_is() {
	[ "$(stat -c %a "$params/$1")" = "$2" ] || return 1
	! grep -Evx "$3" "$params/$1" >&2
}

read_only() {
	! (echo Y >"$params/$1") 2>/dev/null
}

number='[0-9]+'
check "loads" load

check "parameters: these and no others" files_are $params gate guest_halt_poll_allow_shrink \
	guest_halt_poll_grow guest_halt_poll_grow_start guest_halt_poll_ns \
	guest_halt_poll_shrink halt_cost_ns policy poll_budget_pct status
for name in guest_halt_poll_ns guest_halt_poll_grow guest_halt_poll_shrink \
	guest_halt_poll_grow_start halt_cost_ns poll_budget_pct; do
	check "$name: mode 644, a number" file_is $name 644 "$number"
done
check "guest_halt_poll_allow_shrink: mode 644, Y or N" file_is guest_halt_poll_allow_shrink 644 '[YN]'
check "policy: mode 644, one of two words" file_is policy 644 'classic|adaptive'
check "gate: mode 444, one line" file_is gate 444 '.+'
check "gate can't be written" read_only gate
check "status: mode 444, lines of a key and a value" file_is status 444 '[a-z ]+: .+'
check "status can't be written" read_only status
keys_are() {
	[ "$(sed 's/:.*//' "$params"/status | tr '\n' ' ')" = "$1 " ] && return
	cat "$params"/status >&2
	return 1
}
check "status: its keys, in this order" keys_are "active mode driver governor cpus gate reason host poll halt cost"
value_is() {
	sed -n "s/^$1: //p" "$params"/status | grep -Eqx "$2"
}
check "status: active" value_is active 'yes|no, .+'
check "status: mode" value_is mode 'own driver|attached|fused'
check "status: governor" value_is governor 'hpoll|another|none'
check "status: cpus" value_is cpus "$(nproc) of $(nproc) online"
check "status: host poll" value_is "host poll" '(controlled|not offered), off on [0-9]+ CPUs'
check "status: halt cost" value_is "halt cost" \
	'not used by .+|not measured yet, .+|[0-9]+ ns, set by .+|[0-9]+ to [0-9]+ ns, measured on [0-9]+ CPUs'

stats=/sys/kernel/debug/hpoll/cpus
stats_are_numbers() {
	[ "$(stat -c %a "$stats")" = 444 ] || return 1
	[ "$(head -n 1 "$stats")" = "cpu window_ns halt_cost_ns hits misses halts refused preempted polled_ns vain_ns halted_ns budget_ns strain" ] &&
		[ "$(tail -n +2 "$stats" | grep -Ecx '[0-9]+( [0-9]+){12}')" = "$(nproc)" ] && return
	cat "$stats" >&2
	return 1
}
check "debugfs: cpus: mode 444, a head, a line of numbers per CPU" stats_are_numbers

lengths=/sys/kernel/debug/hpoll/lengths
lengths_are_numbers() {
	[ "$(stat -c %a "$lengths")" = 444 ] || return 1
	[ "$(head -n 1 "$lengths")" = "from_ns$(seq 0 $(($(nproc) - 1)) | sed 's/^/ cpu/' | tr -d '\n')" ] &&
		[ "$(tail -n +2 "$lengths" | grep -Ecx "[0-9]+( [0-9]+){$(nproc)}")" = 24 ] && return
	cat "$lengths" >&2
	return 1
}
check "debugfs: lengths: mode 444, a head, 24 lines of numbers" lengths_are_numbers
# Each period is of one length. Some more may be counted meanwhile.
lengths_are_periods() {
	periods=$(($(total hits) + $(total halts)))
	counted=$(tail -n +2 "$lengths" | awk '{ for (i = 2; i <= NF; i++) n += $i } END { print n }')
	diag "$counted lengths, $periods periods before, $(($(total hits) + $(total halts))) after"
	[ "$periods" -gt 0 ] && [ "$counted" -ge "$periods" ] &&
		[ "$counted" -le $(($(total hits) + $(total halts))) ]
}
check "debugfs: as many lengths as there were periods" lengths_are_periods

facts=/sys/kernel/debug/hpoll/facts
facts_are_lines() {
	[ "$(stat -c %a "$facts")" = 444 ] &&
		grep -Eqx 'hypervisor bit: (set|clear)' "$facts" &&
		grep -Eqx 'host poll control: (not )?offered' "$facts" &&
		grep -Eq '^symbol .*: found$' "$facts" &&
		! grep -Evx '[a-z0-9_ ]+: .+' "$facts" && return
	cat "$facts" >&2
	return 1
}
check "debugfs: facts: mode 444, lines of a key and a value" facts_are_lines
check "debugfs: facts: the signature that opened the gate" grep -qF \
	"signature at 0x40000000: $(sed -n 's/^reason: .*signature "\(.*\)" at .*/\1/p' $params/status)" "$facts"
all_found() {
	! grep '^symbol .*: not found$' "$facts" >&2
}
check "debugfs: facts: all symbols are found here" all_found

state_is() {
	reads "$states/state$1/name" "$2" && reads "$states/state$1/latency" "$3" &&
		reads "$states/state$1/residency" "$3"
}
check "state 0 is POLL, at no cost" state_is 0 POLL 0
check "state 1 is HLT, at 1 us" state_is 1 HLT 1
check "there is no third" [ ! -e $states/state2 ]
check "driver is hpoll" driver_is hpoll
check "governor hpoll is offered" governor_listed hpoll

check "unloads" unload
nothing_left() {
	! find /sys /proc/sys -name '*hpoll*' 2>/dev/null | grep .
}
check "nothing of that name is left" nothing_left

finish
