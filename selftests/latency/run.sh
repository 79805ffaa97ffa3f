#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Wake-up latency under each governor, in one boot.
#
# Every governor that this kernel has is measured in every round, and each round
# runs in the opposite order of the one before, so that a drift of the machine
# hits them alike. Both pollers get the same window. Medians over the rounds are
# compared; p99 is noise where cores are shared.
#
# From the environment or the kernel's command line (hpoll_latency.rounds=5):
#	rounds		rounds (3)
#	duels		further rounds of the pollers alone (8), for a difference
#			of a few percent takes more rounds to see than one of 10x;
#			where they do not tell, as many again, up to DUELS_MOST
#	samples		IPIs per round (2000)
#	pings		round trips per round (1000)
#	mixed		wake-ups after short gaps per round of a mixed workload (100); 0 for none
#	governors	comma-separated (menu,haltpoll,hpoll-classic,hpoll); hpoll is
#			measured under policy=adaptive, hpoll-classic is the same
#			governor under policy=classic
#	gates		values of gate= to load hpoll.ko with, comma-separated (auto).
#			All but the last must be refused, the last must load.
#
# Mixed workloads: a task is woken after a short gap, and between that after one long
# gap ("alternating") or two ("mostly-long"). Only the former wake-ups count.
#
# Phases for the host to count exits in: GOVERNOR.ipi.ROUND and
# GOVERNOR.pingpong.ROUND, not in duels; "none" is the kernel's own idle, before
# hpoll is loaded, where no cpuidle driver is there yet.

# What must hold: how many times faster than menu, per kind of accelerator, and
# how much slower than other pollers at most. The nested lab is where
# these were stated; on real hardware exits are cheaper and differ by machine.
NESTED_IPI_GAIN=15
NESTED_PINGPONG_GAIN=8
KVM_IPI_GAIN=1
KVM_PINGPONG_GAIN=1
MARGIN_PERCENT=5
# As many rounds as that margin takes; as many, and as long, as it is worth.
MARGIN_ROUNDS=9
DUELS_MOST=40
DUELS_SECONDS=90
# Of the samples asked for, so many percent must have found an idle target.
SAMPLES_PERCENT=80
# The idle gap before each IPI.
GAP_US=60
# How many times faster than the other pollers on a mixed workload. In the nested lab.
MIXED_GAIN=2
LONG_US=5000
# Two kinds of past, each with as many periods as the policy remembers, and some more.
MIXED_WARM=150
# The window: mainline's default on hardware. In the nested lab everything takes
# ten times longer, so it is scaled.
KVM_WINDOW_NS=200000
KVM_GROW_START_NS=50000
KVM_MIXED_GAP_US=50
NESTED_WINDOW_NS=2000000
NESTED_GROW_START_NS=500000
NESTED_MIXED_GAP_US=200

lib=${HPOLL_LIB:-../../build/guest/$(uname -r)}
# shellcheck source=selftests/lib/tap.sh
. "$lib/tap.sh"
# shellcheck source=selftests/lib/json.sh
. "$lib/json.sh"
# shellcheck source=selftests/lib/option.sh
. "$lib/option.sh"
# shellcheck source=selftests/lib/stats.sh
. "$lib/stats.sh"

cpuidle=/sys/devices/system/cpu/cpuidle
ipi=/sys/kernel/debug/ipi_wake
work=${TMPDIR:-/tmp}/hpoll-latency.$$

# Outside the lab there is nobody to tell.
command -v lab >/dev/null || lab() { :; }

# Text to a JSON string.
json_string() {
	printf '"%s"' "$(printf '%s' "$1" | tr '\t' ' ' | sed 's/["\\]/\\&/g' | tr -d '\000-\037')"
}

seconds() {
	cut -d . -f 1 /proc/uptime
}

set_window() {
	for module in haltpoll hpoll; do
		params=/sys/module/$module/parameters
		[ -d "$params" ] || continue
		echo "$window_ns" >"$params/guest_halt_poll_ns"
		echo "$grow_start_ns" >"$params/guest_halt_poll_grow_start"
	done
}

has_governor() {
	grep -qw "${1%-classic}" "$cpuidle/available_governors"
}

# Did this try get as many samples as asked for?
enough() {
	[ "$(figure samples)" -ge $(($1 * SAMPLES_PERCENT / 100)) ]
}

measure_ipi() {
	measure_samples=$1
	shift
	echo "source=0 target=1 gap_us=$GAP_US samples=$measure_samples $*" >"$ipi/run" &&
		cat "$ipi/result"
}

# in_phase NAME COMMAND...: what it prints goes to $work/json
in_phase() {
	phase=$1
	shift
	[ -n "$dueling" ] || lab phase begin "$phase"
	"$@" >"$work/json"
	phase_status=$?
	[ -n "$dueling" ] || lab phase end "$phase" >/dev/null
	return "$phase_status"
}

# count COLUMN: of both CPUs; 0 while hpoll is not loaded
count() {
	if [ -e /sys/kernel/debug/hpoll/cpus ]; then total "$1" 2; else echo 0; fi
}

# in_peace WHAT OPS COMMAND...: measures $governor, in $round. Again where that took too
# few samples, or where the host took CPUs away from hpoll's polls: the adaptive policy
# holds back then, as the test busy shows; what it gains is asked for on a host that has
# time.
in_peace() {
	what=$1 ops=$2
	shift 2
	for tries in 1 2 3; do
		preempted=$(count preempted)
		"$@"
		peace_status=$?
		preempted=$(($(count preempted) - preempted))
		strain=$(count strain)
		why="too few samples: $(cut -c 1-300 "$work/json")"
		if [ "$peace_status" = 0 ]; then
			if [ "$governor" != hpoll ] || [ -n "$dueling" ] ||
				[ $((strain + preempted * 10 / ops)) = 0 ]; then
				break
			fi
			why="the host interrupted $preempted polls, strain $strain"
		fi
		diag "round $round: $governor: $what: $why"
		[ "$tries" -lt 3 ] || echo "$round" >>"$work/disturbed.$what"
		# Until that is forgotten.
		sleep 2
	done
	[ "$peace_status" = 0 ] || return 1
	figure p50 <"$work/json" >>"$work/$governor.$what"
}

# measure GOVERNOR ROUND: a line of JSON a measurement to the lab, medians to files.
measure() {
	governor=$1
	round=$2

	# The window has to be learned, the caches to be filled, and what a boot
	# leaves to do to be done: not counted.
	warm_tries=5
	warm=$((samples / 10 + 10))
	until measure_ipi "$warm" >"$work/warm" && enough "$warm" <"$work/warm"; do
		warm_tries=$((warm_tries - 1))
		[ "$warm_tries" -gt 0 ] || return 1
		sleep 1
	done
	in_peace ipi "$samples" measure_ipi_once || return 1
	# The host counted exits in all tries.
	lab data "{\"what\":\"ipi\",\"governor\":\"$governor\",\"round\":$round,\"ops\":$((samples * tries)),\"ns\":$(cat "$work/json")}"

	"$lib/pingpong" -a 0 -b 1 -w 0 -n $((pings / 10 + 10)) >/dev/null || return 1
	in_peace pingpong "$pings" in_phase "$governor.pingpong.$round" \
		"$lib/pingpong" -a 0 -b 1 -w 0 -n "$pings" || return 1
	lab data "{\"what\":\"pingpong\",\"governor\":\"$governor\",\"round\":$round,\"ops\":$((pings * tries)),\"ns\":$(cat "$work/json")}"

	[ "$mixed" -gt 0 ] && [ -z "$dueling" ] || return 0
	measure_mixed alternating longs=1 && measure_mixed mostly-long longs=2
}

measure_ipi_once() {
	in_phase "$governor.ipi.$round" measure_ipi "$samples" && enough "$samples" <"$work/json"
}

# measure_mixed NAME OPTION...: wake-ups of $governor, in $round
measure_mixed() {
	in_peace "$1" "$mixed" measure_mixed_once "$@" || return 1
	case $governor in
	hpoll*) echo "$vain" >>"$work/$governor.$1.vain" ;;
	*) vain=null ;;
	esac
	lab data "{\"what\":\"$1\",\"governor\":\"$governor\",\"round\":$round,\"ops\":$mixed,\"vain_ns\":$vain,\"ns\":$(cat "$work/json")}"
}

measure_mixed_once() {
	kind=$1
	shift
	# Learned is what comes after what, so it takes more than a window does.
	measure_ipi "$MIXED_WARM" gap_us="$mixed_gap_us" task=1 long_us="$LONG_US" "$@" >/dev/null || return 1
	vain=$(count vain_ns)
	in_phase "$governor.$kind.$round" measure_ipi "$mixed" gap_us="$mixed_gap_us" task=1 \
		long_us="$LONG_US" "$@" || return 1
	enough "$mixed" <"$work/json" || return 1
	vain=$(($(count vain_ns) - vain))
}

# Take it into use and see that it is.
use_governor() {
	use=$1
	case $1 in
	hpoll) echo adaptive >/sys/module/hpoll/parameters/policy || return 1 ;;
	hpoll-classic)
		use=hpoll
		echo classic >/sys/module/hpoll/parameters/policy || return 1
		;;
	esac
	echo "$use" >"$cpuidle/current_governor" 2>/dev/null
	[ "$(cat "$cpuidle/current_governor")" = "$use" ]
}

# run_rounds FIRST LAST: the governors in $order, turned round after each round
run_rounds() {
	round=$1
	while [ "$round" -le "$2" ]; do
		reversed=
		for governor in $order; do
			if use_governor "$governor"; then
				check "round $round: $governor is measured" \
					measure "$governor" "$round"
			else
				not_ok "round $round: $governor can be switched to"
			fi
			reversed="$governor $reversed"
		done
		order=$reversed
		round=$((round + 1))
	done
}

# The module's lines in the log since the last call. Where insmod fails it may
# have tried two system calls, so each line once.
new_log() {
	dmesg | grep 'hpoll: ' | sed 's/^\[[^]]*\] *//' >"$work/log"
	tail -n +$((logged + 1)) "$work/log" | uniq
	logged=$(wc -l <"$work/log")
}

# load_hpoll GATE refused|loaded
load_hpoll() {
	new_log >/dev/null
	if insmod "$lib/hpoll.ko" gate="$1" 2>"$work/stderr"; then
		got=loaded
	else
		got=refused
	fi
	new_log >"$work/new"
	diag "gate=$1: $got: $(cat "$work/new" "$work/stderr")"
	lines=
	while IFS= read -r line; do
		lines="$lines${lines:+,}$(json_string "$line")"
	done <"$work/new"
	lab data "{\"what\":\"gate\",\"gate\":\"$1\",\"result\":\"$got\",\"driver\":\"$(cat "$cpuidle/current_driver")\",\"log\":[$lines]}"

	if [ "$got" = "$2" ] && [ -s "$work/new" ]; then
		ok "gate=$1 is $2, and the log says why"
	else
		not_ok "gate=$1 is $2, and the log says why (it is $got)"
	fi
	[ "$got" = loaded ]
}

# disturbed WHAT: in half of the rounds the host did not leave hpoll in peace
disturbed() {
	[ -s "$work/disturbed.$1" ] && [ $((2 * $(wc -l <"$work/disturbed.$1"))) -ge "$rounds" ]
}
too_busy="the host was too busy: it interrupted polls in each try"

# faster WHAT FACTOR: hpoll against menu
faster() {
	mine=$(median "$work/hpoll.$1")
	base=$(median "$work/menu.$1")
	text="$1 ($accel): hpoll's median of $mine ns is at least $2 times below menu's of $base ns"
	if [ -n "$no_speed" ]; then
		skip "$1: hpoll is faster than menu" "$no_speed"
	elif disturbed "$1"; then
		skip "$1: hpoll is faster than menu" "$too_busy"
	else
		check "$text" [ $((mine * $2)) -le "$base" ]
	fi
}

margins_open() {
	for base in haltpoll hpoll-classic; do
		for what in ipi pingpong; do
			case $(margin "$work/hpoll.$what" "$work/$base.$what" "$MARGIN_PERCENT") in
			open*) return 0 ;;
			esac
		done
	done
	return 1
}

# comparable WHAT GOVERNOR FILE: can be, or is skipped as WHAT
comparable() {
	if [ -n "$no_speed" ]; then
		skip "$1" "$no_speed"
	elif [ ! -s "$3" ]; then
		skip "$1" "$2 was not measured here"
	else
		return 0
	fi
	return 1
}

# no_slower WHAT BASE: hpoll against another poller
no_slower() {
	what="$1 ($accel): hpoll is at most $MARGIN_PERCENT% slower than $2"
	comparable "$what" "$2" "$work/$2.$1" || return
	if [ $((rounds + duels)) -lt "$MARGIN_ROUNDS" ]; then
		skip "$what" "takes at least $MARGIN_ROUNDS rounds to tell"
	else
		no_more "$what" "$work/hpoll.$1" "$work/$2.$1" "$MARGIN_PERCENT"
	fi
}

# mixed_faster KIND BASE: hpoll against another poller, on a mixed workload
mixed_faster() {
	what="$1 ($accel): hpoll is at least $MIXED_GAIN times faster than $2"
	comparable "$what" "$2" "$work/$2.$1" || return
	if disturbed "$1"; then
		skip "$what" "$too_busy"
		return
	fi
	mine=$(median "$work/hpoll.$1")
	theirs=$(median "$work/$2.$1")
	check "$what (medians of $mine and $theirs ns)" [ $((mine * MIXED_GAIN)) -le "$theirs" ]
}

# mixed_vain KIND: hpoll against itself under the classic policy
mixed_vain() {
	what="$1 ($accel): the adaptive policy polls no longer in vain than the classic one"
	comparable "$what" hpoll-classic "$work/hpoll-classic.$1.vain" || return
	mine=$(median "$work/hpoll.$1.vain")
	theirs=$(median "$work/hpoll-classic.$1.vain")
	check "$what (medians of $mine and $theirs ns)" [ "$mine" -le "$theirs" ]
}

cleanup() {
	rmmod ipi_wake 2>/dev/null
	rm -rf "$work"
}

bad_request() {
	! echo "$1" 2>/dev/null >"$ipi/run"
}

mkdir -p "$work" || exit 1
trap cleanup EXIT
logged=0
dueling=
accel=$(accel)
rounds=$(option rounds 3)
duels=$(option duels 8)
samples=$(option samples 2000)
pings=$(option pings 1000)
mixed=$(option mixed 100)
wanted=$(option governors menu,haltpoll,hpoll-classic,hpoll | tr ',' ' ')
gates=$(option gates auto | tr ',' ' ')
no_speed=
case $accel in
kvm)
	window_ns=$KVM_WINDOW_NS grow_start_ns=$KVM_GROW_START_NS mixed_gap_us=$KVM_MIXED_GAP_US
	ipi_gain=$KVM_IPI_GAIN pingpong_gain=$KVM_PINGPONG_GAIN
	;;
nested-kvm-on-tcg)
	window_ns=$NESTED_WINDOW_NS grow_start_ns=$NESTED_GROW_START_NS
	mixed_gap_us=$NESTED_MIXED_GAP_US
	ipi_gain=$NESTED_IPI_GAIN pingpong_gain=$NESTED_PINGPONG_GAIN
	;;
*)
	window_ns=$NESTED_WINDOW_NS grow_start_ns=$NESTED_GROW_START_NS
	mixed_gap_us=$NESTED_MIXED_GAP_US
	ipi_gain=0 pingpong_gain=0
	no_speed="no accelerator label: unknown if a HLT exits"
	[ "$accel" != tcg ] || no_speed="plain tcg: a HLT is nearly free there"
	;;
esac

[ "$(nproc)" -ge 2 ] || skip_all "two CPUs are needed"
diag "accelerator: $accel; window $window_ns ns, gap $GAP_US us, $rounds rounds"

check "ipi_wake.ko loads" insmod "$lib/ipi_wake.ko"
for request in "target=0" "target=100000" "samples=0" "gap_us=-1" "samples=5x" "frob=1" \
	"gap_us=1000000 samples=1000000" "shorts=0" "longs=5000" "random=2" "task=2" \
	"long_us=1000000 longs=1 samples=1000"; do
	check "ipi_wake refuses $request" bad_request "$request"
done

driver_before=$(cat "$cpuidle/current_driver")
if [ "$driver_before" = none ]; then
	check "measured without a cpuidle driver" measure none 0
fi

last=${gates##* }
for gate in $gates; do
	if [ "$gate" = "$last" ]; then
		load_hpoll "$gate" loaded || { finish; }
	else
		load_hpoll "$gate" refused
	fi
done
driver=$(cat "$cpuidle/current_driver")
set_window

order=
missing=
for governor in $wanted; do
	if has_governor "$governor"; then
		order="$order $governor"
	else
		missing="$missing $governor"
	fi
done
[ -z "$missing" ] || diag "this kernel lacks:$missing"
lab data "{\"what\":\"setup\",\"accel\":\"$accel\",\"driver_before\":\"$driver_before\",\"driver\":\"$driver\",\"governors\":\"${order# }\",\"window_ns\":$window_ns,\"grow_start_ns\":$grow_start_ns,\"gap_us\":$GAP_US,\"rounds\":$rounds}"

run_rounds 1 "$rounds"
diag "$(grep "^halt cost:" /sys/module/hpoll/parameters/status)"
if [ -s "$work/haltpoll.ipi" ] && [ -s "$work/hpoll.ipi" ]; then
	order="haltpoll $([ ! -s "$work/hpoll-classic.ipi" ] || echo hpoll-classic) hpoll"
	dueling=1
	last=$rounds
	ends=$(($(seconds) + DUELS_SECONDS))
	while [ "$duels" -gt 0 ] && [ "$last" -lt $((rounds + DUELS_MOST)) ] &&
		[ "$(seconds)" -lt "$ends" ]; do
		run_rounds $((last + 1)) $((last + duels))
		last=$((last + duels))
		if [ -n "$no_speed" ] || ! margins_open; then break; fi
	done
fi

faster ipi "$ipi_gain"
faster pingpong "$pingpong_gain"
for base in haltpoll hpoll-classic; do
	no_slower ipi "$base"
	no_slower pingpong "$base"
	mixed_faster alternating "$base"
	mixed_faster mostly-long "$base"
done
mixed_vain alternating
mixed_vain mostly-long

use_governor menu
check "hpoll is removed" rmmod hpoll
check "the driver is $driver_before again" \
	[ "$(cat "$cpuidle/current_driver")" = "$driver_before" ]
check "ipi_wake is removed" rmmod ipi_wake
finish
