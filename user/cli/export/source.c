// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "source.h"

/* Who may have less memory than all slots take has less of them. */
#define SLOTS_LEAST 64

/* The row of the whole machine. */
#define MACHINE_ID 0

/* ---- Names ---- */

static int metric_init(struct export_metric *metric, const struct export_group *group,
		       const struct pmcgrp_event *event)
{
	char name[METRIC_NAME_SIZE / 2];
	int len;

	exposition_name(name, sizeof(name), event->name);
	snprintf(metric->name, sizeof(metric->name), "pmcgrp_%s_%s", group->name, name);
	metric->event = strdup(event->name);
	if (event->scale != 1.0 || *event->unit)
		len = asprintf(&metric->help, "%s, in units of %.9g %s.", event->name, event->scale,
			       event->unit);
	else
		len = asprintf(&metric->help, "%s.", event->name);
	if (len < 0)
		metric->help = NULL;
	return metric->event && metric->help ? 0 : -ENOMEM;
}

/* An event of several boxes is one metric. */
static int metrics_init(struct export_source *s, const struct pmcgrp_events *events)
{
	unsigned int i, nr = pmcgrp_events_nr(events);
	const struct pmcgrp_event *event;

	s->metrics = calloc(nr, sizeof(*s->metrics));
	s->metric_of = calloc(nr, sizeof(*s->metric_of));
	if (!s->metrics || !s->metric_of)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		event = pmcgrp_events_at(events, i);
		s->metric_of[i] = s->nr;
		if (event->sum != i)
			s->metric_of[i] = s->metric_of[event->sum];
		else if (metric_init(&s->metrics[s->nr++], s->config, event) < 0)
			return -ENOMEM;
	}
	s->nr_members = nr;
	return 0;
}

static int same_names(const struct export_source *s)
{
	unsigned int i, k;

	for (i = 0; i < s->nr; i++) {
		for (k = 0; k < i; k++) {
			if (strcmp(s->metrics[i].name, s->metrics[k].name))
				continue;
			cli_say("[%s]: %s and %s would both be %s_total: an event of a PMU takes another "
				"name by name=, as in cpu/config=1,name=other/",
				s->config->name,
				s->metrics[k].event, s->metrics[i].event, s->metrics[i].name);
			return EXIT_TOOL;
		}
	}
	return 0;
}

/* All events of the group, as one in braces. */
static int parse(struct pmcgrp_events **events, const struct export_group *group)
{
	struct pmcgrp_events_error error;
	char *text;
	int ret;

	if (asprintf(&text, "{%s}", group->events) < 0)
		return cli_say_errno("cannot set up the events", ENOMEM);
	ret = pmcgrp_events_parse(events, text, 0, &error);
	if (ret == -EINVAL) {
		cli_say("[%s]: %s", group->name, error.text);
		cli_point(text, error.column);
	} else if (ret < 0) {
		cli_say_errno("cannot set up the events", -ret);
	}
	free(text);
	if (ret >= 0 && pmcgrp_events_nr_groups(*events) > 1) {
		cli_say("[%s]: these events are of several PMUs, and so of %u groups: they need as many "
			"sections",
			group->name, pmcgrp_events_nr_groups(*events));
		pmcgrp_events_free(*events);
		ret = -EINVAL;
	}
	return ret < 0 ? EXIT_TOOL : 0;
}

/* What the exporter puts before or in place of an event's name. */
static int own_names(const struct export_source *s)
{
	static const char *const own[] = { "all_", "removed_", "counted_ratio", "cgroup", "missed",
					   "time_nanoseconds" };
	size_t start = strlen("pmcgrp_") + strlen(s->config->name) + 1, k;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		for (k = 0; k < sizeof(own) / sizeof(own[0]); k++) {
			if (strncmp(s->metrics[i].name + start, own[k], strlen(own[k])))
				continue;
			cli_say("[%s]: %s begins as a metric of the exporter's own does: an event of a PMU "
				"takes another name by name=, as in cpu/config=1,name=other/",
				s->config->name, s->metrics[i].event);
			return EXIT_TOOL;
		}
	}
	return 0;
}

int source_init(struct export_source *s, const struct export_group *group, unsigned int linger)
{
	struct pmcgrp_events *events;
	int ret;

	*s = (struct export_source){ .config = group };
	spans_init(&s->spans, group);
	if (!group->events)
		return 0;
	ret = parse(&events, group);
	if (ret)
		return ret;
	ret = metrics_init(s, events);
	pmcgrp_events_free(events);
	if (ret < 0)
		return cli_say_errno("cannot set up the events", -ret);
	by_cgroup_init(&s->by, group, s->nr, linger);
	ret = same_names(s);
	return ret ? ret : own_names(s);
}

/* ---- Counting ---- */

static int make_table(struct export_source *s, struct pmcgrp *h)
{
	struct pmcgrp_key_options options = { .type = PMCGRP_KEY_CGROUP,
					      .slots = PMCGRP_KEY_SLOTS };
	int ret;

	do {
		ret = pmcgrp_group_set_keys(h, s->group, &options, &s->table);
		options.slots /= 2;
	} while ((ret == -EPERM || ret == -ENOSPC) && options.slots >= SLOTS_LEAST);
	return ret;
}

static int make_group(struct export_source *s, struct pmcgrp *h, struct pmcgrp_spec *spec)
{
	uint64_t background = s->config->background ? PMCGRP_CREATE_BACKGROUND : 0;
	struct pmcgrp_events *events;
	int ret = parse(&events, s->config);

	if (ret)
		return -ECANCELED;
	ret = pmcgrp_spec_set_all_cpus(spec);
	if (ret >= 0)
		ret = pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED | background);
	if (ret >= 0)
		ret = pmcgrp_spec_add_events(spec, events, 0);
	if (ret >= 0)
		ret = pmcgrp_group_create(h, spec, &s->group);
	pmcgrp_events_free(events);
	if (ret >= 0 && export_by_cgroup(s->config->kind))
		ret = make_table(s, h);
	if (ret >= 0 && s->config->kind == EXPORT_SPAN)
		ret = spans_add(&s->spans, h, s->group, s->created);
	if (ret >= 0)
		ret = pmcgrp_group_enable(s->group);
	return ret;
}

int source_open(struct export_source *s, struct pmcgrp *h, uint64_t now)
{
	struct pmcgrp_spec *spec;
	int ret;

	s->h = h;
	s->created = s->by.since = now;
	s->up = s->config->kind == EXPORT_SECTION;
	if (s->up)
		return 0;
	ret = pmcgrp_spec_new(&spec);
	if (ret >= 0) {
		ret = make_group(s, h, spec);
		pmcgrp_spec_free(spec);
	}
	if (ret >= 0) {
		s->up = true;
		return 0;
	}
	if (ret != -ECANCELED)
		cli_say("[%s] cannot be counted: %s", s->config->name, pmcgrp_strerror(h));
	pmcgrp_keys_free(s->table);
	pmcgrp_group_close(s->group);
	s->table = NULL;
	s->group = NULL;
	return EXIT_TOOL;
}

void source_stop(struct export_source *s)
{
	if (s->group)
		pmcgrp_group_disable(s->group);
}

/* By metric, not by member. */
static void sum_members(const struct export_source *s, uint64_t *sum, const uint64_t *value)
{
	unsigned int i;

	memset(sum, 0, s->nr * sizeof(*sum));
	for (i = 0; i < s->nr_members; i++)
		sum[s->metric_of[i]] += value[i];
}

static int collect_table(struct export_source *s)
{
	uint64_t value[PMCGRP_MEMBERS_MAX];
	struct row_counts more = { .value = value };
	const struct pmcgrp_key *key;
	size_t at = 0;
	int ret = pmcgrp_keys_update(s->table);

	while (ret >= 0 && (key = pmcgrp_keys_next(s->table, &at))) {
		more.enabled = key->delta.time_enabled;
		more.running = key->delta.time_running;
		sum_members(s, value, key->delta.value);
		if (more.enabled)
			ret = by_cgroup_count(&s->by, key, &more);
	}
	if (ret >= 0)
		pmcgrp_keys_drop_ended(s->table);
	return ret;
}

/* One view, of the machine or of a CPU: what has come since its row has. */
static int take_view(struct export_source *s, const struct pmcgrp_view *view, uint64_t id,
		     const char *labels)
{
	uint64_t members[PMCGRP_MEMBERS_MAX], value[PMCGRP_MEMBERS_MAX];
	struct row_counts more = { .value = value };
	struct row *row = rows_find(&s->by.rows, id);
	unsigned int i;

	if (!row)
		row = rows_new(&s->by.rows, id, labels, NULL, s->created);
	if (!row)
		return -ENOMEM;
	if (!pmcgrp_view_time_enabled(view, &more.enabled) ||
	    !pmcgrp_view_time_running(view, &more.running))
		return -EPROTO;
	for (i = 0; i < s->nr_members; i++)
		members[i] = pmcgrp_view_value(view, i);
	sum_members(s, value, members);
	/* It has been counted since the group was made, so its row has what came before. */
	if (more.enabled < row->counts.enabled || more.running < row->counts.running)
		return 0;
	more.enabled -= row->counts.enabled;
	more.running -= row->counts.running;
	for (i = 0; i < s->nr; i++)
		value[i] -= row->counts.value[i];
	row_add(row, &more, s->nr);
	return 0;
}

static ssize_t read_machine(struct export_source *s)
{
	size_t size = pmcgrp_read_size(pmcgrp_group_read_format(s->group), s->nr_members);

	if (!s->buf) {
		s->buf = malloc(size);
		if (!s->buf)
			return -ENOMEM;
		s->size = size;
	}
	return pmcgrp_group_read(s->group, s->buf, s->size);
}

/* CPUs that have come online need more room. */
static ssize_t read_cpus(struct export_source *s)
{
	ssize_t len = pmcgrp_group_read_cpus(s->group, s->buf, s->size);
	void *buf;

	while (len == -ENOSPC || (!s->buf && len >= 0)) {
		len = pmcgrp_group_read_cpus(s->group, NULL, 0);
		if (len < 0)
			break;
		buf = realloc(s->buf, (size_t)len);
		if (!buf)
			return -ENOMEM;
		s->buf = buf;
		s->size = (size_t)len;
		len = pmcgrp_group_read_cpus(s->group, s->buf, s->size);
	}
	return len;
}

/* A CPU that is not online has no counts now: its row is left out. */
static int collect_cpus(struct export_source *s, uint64_t now)
{
	uint64_t read_format = pmcgrp_group_read_format(s->group);
	ssize_t len = read_cpus(s);
	struct pmcgrp_view view;
	char labels[32];
	size_t i;
	int cpu, ret = len < 0 ? (int)len : 0;

	if (ret < 0)
		return ret;
	for (i = 0; i < s->by.rows.nr; i++)
		s->by.rows.at[i]->removed = now;
	for (i = 0; ret >= 0; i++) {
		cpu = pmcgrp_view_cpu(&view, s->buf, (size_t)len, read_format, i);
		if (cpu == -ENOENT)
			return 0;
		if (cpu < 0)
			return cpu;
		snprintf(labels, sizeof(labels), "cpu=\"%d\"", cpu);
		ret = take_view(s, &view, (uint64_t)cpu, labels);
		if (ret >= 0)
			rows_find(&s->by.rows, (uint64_t)cpu)->removed = 0;
	}
	return ret;
}

static int collect_machine(struct export_source *s)
{
	ssize_t len = read_machine(s);
	struct pmcgrp_view view;
	int ret = len < 0 ? (int)len : 0;

	if (ret >= 0)
		ret = pmcgrp_view_init(&view, s->buf, (size_t)len,
				       pmcgrp_group_read_format(s->group));
	return ret < 0 ? ret : take_view(s, &view, MACHINE_ID, "");
}

int source_collect(struct export_source *s, uint64_t now)
{
	int ret;

	if (!s->group && s->config->kind != EXPORT_SECTION)
		return 0;
	if (s->config->kind >= EXPORT_SPAN)
		ret = spans_collect(&s->spans, s->h, now);
	else if (s->table)
		ret = collect_table(s);
	else if (s->config->kind == EXPORT_CPU)
		ret = collect_cpus(s, now);
	else
		ret = collect_machine(s);
	s->up = ret >= 0;
	return ret;
}

void source_note(const struct export_source *s)
{
	struct pmcgrp_key_totals totals;
	uint64_t sum[PMCGRP_MEMBERS_MAX];
	unsigned int i;

	if (!s->table)
		return;
	pmcgrp_keys_totals(s->table, &totals);
	sum_members(s, sum, totals.value);
	for (i = 0; i < s->nr; i++)
		cli_say("[%s] the kernel's total of %s: %llu", s->config->name, s->metrics[i].event,
			(unsigned long long)sum[i]);
}

void source_free(struct export_source *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		free(s->metrics[i].help);
		free(s->metrics[i].event);
	}
	free(s->metrics);
	free(s->metric_of);
	pmcgrp_keys_free(s->table);
	pmcgrp_group_close(s->group);
	free(s->buf);
	by_cgroup_free(&s->by);
	spans_free(&s->spans);
	*s = (struct export_source){ 0 };
}
