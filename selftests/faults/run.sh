#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What becomes of hpoll where allocations fail while it loads, one after the
# other. By the kernel's own fault injection, so on a kernel that has it.
#
#	stride		after the first, each so-manieth fails (23); 1 tries all

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/option.sh
. "$HPOLL_LIB/option.sh"

debug=/sys/kernel/debug
fail_load=/sys/module/fail_load/parameters

# Most of the allocations make one sysfs file like another, so the first few
# are tried and then one in each stride. MOST is more than there are.
FIRST=6
MOST=2000
stride=$(option stride 23)

[ -d $debug/failslab ] || skip_all "this kernel injects no faults"

driver=$(cat $cpuidle/current_driver)
before=$(cat $cpuidle/current_governor)

# Also those that may sleep; and without a stack dump for each.
for kind in failslab fail_page_alloc; do
	echo N >$debug/$kind/ignore-gfp-wait
	echo 0 >$debug/$kind/verbose
done
echo 0 >$debug/fail_page_alloc/min-order
echo N >$debug/fail_page_alloc/ignore-gfp-highmem

nothing_left() {
	! loaded && driver_is "$driver" && governor_is "$before" && ! governor_listed hpoll
}

# After a load that a fault met: it failed cleanly, or all is well.
clean() {
	if loaded; then
		loads=$((loads + 1))
		status_has "active: yes" && unload && nothing_left
		return
	fi
	failures=$((failures + 1))
	case $load_error in
	*"Cannot allocate memory"*) ;;
	*)
		echo "$load_error" >&2
		return 1
		;;
	esac
	# One line; none where the loader failed before hpoll had a say.
	said=$(dmesg | sed -n "/faults: round $round\$/,\$p" | grep 'hpoll: ')
	case $said in
	"" | *"not loaded: "*) ;;
	*) false ;;
	esac && [ "$(printf '%s' "$said" | wc -l)" -eq 0 ] && nothing_left && return
	printf '%s\n' "$said" >&2
	return 1
}

# faulty SET LEFT: load with the 1st, 2nd, 3rd ... allocation failing, until
# there is none left to fail. SET N arms, LEFT says how many were not used.
round=0
load_with=
faulty() {
	loads=0 failures=0 nth=1
	while [ "$nth" -le "$MOST" ]; do
		round=$((round + 1))
		echo "faults: round $round" >/dev/kmsg
		$1 "$nth"
		# shellcheck disable=SC2086 # a parameter or none
		load $load_with
		left=$($2)
		[ "$left" -eq 0 ] || break
		if ! clean; then
			echo "with fault $nth: $load_error" >&2
			break
		fi
		nth=$((nth + (nth < FIRST ? 1 : stride)))
	done
	$1 0
	diag "$((loads + failures)) faults in about $((nth - left)) allocations:" \
		"$failures loads failed, $loads loaded"
	[ "$left" -gt 0 ] && loaded && driver_is hpoll && unload && nothing_left
}

in_load() {
	echo "$1" >"$fail_load"/nth
}
in_load_left() {
	cat "$fail_load"/left
}

# The thread in which a CPU's callbacks run, those at registration included.
cpuhp() {
	for cpuhp_task in /proc/[0-9]*; do
		if grep -qx "cpuhp/$1" "$cpuhp_task/comm"; then
			echo "$cpuhp_task/task/${cpuhp_task#/proc/}/fail-nth"
			return
		fi
	done
}
in_cpu() {
	echo "$1" >"$fail_nth"
}
in_cpu_left() {
	cat "$fail_nth"
}

insmod "$HPOLL_LIB/fail_load.ko" || exit 1
check "allocations of loading may fail" faulty in_load in_load_left
for cpu in 0 1; do
	fail_nth=$(cpuhp $cpu)
	check "allocations for CPU $cpu may fail" faulty in_cpu in_cpu_left
done
hpoll_ko=$HPOLL_LIB/hpoll-test.ko
load_with=fault=kprobe
check "fused: allocations of loading may fail" faulty in_load in_load_left
rmmod fail_load

finish
