// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sysfile.h"

FILE *sysfile_open(const char *root, const char *path)
{
	char whole[PATH_MAX];

	if ((size_t)snprintf(whole, sizeof(whole), "%s%s", root, path) >= sizeof(whole)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(whole, "re");
}

int sysfile_text(const char *root, const char *path, char *text, size_t size)
{
	FILE *file = sysfile_open(root, path);
	int ret = 0;
	size_t len;

	text[0] = '\0';
	if (!file)
		return -errno;
	errno = 0;
	len = fread(text, 1, size - 1, file);
	if (ferror(file))
		ret = errno ? -errno : -EIO;
	fclose(file);
	text[ret ? 0 : len] = '\0';
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	return ret;
}

int sysfile_number(const char *root, const char *path, long long *value)
{
	char text[64], *end;
	int ret = sysfile_text(root, path, text, sizeof(text));

	if (ret)
		return ret;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return end == text || *end || errno ? -EINVAL : 0;
}

int sysfile_value(const char *root, const char *path, const char *key, char *value, size_t size)
{
	FILE *file = sysfile_open(root, path);
	size_t len = strlen(key), room = 0;
	char *line = NULL, *at;
	int ret = -ENOENT;

	value[0] = '\0';
	if (!file)
		return -errno;
	while (ret && getline(&line, &room, file) > 0) {
		at = line + len;
		if (strncmp(line, key, len) || !*at || !strchr("\t :", *at))
			continue;
		/* "model" is not "model name". */
		at += strspn(at, "\t ");
		if (*at != ':')
			continue;
		at += 1 + strspn(at + 1, "\t ");
		snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
		ret = 0;
	}
	free(line);
	fclose(file);
	return ret;
}
