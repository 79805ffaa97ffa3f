#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# An operator chose a governor on the kernel command line (cpuidle.governor=):
# that choice holds, whether it is hpoll or not.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

choice=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^cpuidle.governor=//p')
before=$(cat $cpuidle/current_governor)

check "loads" load
check "the chosen governor is current" governor_is "$choice"
if [ "$choice" = hpoll ]; then
	check "status: active" status_has "active: yes"
else
	check "status: not active" inactive "another governor is current"
	check "the log says why and what to do" logged \
		"not active: another governor is current; to change that: echo hpoll > $cpuidle/current_governor"
	check "switches by hand" set_governor hpoll
	check "status: active" status_has "active: yes"
fi
check "unloads" unload
check "the governor before is current" governor_is "$before"
check "no driver" driver_is none

finish
