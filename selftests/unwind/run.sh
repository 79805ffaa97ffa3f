#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Every step of loading fails once, in a build whose steps can be made to: the
# load is refused with one line, what was done before is undone, and the next
# load works.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

hpoll_ko=$HPOLL_LIB/hpoll-test.ko
driver=$(cat $cpuidle/current_driver)
before=$(cat $cpuidle/current_governor)

# unwinds STEPS ERRNO-TEXT REASON
unwinds() {
	echo "fault=$1 begins" >/dev/kmsg
	refused "$2" "$3" "fault=$1" || return 1
	# Where insmod fails it may have tried two system calls.
	said=$(dmesg | sed -n "/fault=$1 begins/,\$s/.*hpoll: //p" | sort -u | wc -l)
	[ "$said" = 1 ] || echo "$said lines instead of one" >&2
	[ "$said" = 1 ] && driver_is "$driver" && governor_is "$before"
}

fails() {
	check "fault=$1: refused in one line, nothing left" unwinds "$@"
}

load
mode=$(sed -n 's/^mode: //p' $params/status)
host_poll=$(sed -n 's/^host poll: \(.*\), off.*/\1/p' $params/status)
unload
diag "mode $mode, host poll $host_poll"

start_load
fails governor "Input/output error" "registering the cpuidle governor failed (-5)"
fails driver "Input/output error" "registering the cpuidle driver failed (-5)"
if [ "$mode" = "own driver" ]; then
	for mode in "" "kprobe,"; do
		fails "${mode}devices" "Cannot allocate memory" \
			"registering the cpuidle driver failed (-12)"
		fails "${mode}driver_cpuhp" "Input/output error" \
			"registering the cpuidle driver failed (-5)"
	done
fi
if [ "$host_poll" = controlled ]; then
	for step in pm_notifier reboot_notifier panic_notifier host_poll_cpuhp; do
		fails $step "Input/output error" \
			"getting ready to control host polling failed (-5)"
	done
fi
stop_load

then_loads() {
	load && status_has "active: yes" && unload && driver_is "$driver" &&
		governor_is "$before"
}
check "loads and unloads without a fault" then_loads

if [ "$driver" != none ]; then
	finish
fi

last=$(($(nproc) - 1))
has_states() {
	[ -d "/sys/devices/system/cpu/cpu$1/cpuidle/state0" ]
}
others_do() {
	for cpu in $(seq 0 $((last - 1))); do
		has_states "$cpu" || return 1
	done
}
this_one_not() {
	! has_states "$last"
}
online() {
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}
comes_and_goes() {
	online "$last" 0 && online "$last" 1 && this_one_not
}
heals() {
	echo -1 >"$params"/fault_cpu && online "$last" 0 && online "$last" 1 && has_states "$last" &&
		status_has "cpus: $((last + 1)) of $((last + 1)) online"
}
for mode in none kprobe; do
	check "fault=$mode: loads although CPU $last can't be registered" load fault=$mode "fault_cpu=$last"
	check "... and says so" dmesg_has "CPU $last idles without hpoll: registering it failed (-5)"
	check "... also in the status" status_has "cpus: $last of $((last + 1)) online"
	check "... the others have their states" others_do
	check "... that CPU has none" this_one_not
	check "... it goes offline and comes back" comes_and_goes
	check "... it is registered once that works" heals
	online "$last" 0
	check "... unloads while it is offline" unload
	online "$last" 1
done

finish
