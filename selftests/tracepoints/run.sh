#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tracepoints tell what the counters count: every decision, and what came of it.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/trace.sh
. "$HPOLL_LIB/trace.sh"

events=$tracing/events/hpoll
# In KiB per CPU: some ten thousand events.
BUFFER_KB=4096

# events_of KIND: how many are in the trace
events_of() {
	grep -c "hpoll_$1" "$tracing"/trace
}

# How many decisions came to something. Where work comes at once, no state is entered.
periods() {
	awk '
		{ cpu = $0; sub(/.*\[/, "", cpu); sub(/\].*/, "", cpu) }
		/hpoll_decide:/ { decided[cpu] = 1 }
		/hpoll_outcome:/ { n += decided[cpu]; decided[cpu] = 0 }
		END { print n + 0 }' "$tracing"/trace
}

check "loads" load_wide
check "hpoll_decide is there" [ -d "$events/hpoll_decide" ]
check "hpoll_outcome is there" [ -d "$events/hpoll_outcome" ]
format_has() {
	for field; do
		grep -q " $field;" "$events/$format/format" || return 1
	done
}
format=hpoll_decide
check "hpoll_decide: its fields" format_has window_ns cost_ns timer_ns budget_ns
format=hpoll_outcome
check "hpoll_outcome: its fields" format_has window_ns ns polled over

echo $BUFFER_KB >"$tracing"/buffer_size_kb
# Decisions are traced before the first outcome and after the last one. Periods are
# counted when the next one begins; some begin between two readings.
traced() {
	echo >"$tracing"/trace
	hits=$(total hits)
	halts=$(total halts)
	echo 1 >"$events"/hpoll_decide/enable
	echo 1 >"$events"/hpoll_outcome/enable
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 1000 >/dev/null
	echo 0 >"$events"/hpoll_outcome/enable
	echo 0 >"$events"/hpoll_decide/enable
	hits=$(($(total hits) - hits))
	halts=$(($(total halts) - halts))
	diag "$(events_of decide) decisions, of which $(periods) came to something, $(grep -c ' hit ' "$tracing"/trace) hits, $(grep -c ': halt ' "$tracing"/trace) halts; counted: $hits and $halts"
	[ "$(lost_events)" = 0 ]
}
check "traced under load, none is lost" traced
# about A B: within a tenth and 50
about() {
	[ $(($1 - $2)) -le $(($2 / 10 + 50)) ] && [ $(($2 - $1)) -le $(($2 / 10 + 50)) ]
}
check "as many hits as are counted" about "$(grep -c ' hit ' "$tracing"/trace)" "$hits"
check "... and halts" about "$(grep -c ': halt ' "$tracing"/trace)" "$halts"
check "... and decisions that came to something as periods" about "$(periods)" $((hits + halts))
check "hits there are" [ "$hits" -gt 500 ]
# A window that is decided is the one that a poll's outcome tells.
windows_agree() {
	awk '
		{ cpu = $0; sub(/.*\[/, "", cpu); sub(/\].*/, "", cpu) }
		/hpoll_decide:/ { w = $0; sub(/.* window_ns=/, "", w); sub(/ .*/, "", w); window[cpu] = w }
		/hpoll_outcome:/ && cpu in window {
			w = $0; sub(/.*window_ns=/, "", w)
			n++
			if (w != window[cpu] && !wrong++)
				print "decided " window[cpu] ": " $0
		}
		END {
			print n + 0 " outcomes, " wrong + 0 " of another window"
			exit !(n > 500 && !wrong)
		}' "$tracing"/trace >&2
}
check "an outcome tells the window that was decided" windows_agree

start_load
switch_often() {
	for _ in $(seq 30); do
		echo 1 >"$events"/enable && usleep 20000 && echo 0 >"$events"/enable || return 1
	done
}
check "switched on and off under load" switch_often
echo 1 >"$events"/enable
check "unloads while they are on" unload
stop_load

hpoll_ko=$HPOLL_LIB/hpoll-test.ko
if driver_is none 2>/dev/null; then
	check "fused: loads" load_wide fault=kprobe
	echo >"$tracing"/trace
	echo 1 >"$events"/enable
	"$HPOLL_LIB/pingpong" -a 0 -b 1 -n 300 >/dev/null
	check "fused: they are silent" [ "$(events_of decide)" = 0 ]
	check "fused: unloads" unload
else
	skip "fused: they are silent" "the driver's slot is taken"
fi

finish
