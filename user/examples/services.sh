#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only OR MIT
#
# A machine to be measured, by the commands of user/doc/cookbook.md: processes in the cgroups web, db and
# db/log, as services or containers have them. As root, with cgroups of version 2.

cgroups=/sys/fs/cgroup
mkdir -p $cgroups/web $cgroups/db/log

# loop CGROUP N: a process there counts to N.
loop()
{
	# shellcheck disable=SC2016 # it is for the process
	sh -c 'echo $$ >"$0/cgroup.procs"; i=0; while [ $i -lt "$1" ]; do i=$((i + 1)); done' "$cgroups/$1" "$2"
}

loop web 60000 &
loop db 20000 &
loop db/log 10000 &
wait
