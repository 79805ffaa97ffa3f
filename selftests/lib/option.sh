# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What a test was asked to do; to be sourced.

# option NAME DEFAULT: from the environment, the kernel's command line
# (hpoll_TEST.NAME=5), or the default
option() {
	eval "option_value=\${$1:-}"
	[ -n "$option_value" ] || option_value=$(tr ' ' '\n' </proc/cmdline |
		sed -n "s/^hpoll_${LAB_TEST:-}\.$1=//p" | tail -n 1)
	echo "${option_value:-$2}"
}

# accel: the label of the accelerator
accel() {
	accel_label=$(tr ' ' '\n' </proc/cmdline | sed -n "s/^hpoll_lab\.accel=//p")
	echo "${accel_label:-${HPOLL_ACCEL:-unknown}}"
}
