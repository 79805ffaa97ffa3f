# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What test programs print, and what to make of it; to be sourced.

# figure KEY <JSON: a number of the one JSON line
figure() {
	sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}

# median FILE: of a number a line
median() {
	sort -n "$@" | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'
}
