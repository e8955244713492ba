// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "ended.h"
#include "proc/task.h"

bool ended_thread(const char *proc, int tid)
{
	char state = task_state(proc, tid);

	return state == 'Z' || state == 'X';
}

bool ended_process(const char *proc, int pid)
{
	const struct dirent *entry;
	char path[PATH_MAX];
	bool any = false, all = true;
	DIR *folder;
	int tid;

	snprintf(path, sizeof(path), "%s/%d/task", proc, pid);
	folder = opendir(path);
	if (!folder)
		return false;
	while (all && (entry = readdir(folder))) {
		tid = atoi(entry->d_name);
		if (tid <= 0)
			continue;
		any = true;
		all = ended_thread(proc, tid);
	}
	closedir(folder);
	return any && all;
}

void ended_threads_drop(const char *proc, struct args_ids *ids)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ids->nr; i++) {
		if (!ended_thread(proc, ids->id[i]))
			ids->id[nr++] = ids->id[i];
	}
	ids->nr = nr;
}

static int leave_out(const char *proc, struct args_ids *ids, bool processes)
{
	const char *what = processes ? "process" : "thread";
	unsigned int i, nr = 0, before = ids->nr;

	for (i = 0; i < before; i++) {
		if (!(processes ? ended_process : ended_thread)(proc, ids->id[i])) {
			ids->id[nr++] = ids->id[i];
			continue;
		}
		cli_say("%s: %s %d has ended, and its parent has not waited for it: %s",
			processes ? "-p" : "-t", what, ids->id[i],
			before > 1 ? "it is left out" : "there is nothing to count");
	}
	ids->nr = nr;
	if (nr || !before)
		return 0;
	if (before > 1)
		cli_say("%s: nothing is left to count", processes ? "-p" : "-t");
	return EXIT_TOOL;
}

int ended_leave_out(const char *proc, struct args_ids *pids, struct args_ids *tids)
{
	int ret = leave_out(proc, pids, true);

	return ret ? ret : leave_out(proc, tids, false);
}
