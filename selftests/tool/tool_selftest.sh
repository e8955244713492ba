#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `pmcgrp selftest`: each of its checks passes here, alone and beside a program that runs on every CPU.

if ! command -v pmcgrp >/dev/null || ! [ -e /dev/pmcgrp ]; then
	echo "1..0 # SKIP no pmcgrp in PATH, or no module"
	exit 4
fi

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
count=0
failed=0

# result NAME STATUS: one line of TAP; with a failure, what was seen.
result()
{
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count $1"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$out" | head -n 60
		echo "not ok $count $1"
	fi
}

# passes: no check has failed, all that were announced have run, and what was left out is named.
passes()
{
	pmcgrp selftest "$@" >"$out" 2>&1 &&
		grep -qx '1\.\.8' "$out" &&
		[ "$(grep -c '^ok [0-9]' "$out")" -eq 8 ] &&
		! grep -q '^not ok' "$out"
}

passes --no-doctor
result "alone" $?

i=0
pids=
while [ $i -lt "$(nproc)" ]; do
	sh -c 'while :; do :; done' &
	pids="$pids $!"
	i=$((i + 1))
done
passes --no-doctor
result "beside a program on each CPU" $?
# shellcheck disable=SC2086
kill $pids

passes && grep -q '^# pmcgrp doctor:' "$out" && grep -q '^# Self-test$' "$out"
result "with what pmcgrp doctor says" $?

# A pinned group that has all counters: what needs one is left out, and nothing fails.
events=
nr=0
for event in cycles instructions branches branch-misses cache-references cache-misses r8 r11; do
	for mode in '' :u :k; do
		more=${events:+$events,}$event$mode
		pmcgrp stat -a -x, -e "{$more}:D" -- true >/dev/null 2>"$out" || continue
		grep -q '<not' "$out" && continue
		events=$more
		nr=$((nr + 1))
	done
done
pmcgrp stat -a -e "{$events}:D" -- sleep 60 2>/dev/null &
holder=$!
sleep 1
echo "# a pinned group has $nr counters"
passes --no-doctor && grep -q '^ok 4 .*# SKIP' "$out"
result "beside a pinned group that has all counters" $?
kill $holder
wait $holder

pmcgrp selftest now >"$out" 2>&1
[ $? -eq 125 ] && grep -q "takes no argument: what is 'now'" "$out"
result "an argument" $?

echo "1..$count"
[ $failed -eq 0 ]
