# SPDX-License-Identifier: LGPL-2.1-only OR MIT
# shellcheck shell=bash
#
# Completion of pmcgrp in bash: subcommands, options of each, events, metrics and sections
# by name.

# The names that begin with a text, behind what stands before them.
# _pmcgrp_names BEFORE TEXT COMMAND...
_pmcgrp_names()
{
	local before=$1 text=$2

	shift 2
	mapfile -t COMPREPLY < <("$@" 2>/dev/null | awk -v text="$text" -v before="$before" \
		'tolower(substr($0, 1, length(text))) == tolower(text) { print before $0 }')
	compopt -o nospace
}

# Of a list the last name is completed: "{cycles,inst".
_pmcgrp_list()
{
	local text=${1##*[,\{]} before

	before=${1%"$text"}
	shift
	# bash takes what stands behind a colon for the word.
	if [[ $text == *:* && $COMP_WORDBREAKS == *:* ]]; then
		_pmcgrp_names "" "$text" "$@"
		COMPREPLY=("${COMPREPLY[@]#"${text%:*}":}")
	else
		_pmcgrp_names "$before" "$text" "$@"
	fi
}

# The second tracepoint of BEGIN/END, or the first.
_pmcgrp_pair()
{
	local text=${1##*/}

	_pmcgrp_names "${1%"$text"}" "$text" pmcgrp list --names tracepoint
	# bash takes what stands behind a colon for the word.
	if [[ $1 == *:* && $COMP_WORDBREAKS == *:* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${1%:*}":}")
	fi
}

_pmcgrp_options()
{
	mapfile -t COMPREPLY < <(compgen -W "$(pmcgrp "$1" --help 2>/dev/null |
		grep -o -E -e '--[a-z][a-z-]+' | sort -u)" -- "$2")
}

_pmcgrp()
{
	local cur prev command=${COMP_WORDS[1]} line=${COMP_LINE:0:COMP_POINT}

	# Words as the shell takes them, not parted at colons and equals signs.
	cur=${line##*[[:space:]]}
	prev=${line%"$cur"}
	prev=${prev%"${prev##*[![:space:]]}"}
	prev=${prev##*[[:space:]]}
	cur=${cur#[\'\"]}
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "stat record top report info section span run plan export list doctor selftest help version
			--help --version" -- "$cur")
		return
	fi
	if [[ $command == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "stat record top report info section span run plan export list doctor selftest" -- "$cur")
		return
	fi
	case $prev in
	-e | --event | --explain | -x | --every)
		[[ $command == @(stat|section|span) && $prev == -x ]] ||
			_pmcgrp_list "$cur" pmcgrp list --names
		;;
	--on)
		_pmcgrp_list "$cur" pmcgrp list --names sw tracepoint
		;;
	-M | --metrics)
		_pmcgrp_list "$cur" pmcgrp list --names metric
		;;
	--record | -o | --output | --config | --textfile)
		compopt -o default
		;;
	*)
		if [[ $cur == -* ]]; then
			_pmcgrp_options "$command" "$cur"
		elif [[ $command == section ]]; then
			_pmcgrp_names "" "$cur" pmcgrp section --names
		elif [[ $command == span && $cur == [./]* ]]; then
			# PATH:FUNCTION
			compopt -o nospace -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		elif [[ $command == span && $cur == [a-z]* && $line != *" -- "* ]]; then
			_pmcgrp_pair "$cur"
		else
			compopt -o default
		fi
		;;
	esac
}

complete -F _pmcgrp pmcgrp
