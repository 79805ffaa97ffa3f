# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# hpoll's statistics; to be sourced.

# total COLUMN [CPUS]: its sum over all CPUs, or over the first so many
total() {
	awk -v name="$1" -v cpus="${2:-0}" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		NR > 1 && (!cpus || $column["cpu"] < cpus) { n += $column[name] }
		END { printf "%.0f\n", n }' /sys/kernel/debug/hpoll/cpus
}
