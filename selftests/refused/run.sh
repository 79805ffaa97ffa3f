#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Where hpoll could load but never work: refused whatever the gate says. The
# guest's command line has the cause in it.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

cause=$(tr ' ' '\n' </proc/cmdline | grep -E '^(idle=|cpuidle.off=1)')
case $cause in
idle=*) reason="idle loop overridden by $cause on the kernel command line" ;;
cpuidle.off=1) reason="cpuidle is disabled; boot without cpuidle.off=1" ;;
*)
	echo "Bail out! the command line has no cause for a refusal"
	exit 1
	;;
esac

not_offered() {
	! governor_listed hpoll 2>/dev/null
}

for gate in auto force; do
	refused_load() {
		load "gate=$gate" && return 1
		case $load_error in
		*"No such device"*) ;;
		*) return 1 ;;
		esac
		logged "gate $gate refuses: $reason"
	}
	check "$cause: gate=$gate refuses with the reason" refused_load
	check "... and nothing is left of it" not_offered
done

finish
