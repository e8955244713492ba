// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans from one tracepoint to another one: two probes, and a table of what is in flight
 * (span_places.c), where the key says which beginning an end is of.
 *
 * Probes.  Those of the kernel have the type of their tracepoint.  These are for any tracepoint, by
 * name: of the first few arguments they read one, as an unsigned long.  That is how x86-64 and
 * arm64 call functions: the first six words, or eight, are in registers, and what a function does
 * not read it does not see.  The kernel counts on that as well: tp_stub_func() takes nothing
 * (kernel/tracepoint.c).  Of an argument of 4 bytes the upper half of the register is undefined:
 * pmcgrp_span_add.arg_size says so.  A kernel that checks the types of what it calls (kCFI) would
 * panic: there are no such spans there.
 *
 * Context of the probes: that of their tracepoint, NMI included.  Of a system call, since 6.13, and
 * of any, in 7.2, that can be preempted (include/linux/tracepoint.h).
 *
 * The end is registered first, and unregistered last: nothing begins that nobody would end.
 * tracepoint_synchronize_unregister() knows what readers of the kernel's version there are.
 *
 * Modules.  Their tracepoints are looked for when a span is made.  for_each_module_tracepoint() is
 * exported by none of 6.1, 6.12 and 7.2; but a notifier is called for each module as it is
 * registered.  A span holds the modules that have its tracepoints.
 *
 * In flight.  The beginning of a span takes a place in the bucket of its key, and its end gives it
 * back.  Nothing has to notify the table that an instance will never end, as when its task exits:
 * its place is taken
 *
 *  - by the next instance of the same key, and it is missed as %PMCGRP_MISSED_AGAIN, or
 *  - by one of another key if no place is free and it is the oldest of the bucket: it is missed as
 *    %PMCGRP_MISSED_LIMIT.
 *
 * An end that finds no place has nothing to end.  Places are looked through without the lock for
 * that: the beginning is in the same task, on the same CPU, or has let the end happen.  So what
 * does not concern the group costs one look at a bucket, and writes nothing.
 *
 * Locks: a bucket has a raw spinlock, under which interrupts are off, the counters are read once
 * at a beginning, and no other lock is taken.  A tracepoint may be hit in here, with a probe that
 * is one of ours, as by the lock itself: handlers do not nest on a CPU, whatever table they are of.
 * What interrupts one is missed (%PMCGRP_MISSED_BUSY).  Nothing is called between a tracepoint and
 * this check that has one.  An NMI only tries the lock, as lockdep asks of it.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "group/group.h"
#include "include/linux/pmcgrp.h"
#include "set/evlist.h"
#include "span/section.h"
#include "span/span.h"
#include "span/span_places.h"

/**
 * struct point - one end of a span
 * @points: the span.  Constant.
 * @begins: it begins there.  Constant.
 * @tracepoint: the tracepoint
 * @owner: the module that has it, held; or NULL: the kernel
 * @probe: what it calls
 */
struct point {
	struct tracepoint_span *points;
	bool begins;
	struct tracepoint *tracepoint;
	struct module *owner;
	void *probe;
};

/**
 * struct tracepoint_span - a span from one tracepoint to another one
 * @span: the span
 * @flights: what is in flight: marks.  Constant.
 * @mask: the bits of an argument that are its value.  Constant.
 * @begin: where it begins.  Constant.
 * @end: where it ends.  Constant.
 */
struct tracepoint_span {
	struct pmcgrp_span span;
	struct pmcgrp_places *flights;
	u64 mask;
	struct point begin;
	struct point end;
};

/* A handler of ours runs on this CPU. */
static DEFINE_PER_CPU(bool, flight_busy);

/*
 * A handler that cannot have the bucket marks the place of its key: the instance there has ended
 * already, or another one has begun, and the next end of the key is not its own.
 */
static void way_break(struct pmcgrp_bucket *bucket, unsigned int way)
{
	if (way < PMCGRP_WAYS)
		set_bit(way, &bucket->broken);
}

static __always_inline bool is_broken(struct pmcgrp_bucket *bucket, unsigned int way)
{
	return unlikely(READ_ONCE(bucket->broken)) && test_and_clear_bit(way, &bucket->broken);
}

/* Take the place of an instance that has not ended. */
static void way_lose(const struct pmcgrp_span *span, struct pmcgrp_bucket *bucket, unsigned int way,
		     enum pmcgrp_missed why)
{
	pmcgrp_way_give(bucket, way);
	if (is_broken(bucket, way))
		why = PMCGRP_MISSED_BUSY;
	pmcgrp_section_miss(span->section, why);
	this_cpu_inc(span->section->cpu->ended);
}

/*
 * Busy before the lock, which has tracepoints.  An NMI puts back what it finds.
 *
 * Context: any, interrupts off.
 */
static __always_inline bool bucket_lock(struct pmcgrp_bucket *bucket)
{
	if (unlikely(__this_cpu_read(flight_busy)))
		return false;
	__this_cpu_write(flight_busy, true);
	barrier();
	if (likely(!in_nmi())) {
		raw_spin_lock(&bucket->lock);
	} else if (!raw_spin_trylock(&bucket->lock)) {
		barrier();
		__this_cpu_write(flight_busy, false);
		return false;
	}
	return true;
}

/* Handlers of this CPU stay out until this, also without the lock. */
static __always_inline void flight_done(void)
{
	barrier();
	__this_cpu_write(flight_busy, false);
}

static void flight_begin_in(struct tracepoint_span *points, struct pmcgrp_bucket *bucket,
			    const struct pmcgrp_place_key *key)
{
	struct pmcgrp_section *section = points->span.section;
	bool is_free;
	unsigned int way = pmcgrp_way_for(points->flights, bucket, key, &is_free);

	if (!is_free)
		way_lose(&points->span, bucket, way,
			 pmcgrp_way_has(bucket, way, key) ? PMCGRP_MISSED_AGAIN :
							    PMCGRP_MISSED_LIMIT);
	is_broken(bucket, way);
	pmcgrp_way_take(bucket, way, key);
	if (likely(!pmcgrp_span_section_begin(section,
					      pmcgrp_place_at(points->flights, bucket, way))))
		this_cpu_inc(section->cpu->begun);
	else
		pmcgrp_way_give(bucket, way);
}

/* Begin a span, if it concerns the group.  @key: what its end will know of it. */
static noinline void flight_begin(struct tracepoint_span *points,
				  const struct pmcgrp_place_key *key)
{
	struct pmcgrp_bucket *bucket = pmcgrp_bucket_of(points->flights, key);
	unsigned long flags;

	local_irq_save(flags);
	if (pmcgrp_span_concerns(&points->span)) {
		if (likely(bucket_lock(bucket))) {
			flight_begin_in(points, bucket, key);
			raw_spin_unlock(&bucket->lock);
			flight_done();
		} else {
			way_break(bucket, pmcgrp_way_of(bucket, key));
			pmcgrp_section_miss(points->span.section, PMCGRP_MISSED_BUSY);
		}
	}
	local_irq_restore(flags);
}

/* Give the place back, and get where the instance began.  false: there is nothing to count. */
static __always_inline bool flight_take_out(struct tracepoint_span *points,
					    struct pmcgrp_bucket *bucket, unsigned int way,
					    const struct pmcgrp_place_key *key,
					    struct pmcgrp_section_mark *mark)
{
	if (!pmcgrp_way_stays(bucket, way, key))
		return false;
	if (unlikely(READ_ONCE(bucket->broken) & BIT(way))) {
		way_lose(&points->span, bucket, way, PMCGRP_MISSED_BUSY);
		return false;
	}
	pmcgrp_section_mark_copy(mark, pmcgrp_place_at(points->flights, bucket, way),
				 points->flights->size);
	pmcgrp_way_give(bucket, way);
	return true;
}

/*
 * End a span, if it has begun.  One that interrupts another handler is missed as
 * %PMCGRP_MISSED_BUSY, as its place is taken.
 *
 * The section ends without the lock: who listens to its trace event may take locks, and tracepoints
 * are hit while these are held.
 */
static noinline void flight_end(struct tracepoint_span *points, const struct pmcgrp_place_key *key)
{
	struct pmcgrp_bucket *bucket = pmcgrp_bucket_of(points->flights, key);
	unsigned int way = pmcgrp_way_of(bucket, key);
	struct pmcgrp_section_mark mark;
	unsigned long flags;
	bool has_begun;

	if (way == PMCGRP_WAYS)
		return;
	local_irq_save(flags);
	if (likely(bucket_lock(bucket))) {
		has_begun = flight_take_out(points, bucket, way, key, &mark);
		raw_spin_unlock(&bucket->lock);
		if (likely(has_begun))
			pmcgrp_span_end(&points->span, &mark);
		flight_done();
	} else {
		way_break(bucket, way);
	}
	local_irq_restore(flags);
}

static __always_inline void hit(const struct point *point, const struct pmcgrp_place_key *key)
{
	if (point->begins)
		flight_begin(point->points, key);
	else
		flight_end(point->points, key);
}

static void by_task(void *point)
{
	const struct pmcgrp_place_key key = pmcgrp_task_place(current);

	hit(point, &key);
}

static void by_cpu(void *point)
{
	struct pmcgrp_place_key key = { { 0 } };

	/* The probe of a tracepoint may be preempted. */
	preempt_disable_notrace();
	key.word[0] = smp_processor_id();
	hit(point, &key);
	preempt_enable_notrace();
}

/* A probe for each number of an argument: it reads no other one. */
#define BY_ARG(n)                                                                         \
	static void by_arg##n(void *data, unsigned long a0, unsigned long a1,             \
			      unsigned long a2, unsigned long a3, unsigned long a4)       \
	{                                                                                 \
		const struct point *point = data;                                         \
		const struct pmcgrp_place_key key = { { a##n & point->points->mask } };   \
											  \
		hit(point, &key);                                                         \
	}

BY_ARG(0)
BY_ARG(1)
BY_ARG(2)
BY_ARG(3)
BY_ARG(4)

static void *probe_for(u32 key, unsigned int arg)
{
	static void *const by[PMCGRP_SPAN_ARGS_MAX] = {
		by_arg0, by_arg1, by_arg2, by_arg3, by_arg4,
	};

	if (key == PMCGRP_SPAN_KEY_TASK)
		return by_task;
	if (key == PMCGRP_SPAN_KEY_CPU)
		return by_cpu;
	return by[array_index_nospec(arg, PMCGRP_SPAN_ARGS_MAX)];
}

/**
 * struct search - a tracepoint that is looked for
 * @nb: is notified of modules
 * @name: its name
 * @point: out: the tracepoint, if it is found
 */
struct search {
	struct notifier_block nb;
	const char *name;
	struct point *point;
};

static void span_tracepoint_look_at(struct tracepoint *tracepoint, void *_search)
{
	const struct search *search = _search;

	if (!strcmp(tracepoint->name, search->name))
		search->point->tracepoint = tracepoint;
}

#ifdef CONFIG_MODULES
/*
 * A module that has not been initialized may go whoever holds it (kernel/module/main.c:
 * do_init_module()).
 */
static int look_into(struct notifier_block *nb, unsigned long state, void *_of)
{
	const struct search *search = container_of(nb, struct search, nb);
	struct module *module = ((struct tp_module *)_of)->mod;
	struct point *point = search->point;
	unsigned int i;

	if (state != MODULE_STATE_COMING || READ_ONCE(module->state) != MODULE_STATE_LIVE)
		return NOTIFY_OK;
	for (i = 0; i < module->num_tracepoints && !point->tracepoint; i++) {
		span_tracepoint_look_at(tracepoint_ptr_deref(&module->tracepoints_ptrs[i]),
					(void *)search);
		if (!point->tracepoint)
			continue;
		if (try_module_get(module))
			point->owner = module;
		else
			point->tracepoint = NULL;
	}
	return NOTIFY_OK;
}

/*
 * Each module is reported as the notifier is registered, and again as it goes, under
 * tracepoint_module_list_mutex (kernel/tracepoint.c).
 */
static void look_into_modules(struct search *search)
{
	search->nb.notifier_call = look_into;
	if (!register_tracepoint_module_notifier(&search->nb))
		unregister_tracepoint_module_notifier(&search->nb);
}
#else
static void look_into_modules(struct search *search)
{
}
#endif

static int point_find(struct point *point, const char *name)
{
	struct search search = { .name = name, .point = point };

	for_each_kernel_tracepoint(span_tracepoint_look_at, &search);
	if (!point->tracepoint)
		look_into_modules(&search);
	return point->tracepoint ? 0 : -ENOENT;
}

static int points_find(struct tracepoint_span *points, const struct pmcgrp_span_request *request)
{
	const struct pmcgrp_span_add *arg = request->arg;
	int err = point_find(&points->begin, request->begin);

	points->begin.points = points;
	points->begin.begins = true;
	points->begin.probe = probe_for(arg->key, arg->begin_arg);
	points->end.points = points;
	points->end.probe = probe_for(arg->key, arg->end_arg);
	return err ?: point_find(&points->end, request->end);
}

static int point_on(struct point *point)
{
	return tracepoint_probe_register(point->tracepoint, point->probe, point);
}

static void point_off(struct point *point)
{
	WARN_ON_ONCE(tracepoint_probe_unregister(point->tracepoint, point->probe, point));
}

/* No probe can run any more, or none was registered. */
static void points_free(struct pmcgrp_span *span)
{
	struct tracepoint_span *points = container_of(span, struct tracepoint_span, span);

	module_put(points->begin.owner);
	module_put(points->end.owner);
	kvfree(points->flights);
	kfree(points);
}

static int points_on(struct tracepoint_span *points)
{
	int err = point_on(&points->end);

	if (err)
		return err;
	err = point_on(&points->begin);
	if (err) {
		point_off(&points->end);
		tracepoint_synchronize_unregister();
	}
	return err;
}

static int points_begin(struct tracepoint_span *points, struct pmcgrp_span_request *request)
{
	struct pmcgrp_places *flights;
	int err;

	request->why = PMCGRP_WHY_SPAN_UNKNOWN;
	err = points_find(points, request);
	if (err)
		return err;
	flights = pmcgrp_places_alloc(&request->section->charge, request->max_active,
				      pmcgrp_span_mark_size(&points->span), &request->why);
	if (IS_ERR(flights))
		return PTR_ERR(flights);
	points->flights = flights;
	request->max_active = pmcgrp_places_room(flights);
	request->why = PMCGRP_WHY_NOMEM;
	err = points_on(points);
	if (err != -ENOMEM)
		request->why = PMCGRP_WHY_SPAN_REFUSED;
	return err;
}

static struct pmcgrp_span *points_make(struct pmcgrp_span_request *request)
{
	struct tracepoint_span *points;
	int err;

	request->why = PMCGRP_WHY_NOMEM;
	points = kzalloc(sizeof(*points), GFP_KERNEL_ACCOUNT);
	if (!points)
		return ERR_PTR(-ENOMEM);
	pmcgrp_span_init(&points->span, request);
	points->mask = request->arg->arg_size == 4 ? U32_MAX : U64_MAX;
	err = points_begin(points, request);
	if (!err)
		return &points->span;
	points_free(&points->span);
	return ERR_PTR(err);
}

static void points_stop(struct list_head *spans)
{
	struct tracepoint_span *points;
	struct pmcgrp_span *span;

	list_for_each_entry(span, spans, node) {
		points = container_of(span, struct tracepoint_span, span);
		point_off(&points->begin);
		point_off(&points->end);
	}
	tracepoint_synchronize_unregister();
}

const struct pmcgrp_span_ops pmcgrp_span_tracepoint_ops = {
	.kind = PMCGRP_SECTION_TRACEPOINTS,
	.max_active = 64,
	.make = points_make,
	.stop = points_stop,
	.free = points_free,
};
