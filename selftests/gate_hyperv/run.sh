#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The gate in a guest with Hyper-V enlightenments, which move KVM's signature.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

check "gate=kvm finds the moved signature" load gate=kvm
check "... at its leaf" status_has 'reason: hypervisor signature "KVMKVMKVM" at CPUID leaf 0x40000100'
check "... and its feature leaf there" grep -q "^host poll: controlled, " $params/status
check "unloads" unload
check "Hyper-V's own is found as well" load 'gate="Microsoft Hv"'
check "... at its leaf" status_has 'reason: hypervisor signature "Microsoft Hv" at CPUID leaf 0x40000000'
check "unloads" unload

finish
