// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "share.h"

#define FILE_MAX_SIZE (16U << 20)

static char *slurp(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	/* None of them has a zero byte: up to one is all. */
	if (getdelim(&text, &size, '\0', file) <= 0 || size > FILE_MAX_SIZE) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static char *read_in(const char *folder, const char *below, const char *name)
{
	char *path, *text;

	if (asprintf(&path, "%s%s/%s", folder, below, name) < 0)
		return NULL;
	text = slurp(path);
	free(path);
	return text;
}

/* The folder of the tool itself; "" if that cannot be told. */
static void own_folder(char *folder, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", folder, size - 1);
	char *slash;

	folder[len > 0 ? len : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
}

char *rep_share_read(const char *name)
{
	const char *chosen = getenv("PMCGRP_SHARE");
	char own[4096], *text;

	if (chosen)
		return read_in(chosen, "", name);
	own_folder(own, sizeof(own));
	text = read_in(own, "/share/pmcgrp", name);
	if (!text)
		text = read_in(own, "/../share/pmcgrp", name);
	if (!text)
		text = read_in("/usr/share/javascript/dygraphs", "", name);
	if (!text && !strcmp(name, "copyright"))
		text = read_in("/usr/share/doc/libjs-dygraphs", "", name);
	return text;
}
