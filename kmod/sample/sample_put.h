/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers to write records, shared by sample.c and sample_side.c.
 *
 * Records have the layout of perf_event_open(2), so readers of perf rings can read them
 * (kernel/events/core.c: perf_output_sample(), __perf_event__output_id_sample(),
 * perf_log_throttle()).
 */
#ifndef PMCGRP_SAMPLE_PUT_H
#define PMCGRP_SAMPLE_PUT_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/time.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "sample/callchain.h"
#include "sample/read_format.h"
#include "sample/ring.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "set/evcpu.h"
#include "set/evset.h"

/* The size, a struct pmcgrp_span_sample, and what fills the last word. */
#define PMCGRP_RAW_WORDS                                                 \
	(1 + sizeof(struct pmcgrp_span_sample) / sizeof(u64) + \
	 PMCGRP_SECTION_MEMBERS_MAX)

/**
 * struct pmcgrp_raw - PERF_SAMPLE_RAW of a sample
 * @words: number of words
 * @word: the words, that begin with the size of the data as a u32
 */
struct pmcgrp_raw {
	unsigned int words;
	u64 word[PMCGRP_RAW_WORDS];
};

/*
 * The most words of a sample: header, the ten types of PMCGRP_SAMPLE_TYPES with one word each,
 * READ, CALLCHAIN, and RAW.
 * The most words of another record: header, three words, and a sample_id.
 */
#define SAMPLE_WORDS \
	(1 + 10 + PMCGRP_READ_WORDS_MAX + PMCGRP_CALLCHAIN_WORDS + PMCGRP_RAW_WORDS)
#define OTHER_WORDS (4 + 6)
/* A sample, with one record each of LOST, LOST_SAMPLES, UNTHROTTLE and THROTTLE. */
#define PMCGRP_RECORD_WORDS_MAX (SAMPLE_WORDS + 4 * OTHER_WORDS)

/**
 * struct pmcgrp_sample - a sample that is being written
 * @rings: format of the records
 * @source: cause of the sample
 * @event: event of the trigger; NULL for a request
 * @data: sample data of @event's overflow
 * @regs: registers at the overflow, or NULL
 * @owner: task that was counted, if it is not the running one; or NULL
 * @cpu: with @owner, the CPU on which it was counted
 * @view: values of the group
 * @chain: call chain, or NULL
 * @raw: raw data, or NULL
 * @now: time of the sample, as pmcgrp_record_time()
 */
struct pmcgrp_sample {
	const struct pmcgrp_ring_buffers *rings;
	struct pmcgrp_sample_source *source;
	struct perf_event *event;
	const struct perf_sample_data *data;
	struct pt_regs *regs;
	const struct pmcgrp_owner *owner;
	int cpu;
	struct pmcgrp_read_values view;
	const struct pmcgrp_callchain *chain;
	const struct pmcgrp_raw *raw;
	u64 now;
};

/**
 * struct pmcgrp_scratch - scratch memory of one sample; this CPU, in a recursion section
 * @sample: the sample
 * @at: values of the set
 * @chain: call chain
 * @raw: raw data of a span
 * @out: records that are written to the ring
 */
struct pmcgrp_scratch {
	struct pmcgrp_sample sample;
	struct pmcgrp_values at;
	struct pmcgrp_callchain chain;
	struct pmcgrp_raw raw;
	u64 out[PMCGRP_RECORD_WORDS_MAX];
};

extern struct pmcgrp_scratch __percpu *pmcgrp_scratch;

/*
 * The time of a record that is being written, whose values are those of @now by local_clock().
 * These clocks can be read in an NMI (kernel/events/core.c: perf_event_set_clock()).
 */
static __always_inline u64 pmcgrp_record_time(const struct pmcgrp_ring_buffers *rings, u64 now)
{
	if (likely(!(rings->flags & PMCGRP_RING_USE_CLOCKID)))
		return now;
	return rings->clockid == CLOCK_MONOTONIC ? ktime_get_mono_fast_ns() :
						   ktime_get_raw_fast_ns();
}

static inline u64 pmcgrp_word(u32 low, u32 high)
{
	const u32 pair[2] = { low, high };
	u64 word;

	memcpy(&word, pair, sizeof(word));
	return word;
}

static inline u64 pmcgrp_header_word(u32 type, u16 misc, size_t size)
{
	const struct perf_event_header header = { .type = type, .misc = misc, .size = size };
	u64 word;

	memcpy(&word, &header, sizeof(word));
	return word;
}

/*
 * A task's PID or TGID in the PID namespace that set up the rings; -1 if it has none there.
 * perf_event_pid_type() gives 0, but that is the idle task, which readers call "swapper".
 */
static __always_inline u32 pmcgrp_number_of(const struct pmcgrp_ring_buffers *rings,
					    struct task_struct *task, enum pid_type type)
{
	u32 nr;

	/* Numbers of the initial namespace are fields of the task: no look-up. */
	if (likely(rings->kernel_ns))
		return type == PIDTYPE_PID ? task_pid_nr(task) : task_tgid_nr(task);
	nr = __task_pid_nr_ns(task, type, rings->ns);
	return nr || is_idle_task(task) ? nr : -1;
}

/* TGID and PID of a task; -1 if it has been reaped, as in perf_event_pid_type(). */
static __always_inline u64 pmcgrp_tid_word(const struct pmcgrp_ring_buffers *rings,
					   struct task_struct *task)
{
	if (unlikely(!pid_alive(task)))
		return -1;
	return pmcgrp_word(pmcgrp_number_of(rings, task, PIDTYPE_TGID),
			   pmcgrp_number_of(rings, task, PIDTYPE_PID));
}

/*
 * The id of a task's cgroup for PERF_SAMPLE_CGROUP, if the samples have that; else 0.  As in
 * kernel/events/core.c: perf_prepare_sample(), also in an NMI: the task has a reference of its
 * css_set until it is freed, and one that it has left meanwhile goes by RCU.
 *
 * Context: interrupts off, so in an RCU section; @task runs or is switched from or to.
 */
static inline u64 pmcgrp_sample_cgroup(const struct pmcgrp_ring_buffers *rings,
				       struct task_struct *task)
{
	if (likely(!(rings->sample_type & PERF_SAMPLE_CGROUP)))
		return 0;
	return pmcgrp_cgroup_id(pmcgrp_task_cgroup(task));
}

static __always_inline u16 pmcgrp_misc_of(struct pt_regs *regs)
{
	return regs && user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

static inline u64 pmcgrp_addr_of(const struct pmcgrp_sample *sample)
{
	if (!sample->event)
		return sample->source->addr;
	if (!(sample->data->sample_flags & PERF_SAMPLE_ADDR) || !sample->rings->show_addresses)
		return 0;
	return sample->data->addr;
}

/* Whether perf core has throttled the event until the next tick. */
static __always_inline bool pmcgrp_is_throttled(const struct perf_event *event)
{
	return event->hw.interrupts == PMCGRP_MAX_INTERRUPTS;
}

/* Expiry of this hit: perf_swevent_hrtimer() forwards its timer only after the handler. */
static __always_inline u64 pmcgrp_expected_time(const struct perf_event *event)
{
	return ktime_to_ns(hrtimer_get_expires(&event->hw.hrtimer));
}

/* Write the part of a sample before PERF_SAMPLE_READ.  Return the position of the next word. */
static __always_inline u64 *pmcgrp_put_head(u64 *out, const struct pmcgrp_sample *sample)
{
	const struct pmcgrp_ring_buffers *rings = sample->rings;
	const struct pmcgrp_sample_source *source = sample->source;
	u64 type = rings->sample_type;

	*out++ = pmcgrp_header_word(PERF_RECORD_SAMPLE, pmcgrp_misc_of(sample->regs),
				    rings->sample_size);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*out++ = source->id;
	if (type & PERF_SAMPLE_IP)
		*out++ = sample->regs ? instruction_pointer(sample->regs) : 0;
	if (type & PERF_SAMPLE_TID)
		*out++ = pmcgrp_tid_word(rings, current);
	if (type & PERF_SAMPLE_TIME)
		*out++ = sample->now;
	if (type & PERF_SAMPLE_ADDR)
		*out++ = pmcgrp_addr_of(sample);
	if (type & PERF_SAMPLE_ID)
		*out++ = source->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*out++ = source->id;
	if (type & PERF_SAMPLE_CPU)
		*out++ = pmcgrp_word(smp_processor_id(), 0);
	if (type & PERF_SAMPLE_PERIOD)
		*out++ = sample->event ? sample->data->period : 1;
	return out;
}

/* The ring of a group on this CPU, or NULL; valid while interrupts are off (RCU). */
static inline struct pmcgrp_ring_buffer *pmcgrp_ring_here(const struct pmcgrp_ring_buffers *rings)
{
	lockdep_assert_irqs_disabled();
	return rcu_dereference_check(*pmcgrp_ring_place(rings, smp_processor_id()),
				     irqs_disabled());
}

#endif /* PMCGRP_SAMPLE_PUT_H */
