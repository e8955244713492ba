// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The module, if it is loaded, and its device. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "say/append.h"
#include "sysfile.h"
#include "sections.h"

#define MODULE "/sys/module/pmcgrp"
#define DEVICE "/dev/pmcgrp"

/* A device that does not open says so as well, unless there is none. */
static bool is_loaded(const struct doctor *d)
{
	bool absent = d->dev_err == -ENOENT || d->dev_err == -ENODEV || d->dev_err == -ENXIO;
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s" MODULE, d->root);
	return d->dev || (d->dev_err && !absent) || !stat(path, &st);
}

/* Documentation/admin-guide/tainted-kernels.rst has the letters. */
static const char *taint_text(char letter)
{
	static const struct {
		char letter;
		const char *text;
	} taints[] = {
		{ 'P', "not GPL" },
		{ 'O', "built outside the kernel's tree" },
		{ 'F', "loaded by force" },
		{ 'E', "without a signature" },
		{ 'C', "staging" },
		{ 'K', "a live patch" },
	};
	size_t i;

	for (i = 0; i < sizeof(taints) / sizeof(taints[0]); i++) {
		if (taints[i].letter == letter)
			return taints[i].text;
	}
	return NULL;
}

static void loaded(struct doctor *d)
{
	struct findings *f = &d->findings;
	char taint[32], text[256] = "";
	long long users = -1;
	unsigned int i;

	sysfile_text(d->root, MODULE "/taint", taint, sizeof(taint));
	for (i = 0; taint[i]; i++) {
		const char *word = taint_text(taint[i]);

		append(text, sizeof(text), ", ", "%c%s%s", taint[i], word ? ": " : "",
		       word ? word : "");
	}
	if (sysfile_number(d->root, MODULE "/refcnt", &users))
		users = -1;
	findings_add(f, DOCTOR_OK, "loaded", "yes%s%s%s", text[0] ? ", taints the kernel (" : "",
		     text, text[0] ? ")" : "");
	if (users < 0)
		return;
	/* This process has the device open. */
	findings_add(f, DOCTOR_OK, "references", "%lld: open devices (%s), groups, mappings", users,
		     d->dev ? "1 by this process" : "none by this process");
	findings_value(f, "references", users);
}

static void version(struct doctor *d)
{
	struct findings *f = &d->findings;
	char module[64], release[sizeof(d->query.release) + 1];

	if (!d->has_query) {
		if (sysfile_text(d->root, MODULE "/version", module, sizeof(module)))
			return;
		if (strcmp(module, pmcgrp_version())) {
			findings_add(f, DOCTOR_WARNING, "version", "module %s, this tool %s",
				     module, pmcgrp_version());
			findings_advise(f, "build both from the same sources");
		} else {
			findings_add(f, DOCTOR_OK, "version", "module and tool %s", module);
		}
		return;
	}
	snprintf(release, sizeof(release), "%.*s", (int)sizeof(d->query.release), d->query.release);
	if (d->query.abi_version != PMCGRP_ABI_VERSION) {
		findings_add(f, DOCTOR_PROBLEM, "version",
			     "module %s has ABI %u, this tool %s wants ABI %u", release,
			     d->query.abi_version, pmcgrp_version(), PMCGRP_ABI_VERSION);
		findings_advise(f, "build both from the same sources, and load that module");
	} else if (strcmp(release, pmcgrp_version())) {
		findings_add(f, DOCTOR_WARNING, "version", "module %s, this tool %s, both ABI %u",
			     release, pmcgrp_version(), PMCGRP_ABI_VERSION);
		findings_advise(f, "build both from the same sources");
	} else {
		findings_add(f, DOCTOR_OK, "version", "module and tool %s, ABI %u", release,
			     PMCGRP_ABI_VERSION);
	}
	findings_value(f, "abi", d->query.abi_version);
}

static void device(struct doctor *d)
{
	struct findings *f = &d->findings;
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s" DEVICE, d->root);
	if (stat(path, &st)) {
		findings_add(f, d->dev ? DOCTOR_UNKNOWN : DOCTOR_PROBLEM, "device", DEVICE ": %s",
			     strerror(errno));
		findings_advise(f, "see that /dev is a devtmpfs, or that udev runs");
	} else {
		findings_add(f, DOCTOR_OK, "device", DEVICE ", mode %04o, user %u, group %u",
			     st.st_mode & 07777, st.st_uid, st.st_gid);
		findings_value(f, "mode", st.st_mode & 07777);
	}
	if (d->dev) {
		findings_add(f, DOCTOR_OK, "access", "this process may open it");
	} else if (d->dev_err) {
		findings_add(f, DOCTOR_PROBLEM, "access", "it cannot be opened: %s",
			     strerror(-d->dev_err));
		findings_advise(f, "%s", d->dev_says);
	}
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_parameter(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void parameters(struct doctor *d)
{
	char path[PATH_MAX], value[64], text[512] = "";
	struct dirent **names;
	int i, nr;

	snprintf(path, sizeof(path), "%s" MODULE "/parameters", d->root);
	nr = scandir(path, &names, is_parameter, by_name);
	if (nr < 0)
		return;
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), MODULE "/parameters/%s", names[i]->d_name);
		sysfile_text(d->root, path, value, sizeof(value));
		append(text, sizeof(text), ", ", "%s=%s", names[i]->d_name,
		       value[0] ? value : "?");
		free(names[i]);
	}
	free(names);
	if (text[0])
		findings_add(&d->findings, DOCTOR_OK, "parameters", "%s", text);
}

void doctor_module(struct doctor *d)
{
	d->findings.section = SECTION_MODULE;
	if (!is_loaded(d)) {
		doctor_module_missing(d);
		return;
	}
	loaded(d);
	version(d);
	device(d);
	parameters(d);
}
