// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/stat_name.h"
#include "spans.h"

#define NAME_ROOM 512

void spans_init(struct span_rows *spans, const struct export_group *group)
{
	*spans = (struct span_rows){ .group = group };
}

static void row_free(struct span_row *row)
{
	free(row->labels);
	free(row->values);
}

void spans_free(struct span_rows *spans)
{
	unsigned int i;

	for (i = 0; i < spans->nr; i++)
		row_free(&spans->at[i]);
	for (i = 0; i < spans->nr_metrics; i++) {
		free(spans->metrics[i].name);
		free(spans->metrics[i].help);
	}
	free(spans->at);
	free(spans->metrics);
	*spans = (struct span_rows){ 0 };
}

/* ---- Metrics ---- */

static int metric_init(struct span_metric *metric, const char *name, const char *event)
{
	int len;

	metric->is_time = !event[0];
	metric->name = strdup(name);
	if (metric->is_time)
		len = asprintf(&metric->help, "Time from the beginning to the end.");
	else
		len = asprintf(&metric->help, "%s from the beginning to the end.", event);
	if (len < 0)
		metric->help = NULL;
	return metric->name && metric->help ? 0 : -ENOMEM;
}

/* The family of value @i of a section, which is new if no other has had its event. */
static int metric_of(struct span_rows *spans, const struct pmcgrp_section_info *info, unsigned int i)
{
	char event[NAME_ROOM] = "", part[128], name[256];
	struct span_metric *metrics;
	unsigned int k;

	if (i)
		stat_event_name(pmcgrp_section_stat(info, i), event, sizeof(event));
	exposition_name(part, sizeof(part), i ? event : "time_nanoseconds");
	snprintf(name, sizeof(name), "pmcgrp_%s_%s", spans->group->name, part);
	for (k = 0; k < spans->nr_metrics; k++) {
		if (!strcmp(spans->metrics[k].name, name))
			return (int)k;
	}
	metrics = reallocarray(spans->metrics, k + 1, sizeof(*metrics));
	if (!metrics)
		return -ENOMEM;
	spans->metrics = metrics;
	memset(&metrics[k], 0, sizeof(metrics[k]));
	spans->nr_metrics++;
	return metric_init(&metrics[k], name, event) < 0 ? -ENOMEM : (int)k;
}

/* ---- Rows ---- */

static struct span_row *row_find(const struct span_rows *spans, uint64_t id)
{
	unsigned int i;

	for (i = 0; i < spans->nr; i++) {
		if (spans->at[i].id == id)
			return &spans->at[i];
	}
	return NULL;
}

/* A section's name is anybody's; two of them can have one. */
static int row_labels(struct span_row *row, const struct span_rows *spans,
		      const struct pmcgrp_section_info *info)
{
	bool is_span = spans->group->kind == EXPORT_SPAN;
	char name[PMCGRP_SECTION_NAME_MAX + 1] = "", number[24], labels[1024] = "";

	memcpy(name, info->name, sizeof(info->name));
	snprintf(number, sizeof(number), "%llu", (unsigned long long)info->id);
	labels_add(labels, sizeof(labels), is_span ? "span" : "section", name);
	if (!is_span)
		labels_add(labels, sizeof(labels), "id", number);
	return asprintf(&row->labels, "%s,", labels) < 0 ? -ENOMEM : 0;
}

static struct span_row *row_new(struct span_rows *spans, const struct pmcgrp_section_info *info,
				uint64_t since)
{
	struct span_row *at = reallocarray(spans->at, spans->nr + 1, sizeof(*at)), row = { 0 };
	unsigned int i;
	int metric = 0;

	if (!at)
		return NULL;
	spans->at = at;
	row.id = info->id;
	row.created = since;
	row.nr = info->nr_members + 1;
	row.values = calloc(row.nr, sizeof(*row.values));
	if (!row.values || row_labels(&row, spans, info) < 0)
		metric = -ENOMEM;
	for (i = 0; i < row.nr && metric >= 0; i++) {
		metric = metric_of(spans, info, i);
		row.values[i].metric = metric < 0 ? 0 : (unsigned int)metric;
	}
	if (metric < 0) {
		row_free(&row);
		return NULL;
	}
	at[spans->nr] = row;
	return &at[spans->nr++];
}

/* CPUs are read one after the other, so a sum can seem to have become less: it stays. */
static void keep_more(uint64_t *value, uint64_t now)
{
	if (now > *value)
		*value = now;
}

int spans_take(struct span_rows *spans, const struct pmcgrp_section_info *info, uint64_t since)
{
	struct span_row *row = row_find(spans, info->id);
	const struct pmcgrp_section_stat *stat;
	struct span_metric *metric;
	unsigned int i, k;

	if (!row && spans->nr >= spans->group->series)
		return 0;
	if (!row)
		row = row_new(spans, info, since);
	if (!row)
		return -ENOMEM;
	row->seen = true;
	for (i = 0; i < PMCGRP_MISSED_ROOM; i++)
		keep_more(&row->missed[i], info->missed[i]);
	for (i = 0; i < row->nr; i++) {
		stat = pmcgrp_section_stat(info, i);
		metric = &spans->metrics[row->values[i].metric];
		keep_more(&row->values[i].sum, stat ? stat->sum : 0);
		for (k = 0; k < PMCGRP_SECTION_BUCKETS && stat; k++) {
			keep_more(&row->values[i].bucket[k], stat->bucket[k]);
			if (stat->bucket[k] && metric->buckets <= k)
				metric->buckets = k + 1;
		}
	}
	return 0;
}

/* Those of sections that are no more. */
static void drop_gone(struct span_rows *spans)
{
	unsigned int i, kept = 0;

	for (i = 0; i < spans->nr; i++) {
		if (spans->at[i].seen)
			spans->at[kept++] = spans->at[i];
		else
			row_free(&spans->at[i]);
	}
	spans->nr = kept;
}

/* ---- Counting ---- */

int spans_add(struct span_rows *spans, struct pmcgrp *h, struct pmcgrp_group *group, uint64_t now)
{
	char *functions = strdup(spans->group->of), *next, *function;
	struct pmcgrp_span_spec spec = { .kind = PMCGRP_SECTION_FUNCTION };
	struct pmcgrp_section_info *info;
	uint64_t id;
	int ret = functions ? 0 : -ENOMEM;

	for (function = functions ? strtok_r(functions, ", ", &next) : NULL; function && ret >= 0;
	     function = strtok_r(NULL, ", ", &next)) {
		spec.begin = function;
		ret = pmcgrp_group_add_span(h, group, &spec, &id);
		if (ret >= 0)
			ret = pmcgrp_section_next(h, id, &info);
		if (ret >= 0) {
			ret = spans_take(spans, info, now);
			pmcgrp_section_free(info);
		}
	}
	free(functions);
	return ret;
}

static bool is_wanted(const struct span_rows *spans, const struct pmcgrp_section_info *info)
{
	char *patterns, *next, *pattern;
	bool wanted = !spans->group->of;

	if (spans->group->kind == EXPORT_SPAN)
		return row_find(spans, info->id);
	if (info->kind != PMCGRP_SECTION_MODULE || wanted)
		return info->kind == PMCGRP_SECTION_MODULE;
	patterns = strdup(spans->group->of);
	for (pattern = patterns ? strtok_r(patterns, ", ", &next) : NULL; pattern && !wanted;
	     pattern = strtok_r(NULL, ", ", &next))
		wanted = !fnmatch(pattern, info->name, 0);
	free(patterns);
	return wanted;
}

int spans_collect(struct span_rows *spans, struct pmcgrp *h, uint64_t now)
{
	struct pmcgrp_section_info *info;
	uint64_t id = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < spans->nr; i++)
		spans->at[i].seen = false;
	while ((ret = pmcgrp_section_next(h, id, &info)) >= 0) {
		id = info->id + 1;
		if (is_wanted(spans, info))
			ret = spans_take(spans, info, now);
		pmcgrp_section_free(info);
		if (ret < 0)
			return ret;
	}
	if (ret != -ENOENT)
		return ret;
	drop_gone(spans);
	return 0;
}

/* ---- The text ---- */

static void write_metric(const struct span_rows *spans, struct exposition *e, unsigned int i)
{
	const struct span_metric *metric = &spans->metrics[i];
	uint64_t to[PMCGRP_SECTION_BUCKETS + 1];
	struct exposition_buckets buckets = { .to = to, .nr = metric->buckets + 1 };
	uint64_t with_more[PMCGRP_SECTION_BUCKETS + 1];
	const struct span_value *value;
	unsigned int k, m;

	to[PMCGRP_SECTION_BUCKETS] = UINT64_MAX;
	for (k = 0; k < PMCGRP_SECTION_BUCKETS; k++)
		to[k] = k ? (1ULL << (k - 1)) * 2 - 1 : 0;
	exposition_family(e, metric->name, EXPOSITION_HISTOGRAM,
			  metric->is_time ? "nanoseconds" : NULL, metric->help);
	for (k = 0; k < spans->nr; k++) {
		for (m = 0; m < spans->at[k].nr; m++) {
			value = &spans->at[k].values[m];
			if (value->metric != i)
				continue;
			/* Above the highest in use there is one more, without an end. */
			memcpy(with_more, value->bucket, sizeof(value->bucket));
			with_more[PMCGRP_SECTION_BUCKETS] = 0;
			buckets.bucket = with_more;
			buckets.sum = value->sum;
			exposition_histogram(e, metric->name, spans->at[k].labels, &buckets,
					     spans->at[k].created);
			break;
		}
	}
}

static void write_missed(const struct span_rows *spans, struct exposition *e)
{
	const struct span_row *row;
	char name[256], labels[1200];
	unsigned int i, k;

	snprintf(name, sizeof(name), "pmcgrp_%s_missed", spans->group->name);
	exposition_family(e, name, EXPOSITION_COUNTER, NULL, "Those that were not counted, by the reason.");
	for (i = 0; i < spans->nr; i++) {
		row = &spans->at[i];
		for (k = 0; k <= PMCGRP_MISSED_GONE; k++) {
			if (!row->missed[k])
				continue;
			snprintf(labels, sizeof(labels), "{%sreason=\"%s\"}", row->labels,
				 pmcgrp_missed_name((enum pmcgrp_missed)k));
			exposition_counter(e, name, labels, row->missed[k], row->created);
		}
	}
}

void spans_write(const struct span_rows *spans, struct exposition *e)
{
	unsigned int i;

	for (i = 0; i < spans->nr_metrics; i++)
		write_metric(spans, e, i);
	write_missed(spans, e);
}
