# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Tests that go on in another kernel; to be sourced after tap.sh. The test is
# then run again, with "resumed" as its argument, by a kernel that knows nothing
# of the one before.

next_kernel=/boot/vmlinuz

# load_next reboot|crash [WORD...]: make what runs now the next kernel's, with
# these words more on its command line
load_next() {
	next_how=$1
	shift
	# The root is in memory and everything else is mounted over it.
	(cd / && find . -xdev ! -path "./boot/*" | cpio -o -H newc) >/tmp/initrd 2>/dev/null &&
		"$HPOLL_LIB/kexec_load" "$next_how" $next_kernel /tmp/initrd \
			"$(cat /proc/cmdline) hpoll_lab.resume=$LAB_TEST hpoll_lab.points=$tap_count $*"
}

# Points go on being counted where the kernel before stopped.
resume_points() {
	tap_count=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^hpoll_lab\.points=//p')
}
