/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A folder with files as sysfs and tracefs have them. */
#ifndef FAKE_MACHINE_H
#define FAKE_MACHINE_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/machine.h"

static char fake_root[64];
static char fake_devices[128], fake_tracing[128], fake_tables[128];
static const char *const fake_tracing_folders[TRACEFS_FOLDERS] = { "/nonexistent", fake_tracing };

/* Write a file, with the folders above it. */
static inline void put(const char *file, const char *text)
{
	char path[512], *slash;
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", fake_root, file);
	for (slash = strchr(path + strlen(fake_root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static inline int fake_machine_end(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", fake_root);
	return system(line);
}

/* An empty machine, which new lists of events are about. */
static inline int fake_machine_begin(void **state)
{
	(void)state;
	strcpy(fake_root, "/tmp/pmcgrp-test-XXXXXX");
	if (!mkdtemp(fake_root))
		return -1;
	snprintf(fake_devices, sizeof(fake_devices), "%s/devices", fake_root);
	snprintf(fake_tracing, sizeof(fake_tracing), "%s/events", fake_root);
	snprintf(fake_tables, sizeof(fake_tables), "%s/tables", fake_root);
	event_machine_here = (struct event_machine){ .devices = fake_devices,
						     .tracing = fake_tracing_folders,
						     .tables = fake_tables };
	return 0;
}

#endif
