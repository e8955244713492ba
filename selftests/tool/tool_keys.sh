#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `pmcgrp stat` with counts by key: --by, -G and --for-each-cgroup.  Instructions are counted where there
# is a PMU.
#
# The tool's tables of counts by key take 43 s of the host's processor.
# needs: more=arm64-6.12

if ! command -v pmcgrp >/dev/null || ! [ -e /dev/pmcgrp ]; then
	echo "1..0 # SKIP no pmcgrp in PATH, or no module"
	exit 4
fi

count=0
failed=0
dir=$(mktemp -d) || exit 1
cg=$dir/cg
mkdir "$cg"
if ! grep -q ' cgroup2 ' /proc/self/mountinfo; then
	mount -t cgroup2 none "$cg" || {
		echo "1..0 # SKIP no cgroups"
		exit 4
	}
	mounted=1
else
	mounted=
	cg=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo |
		head -n 1)
fi
top=pmcgrp-$$

clean()
{
	for c in gone c a/b a b ""; do
		[ ! -d "$cg/$top/$c" ] || rmdir "$cg/$top/$c"
	done 2>/dev/null
	umount "$dir/one" 2>/dev/null
	[ -z "$mounted" ] || umount "$cg"
	rm -rf "$dir"
}
trap clean EXIT
mkdir "$cg/$top" "$cg/$top/a" "$cg/$top/a/b" "$cg/$top/b" || exit 1

# Of what follows each machine has the second choice.
event=cpu-clock
exact=minor-faults
if pmcgrp stat -x, -e instructions:u -- true 2>&1 | grep -q '^[0-9]'; then
	event=instructions:u
	exact=$event
fi

# result NAME STATUS: one line of TAP; with a failure, what was seen.
result()
{
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count $1"
	else
		failed=$((failed + 1))
		# Totals come last.
		sed 's/^/# /' "$dir/err" | awk '{ line[NR] = $0 }
			END { for (i = 1; i <= NR; i++) if (i <= 40 || i > NR - 20) print line[i] }'
		echo "not ok $count $1"
	fi
}

# A shell that counts to N, and makes pages for itself: work that is the same each time.
work="i=0; while [ \$i -lt \$0 ]; do i=\$((i + 1)); x=\$x\$i; done"

# stat ARGUMENTS...: its report is in $dir/err.
stat()
{
	status=0
	pmcgrp stat "$@" >"$dir/out" 2>"$dir/err" || status=$?
}

# value PATTERN FIELD: a field of the only line of CSV that has the pattern, without decimals; else
# nothing.
value()
{
	[ "$(grep -c -E -e "$1" "$dir/err")" -eq 1 ] &&
		grep -E -e "$1" "$dir/err" | cut -d , -f "$2" | cut -d . -f 1
}

# near A B [PERCENT]: so close to each other, 5 % if it is not given.
near()
{
	case "$1$2" in
	*[!0-9]*) return 1 ;;
	esac
	[ -n "$1" ] && [ -n "$2" ] && [ "$1" -gt 0 ] &&
		[ $(($1 * 100)) -ge $(($2 * (100 - ${3:-5}))) ] &&
		[ $(($1 * 100)) -le $(($2 * (100 + ${3:-5}))) ]
}

# like A B: the same, of $event.  How long the work takes by the clock is the host's matter: that it
# has taken any time is all then.
like()
{
	if [ $event = cpu-clock ]; then
		[ "${1:-0}" -gt 0 ]
	else
		near "$1" "$2"
	fi
}

# What the work comes to by itself.
stat -x, -e $event -- sh -c "$work" 3000
alone=$(value ",$event," 1)

# A task that is moved is told of the new cgroup from its next context switch on.
cat >"$dir/a-and-b" <<END
in_cgroup() {
	sh -c 'echo \$\$ >"\$0/cgroup.procs"; sleep 0.01; exec sh -c "\$1" "\$2"' \\
		"$cg/$top/\$1" '$work' "\$2"
}
in_cgroup a 3000
in_cgroup a/b 3000
in_cgroup a/b 3000
END

stat -x, -a -e $event --for-each-cgroup "$top/a,$top/a/b,$top/b" -- sh "$dir/a-and-b"
a=$(value ",$event,$top/a," 1)
b=$(value ",$event,$top/a/b," 1)
[ $status -eq 0 ] && like "$b" $((2 * alone))
result "a cgroup has what the same work counts by itself" $?
[ $status -eq 0 ] && like "$a" $((3 * alone))
result "and with what is below it" $?
grep -q "^<not counted>,[a-z]*,$event,$top/b," "$dir/err"
result "a cgroup in which nothing ran is not counted" $?

stat -x, -a -e "$event,minor-faults,$event" -G "$top/a/b,,$top/b" -- sh "$dir/a-and-b"
[ $status -eq 0 ] && like "$(value ",$event,$top/a/b," 1)" $((2 * alone)) &&
	grep -q "^[0-9]*,,minor-faults,," "$dir/err" && grep -q "^<not counted>,[a-z]*,$event,$top/b," "$dir/err"
result "-G has a cgroup for each event, or none" $?

stat -a -e $event --for-each-cgroup "$top/aa" -- true
[ $status -eq 125 ] && grep -q "no cgroup '$top/aa' in $cg: did you mean" "$dir/err"
result "a cgroup that is not there is refused with those that are close" $?

stat -x, -a -e $event --for-each-cgroup "^$top/a" -- true
[ $status -eq 0 ] && [ "$(wc -l <"$dir/err")" -eq 2 ]
result "a pattern is several cgroups" $?

# sums PREFIX: whether the rows of each event add up to its total, and that is the kernel's. Of
# processes and threads there are two fields before the value, else one.
sums()
{
	sed -n 's/^pmcgrp stat: the kernel.s total of //p' "$dir/err" >"$dir/kernel"
	grep -v '^pmcgrp stat: ' "$dir/err" | awk -F , -v at="$1" -v kernel="$dir/kernel" '
		$1 == "total" { total[$(at + 2)] = $at; next }
		{ sum[$(at + 2)] += $at; rows++ }
		END {
			while ((getline line <kernel) > 0) {
				event = line
				sub(/: .*/, "", event)
				sub(/.*: /, "", line)
				nr++
				bad += sum[event] != total[event] || total[event] != line
				print event, sum[event], total[event], line
			}
			exit bad || !nr || rows < 2
		}' >"$dir/sums" || {
			cat "$dir/sums" >>"$dir/err"
			return 1
		}
}

for by in cgroup cgroup:1 command; do
	stat -v -x, -a -e "{$exact,page-faults}" --by $by -- sh "$dir/a-and-b"
	[ $status -eq 0 ] && sums 2
	result "--by $by: the rows add up to the total, which is the kernel's" $?
done
for by in process thread; do
	stat -v -x, -a -e "{$exact,page-faults}" --by $by -- sh "$dir/a-and-b"
	[ $status -eq 0 ] && sums 3
	result "--by $by: the rows add up to the total, which is the kernel's" $?
done

stat -x, -a -e $event --by cgroup -- sh "$dir/a-and-b"
[ $status -eq 0 ] && like "$(value "^/$top/a/b," 2)" $((2 * alone)) &&
	like "$(value "^/$top/a," 2)" "$alone"
result "--by cgroup has each cgroup by itself" $?

stat -x, -a -e $event --by cgroup:1 -- sh "$dir/a-and-b"
[ $status -eq 0 ] && like "$(value "^/$top," 2)" $((3 * alone))
result "--by cgroup:1 has those below with their ancestor" $?

# More processes than the table of a CPU has slots; each has page faults.
# What they have is known from some of them, of 33 to 35 faults each.
many="i=0; while [ \$i -lt \$0 ]; do i=\$((i + 1)); (:); done"
stat -x, -e page-faults -- sh -c "$many" 50
some=$(value ",page-faults," 1)
stat -x, -e page-faults -- sh -c "$many" 150
more=$(value ",page-faults," 1)
faults=$((more + (more - some) * (2500 - 150) / (150 - 50)))
stat -v -x, -e page-faults --by process -- sh -c "$many" 2500
[ $status -eq 0 ] && sums 3 && near "$(value '^total,' 3)" "$faults" 10
passed=$?
echo "page faults: $some with 50 processes, $more with 150; so $faults with 2500" >>"$dir/err"
result "2500 short processes are all in the sum" $passed
seen=$(grep -c -E '^[^,]+,[0-9]+,' "$dir/err")
[ "$seen" -ge 2500 ] && ! grep -q 'found no room' "$dir/err"
result "and have their rows" $?

cat >"$dir/gone" <<END
mkdir $cg/$top/gone
sh -c 'echo \$\$ >$cg/$top/gone/cgroup.procs; sleep 0.01; exec sh -c "\$0" 3000' '$work'
rmdir $cg/$top/gone
END
stat -x, -a -e $event --by cgroup -- sh "$dir/gone"
[ $status -eq 0 ] && like "$(value '^[^,]*removed' 2)" "$alone"
result "a cgroup that was removed has its row" $?

stat -j -a -e $event --by command -I 100 --interval-count 3
[ $status -eq 0 ] && [ "$(grep -c '"row": "total"' "$dir/err")" -eq 3 ]
result "each interval has a total" $?

stat --by process --rows 2 -e cpu-clock,page-faults -- sh "$dir/a-and-b"
[ $status -eq 0 ] && grep -q " Counts of 'sh .*' by process:" "$dir/err" &&
	grep -q ' ([0-9]* others)$' "$dir/err" && grep -q '  total$' "$dir/err" &&
	! grep -q '(idle)' "$dir/err"
result "a command's processes, and no idle CPU" $?

# record ARGUMENTS...: a recording, and its report by cgroup in $dir/err.
record()
{
	status=0
	pmcgrp record -q -m 1024 -o "$dir/data" --every 1ms -e $exact "$@" >"$dir/out" \
		2>"$dir/err" || status=$?
	pmcgrp report --sort cgroup --csv -i "$dir/data" >>"$dir/err" 2>&1 || status=$?
}

# counted PATH: what the report has of the cgroup; else nothing.
counted()
{
	awk -F , -v path="$1" '$1 == "sum" && $2 == path { print $6 }' "$dir/err"
}

record -a --by-task --all-cgroups -- sh "$dir/a-and-b"
a=$(counted "/$top/a")
[ $status -eq 0 ] && near "$(counted "/$top/a/b")" $((2 * a))
result "samples have their cgroup, and the file its path" $?
[ "$(grep -c '^sum,/,' "$dir/err")" -eq 1 ] && ! grep -q '^sum,[^/]' "$dir/err"
result "and whoever is in none is in the root" $?

record -a -G "$top/a/b" -- sh "$dir/a-and-b"
[ $status -eq 0 ] && near "$(counted "/$top/a/b")" $((2 * a)) &&
	[ "$(grep -c '^sum,' "$dir/err")" -eq 1 ]
result "record -G has one cgroup alone, with what it has counted" $?

record -a -G "$top/a,$top/b" -- sh "$dir/a-and-b"
[ $status -eq 0 ] && near "$(counted "/$top/a/b")" $((2 * a)) &&
	near "$(counted "/$top/a")" "$a" && [ "$(grep -c '^sum,' "$dir/err")" -eq 2 ]
result "and those below it" $?

record -a --by-task --all-cgroups -- sh "$dir/gone"
[ $status -eq 0 ] && near "$(counted "/$top/gone")" "$a"
result "a cgroup that is made and removed meanwhile has its name" $?

record --all-cgroups -- sh "$dir/a-and-b"
[ $status -eq 0 ] && near "$(counted "/$top/a/b")" $((2 * a))
result "a command's processes have theirs" $?

pmcgrp record -a --every 1ms -e $exact --format jsonl -o "$dir/err" -G "$top/a/b" -- \
	sh "$dir/a-and-b" >"$dir/out" 2>&1
named=$(grep -c "\"cgroup\":\"/$top/a/b\"" "$dir/err")
[ "$named" -gt 0 ] && [ "$(grep -c '"record":"sample"' "$dir/err")" -eq "$named" ]
result "text has it as well" $?

# Whether the controller perf_event is in no hierarchy of version 1.
of_version_2()
{
	grep -q '^perf_event[[:blank:]]*0[[:blank:]]' /proc/cgroups
}

# The controller leaves version 2 for a hierarchy of version 1: it is in no subtree_control.
one=$dir/one
mkdir "$one"
if mount -t cgroup -o perf_event none "$one" 2>"$dir/err"; then
	mkdir -p "$one/web/log"
	cat >"$dir/in-one" <<END
sh -c 'echo \$\$ >$one/web/cgroup.procs; sleep 0.01; exec sh -c "\$0" 3000' '$work'
sh -c 'echo \$\$ >$one/web/log/cgroup.procs; sleep 0.01; exec sh -c "\$0" 3000' '$work'
END
	stat -v -x, -a -e "{$exact,page-faults}" --by cgroup -- sh "$dir/in-one"
	[ $status -eq 0 ] && sums 2 &&
		near "$(value "^/web,.*,$exact," 2)" "$(value "^/web/log,.*,$exact," 2)"
	result "version 1: the rows have their names, and add up" $?
	! grep -q "/$top" "$dir/err"
	result "version 1: and none is of version 2" $?
	stat -x, -a -e $event --for-each-cgroup "web,/web/log" -- sh "$dir/in-one"
	[ $status -eq 0 ] && like "$(value ",$event,web," 1)" $((2 * alone)) &&
		like "$(value ",$event,/web/log," 1)" "$alone"
	result "version 1: --for-each-cgroup" $?
	sh -c 'echo $$ >"$0/web/cgroup.procs"; while :; do :; done' "$one" &
	spins=$!
	pmcgrp top -j --by cgroup -d 0.3 --iterations 2 -e cpu-clock >"$dir/err" 2>&1
	grep -q '"/web"' "$dir/err"
	result "version 1: top names them" $?
	kill $spins
	wait $spins
	record -a --by-task --all-cgroups -- sh "$dir/in-one"
	[ $status -eq 0 ] && near "$(counted /web)" "$(counted /web/log)"
	result "version 1: samples name them" $?
	rmdir "$one/web/log" "$one/web"
	# Cgroups that are removed go later, and until then the hierarchy stays without a mount.
	tries=0
	while umount "$one" && sleep 0.2 && ! of_version_2 && [ $tries -lt 50 ]; do
		tries=$((tries + 1))
		mount -t cgroup -o perf_event none "$one" || break
	done
	of_version_2
	result "version 1: the controller returns to version 2" $?
else
	sed 's/^/# /' "$dir/err"
fi

stat --perf -a --by process -- true
[ $status -eq 125 ] && grep -q "no counts by key" "$dir/err"
result "perf_event_open(2) has none" $?

echo "1..$count"
[ $failed -eq 0 ]
