/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Where the records of `pmcgrp record` go: what is known of them, and what a format does. */
#ifndef RECORD_SINK_H
#define RECORD_SINK_H

#include "cgroups.h"
#include "event/config3.h"
#include "pmcgrp.h"

struct record_spans;

struct record_event {
	const char *name;			/* as shown */
	union {
		struct perf_event_attr attr;
		union attr_wide wide;
	};
	bool name_only;				/* its attr means nothing elsewhere: a probe */
};

/* All that a file says of its records before the first one. */
struct record_desc {
	const struct record_event *triggers;	/* may be NULL */
	unsigned int nr_triggers;
	const struct record_event *members;
	unsigned int nr_members;
	const uint64_t *ids;			/* as records have them: record_id() */
	unsigned int nr_groups;
	unsigned int group_rings;		/* of each group, if there are several */
	struct pmcgrp_record_format format;
	unsigned int nr_rings;			/* as many as there may come to be */
	bool many_files;			/* begin() may be called again */
	bool overwrite;				/* rings have the newest records, with gaps before them */
	bool pipe;				/* perf's format is written from its beginning to its end */
	int level;				/* of compression, for perf's format; 0: none */
	bool namespaces;			/* of tasks that are there already as well */
	bool no_buildid;
	struct record_cgroups *cgroups;		/* of PERF_SAMPLE_CGROUP; or NULL */
	struct record_spans *spans;		/* samples are spans: spans.h; or NULL */
	int argc;				/* the command line */
	char **argv;
};

/* What every format needs; there may be PERF_SAMPLE_IP, _CALLCHAIN and _CGROUP as well. */
#define RECORD_SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			    PERF_SAMPLE_CPU | PERF_SAMPLE_READ)
#define RECORD_READ_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID | \
			    PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * A file in one of the formats.  Its functions return 0 or a negative errno; after a
 * failure the file is as the last flush has left it, whole and readable, and takes no more.
 */
struct record_sink {
	/* Wants records in the order of time over all rings; else in that of each ring. */
	bool merged;

	/*
	 * put - one record more
	 * @record: decoded; record->ring says of which ring
	 * @bytes: the same as it lies in the ring; NULL if merged
	 * @delta: of its ring; NULL if not merged
	 */
	int (*put)(struct record_sink *sink, const struct pmcgrp_record *record,
		   const void *bytes, const struct pmcgrp_delta *delta);

	/* skip - leave out a sample, and what was counted since the one before; or NULL */
	void (*skip)(struct record_sink *sink, const struct pmcgrp_record *record);

	/*
	 * put_task - a record of perf's of what tasks do: PERF_RECORD_COMM, _MMAP2, _FORK, _EXIT,
	 *	or of a new cgroup, with RECORD_SAMPLE_TYPE's sample_id. Before the samples that come after it.
	 *	NULL: not wanted
	 */
	int (*put_task)(struct record_sink *sink, const struct perf_event_header *record);

	/* flush - all rings have been gone through: now it is in the file */
	int (*flush)(struct record_sink *sink);

	/* finish - flush for the last time, and close the file: begin() comes before anything else */
	int (*finish)(struct record_sink *sink);

	/* begin - go on in another file, which can be read without those before; @fd becomes its */
	int (*begin)(struct record_sink *sink, int fd);

	/*
	 * again - a dump more into the same file, of rings that overwrite: what begin() says, except for
	 *	what cannot change
	 */
	int (*again)(struct record_sink *sink);

	/* end - finish a file that is open, and free the sink, also after a failure */
	int (*end)(struct record_sink *sink);

	/* size - bytes in the file */
	uint64_t (*size)(const struct record_sink *sink);
};

/*
 * Each makes a sink of a file. @desc and what it refers to must live as long. @fd becomes the
 * sink's, also on failure; -1: begin() gives it one, and put_task() is all that comes before.
 * Return 0 or a negative errno.
 */
typedef int (*record_open_fn)(struct record_sink **out, int fd, const struct record_desc *desc);
int perfdata_open(struct record_sink **out, int fd, const struct record_desc *desc);
int record_csv_open(struct record_sink **out, int fd, const struct record_desc *desc);
int record_jsonl_open(struct record_sink **out, int fd, const struct record_desc *desc);

static inline unsigned int record_nr_events(const struct record_desc *desc)
{
	return desc->nr_triggers + desc->nr_members;
}

/* The id that a ring's records have for an event: the triggers are first. */
static inline uint64_t record_id(const struct record_desc *desc, unsigned int ring,
				 unsigned int event)
{
	size_t group = desc->nr_groups > 1 ? ring / desc->group_rings : 0;

	return desc->ids[group * record_nr_events(desc) + event];
}

/* Which event an id in a ring's records stands for; -1: none. */
static inline int record_event_of(const struct record_desc *desc, unsigned int ring, uint64_t id)
{
	unsigned int i;

	for (i = 0; i < record_nr_events(desc); i++) {
		if (record_id(desc, ring, i) == id)
			return (int)i;
	}
	return -1;
}

/* The trigger of a sample; NULL: on request, or not known. */
static inline const struct record_event *record_trigger(const struct record_desc *desc,
							const struct pmcgrp_record *record)
{
	int i = record_event_of(desc, record->ring, record->id);

	return i >= 0 && (unsigned int)i < desc->nr_triggers ? &desc->triggers[i] : NULL;
}

#endif
