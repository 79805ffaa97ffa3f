#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What a guest costs its host that has nothing to do, or sleeps by timers: under
# hpoll no more than under menu. The host's word counts: what QEMU used.
#
# 	governors	comma-separated (menu,hpoll)
# 	rounds		of all governors (12)

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/json.sh
. "$HPOLL_LIB/json.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

ROUNDS=$(option rounds 12)
REST_S=2
# As noisy as the nested lab is.
MARGIN_PERCENT=5

# measure PATTERN COMMAND...: what the host spends on it
measure() {
	pattern=$governor.$1
	shift
	lab phase begin "$pattern.$round"
	"$@"
	used_ns=$(lab phase end "$pattern.$round")
	[ "$used_ns" -gt 0 ] && echo $((used_ns / 1000)) >>"/tmp/$pattern"
}

measure_all() {
	set_governor "$governor" || return 1
	# What a switch leaves to do, and to learn.
	sleep 1
	"$HPOLL_LIB/sleeper" 0 1000 100
	measure rest sleep "$REST_S" &&
		measure sleeps-1000us "$HPOLL_LIB/sleeper" 0 1000 500 &&
		measure sleeps-100us "$HPOLL_LIB/sleeper" 0 100 1500
}

case $(accel) in
kvm | nested-kvm-on-tcg) ;;
*) skip_all "in plain TCG a halt does not leave the guest" ;;
esac
check "loads" load
order=$(option governors menu,hpoll | tr ',' ' ')
round=1
while [ "$round" -le "$ROUNDS" ]; do
	reversed=
	for governor in $order; do
		check "round $round: $governor is measured" measure_all
		reversed="$governor $reversed"
	done
	order=$reversed
	round=$((round + 1))
done
for pattern in rest sleeps-1000us sleeps-100us; do
	for governor in $order; do
		diag "$pattern: $governor: $(median "/tmp/$governor.$pattern") us of the host's CPUs ($(sort -n "/tmp/$governor.$pattern" | tr '\n' ' '))"
	done
done
no_more "a guest at rest costs the host no more than under menu" \
	/tmp/hpoll.rest /tmp/menu.rest "$MARGIN_PERCENT"
no_more "... nor does a sleeper of 1 kHz" \
	/tmp/hpoll.sleeps-1000us /tmp/menu.sleeps-1000us "$MARGIN_PERCENT"
check "unloads" unload
finish
