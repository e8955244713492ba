/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What is exported: the configuration file's groups, and how they are served. */
#ifndef EXPORT_CONFIG_H
#define EXPORT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* What a group's rows are. */
enum export_kind {
	EXPORT_MACHINE, /* one row */
	EXPORT_CPU,
	EXPORT_CGROUP,
	EXPORT_UNIT,
	EXPORT_POD,
	EXPORT_JOB,
	EXPORT_SPAN,	/* functions of the kernel, as histograms */
	EXPORT_SECTION, /* those of kernel modules that are there */
	EXPORT_KINDS,
};

/* Their names, by enum export_kind. */
extern const char *const export_kind_names[EXPORT_KINDS];

static inline bool export_by_cgroup(enum export_kind kind)
{
	return kind >= EXPORT_CGROUP && kind <= EXPORT_JOB;
}

/**
 * struct export_group - a group of the file
 * @name: of its section; a part of its metrics' names
 * @events: as after -e, without braces; NULL for sections
 * @of: functions of EXPORT_SPAN, separated by commas; patterns of EXPORT_SECTION, or NULL: all
 * @kind: what its rows are
 * @series: so many rows at most; all others are one
 * @background: counts only with hardware counters that nobody else wants
 * @by_id: the labels of rows by cgroup are the id alone; a family of its own has the others
 */
struct export_group {
	char *name;
	char *events;
	char *of;
	enum export_kind kind;
	unsigned int series;
	bool background;
	bool by_id;
};

#define EXPORT_SERIES 1000
#define EXPORT_SERIES_MAX 100000
#define EXPORT_LINGER 120
#define EXPORT_GROUPS_MAX 64

/**
 * struct export_config - the whole file
 * @listen: "unix:PATH", "ADDRESS:PORT", or NULL
 * @linger: for so many seconds a row is shown after its cgroup was removed
 */
struct export_config {
	char *listen;
	unsigned int linger;
	struct export_group *groups;
	unsigned int nr;
};

#define EXPORT_ERROR_SIZE 320

/* export_config_init - no groups, and defaults */
void export_config_init(struct export_config *config);
void export_config_free(struct export_config *config);

/*
 * export_config_add - one group more, with defaults
 *
 * Returns NULL without memory, or where there are EXPORT_GROUPS_MAX. It is valid until the next one.
 */
struct export_group *export_config_add(struct export_config *config, const char *name);

/*
 * export_config_parse - the text of a file
 * @config: after export_config_init()
 * @error: on failure, "line 3: ..."
 *
 * Returns 0, -EINVAL, -ENOMEM, or -EOPNOTSUPP: this pmcgrp was built without libinih.
 */
int export_config_parse(struct export_config *config, const char *text,
			char error[EXPORT_ERROR_SIZE]);

/* export_config_read - the same of a file; a negative errno if it cannot be read, too */
int export_config_read(struct export_config *config, const char *path,
		       char error[EXPORT_ERROR_SIZE]);

/* export_kind_of - returns EXPORT_KINDS if it is the name of none */
enum export_kind export_kind_of(const char *name);

#endif
