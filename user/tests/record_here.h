/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* `pmcgrp record` as a process that records, with a stand-in for the module (fake_module.c). */
#ifndef RECORD_HERE_H
#define RECORD_HERE_H

#include "tool.h"

/*
 * Shell functions: r records into $D; bare does so into $D/f, as a process whose number is in
 * $D/pid; grown waits until that file has so many bytes, busy until a process has had so many
 * hundredths of a second of a processor: a busy machine makes it later, not less. $W runs until
 * it has had six of them: a fast machine makes it no shorter. $L runs until it is killed.
 */
static const char prelude[] =
	"D=$(mktemp -d); trap 'rm -rf $D' EXIT; "
	"r() { LD_PRELOAD=${T%/*}/fake_module.so ASAN_OPTIONS=verify_asan_link_order=0 "
	"$T record -i -e faults:u,task-clock:u \"$@\"; }; "
	"bare() { sh -c 'echo $$ >$0/pid; exec \"$@\"' $D env LD_PRELOAD=${T%/*}/fake_module.so "
	"ASAN_OPTIONS=verify_asan_link_order=0 $T record -i -e task-clock:u -o $D/f \"$@\"; }; "
	"grown() { local i=0; until [ $(stat -c %s $D/f 2>/dev/null || echo 0) -gt $1 ] || "
	"[ $((i += 1)) -gt 1200 ]; do sleep 0.05; done; }; "
	"ticks() { cut -d ' ' -f 14 /proc/$1/stat; }; "
	"busy() { local t=$(ticks $1); until [ $(($(ticks $1) - t)) -ge $2 ]; do sleep 0.05; done; }; "
	"W='t=; until read -r s </proc/$$/stat; set -- $s; t=${t:-${14}}; [ $((${14} - t)) -ge 6 ]; "
	"do i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; done'; "
	"L='while :; do :; done'; "
	"script() { perf script -i $D/f -F comm,event,period 2>/dev/null; }; ";

static inline struct result run_here(const char *line)
{
	char all[2048];

	snprintf(all, sizeof(all), "%s%s", prelude, line);
	return run(all);
}

static inline void expect_here(const char *line, int status, const char *err)
{
	struct result r = run_here(line);

	if (r.status != status || !strstr(r.err, err))
		fail_msg("%s: status %d, not %d, stdout: %s, stderr: %s", line, r.status, status,
			 r.out, r.err);
}

/* With the stand-in, and perf(1) to read what was written. */
static inline void need_recording(void)
{
	static const struct result *asked;
	char line[2048];

	need_perf();
	snprintf(line, sizeof(line), "%sr --every 1ms -o $D/f -- true", prelude);
	need(line, &asked);
}

static inline void need_perf_tool(void)
{
	static const struct result *asked;

	need_recording();
	need("perf --version || { echo 'there is no perf(1) here (Debian: linux-perf)' >&2; exit 1; }",
	     &asked);
}

#endif
