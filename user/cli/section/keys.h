/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What a section has counted by CPU, or by the task that ended it. */
#ifndef SECTION_KEYS_H
#define SECTION_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "say/name.h"
#include "pmcgrp.h"

/**
 * struct section_by - what a section is told apart by (--by, --top)
 * @is: it is
 * @cpus: by CPU; else by @key
 * @key: for the span
 * @top: rows that are shown, the first ones; 0: all
 * @histograms: rows have histograms, too
 */
struct section_by {
	bool is;
	bool cpus;
	struct pmcgrp_key_options key;
	int top;
	bool histograms;
};

/**
 * struct section_key_row - a CPU or a key
 * @kind: "cpu", "key", "idle", "other" or "overflow"
 * @name: as text (say/name.h): number of the CPU, process or thread, path of the cgroup, command
 * @comm: of a process or thread its name as text; else ""
 * @id: number of the CPU, process or thread, or id of the cgroup; @has_id: there is one
 * @entry: what was counted
 * @buckets: its histograms; NULL: none
 */
struct section_key_row {
	const char *kind;
	char *name;
	char comm[NAME_COMM_SIZE];
	uint64_t id;
	bool has_id;
	const struct pmcgrp_section_key *entry;
	const struct pmcgrp_section_key_buckets *buckets;
};

/**
 * struct section_keys - rows, those that have counted most of the first member first
 * @by: "cpu", "cgroup", "process", "thread" or "command"
 * @rows: the rows
 * @nr: number of @rows
 * @left_out: rows that --top leaves out
 * @left_count: sections that these have counted
 * @counts: what @rows point into
 */
struct section_keys {
	const char *by;
	struct section_key_row *rows;
	unsigned int nr;
	unsigned int left_out;
	uint64_t left_count;
	struct pmcgrp_section_counts *counts;
};

/* section_take_by - take the argument of --by, of a struct section_by; returns 1 or -EXIT_TOOL */
int section_take_by(void *by, const char *text);

/*
 * section_keys_new - rows of counts, which are theirs from now on, also on failure
 * @cgroups: to name cgroups, or NULL
 *
 * Returns NULL without memory.
 */
struct section_keys *section_keys_new(const struct section_by *by,
				      const struct pmcgrp_cgroups *cgroups,
				      struct pmcgrp_section_counts *counts);

void section_keys_free(struct section_keys *keys);

#endif
