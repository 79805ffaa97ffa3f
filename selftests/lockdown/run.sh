#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A locked-down kernel takes no module that nobody has signed: that is said, and
# nothing is left behind.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

before=$(cat $cpuidle/current_governor)

grep -q '\[integrity\]' /sys/kernel/security/lockdown 2>/dev/null ||
	mount -t securityfs securityfs /sys/kernel/security
grep -q '\[integrity\]' /sys/kernel/security/lockdown ||
	skip_all "this kernel is not locked down"

refused_unsigned() {
	load gate=force && return 1
	case $load_error in
	*"Operation not permitted"*) ;;
	*)
		echo "$load_error" >&2
		return 1
		;;
	esac
}
check "the module, unsigned, is refused" refused_unsigned
says_so() {
	dmesg | grep -q 'Lockdown: insmod: unsigned module loading is restricted'
}
check "the log says why" says_so
check "nothing is left of it" driver_is none
check "the governor before is current" governor_is "$before"

finish
