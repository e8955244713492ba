/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the kernel tells of the recorded tasks beside counts: names, maps, beginnings and ends. */
#ifndef RECORD_SIDE_H
#define RECORD_SIDE_H

#include <sys/types.h>

struct record_run;

/*
 * record_side_open - begin to take down records of tasks, if the file has room for such
 * @child: the command, or 0: all tasks of the machine
 *
 * Where that is not possible, names and maps are read from /proc. Returns 0, or EXIT_TOOL after an
 * error that was reported: of what only perf's records tell.
 */
int record_side_open(struct record_run *r, pid_t child);

/* record_side_drain - into the file with what there is; returns 0 or the sink's negative errno */
int record_side_drain(struct record_run *r);

#endif
