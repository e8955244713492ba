// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write samples of any format, and the side records: LOST, LOST_SAMPLES, THROTTLE, UNTHROTTLE.
 *
 * sample.c has a fast path for samples in the default format without side records.  This file is
 * the slow path, and runs in the same contexts.
 */
#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group/group.h"
#include "platform/recursion.h"
#include "sample/period.h"
#include "sample/read_format.h"
#include "sample/ring.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/sample_put.h"
#include "set/evset.h"

struct pmcgrp_scratch __percpu *pmcgrp_scratch;

/* Allocate the scratch memory of samples, before any group exists. */
int pmcgrp_sample_init(void)
{
	pmcgrp_scratch = alloc_percpu(struct pmcgrp_scratch);
	return pmcgrp_scratch ? 0 : -ENOMEM;
}

/* Free it, when no group exists. */
void pmcgrp_sample_exit(void)
{
	free_percpu(pmcgrp_scratch);
}

/* The put functions return the position of the next word. */

/* The sample_id at the end of a record that is not a sample. */
static u64 *put_sample_id(u64 *out, const struct pmcgrp_sample *sample)
{
	u64 type = sample->rings->sample_type;

	if (type & PERF_SAMPLE_TID)
		*out++ = pmcgrp_tid_word(sample->rings, current);
	if (type & PERF_SAMPLE_TIME)
		*out++ = sample->now;
	if (type & PERF_SAMPLE_ID)
		*out++ = sample->source->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*out++ = sample->source->id;
	if (type & PERF_SAMPLE_CPU)
		*out++ = pmcgrp_word(smp_processor_id(), 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*out++ = sample->source->id;
	return out;
}

/* A record of @nr words and a sample_id. */
static u64 *put_other(u64 *out, const struct pmcgrp_sample *sample, u32 type, const u64 *words,
		      unsigned int nr)
{
	*out++ = pmcgrp_header_word(type, 0, (1 + nr + sample->rings->id_words) * sizeof(u64));
	memcpy(out, words, nr * sizeof(u64));
	return put_sample_id(out + nr, sample);
}

static u64 *put_lost(u64 *out, const struct pmcgrp_sample *sample, u64 lost)
{
	const u64 words[] = { sample->source->id, lost };

	return put_other(out, sample, PERF_RECORD_LOST, words, ARRAY_SIZE(words));
}

static u64 *put_not_taken(u64 *out, const struct pmcgrp_sample *sample, u64 not_taken)
{
	return put_other(out, sample, PERF_RECORD_LOST_SAMPLES, &not_taken, 1);
}

static u64 *put_throttle(u64 *out, const struct pmcgrp_sample *sample, u32 type)
{
	const u64 words[] = { sample->now, sample->source->id, sample->source->id };

	return put_other(out, sample, type, words, ARRAY_SIZE(words));
}

static u16 misc_of_owner(const struct pmcgrp_owner *owner)
{
	return PMCGRP_RECORD_MISC_SWITCH |
	       (owner->ip ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
}

/* Turn the head of a sample into that of a task that was switched from. */
static void give_to_owner(u64 *head, const struct pmcgrp_sample *sample)
{
	const struct pmcgrp_owner *owner = sample->owner;
	u64 type = sample->rings->sample_type;

	*head++ = pmcgrp_header_word(PERF_RECORD_SAMPLE, misc_of_owner(owner),
				     sample->rings->sample_size);
	if (type & PERF_SAMPLE_IDENTIFIER)
		head++;
	if (type & PERF_SAMPLE_IP)
		*head++ = owner->ip;
	if (type & PERF_SAMPLE_TID)
		*head++ = owner->tid;
	head += hweight64(type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
				  PERF_SAMPLE_STREAM_ID));
	/* Of a CPU that is offline another one writes it. */
	if (type & PERF_SAMPLE_CPU)
		*head = pmcgrp_word(sample->cpu, 0);
}

static u64 *put_callchain(u64 *out, const struct pmcgrp_callchain *chain)
{
	unsigned int words = pmcgrp_callchain_words(chain);

	if (chain)
		memcpy(out, chain->word, words * sizeof(u64));
	else
		*out = 0;
	return out + words;
}

/* PERF_SAMPLE_RAW follows the call chain.  Without data it is as in perf_output_sample(). */
static u64 *put_raw(u64 *out, const struct pmcgrp_raw *raw)
{
	if (raw) {
		memcpy(out, raw->word, raw->words * sizeof(u64));
		out += raw->words;
	} else {
		*out++ = pmcgrp_word(sizeof(u32), 0);
	}
	return out;
}

static u64 *put_sample(u64 *out, const struct pmcgrp_sample *sample)
{
	u64 *head = out;

	out = pmcgrp_put_head(out, sample);
	if (sample->owner)
		give_to_owner(head, sample);
	if (sample->rings->sample_type & PERF_SAMPLE_READ)
		out = pmcgrp_read_put(out, &sample->view);
	if (sample->rings->sample_type & PERF_SAMPLE_CALLCHAIN)
		out = put_callchain(out, sample->chain);
	if (sample->rings->sample_type & PERF_SAMPLE_RAW)
		out = put_raw(out, sample->raw);
	if (sample->rings->sample_type & PERF_SAMPLE_CGROUP)
		*out++ = sample->owner ? sample->owner->cgroup :
					 pmcgrp_sample_cgroup(sample->rings, current);
	/* A call chain and what a span has counted are of any size. */
	((struct perf_event_header *)head)->size = (void *)out - (void *)head;
	return out;
}

/* PID of current, or -1 as in pmcgrp_tid_word(). */
static u32 tid_here(const struct pmcgrp_ring_buffers *rings)
{
	return likely(pid_alive(current)) ? pmcgrp_number_of(rings, current, PIDTYPE_PID) : -1;
}

/* @gap: time enabled minus time running is another one than in the record before. */
static u64 *put_compact(u64 *out, const struct pmcgrp_sample *sample, bool gap)
{
	const struct pmcgrp_read_values *view = &sample->view;
	const struct pmcgrp_member_state *member = view->group->member;
	const struct pmcgrp_member_state *end = member + view->group->nr;
	struct pmcgrp_compact head = {
		.type = PMCGRP_RECORD_COMPACT,
		.misc = pmcgrp_misc_of(sample->regs),
		.size = sample->rings->sample_size,
		.time = sample->now,
		.tid = tid_here(sample->rings),
		.trigger = sample->source->index,
		.flags = gap ? PMCGRP_COMPACT_GAP : 0,
	};

	if (sample->owner) {
		head.misc = misc_of_owner(sample->owner);
		head.tid = ((const u32 *)&sample->owner->tid)[1];
	}
	memcpy(out, &head, sizeof(head));
	out += sizeof(head) / sizeof(u64);
	for (; member < end; member++)
		*out++ = pmcgrp_read_count(view, member);
	return out;
}

/*
 * Bytes of a group's samples or compact records, less a call chain and the raw data of a span.  The
 * group has all of its members.
 */
size_t pmcgrp_sample_size(const struct pmcgrp_group *group, const struct pmcgrp_ring_buffers *rings)
{
	size_t size = sizeof(struct perf_event_header);

	if (rings->flags & PMCGRP_RING_COMPACT)
		return sizeof(struct pmcgrp_compact) + group->nr * sizeof(u64);
	size += hweight64(rings->sample_type & ~(u64)(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)) *
		sizeof(u64);
	if (rings->sample_type & PERF_SAMPLE_READ)
		size += pmcgrp_read_format_size(group->read_format, group->nr);
	return size;
}

/**
 * struct side_records - the side records of a sample
 * @lost: number of samples without room in the ring
 * @not_taken: number of samples that were not taken
 * @unthrottle: the trigger fires again after a reported throttling
 * @throttle: perf core has throttled the trigger
 */
struct side_records {
	u64 lost;
	u64 not_taken;
	bool unthrottle;
	bool throttle;
};

static u64 *put_losses(u64 *out, const struct pmcgrp_sample *sample,
		       const struct side_records *side)
{
	if (side->lost)
		out = put_lost(out, sample, side->lost);
	if (side->not_taken)
		out = put_not_taken(out, sample, side->not_taken);
	return out;
}

/* Subtract what @side has reported; @ring->not_taken may have grown meanwhile. */
static void losses_are_reported(struct pmcgrp_ring_buffer *ring, const struct side_records *side)
{
	ring->lost = 0;
	if (side->not_taken)
		atomic_long_sub(side->not_taken, &ring->not_taken);
}

/**
 * pmcgrp_sample_write - write a sample of any format with its side records
 * @ring: the ring
 * @sample: the sample
 *
 * Context: interrupts off, in a recursion section; NMI included.
 * Return: whether there was room; if not, the sample is counted as lost.
 */
bool pmcgrp_sample_write(struct pmcgrp_ring_buffer *ring, const struct pmcgrp_sample *sample)
{
	struct pmcgrp_period_check *period_check =
		sample->event ? &sample->source->period_check : NULL;
	const struct side_records side = {
		.lost = ring->lost,
		.not_taken = atomic_long_read(&ring->not_taken),
		.unthrottle = period_check && period_check->reported,
		.throttle = period_check && pmcgrp_is_throttled(sample->event),
	};
	u64 *out = this_cpu_ptr(pmcgrp_scratch)->out, *end = put_losses(out, sample, &side);
	u64 gap = sample->view.at->enabled - sample->view.at->running;

	if (side.unthrottle)
		end = put_throttle(end, sample, PERF_RECORD_UNTHROTTLE);
	end = sample->rings->flags & PMCGRP_RING_COMPACT ?
		      put_compact(end, sample, gap != ring->gap) :
		      put_sample(end, sample);
	if (side.throttle)
		end = put_throttle(end, sample, PERF_RECORD_THROTTLE);
	if (!pmcgrp_ring_write(ring, out, (void *)end - (void *)out)) {
		pmcgrp_ring_lost(ring);
		return false;
	}
	ring->gap = gap;
	losses_are_reported(ring, &side);
	if (period_check)
		period_check->reported = side.throttle;
	return true;
}

/* Whether perf core has not yet counted the switch that a record shows already: not taken. */
static bool is_early(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
		     struct pmcgrp_scratch *mine)
{
	if (likely(!ring->floor))
		return false;
	pmcgrp_evset_values(set, &mine->at, true);
	if ((s64)(mine->at.count[ring->floor_event] + 1 - ring->floor) < 0) {
		atomic_long_inc(&ring->not_taken);
		return true;
	}
	ring->floor = 0;
	return false;
}

/**
 * pmcgrp_sample_any - take a sample of any format
 * @set: the set, in this CPU's list (@is_in)
 * @ring: the ring
 * @source: cause of the sample
 * @event: event of the trigger; NULL for a request
 * @data: sample data of @event's overflow
 * @regs: registers at the overflow, or NULL
 *
 * Context: interrupts off, in a section of pmcgrp_recursion_try(); NMI included.
 * Return: whether a record was written.
 */
bool pmcgrp_sample_any(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
		       struct pmcgrp_sample_source *source, struct perf_event *event,
		       const struct perf_sample_data *data, struct pt_regs *regs)
{
	struct pmcgrp_group *group = source->group;
	struct pmcgrp_scratch *mine = this_cpu_ptr(pmcgrp_scratch);
	struct pmcgrp_period_check *period_check = &source->period_check;
	u64 not_taken, now;

	pmcgrp_assert_recursion();
	if (is_early(set, ring, mine))
		return false;
	now = pmcgrp_evset_values(set, &mine->at, true);
	mine->sample = (struct pmcgrp_sample){
		.rings = ring->rings,
		.source = source,
		.event = event,
		.data = data,
		.regs = regs,
		.view = { group, &mine->at, pmcgrp_evset_zero(set, group) },
		.now = pmcgrp_record_time(ring->rings, now),
	};
	if (event && period_check->period) {
		not_taken = pmcgrp_period_not_taken(period_check, set->nr_sched_in,
						    pmcgrp_expected_time(event), now,
						    mine->at.enabled);
		if (not_taken)
			atomic_long_add(not_taken, &ring->not_taken);
		period_check->throttled = pmcgrp_is_throttled(event);
	}
	if (event && ring->rings->sample_type & PERF_SAMPLE_CALLCHAIN) {
		pmcgrp_callchain_take(&mine->chain, event, regs);
		mine->sample.chain = &mine->chain;
	}
	return pmcgrp_sample_write(ring, &mine->sample);
}

/**
 * pmcgrp_sample_span - write the sample of a span
 * @set: the set, in this CPU's list (@is_in)
 * @ring: the ring
 * @source: the span's
 * @raw: what the span has counted
 * @now: its end, as pmcgrp_record_time()
 *
 * Context: interrupts off, in a recursion section; NMI included.
 * Return: whether a record was written; if not, it is counted as lost or as not taken.
 */
bool pmcgrp_sample_span(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
			struct pmcgrp_sample_source *source, const struct pmcgrp_raw *raw, u64 now)
{
	struct pmcgrp_group *group = source->group;
	struct pmcgrp_scratch *mine = this_cpu_ptr(pmcgrp_scratch);

	pmcgrp_assert_recursion();
	if (is_early(set, ring, mine))
		return false;
	if (ring->rings->sample_type & PERF_SAMPLE_READ)
		pmcgrp_evset_values(set, &mine->at, true);
	mine->sample = (struct pmcgrp_sample){
		.rings = ring->rings,
		.source = source,
		.view = { group, &mine->at, pmcgrp_evset_zero(set, group) },
		.raw = raw,
		.now = now,
	};
	return pmcgrp_sample_write(ring, &mine->sample);
}

/**
 * pmcgrp_sample_write_losses - write LOST and LOST_SAMPLES records without a sample
 * @group: the group
 * @ring: its ring on this CPU
 *
 * Without room the next sample or the next call writes them.
 *
 * Context: interrupts off, on the ring's CPU, or where its task runs.
 */
void pmcgrp_sample_write_losses(struct pmcgrp_group *group, struct pmcgrp_ring_buffer *ring)
{
	struct pmcgrp_sample_source source = { .id = group->leader.id };
	const struct pmcgrp_sample sample = {
		.rings = group->rings,
		.source = &source,
		.now = pmcgrp_record_time(group->rings, local_clock()),
	};
	struct side_records side = {};
	u64 *out, *end;

	pmcgrp_recursion_enter();
	side.lost = ring->lost;
	side.not_taken = atomic_long_read(&ring->not_taken);
	out = this_cpu_ptr(pmcgrp_scratch)->out;
	end = put_losses(out, &sample, &side);
	if (end > out && pmcgrp_ring_write(ring, out, (void *)end - (void *)out))
		losses_are_reported(ring, &side);
	pmcgrp_recursion_leave();
}
