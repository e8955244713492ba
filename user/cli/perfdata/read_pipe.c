// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What perf writes to a pipe (perf record -o -) has no table of events and of features behind a header:
 * records among the others say the same (tools/perf/util/header.c: perf_event__process_attr(),
 * perf_event__process_feature(), perf_event__process_event_update()).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "say/name.h"
#include "format.h"
#include "reader.h"
#include "read_pipe.h"

/* enum of PERF_RECORD_EVENT_UPDATE */
#define UPDATE_NAME 2

static struct perfdata_event *event_add(struct perfdata_reader *reader, unsigned int *room)
{
	unsigned int more = *room ? 2 * *room : 8;
	struct perfdata_event *events;

	if (reader->nr_events == *room) {
		events = reallocarray(reader->events, more, sizeof(*events));
		if (!events)
			return NULL;
		reader->events = events;
		*room = more;
	}
	memset(&reader->events[reader->nr_events], 0, sizeof(*reader->events));
	return &reader->events[reader->nr_events++];
}

/* The attr, with its size in it, and ids up to the end of the record. */
static int take_attr(struct perfdata_reader *reader, const struct perfdata_record *record,
		     unsigned int *room)
{
	uint32_t size = record->size < 8 ? 0 : perfdata_u32(record->body + 4), known;
	struct perfdata_event *event;
	size_t i, nr;

	size = size ? size : PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > record->size)
		return -EINVAL;
	event = event_add(reader, room);
	if (!event)
		return -ENOMEM;
	known = size < sizeof(union attr_wide) ? size : sizeof(union attr_wide);
	memcpy(event->wide.bytes, record->body, known);
	event->attr.size = known;
	nr = (record->size - size) / 8;
	event->ids = malloc((nr + 1) * sizeof(*event->ids));
	if (!event->ids)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		event->ids[i] = perfdata_u64(record->body + size + 8 * i);
	event->nr_ids = nr;
	reader->nr_ids += nr;
	return 0;
}

/* Which it is, and then what a file has in its section. */
static void take_feature(struct perfdata_reader *reader, const struct perfdata_record *record)
{
	uint64_t feature;

	if (record->size < 8 || record->packed)
		return;
	feature = perfdata_u64(record->body);
	if (feature < PERFDATA_FEATURES)
		reader->pipe[feature] = (struct perfdata_section){
			.offset = (uint64_t)(record->body + 8 - reader->bytes),
			.size = record->size - 8,
		};
}

int perfdata_pipe_read(struct perfdata_reader *reader)
{
	uint64_t offset = PERFDATA_PIPE_SIZE;
	struct perfdata_record record;
	unsigned int room = 0;
	int ret = 0;

	reader->data = PERFDATA_PIPE_SIZE;
	reader->data_end = reader->size;
	reader->pipe = calloc(PERFDATA_FEATURES, sizeof(*reader->pipe));
	if (!reader->pipe)
		return -ENOMEM;
	while (!ret && perfdata_read_next(reader, &offset, &record)) {
		if (record.type == PERFDATA_HEADER_ATTR)
			ret = take_attr(reader, &record, &room);
		else if (record.type == PERFDATA_HEADER_FEATURE)
			take_feature(reader, &record);
	}
	return ret;
}

/* The type, an id of the event, and the name. */
static int take_name(struct perfdata_reader *reader, const struct perfdata_record *record)
{
	struct perfdata_event *event;
	int index;

	if (record->size < 17 || perfdata_u64(record->body) != UPDATE_NAME)
		return 0;
	index = perfdata_read_event_of(reader, perfdata_u64(record->body + 8));
	event = index < 0 ? NULL : &reader->events[index];
	if (!event || event->name || !record->body[16])
		return 0;
	event->name = name_dup(record->body + 16, record->size - 16);
	return event->name ? 0 : -ENOMEM;
}

int perfdata_pipe_names(struct perfdata_reader *reader)
{
	uint64_t offset = reader->data;
	struct perfdata_record record;
	int ret = 0;

	while (!ret && perfdata_read_next(reader, &offset, &record)) {
		if (record.type == PERFDATA_EVENT_UPDATE)
			ret = take_name(reader, &record);
	}
	return ret;
}
