#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hpollctl doctor, in a guest where something is as it should not be.
#
# From the environment or the kernel's command line (hpoll_doctor.finds=steal:trouble):
#	finds		comma-separated CHECK:LEVEL, what it has to find
#	names		what its evidence has to name
#	load		0 to look without hpoll; 1 (1) to try to load it before
#	holder		1 to have another driver in the slot (0)
#	busy		1 to have every CPU want to run (0)

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

busy_pids=

start_busy() {
	for _ in $(seq "$(nproc)"); do
		while :; do :; done &
		busy_pids="$busy_pids $!"
	done
}

doctor() {
	"$HPOLL_LIB/hpollctl" --json doctor >/tmp/found 2>/tmp/errors
	doctor_status=$?
	[ ! -s /tmp/errors ] && [ "$doctor_status" -le 1 ]
}

# finds CHECK LEVEL: and says what to do
finds() {
	doctor && grep -q "\"check\":\"$1\",\"level\":\"$2\",[^}]*\"next\":\"." /tmp/found
}

# status_fits: 1 where there is trouble
status_fits() {
	if grep -q '"level":"trouble"' /tmp/found; then
		[ "$doctor_status" = 1 ]
	else
		[ "$doctor_status" = 0 ]
	fi
}

wanted=$(option finds "")
[ -n "$wanted" ] || skip_all "nothing is to be found here"
[ "$(option holder 0)" = 0 ] || check "another driver takes the slot" insmod "$HPOLL_LIB/slot_holder.ko"
if [ "$(option load 1)" = 1 ]; then
	load
	diag "load: ${load_error:-ok}"
fi
[ "$(option busy 0)" = 0 ] || start_busy

for one in $(echo "$wanted" | tr ',' ' '); do
	check "finds $one, and what to do" within 20 finds "${one%:*}" "${one#*:}"
done
names=$(option names "")
[ -z "$names" ] || check "names $names" grep -q "$names" /tmp/found
check "the exit status fits" status_fits
sed 's/"}/"}\n/g' /tmp/found | sed 's/^/# /'

# shellcheck disable=SC2086 # several
[ -z "$busy_pids" ] || kill $busy_pids
! loaded || check "unloads" unload
[ "$(option holder 0)" = 0 ] || check "the other driver leaves" rmmod slot_holder
finish
