#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A crash: the kernel that is there to save the dump finds host polling as it was.
# That takes crash_kexec_post_notifiers on the command line, or nobody is told
# about the crash before the next kernel runs.

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
	check "this is the kernel for after a crash" [ -e /proc/vmcore ]
	check "the host polls for the CPU that crashed" controls_are 1
	finish
fi

has_control || skip_all "no MSR_KVM_POLL_CONTROL here, or no msr driver"

check "the host polls before" controls_are 1
check "loads" load
check "the host does not poll while it is active" controls_are 0
if load_next crash nr_cpus=1 reset_devices; then
	echo c >/proc/sysrq-trigger
fi
not_ok "goes on in the kernel for after a crash"
finish
