# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What test programs print, and what to make of it; to be sourced after tap.sh.

# figure KEY <JSON: a number of the one JSON line
figure() {
	sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}

# median FILE: of a number a line
median() {
	sort -n "$@" | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'
}

# margin MINE BASE PERCENT: two files with a figure for each round. Prints "kept",
# "broken" or "open", the median of the ratios and its lower bound in permille, and
# how many pairs there are.
#
# Rounds next to each other are compared, since a machine that others use is now
# faster, now slower; the median of those ratios counts. Neighbours differ by 8%
# on a calm machine and by anything on a busy one, so a median above the margin
# says little at first: it counts as slower once the true median is above the
# margin with a confidence of 99.5% (sign test), whatever the noise looks like.
# That takes 11 pairs. See no_more.
margin() {
	paste "$1" "$2" | awk '{ print int($1 * 1000 / $2) }' |
		sort -n | awk -v most=$((1000 + $3 * 10)) '
			{ v[NR] = $1 }
			END {
				# NR/2 - 2.58 * sqrt(NR)/2, by an awk that has no roots
				k = int(NR / 2)
				while (k > 0 && (NR - 2 * k) * (NR - 2 * k) < 2.58 * 2.58 * NR)
					k--
				low = k > 0 ? v[k] : 0
				mid = v[int((NR + 1) / 2)]
				said = mid <= most ? "kept" : low > most ? "broken" : "open"
				print said, mid, low, NR
			}'
}

# no_more WHAT MINE BASE PERCENT: checks that by margin; skipped where it can't be told
no_more() {
	no_more_what=$1
	shift
	# shellcheck disable=SC2046 # four words
	set -- $(margin "$@")
	no_more_figures="median of $4 pairs $2 permille, with 99.5% confidence not below $3"
	if [ "$1" = open ]; then
		skip "$no_more_what" "this machine is too noisy to tell: $no_more_figures"
	else
		check "$no_more_what ($no_more_figures)" [ "$1" = kept ]
	fi
}
