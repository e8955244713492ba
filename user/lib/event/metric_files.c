// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which files of metrics there are, and what is in them. */
#include <stdlib.h>
#include <string.h>

#include "metric_file.h"

/* All of it, and a zero; also of a pipe. */
static int read_stream(FILE *file, char **text, size_t *size)
{
	char *more;
	size_t room = 4096;

	*text = NULL;
	*size = 0;
	do {
		room *= 2;
		if (room > METRIC_FILE_MAX)
			return -EFBIG;
		more = realloc(*text, room);
		if (!more)
			return -ENOMEM;
		*text = more;
		*size += fread(*text + *size, 1, room - *size - 1, file);
	} while (*size == room - 1);
	(*text)[*size] = '\0';
	return ferror(file) ? -EIO : 0;
}

static int add_file(struct event_table *table, const char *path, bool must_be,
		    struct failure *failure)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	int ret;

	if (!file && !must_be && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	errno = file ? 0 : errno;
	ret = file ? read_stream(file, &text, &size) : -errno;
	if (file)
		fclose(file);
	if (ret)
		failure_plain(failure, -ret, PMCGRP_WHY_NONE, path);
	else
		ret = metric_file_add(table, text, size, path, failure);
	free(text);
	return ret;
}

/* To be freed; NULL: there is no such folder, or no memory. */
static char *own_path(void)
{
	const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path;
	int ret;

	if (folder && *folder == '/')
		ret = asprintf(&path, "%s/" METRIC_FILE_OWN, folder);
	else if (home && *home == '/')
		ret = asprintf(&path, "%s/.config/" METRIC_FILE_OWN, home);
	else
		return NULL;
	return ret < 0 ? NULL : path;
}

static int add_files(struct event_table *table, const char *const *files, unsigned int nr,
		     struct failure *failure)
{
	char *own = own_path();
	unsigned int i;
	int ret = 0;

	if (own)
		ret = add_file(table, own, false, failure);
	free(own);
	for (i = 0; i < nr && !ret; i++)
		ret = add_file(table, files[i], true, failure);
	return ret;
}

int metric_files_open(struct event_table **out, const char *const *files, unsigned int nr,
		      struct failure *failure)
{
	struct event_table *table;
	int missing, ret;

	missing = event_table_open(&table, NULL, NULL, NULL, failure);
	if (missing && missing != -ENOENT && missing != -ENODEV)
		return missing;
	if (missing && event_table_empty(&table, failure->text))
		return failure_plain(failure, ENOMEM, PMCGRP_WHY_NOMEM, "metrics");
	ret = add_files(table, files, nr, failure);
	/* Then what is missing is the reason, and the failure still says it. */
	if (!ret && missing && !event_table_nr_metrics(table))
		ret = missing;
	if (ret) {
		event_table_close(table);
		return ret;
	}
	*out = table;
	return 0;
}
