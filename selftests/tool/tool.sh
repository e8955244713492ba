#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `pmcgrp stat` and with it libpmcgrp, over the loaded module. TAP, as the
# programs beside it; 4 where there is no tool to test.

if ! command -v pmcgrp >/dev/null; then
	echo "1..0 # SKIP no pmcgrp in PATH"
	exit 4
fi

count=0
failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# result NAME STATUS [SKIP REASON]: one line of TAP; with a failure, what was seen.
result()
{
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count $1${3:+ # SKIP $3}"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$dir/err"
		echo "not ok $count $1"
	fi
}

# stat ARGUMENTS...: the table in $dir/err, the exit status in $status.
stat()
{
	status=0
	pmcgrp stat "$@" >"$dir/out" 2>"$dir/err" || status=$?
}

has()
{
	grep -q -E -e "$1" "$dir/err"
}

# The value of an event in the last CSV.
csv_value()
{
	awk -F, -v e="$1" '$3 == e { print $1 }' "$dir/err"
}

# copies FIRST NUMBER: different events to pmcgrp, one to the hardware (pmcgrp_machine.h).
copies()
{
	printf 'r%x%012x' $(($1 + 1)) "0x$event"
	for k in $(seq $(($1 + 2)) $(($1 + $2))); do
		printf ',r%x%012x' "$k" "0x$event"
	done
}

# Which raw event counts instructions, if it can not on a counter for these alone, in $event;
# in $counters to how many copies of it perf gives a counter each.
ask_machine()
{
	for event in 8 10000c0 c0; do
		stat --perf -x, -e "{instructions:u,r$event:u}" -- true
		[ "$(csv_value instructions:u)" = "$(csv_value "r$event:u")" ] && break
	done
	counters=0
	while stat --perf -e "{$(copies 0 $((counters + 1)))}" -- true &&
		[ $status -eq 0 ]; do
		counters=$((counters + 1))
	done
}

seq 1 20000 >"$dir/data"
stat -x, -e instructions:u -- true
instructions=yes
has '^[0-9]+,,instructions:u,' || instructions=no

stat -- sha256sum "$dir/data"
[ $status -eq 0 ] && has ' msec task-clock ' && has ' page-faults ' &&
	has ' seconds time elapsed' && [ "$(wc -l <"$dir/out")" -eq 1 ]
result "the default table" $?

stat -x, -e '{page-faults,task-clock,context-switches}' -- sha256sum "$dir/data"
[ $status -eq 0 ] && has '^[0-9]+,,page-faults,[0-9]+,100.00,' &&
	has '^[0-9]+\.[0-9]+,msec,task-clock,[0-9]+,100.00,[0-9.]+,CPUs utilized$' &&
	[ "$(wc -l <"$dir/err")" -eq 3 ]
result "CSV" $?

stat -j -e '{page-faults,task-clock}' -- true
[ $status -eq 0 ] && has '^\{"counter-value": "[0-9]+\.0+", "unit": "", "event": "page-faults",' &&
	has '"event-runtime": [0-9]+, "pcnt-running": 100.0'
result "JSON" $?

bad=0
for pair in 'true:0' 'false:1' 'exit 7:7' 'kill -9 $$:137' '/no/such:127'; do
	stat -e page-faults -- sh -c "${pair%:*}"
	[ $status -eq "${pair#*:}" ] || bad=1
done
stat -e page-faults -- /no/such
[ $status -eq 127 ] && has "cannot run '/no/such'" || bad=1
result "the exit status is the command's" $bad

stat -e 'page-faults,nonsense' -- true
[ $status -eq 125 ] && has "'nonsense' is not an event" && has '^ +\^$'
result "an unknown event is named" $?

stat -e 'page-faults,page-fauts' -- true
[ $status -eq 125 ] && has "'page-fauts' is not an event that this machine has: did you mean 'page-faults'\?$"
result "an unknown event's near ones are named" $?

stat -C 4000 -e page-faults -- true
[ $status -eq 125 ] && has 'no CPU 4000;'
result "an impossible CPU is named" $?

stat -p 4194303 -e page-faults
[ $status -eq 125 ] && has '4194303 does not exist'
result "an absent process is named" $?

stat -r 3 -e page-faults -- true
[ $status -eq 0 ] && has '\( *\+- +[0-9.]+% \)' && has '\(3 runs\)'
result "mean and deviation of three runs" $?

if [ $instructions = yes ]; then
	# The same program, once over the module and once over perf.
	stat -x, -e '{instructions:u,cycles:u}' -- sha256sum "$dir/data"
	ours=$(csv_value instructions:u)
	stat --perf -x, -e '{instructions:u,cycles:u}' -- sha256sum "$dir/data"
	perfs=$(csv_value instructions:u)
	echo "# user instructions of sha256sum: pmcgrp $ours, perf_event_open $perfs"
	[ "$ours" -gt 1000000 ] && awk -v a="$ours" -v b="$perfs" \
		'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d * 1000 <= b) }'
	result "pmcgrp and perf_event_open agree within 0.1 %" $?

	ask_machine
	echo "# $counters counters for copies of r$event"
	stat -e "{$(copies 0 $((counters + 1)))}" -- true
	[ $status -eq 125 ] && has "member $counters \($(copies $counters 1)\): one hardware event too many" &&
		has 'write two pairs'
	result "a group larger than the PMU says so" $?

	stat -e 'cycles:D' -- true
	[ $status -eq 0 ] && has '[0-9] +cycles:D'
	result "a pinned event" $?

	# Two such groups are more than there is room for.
	half=$((counters / 2 + 1))
	stat -e "{$(copies 0 $half)}:D,{$(copies $half $half)}:D" -- true
	[ $status -eq 0 ] && [ "$(grep -c '<not counted>' "$dir/err")" -eq $half ] &&
		has "the pinned group of $half with $(copies $half 1).* was never on the PMU" &&
		has "events need one: $(copies 0 1):D"
	result "a pinned group without room says so" $?

	stat --background -x, -e "{instructions:u,cycles:u}" -- sha256sum "$dir/data"
	[ $status -eq 0 ] && has '^[1-9][0-9]*,,instructions:u,[0-9]+,(100|99\.[0-9]+)'
	result "a background group counts where nobody else does" $?

	# The other one has all counters, from the exec() of the tool on that the second group is of.
	stat --perf -x, -e "{$(copies 0 "$counters")}" -- \
		pmcgrp stat --background -o "$dir/inner" -x, -e "{instructions:u,cycles:u}" -- \
		sha256sum "$dir/data"
	cat "$dir/inner" >>"$dir/err"
	! has "^[0-9]+,,r[^,]+,[0-9]+,[0-9][0-9]?\.[0-9]" && grep -q -E '^(<not counted>|[0-9]+),,instructions:u,[0-9]+,0\.0' "$dir/inner"
	result "a background group takes no counter from perf" $?

	# Twice as many as there is room for, each a group of its own.
	number=$((2 * counters))
	stat --passes -x, -e "$(copies 0 $number)" -- true
	[ $status -eq 0 ] && has "$number events, [2-9] passes: the command runs once for each" &&
		[ "$(grep -c '^[0-9]*,,r.*,100\.00,' "$dir/err")" -eq $number ]
	result "passes in which nothing is multiplexed" $?

	stat --passes -e "$(copies 0 $number)" -- true
	has " Counts of 'true' in [2-9] passes:" && has ' \+- .* seconds time elapsed' &&
		! has ' seconds user' && has ' events of different passes are counted in different runs'
	result "a table of several passes" $?

	stat --passes -e "{$(copies 0 $number)}" -- true
	[ $status -eq 125 ] && has "--passes: $(copies 0 1) and $((number - 1)) more: the group never fits: .* events need one"
	result "a group that is in no pass says why" $?

	stat --passes -x, -e "{$(copies 0 $number)}:W" -- true
	[ $status -eq 0 ] && [ "$(grep -c '^[0-9]*,,r.*,100\.00,' "$dir/err")" -eq $number ]
	result "a weak group is broken up for passes" $?
else
	for what in "pmcgrp and perf_event_open agree within 0.1 %" \
		"a group larger than the PMU says so" "a pinned event" \
		"a pinned group without room says so" \
		"a background group counts where nobody else does" \
		"a background group takes no counter from perf" "passes in which nothing is multiplexed" \
		"a table of several passes" "a group that is in no pass says why" \
		"a weak group is broken up for passes"; do
		result "$what" 0 "no instructions counter"
	done
fi

if [ -r /lib/pmcgrp.ko ]; then
	rmmod pmcgrp
	stat -e page-faults -- true
	[ $status -eq 125 ] && has '/dev/pmcgrp' && has 'load'
	result "without the module it says what to do" $?

	stat --fallback -e page-faults -- true
	[ $status -eq 0 ] && has 'not loaded: counting with perf_event_open' &&
		has '[0-9] +page-faults'
	result "without the module it falls back when asked, and says so" $?
	insmod /lib/pmcgrp.ko
fi

echo "1..$count"
[ $failed -eq 0 ]
