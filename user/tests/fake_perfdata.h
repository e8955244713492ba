/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* perf.data files that tests write by hand, word by word. */
#ifndef FAKE_PERFDATA_H
#define FAKE_PERFDATA_H

#include <linux/perf_event.h>

#include "perfdata/format.h"

#define FAKE_SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |	\
			  PERF_SAMPLE_CPU | PERF_SAMPLE_READ)
#define FAKE_READ_FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |	\
			  PERF_FORMAT_ID | PERF_FORMAT_GROUP)

struct fake_event {
	uint32_t type;
	uint64_t config;
	uint64_t period;	/* 0: a member */
	const char *name;
	uint64_t id;
};

struct fake {
	unsigned char *bytes;
	size_t size;
	size_t room;
	const struct fake_event *events;
	size_t nr;
	uint64_t type;		/* of samples */
};

static inline void fake_add(struct fake *f, const void *bytes, size_t size)
{
	if (f->size + size > f->room) {
		f->room = 2 * (f->size + size);
		f->bytes = realloc(f->bytes, f->room);
		assert_non_null(f->bytes);
	}
	if (size)
		memcpy(f->bytes + f->size, bytes, size);
	f->size += size;
}

static inline void fake_u64(struct fake *f, uint64_t value)
{
	fake_add(f, &value, sizeof(value));
}

/* Two of 32 bits. */
static inline void fake_pair(struct fake *f, uint32_t a, uint32_t b)
{
	fake_add(f, &a, sizeof(a));
	fake_add(f, &b, sizeof(b));
}

static inline struct perf_event_attr fake_attr(const struct fake_event *event, uint64_t type)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.sample_period = event->period,
		.sample_type = type,
		.read_format = FAKE_READ_FORMAT,
		.sample_id_all = 1,
	};

	return attr;
}

/* Header, events, ids; the data section begins behind them. */
static inline void fake_begin_type(struct fake *f, const struct fake_event *events, size_t nr,
				   uint64_t type)
{
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct perf_event_attr) + 16,
		.attrs = { sizeof(header) + 8 * nr, nr * (sizeof(struct perf_event_attr) + 16) },
	};
	size_t i;

	memset(f, 0, sizeof(*f));
	f->events = events;
	f->nr = nr;
	f->type = type;
	header.data.offset = header.attrs.offset + header.attrs.size;
	fake_add(f, &header, sizeof(header));
	for (i = 0; i < nr; i++)
		fake_u64(f, events[i].id);
	for (i = 0; i < nr; i++) {
		struct perf_event_attr attr = fake_attr(&events[i], type);

		fake_add(f, &attr, sizeof(attr));
		fake_u64(f, sizeof(header) + 8 * i);
		fake_u64(f, 8);
	}
}

static inline void fake_begin(struct fake *f, const struct fake_event *events, size_t nr)
{
	fake_begin_type(f, events, nr, FAKE_SAMPLE_TYPE);
}

static inline struct perfdata_header *fake_header(struct fake *f)
{
	return (struct perfdata_header *)(void *)f->bytes;
}

/* A record's header, whose size fake_close() sets. */
static inline size_t fake_open(struct fake *f, uint32_t type)
{
	struct perf_event_header header = { .type = type };
	size_t at = f->size;

	fake_add(f, &header, sizeof(header));
	return at;
}

static inline void fake_close(struct fake *f, size_t at)
{
	struct perf_event_header header;

	memcpy(&header, f->bytes + at, sizeof(header));
	header.size = (uint16_t)(f->size - at);
	memcpy(f->bytes + at, &header, sizeof(header));
}

struct fake_sample {
	uint64_t id;		/* of the trigger */
	uint64_t time;
	uint32_t tid;
	uint32_t cpu;
	uint64_t enabled;
	uint64_t running;
	size_t nr;
	uint64_t ids[4];
	uint64_t values[4];
	uint16_t misc;
	size_t nr_chain;	/* these two: with PERF_SAMPLE_CALLCHAIN */
	const uint64_t *chain;
};

static inline void fake_sample(struct fake *f, const struct fake_sample *s)
{
	size_t i, at = fake_open(f, PERF_RECORD_SAMPLE);

	fake_u64(f, s->id);
	fake_pair(f, s->tid, s->tid);
	fake_u64(f, s->time);
	fake_pair(f, s->cpu, 0);
	fake_u64(f, s->nr);
	fake_u64(f, s->enabled);
	fake_u64(f, s->running);
	for (i = 0; i < s->nr; i++) {
		fake_u64(f, s->values[i]);
		fake_u64(f, s->ids[i]);
	}
	if (f->type & PERF_SAMPLE_CALLCHAIN) {
		fake_u64(f, s->nr_chain);
		fake_add(f, s->chain, 8 * s->nr_chain);
	}
	fake_close(f, at);
	memcpy(f->bytes + at + offsetof(struct perf_event_header, misc), &s->misc, sizeof(s->misc));
}

/* Any other record of the kernel's: words, then the sample_id. */
static inline void fake_record(struct fake *f, uint32_t type, const uint64_t *words, size_t nr,
			       uint64_t id, uint64_t time, uint32_t cpu)
{
	size_t i, at = fake_open(f, type);

	for (i = 0; i < nr; i++)
		fake_u64(f, words[i]);
	fake_pair(f, 0, 0);
	fake_u64(f, time);
	fake_pair(f, cpu, 0);
	fake_u64(f, id);
	fake_close(f, at);
}

static inline void fake_comm_at(struct fake *f, uint64_t time, uint32_t tid, const char *comm)
{
	uint64_t words[3] = { (uint64_t)tid << 32 | tid };

	strncpy((char *)&words[1], comm, 15);
	fake_record(f, PERF_RECORD_COMM, words, 3, 0, time, 0);
}

static inline void fake_comm(struct fake *f, uint32_t tid, const char *comm)
{
	fake_comm_at(f, 0, tid, comm);
}

/* A process of its own. */
static inline void fake_fork(struct fake *f, uint64_t time, uint32_t tid, uint32_t maker)
{
	uint64_t words[3] = { (uint64_t)maker << 32 | tid, (uint64_t)maker << 32 | tid, time };

	fake_record(f, PERF_RECORD_FORK, words, 3, 0, time, 0);
}

/* Of one id: -1 for no CPU. */
static inline void fake_id_index(struct fake *f, uint64_t id, uint64_t cpu, uint64_t tid)
{
	size_t at = fake_open(f, PERFDATA_ID_INDEX);

	fake_u64(f, 1);
	fake_u64(f, id);
	fake_u64(f, 0);
	fake_u64(f, cpu);
	fake_u64(f, tid);
	fake_close(f, at);
}

/* As a recorder ends: the data's size, and the names in the feature EVENT_DESC. */
static inline void fake_end(struct fake *f)
{
	struct perfdata_header *header = fake_header(f);
	uint64_t at = f->size, end;
	size_t i;

	header->data.size = f->size - header->data.offset;
	header->features[0] = 1ULL << PERFDATA_EVENT_DESC;
	fake_u64(f, at + 16);
	fake_u64(f, 0);
	fake_pair(f, (uint32_t)f->nr, sizeof(struct perf_event_attr));
	for (i = 0; i < f->nr; i++) {
		struct perf_event_attr attr = fake_attr(&f->events[i], f->type);
		char name[64] = "";

		strncpy(name, f->events[i].name, sizeof(name) - 1);
		fake_add(f, &attr, sizeof(attr));
		fake_pair(f, 1, sizeof(name));
		fake_add(f, name, sizeof(name));
		fake_u64(f, f->events[i].id);
	}
	end = f->size - (at + 16);
	memcpy(f->bytes + at + 8, &end, sizeof(end));
}

static inline void fake_save(const struct fake *f, const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(f->bytes, 1, f->size, file), f->size);
	assert_int_equal(fclose(file), 0);
}

static inline void fake_free(struct fake *f)
{
	free(f->bytes);
	memset(f, 0, sizeof(*f));
}

#endif
