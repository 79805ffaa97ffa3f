#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A latency limit of 0 forbids halting: CPUs poll and do nothing else.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

halts_in_a_second() {
	halts=$(usage 1)
	sleep 1
	halts=$(($(usage 1) - halts))
}
halts() {
	halts_in_a_second
	[ "$halts" -gt 0 ]
}
never_halts() {
	halts_in_a_second
	[ "$halts" -eq 0 ] && return
	echo "$halts halts" >&2
	return 1
}

check "loads, with a window of 0" load guest_halt_poll_ns=0
check "CPUs halt" halts
exec 4>/dev/cpu_dma_latency
printf '\0\0\0\0' >&4
check "no CPU halts while /dev/cpu_dma_latency is held at 0" never_halts
exec 4>&-
check "CPUs halt once it is released" halts
check "unloads" unload

finish
