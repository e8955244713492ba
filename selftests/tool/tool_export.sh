#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `pmcgrp export`: rows by cgroup are what the kernel has counted, to the last event, whatever comes and
# goes; each cgroup has its own; files are whole; calls of functions are histograms.

if ! command -v pmcgrp >/dev/null || ! [ -e /dev/pmcgrp ]; then
	echo "1..0 # SKIP no pmcgrp in PATH, or no module"
	exit 4
fi

count=0
failed=0
dir=$(mktemp -d) || exit 1
cg=$dir/cg
mkdir "$cg"
mounted=
if ! grep -q ' cgroup2 ' /proc/self/mountinfo; then
	mount -t cgroup2 none "$cg" || {
		echo "1..0 # SKIP no cgroups"
		exit 4
	}
	mounted=1
else
	cg=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo |
		head -n 1)
fi
top=pmcgrp-export-$$

clean()
{
	for c in gone web.service/sub web.service db.service ""; do
		[ ! -d "$cg/$top/$c" ] || rmdir "$cg/$top/$c"
	done 2>/dev/null
	[ -z "$mounted" ] || umount "$cg"
	rm -rf "$dir"
}
trap clean EXIT
mkdir "$cg/$top" "$cg/$top/web.service" "$cg/$top/web.service/sub" "$cg/$top/db.service" || exit 1

# What is the same each time: instructions where there is a PMU, else pages that a program touches.
event=minor-faults
if pmcgrp stat -x, -e instructions:u -- true 2>&1 | grep -q '^[0-9]'; then
	event=instructions:u
fi
name=$(echo $event | tr -c 'a-z\n' _)

# result NAME STATUS: one line of TAP; with a failure, what was seen.
result()
{
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count $1"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$dir/err" "$dir/out" | head -n 60
		echo "not ok $count $1"
	fi
}

# export ARGUMENTS...: its text is in $dir/out.
export_to_stdout()
{
	status=0
	pmcgrp export --stdout "$@" >"$dir/out" 2>"$dir/err" || status=$?
}

# value METRIC PATTERN: the value of the only sample of a metric whose line has the pattern.
value()
{
	awk -v name="$1" -v pattern="$2" '
		{ metric = $1; sub(/[{].*/, "", metric) }
		metric == name && index($0, pattern) { n++; v = $NF }
		END { if (n == 1) print v }' "$dir/out"
}

# adds_up GROUP EVENT N: whether the rows and what was removed are `all`, and that is the kernel's total
# of the event, which is number N.
adds_up()
{
	kernel=$(sed -n "s/.*kernel's total of .*: //p" "$dir/err" | sed -n "$3p")
	awk -v rows="pmcgrp_$1_$2_total" -v removed="pmcgrp_$1_removed_$2_total" \
		-v all="pmcgrp_$1_all_$2_total" -v kernel="$kernel" '
		{ metric = $1; sub(/[{].*/, "", metric) }
		metric == rows || metric == removed { sum += $NF; nr++ }
		metric == all { total = $NF }
		END {
			print "rows " sum ", all " total ", kernel " kernel
			exit !(nr > 2 && sum == total && total == kernel)
		}' "$dir/out" >"$dir/sums" || {
			cat "$dir/sums" >>"$dir/err"
			return 1
		}
}

# near A B: to within 5 %.
near()
{
	[ -n "$1" ] && [ -n "$2" ] && [ "$1" -gt 0 ] && [ $(($1 * 20)) -ge $(($2 * 19)) ] &&
		[ $(($1 * 20)) -le $(($2 * 21)) ]
}

# A shell that counts to N, and makes pages for itself: work that is the same each time.
work="i=0; while [ \$i -lt \$0 ]; do i=\$((i + 1)); x=\$x\$i; done"
cat >"$dir/work" <<END
for c in web.service web.service/sub db.service; do
	sh -c 'echo \$\$ >"\$0/cgroup.procs"; sleep 0.01; exec sh -c "\$1" 3000' "$cg/$top/\$c" '$work'
done
END

export_to_stdout -v -e $event,page-faults --by cgroup -- sh "$dir/work"
[ $status -eq 0 ] && adds_up cgroup "$name" 1
result "by cgroup: rows add up to what the kernel has counted" $?
db=$(value pmcgrp_cgroup_"${name}"_total '/db.service"')
near "$(value pmcgrp_cgroup_"${name}"_total '/web.service"')" "$db"
result "by cgroup: the same work is the same count" $?
[ "$(value pmcgrp_cgroup_counted_ratio '/db.service"')" = 1 ]
result "by cgroup: and was counted all the time" $?
tail -n 1 "$dir/out" | grep -q -x '# EOF'
result "OpenMetrics ends with # EOF" $?

export_to_stdout -v -e $event,page-faults --by unit --format plain -- sh "$dir/work"
[ $status -eq 0 ] && adds_up unit "$name" 1
result "by unit: rows add up" $?
near "$(value pmcgrp_unit_"${name}"_total 'unit="web.service"')" $((2 * db))
result "by unit: one has what is below it" $?
! grep -q -e _created -e EOF "$dir/out"
result "Prometheus' format has no time of creation" $?

# Cgroups that come and go between two looks.
cat >"$dir/many" <<END
i=0
while [ \$i -lt \$1 ]; do
	i=\$((i + 1))
	mkdir "$cg/$top/gone"
	(echo 0 >"$cg/$top/gone/cgroup.procs")
	rmdir "$cg/$top/gone"
done
END
export_to_stdout -v -e page-faults,$event --by cgroup -- sh "$dir/many" 300
[ $status -eq 0 ] && adds_up cgroup page_faults 1
result "300 cgroups of a moment: rows and other add up" $?
other=$(value pmcgrp_cgroup_page_faults_total 'cgroup="other"')
[ "${other:-0}" -gt 0 ] && [ "$(grep -c '^pmcgrp_cgroup_page_faults_total' "$dir/out")" -lt 150 ]
result "they are in other, and no rows" $?

for by in machine cpu; do
	export_to_stdout -e $event,page-faults --by $by -- sh "$dir/work"
	all=$(awk -v name="pmcgrp_${by}_${name}_total" '
		{ metric = $1; sub(/[{].*/, "", metric) }
		metric == name { sum += $NF }
		END { print sum + 0 }' "$dir/out")
	[ $status -eq 0 ] && [ "$all" -ge $((3 * db * 19 / 20)) ]
	result "by $by: it has what the work has counted" $?
done

cat >"$dir/conf" <<END
[exporter]
linger = 30
[m]
count = machine
events = page-faults,
  context-switches
END
pmcgrp export -c "$dir/conf" --textfile "$dir/x.prom" -I 1 >"$dir/out" 2>"$dir/err" &
pid=$!
tries=0
while [ ! -e "$dir/x.prom" ] && kill -0 $pid 2>/dev/null && [ $tries -lt 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill $pid 2>/dev/null
wait $pid
status=$?
cp "$dir/x.prom" "$dir/out"
[ $status -eq 0 ] && grep -q '^pmcgrp_m_page_faults_total [1-9]' "$dir/x.prom" &&
	grep -q '^pmcgrp_m_context_switches_total ' "$dir/x.prom" &&
	[ "$(find "$dir" -name 'x.prom*' | wc -l)" -eq 1 ]
result "a file for node_exporter is whole" $?

# Spans: each call of a function, in a histogram, and none is in two buckets.
cat >"$dir/conf" <<END
[f]
count = span
of = vfs_read, vfs_write
events = page-faults
[modules]
count = section
END
export_to_stdout -c "$dir/conf" -- dd if=/dev/zero of=/dev/null bs=100 count=1000
reads=$(value pmcgrp_f_time_nanoseconds_count 'span="vfs_read"')
last=$(value pmcgrp_f_time_nanoseconds_bucket 'span="vfs_read",le="+Inf"')
[ $status -eq 0 ] && [ "${reads:-0}" -ge 1000 ] && [ "$reads" = "$last" ]
result "each call of a function is in its histogram" $?
[ "$(value pmcgrp_f_page_faults_count 'span="vfs_write"')" -ge 1000 ]
result "so are its events" $?
[ "$(value pmcgrp_exporter_up 'group="modules"')" = 1 ]
result "sections are asked for, if there are any" $?

export_to_stdout -e page-faults -- sh -c 'exit 3'
[ $status -eq 3 ] && [ -s "$dir/out" ]
result "the command's status" $?
export_to_stdout -e page-faults -- /nonexistent
[ $status -eq 127 ]
result "no such command" $?

echo "1..$count"
[ $failed -eq 0 ]
