/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SPAN_H
#define PMCGRP_SPAN_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "group/group.h"
#include "include/linux/pmcgrp.h"
#include "set/evlist.h"
#include "span/section.h"

struct pmcgrp_frames;
struct pmcgrp_span_request;

/* Number of enum pmcgrp_span_key. */
#define PMCGRP_SPAN_KEYS (PMCGRP_SPAN_KEY_ARG + 1)

#define PMCGRP_SPAN_FLAGS (PMCGRP_SPAN_RECORD | PMCGRP_SPAN_HISTOGRAMS)

/**
 * enum pmcgrp_span_whose - whose spans a group counts
 * @PMCGRP_SPAN_OF_ALL: everyone's
 * @PMCGRP_SPAN_OF_CPUS: those that begin on some CPUs
 * @PMCGRP_SPAN_OF_TASK: one task's
 * @PMCGRP_SPAN_OF_TASKS: those of tasks that have the group's list in a binding (binding.c), or are
 *	in its cgroup
 */
enum pmcgrp_span_whose {
	PMCGRP_SPAN_OF_ALL,
	PMCGRP_SPAN_OF_CPUS,
	PMCGRP_SPAN_OF_TASK,
	PMCGRP_SPAN_OF_TASKS,
};

/**
 * struct pmcgrp_span - what begins and ends a section by probes
 * @node: node in pmcgrp_group.spans; pmcgrp_sections_mutex
 * @section: the section.  Constant.
 * @evlist: list of the group.  Constant.
 * @whose: whose spans are counted.  Constant.
 * @ops: those of its kind.  Constant.
 *
 * It is a part of what the file of its kind has made.
 */
struct pmcgrp_span {
	struct list_head node;
	struct pmcgrp_section *section;
	const struct pmcgrp_evlist *evlist;
	enum pmcgrp_span_whose whose;
	const struct pmcgrp_span_ops *ops;
};

/**
 * struct pmcgrp_span_ops - a kind of spans
 * @kind: enum pmcgrp_section_kind
 * @max_active: how many of one task's spans have room unless the caller says
 * @make: make a span, and begin to count it.  Return: the span, or an ERR_PTR as the uapi header
 *	gives for PMCGRP_IOC_SPAN.
 * @stop: remove the probes of spans, which are not listed, and wait for their handlers, once for
 *	all: not for what is in flight
 * @free: free a span that has stopped; its section is freed after it
 * @status: add the calls that never came to the handlers to numbers by enum pmcgrp_missed;
 *	pmcgrp_sections_mutex held; or NULL.  Return: whether the function has gone.
 *
 * Context: may sleep; @make, @stop: no mutex of ours held, for they take the kernel's of probes.
 */
struct pmcgrp_span_ops {
	u32 kind;
	unsigned int max_active;
	struct pmcgrp_span *(*make)(struct pmcgrp_span_request *request);
	void (*stop)(struct list_head *spans);
	void (*free)(struct pmcgrp_span *span);
	bool (*status)(struct pmcgrp_span *span, u64 *missed);
};

extern const struct pmcgrp_span_ops pmcgrp_span_function_ops;
extern const struct pmcgrp_span_ops pmcgrp_span_tracepoint_ops;
extern const struct pmcgrp_span_ops pmcgrp_span_user_ops;

/**
 * struct pmcgrp_span_request - a span that is being made
 * @group: its group
 * @ops: those of its kind
 * @section: its section
 * @arg: what was asked for; names are those below
 * @begin: name of the function, tracepoint or file
 * @end: name of the tracepoint that ends it, or NULL
 * @name: what the section is called, or NULL: as @begin
 * @max_active: how many are to be in flight at most; then, for how many there is room
 * @why: enum pmcgrp_why of a failure
 */
struct pmcgrp_span_request {
	struct pmcgrp_group *group;
	const struct pmcgrp_span_ops *ops;
	struct pmcgrp_section *section;
	const struct pmcgrp_span_add *arg;
	char *begin;
	char *end;
	char *name;
	unsigned int max_active;
	u32 why;
};

/* The bytes of a mark that are in use. */
static inline size_t pmcgrp_span_mark_size(const struct pmcgrp_span *span)
{
	return offsetof(struct pmcgrp_section_mark, count[span->evlist->nr_events]);
}

static inline enum pmcgrp_span_whose pmcgrp_span_whose_of(const struct pmcgrp_evlist *evlist)
{
	if (evlist->follower->has_binding || evlist->cgroup_id)
		return PMCGRP_SPAN_OF_TASKS;
	if (!evlist->follower->counts_cpus)
		return PMCGRP_SPAN_OF_TASK;
	return evlist->follower->has_cpu_list ? PMCGRP_SPAN_OF_CPUS : PMCGRP_SPAN_OF_ALL;
}

/* Fill in a new span, before its probes can be hit. */
static inline void pmcgrp_span_init(struct pmcgrp_span *span,
				    const struct pmcgrp_span_request *request)
{
	span->section = request->section;
	span->evlist = request->group->evlist;
	span->whose = pmcgrp_span_whose_of(span->evlist);
	span->ops = request->ops;
	if (request->arg->key != PMCGRP_SPAN_KEY_TASK && span->section->minds_switches) {
		span->section->is_of_cpu = true;
		span->section->minds_switches = false;
	}
	span->section->span = span;
}

/* Whether what begins here now is the group's to count.  While it is disabled nothing is. */
static __always_inline bool pmcgrp_span_concerns(const struct pmcgrp_span *span)
{
	if (!pmcgrp_group_is_enabled(span->section->group))
		return false;
	switch (span->whose) {
	case PMCGRP_SPAN_OF_ALL:
		return true;
	case PMCGRP_SPAN_OF_CPUS:
		return cpumask_test_cpu(smp_processor_id(), span->evlist->cpus);
	case PMCGRP_SPAN_OF_TASK:
		/* What counts until do_exit() has been taken out there: the rest is not missed. */
		return current == span->evlist->task &&
		       (likely(!(current->flags & PF_EXITING)) ||
			READ_ONCE(this_cpu_ptr(span->section->cpu)->evcpu->in));
	case PMCGRP_SPAN_OF_TASKS:
		/* The set is in while such a task runs, enabled or not. */
		return READ_ONCE(this_cpu_ptr(span->section->cpu)->evcpu->in);
	}
	return false;
}

/*
 * Copy a mark of @size bytes.  Not memcpy(), whose instructions depend on addresses: they are the
 * span's own.
 */
static __always_inline void pmcgrp_section_mark_copy(struct pmcgrp_section_mark *to,
						     const struct pmcgrp_section_mark *from,
						     size_t size)
{
	u64 *word = (u64 *)to;
	size_t i;

	for (i = 0; i < size / sizeof(u64); i++)
		word[i] = READ_ONCE(((const u64 *)from)[i]);
}

/*
 * Begin a span, for pmcgrp_span_end(), if it concerns the group.  false: it is not to end.
 *
 * Context: any, NMI included, without preemption.
 */
static __always_inline bool pmcgrp_span_begin(struct pmcgrp_span *span,
					      struct pmcgrp_section_mark *mark)
{
	if (!pmcgrp_span_concerns(span) || pmcgrp_span_section_begin(span->section, mark))
		return false;
	this_cpu_inc(span->section->cpu->begun);
	return true;
}

/* The end of pmcgrp_span_begin(); the same context. */
static __always_inline void pmcgrp_span_end(struct pmcgrp_span *span,
					    struct pmcgrp_section_mark *mark)
{
	pmcgrp_span_section_end(span->section, mark);
	this_cpu_inc(span->section->cpu->ended);
}

u32 pmcgrp_span_kinds(void);
long pmcgrp_span_add(struct pmcgrp_group *group, void *_arg);
struct pmcgrp_frames *pmcgrp_frames_alloc(const struct pmcgrp_span *span, unsigned int max_active,
					  u32 *why);
bool pmcgrp_frame_begin(struct pmcgrp_frames *frames, unsigned long sp);
bool pmcgrp_frame_end(struct pmcgrp_frames *frames, unsigned long sp);

#endif /* PMCGRP_SPAN_H */
