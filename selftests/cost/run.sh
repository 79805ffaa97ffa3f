#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What a decision costs in the kernel: select and reflect of hpoll against those of
# menu, timed by the kernel's function tracer, which costs both the same.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/json.sh
. "$HPOLL_LIB/json.sh"

# What it takes to tell, see margin.
ROUNDS=11
PINGS=400
# Fewer would tell nothing.
LEAST=200
trace=/sys/kernel/tracing

# durations FUNCTION: how long each call took, in ns
durations() {
	awk -v name="$1" 'index($0, name) && match($0, /[0-9.]+ us/) {
		printf "%d\n", substr($0, RSTART, RLENGTH - 3) * 1000
	}' "$trace/trace"
}

# measure NAME FUNCTION FUNCTION: one round; the sum of both medians to a file
measure() {
	echo "$2 $3" | tr ' ' '\n' >"$trace/set_ftrace_filter" &&
		echo function_graph >"$trace/current_tracer" || return 1
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -w 100 -n "$PINGS" >/dev/null || return 1
	echo 0 >"$trace/tracing_on"
	durations "$2" >/tmp/select
	durations "$3" >/tmp/reflect
	echo nop >"$trace/current_tracer"
	echo 1 >"$trace/tracing_on"
	calls=$(wc -l </tmp/select)
	if [ "$calls" -lt "$LEAST" ] || [ "$(wc -l </tmp/reflect)" -lt "$LEAST" ]; then
		echo "$1: only $calls calls in the trace" >&2
		return 1
	fi
	sum=$(($(median /tmp/select) + $(median /tmp/reflect)))
	diag "$1: select $(median /tmp/select) ns, reflect $(median /tmp/reflect) ns, $calls calls"
	echo "$sum" >>"/tmp/cost.$1"
}

use() {
	case $1 in
	menu) set_governor menu ;;
	*) set_governor hpoll && echo "$1" >"$params"/policy ;;
	esac
}

measure_one() {
	use "$1" || return 1
	case $1 in
	menu) measure menu menu_select menu_reflect ;;
	*) measure "$1" governor_select governor_reflect ;;
	esac
}

grep -qsw function_graph "$trace/available_tracers" ||
	skip_all "this kernel can't time functions"
# Where another instance was there before, 6.1 leaves the buffer as small as at boot.
echo 4096 >"$trace/buffer_size_kb"
check "loads" load_wide
order="menu classic adaptive"
round=1
while [ $round -le "$ROUNDS" ]; do
	reversed=
	for one in $order; do
		check "round $round: $one is measured" measure_one "$one"
		reversed="$one $reversed"
	done
	order=$reversed
	round=$((round + 1))
done
for one in classic adaptive; do
	diag "$one: medians of $(median /tmp/cost.$one) and $(median /tmp/cost.menu) ns"
	no_more "$one: select and reflect are no dearer than menu's" /tmp/cost.$one /tmp/cost.menu 0
done
check "unloads" unload
finish
