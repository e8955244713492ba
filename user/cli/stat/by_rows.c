// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "by_rows.h"

/* A key in one of the tables. */
struct found {
	const struct pmcgrp_key *key;
	const struct pmcgrp_key_counts *counts;
	const struct key_source *source;
	enum by_kind kind;
};

struct all_found {
	struct found *at;
	size_t nr;
};

static enum by_kind kind_of(const struct pmcgrp_key *key)
{
	static const enum by_kind kinds[] = {
		[PMCGRP_KEY_KIND_KEY] = BY_KEY,
		[PMCGRP_KEY_KIND_IDLE] = BY_IDLE,
		[PMCGRP_KEY_KIND_OTHER] = BY_OTHER,
		[PMCGRP_KEY_KIND_OVERFLOW] = BY_OVERFLOW,
	};

	return kinds[key->kind];
}

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	unsigned int i;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	for (i = 0; i < 2 && x->key && y->key; i++) {
		if (x->key->key[i] != y->key->key[i])
			return x->key->key[i] < y->key->key[i] ? -1 : 1;
	}
	return (x->source > y->source) - (x->source < y->source);
}

static bool same_row(const struct found *a, const struct found *b)
{
	return a->kind == b->kind &&
	       (!a->key || !memcmp(a->key->key, b->key->key, sizeof(a->key->key)));
}

/* A key may have come while the group was disabled, or where the group counts nothing of it. */
static bool has_counted(const struct pmcgrp_key_counts *counts, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (counts->value[i])
			return true;
	}
	return counts->time_enabled;
}

/* Those that have run, in the order of their rows. */
static int find_all(struct all_found *all, const struct counter_set *set,
		    const struct key_tables *tables, bool interval)
{
	const struct pmcgrp_group *group;
	const struct pmcgrp_key_counts *counts;
	const struct pmcgrp_key *key;
	size_t max = 0, at;
	unsigned int i;

	for (i = 0; i < tables->nr; i++)
		max += pmcgrp_keys_nr(tables->at[i].table) + 1;
	*all = (struct all_found){ .at = calloc(max + 1, sizeof(*all->at)) };
	if (!all->at)
		return -ENOMEM;
	for (i = 0; i < tables->nr; i++) {
		const struct key_source *source = &tables->at[i];

		at = 0;
		group = set->groups[source->group].group;
		while ((key = pmcgrp_keys_next(source->table, &at))) {
			counts = interval ? &key->delta : &key->total;
			if (has_counted(counts, pmcgrp_group_nr(group)))
				all->at[all->nr++] = (struct found){ key, counts, source,
								     kind_of(key) };
		}
		counts = pmcgrp_keys_dropped(source->table);
		if (!interval && counts->time_enabled)
			all->at[all->nr++] = (struct found){ NULL, counts, source, BY_ENDED };
	}
	qsort(all->at, all->nr, sizeof(*all->at), compare_found);
	return 0;
}

static void cell_add(struct by_cell *cell, const struct by_cell *more)
{
	cell->value += more->value;
	cell->enabled += more->enabled;
	cell->running += more->running;
}

static struct by_cell cell_of(const struct pmcgrp_key_counts *counts, unsigned int i, bool unscaled)
{
	struct by_cell cell = { (double)counts->value[i], counts->time_enabled,
				counts->time_running };

	if (!unscaled && cell.running && cell.running < cell.enabled)
		cell.value *= (double)cell.enabled / (double)cell.running;
	return cell;
}

/* What one table has of a row. */
static void row_add(struct by_row *row, const struct counter_set *set, const struct found *found)
{
	const struct counter_group *group = &set->groups[found->source->group];
	struct by_cell cell;
	unsigned int i;

	if (found->key && !row->comm[0])
		memcpy(row->comm, found->key->comm, sizeof(found->key->comm));
	if (row->stays < found->counts->stays)
		row->stays = found->counts->stays;
	if (row->enabled < found->counts->time_enabled)
		row->enabled = found->counts->time_enabled;
	for (i = 0; i < pmcgrp_group_nr(group->group); i++) {
		cell = cell_of(found->counts, i, set->unscaled);
		cell_add(&row->cell[group->counter_of[i]], &cell);
	}
}

static void sum_add(struct by_row *sum, const struct by_row *row, unsigned int nr)
{
	unsigned int i;

	sum->stays += row->stays;
	sum->enabled += row->enabled;
	sum->nr += row->kind == BY_KEY;
	for (i = 0; i < nr; i++)
		cell_add(&sum->cell[i], &row->cell[i]);
}

static void sum_init(const struct by_rows *rows, struct by_row *sum, enum by_kind kind)
{
	struct by_cell *cell = rows->sums + (kind == BY_TOTAL ? rows->nr_counters : 0);

	memset(cell, 0, rows->nr_counters * sizeof(*cell));
	*sum = (struct by_row){ .kind = kind, .cell = cell };
}

int by_rows_make(struct by_rows *rows, const struct counter_set *set,
		 const struct key_tables *tables, bool interval)
{
	struct all_found all;
	struct by_row *row = NULL;
	size_t i;

	by_rows_free(rows);
	if (find_all(&all, set, tables, interval) < 0)
		return -ENOMEM;
	rows->nr_counters = set->nr;
	rows->at = calloc(all.nr + 1, sizeof(*rows->at));
	rows->cells = calloc((all.nr + 1) * set->nr, sizeof(*rows->cells));
	rows->sums = calloc(2UL * set->nr, sizeof(*rows->sums));
	if (!rows->at || !rows->cells || !rows->sums) {
		free(all.at);
		by_rows_free(rows);
		return -ENOMEM;
	}
	for (i = 0; i < all.nr; i++) {
		if (!i || !same_row(&all.at[i - 1], &all.at[i])) {
			row = &rows->at[rows->nr];
			row->kind = all.at[i].kind;
			row->cell = rows->cells + rows->nr * set->nr;
			if (all.at[i].key)
				memcpy(row->key, all.at[i].key->key, sizeof(row->key));
			rows->nr_keys += row->kind == BY_KEY;
			rows->nr++;
		}
		row_add(row, set, &all.at[i]);
	}
	free(all.at);
	sum_init(rows, &rows->total, BY_TOTAL);
	for (i = 0; i < rows->nr; i++)
		sum_add(&rows->total, &rows->at[i], set->nr);
	by_rows_rest(rows, rows->nr_keys);
	return 0;
}

void by_rows_rest(struct by_rows *rows, size_t first)
{
	size_t i;

	sum_init(rows, &rows->rest, BY_REST);
	for (i = first; i < rows->nr_keys; i++)
		sum_add(&rows->rest, &rows->at[i], rows->nr_counters);
}

void by_cell_take(struct counts *counts, const struct by_cell *cell)
{
	const struct reading times = { .enabled = cell->enabled, .running = cell->running };

	counts_take(counts, times, cell->value);
}

/* ---- Order ---- */

struct order {
	enum pmcgrp_key_type type;
	unsigned int sort;
};

/* Of a process that is its PID. */
static int compare_keys(const struct by_row *a, const struct by_row *b)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	}
	return 0;
}

static int compare_names(const struct by_row *a, const struct by_row *b, enum pmcgrp_key_type type)
{
	int ret = 0;

	if (type == PMCGRP_KEY_COMMAND)
		ret = memcmp(a->key, b->key, sizeof(a->key));
	else if (type != PMCGRP_KEY_CGROUP)
		ret = strcmp(a->comm, b->comm);
	return ret ? ret : compare_keys(a, b);
}

static double order_value(const struct by_row *row, unsigned int sort)
{
	switch (sort) {
	case BY_SORT_STAYS:
		return (double)row->stays;
	case BY_SORT_TIME:
		return (double)row->enabled;
	default:
		return row->cell[sort].running ? row->cell[sort].value : -1.0;
	}
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct by_row *x = a, *y = b;
	const struct order *order = arg;
	double of_x, of_y;

	if (order->sort == BY_SORT_NAME)
		return compare_names(x, y, order->type);
	of_x = order_value(x, order->sort);
	of_y = order_value(y, order->sort);
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return compare_keys(x, y);
}

void by_rows_sort(struct by_rows *rows, enum pmcgrp_key_type type, unsigned int sort)
{
	struct order order = { type, sort };

	qsort_r(rows->at, rows->nr_keys, sizeof(*rows->at), compare_rows, &order);
}

void by_rows_free(struct by_rows *rows)
{
	free(rows->at);
	free(rows->cells);
	free(rows->sums);
	*rows = (struct by_rows){ 0 };
}
