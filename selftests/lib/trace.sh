# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The kernel's trace; to be sourced.

tracing=/sys/kernel/tracing

# lost_events: how many there was no room for
lost_events() {
	cat "$tracing"/per_cpu/cpu*/stats | awk '/^(overrun|dropped events|commit overrun):/ { n += $NF } END { print n + 0 }'
}
