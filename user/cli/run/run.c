// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp run: a command whose perf_event_open(2) is libpmcgrp-preload.so's. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmcgrp.h>

#include "args/cli.h"
#include "options.h"

#define LIBRARY "libpmcgrp-preload.so"

#ifdef __aarch64__
#define DEBIANS "../lib/aarch64-linux-gnu/"
#else
#define DEBIANS "../lib/x86_64-linux-gnu/"
#endif

/* Where it is from the tool's own folder: in a build, and where it is installed. */
static const char *const places[] = { "", "../lib/", DEBIANS, DEBIANS "pmcgrp/", "../lib64/" };

/* The folder that the tool is in, with a slash at its end; false: unknown. */
static bool own_folder(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (len <= 0)
		return false;
	path[len] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	return true;
}

/* The library's path, for free(); or NULL. */
static char *find_library(void)
{
	char folder[PATH_MAX], place[2 * PATH_MAX], *path;
	size_t i;

	if (!own_folder(folder, sizeof(folder)))
		return NULL;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(place, sizeof(place), "%s%s" LIBRARY, folder, places[i]);
		path = realpath(place, NULL);
		if (path)
			return path;
	}
	return NULL;
}

static int say_no_library(void)
{
	cli_say("there is no " LIBRARY " beside the tool or in ../lib from there: \"make install\" "
		"puts it there");
	return EXIT_TOOL;
}

/* Before what the user has loaded into programs, if anything. */
static int preload(const char *path)
{
	const char *before = getenv("LD_PRELOAD");
	char *all;
	int ret;

	if (path[strcspn(path, " :")]) {
		cli_say("the loader takes no library whose path has a blank or a colon: %s", path);
		return EXIT_TOOL;
	}
	if (asprintf(&all, "%s%s%s", path, before && *before ? ":" : "", before ? before : "") < 0)
		return cli_say_errno("LD_PRELOAD", ENOMEM);
	ret = setenv("LD_PRELOAD", all, 1);
	free(all);
	return ret ? cli_say_errno("LD_PRELOAD", errno) : 0;
}

/* By its whole path: the command may go to another folder. */
static int set_log(const char *file)
{
	FILE *log = fopen(file, "ae");
	char *path;

	if (!log)
		return cli_say_errno(file, errno);
	fclose(log);
	path = realpath(file, NULL);
	if (!path || setenv("PMCGRP_PRELOAD_LOG", path, 1)) {
		free(path);
		return cli_say_errno(file, errno);
	}
	free(path);
	return 0;
}

static int set_environment(const struct run_options *o)
{
	char *path = find_library();
	int ret;

	if (!path)
		return say_no_library();
	ret = preload(path);
	free(path);
	if (!ret && o->log)
		ret = set_log(o->log);
	if (!ret && ((o->verbose && setenv("PMCGRP_PRELOAD_VERBOSE", "1", 1)) ||
		     (o->strict && setenv("PMCGRP_PRELOAD", "strict", 1))))
		ret = cli_say_errno("environment", errno);
	return ret;
}

/* Who counts without the module, or a right to it, is perf. */
static void warn_without_device(void)
{
	struct pmcgrp *h;

	if (!pmcgrp_open(&h, 0)) {
		pmcgrp_close(h);
		return;
	}
	cli_say("%s", pmcgrp_strerror(NULL));
	cli_say("the command goes on, and perf_event_open(2) counts its events");
}

int run_main(int argc, char **argv)
{
	struct run_options options;
	int ret;

	cli_begin("run");
	ret = run_options_parse(&options, argc, argv);
	if (ret <= 0)
		return -ret;
	ret = set_environment(&options);
	if (ret)
		return ret;
	warn_without_device();
	execvp(options.command[0], options.command);
	ret = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	cli_say_errno(options.command[0], errno);
	return ret;
}
