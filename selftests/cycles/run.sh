#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Coming and going under load, with governor switches in between. That no
# pointer into the module is left shows in what does not happen: the guest
# panics on every warning.
#
#	rounds		how often (100)

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

rounds=$(option rounds 100)

driver=$(cat $cpuidle/current_driver)
before=$(cat $cpuidle/current_governor)

cycles() {
	round=0
	while [ "$round" -lt "$rounds" ]; do
		load || break
		after=$before
		case $((round % 4)) in
		1) after=menu && set_governor menu ;; # a choice that is kept
		2) set_governor menu && set_governor hpoll ;;
		3) echo $((round * 10000)) >"$params"/guest_halt_poll_ns ;;
		esac || break
		unload || break
		driver_is "$driver" || break
		governor_is "$after" || break
		set_governor "$before" || break
		round=$((round + 1))
	done
	diag "$round of $rounds rounds"
	[ "$round" -eq "$rounds" ]
}

start_load
check "$rounds rounds of loading and unloading under load" cycles
stop_load

# Freed module memory would be found by whoever still uses it by now.
sleep 2
check "the governor before is current" governor_is "$before"
check "the driver before is current" driver_is "$driver"

finish
