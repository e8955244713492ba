// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The records of perf.data files, as perf wants them: write_file.c writes them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/workload.h"
#include "write_tasks.h"

/* A value and its id. */
#define MEMBER_SIZE 16

/* Threads get other names: so often that is looked for. */
#define NAMES_NS 1000000000

static struct perfdata *perfdata_of(const struct record_sink *sink)
{
	return (struct perfdata *)sink;
}

/* ---- Records of our own ---- */

/* The events' names as records: for a reader that does not find the features. */
static int put_names(struct perfdata *p)
{
	unsigned int i, nr = record_nr_events(p->desc);

	for (i = 0; i < nr; i++) {
		const char *name = perfdata_event(p->desc, i)->name;
		struct perf_event_header header = { .type = PERFDATA_EVENT_UPDATE };
		const uint64_t kind = 2;	/* PERF_EVENT_UPDATE__NAME */
		uint64_t id = perfdata_id(p->desc, 0, i);
		size_t len = strnlen(name, PERFDATA_RECORD_MAX / 2);
		unsigned char *at = perfdata_file_room(&p->file);

		if (!at)
			return p->file.failed;
		header.size = (uint16_t)(24 + ((len + 8) & ~(size_t)7));
		memset(at, 0, header.size);
		memcpy(at, &header, sizeof(header));
		memcpy(at + 8, &kind, sizeof(kind));
		memcpy(at + 16, &id, sizeof(id));
		memcpy(at + 24, name, len);
		p->file.used += header.size;
	}
	return 0;
}

/* ---- The kernel's records, with the file's ids ---- */

/* The file's id for one of the kernel's; one that is not known is left as it is. */
static uint64_t translate(const struct perfdata *p, unsigned int ring, uint64_t id)
{
	int event = record_event_of(p->desc, ring, id);

	return event < 0 ? id : perfdata_id(p->desc, ring, (unsigned int)event);
}

static void translate_at(const struct perfdata *p, unsigned int ring, unsigned char *at)
{
	uint64_t id;

	memcpy(&id, at, sizeof(id));
	id = translate(p, ring, id);
	memcpy(at, &id, sizeof(id));
}

/*
 * perf gives a sample of a group to those events alone that have a value in it. So the
 * trigger gets one, too: what it has come to, a period for each sample.
 */
static size_t add_hit(struct perfdata *p, const struct pmcgrp_record *record, unsigned char *nr_at,
		      unsigned char *at)
{
	const struct record_event *trigger = record_trigger(p->desc, record);
	uint64_t nr, id, *hits;
	unsigned int i;

	/* Of perf's own groups it is the leader, and there already. */
	if (!trigger || record->body_size ||
	    pmcgrp_view_find_id(&record->read, record->id) >= 0)
		return 0;
	i = (unsigned int)(trigger - p->desc->triggers);
	hits = &p->hits[(size_t)record->ring * p->desc->nr_triggers + i];
	*hits += trigger->attr.freq || !trigger->attr.sample_period ? 1 :
								      trigger->attr.sample_period;
	id = perfdata_id(p->desc, record->ring, i);
	memcpy(at, hits, sizeof(*hits));
	memcpy(at + sizeof(*hits), &id, sizeof(id));
	memcpy(&nr, nr_at, sizeof(nr));
	nr++;
	memcpy(nr_at, &nr, sizeof(nr));
	return MEMBER_SIZE;
}

/* The record, with a word for the address behind header and IDENTIFIER; returns its size. */
static size_t copy_sample(unsigned char *at, const struct pmcgrp_record *record, const void *bytes)
{
	const size_t before = sizeof(struct perf_event_header) + sizeof(uint64_t);
	size_t len = record->size;

	if (record->has & PERF_SAMPLE_IP) {
		memcpy(at, bytes, len);
		return len;
	}
	memcpy(at, bytes, before);
	memset(at + before, 0, sizeof(uint64_t));
	memcpy(at + before + sizeof(uint64_t), (const unsigned char *)bytes + before, len - before);
	return len + sizeof(uint64_t);
}

/*
 * The members' values with the file's ids for theirs. To perf, what an id begins with in a file has
 * been counted there: in a later file values begin with what the one before has not. What was
 * counted before a ring's first record that was not overwritten is nobody's.
 */
static void tell_members(struct perfdata *p, const struct pmcgrp_record *record,
			 unsigned char *values)
{
	size_t i, at, nr = pmcgrp_view_nr(&record->read);
	uint64_t value, id;
	int event;

	for (i = 0; i < nr; i++, values += MEMBER_SIZE) {
		memcpy(&value, values, sizeof(value));
		memcpy(&id, values + sizeof(value), sizeof(id));
		event = record_event_of(p->desc, record->ring, id);
		if (event < 0)
			continue;
		at = (size_t)record->ring * record_nr_events(p->desc) + (unsigned int)event;
		if (p->gap[record->ring])
			p->base[at] += value - p->last[at];
		p->last[at] = value;
		value -= p->base[at];
		memcpy(values, &value, sizeof(value));
		translate_at(p, record->ring, values + sizeof(value));
	}
	p->gap[record->ring] = false;
}

/* How many bytes of a sample are behind its values: a call chain, and a cgroup. */
static size_t tail_size(const struct pmcgrp_record *record)
{
	size_t words = record->has & PERF_SAMPLE_CALLCHAIN ? 1 + record->nr_chain : 0;

	words += record->has & PERF_SAMPLE_CGROUP ? 1 : 0;
	return words * sizeof(uint64_t);
}

static void put_sample(struct perfdata *p, const struct pmcgrp_record *record, const void *bytes)
{
	unsigned char *at = p->file.buf + p->file.used, *read;
	size_t len, tail = tail_size(record);
	uint16_t size;

	len = copy_sample(at, record, bytes);
	translate_at(p, record->ring, at + 8);
	read = at + (record->read.bytes - (const unsigned char *)bytes) + len - record->size;
	tell_members(p, record, read + record->read.values);
	len -= tail;
	len += add_hit(p, record, read, at + len);
	memcpy(at + len, (const unsigned char *)bytes + record->size - tail, tail);
	len += tail;
	size = (uint16_t)len;
	memcpy(at + offsetof(struct perf_event_header, size), &size, sizeof(size));
	p->file.used += len;
	if (!p->file.first || record->time < p->file.first)
		p->file.first = record->time;
	if (record->time > p->file.last)
		p->file.last = record->time;
}

static void put_other(struct perfdata *p, const struct pmcgrp_record *record, const void *bytes)
{
	unsigned char *at = p->file.buf + p->file.used;

	memcpy(at, bytes, record->size);
	/* IDENTIFIER is the last word. */
	translate_at(p, record->ring, at + record->size - 8);
	if (record->type == PERF_RECORD_LOST)
		translate_at(p, record->ring, at + 8);
	if (record->type == PERF_RECORD_THROTTLE || record->type == PERF_RECORD_UNTHROTTLE) {
		translate_at(p, record->ring, at + 16);
		translate_at(p, record->ring, at + 24);
	}
	p->file.used += record->size;
}

static int perfdata_put(struct record_sink *sink, const struct pmcgrp_record *record,
			const void *bytes, const struct pmcgrp_delta *delta)
{
	struct perfdata *p = perfdata_of(sink);
	int ret;

	(void)delta;
	if (record->ring >= p->desc->nr_rings)
		return -EINVAL;
	ret = perfdata_tasks_know(&p->tasks, record) ? 0 : perfdata_tell(p, record);
	if (!ret && p->desc->cgroups && record->has & PERF_SAMPLE_CGROUP)
		ret = perfdata_tell_cgroup(p, record);
	if (ret < 0)
		return ret;
	if (!perfdata_file_room(&p->file))
		return p->file.failed;
	/* What is added must not make it longer than its size can say. */
	if (record->size > PERFDATA_RECORD_MAX - 64)
		return 0;
	if (record->type == PERF_RECORD_SAMPLE)
		put_sample(p, record, bytes);
	else
		put_other(p, record, bytes);
	return 0;
}

/* To perf, what comes next has counted from here on. */
static void perfdata_skip(struct record_sink *sink, const struct pmcgrp_record *record)
{
	struct perfdata *p = perfdata_of(sink);
	size_t i, at, nr = pmcgrp_view_nr(&record->read);
	uint64_t value;
	int event;

	if (record->ring >= p->desc->nr_rings)
		return;
	for (i = 0; i < nr; i++) {
		event = record_event_of(p->desc, record->ring, pmcgrp_view_id(&record->read, i));
		if (event < 0)
			continue;
		at = (size_t)record->ring * record_nr_events(p->desc) + (unsigned int)event;
		value = pmcgrp_view_value(&record->read, i);
		p->base[at] += value - p->last[at];
		p->last[at] = value;
	}
	p->gap[record->ring] = false;
}

/* What comes later is newer than all of the round before: perf may sort and go on. */
static int perfdata_flush(struct record_sink *sink)
{
	const struct perf_event_header round = { .type = PERFDATA_FINISHED_ROUND,
						 .size = sizeof(round) };
	struct perfdata *p = perfdata_of(sink);
	int ret = perfdata_alive_settle(&p->alive);

	if (ret < 0)
		return ret;
	if (p->file.failed || !p->file.used)
		return p->file.failed;
	memcpy(p->file.buf + p->file.used, &round, sizeof(round));
	p->file.used += sizeof(round);
	if (clock_now() >= p->doubt) {
		p->doubt = clock_now() + NAMES_NS;
		perfdata_tasks_doubt(&p->tasks);
	}
	return perfdata_file_commit(&p->file);
}

static int perfdata_finish(struct record_sink *sink)
{
	struct perfdata *p = perfdata_of(sink);
	int ret = perfdata_flush(sink);
	int err = perfdata_file_finish(&p->file);

	return ret ? ret : err;
}

/* What was dumped before has to be over, for perf takes names from before all samples at once. */
static int perfdata_again(struct record_sink *sink)
{
	const struct perf_event_header rounds[] = {
		{ .type = PERFDATA_FINISHED_ROUND, .size = sizeof(rounds[0]) },
		{ .type = PERFDATA_FINISHED_ROUND, .size = sizeof(rounds[0]) },
	};
	struct perfdata *p = perfdata_of(sink);
	int ret = perfdata_file_put(&p->file, (const void *)rounds, sizeof(rounds));

	return ret ? ret : perfdata_tell_all(p);
}

static int perfdata_begin(struct record_sink *sink, int fd)
{
	struct perfdata *p = perfdata_of(sink);
	size_t members = (size_t)p->desc->nr_rings * record_nr_events(p->desc);
	int ret = perfdata_file_begin(&p->file, fd);

	memcpy(p->base, p->last, members * sizeof(*p->base));
	memset(p->hits, 0, (size_t)p->desc->nr_rings * p->desc->nr_triggers * sizeof(*p->hits));
	if (p->desc->cgroups)
		record_cgroups_begin(p->desc->cgroups);
	if (!ret)
		ret = put_names(p);
	if (!ret)
		ret = perfdata_tell_all(p);
	if (!ret)
		ret = perfdata_file_commit(&p->file);
	p->file.plain = false;
	return ret;
}

static void perfdata_free(struct perfdata *p)
{
	perfdata_file_free(&p->file);
	free(p->hits);
	free(p->last);
	free(p->base);
	free(p->gap);
	perfdata_tasks_free(&p->tasks);
	perfdata_alive_free(&p->alive);
	free(p);
}

static int perfdata_end(struct record_sink *sink)
{
	int ret = perfdata_finish(sink);

	perfdata_free(perfdata_of(sink));
	return ret;
}

static uint64_t perfdata_size(const struct record_sink *sink)
{
	return perfdata_file_size(&((const struct perfdata *)sink)->file);
}

static int perfdata_init(struct perfdata *p)
{
	size_t rings = p->desc->nr_rings;

	p->doubt = clock_now() + NAMES_NS;
	p->tasks.namespaces = p->desc->namespaces;
	p->tasks.no_buildid = p->desc->no_buildid;
	p->alive.known = &p->tasks;
	p->alive.keep_ended = p->desc->overwrite;
	p->hits = calloc(rings * p->desc->nr_triggers + 1, sizeof(*p->hits));
	p->last = calloc(rings * record_nr_events(p->desc) + 1, sizeof(*p->last));
	p->base = calloc(rings * record_nr_events(p->desc) + 1, sizeof(*p->base));
	p->gap = calloc(rings + 1, sizeof(*p->gap));
	return p->hits && p->last && p->base && p->gap ? perfdata_file_init(&p->file, p->desc) : -ENOMEM;
}

int perfdata_open(struct record_sink **out, int fd, const struct record_desc *desc)
{
	struct perfdata *p = calloc(1, sizeof(*p));
	int ret;

	*out = NULL;
	if (!p) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	p->sink.put = perfdata_put;
	p->sink.skip = perfdata_skip;
	p->sink.put_task = perfdata_put_task;
	p->sink.flush = perfdata_flush;
	p->sink.finish = perfdata_finish;
	p->sink.begin = perfdata_begin;
	p->sink.again = perfdata_again;
	p->sink.end = perfdata_end;
	p->sink.size = perfdata_size;
	p->desc = desc;
	p->file.fd = -1;
	ret = perfdata_init(p);
	if (ret < 0 && fd >= 0)
		close(fd);
	if (!ret && fd >= 0)
		ret = perfdata_begin(&p->sink, fd);
	if (ret < 0) {
		perfdata_free(p);
		return ret;
	}
	*out = &p->sink;
	return 0;
}
