// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Writing a perf.data file so that it can be read at any moment, whatever happens to the
 * writer. perf looks for the table of the features behind the data, wherever the header says
 * that it ends. A flush goes these steps:
 *
 *	header  data ......  table					data ends at A
 *	header  data ......  table   new data ......  table		still
 *	header  data ......  pad     new data ......  table		still
 *	header  data ......  pad     new data ......  table		data ends at B
 *
 * After the first and second all is as before, and what follows is not looked at. After the
 * third, for the moment of one system call, the features are missing and the records there;
 * their events' names are among the records, too. A pad is a record that perf skips.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/workload.h"
#include "tasks.h"
#include "write.h"

/* Written when so much has gathered, or at a flush. */
#define BUFFER (1 << 20)
#define RECORD_MAX 65536

/* A value and its id. */
#define MEMBER_SIZE 16

/* Threads get other names: so often that is looked for. */
#define NAMES_NS 1000000000

struct perfdata {
	struct record_sink sink;
	const struct record_desc *desc;
	struct perfdata_head head;
	int fd;
	int failed;			/* negative errno */
	uint64_t size;			/* of the data, as the header says */
	unsigned char *buf;
	size_t used;
	uint64_t first, last;		/* times of samples; 0: none yet */
	uint64_t *hits;			/* what each trigger has come to in each ring */
	struct perfdata_tasks tasks;
	int64_t doubt;			/* when names are looked up anew */
};

static struct perfdata *perfdata_of(const struct record_sink *sink)
{
	return (struct perfdata *)sink;
}

/* ---- The file ---- */

static int write_at(int fd, const void *bytes, size_t len, uint64_t at)
{
	ssize_t ret;

	while (len) {
		ret = pwrite(fd, bytes, len, (off_t)at);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return ret ? -errno : -EIO;
		bytes = (const unsigned char *)bytes + ret;
		len -= (size_t)ret;
		at += (uint64_t)ret;
	}
	return 0;
}

/* What was written behind the table is no part of the file. */
static int give_up(struct perfdata *p, int ret)
{
	p->failed = ret;
	if (ftruncate(p->fd, (off_t)(p->head.len + p->size + p->head.table_len)) < 0)
		return ret;
	return ret;
}

static int commit(struct perfdata *p)
{
	const struct perf_event_header pad = { .type = PERFDATA_EVENT_TYPE,
					       .size = (uint16_t)p->head.table_len };
	uint64_t end = p->head.len + p->size, table = p->head.table_len, size, times[2];
	unsigned char *bytes;
	int ret;

	if (p->failed || !p->used)
		return p->failed;
	/* New data and table in one piece: there is room for it behind the buffer. */
	memcpy(p->buf + p->used, p->head.table, table);
	ret = write_at(p->fd, p->buf, p->used + table, end + table);
	if (ret < 0)
		return give_up(p, ret);
	bytes = calloc(1, table);
	if (!bytes)
		return give_up(p, -ENOMEM);
	memcpy(bytes, &pad, sizeof(pad));
	ret = write_at(p->fd, bytes, table, end);
	free(bytes);
	size = p->size + table + p->used;
	if (!ret)
		ret = write_at(p->fd, &size, sizeof(size), PERFDATA_SIZE_AT);
	times[0] = p->first;
	times[1] = p->last;
	if (!ret)
		ret = write_at(p->fd, times, sizeof(times), p->head.times_at);
	if (ret < 0) {
		p->failed = ret;
		return ret;
	}
	p->size = size;
	p->used = 0;
	return 0;
}

/* Room for a record in the buffer; NULL after a failure. */
static unsigned char *room(struct perfdata *p)
{
	if (p->used + 2 * RECORD_MAX > BUFFER && commit(p) < 0)
		return NULL;
	return p->failed ? NULL : p->buf + p->used;
}

/* ---- Records of our own ---- */

/* Records that were made as a stream. */
static int put_stream(struct perfdata *p, const unsigned char *bytes, size_t len)
{
	struct perf_event_header header;
	unsigned char *at;

	while (len >= sizeof(header)) {
		memcpy(&header, bytes, sizeof(header));
		at = room(p);
		if (!at)
			return p->failed;
		memcpy(at, bytes, header.size);
		p->used += header.size;
		bytes += header.size;
		len -= header.size;
	}
	return 0;
}

/* Write what perf needs to know about a record's thread, or without one about the kernel. */
static int tell(struct perfdata *p, const struct pmcgrp_record *record)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);
	int ret = 0;

	if (!out)
		return -ENOMEM;
	if (record)
		ret = perfdata_tasks_tell(&p->tasks, out, record,
					  perfdata_id(p->desc, record->ring, 0));
	else
		perfdata_kernel_tell(out, perfdata_id(p->desc, 0, 0));
	if (fclose(out))
		ret = -ENOMEM;
	if (!ret)
		ret = put_stream(p, (unsigned char *)bytes, len);
	free(bytes);
	return ret;
}

/* The events' names as records: for a reader that does not find the features. */
static int put_names(struct perfdata *p)
{
	unsigned int i, nr = record_nr_events(p->desc);

	for (i = 0; i < nr; i++) {
		const char *name = perfdata_event(p->desc, i)->name;
		struct perf_event_header header = { .type = PERFDATA_EVENT_UPDATE };
		const uint64_t kind = 2;	/* PERF_EVENT_UPDATE__NAME */
		uint64_t id = perfdata_id(p->desc, 0, i);
		size_t len = strnlen(name, RECORD_MAX / 2);
		unsigned char *at = room(p);

		if (!at)
			return p->failed;
		header.size = (uint16_t)(24 + ((len + 8) & ~(size_t)7));
		memset(at, 0, header.size);
		memcpy(at, &header, sizeof(header));
		memcpy(at + 8, &kind, sizeof(kind));
		memcpy(at + 16, &id, sizeof(id));
		memcpy(at + 24, name, len);
		p->used += header.size;
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

/* The members' values with the file's ids for theirs. */
static void tell_members(struct perfdata *p, const struct pmcgrp_record *record,
			 unsigned char *values)
{
	size_t i, nr = pmcgrp_view_nr(&record->read);

	for (i = 0; i < nr; i++)
		translate_at(p, record->ring, values + i * MEMBER_SIZE + 8);
}

static void put_sample(struct perfdata *p, const struct pmcgrp_record *record, const void *bytes)
{
	unsigned char *at = p->buf + p->used, *read;
	uint16_t size;
	size_t len;

	len = copy_sample(at, record, bytes);
	translate_at(p, record->ring, at + 8);
	read = at + (record->read.bytes - (const unsigned char *)bytes) + len - record->size;
	tell_members(p, record, read + record->read.values);
	len += add_hit(p, record, read, at + len);
	size = (uint16_t)len;
	memcpy(at + offsetof(struct perf_event_header, size), &size, sizeof(size));
	p->used += len;
	if (!p->first || record->time < p->first)
		p->first = record->time;
	if (record->time > p->last)
		p->last = record->time;
}

static void put_other(struct perfdata *p, const struct pmcgrp_record *record, const void *bytes)
{
	unsigned char *at = p->buf + p->used;

	memcpy(at, bytes, record->size);
	/* IDENTIFIER is the last word. */
	translate_at(p, record->ring, at + record->size - 8);
	if (record->type == PERF_RECORD_LOST)
		translate_at(p, record->ring, at + 8);
	if (record->type == PERF_RECORD_THROTTLE || record->type == PERF_RECORD_UNTHROTTLE) {
		translate_at(p, record->ring, at + 16);
		translate_at(p, record->ring, at + 24);
	}
	p->used += record->size;
}

static int perfdata_put(struct record_sink *sink, const struct pmcgrp_record *record,
			const void *bytes, const struct pmcgrp_delta *delta)
{
	struct perfdata *p = perfdata_of(sink);
	int ret;

	(void)delta;
	if (record->ring >= p->desc->nr_rings)
		return -EINVAL;
	ret = perfdata_tasks_know(&p->tasks, record) ? 0 : tell(p, record);
	if (ret < 0)
		return ret;
	if (!room(p))
		return p->failed;
	/* What is added must not make it longer than its size can say. */
	if (record->size > RECORD_MAX - 64)
		return 0;
	if (record->type == PERF_RECORD_SAMPLE)
		put_sample(p, record, bytes);
	else
		put_other(p, record, bytes);
	return 0;
}

/* Where records of tasks name a thread: both have pid and tid first, a fork's are the child's. */
static bool names_thread(const struct perf_event_header *header, uint32_t *tid)
{
	size_t at = header->type == PERF_RECORD_COMM ? 12 : 16;

	if (header->type != PERF_RECORD_COMM && header->type != PERF_RECORD_FORK)
		return false;
	memcpy(tid, (const unsigned char *)header + at, sizeof(*tid));
	return true;
}

static int perfdata_put_task(struct record_sink *sink, const struct perf_event_header *header)
{
	struct perfdata *p = perfdata_of(sink);
	uint64_t id = perfdata_id(p->desc, 0, 0);
	unsigned char *at = room(p);
	uint32_t tid;

	if (!at)
		return p->failed;
	memcpy(at, header, header->size);
	/* IDENTIFIER is the last word. */
	memcpy(at + header->size - sizeof(id), &id, sizeof(id));
	p->used += header->size;
	if (names_thread(header, &tid))
		perfdata_tasks_learn(&p->tasks, tid);
	return 0;
}

/* What comes later is newer than all of the round before: perf may sort and go on. */
static int perfdata_flush(struct record_sink *sink)
{
	const struct perf_event_header round = { .type = PERFDATA_FINISHED_ROUND,
						 .size = sizeof(round) };
	struct perfdata *p = perfdata_of(sink);

	if (p->failed || !p->used)
		return p->failed;
	memcpy(p->buf + p->used, &round, sizeof(round));
	p->used += sizeof(round);
	if (clock_now() >= p->doubt) {
		p->doubt = clock_now() + NAMES_NS;
		perfdata_tasks_doubt(&p->tasks);
	}
	return commit(p);
}

static void perfdata_free(struct perfdata *p)
{
	close(p->fd);
	perfdata_head_free(&p->head);
	free(p->buf);
	free(p->hits);
	perfdata_tasks_free(&p->tasks);
	free(p);
}

static int perfdata_end(struct record_sink *sink)
{
	int ret = perfdata_flush(sink);

	perfdata_free(perfdata_of(sink));
	return ret;
}

static uint64_t perfdata_size(const struct record_sink *sink)
{
	const struct perfdata *p = perfdata_of(sink);

	return p->head.len + p->size + p->head.table_len;
}

static int perfdata_begin(struct perfdata *p)
{
	int ret;

	p->doubt = clock_now() + NAMES_NS;
	p->buf = malloc(BUFFER + RECORD_MAX);
	p->hits = calloc((size_t)p->desc->nr_rings * p->desc->nr_triggers + 1, sizeof(*p->hits));
	if (!p->buf || !p->hits)
		return -ENOMEM;
	ret = perfdata_head_make(&p->head, p->desc);
	if (ret < 0)
		return ret;
	/* No data yet: the table stands where it will end. */
	ret = write_at(p->fd, p->head.bytes, p->head.len, 0);
	if (!ret)
		ret = write_at(p->fd, p->head.table, p->head.table_len, p->head.len);
	if (!ret)
		ret = put_names(p);
	if (!ret)
		ret = tell(p, NULL);
	return ret ? ret : commit(p);
}

int perfdata_open(struct record_sink **out, int fd, const struct record_desc *desc)
{
	struct perfdata *p = calloc(1, sizeof(*p));
	int ret;

	*out = NULL;
	if (!p) {
		close(fd);
		return -ENOMEM;
	}
	p->sink.put = perfdata_put;
	p->sink.put_task = perfdata_put_task;
	p->sink.flush = perfdata_flush;
	p->sink.end = perfdata_end;
	p->sink.size = perfdata_size;
	p->desc = desc;
	p->fd = fd;
	ret = perfdata_begin(p);
	if (ret < 0) {
		perfdata_free(p);
		return ret;
	}
	*out = &p->sink;
	return 0;
}
