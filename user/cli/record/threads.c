// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The threads of a process, for record: a ring follows one thread. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "record.h"

static int append(pid_t **tids, unsigned int *nr, pid_t tid)
{
	pid_t *more = reallocarray(*tids, *nr + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*tids = more;
	more[(*nr)++] = tid;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

int record_threads(pid_t pid, pid_t **tids, unsigned int *nr)
{
	const struct dirent *entry;
	char path[64];
	int ret = 0;
	DIR *folder;

	*tids = NULL;
	*nr = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	while (folder && !ret && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			ret = append(tids, nr, atoi(entry->d_name));
	}
	if (folder)
		closedir(folder);
	if (*nr)
		qsort(*tids, *nr, sizeof(**tids), by_number);
	return ret;
}
