// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The summary as one JSON object. pmcgrp-report(1) describes the keys. */
#include <errno.h>
#include <math.h>

#include <jansson.h>

#include "calls.h"
#include "print.h"
#include "sums.h"

/* Above what JSON's readers take for an integer, the nearest real number. */
static json_t *count(uint64_t value)
{
	return value > INT64_MAX ? json_real((double)value) : json_integer((json_int_t)value);
}

/* null for what is not known. Counts stay integers. */
static json_t *number(double value)
{
	if (isnan(value))
		return json_null();
	if (value == floor(value) && fabs(value) < 9e15)
		return json_integer((json_int_t)value);
	return json_real(value);
}

/* Adds an object of the caller's to a list, which owns it from now on. */
static int append(json_t *list, json_t *object, int bad)
{
	if (bad) {
		json_decref(object);
		return -1;
	}
	return json_array_append_new(list, object);
}

static int add_trigger(json_t *list, const struct rep_event *event)
{
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "event", json_string(event->name));
	bad |= json_object_set_new(object, event->attr->freq ? "frequency" : "period",
				   count(event->attr->sample_period));
	bad |= json_object_set_new(object, "samples", count(event->samples));
	bad |= json_object_set_new(object, "lost", count(event->lost));
	bad |= json_object_set_new(object, "missed", count(event->missed));
	bad |= json_object_set_new(object, "throttles", count(event->throttles));
	bad |= json_object_set_new(object, "throttled-ns", count(event->throttled));
	return append(list, object, bad);
}

static int add_cpu(json_t *list, const struct rep_tally *row)
{
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "cpu", count(row->cpu));
	bad |= json_object_set_new(object, "samples", count(row->samples));
	return append(list, object, bad);
}

static int add_thread(json_t *list, const struct rep_tally *row)
{
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "pid", count(row->pid));
	bad |= json_object_set_new(object, "tid", count(row->tid));
	bad |= json_object_set_new(object, "comm", json_string(row->comm));
	bad |= json_object_set_new(object, "samples", count(row->samples));
	return append(list, object, bad);
}

static int add_row(json_t *list, const struct rep_row *row, bool ratio)
{
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, ratio ? "ratio" : "event", json_string(row->name));
	if (ratio)
		bad |= json_object_set_new(object, "unit", json_string(row->unit));
	bad |= json_object_set_new(object, "total", number(row->total));
	if (!ratio)
		bad |= json_object_set_new(object, "rate", number(row->rate));
	bad |= json_object_set_new(object, "intervals", count(row->intervals));
	bad |= json_object_set_new(object, "min", number(row->min));
	bad |= json_object_set_new(object, "p50", number(row->p50));
	bad |= json_object_set_new(object, "p90", number(row->p90));
	bad |= json_object_set_new(object, "p99", number(row->p99));
	bad |= json_object_set_new(object, "max", number(row->max));
	bad |= json_object_set_new(object, "percentile-error", number(row->error));
	bad |= json_object_set_new(object, "pcnt-running", number(row->running));
	return append(list, object, bad);
}

static int add_recording(json_t *object, const struct rep_data *data, const char *path)
{
	/* A path may be any bytes. */
	json_t *file = json_string(path);
	int bad;

	bad = json_object_set_new(object, "file", file ? file : json_null());
	bad |= json_object_set_new(object, "complete", json_boolean(!data->reader->cut));
	bad |= json_object_set_new(object, "samples", count(data->samples));
	bad |= json_object_set_new(object, "switches", count(data->switches));
	bad |= json_object_set_new(object, "first-ns", count(data->first));
	bad |= json_object_set_new(object, "last-ns", count(data->last));
	bad |= json_object_set_new(object, "duration-ns", count(data->last - data->first));
	bad |= json_object_set_new(object, "intervals", count(data->nr_intervals));
	bad |= json_object_set_new(object, "lost", count(data->lost));
	bad |= json_object_set_new(object, "missed", count(data->missed));
	bad |= json_object_set_new(object, "throttles", count(data->throttles));
	bad |= json_object_set_new(object, "throttled-ns", count(data->throttled));
	bad |= json_object_set_new(object, "unreadable", count(data->unreadable));
	bad |= json_object_set_new(object, "resets", count(data->backwards));
	return bad;
}

static int add_places(json_t *object, const struct rep_data *data)
{
	json_t *triggers = json_array(), *cpus = json_array(), *threads = json_array();
	int bad = 0;
	size_t i;

	for (i = 0; i < data->nr_events; i++) {
		if (rep_is_trigger(&data->events[i]))
			bad |= add_trigger(triggers, &data->events[i]);
	}
	for (i = 0; i < data->cpus.nr; i++)
		bad |= add_cpu(cpus, &data->cpus.rows[i]);
	for (i = 0; i < data->threads.nr; i++)
		bad |= add_thread(threads, &data->threads.rows[i]);
	bad |= json_object_set_new(object, "triggers", triggers);
	bad |= json_object_set_new(object, "cpus", cpus);
	bad |= json_object_set_new(object, "threads", threads);
	return bad;
}

static int add_key(json_t *object, const struct rep_data *data, const struct rep_sum *row,
		   enum rep_key key)
{
	const char *name = rep_sum_name(data, row, key);

	return json_object_set_new(object, rep_key_names[key],
				   name ? json_string(name) : count(rep_sum_number(row, key)));
}

static int add_sum(json_t *list, const struct rep_summary *summary, const struct rep_sum *row)
{
	json_t *object = json_object(), *counts = json_object();
	json_t *rates = json_object(), *ratios = json_object();
	const struct rep_data *data = summary->data;
	unsigned int i;
	int bad = 0;

	for (i = 0; i < data->sums.keys.nr; i++)
		bad |= add_key(object, data, row, data->sums.keys.key[i]);
	bad |= json_object_set_new(object, "samples", count(row->samples));
	bad |= json_object_set_new(object, "enabled-ns", count(row->enabled));
	bad |= json_object_set_new(object, "running-ns", count(row->running));
	for (i = 0; i < data->nr_events; i++) {
		if (!data->events[i].member)
			continue;
		bad |= json_object_set_new(counts, data->events[i].name,
					   count(rep_sum_count(&data->sums, row, i)));
		bad |= json_object_set_new(rates, data->events[i].name,
					   number(rep_sum_rate(&data->sums, row, i)));
	}
	for (i = 0; i < summary->nr_ratios; i++)
		bad |= json_object_set_new(ratios, summary->ratios[i].name,
					   number(rep_sum_ratio(&data->sums, row,
								&summary->list->rows[i])));
	bad |= json_object_set_new(object, "counts", counts);
	bad |= json_object_set_new(object, "rates", rates);
	bad |= json_object_set_new(object, "ratios", ratios);
	return append(list, object, bad);
}

static int add_sums(json_t *object, const struct rep_summary *summary)
{
	const struct rep_data *data = summary->data;
	json_t *list;
	int bad = 0;
	size_t i;

	if (!data->sums.keys.nr)
		return 0;
	list = json_array();
	for (i = 0; i < data->sums.nr; i++)
		bad |= add_sum(list, summary, &data->sums.rows[i]);
	return bad | json_object_set_new(object, "sums", list);
}

static json_t *call_numbers(struct rep_call_sums *sums)
{
	struct rep_call_numbers n = rep_call_numbers(sums);
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "total", number(n.total));
	bad |= json_object_set_new(object, "mean", number(n.mean));
	bad |= json_object_set_new(object, "min", number(n.min));
	bad |= json_object_set_new(object, "p50", number(n.p50));
	bad |= json_object_set_new(object, "p99", number(n.p99));
	bad |= json_object_set_new(object, "max", number(n.max));
	bad |= json_object_set_new(object, "percentile-error", number(n.error));
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

static int add_calls(json_t *list, const struct rep_data *data, struct rep_calls *row)
{
	const struct rep_pair *pair = &data->between.pairs->rows[row->pair];
	json_t *object = json_object(), *counts = json_object();
	unsigned int i;
	int bad;

	bad = json_object_set_new(object, "entry", json_string(data->events[pair->entry].name));
	bad |= json_object_set_new(object, "return", json_string(data->events[pair->ret].name));
	bad |= json_object_set_new(object, "returned", count(row->returned));
	bad |= json_object_set_new(object, "without-return", count(row->without_return));
	bad |= json_object_set_new(object, "without-entry", count(row->without_entry));
	bad |= json_object_set_new(object, "time-ns", call_numbers(&row->time));
	for (i = 0; i < row->nr; i++)
		bad |= json_object_set_new(counts, data->events[row->events[i]].name,
					   call_numbers(&row->counts[i]));
	bad |= json_object_set_new(object, "counts", counts);
	return append(list, object, bad);
}

int rep_json(FILE *file, const struct rep_summary *summary, const char *path)
{
	json_t *object = json_object(), *members = json_array(), *ratios = json_array();
	json_t *calls = json_array();
	size_t i;
	int bad;

	bad = add_recording(object, summary->data, path);
	bad |= add_places(object, summary->data);
	bad |= add_sums(object, summary);
	for (i = 0; i < summary->data->between.nr; i++)
		bad |= add_calls(calls, summary->data, &summary->data->between.rows[i]);
	bad |= json_object_set_new(object, "calls", calls);
	for (i = 0; i < summary->nr_members; i++)
		bad |= add_row(members, &summary->members[i], false);
	for (i = 0; i < summary->nr_ratios; i++)
		bad |= add_row(ratios, &summary->ratios[i], true);
	bad |= json_object_set_new(object, "members", members);
	bad |= json_object_set_new(object, "ratios", ratios);
	if (!bad && !json_dumpf(object, file, JSON_INDENT(1) | JSON_REAL_PRECISION(15)))
		fputc('\n', file);
	else
		bad = -1;
	json_decref(object);
	return bad ? -ENOMEM : 0;
}
