// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Recordings as text: a line for each snapshot with what was counted since the one before
 * of the same ring. CSV has the counts alone, JSON also the totals, and a line for each of
 * the kernel's notes (lost, throttle, ...).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "record_sink.h"

struct text {
	struct record_sink sink;
	const struct record_desc *desc;
	int fd;
	int failed;			/* negative errno */
	uint64_t size;			/* what is in the file, in whole lines */
	FILE *lines;			/* those since the last flush */
	char *buf;
	size_t len;
};

static struct text *text_of(const struct record_sink *sink)
{
	return (struct text *)sink;
}

/* ---- The file ---- */

static int lines_begin(struct text *t)
{
	t->buf = NULL;
	t->len = 0;
	t->lines = open_memstream(&t->buf, &t->len);
	return t->lines ? 0 : -ENOMEM;
}

/* A line is there whole or not at all, but where a pipe is broken. */
static int lines_write(struct text *t)
{
	size_t done = 0;
	ssize_t ret;

	while (done < t->len) {
		ret = write(t->fd, t->buf + done, t->len - done);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0) {
			int err = ret ? errno : EIO;

			if (ftruncate(t->fd, (off_t)t->size) < 0)
				return -err;
			return -err;
		}
		done += (size_t)ret;
	}
	t->size += t->len;
	return 0;
}

static int text_flush(struct record_sink *sink)
{
	struct text *t = text_of(sink);
	int ret = 0;

	if (t->failed)
		return t->failed;
	if (fflush(t->lines))
		ret = -ENOMEM;
	if (!ret && !t->len)
		return 0;
	if (!ret)
		ret = lines_write(t);
	fclose(t->lines);
	free(t->buf);
	if (lines_begin(t) < 0 && !ret)
		ret = -ENOMEM;
	t->failed = ret;
	return ret;
}

static int text_end(struct record_sink *sink)
{
	struct text *t = text_of(sink);
	int ret = text_flush(sink);

	if (t->lines)
		fclose(t->lines);
	free(t->buf);
	close(t->fd);
	free(t);
	return ret;
}

static uint64_t text_size(const struct record_sink *sink)
{
	return text_of(sink)->size;
}

/* ---- CSV ---- */

/* Quoted only where that is needed (RFC 4180). */
static void csv_name(FILE *file, const char *name)
{
	if (!strpbrk(name, ",\"\n")) {
		fputs(name, file);
		return;
	}
	fputc('"', file);
	for (; *name; name++) {
		if (*name == '"')
			fputc('"', file);
		fputc(*name, file);
	}
	fputc('"', file);
}

static void csv_columns(struct text *t)
{
	unsigned int i;

	fputs("time_ns,cpu,pid,tid,trigger,interval_ns,running_ns,lost", t->lines);
	for (i = 0; i < t->desc->nr_members; i++) {
		fputc(',', t->lines);
		csv_name(t->lines, t->desc->members[i].name);
	}
	fputc('\n', t->lines);
}

static const char *trigger_name(const struct record_desc *desc, const struct pmcgrp_record *record)
{
	const struct record_event *trigger = record_trigger(desc, record);

	return trigger ? trigger->name : "";
}

static int csv_put(struct record_sink *sink, const struct pmcgrp_record *record,
		   const void *bytes, const struct pmcgrp_delta *delta)
{
	struct text *t = text_of(sink);
	unsigned int i;

	(void)bytes;
	if (t->failed || !pmcgrp_record_is_snapshot(record))
		return t->failed;
	fprintf(t->lines, "%" PRIu64 ",%u,%d,%d,", record->time, record->cpu, (int)record->pid,
		(int)record->tid);
	csv_name(t->lines, trigger_name(t->desc, record));
	if (delta->valid)
		fprintf(t->lines, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, delta->time,
			delta->running, delta->lost);
	else
		fprintf(t->lines, ",,,%" PRIu64, delta->lost);
	for (i = 0; i < t->desc->nr_members; i++) {
		fputc(',', t->lines);
		if (delta->valid && i < delta->nr)
			fprintf(t->lines, "%" PRIu64, delta->value[i]);
	}
	fputc('\n', t->lines);
	return 0;
}

/* ---- JSON ---- */

static int set_integer(json_t *object, const char *key, uint64_t value)
{
	return json_object_set_new(object, key, json_integer((json_int_t)value));
}

static int json_counts(json_t *object, const struct record_desc *desc,
		       const struct pmcgrp_record *record, const struct pmcgrp_delta *delta)
{
	json_t *counts = json_object(), *totals = json_object();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < desc->nr_members; i++) {
		if (delta->valid && i < delta->nr)
			ret |= set_integer(counts, desc->members[i].name, delta->value[i]);
		ret |= set_integer(totals, desc->members[i].name,
				   pmcgrp_view_value(&record->read, i));
	}
	if (delta->valid) {
		ret |= set_integer(object, "interval", delta->time);
		ret |= set_integer(object, "enabled", delta->enabled);
		ret |= set_integer(object, "running", delta->running);
		ret |= json_object_set(object, "counts", counts);
	}
	json_decref(counts);
	ret |= json_object_set_new(object, "totals", totals);
	return ret;
}

static json_t *json_of(const struct record_desc *desc, const struct pmcgrp_record *record,
		       const struct pmcgrp_delta *delta)
{
	json_t *object = json_object();
	int ret;

	ret = set_integer(object, "time", record->time);
	ret |= set_integer(object, "cpu", record->cpu);
	ret |= json_object_set_new(object, "pid", json_integer((int)record->pid));
	ret |= json_object_set_new(object, "tid", json_integer((int)record->tid));
	ret |= json_object_set_new(object, "record", json_string(pmcgrp_record_name(record->type)));
	if (record->has & PERF_SAMPLE_IP)
		ret |= set_integer(object, "ip", record->ip);
	if (pmcgrp_record_is_snapshot(record)) {
		ret |= json_object_set_new(object, "trigger",
					   json_string(trigger_name(desc, record)));
		ret |= json_counts(object, desc, record, delta);
	} else if (record->lost) {
		ret |= set_integer(object, "lost", record->lost);
	}
	if (!ret)
		return object;
	json_decref(object);
	return NULL;
}

static int jsonl_put(struct record_sink *sink, const struct pmcgrp_record *record,
		     const void *bytes, const struct pmcgrp_delta *delta)
{
	struct text *t = text_of(sink);
	json_t *object;

	(void)bytes;
	if (t->failed)
		return t->failed;
	object = json_of(t->desc, record, delta);
	if (!object || json_dumpf(object, t->lines, JSON_COMPACT))
		t->failed = -ENOMEM;
	json_decref(object);
	fputc('\n', t->lines);
	return t->failed;
}

/* ---- Both ---- */

static int text_open(struct record_sink **out, int fd, const struct record_desc *desc)
{
	struct text *t = calloc(1, sizeof(*t));

	*out = NULL;
	if (!t || lines_begin(t) < 0) {
		free(t);
		close(fd);
		return -ENOMEM;
	}
	t->sink.merged = true;
	t->sink.flush = text_flush;
	t->sink.end = text_end;
	t->sink.size = text_size;
	t->desc = desc;
	t->fd = fd;
	*out = &t->sink;
	return 0;
}

int record_csv_open(struct record_sink **out, int fd, const struct record_desc *desc)
{
	int ret = text_open(out, fd, desc);

	if (ret < 0)
		return ret;
	(*out)->put = csv_put;
	csv_columns(text_of(*out));
	return 0;
}

int record_jsonl_open(struct record_sink **out, int fd, const struct record_desc *desc)
{
	int ret = text_open(out, fd, desc);

	if (ret < 0)
		return ret;
	(*out)->put = jsonl_put;
	return 0;
}
