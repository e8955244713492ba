// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans from one tracepoint to another one: two probes, and a table of what is in flight
 * (span_flight.c), where the key says which beginning an end is of.
 *
 * Probes.  Those of the kernel have the type of their tracepoint.  These are for any tracepoint, by
 * name: they take the first few arguments alone, each as an unsigned long.  That is how x86-64 and
 * arm64 call functions: the first six words, or eight, are in registers, and what a function does
 * not take it does not see.  The kernel counts on that as well: tp_stub_func() takes nothing
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
 * Recursion.  A tracepoint in what the probes do themselves meets a busy table, and is missed
 * (PMCGRP_MISSED_BUSY).  Nothing is called between a tracepoint and this check that has one.
 */
#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "group/group.h"
#include "set/evlist.h"
#include "span/section.h"
#include "span/span.h"
#include "span/span_flight.h"

/**
 * struct point - one end of a span
 * @tracepoint: the tracepoint
 * @owner: the module that has it, held; or NULL: the kernel
 * @probe: what it calls
 */
struct point {
	struct tracepoint *tracepoint;
	struct module *owner;
	void *probe;
};

/**
 * struct tracepoint_span - a span from one tracepoint to another one
 * @span: the span
 * @flights: what is in flight
 * @mask: the bits of an argument that are its value.  Constant.
 * @begin: where it begins.  Constant.
 * @end: where it ends.  Constant.
 */
struct tracepoint_span {
	struct pmcgrp_span span;
	struct pmcgrp_flights *flights;
	u64 mask;
	struct point begin;
	struct point end;
};

typedef void (*flight_t)(struct pmcgrp_span *span, struct pmcgrp_flights *flights,
			 const struct pmcgrp_flight_key *key);

/* A task's memory is another one's later: that began at another time. */
static __always_inline void by_task(struct tracepoint_span *points, flight_t flight)
{
	const struct pmcgrp_flight_key key = {
		.word = { (unsigned long)current, current->start_time },
	};

	flight(&points->span, points->flights, &key);
}

static __always_inline void by_cpu(struct tracepoint_span *points, flight_t flight)
{
	struct pmcgrp_flight_key key = { .word = { 0 } };

	/* The probe of a tracepoint may be preempted. */
	preempt_disable_notrace();
	key.word[0] = smp_processor_id();
	flight(&points->span, points->flights, &key);
	preempt_enable_notrace();
}

static __always_inline void by_arg(struct tracepoint_span *points, u64 value, flight_t flight)
{
	const struct pmcgrp_flight_key key = { .word = { value & points->mask } };

	flight(&points->span, points->flights, &key);
}

/* A probe for each key, and for each number of an argument. */
#define SPAN_PROBES(name)                                                                        \
	static void name##_task(void *points)                                                    \
	{                                                                                        \
		by_task(points, pmcgrp_flight_##name);                                    \
	}                                                                                        \
	static void name##_cpu(void *points)                                                     \
	{                                                                                        \
		by_cpu(points, pmcgrp_flight_##name);                                     \
	}                                                                                        \
	static void name##_arg0(void *points, unsigned long a0)                                  \
	{                                                                                        \
		by_arg(points, a0, pmcgrp_flight_##name);                                 \
	}                                                                                        \
	static void name##_arg1(void *points, unsigned long a0, unsigned long a1)                \
	{                                                                                        \
		by_arg(points, a1, pmcgrp_flight_##name);                                 \
	}                                                                                        \
	static void name##_arg2(void *points, unsigned long a0, unsigned long a1,                \
				unsigned long a2)                                                \
	{                                                                                        \
		by_arg(points, a2, pmcgrp_flight_##name);                                 \
	}                                                                                        \
	static void name##_arg3(void *points, unsigned long a0, unsigned long a1,                \
				unsigned long a2, unsigned long a3)                              \
	{                                                                                        \
		by_arg(points, a3, pmcgrp_flight_##name);                                 \
	}                                                                                        \
	static void name##_arg4(void *points, unsigned long a0, unsigned long a1,                \
				unsigned long a2, unsigned long a3, unsigned long a4)            \
	{                                                                                        \
		by_arg(points, a4, pmcgrp_flight_##name);                                 \
	}                                                                                        \
	static void *name##_probe(u32 key, unsigned int arg)                                     \
	{                                                                                        \
		static void *const by[PMCGRP_SPAN_ARGS_MAX] = {                                  \
			name##_arg0, name##_arg1, name##_arg2, name##_arg3, name##_arg4,         \
		};                                                                               \
												 \
		if (key == PMCGRP_SPAN_KEY_TASK)                                                 \
			return name##_task;                                                      \
		if (key == PMCGRP_SPAN_KEY_CPU)                                                  \
			return name##_cpu;                                                       \
		return by[array_index_nospec(arg, PMCGRP_SPAN_ARGS_MAX)];                        \
	}

SPAN_PROBES(begin)
SPAN_PROBES(end)

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

	if (!err)
		err = point_find(&points->end, request->end);
	points->begin.probe = begin_probe(arg->key, arg->begin_arg);
	points->end.probe = end_probe(arg->key, arg->end_arg);
	return err;
}

static int point_on(const struct point *point, struct tracepoint_span *points)
{
	return tracepoint_probe_register(point->tracepoint, point->probe, points);
}

static void point_off(const struct point *point, struct tracepoint_span *points)
{
	WARN_ON_ONCE(tracepoint_probe_unregister(point->tracepoint, point->probe, points));
}

/* No probe can run any more, or none was registered. */
static void points_free(struct pmcgrp_span *span)
{
	struct tracepoint_span *points = container_of(span, struct tracepoint_span, span);

	module_put(points->begin.owner);
	module_put(points->end.owner);
	pmcgrp_flights_free(points->flights);
	kfree(points);
}

static int points_on(struct tracepoint_span *points)
{
	int err = point_on(&points->end, points);

	if (err)
		return err;
	err = point_on(&points->begin, points);
	if (err) {
		point_off(&points->end, points);
		tracepoint_synchronize_unregister();
	}
	return err;
}

static int points_begin(struct tracepoint_span *points, struct pmcgrp_span_request *request)
{
	int err;

	request->why = PMCGRP_WHY_SPAN_UNKNOWN;
	err = points_find(points, request);
	if (err)
		return err;
	points->flights = pmcgrp_flights_alloc(&request->section->charge, request->max_active,
					       points->span.evlist->nr_events, &request->why);
	if (IS_ERR(points->flights))
		return PTR_ERR(points->flights);
	request->max_active = pmcgrp_flights_room(points->flights);
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
		point_off(&points->begin, points);
		point_off(&points->end, points);
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
