// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The threads of --per-thread: those of -t, of the processes of -p, or of all. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "args/cli.h"
#include "counters/ended.h"
#include "stat_run.h"

/* What cannot be opened has ended, which is for who counts it to say. */
static int add_folder(struct args_ids *ids, const char *path,
		      int (*add)(struct args_ids *ids, int id))
{
	struct dirent *entry;
	int id, ret = 0;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (ret >= 0 && (entry = readdir(dir))) {
		id = atoi(entry->d_name);
		if (id > 0)
			ret = add(ids, id);
	}
	closedir(dir);
	return ret < 0 ? ret : 0;
}

static int add_id(struct args_ids *ids, int id)
{
	int *more = reallocarray(ids->id, ids->nr + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	ids->id = more;
	more[ids->nr++] = id;
	return 0;
}

static int add_process(struct args_ids *ids, int pid)
{
	char path[64];

	snprintf(path, sizeof(path), AGGR_THREADS_FOLDER "/%d/task", pid);
	return add_folder(ids, path, add_id);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

/* Each once: two of -p may be threads of the same process, which counts for both. */
static void sort(struct args_ids *ids)
{
	unsigned int i, nr = 0;

	qsort(ids->id, ids->nr, sizeof(*ids->id), compare);
	for (i = 0; i < ids->nr; i++) {
		if (!nr || ids->id[i] != ids->id[nr - 1])
			ids->id[nr++] = ids->id[i];
	}
	ids->nr = nr;
}

int stat_threads_find(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct args_ids *ids = &st->threads;
	unsigned int i, before;
	int ret = 0;

	for (i = 0; i < o->tids.nr && !ret; i++)
		ret = add_id(ids, o->tids.id[i]);
	for (i = 0; i < o->pids.nr && !ret; i++) {
		before = ids->nr;
		ret = add_process(ids, o->pids.id[i]);
		if (!ret && ids->nr == before) {
			cli_say("-p: process %d does not exist: it has no threads to be counted",
				o->pids.id[i]);
			return EXIT_TOOL;
		}
	}
	if (!stat_counts_tasks(o) && !ret)
		ret = add_folder(ids, AGGR_THREADS_FOLDER, add_process);
	if (ret < 0)
		return cli_say_errno("cannot list the threads", -ret);
	sort(ids);
	/* The main thread of a process may have ended before the others. */
	ended_threads_drop(AGGR_THREADS_FOLDER, ids);
	return 0;
}
