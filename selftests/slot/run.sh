#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The driver's slot is taken by one whose state 0 does not poll.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

before=$(cat $cpuidle/current_governor)

check "another driver takes the slot" insmod "$HPOLL_LIB/slot_holder.ko"
check "hpoll refuses and says who has the slot" refused "Device or resource busy" \
	"the cpuidle driver is slot_holder, whose state 0 does not poll"
check "the governor before is current" governor_is "$before"
ten_refusals() {
	i=0
	while [ "$i" -lt 10 ]; do
		load && return 1
		i=$((i + 1))
	done
	! governor_listed hpoll
}
check "ten refusals leave nothing behind" ten_refusals
check "the other driver leaves" rmmod slot_holder
check "hpoll loads now" load
check "with its own driver" driver_is hpoll
check "unloads" unload

finish
