// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Tracepoints by name: tracefs has a folder for each, with its id. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int tracefs_id(const char *const *events, const char *name, uint64_t *id)
{
	size_t i, system = strcspn(name, ":");
	int ret = -ENOENT, len;
	char path[512];

	for (i = 0; i < TRACEFS_FOLDERS && ret == -ENOENT; i++) {
		len = snprintf(path, sizeof(path), "%s/%.*s/%s/id", events[i], (int)system, name,
			       name + system + 1);
		ret = len < (int)sizeof(path) ? tracefs_number(path, "", id) : -ENAMETOOLONG;
	}
	return ret;
}
