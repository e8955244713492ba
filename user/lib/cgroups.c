// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Cgroups: from ids, as perf events have them, to paths and back. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroups.h"

struct one {
	uint64_t id;
	char *path;		/* "/", "/a/b" */
	uint64_t seen;		/* the last update that has found it */
};

struct pmcgrp_cgroups {
	char *root;
	uint64_t updates;
	struct one *at;
	size_t nr;
	size_t max;
	size_t *by_id;		/* indices of all */
	const char **paths;	/* of those that there are, in rising order */
	size_t nr_paths;
};

/* ---- Where they are mounted ---- */

/* A path of mountinfo has blanks and the like as \040. */
static void unescape(char *text)
{
	char *out = text;

	for (; *text; text++, out++) {
		if (text[0] == '\\' && text[1] && text[2] && text[3]) {
			*out = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 3;
		} else {
			*out = *text;
		}
	}
	*out = '\0';
}

static bool has_word(char *list, const char *word)
{
	char *next;

	for (list = strtok_r(list, ",", &next); list; list = strtok_r(NULL, ",", &next)) {
		if (!strcmp(list, word))
			return true;
	}
	return false;
}

/* Of which version the line mounts a hierarchy that perf events can go by, and where; 0: none. */
static int line_version(char *line, char **where)
{
	char *type = strstr(line, " - "), *options, *next;
	unsigned int i;

	if (!type)
		return 0;
	*type = '\0';
	type += 3;
	type[strcspn(type, "\n")] = '\0';
	options = strrchr(type, ' ');
	*where = strtok_r(line, " ", &next);
	for (i = 0; i < 4 && *where; i++)
		*where = strtok_r(NULL, " ", &next);
	if (!*where || !options)
		return 0;
	unescape(*where);
	if (!strncmp(type, "cgroup2 ", 8))
		return 2;
	return !strncmp(type, "cgroup ", 7) && has_word(options + 1, "perf_event") ? 1 : 0;
}

/* Version 1 has perf events if its hierarchy is mounted. @unified: only version 2 will do */
static char *root_find(const char *mountinfo, bool unified, int *err)
{
	FILE *file = fopen(mountinfo, "re");
	char *line = NULL, *root = NULL, *where;
	int version = 0, found = 0;
	size_t size = 0;

	*err = errno;
	if (!file)
		return NULL;
	*err = ENOENT;
	while (found != 1 && getline(&line, &size, file) > 0) {
		version = line_version(line, &where);
		if (!version || version == found || (unified && version == 1))
			continue;
		free(root);
		root = strdup(where);
		*err = ENOMEM;
		found = version;
	}
	free(line);
	fclose(file);
	return root;
}

/* ---- Which there are ---- */

static struct one *find(const struct pmcgrp_cgroups *c, uint64_t id)
{
	size_t low = 0, high = c->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (c->at[c->by_id[mid]].id == id)
			return &c->at[c->by_id[mid]];
		if (c->at[c->by_id[mid]].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* One more folder of a list that is not in order yet; @path is taken, and freed on failure. */
static int add(struct one **list, size_t *nr, size_t *max, uint64_t id, char *path)
{
	size_t more = *max ? 2 * *max : 64;
	struct one *bigger;

	if (*nr == *max) {
		bigger = path ? reallocarray(*list, more, sizeof(*bigger)) : NULL;
		if (!bigger) {
			free(path);
			return -ENOMEM;
		}
		*list = bigger;
		*max = more;
	}
	if (!path)
		return -ENOMEM;
	(*list)[(*nr)++] = (struct one){ .id = id, .path = path };
	return 0;
}

/* The folders in one, each of which is looked into later; one that has gone has none. */
static int add_folder(const char *root, struct one **list, size_t *nr, size_t *max, size_t index)
{
	const char *above = (*list)[index].path;
	const struct dirent *entry;
	char *path = NULL;
	int ret = 0;
	DIR *dir;

	if (asprintf(&path, "%s%s", root, above) < 0)
		return -ENOMEM;
	dir = opendir(path);
	free(path);
	if (!dir)
		return errno == ENOMEM || errno == EMFILE || errno == ENFILE ? -errno : 0;
	while (ret >= 0 && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		above = (*list)[index].path;
		if (asprintf(&path, "%s/%s", above[1] ? above : "", entry->d_name) < 0)
			path = NULL;
		ret = add(list, nr, max, entry->d_ino, path);
	}
	closedir(dir);
	return ret;
}

static void list_free(struct one *list, size_t nr)
{
	while (nr)
		free(list[--nr].path);
	free(list);
}

static int compare_ids(const void *a, const void *b, void *arg)
{
	const struct one *at = arg;
	uint64_t x = at[*(const size_t *)a].id, y = at[*(const size_t *)b].id;

	return (x > y) - (x < y);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The two orders. */
static int sort(struct pmcgrp_cgroups *c)
{
	size_t *by_id = reallocarray(c->by_id, c->nr + 1, sizeof(*by_id)), i;
	const char **paths;

	if (!by_id)
		return -ENOMEM;
	c->by_id = by_id;
	paths = reallocarray(c->paths, c->nr + 1, sizeof(const char *));
	if (!paths)
		return -ENOMEM;
	c->paths = paths;
	c->nr_paths = 0;
	for (i = 0; i < c->nr; i++) {
		by_id[i] = i;
		if (c->at[i].seen == c->updates)
			paths[c->nr_paths++] = c->at[i].path;
	}
	qsort_r(by_id, c->nr, sizeof(*by_id), compare_ids, c->at);
	qsort(paths, c->nr_paths, sizeof(const char *), compare_paths);
	return 0;
}

/* What was found now, beside what was known; @list is empty afterwards. */
static int join(struct pmcgrp_cgroups *c, struct one *list, size_t nr, bool forget)
{
	size_t i, kept = 0, before = c->nr;
	struct one *old;
	int ret = 0;

	c->updates++;
	for (i = 0; i < nr; i++) {
		old = before ? find(c, list[i].id) : NULL;
		if (!old)
			continue;
		/* Of version 1 it may have another name now. */
		free(old->path);
		old->path = list[i].path;
		old->seen = c->updates;
		list[i].path = NULL;
	}
	for (i = 0; i < c->nr; i++) {
		if (forget && c->at[i].seen != c->updates)
			free(c->at[i].path);
		else
			c->at[kept++] = c->at[i];
	}
	c->nr = kept;
	for (i = 0; i < nr && ret >= 0; i++) {
		if (!list[i].path)
			continue;
		ret = add(&c->at, &c->nr, &c->max, list[i].id, list[i].path);
		list[i].path = NULL;
		if (ret >= 0)
			c->at[c->nr - 1].seen = c->updates;
	}
	/* Without memory nothing is known until the next time. */
	if (ret < 0 || sort(c) < 0) {
		list_free(c->at, c->nr);
		c->at = NULL;
		c->nr = c->max = c->nr_paths = 0;
		return -ENOMEM;
	}
	return 0;
}

int pmcgrp_cgroups_update(struct pmcgrp_cgroups *c, bool forget)
{
	struct one *list = NULL;
	size_t nr = 0, max = 0, i;
	struct stat root;
	int ret;

	if (stat(c->root, &root) < 0)
		return -errno;
	ret = add(&list, &nr, &max, root.st_ino, strdup("/"));
	for (i = 0; i < nr && ret >= 0; i++)
		ret = add_folder(c->root, &list, &nr, &max, i);
	if (ret >= 0)
		ret = join(c, list, nr, forget);
	list_free(list, nr);
	return ret < 0 ? ret : 0;
}

int cgroups_open(struct pmcgrp_cgroups **out, const char *mountinfo, bool unified)
{
	struct pmcgrp_cgroups *c = calloc(1, sizeof(*c));
	int ret;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->root = root_find(mountinfo, unified, &ret);
	ret = c->root ? pmcgrp_cgroups_update(c, false) : -ret;
	if (ret < 0)
		pmcgrp_cgroups_free(c);
	else
		*out = c;
	return ret;
}

int pmcgrp_cgroups_new(struct pmcgrp_cgroups **out)
{
	return out ? cgroups_open(out, CGROUPS_MOUNTINFO, false) : -EINVAL;
}

int pmcgrp_cgroups_new_unified(struct pmcgrp_cgroups **out)
{
	return out ? cgroups_open(out, CGROUPS_MOUNTINFO, true) : -EINVAL;
}

void pmcgrp_cgroups_free(struct pmcgrp_cgroups *c)
{
	if (!c)
		return;
	list_free(c->at, c->nr);
	free(c->by_id);
	free(c->paths);
	free(c->root);
	free(c);
}

const char *pmcgrp_cgroups_root(const struct pmcgrp_cgroups *c)
{
	return c->root;
}

const char *pmcgrp_cgroups_path(const struct pmcgrp_cgroups *c, uint64_t id, bool *removed)
{
	const struct one *one = find(c, id);

	if (one && removed)
		*removed = one->seen != c->updates;
	return one ? one->path : NULL;
}

int pmcgrp_cgroups_id(const struct pmcgrp_cgroups *c, const char *path, uint64_t *id)
{
	size_t len = strlen(c->root);
	char *folder = NULL;
	struct stat st;
	int ret = 0;

	if (!strncmp(path, c->root, len) && (!path[len] || path[len] == '/'))
		path += len;
	if (asprintf(&folder, "%s/%s", c->root, path) < 0)
		return -ENOMEM;
	if (stat(folder, &st) < 0)
		ret = errno == ENOTDIR ? -ENOENT : -errno;
	else if (!S_ISDIR(st.st_mode))
		ret = -ENOENT;
	else
		*id = st.st_ino;
	free(folder);
	return ret;
}

const char *pmcgrp_cgroups_at(const struct pmcgrp_cgroups *c, size_t i)
{
	return i < c->nr_paths ? c->paths[i] : NULL;
}
