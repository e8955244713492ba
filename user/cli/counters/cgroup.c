// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "args/cli.h"
#include "event/near.h"

int cgroup_say_missing(const struct pmcgrp_cgroups *cgroups, const char *option, const char *name)
{
	char near_names[NEAR_TEXT];
	struct near near;
	const char *path;
	size_t i;

	near_begin(&near, name + (name[0] == '/'));
	for (i = 0; (path = pmcgrp_cgroups_at(cgroups, i)); i++)
		near_offer(&near, path + 1);
	near_text(&near, near_names, sizeof(near_names));
	cli_say("%s: there is no cgroup '%s' in %s%s", option, name, pmcgrp_cgroups_root(cgroups),
		near_names);
	return EXIT_TOOL;
}

static int open_dir(const struct pmcgrp_cgroups *cgroups, const char *option, const char *name)
{
	const char *root = pmcgrp_cgroups_root(cgroups), *path;
	char *folder;
	uint64_t id;
	int fd, ret;

	/* A name may begin with where they are mounted. */
	ret = pmcgrp_cgroups_id(cgroups, name, &id);
	if (ret < 0)
		return ret == -ENOENT ? -cgroup_say_missing(cgroups, option, name) :
					-cli_say_errno(name, -ret);
	path = pmcgrp_cgroups_path(cgroups, id, NULL);
	if (!path)
		return -cgroup_say_missing(cgroups, option, name);
	if (asprintf(&folder, "%s%s", root, path) < 0)
		return -cli_say_errno(name, ENOMEM);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = -cli_say_errno(folder, errno);
	free(folder);
	return fd;
}

static int add(struct cgroup_dirs *dirs, const struct pmcgrp_cgroups *cgroups, const char *option,
	       const char *name)
{
	char **names = reallocarray(dirs->names, dirs->nr + 1, sizeof(*names));
	int *fds = reallocarray(dirs->fds, dirs->nr + 1, sizeof(*fds)), fd;

	dirs->names = names ? names : dirs->names;
	dirs->fds = fds ? fds : dirs->fds;
	if (!names || !fds)
		return cli_say_errno(option, ENOMEM);
	fd = open_dir(cgroups, option, name);
	if (fd < 0)
		return -fd;
	names[dirs->nr] = strdup(name);
	fds[dirs->nr] = fd;
	if (names[dirs->nr++])
		return 0;
	return cli_say_errno(option, ENOMEM);
}

int cgroup_dirs_open(struct cgroup_dirs *dirs, const char *option, const char *list)
{
	char *copy = strdup(list), *at = copy, *name;
	struct pmcgrp_cgroups *cgroups = NULL;
	int ret = copy ? pmcgrp_cgroups_new_unified(&cgroups) : -ENOMEM;

	if (ret == -ENOENT) {
		cli_say("%s: no cgroups of version 2 are mounted: \"mount -t cgroup2 none "
			"/sys/fs/cgroup\" does so, as root", option);
		ret = EXIT_TOOL;
	} else if (ret < 0) {
		ret = cli_say_errno(option, -ret);
	}
	while (!ret && (name = strsep(&at, ",")))
		ret = add(dirs, cgroups, option, *name ? name : "/");
	pmcgrp_cgroups_free(cgroups);
	free(copy);
	return ret;
}

void cgroup_dirs_close(struct cgroup_dirs *dirs)
{
	while (dirs->nr) {
		close(dirs->fds[--dirs->nr]);
		free(dirs->names[dirs->nr]);
	}
	free(dirs->fds);
	free(dirs->names);
	*dirs = (struct cgroup_dirs){ 0 };
}
