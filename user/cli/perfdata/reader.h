/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * perf.data files as they are read: header, events, records.
 *
 * The file is input like any other: whatever its bytes, nothing outside of them is
 * read. One that its recorder could not complete (kill -9) is read up to the end of
 * its last whole record.
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/config3.h"
#include "pmcgrp.h"
#include "unpack.h"

struct perfdata_section;

/* An entry of the file's attr section. */
struct perfdata_event {
	union {			/* attr.size: so much of it is from the file */
		struct perf_event_attr attr;
		union attr_wide wide;
	};
	char *name;		/* from the file, or made from attr; as text (say/name.h) */
	uint64_t *ids;
	size_t nr_ids;
};

struct perfdata_id {
	uint64_t id;
	unsigned int event;	/* index */
};

struct perfdata_reader {
	const unsigned char *bytes;
	size_t size;
	bool mapped;
	bool cut;		/* its recorder did not complete it */
	int64_t changed;	/* when it was written to last, in s; 0: not known */
	uint64_t data;		/* offset of the first record */
	uint64_t data_end;
	uint64_t features[4];
	struct perfdata_section *pipe;	/* of one for a pipe its features; else NULL */
	struct perfdata_event *events;
	unsigned int nr_events;
	struct perfdata_id *ids;	/* of all events, in ascending order */
	size_t nr_ids;
	struct perfdata_unpack *unpack;
	char error[200];	/* after a failure, the end of a sentence that begins with the path */
};

/*
 * perfdata_read_open - map a file and read all but its records
 *
 * Returns 0, or a negative errno with @reader->error filled in: -EINVAL for what is no
 * perf.data file, or one that cannot be read. perfdata_read_close() in any case.
 */
int perfdata_read_open(struct perfdata_reader *reader, const char *path);

/* The same of bytes in memory, which stay the caller's. */
int perfdata_read_bytes(struct perfdata_reader *reader, const void *bytes, size_t size);

void perfdata_read_close(struct perfdata_reader *reader);

/* The index of the event with this id, or -1. */
int perfdata_read_event_of(const struct perfdata_reader *reader, uint64_t id);

/*
 * perfdata_read_feature - where a feature of the file lies, within reader->bytes
 *
 * Returns whether the file has it: one that is cut has none.
 */
bool perfdata_read_feature(const struct perfdata_reader *reader, unsigned int feature,
			   struct perfdata_section *section);

struct perfdata_record {
	uint32_t type;
	uint16_t misc;
	const unsigned char *body;	/* behind the perf_event_header */
	size_t size;			/* of the body */
	bool packed;			/* was compressed: it lasts until the next one is read */
};

/*
 * perfdata_read_next - the record at an offset
 * @offset: reader->data for the first; moved on to the next
 *
 * Compressed records are decompressed one after the other. So with one offset at a time a file that
 * has such is read from reader->data on, again if need be.
 *
 * Returns whether there is one. Where it is false and @offset is not reader->data_end, what
 * follows is no whole record.
 */
bool perfdata_read_next(const struct perfdata_reader *reader, uint64_t *offset,
			struct perfdata_record *record);

/*
 * perfdata_read_forget - give back the memory of what lies before an offset
 * @done: what was given back; reader->data at first
 *
 * To be called with each offset of a loop over all records: it acts now and then. Records of
 * before must not be looked at any more, but perfdata_read_next() may go there again.
 */
void perfdata_read_forget(const struct perfdata_reader *reader, uint64_t offset, uint64_t *done);

/* What a record says of where it comes from, and a sample of the counts. */
struct perfdata_sample {
	int event;		/* index; -1: unknown */
	uint64_t has;		/* PERF_SAMPLE_*: which of these are there */
	uint64_t id;
	uint64_t stream_id;
	uint64_t ip;
	uint64_t time;
	uint64_t period;
	uint64_t cgroup;	/* PERF_SAMPLE_CGROUP */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint16_t mode;		/* PERF_RECORD_MISC_USER, _KERNEL and others */
	bool switched;		/* PMCGRP_RECORD_MISC_SWITCH: of a task that was switched from */
	struct pmcgrp_view view;	/* PERF_SAMPLE_READ */
	const unsigned char *chain;	/* PERF_SAMPLE_CALLCHAIN: words; lasts as long as the record */
	size_t nr_chain;
};

/*
 * perfdata_read_sample - a PERF_RECORD_SAMPLE taken apart, as far as PERF_SAMPLE_CALLCHAIN,
 *	and its cgroup
 *
 * Returns 0, or a negative errno: -ENOENT: it is of no event of the file; -EBADMSG: it is
 * shorter than its event says.
 */
int perfdata_read_sample(const struct perfdata_reader *reader,
			 const struct perfdata_record *record, struct perfdata_sample *sample);

/*
 * perfdata_read_sample_id - the sample_id at the end of any other record of the kernel's
 *
 * Returns the size of the record's body without it. Where attr.sample_id_all is not set,
 * sample->has is 0.
 */
size_t perfdata_read_sample_id(const struct perfdata_reader *reader,
			       const struct perfdata_record *record,
			       struct perfdata_sample *sample);

/* Numbers in the file are aligned to nothing. */
static inline uint64_t perfdata_u64(const unsigned char *bytes)
{
	uint64_t value;

	__builtin_memcpy(&value, bytes, sizeof(value));
	return value;
}

static inline uint32_t perfdata_u32(const unsigned char *bytes)
{
	uint32_t value;

	__builtin_memcpy(&value, bytes, sizeof(value));
	return value;
}

#endif
