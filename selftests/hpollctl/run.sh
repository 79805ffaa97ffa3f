#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hpollctl in a real guest: what it says before and after loading, what it changes,
# and what it measures.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

PATH=$HPOLL_LIB:$PATH

# ends STATUS WORD...: hpollctl ends so; what it says is in /tmp/said
ends() {
	ends_status=$1
	shift
	hpollctl "$@" >/tmp/said 2>&1
	ends_got=$?
	[ "$ends_got" = "$ends_status" ] && return
	echo "hpollctl $*: $ends_got instead of $ends_status" >&2
	cat /tmp/said >&2
	return 1
}

# says TEXT: somewhere in what it said last
says() {
	grep -qF -- "$1" /tmp/said && return
	sed 's/^/said: /' /tmp/said >&2
	return 1
}

before=$(cat $cpuidle/current_governor)

check "not loaded: status ends with 1" ends 1 status
check "... and says so" says "hpoll is not loaded"
check "not loaded: top ends with 1" ends 1 top -n 1
check "not loaded: tune ends with 1" ends 1 tune policy=classic
load gate=off
check "refused by the gate: doctor ends with 1" ends 1 doctor
check "... and says why" says "gate off refuses"
check "... and what to do" says "load it without gate=off"

check "loads" load_wide
check "status ends with 0" ends 0 status
check "... and says what the module says" says "$(sed -n 's/^reason: //p' $params/status)"
check "status --json ends with 0" ends 0 --json status
check "... with every CPU" says "{\"cpu\":$(($(nproc) - 1)),"
check "doctor finds it active" sh -c 'hpollctl doctor | grep -q "CPUs poll through it"'
polls
check "histogram ends with 0" ends 0 histogram
check "... and counts idle periods" sh -c 'grep -q "^[1-9][0-9]* idle periods" /tmp/said'
start_load
check "top ends with 0" ends 0 top -n 2
# However few they are where the kernel proves what it does
polls_are_seen() {
	ends 0 --json top -n 1 && grep -q '"hits_per_s":[1-9]' /tmp/said
}
check "top --json sees polls that hit" within 10 polls_are_seen
stop_load

check "tune takes good values" ends 0 tune guest_halt_poll_ns=100000 policy=classic
check "... and shows old and new" says "guest_halt_poll_ns: 5000000 -> 100000"
check "... which the module has" reads $params/policy classic
check "tune refuses a bad value" ends 2 tune halt_cost_ns=1 poll_budget_pct=0
check "... and changes nothing" reads $params/halt_cost_ns 5000000
check "tune shows all" ends 0 tune
check "... of them" says "poll_budget_pct: 1"

set_governor menu
check "another governor: status ends with 1" ends 1 status
check "another governor: doctor ends with 1" ends 1 doctor
check "... and says which" says "current_governor is menu"
check "... and what to do" says "echo hpoll > $cpuidle/current_governor"

check "bench ends with 0" ends 0 bench -n 100 -r 2
check "... and compares" says "times as fast as menu"
check "... and leaves the governor alone" governor_is menu
check "bench --json ends with 0" ends 0 --json bench -n 20 -r 1 -g hpoll
check "... with figures" says '"governor":"hpoll","wake_up_ns":'
echo classic >$params/policy
check "bench compares policies" ends 0 bench -n 50 -r 3 -g menu,hpoll:adaptive,hpoll:classic,hpoll
check "... by name" says "hpoll:adaptive"
check "... and leaves the policy alone" reads $params/policy classic
check "bench refuses a policy that is not there" ends 2 bench -g hpoll:fast
check "... or not hpoll's" ends 2 bench -g menu:classic
interrupted() {
	hpollctl bench -n 100000 -r 100 >/dev/null 2>&1 &
	usleep 700000
	kill -TERM $!
	wait $!
	[ $? = 143 ] && governor_is menu
}
check "bench: interrupted, it leaves the governor alone" interrupted
check "bench refuses a CPU that is not there" ends 2 bench -c "0,$(nproc)"
check "record: its trace is what hpoll-record's is" ends 0 record -o /tmp/trace -t 1
check "... for every CPU" [ -s "/tmp/trace.cpu$(($(nproc) - 1))" ]

check "unloads" unload
check "the governor before is current" governor_is "$before"
finish
