// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "ended.h"

/* The name, in parentheses, can have any character: the state follows the last one. */
bool ended_thread(const char *proc, int tid)
{
	char path[PATH_MAX], line[200];
	const char *state;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%d/stat", proc, tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	len = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[len] = '\0';
	state = strrchr(line, ')');
	return state && strlen(state) > 2 && (state[2] == 'Z' || state[2] == 'X');
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
	return before && !nr ? EXIT_TOOL : 0;
}

int ended_leave_out(const char *proc, struct args_ids *pids, struct args_ids *tids)
{
	int ret = leave_out(proc, pids, true);

	return ret ? ret : leave_out(proc, tids, false);
}
