#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The KUnit suites as a module, on a kernel that has KUnit.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"

suites=/sys/kernel/debug/kunit
module=$HPOLL_LIB/hpoll_kunit.ko

[ -d "$suites" ] || skip_all "this kernel has no KUnit"

check "the suites load" insmod "$module"

# A suite's own report is a test with subtests; all but its number stays.
ran=0
for results in "$suites"/hpoll_*/results; do
	[ -e "$results" ] || break
	ran=$((ran + 1))
	grep '^ ' "$results"
	verdict=$(grep -E '^(not )?ok ' "$results")
	case $verdict in
	"ok 1 "*) ok "${verdict#ok 1 }" ;;
	*) not_ok "${verdict:-$results has no verdict}" ;;
	esac
done
# The files are not there where KUnit is switched off.
check "suites ran" [ "$ran" -gt 0 ]

check "the suites unload" rmmod hpoll_kunit

finish
