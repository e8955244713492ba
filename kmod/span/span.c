// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans: sections that begin and end at probes (PMCGRP_IOC_SPAN).
 *
 * A span is a group's, and goes with it: before the list of the group stops, as handlers read what
 * that has.  What its kind is has a file of its own.  The mark of a section is kept where the probe
 * keeps what it knows of an instance.
 *
 * Which calls concern the group is asked first: what others do, or anyone while the group is
 * disabled, is neither counted nor missed.  A call concerns a group of tasks if it is made while
 * such a task runs; a group of CPUs, if it begins there.
 *
 * Locks: probes are registered and unregistered under no mutex of ours.  The kernel's own for that
 * are outermost: text, jump labels and CPU hotplug are inside them.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "group/group.h"
#include "group/target.h"
#include "platform/charge.h"
#include "sample/ring_map.h"
#include "span/section.h"
#include "span/section_key.h"
#include "span/span.h"
#include "span/span_task.h"

static_assert(sizeof(struct pmcgrp_span_add) == PMCGRP_SPAN_ADD_SIZE_VER0);

/* Spans in flight that have room unless the caller says, where calls of many tasks sleep. */
#define ACTIVE_OF_MANY 1024

/* By enum pmcgrp_section_kind; NULL: this kernel has none. */
static const struct pmcgrp_span_ops *const kinds[] = {
#ifdef CONFIG_KRETPROBES
	[PMCGRP_SECTION_FUNCTION] = &pmcgrp_span_function_ops,
#endif
	[PMCGRP_SECTION_TRACEPOINTS] =
		PMCGRP_PROBES_OF_ANY_TYPE ? &pmcgrp_span_tracepoint_ops : NULL,
#ifdef CONFIG_UPROBES
	[PMCGRP_SECTION_USER_FUNCTION] = &pmcgrp_span_user_ops,
#else
	[PMCGRP_SECTION_USER_FUNCTION] = NULL,
#endif
};

/* Nothing of @arg that this kind has no use for is set. */
static bool key_is_valid(const struct pmcgrp_span_add *arg)
{
	bool is_arg = arg->key == PMCGRP_SPAN_KEY_ARG;

	if (arg->kind != PMCGRP_SECTION_TRACEPOINTS && (arg->end || arg->key))
		return false;
	if (arg->kind != PMCGRP_SECTION_USER_FUNCTION && arg->offset)
		return false;
	if (is_arg)
		return (arg->arg_size == 4 || arg->arg_size == 8) &&
		       arg->begin_arg < PMCGRP_SPAN_ARGS_MAX && arg->end_arg < PMCGRP_SPAN_ARGS_MAX;
	return arg->key < PMCGRP_SPAN_KEYS && !arg->begin_arg && !arg->end_arg && !arg->arg_size;
}

static bool exits_are_valid(const struct pmcgrp_span_add *arg)
{
	if (arg->kind != PMCGRP_SECTION_USER_FUNCTION)
		return !arg->exits && !arg->nr_exits;
	return arg->nr_exits && arg->nr_exits <= PMCGRP_SPAN_EXITS_MAX;
}

/* Which spans there can be on this kernel: a bit for each enum pmcgrp_section_kind. */
u32 pmcgrp_span_kinds(void)
{
	u32 kind, bits = 0;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		bits |= kinds[kind] ? BIT(kind) : 0;
	return bits;
}

static bool has_records(const struct pmcgrp_group *group)
{
	const struct pmcgrp_ring_buffers *rings = pmcgrp_group_rings(group);

	return rings && rings->sample_type & PERF_SAMPLE_RAW;
}

static int span_check(const struct pmcgrp_group *group, const struct pmcgrp_span_add *arg, u32 *why)
{
	*why = PMCGRP_WHY_PERMISSION;
	if (!perfmon_capable() || security_locked_down(LOCKDOWN_KPROBES))
		return -EACCES;
	*why = PMCGRP_WHY_FLAGS;
	if (arg->flags & ~PMCGRP_SPAN_FLAGS)
		return -EINVAL;
	*why = PMCGRP_WHY_RESERVED;
	if (arg->__reserved || arg->__reserved2 || arg->__reserved3)
		return -EINVAL;
	*why = PMCGRP_WHY_SPAN_KIND;
	if (arg->kind == PMCGRP_SECTION_MODULE || arg->kind >= ARRAY_SIZE(kinds) ||
	    arg->max_active > PMCGRP_SPAN_ACTIVE_MAX)
		return -EINVAL;
	*why = PMCGRP_WHY_SPAN_NAME;
	if (arg->kind == PMCGRP_SECTION_TRACEPOINTS && !arg->end)
		return -EINVAL;
	*why = PMCGRP_WHY_SPAN_KEY;
	if (!key_is_valid(arg))
		return -EINVAL;
	*why = PMCGRP_WHY_SPAN_EXITS;
	if (!exits_are_valid(arg))
		return -EINVAL;
	*why = PMCGRP_WHY_SPAN_BY;
	if (arg->by > PMCGRP_KEY_TYPES ||
	    (!arg->by && (arg->depth || arg->cgroups || arg->nr_cgroups || arg->slots ||
			  arg->flags & PMCGRP_SPAN_HISTOGRAMS)))
		return -EINVAL;
	*why = PMCGRP_WHY_SPAN_RING;
	if (arg->flags & PMCGRP_SPAN_RECORD && !has_records(group))
		return -EINVAL;
	*why = PMCGRP_WHY_SPAN_GROUP;
	if (!pmcgrp_section_is_possible(group))
		return -EOPNOTSUPP;
	*why = PMCGRP_WHY_SPAN_UNSUPPORTED;
	return pmcgrp_span_kinds() & BIT(arg->kind) ? 0 : -EOPNOTSUPP;
}

/* Copy a name from user space, for kfree(), also after an error. */
static int copy_name(char **name, u64 from, u32 *why)
{
	char *copy = strndup_user(u64_to_user_ptr(from), PMCGRP_SPAN_POINT_MAX);

	*why = PTR_ERR_OR_ZERO(copy) == -ENOMEM ? PMCGRP_WHY_NOMEM : PMCGRP_WHY_SPAN_NAME;
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	*name = copy;
	return *copy ? 0 : -EINVAL;
}

static int names_copy(struct pmcgrp_span_request *request)
{
	const struct pmcgrp_span_add *arg = request->arg;
	int err = copy_name(&request->begin, arg->begin, &request->why);

	if (!err && arg->end)
		err = copy_name(&request->end, arg->end, &request->why);
	if (!err && arg->name)
		err = copy_name(&request->name, arg->name, &request->why);
	return err;
}

static int report_by_key(struct pmcgrp_span_request *request)
{
	struct pmcgrp_section *section = request->section;
	struct pmcgrp_section_table *table;

	if (!request->arg->by)
		return 0;
	table = pmcgrp_section_table_create(request->arg, request->group->evlist->nr_events,
					    &section->charge, &request->why);
	if (IS_ERR(table))
		return PTR_ERR(table);
	section->table = table;
	section->reports = true;
	return 0;
}

/*
 * Calls of a function, and spans of one task at a time, in a group that counts others as well.  A
 * function has one instance more for each CPU.
 */
static int follow_tasks(struct pmcgrp_span_request *request)
{
	struct pmcgrp_section *section = request->section;
	struct pmcgrp_span_tasks *tasks;

	if (!section->minds_switches || request->arg->key != PMCGRP_SPAN_KEY_TASK)
		return 0;
	tasks = pmcgrp_span_tasks_follow(request->group->evlist, &section->charge,
					 request->max_active + num_possible_cpus(), &request->why);
	if (IS_ERR(tasks))
		return PTR_ERR(tasks);
	section->tasks = tasks;
	return 0;
}

static struct pmcgrp_span *make(struct pmcgrp_span_request *request)
{
	struct pmcgrp_charge charge;
	struct pmcgrp_span *span;
	int err;

	request->why = PMCGRP_WHY_NOMEM;
	err = pmcgrp_charge_begin(&charge);
	if (err)
		return ERR_PTR(err);
	request->section = pmcgrp_section_alloc(request->group, request->name ?: request->begin,
						&charge);
	err = PTR_ERR_OR_ZERO(request->section);
	request->why = pmcgrp_why_of_charge(err);
	if (err)
		return ERR_PTR(err);
	if (!request->max_active &&
	    pmcgrp_span_whose_of(request->group->evlist) == PMCGRP_SPAN_OF_TASK)
		request->max_active = request->ops->max_active;
	else if (!request->max_active)
		request->max_active = ACTIVE_OF_MANY;
	if (request->arg->flags & PMCGRP_SPAN_RECORD) {
		request->section->source.group = request->group;
		request->section->source.id = pmcgrp_group_next_ids(1);
		request->section->reports = true;
	}
	err = report_by_key(request) ?: follow_tasks(request);
	span = err ? ERR_PTR(err) : request->ops->make(request);
	if (!IS_ERR(span))
		return span;
	if (request->section->tasks) {
		pmcgrp_span_tasks_unfollow(request->section->tasks);
		synchronize_rcu();
	}
	pmcgrp_section_discard(request->section);
	return span;
}

/* Before the probes go: what they see of context switches ends, too. */
static void unfollow_tasks(const struct list_head *spans)
{
	const struct pmcgrp_span *span;
	bool waits = false;

	list_for_each_entry(span, spans, node) {
		if (!span->section->tasks)
			continue;
		pmcgrp_span_tasks_unfollow(span->section->tasks);
		waits = true;
	}
	if (waits)
		synchronize_rcu();
}

static void end_of_kind(struct list_head *spans, const struct pmcgrp_span_ops *ops)
{
	struct pmcgrp_section *section;
	struct pmcgrp_span *span, *next;
	LIST_HEAD(ours);

	list_for_each_entry_safe(span, next, spans, node)
		if (span->ops == ops)
			list_move_tail(&span->node, &ours);
	if (list_empty(&ours))
		return;
	ops->stop(&ours);
	list_for_each_entry_safe(span, next, &ours, node) {
		section = span->section;
		ops->free(span);
		pmcgrp_section_discard(section);
	}
}

static void end_all(struct list_head *spans)
{
	u32 kind;

	unfollow_tasks(spans);
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		end_of_kind(spans, kinds[kind]);
	WARN_ON_ONCE(!list_empty(spans));
}

/* The group's descriptor is being closed: nobody adds to it. */
static void group_end_spans(struct pmcgrp_group *group)
{
	struct pmcgrp_span *span;
	LIST_HEAD(spans);

	mutex_lock(&pmcgrp_sections_mutex);
	list_for_each_entry(span, &group->spans, node)
		list_del(&span->section->node);
	list_splice_init(&group->spans, &spans);
	mutex_unlock(&pmcgrp_sections_mutex);
	end_all(&spans);
}

static bool has_room(const struct pmcgrp_group *group)
{
	const struct pmcgrp_span *span;
	unsigned int nr = 0;

	list_for_each_entry(span, &group->spans, node)
		nr++;
	return nr < PMCGRP_SPANS_MAX;
}

/* Add a span that counts already; end it if there are too many. */
static int publish(struct pmcgrp_group *group, struct pmcgrp_span *span)
{
	LIST_HEAD(spans);
	bool added;

	mutex_lock(&pmcgrp_sections_mutex);
	added = has_room(group);
	if (added) {
		pmcgrp_section_list(span->section);
		group->end_spans = group_end_spans;
	}
	list_add_tail(&span->node, added ? &group->spans : &spans);
	mutex_unlock(&pmcgrp_sections_mutex);
	if (added)
		return 0;
	end_all(&spans);
	return -ENOSPC;
}

/* Have the group count by a list of its own. */
static int own_list(struct pmcgrp_group *group, u32 *why)
{
	int err = pmcgrp_target_unshare_lock(group, why);

	if (!err)
		mutex_unlock(&pmcgrp_groups_mutex);
	return err;
}

/**
 * pmcgrp_span_add - count what happens between two points (PMCGRP_IOC_SPAN)
 * @group: the group
 * @_arg: a struct pmcgrp_span_add
 *
 * Context: may sleep; takes pmcgrp_sections_mutex, pmcgrp_groups_mutex with the list's mutex, and
 * kprobe_mutex, tracepoints_mutex or the locks of uprobes, with what is inside those; none of these
 * four while it has another one.
 * Return: 0, or the errno that the uapi header gives.
 */
long pmcgrp_span_add(struct pmcgrp_group *group, void *_arg)
{
	struct pmcgrp_span_add *arg = _arg;
	struct pmcgrp_span_request request = {
		.group = group,
		.arg = arg,
		.max_active = arg->max_active,
	};
	struct pmcgrp_section *section;
	struct pmcgrp_span *span;
	int err;

	arg->id = 0;
	arg->record_id = 0;
	err = span_check(group, arg, &arg->why);
	if (!err)
		err = own_list(group, &arg->why);
	if (err)
		return err;
	request.ops = kinds[array_index_nospec(arg->kind, ARRAY_SIZE(kinds))];
	err = names_copy(&request);
	span = err ? ERR_PTR(err) : make(&request);
	kfree(request.begin);
	kfree(request.end);
	kfree(request.name);
	if (IS_ERR(span)) {
		arg->why = request.why;
		return PTR_ERR(span);
	}
	section = span->section;
	arg->why = PMCGRP_WHY_SPANS_MAX;
	err = publish(group, span);
	if (err)
		return err;
	arg->id = section->id;
	arg->max_active = request.max_active;
	if (section->table)
		arg->slots = section->table->keys.slots;
	arg->record_id = section->source.id;
	arg->why = PMCGRP_WHY_NONE;
	return 0;
}
