#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Another kernel by kexec: it finds host polling as the first one found it.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"
# shellcheck source=selftests/lib/msr.sh
. "$HPOLL_LIB/msr.sh"
# shellcheck source=selftests/lib/next_kernel.sh
. "$HPOLL_LIB/next_kernel.sh"

if [ "${1:-}" = resumed ]; then
	resume_points
	check "the next kernel's host polls for every CPU" controls_are 1
	check "hpoll loads here too" load
	check "the host does not poll while it is active" controls_are 0
	check "unloads" unload
	check "the host polls after" controls_are 1
	finish
fi

has_control || skip_all "no MSR_KVM_POLL_CONTROL here, or no msr driver"

check "the host polls before" controls_are 1
check "loads" load
check "the host does not poll while it is active" controls_are 0
if load_next reboot; then
	"$HPOLL_LIB/kexec_load" go
fi
not_ok "goes on in another kernel"
finish
