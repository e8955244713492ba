// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The files of perf's tables: which one is of a CPU. */
#include <stdlib.h>
#include <sys/stat.h>

#include "share_path.h"
#include "event_table.h"
#include "table_map.h"
#include "table_rows.h"

/* The largest of Linux 6.12 has 1.2 MB. */
#define FILE_MAX_SIZE (64U << 20)

#if defined(__x86_64__) || defined(__i386__)
#define OWN_ARCH "x86"
#elif defined(__aarch64__)
#define OWN_ARCH "arm64"
#else
#define OWN_ARCH "unknown"
#endif

/* As a string with its length. */
static int read_whole(FILE *file, char **text, size_t *size)
{
	struct stat status;

	if (fstat(fileno(file), &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size > FILE_MAX_SIZE)
		return -EFBIG;
	*size = (size_t)status.st_size;
	*text = malloc(*size + 1);
	if (!*text)
		return -ENOMEM;
	if (fread(*text, 1, *size, file) != *size) {
		free(*text);
		return -EIO;
	}
	(*text)[*size] = '\0';
	return 0;
}

static int read_file(const char *path, char **text, size_t *size, struct failure *failure)
{
	FILE *file = fopen(path, "re");
	int ret = file ? read_whole(file, text, size) : -errno;

	if (file)
		fclose(file);
	return ret ? failure_plain(failure, -ret, PMCGRP_WHY_NONE, path) : 0;
}

/* The folder of an architecture, to be freed. */
static int find_folder(char **path, const char *folder, const char *arch, struct failure *failure)
{
	char *events = NULL;
	int ret;

	if (!folder) {
		events = share_path("events/README");
		if (!events) {
			begin(failure, PMCGRP_WHY_NONE, -1, -1);
			say(failure, "perf's tables of events and metrics are not installed: \"make "
				     "events install\" in the sources of pmcgrp gets the newest that "
				     "Debian has (linux-source), into share/pmcgrp/events");
			return -ENOENT;
		}
		*strrchr(events, '/') = '\0';
		folder = events;
	}
	ret = asprintf(path, "%s/%s", folder, arch ? arch : OWN_ARCH);
	free(events);
	return ret < 0 ? failure_plain(failure, ENOMEM, PMCGRP_WHY_NOMEM, "tables of events") : 0;
}

static int read_table(struct event_table **out, const char *folder, const char *name,
		      struct failure *failure)
{
	char *path, *text;
	size_t size;
	int ret;

	if (asprintf(&path, "%s/%s.json", folder, name) < 0)
		return failure_plain(failure, ENOMEM, PMCGRP_WHY_NOMEM, name);
	ret = read_file(path, &text, &size, failure);
	if (!ret) {
		ret = table_read(out, text, size, path, failure);
		free(text);
	}
	free(path);
	return ret;
}

static int open_model(struct event_table **out, const char *folder, const char *cpuid,
		      struct failure *failure)
{
	char *path, *map, *model;
	size_t size;
	int ret;

	if (asprintf(&path, "%s/map", folder) < 0)
		return failure_plain(failure, ENOMEM, PMCGRP_WHY_NOMEM, folder);
	ret = read_file(path, &map, &size, failure);
	if (!ret) {
		model = table_map_find(map, path, cpuid, failure, &ret);
		if (model)
			ret = read_table(out, folder, model, failure);
		free(map);
	}
	free(path);
	return ret;
}

int event_table_open(struct event_table **out, const char *folder, const char *arch,
		     const char *cpuid, struct failure *failure)
{
	char own[128], *path;
	int ret;

	if (!cpuid) {
		ret = event_cpuid(own, sizeof(own));
		if (ret)
			return failure_plain(failure, -ret, PMCGRP_WHY_NONE,
					     "which model this CPU is");
		cpuid = own;
	}
	ret = find_folder(&path, folder, arch, failure);
	if (ret)
		return ret;
	ret = open_model(out, path, cpuid, failure);
	free(path);
	return ret;
}

int event_table_open_sys(struct event_table **out, const char *folder, const char *arch,
			 struct failure *failure)
{
	char *path;
	int ret = find_folder(&path, folder, arch, failure);

	if (ret)
		return ret;
	ret = read_table(out, path, "sys", failure);
	free(path);
	return ret == -ENOENT ? -ENODEV : ret;
}
