# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# TAP for selftests; to be sourced: . ../lib/tap.sh
#
#	plan 3			how many points will come; or leave it out, then
#				finish prints it
#	ok what | not_ok what	a point that held, or did not
#	check what command...	ok or not_ok by the command's exit status
#	skip what why		a point that could not be tested here
#	skip_all why		nothing can be tested here; ends the test
#	diag text		a comment
#	finish			ends the test: status 0 unless a point failed or
#				the number of points is not the planned one
#
# A test that ends without finish has no plan or the wrong number of points,
# and whoever reads the TAP fails it.

tap_count=0
tap_failed=0
tap_plan=

plan() {
	tap_plan=$1
	echo "TAP version 13"
	echo "1..$1"
}

tap_point() {
	[ -n "$tap_plan" ] || [ "$tap_count" -gt 0 ] || echo "TAP version 13"
	tap_count=$((tap_count + 1))
	echo "$1 $tap_count - $2"
}

ok() {
	tap_point "ok" "$*"
}

not_ok() {
	tap_failed=$((tap_failed + 1))
	tap_point "not ok" "$*"
}

check() {
	tap_what=$1
	shift
	if "$@"; then
		ok "$tap_what"
	else
		not_ok "$tap_what"
	fi
}

quiet() {
	quiet_said=$("$@" 2>&1) && return
	printf '%s\n' "$quiet_said" | tail -n 30 >&2
	return 1
}

skip() {
	tap_point "ok" "$1 # SKIP $2"
}

skip_all() {
	echo "TAP version 13"
	echo "1..0 # SKIP $1"
	exit 0
}

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

finish() {
	if [ -z "$tap_plan" ]; then
		echo "1..$tap_count"
	elif [ "$tap_plan" != "$tap_count" ]; then
		diag "planned $tap_plan points, ran $tap_count"
		exit 1
	fi
	[ "$tap_count" -gt 0 ] && [ "$tap_failed" = 0 ]
	exit
}
