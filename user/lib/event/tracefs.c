// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Tracepoints by name: tracefs has a folder for each, with its id. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs.h"

const char * const tracefs_events[TRACEFS_FOLDERS] = {
	"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events",
};

int tracefs_number(const char *path, const char *prefix, uint64_t *number)
{
	FILE *file = fopen(path, "re");
	size_t len = strlen(prefix);
	char line[64] = "";

	if (!file)
		return -errno;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	if (strncmp(line, prefix, len) || line[len] < '0' || line[len] > '9')
		return -EINVAL;
	*number = strtoull(line + len, NULL, 0);
	return 0;
}

/* Names are of files: without slashes, and not "..". */
bool tracefs_is_name(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon > text && colon[1] && !strchr(colon + 1, ':') &&
	       !strpbrk(text, "/{}, \t\n") && text[0] != '.' && colon[1] != '.';
}

/*
 * A tracepoint's folder has a file "format", and "id" if perf core can count it.  Most of ftrace:*
 * cannot be counted: they are how ftrace writes its own records, and nothing else may register for
 * them.  perf takes the id out of "format": it opens these, and shows "<not supported>".
 */
static int id_of(const char *events, int system, const char *name, uint64_t *id)
{
	const char *event = name + system + 1;
	char path[512];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%.*s/%s/format", events, system, name, event) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	strcpy(strrchr(path, '/'), "/id");
	ret = tracefs_number(path, "", id);
	if (ret != -ENOENT)
		return ret;
	strcpy(strrchr(path, '/'), "/format");
	return access(path, F_OK) ? -ENOENT : -EOPNOTSUPP;
}

int tracefs_id(const char *const *events, const char *name, uint64_t *id)
{
	int ret = -ENOENT;
	size_t i;

	for (i = 0; i < TRACEFS_FOLDERS && ret == -ENOENT; i++)
		ret = id_of(events[i], (int)strcspn(name, ":"), name, id);
	return ret;
}

struct glob {
	const char *const *events;
	const char *event;	/* the part behind the colon */
	int (*take)(void *ctx, const char *name, uint64_t id);
	void *ctx;
	unsigned int found;
	unsigned int uncounted;
};

/* Call @each with what of a folder matches, in order.  Return: 0 or a negative errno. */
static int folder_glob(struct glob *glob, const char *path, const char *pattern,
		       int (*each)(struct glob *glob, const char *folder, const char *name))
{
	struct dirent **entries;
	int nr = scandir(path, &entries, NULL, alphasort), i, ret = 0;

	if (nr < 0)
		return -errno;
	for (i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;

		if (!ret && name[0] != '.' && !fnmatch(pattern, name, 0))
			ret = each(glob, path, name);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static int take_event(struct glob *glob, const char *folder, const char *name)
{
	const char *system = strrchr(folder, '/') + 1;
	char text[512];
	uint64_t id;
	int ret;

	if (snprintf(text, sizeof(text), "%s:%s", system, name) >= (int)sizeof(text))
		return -ENAMETOOLONG;
	ret = tracefs_id(glob->events, text, &id);
	if (ret == -ENOENT || ret == -ENOTDIR)
		return 0; /* one of the folder's files */
	if (ret == -EOPNOTSUPP) {
		glob->uncounted++;
		return 0;
	}
	if (ret < 0)
		return ret;
	glob->found++;
	return glob->take(glob->ctx, text, id);
}

static int take_system(struct glob *glob, const char *folder, const char *name)
{
	char path[512];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	ret = folder_glob(glob, path, glob->event, take_event);
	return ret == -ENOTDIR ? 0 : ret;
}

int tracefs_glob(const char *const *events, const char *name,
		 int (*take)(void *ctx, const char *name, uint64_t id), void *ctx)
{
	struct glob glob = { .events = events, .take = take, .ctx = ctx };
	char system[256];
	size_t i, len = strcspn(name, ":");
	int ret = -ENOENT;

	if (len >= sizeof(system))
		return -ENAMETOOLONG;
	memcpy(system, name, len);
	system[len] = '\0';
	glob.event = name + len + 1;
	for (i = 0; i < TRACEFS_FOLDERS && ret == -ENOENT; i++)
		ret = folder_glob(&glob, events[i], system, take_system);
	if (ret || glob.found)
		return ret;
	return glob.uncounted ? -EOPNOTSUPP : -ENOENT;
}

/* The folder of the first tracefs that has one for the name's system. */
static DIR *system_open(const char *const *events, const char *name)
{
	char path[512];
	DIR *dir = NULL;
	size_t i;

	for (i = 0; i < TRACEFS_FOLDERS && !dir; i++) {
		if (snprintf(path, sizeof(path), "%s/%.*s", events[i], (int)strcspn(name, ":"),
			     name) < (int)sizeof(path))
			dir = opendir(path);
	}
	return dir;
}

bool tracefs_has(const char *const *events, const char *name)
{
	DIR *dir = system_open(events, name);

	if (dir)
		closedir(dir);
	return dir;
}

void tracefs_each(const char *const *events, const char *name,
		  void (*each)(void *ctx, const char *name), void *ctx)
{
	DIR *dir = system_open(events, name);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && entry->d_type != DT_REG)
			each(ctx, entry->d_name);
	}
	if (dir)
		closedir(dir);
}
