// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Recordings as text: a line for each sample with what was counted since the one before
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

#include "say/name.h"
#include "say/name_csv.h"
#include "perfdata/sink.h"

struct text_sink {
	struct record_sink sink;
	const struct record_desc *desc;
	int fd;
	int failed;			/* negative errno */
	uint64_t size;			/* what is in the file, in whole lines */
	FILE *lines;			/* those since the last flush */
	char *buf;
	size_t len;
	char **names;			/* JSON: of triggers and members, quoted */
	unsigned int nr_names;
};

static struct text_sink *text_of(const struct record_sink *sink)
{
	return (struct text_sink *)sink;
}

/* ---- The file ---- */

static int lines_begin(struct text_sink *t)
{
	t->buf = NULL;
	t->len = 0;
	t->lines = open_memstream(&t->buf, &t->len);
	return t->lines ? 0 : -ENOMEM;
}

/* A line is there whole or not at all, but where a pipe is broken. */
static int lines_write(struct text_sink *t)
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
	struct text_sink *t = text_of(sink);
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

static void names_free(struct text_sink *t)
{
	unsigned int i;

	for (i = 0; t->names && i < t->nr_names; i++)
		free(t->names[i]);
	free(t->names);
}

static int text_finish(struct record_sink *sink)
{
	struct text_sink *t = text_of(sink);
	int ret = text_flush(sink);

	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	return ret;
}

static int text_close(struct record_sink *sink)
{
	struct text_sink *t = text_of(sink);
	int ret = text_finish(sink);

	if (t->lines)
		fclose(t->lines);
	free(t->buf);
	names_free(t);
	free(t);
	return ret;
}

/* A line needs nothing that other lines have said. */
static int text_again(struct record_sink *sink)
{
	return text_of(sink)->failed;
}

static int text_begin(struct record_sink *sink, int fd)
{
	struct text_sink *t = text_of(sink);

	t->fd = fd;
	t->size = 0;
	return t->failed;
}

static uint64_t text_size(const struct record_sink *sink)
{
	return text_of(sink)->size;
}

/* ---- CSV ---- */

static void csv_name(FILE *file, const char *name)
{
	char *text = name_dup(name, strlen(name));

	name_csv(file, text ? text : "", ",");
	free(text);
}

static void csv_columns(struct text_sink *t)
{
	unsigned int i;

	fputs("time_ns,cpu,pid,tid,", t->lines);
	if (t->desc->cgroups)
		fputs("cgroup,", t->lines);
	fputs("trigger,interval_ns,running_ns,lost", t->lines);
	for (i = 0; i < t->desc->nr_members; i++) {
		fputc(',', t->lines);
		csv_name(t->lines, t->desc->members[i].name);
	}
	fputc('\n', t->lines);
}

static int csv_begin(struct record_sink *sink, int fd)
{
	csv_columns(text_of(sink));
	return text_begin(sink, fd);
}

/* Its path, or "(id N)". */
static const char *cgroup_name(const struct text_sink *t, const struct pmcgrp_record *record, char *buf,
			       size_t size)
{
	const char *path = record_cgroups_path(t->desc->cgroups, record->cgroup);

	if (path)
		return path;
	snprintf(buf, size, "(id %" PRIu64 ")", record->cgroup);
	return buf;
}

static const char *trigger_name(const struct record_desc *desc, const struct pmcgrp_record *record)
{
	const struct record_event *trigger = record_trigger(desc, record);

	if (trigger)
		return trigger->name;
	return record->misc & PMCGRP_RECORD_MISC_SWITCH ? "switch" : "";
}

static int csv_put(struct record_sink *sink, const struct pmcgrp_record *record,
		   const void *bytes, const struct pmcgrp_delta *delta)
{
	struct text_sink *t = text_of(sink);
	char id[32];
	unsigned int i;

	(void)bytes;
	if (t->failed || !pmcgrp_record_is_sample(record))
		return t->failed;
	fprintf(t->lines, "%" PRIu64 ",%u,%d,%d,", record->time, record->cpu, (int)record->pid,
		(int)record->tid);
	if (t->desc->cgroups) {
		csv_name(t->lines, cgroup_name(t, record, id, sizeof(id)));
		fputc(',', t->lines);
	}
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

/*
 * Numbers and names that never change: written as they are, for a line must not take longer
 * than the time to the next sample. jansson quotes the names, once.
 */
static char *quoted(const char *name)
{
	char *text = name_dup(name, strlen(name));
	json_t *string = text ? json_string(text) : NULL;

	free(text);
	text = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
	json_decref(string);
	return text;
}

static int names_init(struct text_sink *t)
{
	const struct record_desc *desc = t->desc;
	unsigned int i;

	t->nr_names = record_nr_events(desc);
	t->names = calloc(t->nr_names + 1, sizeof(*t->names));
	if (!t->names)
		return -ENOMEM;
	for (i = 0; i < desc->nr_triggers; i++)
		t->names[i] = quoted(desc->triggers[i].name);
	for (i = 0; i < desc->nr_members; i++)
		t->names[desc->nr_triggers + i] = quoted(desc->members[i].name);
	for (i = 0; i < t->nr_names; i++) {
		if (!t->names[i])
			return -ENOMEM;
	}
	return 0;
}

static void json_number(struct text_sink *t, const char *key, uint64_t value)
{
	fprintf(t->lines, ",\"%s\":%" PRIu64, key, value);
}

/* An object of all members. */
static void json_members(struct text_sink *t, const char *key, const uint64_t *values)
{
	char **names = t->names + t->desc->nr_triggers;
	unsigned int i;

	fprintf(t->lines, ",\"%s\":{", key);
	for (i = 0; i < t->desc->nr_members; i++)
		fprintf(t->lines, "%s%s:%" PRIu64, i ? "," : "", names[i], values[i]);
	fputc('}', t->lines);
}

static void json_sample(struct text_sink *t, const struct pmcgrp_record *record,
			const struct pmcgrp_delta *delta)
{
	const struct record_event *trigger = record_trigger(t->desc, record);
	const char *other = record->misc & PMCGRP_RECORD_MISC_SWITCH ? "\"switch\"" : "\"\"";
	uint64_t totals[PMCGRP_MEMBERS_MAX] = { 0 };
	unsigned int i;

	for (i = 0; i < t->desc->nr_members; i++)
		totals[i] = pmcgrp_view_value(&record->read, i);
	fprintf(t->lines, ",\"trigger\":%s",
		trigger ? t->names[trigger - t->desc->triggers] : other);
	if (delta->valid && delta->nr >= t->desc->nr_members) {
		json_number(t, "interval", delta->time);
		json_number(t, "enabled", delta->enabled);
		json_number(t, "running", delta->running);
		json_members(t, "counts", delta->value);
	}
	json_members(t, "totals", totals);
}

/* Addresses as "ip"; "kernel", "user": of which part those are that follow. */
static void json_chain(struct text_sink *t, const struct pmcgrp_record *record)
{
	const char *comma = "";
	uint64_t word;
	size_t i;

	fputs(",\"callchain\":[", t->lines);
	for (i = 0; i < record->nr_chain; i++, comma = ",") {
		word = pmcgrp_record_chain(record, i);
		if (word == (uint64_t)PERF_CONTEXT_KERNEL)
			fprintf(t->lines, "%s\"kernel\"", comma);
		else if (word == (uint64_t)PERF_CONTEXT_USER)
			fprintf(t->lines, "%s\"user\"", comma);
		else
			fprintf(t->lines, "%s\"0x%" PRIx64 "\"", comma, word);
	}
	fputc(']', t->lines);
}

static int json_cgroup(struct text_sink *t, const struct pmcgrp_record *record)
{
	char id[32], *name = quoted(cgroup_name(t, record, id, sizeof(id)));

	if (!name)
		return -ENOMEM;
	fprintf(t->lines, ",\"cgroup\":%s", name);
	free(name);
	return 0;
}

static int jsonl_put(struct record_sink *sink, const struct pmcgrp_record *record,
		     const void *bytes, const struct pmcgrp_delta *delta)
{
	struct text_sink *t = text_of(sink);
	int ret = 0;

	(void)bytes;
	if (t->failed)
		return t->failed;
	fprintf(t->lines, "{\"time\":%" PRIu64 ",\"cpu\":%u,\"pid\":%d,\"tid\":%d,\"record\":\"%s\"",
		record->time, record->cpu, (int)record->pid, (int)record->tid,
		pmcgrp_record_name(record->type));
	/* As text: the kernel's addresses are greater than what JSON's readers take for a number. */
	if (record->has & PERF_SAMPLE_IP)
		fprintf(t->lines, ",\"ip\":\"0x%" PRIx64 "\"", record->ip);
	if (record->has & PERF_SAMPLE_CALLCHAIN)
		json_chain(t, record);
	if (t->desc->cgroups && record->has & PERF_SAMPLE_CGROUP)
		ret = json_cgroup(t, record);
	if (pmcgrp_record_is_sample(record))
		json_sample(t, record, delta);
	else if (record->lost)
		fprintf(t->lines, ",\"lost\":%" PRIu64, record->lost);
	fputs("}\n", t->lines);
	return ret;
}

/* ---- Both ---- */

static int text_open(struct record_sink **out, int fd, const struct record_desc *desc)
{
	struct text_sink *t = calloc(1, sizeof(*t));

	*out = NULL;
	if (!t || lines_begin(t) < 0) {
		free(t);
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	t->sink.merged = true;
	t->sink.flush = text_flush;
	t->sink.finish = text_finish;
	t->sink.begin = text_begin;
	t->sink.again = text_again;
	t->sink.end = text_close;
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
	(*out)->begin = csv_begin;
	if (fd >= 0)
		csv_columns(text_of(*out));
	return 0;
}

int record_jsonl_open(struct record_sink **out, int fd, const struct record_desc *desc)
{
	int ret = text_open(out, fd, desc);

	if (ret < 0)
		return ret;
	(*out)->put = jsonl_put;
	ret = names_init(text_of(*out));
	if (ret < 0) {
		text_close(*out);
		*out = NULL;
	}
	return ret;
}
