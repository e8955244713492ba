#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `perf data convert --to-json` leaves out, in perf 6.1 (Debian 12) and 6.12 (Debian 13): the event of a
# sample, and its period. A recording of a group, here {task-clock,page-faults}:S, has two samples for each
# of the leader's, with the counts of both members as their periods. In the file both are objects with the same
# keys and the same timestamp, and nothing says which is whose, or how much it stands for.
#
# Who adds these samples up counts instants, not events; and of two events, all of both.
#
# Guess before looking: each sample names its event and has its period, as a line of `perf script` does.
# Here: each line of pmcgrp record --format jsonl has the counts of the whole group.
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

# get SUITE: perf with what it needs, into a folder of that name.
get()
{
	local package
	local -a apt

	mkdir -p "$1"/{lists/partial,cache/archives/partial,state}
	sources "$1" >"$1/sources"
	: >"$1/state/status"
	apt=(-q -o Dir::Etc::sourcelist="$PWD/$1/sources" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists="$PWD/$1/lists" -o Dir::State::status="$PWD/$1/state/status"
		-o Dir::Cache="$PWD/$1/cache" -o APT::Install-Recommends=false)
	apt-get "${apt[@]}" update >log 2>&1 || { cat log; exit 1; }
	apt-get "${apt[@]}" -y -d install linux-perf >log 2>&1 || { cat log; exit 1; }
	for package in "$1"/cache/archives/*.deb; do dpkg-deb -x "$package" "$1/root"; done
}

# perf SUITE OPTIONS...
perf()
{
	local root=$1/root loader libraries
	shift

	loader=$(find "$root" -name 'ld-linux*' | head -n 1)
	libraries=$(find "$root" -type d -name '*-linux-gnu' -path '*/lib/*' | tr '\n' ':')
	"$loader" --library-path "$libraries" "$(find "$root"/usr/bin -name 'perf*' | head -n 1)" "$@"
}

# shellcheck disable=SC2016 # it is for the shell that is recorded
loop='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
for suite in bookworm trixie; do
	get "$suite"
	perf "$suite" --version | tee "$suite.version"
	perf "$suite" record -q -o data -e '{task-clock:u,page-faults:u}:S' -c 1000000 -- sh -c "$loop" >log 2>&1
	perf "$suite" script -i data -F event,period,time >"$suite.script" 2>log
	perf "$suite" data convert --to-json "$suite.json" -i data >log 2>&1 || { cat log; exit 1; }
	rm -f data
done
grep -q '^perf version 6\.1\.' bookworm.version
grep -q '^perf version 6\.12\.' trixie.version
python3 - <<'END'
import json

for suite in ("bookworm", "trixie"):
    lines = open(f"{suite}.script").read().splitlines()
    samples = json.load(open(f"{suite}.json"))["samples"]
    keys = {key for sample in samples for key in sample}
    events = {line.split()[-1].rstrip(":") for line in lines}
    print(f"{suite}: {len(lines)} lines of perf script, of {sorted(events)}; {len(samples)} samples, with {sorted(keys)}")
    # Lines without a count of page faults are left out by both alike.
    assert len(events) == 2 and len(samples) == len(lines) > 20
    assert keys <= {"timestamp", "pid", "tid", "cpu", "comm", "callchain"}, keys
    assert {"timestamp", "pid", "tid", "comm", "callchain"} <= keys, keys
    assert not any(word in json.dumps(samples) for word in ("task-clock", "page-faults")), "an event is named"
END
