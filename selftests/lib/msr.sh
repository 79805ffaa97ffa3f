# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# MSR_KVM_POLL_CONTROL, CPU by CPU, as the msr driver shows it; to be sourced.

MSR_KVM_POLL_CONTROL=$((0x4b564d05))

# control CPU: the MSR's lowest bit, 1 if the host polls for this CPU; nothing
# where there is no such MSR
control() {
	dd if="/dev/cpu/$1/msr" bs=8 count=1 iflag=skip_bytes \
		skip="$MSR_KVM_POLL_CONTROL" 2>/dev/null |
		hexdump -n 4 -e '1/4 "%u\n"'
}

# set_control CPU VALUE
set_control() {
	case $2 in
	0) printf '\0\0\0\0\0\0\0\0' ;;
	1) printf '\1\0\0\0\0\0\0\0' ;;
	esac | dd of="/dev/cpu/$1/msr" bs=8 count=1 oflag=seek_bytes conv=notrunc \
		seek="$MSR_KVM_POLL_CONTROL" 2>/dev/null
}

has_control() {
	[ -n "$(control 0)" ]
}

# controls VALUE: on every CPU that is online, if there is such an MSR at all
controls() {
	! has_control || controls_are "$1"
}

# controls_are VALUE: on every CPU that is online
controls_are() {
	for control_path in /dev/cpu/[0-9]*; do
		control_cpu=${control_path##*/}
		grep -qx "processor.*: $control_cpu" /proc/cpuinfo || continue
		[ "$(control "$control_cpu")" = "$1" ] && continue
		echo "CPU $control_cpu: $(control "$control_cpu") instead of $1" >&2
		return 1
	done
}
