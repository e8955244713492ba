// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "share_path.h"

/* Cuts off the last part of a path: "" if it has no folder. */
static void to_folder(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
	else
		*path = '\0';
}

static void program_folder(char *folder, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", folder, size - 1);

	folder[len > 0 ? len : 0] = '\0';
	to_folder(folder);
}

/* The library may be part of the program: that has a folder of its own then. */
static void library_folder(char *folder, size_t size)
{
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)share_path, &info) || !info.dli_fname ||
	    info.dli_fname[0] != '/')
		info.dli_fname = "";
	snprintf(folder, size, "%s", info.dli_fname);
	to_folder(folder);
}

static char *path_in(const char *folder, const char *below, const char *name)
{
	char *path;

	if (!*folder || asprintf(&path, "%s%s/%s", folder, below, name) < 0)
		return NULL;
	if (!access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

char *share_path(const char *name)
{
	static const char *const below[] = {
		"/share/pmcgrp", "/../share/pmcgrp", "/../../share/pmcgrp"
	};
	const char *chosen = getenv("PMCGRP_SHARE");
	char program[4096], library[4096], *path = NULL;
	size_t i;

	if (chosen)
		return path_in(chosen, "", name);
	program_folder(program, sizeof(program));
	library_folder(library, sizeof(library));
	for (i = 0; !path && i < 2; i++)
		path = path_in(program, below[i], name);
	/* Debian has libraries in a folder for the architecture below lib. */
	for (i = 0; !path && i < 3; i++)
		path = path_in(library, below[i], name);
	if (!path)
		path = path_in("/usr/local", below[0], name);
	if (!path)
		path = path_in("/usr", below[0], name);
	return path;
}
