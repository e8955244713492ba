// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Counts by key: the tables of stat's groups, and when they are read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "counters/uncore.h"
#include "counters/workload.h"
#include "event/near.h"
#include "stat_run.h"

/*
 * So often the tables are read: it makes room for processes and threads to come, and a task that is
 * moved to another cgroup while it runs is told of the new one from then on.
 */
#define DRAIN_NS	100000000

/* So often at most intervals list the cgroups anew, of which there may be thousands. */
#define LOOK_NS		1000000000

/* Who may have less memory than all slots take has less of them. */
#define SLOTS_LEAST	64

/* From so many keys on those that have ended are no longer told apart. */
#define KEYS_KEPT	200000

/* ---- Set-up ---- */

static int cgroups_find(struct stat_run *st)
{
	int ret = pmcgrp_cgroups_new(&st->keys.cgroups);

	if (ret == -ENOENT) {
		cli_say("no cgroups are mounted: \"mount -t cgroup2 none /sys/fs/cgroup\" does so, as "
			"root");
		return EXIT_TOOL;
	}
	return ret < 0 ? cli_say_errno("cannot list the cgroups", -ret) : 0;
}

int stat_keys_lines(struct stat_run *st)
{
	static const char *const no_name = "";
	const struct stat_options *o = &st->options;
	struct stat_keys *k = &st->keys;
	int ret = 0;

	if (!o->by.is || o->by.key.type == PMCGRP_KEY_CGROUP)
		ret = cgroups_find(st);
	if (!ret && o->nr_each)
		ret = cgroup_lines_each(&k->lines, k->cgroups, o->each, o->nr_each);
	if (!ret && o->nr_cgroups)
		ret = cgroup_lines_events(&k->lines, k->cgroups, o->cgroups, o->nr_cgroups);
	if (ret)
		return ret;
	if (o->by.is)
		ret = aggr_init_names(&st->aggr, AGGR_KEY, &no_name, 1);
	else
		ret = aggr_init_names(&st->aggr, AGGR_CGROUP, k->lines.names, k->lines.nr);
	st->aggr.what = o->by.is ? by_key_names[o->by.key.type] : NULL;
	st->aggr.numbered = o->by.key.type == PMCGRP_KEY_PROCESS || o->by.key.type == PMCGRP_KEY_THREAD;
	st->aggr.each_event = o->nr_cgroups > 0;
	return ret < 0 ? cli_say_errno("cannot set up the report", -ret) : 0;
}

/* Which counter --sort names. */
static int sort_find(struct stat_run *st)
{
	static const struct {
		const char *name;
		unsigned int sort;
	} orders[] = {
		{ "name", BY_SORT_NAME },
		{ "stays", BY_SORT_STAYS },
		{ "time", BY_SORT_TIME },
	};
	const char *sort = st->options.by.sort;
	char near_names[NEAR_TEXT];
	struct near near;
	unsigned int i;

	if (!sort)
		return 0;
	near_begin(&near, sort);
	for (i = 0; i < st->set.nr; i++) {
		near_offer(&near, st->set.counters[i].name);
		if (!strcmp(st->set.counters[i].name, sort)) {
			st->keys.sort = i;
			return 0;
		}
	}
	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		near_offer(&near, orders[i].name);
		if (!strcmp(orders[i].name, sort)) {
			st->keys.sort = orders[i].sort;
			return 0;
		}
	}
	near_text(&near, near_names, sizeof(near_names));
	cli_say("--sort wants one of the events that are counted, or name, stays or time, not '%s'%s",
		sort, near_names);
	return EXIT_TOOL;
}

int stat_keys_init(struct stat_run *st)
{
	const struct counter *uncore = uncore_first(&st->set);
	int ret;

	if (uncore) {
		cli_say("%s is counted of a part of the machine, and of no cgroup or task: count it in "
			"a pmcgrp stat -a of its own", uncore->name);
		return EXIT_TOOL;
	}
	ret = cgroup_lines_counters(&st->keys.lines, st->set.nr);
	st->set.line_of = st->keys.lines.line_of;
	return ret ? ret : sort_find(st);
}

/* ---- The tables ---- */

static uint32_t slots_for(const struct stat_run *st)
{
	uint32_t slots = 8 * st->keys.lines.nr_ids;

	if (st->options.by.is)
		return PMCGRP_KEY_SLOTS;
	/* More than these and two others there are not; but a key does not fit into each slot. */
	if (slots > PMCGRP_KEYS_SLOTS_MAX)
		slots = PMCGRP_KEYS_SLOTS_MAX;
	return slots < SLOTS_LEAST ? SLOTS_LEAST : slots;
}

static int table_open(struct stat_run *st, unsigned int group, struct pmcgrp_group *of)
{
	struct key_tables *tables = &st->keys.tables;
	struct pmcgrp_key_options options = st->options.by.key;
	struct key_source *at;
	int ret;

	/* Without --by its type is 0, PMCGRP_KEY_CGROUP. */
	options.cgroups = st->keys.lines.ids;
	options.nr_cgroups = st->keys.lines.nr_ids;
	options.slots = slots_for(st);
	at = reallocarray(tables->at, tables->nr + 1, sizeof(*at));
	if (!at)
		return cli_say_errno("cannot set up the counts by key", ENOMEM);
	tables->at = at;
	do {
		ret = pmcgrp_group_set_keys(st->h, of, &options, &at[tables->nr].table);
		options.slots /= 2;
	} while ((ret == -EPERM || ret == -ENOSPC) && options.slots >= SLOTS_LEAST);
	if (ret < 0) {
		cli_say("%s", pmcgrp_strerror(st->h));
		return EXIT_TOOL;
	}
	at[tables->nr++].group = group;
	return 0;
}

int stat_keys_open(struct stat_run *st)
{
	const struct counter_group *group;
	unsigned int i, k;
	int ret = 0;

	for (i = 0; i < st->set.nr_groups && !ret; i++) {
		group = &st->set.groups[i];
		if (!group->group)
			continue;
		ret = table_open(st, i, group->group);
		for (k = 0; k < group->nr_more && !ret; k++)
			ret = table_open(st, i, group->more[k]);
	}
	if (ret)
		stat_keys_close(st);
	st->keys.drain = clock_now() + DRAIN_NS;
	return ret;
}

void stat_keys_close(struct stat_run *st)
{
	struct key_tables *tables = &st->keys.tables;

	while (tables->nr)
		pmcgrp_keys_free(tables->at[--tables->nr].table);
	free(tables->at);
	tables->at = NULL;
}

/* A cgroup may have come since they were listed; one that has gone is listed in vain. */
static int cgroups_look(struct stat_run *st)
{
	const struct key_tables *tables = &st->keys.tables;
	const struct pmcgrp_key *key;
	unsigned int i;
	size_t at;

	if (!st->options.by.is || !st->keys.cgroups)
		return 0;
	for (i = 0; i < tables->nr; i++) {
		at = 0;
		while ((key = pmcgrp_keys_next(tables->at[i].table, &at))) {
			if (key->kind == PMCGRP_KEY_KIND_KEY &&
			    !pmcgrp_cgroups_path(st->keys.cgroups, key->key[0], NULL))
				return pmcgrp_cgroups_update(st->keys.cgroups, false);
		}
	}
	return 0;
}

/* Which of them are no more is to be seen in the report. */
static int cgroups_look_again(struct stat_run *st)
{
	struct stat_keys *k = &st->keys;

	k->looked = k->cgroups && (!st->options.interval || clock_now() >= k->look);
	if (!k->looked)
		return cgroups_look(st);
	k->look = clock_now() + LOOK_NS;
	return pmcgrp_cgroups_update(k->cgroups, false);
}

int64_t stat_keys_until(const struct stat_run *st, int64_t until)
{
	if (!st->keys.tables.nr || until < st->keys.drain)
		return until;
	return st->keys.drain;
}

int stat_keys_drain(struct stat_run *st)
{
	struct key_tables *tables = &st->keys.tables;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < tables->nr && ret >= 0; i++) {
		ret = pmcgrp_keys_drain(tables->at[i].table);
		if (!st->options.interval && pmcgrp_keys_nr(tables->at[i].table) > KEYS_KEPT)
			pmcgrp_keys_drop_ended(tables->at[i].table);
	}
	if (ret >= 0)
		ret = cgroups_look(st);
	st->keys.drain = clock_now() + DRAIN_NS;
	return ret < 0 ? cli_say_errno("cannot read the counts by key", -ret) : 0;
}

static void lines_add(struct stat_run *st)
{
	const struct key_tables *tables = &st->keys.tables;
	unsigned int i;

	counter_set_begin(&st->set);
	for (i = 0; i < tables->nr; i++)
		cgroup_lines_add(&st->keys.lines, &st->set, tables->at[i].group,
				 tables->at[i].table);
	counter_set_end(&st->set);
}

int stat_keys_read(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	const struct key_tables *tables = &st->keys.tables;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < tables->nr && ret >= 0; i++)
		ret = pmcgrp_keys_update(tables->at[i].table);
	if (ret < 0)
		return ret;
	if (!o->by.is) {
		lines_add(st);
		return 0;
	}
	ret = cgroups_look_again(st);
	if (ret >= 0)
		ret = by_rows_make(&st->keys.rows, &st->set, tables, o->interval);
	if (ret >= 0)
		by_rows_sort(&st->keys.rows, o->by.key.type, st->keys.sort);
	return ret;
}

void stat_keys_next(struct stat_run *st)
{
	const struct key_tables *tables = &st->keys.tables;
	unsigned int i;

	for (i = 0; i < tables->nr; i++)
		pmcgrp_keys_drop_ended(tables->at[i].table);
	/* Cgroups that were shown as removed are forgotten; a failure leaves them known. */
	if (st->options.by.is && st->keys.looked)
		pmcgrp_cgroups_update(st->keys.cgroups, true);
}

static void note_table(const struct stat_run *st, const struct key_source *source)
{
	const struct counter_group *group = &st->set.groups[source->group];
	struct pmcgrp_key_totals totals;
	unsigned int i;

	pmcgrp_keys_totals(source->table, &totals);
	if (totals.overflows)
		cli_say("%llu times a key found no room in the table of its CPU: what it counted then is "
			"%s", (unsigned long long)totals.overflows,
			st->options.by.is ? "in (overflow)" : "in none of the cgroups");
	if (!st->options.verbose)
		return;
	cli_say("table of the group with %s: %zu keys, %llu slots used, %llu given to other keys",
		st->set.counters[group->first].name, pmcgrp_keys_nr(source->table),
		(unsigned long long)totals.used, (unsigned long long)totals.reused);
	for (i = 0; i < pmcgrp_group_nr(group->group); i++)
		cli_say("the kernel's total of %s: %llu", st->set.counters[group->counter_of[i]].name,
			(unsigned long long)totals.value[i]);
}

void stat_keys_note(const struct stat_run *st)
{
	unsigned int i;

	for (i = 0; i < st->keys.tables.nr; i++)
		note_table(st, &st->keys.tables.at[i]);
	cgroup_lines_say_changed(&st->keys.lines, st->keys.cgroups);
}

void stat_keys_free(struct stat_run *st)
{
	stat_keys_close(st);
	cgroup_lines_free(&st->keys.lines);
	by_rows_free(&st->keys.rows);
	pmcgrp_cgroups_free(st->keys.cgroups);
	st->keys.cgroups = NULL;
}
