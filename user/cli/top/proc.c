// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/task.h"
#include "proc.h"

/* Cgroups lie no deeper: the kernel's own limit of a path would end the walk as well. */
#define DEPTH_MAX 64

static void cut_newline(char *line)
{
	line[strcspn(line, "\n")] = '\0';
}

bool proc_comm(const char *proc, int tid, char *name)
{
	char comm[TASK_COMM_SIZE];
	size_t len = task_comm(proc, tid, comm);

	if (len)
		name_text(name, PROC_NAME_SIZE, comm, len);
	return len;
}

bool proc_ended(const char *proc, int pid)
{
	char state = task_state(proc, pid);

	return !state || state == 'Z' || state == 'X';
}

/* Of version 2 the line begins with "0::"; where there is none, the first one has to do. */
static char *cgroup_of_line(const char *line)
{
	const char *path = strchr(line, ':');

	path = path ? strchr(path + 1, ':') : NULL;
	return path ? strdup(path + 1) : NULL;
}

char *proc_cgroup(const char *proc, int tid)
{
	char path[200], *line = NULL, *found = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d/cgroup", proc, tid);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	while (getline(&line, &size, file) > 0) {
		cut_newline(line);
		if (found && strncmp(line, "0::", 3))
			continue;
		free(found);
		found = cgroup_of_line(line);
	}
	fclose(file);
	free(line);
	/* No hierarchy is mounted, nor has been. */
	if (!found)
		found = strdup("(none)");
	line = found ? name_dup(found, strlen(found)) : NULL;
	free(found);
	return line;
}

static bool has_procs(const char *folder)
{
	char *path = NULL;
	bool has;

	if (asprintf(&path, "%s/cgroup.procs", folder) < 0)
		return false;
	has = !access(path, R_OK);
	free(path);
	return has;
}

char *proc_cgroup_folder(const char *root, const char *path)
{
	static const char * const places[] = { "", "%", "%/unified" };
	char *folder = NULL;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (asprintf(&folder, "%s%s%s%s", places[i][0] ? root : "",
			     places[i][0] ? places[i] + 1 : "",
			     places[i][0] && path[0] != '/' ? "/" : "", path) < 0)
			return NULL;
		if (has_procs(folder))
			return folder;
		free(folder);
	}
	return NULL;
}

static int add_file(const char *folder, struct args_ids *ids)
{
	char *path = NULL;
	FILE *file;
	int pid, *id, ret = 0;

	if (asprintf(&path, "%s/cgroup.procs", folder) < 0)
		return -ENOMEM;
	file = fopen(path, "r");
	free(path);
	/* One that was removed meanwhile has no processes. */
	if (!file)
		return errno == ENOENT ? 0 : -errno;
	while (!ret && fscanf(file, "%d", &pid) == 1) {
		id = reallocarray(ids->id, ids->nr + 1, sizeof(*id));
		if (!id) {
			ret = -ENOMEM;
			break;
		}
		ids->id = id;
		id[ids->nr++] = pid;
	}
	fclose(file);
	return ret;
}

static int add_folder(const char *folder, struct args_ids *ids, unsigned int depth)
{
	const struct dirent *entry;
	int ret = add_file(folder, ids);
	char *below;
	DIR *dir;

	if (ret < 0 || depth == DEPTH_MAX)
		return ret;
	dir = opendir(folder);
	while (dir && ret >= 0 && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (asprintf(&below, "%s/%s", folder, entry->d_name) < 0) {
			ret = -ENOMEM;
			break;
		}
		ret = add_folder(below, ids, depth + 1);
		free(below);
	}
	if (dir)
		closedir(dir);
	return ret;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int proc_cgroup_pids(const char *folder, struct args_ids *ids)
{
	int ret;

	free(ids->id);
	*ids = (struct args_ids){ 0 };
	ret = add_folder(folder, ids, 0);
	if (ids->nr)
		qsort(ids->id, ids->nr, sizeof(*ids->id), compare);
	return ret;
}

bool proc_ids_have(const struct args_ids *ids, int id)
{
	return ids->nr && bsearch(&id, ids->id, ids->nr, sizeof(id), compare);
}
