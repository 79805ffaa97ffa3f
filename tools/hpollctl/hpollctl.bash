# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of hpollctl for bash.

_hpollctl() {
	local word=${COMP_WORDS[COMP_CWORD]} command='' i
	local parameters=/sys/module/hpoll/parameters

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-*) ;;
		*)
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	case $command in
	'') mapfile -t COMPREPLY < <(compgen -W \
		"status top histogram tune doctor bench record --json --root= --help" -- "$word") ;;
	top) mapfile -t COMPREPLY < <(compgen -W "-d -n" -- "$word") ;;
	histogram) mapfile -t COMPREPLY < <(compgen -W "-d" -- "$word") ;;
	bench) mapfile -t COMPREPLY < <(compgen -W "-c -g -n -r" -- "$word") ;;
	record) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	tune)
		local names
		names=$(find "$parameters" -perm -200 -printf '%f= ' 2>/dev/null)
		mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
		compopt -o nospace
		;;
	esac
}

complete -F _hpollctl hpollctl
