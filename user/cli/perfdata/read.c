// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The file around the records: header, attrs, ids, names. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "say/name.h"
#include "reader.h"
#include "read_pipe.h"

#define NAME_MAX_LEN 1024

static int fail(struct perfdata_reader *reader, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct perfdata_reader *reader, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->error, sizeof(reader->error), format, args);
	va_end(args);
	return err;
}

static int no_memory(struct perfdata_reader *reader)
{
	return fail(reader, -ENOMEM, "out of memory");
}

/* Whether the file has all of a section. */
static bool within(const struct perfdata_reader *reader, const struct perfdata_section *section)
{
	return section->offset <= reader->size && section->size <= reader->size - section->offset;
}

static struct perfdata_section section_at(const unsigned char *bytes)
{
	struct perfdata_section section = {
		.offset = perfdata_u64(bytes),
		.size = perfdata_u64(bytes + 8),
	};

	return section;
}

/* ---- Header ---- */

static int header_read(struct perfdata_reader *reader, struct perfdata_header *header)
{
	if (reader->size < PERFDATA_PIPE_SIZE)
		return fail(reader, -EINVAL, "is no perf.data file: it has only %zu bytes",
			    reader->size);
	memset(header, 0, sizeof(*header));
	memcpy(header, reader->bytes, reader->size < sizeof(*header) ? reader->size : sizeof(*header));
	if (header->magic == __builtin_bswap64(PERFDATA_MAGIC))
		return fail(reader, -EINVAL, "was made on a machine of the other byte order: read "
					     "it on one of that kind");
	if (header->magic != PERFDATA_MAGIC)
		return fail(reader, -EINVAL, "is no perf.data file: it does not begin with PERFILE2");
	if (header->size == PERFDATA_PIPE_SIZE)
		return 0;
	if (reader->size < sizeof(*header) || header->size < sizeof(*header))
		return fail(reader, -EINVAL, "is cut short within its header");
	return 0;
}

static unsigned int nr_features(const struct perfdata_header *header)
{
	unsigned int i, nr = 0;

	for (i = 0; i < sizeof(header->features) / sizeof(header->features[0]); i++)
		nr += (unsigned int)__builtin_popcountll(header->features[i]);
	return nr;
}

/* A feature may stand behind the table, as perf's do, or before the records, as ours. */
static bool feature_placed(const struct perfdata_reader *reader,
			   const struct perfdata_header *header,
			   const struct perfdata_section *section, uint64_t end)
{
	return within(reader, section) &&
	       (!section->size || section->offset >= end ||
		(section->offset >= sizeof(*header) &&
		 section->offset + section->size <= header->data.offset));
}

/*
 * The features' table follows the records, and is written last: where it is not whole,
 * the header is older than the end of the file.
 */
static bool features_whole(const struct perfdata_reader *reader,
			   const struct perfdata_header *header)
{
	struct perfdata_section table = {
		.offset = header->data.offset + header->data.size,
		.size = 16ULL * nr_features(header),
	};
	uint64_t at, end = table.offset + table.size;

	if (!within(reader, &table))
		return false;
	for (at = table.offset; at < end; at += 16) {
		struct perfdata_section section = section_at(reader->bytes + at);

		if (!feature_placed(reader, header, &section, end))
			return false;
	}
	return table.size || table.offset == reader->size;
}

static int data_find(struct perfdata_reader *reader, const struct perfdata_header *header)
{
	uint64_t start = header->data.offset;

	if (start < sizeof(*header) || start > reader->size)
		return fail(reader, -EINVAL, "is cut short before its first record");
	reader->data = start;
	memcpy(reader->features, header->features, sizeof(reader->features));
	reader->cut = !header->data.size || !within(reader, &header->data) ||
		      !features_whole(reader, header);
	reader->data_end = reader->cut ? reader->size : start + header->data.size;
	return 0;
}

/* ---- Events ---- */

static int compare_ids(const void *a, const void *b)
{
	const struct perfdata_id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static int ids_read(struct perfdata_reader *reader, struct perfdata_event *event,
		    const struct perfdata_section *section)
{
	size_t i, nr = section->size / 8;

	if (!within(reader, section) || section->size % 8)
		return fail(reader, -EINVAL, "is damaged: the ids of an event lie outside of it");
	if (!nr)
		return 0;
	/* Sections may lie over each other: without a bound, many would take much memory. */
	if (reader->nr_ids + nr > reader->size / 8)
		return fail(reader, -EINVAL, "is damaged: its events have more ids than it has room for");
	event->ids = malloc(nr * sizeof(*event->ids));
	if (!event->ids)
		return no_memory(reader);
	for (i = 0; i < nr; i++)
		event->ids[i] = perfdata_u64(reader->bytes + section->offset + 8 * i);
	event->nr_ids = nr;
	reader->nr_ids += nr;
	return 0;
}

static int attrs_read(struct perfdata_reader *reader, const struct perfdata_header *header)
{
	uint64_t stride = header->attr_size, i, nr;
	uint64_t attr_size = stride - sizeof(struct perfdata_section);
	size_t known = attr_size < sizeof(union attr_wide) ? attr_size : sizeof(union attr_wide);
	int ret;

	if (stride < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) || stride > 65536)
		return fail(reader, -EINVAL, "is damaged: its events have %" PRIu64 " bytes each",
			    stride);
	if (!within(reader, &header->attrs) || header->attrs.size % stride)
		return fail(reader, -EINVAL, "is damaged: its events lie outside of it");
	nr = header->attrs.size / stride;
	if (!nr || nr > INT32_MAX)
		return fail(reader, -EINVAL, "has no events");
	reader->events = calloc(nr, sizeof(*reader->events));
	if (!reader->events)
		return no_memory(reader);
	reader->nr_events = (unsigned int)nr;
	for (i = 0; i < nr; i++) {
		const unsigned char *entry = reader->bytes + header->attrs.offset + i * stride;
		struct perfdata_event *event = &reader->events[i];
		struct perfdata_section ids = section_at(entry + attr_size);

		memcpy(event->wide.bytes, entry, known);
		event->attr.size = (uint32_t)known;
		ret = ids_read(reader, event, &ids);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int ids_sort(struct perfdata_reader *reader)
{
	size_t i, used = 0;
	unsigned int e;

	reader->ids = calloc(reader->nr_ids + 1, sizeof(*reader->ids));
	if (!reader->ids)
		return no_memory(reader);
	for (e = 0; e < reader->nr_events; e++) {
		for (i = 0; i < reader->events[e].nr_ids; i++)
			reader->ids[used++] = (struct perfdata_id){ reader->events[e].ids[i], e };
	}
	qsort(reader->ids, used, sizeof(*reader->ids), compare_ids);
	return 0;
}

/*
 * The id of a sample is looked for before it is known whose it is: all events must have
 * it in the same place, as perf sees to.
 */
static int places_check(struct perfdata_reader *reader)
{
	const uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				PERF_SAMPLE_CPU;
	uint64_t first = reader->events[0].attr.sample_type, type;
	unsigned int i;

	for (i = 1; i < reader->nr_events; i++) {
		type = reader->events[i].attr.sample_type;
		if (type & first & PERF_SAMPLE_IDENTIFIER)
			continue;
		if ((type ^ first) & PERF_SAMPLE_IDENTIFIER || (type ^ first) & before ||
		    !(type & PERF_SAMPLE_ID))
			return fail(reader, -EINVAL, "has samples of several events that do not say "
						     "of which one they are");
	}
	return 0;
}

/* ---- Names ---- */

/* The event that a name belongs to: by its first id, or where it has none by its place. */
static struct perfdata_event *named(struct perfdata_reader *reader, uint32_t place,
				    const unsigned char *ids, uint32_t nr_ids)
{
	int event = nr_ids ? perfdata_read_event_of(reader, perfdata_u64(ids)) : (int)place;

	if (event < 0 || (unsigned int)event >= reader->nr_events || reader->events[event].name)
		return NULL;
	return &reader->events[event];
}

/* HEADER_EVENT_DESC: nr, attr_size, then of each: attr, nr of ids, name, ids. */
static int names_read(struct perfdata_reader *reader, const struct perfdata_section *section)
{
	const unsigned char *at = reader->bytes + section->offset, *end = at + section->size;
	uint32_t i, nr, attr_size, nr_ids, len;
	struct perfdata_event *event;

	if (section->size < 8)
		return 0;
	nr = perfdata_u32(at);
	attr_size = perfdata_u32(at + 4);
	at += 8;
	for (i = 0; i < nr; i++) {
		if ((size_t)(end - at) < 8ULL + attr_size)
			return 0;
		nr_ids = perfdata_u32(at + attr_size);
		len = perfdata_u32(at + attr_size + 4);
		at += attr_size + 8;
		if ((size_t)(end - at) < len + 8ULL * nr_ids)
			return 0;
		event = named(reader, i, at + len, nr_ids);
		if (event && len && *at) {
			event->name = name_dup(at, len < NAME_MAX_LEN ? len : NAME_MAX_LEN);
			if (!event->name)
				return no_memory(reader);
		}
		at += len + 8ULL * nr_ids;
	}
	return 0;
}

bool perfdata_read_feature(const struct perfdata_reader *reader, unsigned int feature,
			   struct perfdata_section *section)
{
	uint64_t bit = 1ULL << feature % 64;
	unsigned int i, before = 0;

	if (reader->pipe) {
		*section = reader->pipe[feature];
		return section->offset != 0;
	}
	if (reader->cut || !(reader->features[feature / 64] & bit))
		return false;
	for (i = 0; i < feature / 64; i++)
		before += (unsigned int)__builtin_popcountll(reader->features[i]);
	before += (unsigned int)__builtin_popcountll(reader->features[feature / 64] & (bit - 1));
	*section = section_at(reader->bytes + reader->data_end + 16ULL * before);
	return true;
}

static int feature_names(struct perfdata_reader *reader)
{
	struct perfdata_section section;

	if (!perfdata_read_feature(reader, PERFDATA_EVENT_DESC, &section))
		return 0;
	return names_read(reader, &section);
}

static int names_complete(struct perfdata_reader *reader)
{
	char name[NAME_MAX_LEN];
	unsigned int i;

	for (i = 0; i < reader->nr_events; i++) {
		struct perfdata_event *event = &reader->events[i];

		if (event->name)
			continue;
		pmcgrp_event_name(&event->attr, name, sizeof(name));
		event->name = strdup(name);
		if (!event->name)
			return no_memory(reader);
	}
	return 0;
}

/* ---- The whole ---- */

static int pipe_read(struct perfdata_reader *reader)
{
	int ret = perfdata_pipe_read(reader);

	if (ret == -ENOMEM)
		return no_memory(reader);
	if (ret < 0)
		return fail(reader, ret, "is damaged: an event of it is cut short");
	return reader->nr_events ? 0 : fail(reader, -EINVAL, "has no events");
}

static int events_read(struct perfdata_reader *reader, const struct perfdata_header *header)
{
	int ret;

	if (header->size == PERFDATA_PIPE_SIZE)
		return pipe_read(reader);
	ret = data_find(reader, header);
	return ret ? ret : attrs_read(reader, header);
}

int perfdata_read_bytes(struct perfdata_reader *reader, const void *bytes, size_t size)
{
	struct perfdata_header header;
	int ret;

	memset(reader, 0, sizeof(*reader));
	reader->bytes = bytes;
	reader->size = size;
	reader->unpack = calloc(1, sizeof(*reader->unpack));
	if (!reader->unpack)
		return no_memory(reader);
	ret = header_read(reader, &header);
	if (!ret)
		ret = events_read(reader, &header);
	if (!ret)
		ret = places_check(reader);
	if (!ret)
		ret = ids_sort(reader);
	if (!ret)
		ret = feature_names(reader);
	if (!ret && reader->pipe && perfdata_pipe_names(reader) < 0)
		ret = no_memory(reader);
	if (!ret)
		ret = names_complete(reader);
	return ret;
}

int perfdata_read_open(struct perfdata_reader *reader, const char *path)
{
	struct stat st;
	void *bytes;
	int fd, ret;

	memset(reader, 0, sizeof(*reader));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(reader, -errno, "cannot be opened: %s", strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size) {
		close(fd);
		return fail(reader, -EINVAL, S_ISREG(st.st_mode) ? "is empty" : "is no file");
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ret = -errno;
	close(fd);
	if (bytes == MAP_FAILED)
		return fail(reader, ret, "cannot be mapped: %s", strerror(-ret));
	ret = perfdata_read_bytes(reader, bytes, (size_t)st.st_size);
	reader->mapped = true;
	reader->changed = st.st_mtime;
	return ret;
}

void perfdata_read_close(struct perfdata_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_events; i++) {
		free(reader->events[i].name);
		free(reader->events[i].ids);
	}
	if (reader->unpack)
		perfdata_unpack_free(reader->unpack);
	free(reader->unpack);
	free(reader->events);
	free(reader->ids);
	free(reader->pipe);
	if (reader->mapped)
		munmap((void *)(uintptr_t)reader->bytes, reader->size);
	memset(reader, 0, sizeof(*reader));
}
