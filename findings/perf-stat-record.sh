#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `perf stat report` of perf 7.3 (Debian 13's backports) reads no file of `perf stat record`: not its own, and not
# that of perf 6.12 (Debian 13). It says "Invalid HEADER_COMPRESSED: comp_mmap_len (0) must be a 4K-aligned value >=
# 4096", though nothing is compressed. perf 6.12 reads its own, and refuses that of 7.3.
# Recordings of `perf record` are read by 7.3 as before. So counts that were kept by `perf stat record` for later
# are lost with an upgrade of perf, unless the old one is kept as well.
#
# Guess before looking: a newer perf reads what an older one has written, and its own in any case.
# Here: pmcgrp writes no such file; what is to be kept is written as JSON or CSV (pmcgrp stat -j, -x).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The sources of suites, as this host has its own, with lists in a folder apart.
sources()
{
	local mirror suite

	mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
		grep -o 'https\{0,1\}://[^ ]*/debian/*\( \|$\)' | head -n 1)
	for suite; do echo "deb $mirror $suite main"; done
}

# get FOLDER PACKAGE SUITE...: with what it needs.
get()
{
	local folder=$1 what=$2 package
	local -a apt

	shift 2
	mkdir -p "$folder"/{lists/partial,cache/archives/partial,state}
	sources "$@" >"$folder/sources"
	: >"$folder/state/status"
	apt=(-q -o Dir::Etc::sourcelist="$PWD/$folder/sources" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists="$PWD/$folder/lists" -o Dir::State::status="$PWD/$folder/state/status"
		-o Dir::Cache="$PWD/$folder/cache" -o APT::Install-Recommends=false)
	apt-get "${apt[@]}" update >log 2>&1 || { cat log; exit 1; }
	apt-get "${apt[@]}" -y -d install "$what" >log 2>&1 || { cat log; exit 1; }
	for package in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
}

# perf FOLDER OPTIONS...
perf()
{
	local root=$1/root loader libraries
	shift

	loader=$(find "$root" -name 'ld-linux*' | head -n 1)
	libraries=$(find "$root" -type d -name '*-linux-gnu' -path '*/lib/*' | tr '\n' ':')
	"$loader" --library-path "$libraries" "$(find "$root"/usr/bin -name 'perf*' | head -n 1)" "$@"
}

get old linux-perf trixie
get new linux-perf/trixie-backports trixie trixie-backports
for one in old new; do
	perf "$one" --version | tee "$one.version"
	perf "$one" stat record -o "$one.data" -e task-clock:u,page-faults:u true >log 2>&1
done
grep -q '^perf version 6\.12\.' old.version
grep -q '^perf version 7\.3\.' new.version
for reader in old new; do
	for writer in old new; do
		perf "$reader" stat report -i "$writer.data" >"$reader-$writer" 2>&1 || :
		echo "$(cat "$reader.version") reads that of $(cat "$writer.version"):"
		grep -v '^ *$' "$reader-$writer" | head -n 2
	done
done
grep -q 'page-faults:u' old-old
grep -q 'incompatible file format' old-new
grep -q 'Invalid HEADER_COMPRESSED: comp_mmap_len (0)' new-old
grep -q 'Invalid HEADER_COMPRESSED: comp_mmap_len (0)' new-new
perf new record -q -o samples.data -e task-clock:u true >log 2>&1
perf new script -i samples.data 2>log | grep -q task-clock:u
