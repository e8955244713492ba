// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The families of a group: what was counted, and for how much of the time. */
#include <stdio.h>
#include <string.h>

#include "source.h"

/* Not a cgroup's row: what is in none, and CPUs that were idle. */
static void write_other(const struct export_source *s, struct exposition *e, const char *name,
			unsigned int i)
{
	const struct row *const more[] = { s->by.rows.idle, s->by.rows.other };
	size_t k;

	for (k = 0; k < sizeof(more) / sizeof(more[0]); k++) {
		if (more[k] && row_shown(more[k]))
			exposition_counter(e, name, more[k]->labels, more[k]->counts.value[i],
					   more[k]->created);
	}
}

/* A row of a CPU that is offline is not shown. */
static bool is_there(const struct export_source *s, const struct row *row)
{
	return s->config->kind != EXPORT_CPU || !row->removed;
}

static void write_metric(const struct export_source *s, struct exposition *e, unsigned int i)
{
	const struct export_metric *metric = &s->metrics[i];
	const struct row *row;
	size_t k;

	exposition_family(e, metric->name, EXPOSITION_COUNTER, NULL, metric->help);
	for (k = 0; k < s->by.rows.nr; k++) {
		row = s->by.rows.at[k];
		if (is_there(s, row) && row_shown(row))
			exposition_counter(e, metric->name, row->labels, row->counts.value[i],
					   row->created);
	}
	write_other(s, e, metric->name, i);
}

static void write_all(const struct export_source *s, struct exposition *e,
		      const struct row_counts *all, unsigned int i)
{
	const struct row *removed = s->by.rows.removed;
	const char *event = s->metrics[i].name + strlen("pmcgrp_") + strlen(s->config->name) + 1;
	char name[METRIC_NAME_SIZE + 16], help[METRIC_NAME_SIZE + 64];

	if (!all->running)
		return;
	snprintf(name, sizeof(name), "pmcgrp_%s_all_%s", s->config->name, event);
	snprintf(help, sizeof(help), "%.160s, of all rows and of rows that are no more.",
		 s->metrics[i].event);
	exposition_family(e, name, EXPOSITION_COUNTER, NULL, help);
	exposition_counter(e, name, "", all->value[i], s->created);
	snprintf(name, sizeof(name), "pmcgrp_%s_removed_%s", s->config->name, event);
	snprintf(help, sizeof(help), "%.160s, of rows that are no more.", s->metrics[i].event);
	exposition_family(e, name, EXPOSITION_COUNTER, NULL, help);
	exposition_counter(e, name, "", removed ? removed->counts.value[i] : 0, s->created);
}

static void write_share(struct exposition *e, const char *name, const struct row *row)
{
	if (row && row->counts.enabled)
		exposition_gauge(e, name, row->labels, row_share(row));
}

static void write_shares(const struct export_source *s, struct exposition *e)
{
	char name[METRIC_NAME_SIZE];
	size_t k;

	snprintf(name, sizeof(name), "pmcgrp_%s_counted_ratio", s->config->name);
	exposition_family(e, name, EXPOSITION_GAUGE, "ratio",
			  "The share of the time for which the row's counts were counted.");
	for (k = 0; k < s->by.rows.nr; k++) {
		if (is_there(s, s->by.rows.at[k]))
			write_share(e, name, s->by.rows.at[k]);
	}
	write_share(e, name, s->by.rows.idle);
	write_share(e, name, s->by.rows.other);
}

static void write_labels(const struct export_source *s, struct exposition *e)
{
	char name[METRIC_NAME_SIZE];
	size_t k;

	snprintf(name, sizeof(name), "pmcgrp_%s_cgroup", s->config->name);
	exposition_family(e, name, EXPOSITION_INFO, NULL, "The cgroup of each id.");
	for (k = 0; k < s->by.rows.nr; k++)
		exposition_info(e, name, s->by.rows.at[k]->info);
}

void source_write(const struct export_source *s, struct exposition *e)
{
	uint64_t value[PMCGRP_MEMBERS_MAX];
	struct row_counts all = { .value = value };
	unsigned int i;

	if (s->up && s->config->kind >= EXPORT_SPAN)
		spans_write(&s->spans, e);
	if (!s->up || s->config->kind >= EXPORT_SPAN)
		return;
	for (i = 0; i < s->nr; i++)
		write_metric(s, e, i);
	write_shares(s, e);
	if (!export_by_cgroup(s->config->kind))
		return;
	if (s->config->by_id)
		write_labels(s, e);
	rows_sum(&s->by.rows, &all);
	for (i = 0; i < s->nr; i++)
		write_all(s, e, &all, i);
}
