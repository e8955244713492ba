// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of spans: each span that is counted is a sample in the ring of the CPU, or task, where it
 * ends (%PMCGRP_SPAN_RECORD).
 *
 * It is a PERF_RECORD_SAMPLE of the ring's format.  What the span has counted is its
 * PERF_SAMPLE_RAW, as with a tracepoint of perf's: a reader that does not know the data knows its
 * size.  The record has an id of its own, as those of a trigger have: a reader knows it by that.
 *
 * Context: the recursion section in which a span ends (section.c), NMI included.  The ring has one
 * writer: what writes samples is in a recursion section as well.
 */
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group/group.h"
#include "sample/ring.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/sample_put.h"
#include "sample/sample_side.h"
#include "span/section.h"
#include "span/span_record.h"

/**
 * struct pmcgrp_span_recorder - what a span's records have alike
 * @source: of the samples.  Constant: without an event nobody writes it.
 */
struct pmcgrp_span_recorder {
	struct pmcgrp_sample_source source;
};

/**
 * pmcgrp_span_record_is_possible - check whether the spans of a group can have records
 * @group: the group
 *
 * Context: any.
 */
bool pmcgrp_span_record_is_possible(const struct pmcgrp_group *group)
{
	const struct pmcgrp_ring_buffers *rings = pmcgrp_group_rings(group);

	return rings && rings->sample_type & PERF_SAMPLE_RAW;
}

/**
 * pmcgrp_span_recorder_create - make what records of a span need
 * @group: its group, for which pmcgrp_span_record_is_possible()
 *
 * Context: may sleep.
 * Return: it, for pmcgrp_span_recorder_free(), or NULL without memory.
 */
struct pmcgrp_span_recorder *pmcgrp_span_recorder_create(struct pmcgrp_group *group)
{
	struct pmcgrp_span_recorder *recorder = kzalloc(sizeof(*recorder), GFP_KERNEL_ACCOUNT);

	if (!recorder)
		return NULL;
	recorder->source.group = group;
	recorder->source.id = pmcgrp_group_next_ids(1);
	return recorder;
}

/**
 * pmcgrp_span_recorder_id - get what records of a span have as PERF_SAMPLE_ID
 * @recorder: of the span
 */
u64 pmcgrp_span_recorder_id(const struct pmcgrp_span_recorder *recorder)
{
	return recorder->source.id;
}

/**
 * pmcgrp_span_recorder_free - undo pmcgrp_span_recorder_create()
 * @recorder: of a span that has ended, or NULL
 */
void pmcgrp_span_recorder_free(struct pmcgrp_span_recorder *recorder)
{
	kfree(recorder);
}

/* @end: when it ended, by the clock of the ring. */
static void raw_fill(struct pmcgrp_raw *raw, const struct pmcgrp_section *section, u64 end,
		     u64 time, const u64 *value)
{
	const struct pmcgrp_group *group = section->group;
	const struct pmcgrp_span_sample head = {
		.section = section->id,
		.begin = end - time,
		.duration = time,
		.nr = group->nr,
		.value_offset = sizeof(head),
	};
	/* Behind the size, where perf has it. */
	void *out = (u32 *)raw->word + 1;
	unsigned int i;

	raw->words = 1 + sizeof(head) / sizeof(u64) + group->nr;
	/* The last one is half empty. */
	raw->word[raw->words - 1] = 0;
	*(u32 *)raw->word = raw->words * sizeof(u64) - sizeof(u32);
	memcpy(out, &head, sizeof(head));
	out += sizeof(head);
	for (i = 0; i < group->nr; i++, out += sizeof(u64))
		memcpy(out, &value[group->member[i].event], sizeof(u64));
}

/**
 * pmcgrp_span_record - write the record of a span that ends here
 * @section: the span's section
 * @set: the set that has counted it, in this CPU's list
 * @begin: local_clock() at its beginning
 * @time: its nanoseconds
 * @value: what each event of the list has counted
 *
 * Context: interrupts off, in a recursion section; NMI included.
 */
void pmcgrp_span_record(const struct pmcgrp_section *section, struct pmcgrp_evset *set, u64 begin,
			u64 time, const u64 *value)
{
	struct pmcgrp_raw *raw = &this_cpu_ptr(pmcgrp_scratch)->raw;
	struct pmcgrp_ring_buffer *ring;
	u64 end;

	pmcgrp_assert_recursion();
	ring = pmcgrp_ring_here(pmcgrp_group_rings(section->group));
	/* As for any sample without a mapping. */
	if (!ring)
		return;
	end = pmcgrp_record_time(ring->rings, begin + time);
	raw_fill(raw, section, end, time, value);
	pmcgrp_sample_span(set, ring, &section->recorder->source, raw, end);
}
