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

#include "perfdata.h"

/* Written when so much has gathered, or at a flush. */
#define BUFFER (1 << 20)
#define RECORD_MAX 65536

/* Threads whose names are known: a table of their numbers, of a power of two. */
#define SEEN_MIN 1024

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
	uint32_t *seen;
	size_t nr_seen;
	size_t seen_max;
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

/* The sample_id of RECORD_SAMPLE_TYPE. */
static size_t sample_id(unsigned char *at, const struct pmcgrp_record *record, uint64_t id)
{
	const uint32_t words[] = { record->pid, record->tid };
	const uint32_t cpu[] = { record->cpu, 0 };

	memcpy(at, words, 8);
	memcpy(at + 8, &record->time, 8);
	memcpy(at + 16, cpu, 8);
	memcpy(at + 24, &id, 8);
	return 32;
}

/* Lets perf know a thread's name, at the time when it is first seen. */
static int put_comm(struct perfdata *p, const struct pmcgrp_record *record)
{
	unsigned char *at = room(p);
	struct perf_event_header header = { .type = PERF_RECORD_COMM };
	char path[64], comm[32] = "";
	uint32_t ids[2];
	FILE *file;
	size_t len;

	if (!at)
		return p->failed;
	snprintf(path, sizeof(path), "/proc/%u/comm", record->tid);
	file = record->tid ? fopen(path, "re") : NULL;
	if (!record->tid)
		strcpy(comm, "swapper");
	else if (!file || !fgets(comm, sizeof(comm), file))
		snprintf(comm, sizeof(comm), ":%u", record->tid);
	if (file)
		fclose(file);
	comm[strcspn(comm, "\n")] = '\0';
	len = (strlen(comm) + 8) & ~(size_t)7;
	ids[0] = record->pid;
	ids[1] = record->tid;
	memcpy(at + 8, ids, 8);
	memset(at + 16, 0, len);
	memcpy(at + 16, comm, strlen(comm));
	len += 16;
	len += sample_id(at + len, record, perfdata_id(p->desc, record->ring, 0));
	header.size = (uint16_t)len;
	memcpy(at, &header, sizeof(header));
	p->used += len;
	return 0;
}

static bool seen_find(const struct perfdata *p, uint32_t tid, size_t *at)
{
	size_t i = tid * 2654435761U & (p->seen_max - 1);

	while (p->seen[i] && p->seen[i] != tid + 1)
		i = (i + 1) & (p->seen_max - 1);
	*at = i;
	return p->seen[i];
}

/* Twice as much room, before it is three quarters full. */
static int seen_grow(struct perfdata *p)
{
	uint32_t *old = p->seen;
	size_t i, at, nr = p->seen_max;

	p->seen = calloc(nr ? 2 * nr : SEEN_MIN, sizeof(*p->seen));
	if (!p->seen) {
		p->seen = old;
		return -ENOMEM;
	}
	p->seen_max = nr ? 2 * nr : SEEN_MIN;
	for (i = 0; i < nr; i++) {
		if (old[i] && !seen_find(p, old[i] - 1, &at))
			p->seen[at] = old[i];
	}
	free(old);
	return 0;
}

static int name_thread(struct perfdata *p, const struct pmcgrp_record *record)
{
	size_t at;

	if (!(record->has & PERF_SAMPLE_TID) || record->tid == ~0U)
		return 0;
	if (p->nr_seen * 4 >= p->seen_max * 3 && seen_grow(p) < 0)
		return -ENOMEM;
	if (seen_find(p, record->tid, &at))
		return 0;
	p->seen[at] = record->tid + 1;
	p->nr_seen++;
	return put_comm(p, record);
}

/* The events' names as records: for a reader that does not find the features. */
static int put_names(struct perfdata *p)
{
	unsigned int i, nr = p->desc->nr_triggers + p->desc->nr_members;

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
	unsigned int i, nr = p->desc->nr_triggers + p->desc->nr_members;

	for (i = 0; i < nr; i++) {
		if (perfdata_event(p->desc, i)->id == id)
			return perfdata_id(p->desc, ring, i);
	}
	return id;
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
 * trigger gets one, too: what it has come to, a period for each snapshot.
 */
static size_t add_hit(struct perfdata *p, const struct pmcgrp_record *record, unsigned char *nr_at,
		      unsigned char *at)
{
	const struct record_event *trigger = record_trigger(p->desc, record);
	uint64_t nr, id, *hits;
	unsigned int i;

	/* Of perf's own groups it is the leader, and there already. */
	if (!trigger || record->body_size ||
	    pmcgrp_view_find_id(&record->read, trigger->id) >= 0)
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
	return 16;
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

static void put_sample(struct perfdata *p, const struct pmcgrp_record *record, const void *bytes)
{
	unsigned char *at = p->buf + p->used, *read;
	size_t i, len, nr = pmcgrp_view_nr(&record->read);
	uint16_t size;

	len = copy_sample(at, record, bytes);
	translate_at(p, record->ring, at + 8);
	read = at + (record->read.bytes - (const unsigned char *)bytes) + len - record->size;
	for (i = 0; i < nr; i++)
		translate_at(p, record->ring,
			     read + record->read.values + i * record->read.stride + 8);
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
	ret = name_thread(p, record);
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
	return commit(p);
}

static void perfdata_free(struct perfdata *p)
{
	close(p->fd);
	perfdata_head_free(&p->head);
	free(p->buf);
	free(p->hits);
	free(p->seen);
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
