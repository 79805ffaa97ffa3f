#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# MSR_KVM_POLL_CONTROL, CPU by CPU, as the msr driver shows it.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/msr.sh
. "$HPOLL_LIB/msr.sh"

has_control || skip_all "no MSR_KVM_POLL_CONTROL here, or no msr driver"

check "the host polls before" controls_are 1
check "loads" load
check "the host does not poll while this governor is current" controls_are 0
check "status counts the CPUs" status_has "host poll: controlled, off on 2 CPUs"
set_governor menu
check "... polls again under menu" controls_are 1
set_governor hpoll
check "... and not under hpoll" controls_are 0
offline_online() {
	echo 0 >/sys/devices/system/cpu/cpu1/online &&
		status_has "host poll: controlled, off on 1 CPUs" &&
		echo 1 >/sys/devices/system/cpu/cpu1/online &&
		status_has "host poll: controlled, off on 2 CPUs"
}
check "restored for a CPU that goes offline, off again when it is back" offline_online
check "... as the MSR says" controls_are 0
check "unloads" unload
check "the host polls after" controls_are 1

finish
