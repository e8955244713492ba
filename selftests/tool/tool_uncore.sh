#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `pmcgrp stat` with events of uncore PMUs: those of the PMU for tests, which has two boxes with two
# counters in each package.  A tick is 1 of event ticks in each box, when debugfs is told so.
#
# needs: testpmu=yes

boxes=/sys/bus/event_source/devices/pmcgrp_test_uncore
if ! command -v pmcgrp >/dev/null || ! [ -e ${boxes}_0/cpumask ]; then
	echo "1..0 # SKIP no pmcgrp in PATH, or no PMU pmcgrp_test_uncore_0"
	exit 4
fi

count=0
failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
[ -n "$(ls /sys/kernel/debug)" ] || mount -t debugfs debugfs /sys/kernel/debug
ticks=$(find /sys/kernel/debug -name uncore_ticks | head -n 1)
event=pmcgrp_test_uncore/ticks/
first=$(sed 's/[,-].*//' ${boxes}_0/cpumask)
packages=$(tr ',' '\n' <${boxes}_0/cpumask | wc -l)

# result NAME STATUS: one line of TAP; with a failure, what was seen.
result()
{
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count $1"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$dir/err"
		echo "not ok $count $1"
	fi
}

# stat ARGUMENTS...: count while 1000 ticks pass; what it prints is in $dir/err.
stat()
{
	status=0
	pmcgrp stat "$@" -- sh -c "echo 1000 >$ticks" >"$dir/out" 2>"$dir/err" || status=$?
}

has()
{
	grep -q -E -e "$1" "$dir/err"
}

stat -x, -e $event
[ $status -eq 0 ] && has "^$((2000 * packages)),,$event,[0-9]+,100.00,,$"
result "one row is the sum of the boxes of all packages" $?

stat -x, -a -A -e $event
[ $status -eq 0 ] && [ "$(wc -l <"$dir/err")" -eq $((2 * packages)) ] &&
	[ "$(grep -c -E '^CPU[0-9]+,1000,,pmcgrp_test_uncore_[01]/ticks/,' "$dir/err")" -eq $((2 * packages)) ]
result "with -A each box of a package has a row" $?

# A CPU that counts goes offline: the driver takes another one of its package, if there is one.
last=$(sed 's/.*[,-]//' ${boxes}_0/cpumask)
online=/sys/devices/system/cpu/cpu$last/online
if [ "$last" -gt 0 ] && [ -w "$online" ]; then
	status=0
	pmcgrp stat -x, -a -A -e $event -- sh -c "echo 400 >$ticks; echo 0 >$online; echo 600 >$ticks" \
		>"$dir/out" 2>"$dir/err" || status=$?
	heir=$(sed 's/.*[,-]//' ${boxes}_0/cpumask)
	echo 1 >"$online"
	if [ "$heir" -gt "$last" ]; then
		[ $status -eq 0 ] && [ "$(grep -c '^CPU' "$dir/err")" -eq $((2 * packages)) ] &&
			[ "$(grep -c -E "^CPU$heir,1000,,pmcgrp_test_uncore_[01]/ticks/," "$dir/err")" -eq 2 ]
		result "a box that moves to another CPU keeps its row" $?
	fi
fi

stat -x, -C "$first" -e $event
[ $status -eq 0 ] && has "^2000,,$event,"
result "-C counts the package of that CPU" $?

other=$(sed 's/.*[,-]//' /sys/devices/system/cpu/online)
if ! tr ',' '\n' <${boxes}_0/cpumask | grep -q -x "$other"; then
	stat -C "$other" -e $event
	[ $status -eq 125 ] && has "-C: $event is counted on CPU"
	result "-C refuses a CPU that counts no package" $?
fi

stat -e cs,$event
[ $status -eq 0 ] && has "^ Counts of 'sh .*, and of all CPUs for uncore events:" &&
	grep -q " $(echo $((2000 * packages)) | sed 's/\(...\)$/,\1/')  *$event" "$dir/err"
result "beside events of a command they are those of all CPUs" $?

stat -a -e "{cpu-clock,$event}"
[ $status -eq 0 ] && has "the group with cpu-clock is broken up" && has "msec cpu-clock"
result "a group with other events is broken up" $?

stat -a -e "{${event%/*/}_0/ticks/,${event%/*/}_0/event=5,rate=2/,${event%/*/}_0/event=6,rate=3/}"
[ $status -eq 125 ] && has "member 2 .*event=6"
result "a group that a box has no counters for is refused with the member" $?

stat -x, -a -e "{${event%/*/}_0/ticks/,${event%/*/}_1/event=5,rate=3/}"
[ $status -eq 0 ] && has "^$((1000 * packages)),,pmcgrp_test_uncore_0/ticks/," &&
	has "^$((3000 * packages)),,pmcgrp_test_uncore_1/event=5,rate=3/,"
result "a group has members of several boxes" $?

stat --perf -x, -a -e $event
[ $status -eq 0 ] && has "^$((2000 * packages)),,$event,"
result "perf_event_open(2) counts each package once, too" $?

pmcgrp record --every 1ms -e $event -o "$dir/data" true >"$dir/out" 2>"$dir/err"
[ $? -eq 125 ] && has "stat -a -I 100 -e '$event'"
result "record refuses them" $?

pmcgrp list pmu >"$dir/err" 2>&1
has "^  pmcgrp_test_uncore +2 boxes, on CPUs $(cat ${boxes}_0/cpumask); terms: "
result "list shows the boxes and their CPUs" $?

echo "1..$count"
[ $failed -eq 0 ]
