# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What test programs print; to be sourced.

# figure KEY <JSON: a number of the one JSON line
figure() {
	sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}
