#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Mainline's haltpoll governor against our classic rule, decision by decision.
#
# Mainline's governor runs under a mixed load. A probe on haltpoll_reflect()
# records each idle length as the governor sees it, the tracepoint
# power:guest_halt_poll_ns what it then decides. The program replay feeds the
# same lengths to src/policy_classic.c and compares every window.
#
# hpoll.ko is not loaded: what runs is the kernel's own code.

# Silence would also be without disagreement: windows must have moved this often.
MIN_GROWS=50
MIN_SHRINKS=20
# In KiB per CPU; a load makes some ten thousand events of 50 bytes.
BUFFER_KB=8192

lib=${HPOLL_LIB:-../../build/guest/$(uname -r)}
# shellcheck source=selftests/lib/tap.sh
. "$lib/tap.sh"
# shellcheck source=selftests/lib/json.sh
. "$lib/json.sh"
# shellcheck source=selftests/lib/trace.sh
. "$lib/trace.sh"

cpuidle=/sys/devices/system/cpu/cpuidle
params=/sys/module/haltpoll/parameters
work=${TMPDIR:-/tmp}/hpoll-differential.$$

command -v lab >/dev/null || lab() { :; }

# Short blocks, blocks around the maximum, and long ones, on both CPUs.
load() {
	"$lib/pingpong" -a 0 -b 1 -w 0 -n 300 >/dev/null
	"$lib/pingpong" -a 0 -b 1 -w 0 -n 150 -j 2000 >/dev/null
	"$lib/pingpong" -a 1 -b 0 -w 0 -n 150 -g 100 -j 500 >/dev/null
	n=0
	while [ "$n" -lt 25 ]; do
		taskset 1 usleep $((n * 400))
		taskset 2 usleep 3000
		n=$((n + 1))
	done
}

probe_add() {
	echo 'p:kprobes/reflect haltpoll_reflect block=dev->last_residency_ns:u64 index=index:s32' \
		>>"$tracing/kprobe_events"
}

events() {
	echo "$1" >"$tracing/events/kprobes/reflect/enable" &&
		echo "$1" >"$tracing/events/power/guest_halt_poll_ns/enable"
}

cleanup() {
	echo menu >"$cpuidle/current_governor"
	events 0
	echo '-:kprobes/reflect' >>"$tracing/kprobe_events"
	rm -rf "$work"
} 2>/dev/null

# differ LABEL MAX GROW SHRINK START ALLOW
differ() {
	# While another governor is current: the windows start from 0 when haltpoll
	# is enabled, and the parameters don't change under a decision.
	echo menu >"$cpuidle/current_governor" || return 1
	echo "$2" >"$params/guest_halt_poll_ns"
	echo "$3" >"$params/guest_halt_poll_grow"
	echo "$4" >"$params/guest_halt_poll_shrink"
	echo "$5" >"$params/guest_halt_poll_grow_start"
	echo "$6" >"$params/guest_halt_poll_allow_shrink"
	echo >"$tracing/trace"
	echo 1 >"$tracing/tracing_on"
	echo haltpoll >"$cpuidle/current_governor" || return 1
	load
	echo menu >"$cpuidle/current_governor"
	echo 0 >"$tracing/tracing_on"
	if [ "$(lost_events)" != 0 ]; then
		diag "$1: the trace lost $(lost_events) events"
		return 1
	fi

	"$lib/replay" -m "$2" -g "$3" -s "$4" -t "$5" -a "$6" <"$tracing/trace" \
		>"$work/json" 2>"$work/stderr"
	status=$?
	diag "$1: $(cat "$work/json" "$work/stderr")"
	lab data "{\"what\":\"differential\",\"label\":\"$1\",\"counts\":$(cat "$work/json")}"
	blocks=$((blocks + $(figure blocks <"$work/json")))
	grows=$((grows + $(figure grows <"$work/json")))
	shrinks=$((shrinks + $(figure shrinks <"$work/json")))
	return "$status"
}

# A trace in the kernel's words; arguments: "BLOCK NEW OLD" per decision.
fake_trace() {
	for decision; do
		# shellcheck disable=SC2086
		set -- $decision
		echo " <idle>-0 [001] d..1. 1.0: reflect: (haltpoll_reflect+0x0/0x90) block=$1 index=1"
		[ $# -eq 1 ] ||
			echo " <idle>-0 [001] d..1. 1.0: guest_halt_poll_ns: halt_poll_ns $2 (grow $3)"
	done
}

# replay_says STATUS KEY VALUE OPTIONS... <TRACE
replay_says() {
	want=$1 key=$2 value=$3
	shift 3
	"$lib/replay" "$@" >"$work/json" 2>/dev/null
	[ $? = "$want" ] && { [ -z "$key" ] || [ "$(figure "$key" <"$work/json")" = "$value" ]; }
}

mkdir -p "$work" || exit 1

# The judge first: does it see what is wrong?
fake_trace "60000 50000 0" "60000 100000 50000" "900000 50000 100000" "20000" >"$work/good"
fake_trace "60000 50000 0" "60000 150000 50000" >"$work/wrong"
fake_trace "60000 50000 0" "60000" >"$work/silent"
fake_trace "60000 50000 0" "40000 90000 50000" >"$work/eager"
fake_trace "3000000000 2500000000 0" "3000000000 2500000000 2500000000" >"$work/wraps"
echo "CPU:1 [LOST 12 EVENTS]" >"$work/lost"
check "replay: mainline's own sequence agrees" replay_says 0 disagreed 0 <"$work/good"
check "replay: a wrong window is found" replay_says 1 disagreed 1 <"$work/wrong"
{ cat "$work/silent" && fake_trace "10"; } >"$work/missing"
check "replay: a missing decision is found" replay_says 1 disagreed 1 <"$work/missing"
check "replay: a decision too many is found" replay_says 1 disagreed 1 <"$work/eager"
check "replay: a product that wraps is a documented difference" replay_says 0 documented 1 \
	-m 4000000000 -t 2500000000 <"$work/wraps"
check "replay: a trace with lost events is refused" replay_says 2 "" "" <"$work/lost"
check "replay: a bad option is refused" replay_says 2 "" "" -g x </dev/null

why=
if ! grep -qw haltpoll "$cpuidle/available_governors" 2>/dev/null; then
	why="this kernel has no governor haltpoll (or sees no KVM)"
elif [ "$(cat "$cpuidle/current_driver")" = none ]; then
	why="no cpuidle driver: governors are not asked (boot with kvm-hint-dedicated=on)"
elif [ ! -d "$tracing/events/power/guest_halt_poll_ns" ]; then
	why="no tracepoint power:guest_halt_poll_ns (5.19 has it)"
elif [ "$(nproc)" -lt 2 ]; then
	why="two CPUs are needed"
fi
if [ -n "$why" ]; then
	skip "mainline's haltpoll decides as the classic rule does" "$why"
	rm -rf "$work"
	finish
fi

trap cleanup EXIT
echo 0 >"$tracing/tracing_on"
echo nop >"$tracing/current_tracer"
echo "$BUFFER_KB" >"$tracing/buffer_size_kb"
check "haltpoll_reflect() can be probed" probe_add
check "both events are on" events 1

blocks=0 grows=0 shrinks=0
check "defaults, window 1 ms" differ defaults 1000000 2 2 50000 Y
check "odd factors" differ odd 700000 3 3 30000 Y
check "shrink 0 empties the window" differ shrink0 500000 2 0 50000 Y
check "shrinking not allowed" differ noshrink 600000 2 2 50000 N
check "grow_start above the maximum" differ bigstart 400000 2 2 800000 Y
check "maximum 0" differ max0 0 2 2 50000 Y

diag "$blocks blocks, $grows windows grew, $shrinks shrank"
check "at least $MIN_GROWS windows grew ($grows)" [ "$grows" -ge "$MIN_GROWS" ]
check "at least $MIN_SHRINKS windows shrank ($shrinks)" [ "$shrinks" -ge "$MIN_SHRINKS" ]
finish
