#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Switching governors as an operator does, under load.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"
# shellcheck source=selftests/lib/hpoll.sh
. "$HPOLL_LIB/hpoll.sh"

ROUNDS=50

back_and_forth() {
	i=0
	while [ "$i" -lt "$ROUNDS" ]; do
		set_governor menu || return 1
		governor_is menu || return 1
		set_governor hpoll || return 1
		governor_is hpoll || return 1
		i=$((i + 1))
	done
}

not_active() {
	set_governor menu && inactive "another governor is current"
}

# The operator's choice outlives the module.
choice_is_kept() {
	set_governor ladder && unload && governor_is ladder
}

start_load
check "loads under load" load
check "hpoll is offered as governor" governor_listed hpoll
check "$ROUNDS times to menu and back under load" back_and_forth
check "status says that another governor is current" not_active
check "back again" set_governor hpoll
check "status says that hpoll is current" status_has "active: yes"

if governor_listed ladder; then
	check "another governor, chosen by hand, stays after unloading" choice_is_kept
	set_governor menu
else
	skip "another governor, chosen by hand, stays after unloading" "no third governor"
	unload
fi
check "menu is current without hpoll" governor_is menu
stop_load

finish
