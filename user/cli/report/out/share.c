// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share.h"
#include "share_path.h"

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

/* Where Debian's package has it. */
static char *packaged(const char *folder, const char *name)
{
	char *path, *text;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return NULL;
	text = slurp(path);
	free(path);
	return text;
}

char *rep_share_read(const char *name)
{
	char *path = share_path(name), *text = path ? slurp(path) : NULL;

	free(path);
	if (text || getenv("PMCGRP_SHARE"))
		return text;
	text = packaged("/usr/share/javascript/dygraphs", name);
	if (!text && !strcmp(name, "copyright"))
		text = packaged("/usr/share/doc/libjs-dygraphs", name);
	return text;
}
