#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `perf stat -x, -j` prints: neither CSV nor JSON. perf 6.1 (Debian 12) and 6.12 (Debian 13) accept
# both options, and print lines that begin as JSON and end as CSV where an event has a metric:
#	{"counter-value" : "0.5", ..., "pcnt-running" : 100.00, ,0.3,CPUs utilized
# There is no closing brace, so no parser of JSON takes such a line. Lines of -j alone are good.
#
# Beside it: of -j alone "metric-value" is a number in 6.1, and a string in 6.12.
#
# Guess before looking: the later option wins, or they are refused together (perf 7.3 does refuse them).
# Here: pmcgrp stat refuses -x with -j; shim-test runs perf with one of them alone.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The sources of another suite, as this host has its own, with lists in a folder apart.
sources()
{
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
		grep -o 'https\{0,1\}://[^ ]*/debian/*\( \|$\)' | head -n 1 |
		sed "s|^\([^ ]*\).*|deb \1 $1 main|"
}

# get SUITE FOLDER PACKAGE...: with what they need, into a folder.
get()
{
	local suite=$1 folder=$2 list
	local -a apt

	shift 2
	mkdir -p "$folder"/{lists/partial,cache/archives/partial,state,debs}
	sources "$suite" >"$folder/sources"
	: >"$folder/state/status"
	apt=(-q -o Dir::Etc::sourcelist="$PWD/$folder/sources" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists="$PWD/$folder/lists" -o Dir::State::status="$PWD/$folder/state/status"
		-o Dir::Cache="$PWD/$folder/cache" -o APT::Install-Recommends=false)
	apt-get "${apt[@]}" update >log 2>&1 || { cat log; exit 1; }
	apt-get "${apt[@]}" -y -d install "$@" >log 2>&1 || { cat log; exit 1; }
	for list in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$list" "$folder/root"; done
}

# perf SUITE OPTIONS...: one event, of which perf makes a metric.
perf()
{
	local root=$1/root loader libraries
	shift

	loader=$(find "$root" -name 'ld-linux*' | head -n 1)
	libraries=$(find "$root" -type d -name '*-linux-gnu' -path '*/lib/*' | tr '\n' ':')
	"$loader" --library-path "$libraries" "$(find "$root"/usr/bin -name 'perf*' | head -n 1)" "$@"
}

for suite in bookworm trixie; do
	get "$suite" "$suite" linux-perf
	perf "$suite" --version | tee "$suite.version"
	perf "$suite" stat -x, -j -e task-clock true 2>"$suite.both"
	perf "$suite" stat -j -e task-clock true 2>"$suite.json"
	head -n 1 "$suite.both"
done
grep -q '^perf version 6\.1\.' bookworm.version
grep -q '^perf version 6\.12\.' trixie.version
python3 - <<'END'
import json
import re

kinds = {}
for suite in ("bookworm", "trixie"):
    both = open(f"{suite}.both").read().splitlines()[0]
    alone = json.loads(open(f"{suite}.json").read().splitlines()[0])
    kinds[suite] = type(alone["metric-value"]).__name__
    assert re.search(r'^\{"counter-value".*"pcnt-running" : 100\.00, ,[0-9.]+,CPUs utilized$', both), both
    try:
        json.loads(both)
        raise SystemExit(f"{suite}: it is JSON: {both}")
    except ValueError:
        pass
print("metric-value:", kinds)
assert kinds == {"bookworm": "float", "trixie": "str"}, kinds
END
