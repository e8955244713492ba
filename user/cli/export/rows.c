// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exposition.h"
#include "rows.h"

void rows_init(struct rows *rows, unsigned int nr_members, unsigned int max, const char *label)
{
	*rows = (struct rows){ .nr_members = nr_members, .max = max, .label = label };
}

static void row_free(struct row *row)
{
	if (!row)
		return;
	free(row->labels);
	free(row->info);
	free(row);
}

void rows_free(struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		row_free(rows->at[i]);
	free(rows->at);
	row_free(rows->other);
	row_free(rows->idle);
	row_free(rows->removed);
	*rows = (struct rows){ 0 };
}

static char *in_braces(const char *labels)
{
	char *text;

	if (!*labels)
		return strdup("");
	return asprintf(&text, "{%s}", labels) < 0 ? NULL : text;
}

static struct row *row_make(const struct rows *rows, uint64_t id, const char *labels,
			    const char *info, uint64_t created)
{
	struct row *row = calloc(1, sizeof(*row) + rows->nr_members * sizeof(row->values[0]));

	if (!row)
		return NULL;
	row->id = id;
	row->created = created;
	row->counts.value = row->values;
	row->labels = in_braces(labels);
	row->info = info ? in_braces(info) : NULL;
	if (row->labels && (row->info || !info))
		return row;
	row_free(row);
	return NULL;
}

/* Where the id is, or would be: they are in rising order. */
static size_t place(const struct rows *rows, uint64_t id)
{
	size_t low = 0, high = rows->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (rows->at[mid]->id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct row *rows_find(const struct rows *rows, uint64_t id)
{
	size_t at = place(rows, id);

	return at < rows->nr && rows->at[at]->id == id ? rows->at[at] : NULL;
}

static bool has_room(struct rows *rows)
{
	struct row **at;
	size_t size;

	if (rows->nr >= rows->max) {
		rows->refused++;
		return false;
	}
	/* A power of two is full. */
	if (rows->nr & (rows->nr - 1) && rows->at)
		return true;
	size = rows->nr ? 2 * rows->nr : 1;
	at = reallocarray(rows->at, size, sizeof(struct row *));
	if (!at)
		return false;
	rows->at = at;
	return true;
}

struct row *rows_new(struct rows *rows, uint64_t id, const char *labels, const char *info,
		     uint64_t created)
{
	size_t at = place(rows, id);
	struct row *row = has_room(rows) ? row_make(rows, id, labels, info, created) : NULL;

	if (!row)
		return NULL;
	memmove(rows->at + at + 1, rows->at + at, (rows->nr - at) * sizeof(struct row *));
	rows->at[at] = row;
	rows->nr++;
	return row;
}

static struct row *without_id(const struct rows *rows, struct row **row, const char *name,
			      uint64_t created)
{
	char labels[64] = "";

	if (!*row) {
		labels_add(labels, sizeof(labels), rows->label, name);
		*row = row_make(rows, 0, labels, NULL, created);
	}
	return *row;
}

struct row *rows_other(struct rows *rows, uint64_t created)
{
	return without_id(rows, &rows->other, "other", created);
}

struct row *rows_idle(struct rows *rows, uint64_t created)
{
	return without_id(rows, &rows->idle, "idle", created);
}

static void counts_add(struct row_counts *counts, const struct row_counts *more, unsigned int nr)
{
	unsigned int i;

	counts->enabled += more->enabled;
	counts->running += more->running;
	for (i = 0; i < nr; i++)
		counts->value[i] += more->value[i];
}

void row_add(struct row *row, const struct row_counts *more, unsigned int nr_members)
{
	counts_add(&row->counts, more, nr_members);
	row->uncounted = more->running ? 0 : row->uncounted + more->enabled;
}

bool row_shown(const struct row *row)
{
	return row->counts.running && row->uncounted < ROW_UNCOUNTED_NS;
}

double row_share(const struct row *row)
{
	if (row->counts.running >= row->counts.enabled)
		return row->counts.enabled ? 1 : 0;
	return (double)row->counts.running / (double)row->counts.enabled;
}

int rows_drop(struct rows *rows, uint64_t before, uint64_t now)
{
	size_t i, kept = 0;

	for (i = 0; i < rows->nr; i++) {
		struct row *row = rows->at[i];
		bool old = row->removed && row->removed < before && !row->users;

		if (old && !rows->removed) {
			rows->removed = row_make(rows, 0, "", NULL, now);
			if (!rows->removed)
				return -ENOMEM;
		}
		if (old) {
			counts_add(&rows->removed->counts, &row->counts, rows->nr_members);
			row_free(row);
		} else {
			rows->at[kept++] = row;
		}
	}
	rows->nr = kept;
	return 0;
}

void rows_sum(const struct rows *rows, struct row_counts *sum)
{
	const struct row *more[] = { rows->other, rows->idle, rows->removed };
	size_t i;

	sum->enabled = sum->running = 0;
	memset(sum->value, 0, rows->nr_members * sizeof(sum->value[0]));
	for (i = 0; i < rows->nr; i++)
		counts_add(sum, &rows->at[i]->counts, rows->nr_members);
	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (more[i])
			counts_add(sum, &more[i]->counts, rows->nr_members);
	}
}
