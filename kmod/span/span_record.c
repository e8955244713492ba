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
#include <linux/percpu.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group/group.h"
#include "sample/ring.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/sample_put.h"
#include "span/section.h"

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
void pmcgrp_span_record(struct pmcgrp_section *section, struct pmcgrp_evset *set, u64 begin,
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
	pmcgrp_sample_span(set, ring, &section->source, raw, end);
}
