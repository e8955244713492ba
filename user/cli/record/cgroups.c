// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* -G and --all-cgroups: which cgroups are recorded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/cgroup.h"
#include "args/cli.h"
#include "record_run.h"

/* By the path that samples are known by, however it was given. */
static int want(struct record_run *r, const struct pmcgrp_cgroups *known, const char *name)
{
	const char *path;
	uint64_t id;
	int ret;

	ret = pmcgrp_cgroups_id(known, *name ? name : "/", &id);
	path = ret ? NULL : pmcgrp_cgroups_path(known, id, NULL);
	if (ret == -ENOENT || (!ret && !path))
		return cgroup_say_missing(known, "-G", name);
	if (!ret)
		ret = record_cgroups_want(r->cgroups, path);
	return ret < 0 ? cli_say_errno(name, -ret) : 0;
}

static int want_all(struct record_run *r, const struct pmcgrp_cgroups *known, const char *list)
{
	char *copy = strdup(list), *at = copy, *name;
	int ret = copy ? 0 : cli_say_errno("-G", ENOMEM);

	while (!ret && (name = strsep(&at, ",")))
		ret = want(r, known, name);
	free(copy);
	return ret;
}

int record_cgroups_init(struct record_run *r)
{
	const struct record_options *o = &r->options;
	struct pmcgrp_cgroups *known = NULL;
	unsigned int i;
	int ret;

	if (!o->all_cgroups)
		return 0;
	ret = pmcgrp_cgroups_new(&known);
	if (ret == -ENOENT) {
		cli_say("%s: no cgroups are mounted: \"mount -t cgroup2 none /sys/fs/cgroup\" does "
			"so, as root", o->nr_cgroups ? "-G" : "--all-cgroups");
		return EXIT_TOOL;
	}
	if (!ret)
		ret = record_cgroups_new(&r->cgroups, known);
	if (ret < 0)
		return cli_say_errno("cannot list the cgroups", -ret);
	for (i = 0; i < o->nr_cgroups && !ret; i++)
		ret = want_all(r, known, o->cgroups[i]);
	return ret;
}
