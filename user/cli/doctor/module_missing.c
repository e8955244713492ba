// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Where the module is, if it is not loaded. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "say/append.h"
#include "sysfile.h"
#include "sections.h"

#define DKMS "/var/lib/dkms/pmcgrp"

/* A line of modules.dep: "updates/dkms/pmcgrp.ko.xz: others"; the path, or "". */
static bool take_dep(const char *line, char *path, size_t size)
{
	size_t len = strcspn(line, ":\n"), name = len;

	while (name && line[name - 1] != '/')
		name--;
	if (line[len] != ':' || strncmp(line + name, "pmcgrp.ko", 9) ||
	    (line[name + 9] != ':' && line[name + 9] != '.'))
		return false;
	snprintf(path, size, "%.*s", (int)len, line);
	return true;
}

static bool modprobe_finds(const struct doctor *d, char *path, size_t size)
{
	char name[PATH_MAX], *line = NULL;
	bool found = false;
	size_t room = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/lib/modules/%s/modules.dep", d->release);
	file = sysfile_open(d->root, name);
	while (file && !found && getline(&line, &room, file) > 0)
		found = take_dep(line, path, size);
	free(line);
	if (file)
		fclose(file);
	return found;
}

static int is_release(const struct dirent *entry)
{
	return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

/*
 * DKMS has a folder for each version of a module, in it one for each kernel that it was built for,
 * and there one for each architecture, with the module. On a kernel that pmcgrp cannot be built for
 * there is a file that says why (kmod/dkms/post-build).
 */
static bool dkms_version(const struct doctor *d, const char *version, char *text, size_t size)
{
	char path[PATH_MAX], kernels[256] = "", unfit[256] = "", why[256];
	struct dirent **names;
	bool here = false;
	int i, nr;

	snprintf(path, sizeof(path), "%s" DKMS "/%s", d->root, version);
	nr = scandir(path, &names, is_release, alphasort);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), DKMS "/%s/%s/%s/unfit", version, names[i]->d_name, d->machine);
		if (!sysfile_text(d->root, path, why, sizeof(why))) {
			append(unfit, sizeof(unfit), ", ", "%s", names[i]->d_name);
		} else {
			here |= !strcmp(names[i]->d_name, d->release);
			append(kernels, sizeof(kernels), ", ", "%s", names[i]->d_name);
		}
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	append(text, size, "; ", "%s %s%s", version, kernels[0] ? "built for " : "not built",
	       kernels);
	if (unfit[0])
		append(text, size, ", ", "cannot be built for %s", unfit);
	return here;
}

static void dkms(struct doctor *d)
{
	struct findings *f = &d->findings;
	char path[PATH_MAX], text[512] = "";
	struct dirent **names;
	bool here = false;
	int i, nr;

	snprintf(path, sizeof(path), "%s" DKMS, d->root);
	nr = scandir(path, &names, is_release, alphasort);
	if (nr < 0) {
		findings_add(f, DOCTOR_OK, "DKMS", "does not know pmcgrp");
		return;
	}
	for (i = 0; i < nr; i++) {
		here |= dkms_version(d, names[i]->d_name, text, sizeof(text));
		free(names[i]);
	}
	free(names);
	findings_add(f, here ? DOCTOR_OK : DOCTOR_WARNING, "DKMS", "%s",
		     text[0] ? text : "knows pmcgrp, but no version of it");
	if (!here)
		findings_advise(f, "dkms autoinstall -k %s; what went wrong is in " DKMS "/*/build/make.log, or "
				"in " DKMS "/*/%s/*/unfit", d->release, d->release);
}

void doctor_module_missing(struct doctor *d)
{
	struct findings *f = &d->findings;
	char path[PATH_MAX];
	struct stat st;

	findings_add(f, DOCTOR_PROBLEM, "loaded", "no");
	if (modprobe_finds(d, path, sizeof(path))) {
		findings_advise(f, "modprobe pmcgrp; /etc/modules-load.d has what is loaded at "
				"each boot");
		findings_add(f, DOCTOR_OK, "modprobe", "would load %s", path);
	} else {
		findings_advise(f, "build and load it (\"Five minutes\" in README.md), or count "
				"with \"pmcgrp stat --perf\"");
		findings_add(f, DOCTOR_WARNING, "modprobe",
			     "knows no pmcgrp for this kernel (/lib/modules/%s/modules.dep)",
			     d->release);
		findings_advise(f, "install the module by DKMS "
				"(user/doc/install.md), or load it by insmod");
	}
	dkms(d);
	snprintf(path, sizeof(path), "%s/lib/modules/%s/build", d->root, d->release);
	if (!stat(path, &st)) {
		findings_add(f, DOCTOR_OK, "kernel headers", "/lib/modules/%s/build", d->release);
		return;
	}
	findings_add(f, DOCTOR_WARNING, "kernel headers",
		     "there is no /lib/modules/%s/build: the module cannot be built here",
		     d->release);
	findings_advise(f, "install them (Debian: linux-headers-%s)", d->release);
}
