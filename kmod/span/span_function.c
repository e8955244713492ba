// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of a kernel function: from its call to its return, by a kretprobe.
 *
 * The kernel has a number of instances for each kretprobe, made with it.  A call takes one, where
 * the beginning is kept, and its return gives it back.  So calls nest, and a recursive function has
 * as many as it is deep.  A call that does not concern the group, or whose beginning is missed,
 * gives it back at once.  One that never returns has it until its task is freed.  Nobody is
 * notified then, so the call counts as in flight for good.
 *
 * A kretprobe is used, not an fprobe: all kernels from 6.1 on have one on arm64 and x86, also those
 * without a tracer of functions, and it can probe a module's function by name.  Where the function
 * can be traced x86 enters a kretprobe by ftrace as well.  Instructions of a call with a span of
 * four events, by Debian's kernels:
 *
 *			fprobe	kretprobe
 *	x86, 6.12	1,165	1,181	both enter by ftrace, and hook the return by rethook
 *	x86, 7.2	1,450	1,287	the fprobe is on the function-graph tracer
 *	arm64, 7.2	1,578	1,833	the kretprobe enters by a breakpoint
 *
 * On arm64 it would be 14 % less, but not right.  __ftrace_return_to_handler() calls the tracer of
 * index 0 of each return that any tracer hooks, as function_graph_enter_regs() always sets that bit
 * (kernel/trace/fgraph.c).  The first fprobe after boot has that index.  So fprobe_return() warned
 * with ftrace alone: with the event "f:mine vfs_read%return", as function_graph traced vfs_write().
 * Where the tracer's stack, of a page, has no room for a call, or where a handler makes it, no
 * fprobe is asked: the call is in no number.  All fprobes of a function share 256 bytes a call
 * (fgraph_reserve_data()).  Where spans take more all of them miss it, those of others as well.
 *
 * After unregister_kretprobe() no handler runs, and none is called for the calls that are in flight
 * (kernel/kprobes.c, kernel/trace/rethook.c): the kernel owns their instances, and frees them as
 * they return.  So a span can go while a function of it sleeps.
 *
 * Context of the handlers: any, NMI included, preemption off.  A kprobe that is hit in a handler is
 * missed (kprobe.nmissed), so no handler interrupts another one.
 */
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group/group.h"
#include "include/linux/pmcgrp.h"
#include "platform/charge.h"
#include "span/section.h"
#include "span/span.h"

/**
 * struct function_span - a span of a function
 * @span: the span
 * @probe: begins and ends it
 * @missed: calls that found no instance, as far as they have been read; pmcgrp_sections_mutex
 * @last: @probe.nmissed at that time; pmcgrp_sections_mutex
 * @symbol: name of the function
 */
struct function_span {
	struct pmcgrp_span span;
	struct kretprobe probe;
	u64 missed;
	u32 last;
	char symbol[];
};

/*
 * The span, or NULL: where instances are kretprobe's own, not rethook's, unregister_kretprobes()
 * takes the probe from them first, and waits for the handlers that run after that
 * (kernel/kprobes.c).
 */
static __always_inline struct function_span *function_of(struct kretprobe_instance *instance)
{
	struct kretprobe *probe = get_kretprobe(instance);

	return likely(probe) ? container_of(probe, struct function_span, probe) : NULL;
}

/* Return: 0 if the return is to be probed. */
static int on_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct function_span *function = function_of(instance);

	return !function || !pmcgrp_span_begin(&function->span, (void *)instance->data);
}

NOKPROBE_SYMBOL(on_call);

static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct function_span *function = function_of(instance);

	if (likely(function))
		pmcgrp_span_end(&function->span, (void *)instance->data);
	return 0;
}

NOKPROBE_SYMBOL(on_return);

static size_t active_size(const struct function_span *function)
{
	return (size_t)function->probe.maxactive *
	       (sizeof(struct kretprobe_instance) + function->probe.data_size);
}

static int span_function_probe_register(struct function_span *function, unsigned int max_active,
					u32 *why)
{
	struct pmcgrp_charge *charge = &function->span.section->charge;
	struct kretprobe *probe = &function->probe;
	int err;

	probe->kp.symbol_name = function->symbol;
	probe->entry_handler = on_call;
	probe->handler = on_return;
	probe->maxactive = max_active;
	probe->data_size = pmcgrp_span_mark_size(&function->span);
	err = pmcgrp_charge_take_in_flight(charge, active_size(function), why);
	if (err)
		return err;
	/* The kernel makes the instances. */
	err = pmcgrp_charge_add(charge, active_size(function));
	*why = pmcgrp_why_of_charge(err);
	if (err)
		return err;
	err = register_kretprobe(probe);
	if (err == -ENOENT)
		*why = PMCGRP_WHY_SPAN_UNKNOWN;
	else if (err && err != -ENOMEM)
		*why = PMCGRP_WHY_SPAN_REFUSED;
	return err;
}

/* Other tasks' calls take an instance as well, for a moment: that is one for each CPU. */
static struct pmcgrp_span *function_make(struct pmcgrp_span_request *request)
{
	size_t size = strlen(request->begin) + 1;
	struct function_span *function;
	int err;

	request->why = PMCGRP_WHY_NOMEM;
	function = kzalloc(struct_size(function, symbol, size), GFP_KERNEL_ACCOUNT);
	if (!function)
		return ERR_PTR(-ENOMEM);
	memcpy(function->symbol, request->begin, size);
	pmcgrp_span_init(&function->span, request);
	request->max_active += num_possible_cpus();
	err = span_function_probe_register(function, request->max_active, &request->why);
	if (!err)
		return &function->span;
	kfree(function);
	return ERR_PTR(err);
}

static void functions_stop(struct list_head *spans)
{
	struct kretprobe *probe[PMCGRP_SPANS_MAX];
	struct pmcgrp_span *span;
	int nr = 0;

	list_for_each_entry(span, spans, node)
		probe[nr++] = &container_of(span, struct function_span, span)->probe;
	unregister_kretprobes(probe, nr);
}

static void function_free(struct pmcgrp_span *span)
{
	kfree(container_of(span, struct function_span, span));
}

/*
 * The kernel counts them in an int, and not atomically: of calls that are missed at once on several
 * CPUs it may count one alone.
 */
static bool function_status(struct pmcgrp_span *span, u64 *missed)
{
	struct function_span *function = container_of(span, struct function_span, span);
	u32 now = READ_ONCE(function->probe.nmissed);

	lockdep_assert_held(&pmcgrp_sections_mutex);
	function->missed += now - function->last;
	function->last = now;
	missed[PMCGRP_MISSED_LIMIT] += function->missed;
	missed[PMCGRP_MISSED_BUSY] += READ_ONCE(function->probe.kp.nmissed);
	return READ_ONCE(function->probe.kp.flags) & KPROBE_FLAG_GONE;
}

/* Calls of one task nest. */
const struct pmcgrp_span_ops pmcgrp_span_function_ops = {
	.kind = PMCGRP_SECTION_FUNCTION,
	.max_active = 64,
	.make = function_make,
	.stop = functions_stop,
	.free = function_free,
	.status = function_status,
};
