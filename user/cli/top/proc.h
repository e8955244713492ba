/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What /proc and the folder of cgroups tell of tasks. */
#ifndef TOP_PROC_H
#define TOP_PROC_H

#include <stdbool.h>
#include <stddef.h>

#include "args/args.h"
#include "say/name.h"

#define PROC_FOLDER	"/proc"
#define CGROUP_FOLDER	"/sys/fs/cgroup"

#define PROC_NAME_SIZE NAME_COMM_SIZE

/*
 * proc_comm - a thread's name
 * @proc: PROC_FOLDER, or a test's own
 * @name: PROC_NAME_SIZE bytes
 *
 * Returns whether the thread is there.
 */
bool proc_comm(const char *proc, int tid, char *name);

/* proc_ended - whether a process has ended, waited for or not */
bool proc_ended(const char *proc, int pid);

/* proc_cgroup - the path of a thread's cgroup, for free(); NULL: the thread is gone */
char *proc_cgroup(const char *proc, int tid);

/*
 * proc_cgroup_folder - the folder that a cgroup's path stands for, for free()
 * @root: CGROUP_FOLDER, or a test's own
 * @path: that of the folder, or as /proc/PID/cgroup has it
 *
 * NULL: there is no such folder with a cgroup.procs.
 */
char *proc_cgroup_folder(const char *root, const char *path);

/*
 * proc_cgroup_pids - the processes of a cgroup and of those below it, in rising order
 * @ids: overwritten; ids->id is for free()
 *
 * Returns 0 or a negative errno.
 */
int proc_cgroup_pids(const char *folder, struct args_ids *ids);

/* Whether a number is in a list in rising order. */
bool proc_ids_have(const struct args_ids *ids, int id);

#endif
