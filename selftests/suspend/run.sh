#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Suspend and resume: to idle, and to RAM where the guest's firmware can.
# Meanwhile the hypervisor may forget what it was told about host polling.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/msr.sh
. "$HPOLL_LIB/msr.sh"

wakealarm=/sys/class/rtc/rtc0/wakealarm

# What wakes a real machine from idle does not wake an emulated one: QEMU's clock
# raises an ACPI event in S3 only. The lab can send a byte.
can_wake() {
	case $1 in
	freeze) [ -n "${LAB_CHANNEL:-}" ] ;;
	mem) [ -e "$wakealarm" ] ;;
	esac
}
suspend() {
	case $1 in
	freeze)
		echo enabled >"/sys/class/tty/${LAB_CHANNEL##*/}/power/wakeup" &&
			lab wake 3
		;;
	mem)
		echo 0 >"$wakealarm"
		echo +3 >"$wakealarm"
		;;
	esac && echo "$1" >/sys/power/state
}

has_control || diag "no MSR_KVM_POLL_CONTROL in this guest"
start_load
before=$(cat $cpuidle/current_governor)
found=$(control 0)
for state in freeze mem; do
	if ! grep -qw $state /sys/power/state || ! can_wake $state; then
		skip "suspend to $state" "this guest can't, or nothing would wake it up"
		continue
	fi
	check "$state: loads" load_wide
	check "$state: the host does not poll before" controls 0
	# Some hypervisors reset the boot CPU's control with the CPU, some do not.
	! has_control || set_control 0 1
	check "$state: sleeps and wakes up" suspend $state
	check "$state: active after" status_has "active: yes"
	check "$state: the host polls for no CPU after, the boot CPU included" controls 0
	check "$state: CPUs poll" polls
	set_governor menu
	check "$state: sleeps and wakes up under menu" suspend $state
	check "$state: the host polls under menu, as before" controls "$found"
	set_governor hpoll
	check "$state: the host does not poll under hpoll" controls 0
	check "$state: unloads" unload
	check "$state: the host polls as before" controls "$found"
	check "$state: the governor before is current" governor_is "$before"
done
stop_load

finish
