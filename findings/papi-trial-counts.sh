#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What PAPI 7.0.0 (Debian 12, libpapi7.0 7.0.0-2) does with a set of two events before it is started:
#  - The group so far is enabled, disabled and read each time that an event is added. So a leader has
#    been on, and has counted, before its second member is opened.
#  - For each event that is added, the events before it are closed and opened anew.
#  - They are reset before the start. So the counts of the trials are never shown.
# A library beneath PAPI that holds a group for fixed once it has been on, or has a count other than 0,
# refuses the second event.
#
# Guess before looking: the events are opened disabled, one after the other, and enabled once by the
# start; whether they fit is known from perf_event_open()'s errno.
# Here: user/lib/shim/convert.c gives a group to perf that was on for less than 0.1 ms (TRY_MAX).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -q download papi-tools=7.0.0-2 libpapi7.0=7.0.0-2 libpfm4=4.13.0-1 strace=6.1-0.1 libunwind8=1.6.2-3 \
	>log 2>&1 || { cat log; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
LD_LIBRARY_PATH=$(echo root/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
root/usr/bin/strace -f -e trace=perf_event_open,ioctl,read -o calls \
	root/usr/bin/papi_command_line perf::PAGE-FAULTS perf::CONTEXT-SWITCHES >out 2>&1 || { cat out; exit 1; }
grep perf:: out
# Its calls on the two software events, by one letter each: open, enable, disable, Read, reset.
seen=$(sed -n -e 's/.*perf_event_open({type=PERF_TYPE_SOFTWARE.*/o/p' -e 's/.*PERF_EVENT_IOC_ENABLE.*/e/p' \
	-e 's/.*PERF_EVENT_IOC_DISABLE.*/d/p' -e 's/.*PERF_EVENT_IOC_RESET.*/r/p' \
	-e 's/.* read([0-9]*, .*, 6168).*/R/p' calls | tr -d '\n')
echo "calls: $seen"
# The first event alone; the first again, the second with it; then reset, and the one start and stop.
[ "$seen" = oedRoedRoedRrrreRd ]
