// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_text.h"

/* More than any has: an allyesconfig has 600 kB. */
#define SIZE_MAX_TEXT (8U << 20)

#ifdef PMCGRP_ZLIB

#include <zlib.h>

/* Compressed or not. */
static int read_whole(const char *path, char **text)
{
	gzFile file = gzopen(path, "rbe");
	int len, ret = 0;

	if (!file)
		return errno ? -errno : -ENOMEM;
	*text = malloc(SIZE_MAX_TEXT + 1);
	len = *text ? gzread(file, *text, SIZE_MAX_TEXT) : -1;
	if (len < 0)
		ret = *text ? -EBADMSG : -ENOMEM;
	if (gzclose(file) != Z_OK && !ret)
		ret = -EBADMSG;
	if (ret) {
		free(*text);
		*text = NULL;
		return ret;
	}
	(*text)[len] = '\0';
	return 0;
}

#else

static int read_whole(const char *path, char **text)
{
	FILE *file = fopen(path, "re");
	size_t len;

	if (!file)
		return -errno;
	*text = malloc(SIZE_MAX_TEXT + 1);
	len = *text ? fread(*text, 1, SIZE_MAX_TEXT, file) : 0;
	fclose(file);
	if (!*text)
		return -ENOMEM;
	(*text)[len] = '\0';
	/* gzip's magic number */
	if (len < 2 || memcmp(*text, "\x1f\x8b", 2))
		return 0;
	free(*text);
	*text = NULL;
	return -EOPNOTSUPP;
}

#endif

int config_text_read(struct config_text *config, const char *root, const char *release, char *why,
		     size_t size)
{
	static const struct {
		const char *before;	/* the release */
		const char *after;
	} places[] = {
		{ "/boot/config-", "" },
		{ "/lib/modules/", "/config" },
		{ "/usr/lib/modules/", "/config" },
		{ "/usr/src/linux-headers-", "/.config" },
		{ "/lib/modules/", "/build/.config" },
	};
	int ret, first = -ENOENT;
	size_t i;

	config->text = NULL;
	snprintf(why, size, "neither /proc/config.gz nor /boot/config-%s is there", release);
	for (i = 0; i <= sizeof(places) / sizeof(places[0]); i++) {
		if (!i)
			snprintf(config->path, sizeof(config->path), "%s/proc/config.gz", root);
		else
			snprintf(config->path, sizeof(config->path), "%s%s%s%s", root,
				 places[i - 1].before, release, places[i - 1].after);
		errno = 0;
		ret = read_whole(config->path, &config->text);
		if (!ret)
			return 0;
		if (ret == -ENOENT || first != -ENOENT)
			continue;
		first = ret;
		snprintf(why, size, "%s: %s", config->path + strlen(root),
			 ret == -EOPNOTSUPP ? "compressed, and this pmcgrp is built without zlib" :
			 ret == -EBADMSG ? "not what gzip writes" : strerror(-ret));
	}
	return first;
}

bool config_text_value(const char *text, const char *option, char *value, size_t size)
{
	size_t len = strlen(option);
	const char *at = text;

	value[0] = '\0';
	for (; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, "CONFIG_", 7) || strncmp(at + 7, option, len) || at[7 + len] != '=')
			continue;
		at += 7 + len + 1;
		snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
		return value[0] && strcmp(value, "n");
	}
	return false;
}
