// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From what a section has counted by CPU and key to rows with names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/by_key.h"
#include "counters/holder.h"
#include "keys.h"

int section_take_by(void *at, const char *text)
{
	struct section_by *by = at;
	int ret = by_key_parse(&by->key, text);

	by->is = true;
	by->cpus = !strcmp(text, "cpu");
	if (ret || by->cpus)
		return ret ? ret : 1;
	return args_choice_wrong("--by", "cgroup,cgroup:DEPTH,process,thread,command,cpu", text);
}

/* ---- Names ---- */

static void name_cgroup(char *name, const struct pmcgrp_cgroups *cgroups, uint64_t id)
{
	bool removed = false;
	const char *path = cgroups ? pmcgrp_cgroups_path(cgroups, id, &removed) : NULL;

	if (path)
		name_text(name, NAME_PATH_SIZE, path, strlen(path));
	else
		snprintf(name, NAME_PATH_SIZE, "(removed, id %llu)", (unsigned long long)id);
}

static void name_key(struct section_key_row *row, char *name, const struct section_by *by,
		     const struct pmcgrp_cgroups *cgroups)
{
	const struct pmcgrp_section_key *entry = row->entry;
	char comm[sizeof(entry->key) + 1] = "";

	row->kind = "key";
	if (by->key.type == PMCGRP_KEY_COMMAND) {
		memcpy(comm, entry->key, sizeof(entry->key));
		name_text(name, NAME_PATH_SIZE, comm, sizeof(comm));
		return;
	}
	row->id = entry->key[0];
	row->has_id = true;
	if (by->key.type == PMCGRP_KEY_CGROUP) {
		name_cgroup(name, cgroups, row->id);
		return;
	}
	snprintf(name, NAME_PATH_SIZE, "%llu", (unsigned long long)row->id);
	holder_comm(row->comm, entry->comm);
}

static int name_row(struct section_key_row *row, const struct section_by *by,
		    const struct pmcgrp_cgroups *cgroups)
{
	const struct pmcgrp_section_key *entry = row->entry;
	char name[NAME_PATH_SIZE];

	if (entry->kind == PMCGRP_SECTION_KEY_TOTAL) {
		row->kind = "cpu";
		row->id = entry->cpu;
		row->has_id = true;
		snprintf(name, sizeof(name), "%u", entry->cpu);
	} else if (entry->kind == PMCGRP_SECTION_KEY_OVERFLOW) {
		row->kind = "overflow";
		strcpy(name, "(no slot)");
	} else if (entry->key[0] == PMCGRP_KEY_OTHER) {
		row->kind = "other";
		strcpy(name, "(other tasks)");
	} else if (!entry->key[0] && !entry->key[1]) {
		row->kind = "idle";
		strcpy(name, "(idle)");
	} else {
		name_key(row, name, by, cgroups);
	}
	row->name = strdup(name);
	return row->name ? 0 : -1;
}

/* ---- Rows ---- */

static int compare(const void *a, const void *b)
{
	const struct section_key_row *x = a, *y = b;
	bool last = !strcmp(x->kind, "overflow");
	uint64_t mine, other;
	unsigned int i;

	if (last != !strcmp(y->kind, "overflow"))
		return last ? 1 : -1;
	/* The first member, or without one the time. */
	for (i = 1; i < 3; i++) {
		mine = x->entry->stat[i % 2].sum;
		other = y->entry->stat[i % 2].sum;
		if (mine != other)
			return mine < other ? 1 : -1;
	}
	return x->entry < y->entry ? -1 : 1;
}

static int add_rows(struct section_keys *keys, const struct section_by *by,
		    const struct pmcgrp_cgroups *cgroups)
{
	const struct pmcgrp_section_counts *counts = keys->counts;
	const struct pmcgrp_section_key *entry;
	size_t i;

	keys->rows = calloc(counts->nr + 1, sizeof(*keys->rows));
	if (!keys->rows)
		return -1;
	for (i = 0; i < counts->nr; i++) {
		entry = &counts->entry[i];
		if (by->cpus != (entry->kind == PMCGRP_SECTION_KEY_TOTAL) || !entry->count)
			continue;
		keys->rows[keys->nr].entry = entry;
		keys->rows[keys->nr].buckets = counts->buckets ? &counts->buckets[i] : NULL;
		if (name_row(&keys->rows[keys->nr++], by, cgroups) < 0)
			return -1;
	}
	qsort(keys->rows, keys->nr, sizeof(*keys->rows), compare);
	return 0;
}

static void leave_out(struct section_keys *keys, unsigned int top)
{
	while (top && keys->nr > top) {
		keys->nr--;
		keys->left_out++;
		keys->left_count += keys->rows[keys->nr].entry->count;
		free(keys->rows[keys->nr].name);
	}
}

struct section_keys *section_keys_new(const struct section_by *by,
				      const struct pmcgrp_cgroups *cgroups,
				      struct pmcgrp_section_counts *counts)
{
	struct section_keys *keys = calloc(1, sizeof(*keys));

	if (!keys) {
		pmcgrp_section_counts_free(counts);
		return NULL;
	}
	keys->counts = counts;
	keys->by = by->cpus ? "cpu" : by_key_names[by->key.type];
	if (add_rows(keys, by, cgroups) < 0) {
		section_keys_free(keys);
		return NULL;
	}
	leave_out(keys, (unsigned int)by->top);
	return keys;
}

void section_keys_free(struct section_keys *keys)
{
	unsigned int i;

	if (!keys)
		return;
	for (i = 0; i < keys->nr; i++)
		free(keys->rows[i].name);
	free(keys->rows);
	pmcgrp_section_counts_free(keys->counts);
	free(keys);
}
