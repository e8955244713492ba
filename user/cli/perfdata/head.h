/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Files that perf(1) reads: the format is described in the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt.
 *
 *	header, attrs, their ids, what the features say	 written once
 *	data: records					 grows
 *	table of the features				 behind the data, wherever it ends
 */
#ifndef PERFDATA_HEAD_H
#define PERFDATA_HEAD_H

#include "format.h"
#include "sink.h"

/* Where in the header the data's size stands, and which features there are: struct perf_file_header. */
#define PERFDATA_SIZE_AT 48
#define PERFDATA_FEATURES_AT 72
#define PERFDATA_HEADER_SIZE 104

/* perf script wants addresses: where the records have none, the file has zeroes. */
#define PERFDATA_SAMPLE_TYPE (RECORD_SAMPLE_TYPE | PERF_SAMPLE_IP)

/* What comes before the data, and the table that goes behind it. */
struct perfdata_head {
	unsigned char *bytes;
	size_t len;			/* = offset of the data */
	unsigned char *table;
	size_t table_len;
	uint64_t times_at;		/* offset of the first and last time of a sample */
	uint64_t ratio_at;		/* offset of the ratio of compression; 0: none */
};

/*
 * With desc->pipe it is records that say the same, and there is no table. Returns 0, -ENOMEM, or
 * -E2BIG: an event has too many ids for one.
 */
int perfdata_head_make(struct perfdata_head *head, const struct record_desc *desc);
void perfdata_head_free(struct perfdata_head *head);

/*
 * The id in the file of a trigger or member of a ring. perf takes the difference of two
 * values with one id for what was counted, whatever CPU they are of, so each ring's
 * members have ids of their own there.
 */
static inline uint64_t perfdata_id(const struct record_desc *desc, unsigned int ring,
				   unsigned int event)
{
	return 1 + (uint64_t)ring * record_nr_events(desc) + event;
}

/* An event by its place in the file: the triggers first. */
static inline const struct record_event *perfdata_event(const struct record_desc *desc,
							unsigned int event)
{
	return event < desc->nr_triggers ? &desc->triggers[event] :
					   &desc->members[event - desc->nr_triggers];
}

#endif
