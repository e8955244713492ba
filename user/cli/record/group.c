// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The group of record with its ring and triggers, and the file that it goes to. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args/cli.h"
#include "counters/lacks.h"
#include "perfdata/spans.h"
#include "record_run.h"
#include "turn_event.h"

/* ---- Whom ---- */

/* @id: of a process or thread, or 0 */
static void target_init(struct counter_target *target, const struct record_options *o, int id)
{
	*target = (struct counter_target){ .type = PMCGRP_TARGET_TASK, .id = id,
					   .read_format = RECORD_READ_FORMAT };
	if (o->background)
		target->flags |= PMCGRP_CREATE_BACKGROUND;
	if (o->has_cpus) {
		target->type = PMCGRP_TARGET_CPUS;
		target->cpus = o->cpus;
		return;
	}
	if (o->all_cpus) {
		target->type = PMCGRP_TARGET_ALL_CPUS;
		return;
	}
	if (o->pids.nr)
		target->type = PMCGRP_TARGET_PROCESS;
	if (!o->no_inherit)
		target->flags |= PMCGRP_CREATE_INHERIT;
	if (!record_of_tasks(o) && !o->delay)
		target->flags |= PMCGRP_CREATE_ENABLE_ON_EXEC;
}

/* ---- The group ---- */

static int say_failure(const struct record_run *r, int err)
{
	const char *text = pmcgrp_strerror(r->h);

	cli_say("%s", text[0] ? text : strerror(err));
	return EXIT_TOOL;
}

/* What a sample has, but for addresses. */
static uint64_t sample_type(const struct record_run *r)
{
	return (r->of_spans ? RECORD_SPAN_TYPE : RECORD_SAMPLE_TYPE) |
	       (r->options.all_cgroups ? PERF_SAMPLE_CGROUP : 0);
}

/*
 * With addresses, if that is permitted. A wake-up at each quarter of a ring: what is held back
 * for the order of time (pmcgrp_rings_next()) may then take a quarter, too, and half is free.
 */
int record_ring_set(const struct record_run *r, struct pmcgrp_group *group)
{
	uint32_t wakeup = (uint32_t)(r->options.pages * sysconf(_SC_PAGESIZE) / 4);
	uint64_t type = sample_type(r) | (r->of_spans ? 0 : PERF_SAMPLE_IP);
	unsigned int flags = PMCGRP_RING_WATERMARK;
	int ret;

	/* Nobody reads before a dump. */
	if (r->options.overwrite) {
		flags |= PMCGRP_RING_BACKWARD;
		wakeup = 0;
	}
	if (r->options.no_buffering) {
		flags &= ~PMCGRP_RING_WATERMARK;
		wakeup = 1;
	}
	if (r->options.by_task)
		flags |= PMCGRP_RING_BY_TASK;
	if (r->options.chains)
		type |= PERF_SAMPLE_CALLCHAIN;
	ret = pmcgrp_group_set_ring(r->h, group, flags, type, wakeup);
	/* Chains are asked for: then it is no recording without them. */
	if (ret == -EACCES && type & PERF_SAMPLE_IP && !r->options.chains) {
		if (r->options.verbose)
			cli_say("without CAP_SYSLOG the records have no addresses");
		ret = pmcgrp_group_set_ring(r->h, group, flags, sample_type(r), wakeup);
	}
	return ret < 0 ? say_failure(r, -ret) : 0;
}

/* Of a probe the kernel says no more than that it is not there, or cannot be. */
static int say_trigger_failure(const struct record_run *r, const struct trigger *t, int err)
{
	if (!t->probe || (err != ENOENT && err != EINVAL && err != EILSEQ))
		return say_failure(r, err);
	if (t->name[0] == 'u')
		cli_say("%s: there is no such file, no instruction begins at this offset of it, or it "
			"is one that cannot be probed",
			t->name);
	else
		cli_say("%s: there is no such kernel function or instruction (/proc/kallsyms), or it "
			"may not be probed (/sys/kernel/debug/kprobes/blacklist)",
			t->name);
	return EXIT_TOOL;
}

/* perf has members and triggers in one list, so these get other names than those. */
static int distinguish(const struct counter_set *set, struct trigger *trigger)
{
	char *name;
	unsigned int i;

	for (i = 0; i < set->nr && strcmp(set->counters[i].name, trigger->name); i++)
		;
	if (i == set->nr)
		return 0;
	if (asprintf(&name, "on:%s", trigger->name) < 0)
		return -ENOMEM;
	free(trigger->name);
	trigger->name = name;
	return 0;
}

/* Negative: the thread has ended. */
static int triggers_add(const struct record_run *r, struct pmcgrp_group *group, uint64_t *ids)
{
	unsigned int i;
	int index;

	for (i = 0; i < r->nr_triggers; i++) {
		const struct trigger *t = &r->triggers[i];
		union attr_wide wide = t->wide;

		/* As perf's options say: one alone leaves out the other. */
		wide.attr.exclude_callchain_user = r->options.kernel_chains;
		wide.attr.exclude_callchain_kernel = r->options.user_chains;
		index = pmcgrp_group_add_trigger_sized(r->h, group, &wide.attr, sizeof(wide),
						       t->name);
		if (index < 0)
			return index == -ESRCH ? index : say_trigger_failure(r, t, -index);
		ids[i] = pmcgrp_group_trigger_id(group, index);
	}
	return 0;
}

/* The group that the set has just opened becomes one of @r's. */
static int group_take(struct record_run *r)
{
	unsigned int nr = pmcgrp_group_nr(r->set.groups[0].group);
	struct pmcgrp_group **groups;
	uint64_t *ids;

	groups = reallocarray(r->groups, r->nr_groups + 1, sizeof(struct pmcgrp_group *));
	if (!groups)
		return -ENOMEM;
	r->groups = groups;
	ids = reallocarray(r->ids, (size_t)(r->nr_groups + 1) * (r->nr_triggers + nr),
			   sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	r->ids = ids;
	groups[r->nr_groups++] = r->set.groups[0].group;
	r->set.groups[0].group = NULL;
	return 0;
}

static void group_forget(struct record_run *r)
{
	pmcgrp_group_close(r->groups[--r->nr_groups]);
}

static int triggers_init(struct record_run *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_triggers; i++) {
		if (distinguish(&r->set, &r->triggers[i]) < 0)
			return say_failure(r, ENOMEM);
		r->trigger_events[i] = (struct record_event){
			.name = r->triggers[i].name,
			.wide = r->triggers[i].wide,
			.name_only = r->triggers[i].probe,
		};
	}
	return 0;
}

/* The machine has none of the events. */
static int fall_back(struct record_run *r)
{
	if (record_events_fall_back(r)) {
		cli_say("this machine supports none of the events: name others with -e");
		return EXIT_TOOL;
	}
	cli_say("recording software events instead: -e names others");
	return triggers_init(r);
}

/* One process or thread that has ended does not matter, if there are others. */
static int group_open(struct record_run *r, const struct counter_target *target)
{
	bool by_name = r->options.nr_events || r->options.verbose;
	counter_note_fn note = by_name ? lacks_note : lacks_note_unnamed;
	struct pmcgrp_group *group;
	unsigned int i, nr;
	uint64_t *ids;
	int ret;

	ret = counter_set_open(&r->set, r->h, target, r->nr_groups ? NULL : note);
	if (by_name)
		lacks_say();
	else
		lacks_forget();
	if (ret == -ESRCH && record_of_tasks(&r->options))
		return 0;
	if (ret < 0)
		return say_failure(r, -ret);
	if (!counter_set_supported(&r->set)) {
		ret = fall_back(r);
		return ret ? ret : group_open(r, target);
	}
	ret = group_take(r);
	if (ret < 0)
		return say_failure(r, -ret);
	group = r->groups[r->nr_groups - 1];
	nr = pmcgrp_group_nr(group);
	ids = r->ids + (size_t)(r->nr_groups - 1) * (r->nr_triggers + nr);
	ret = record_ring_set(r, group);
	if (!ret)
		ret = triggers_add(r, group, ids);
	for (i = 0; i < nr && !ret; i++)
		ids[r->nr_triggers + i] = pmcgrp_group_id(group, i);
	if (ret < 0)
		group_forget(r);
	return ret < 0 ? 0 : ret;
}

static int groups_open(struct record_run *r, pid_t child)
{
	const struct record_options *o = &r->options;
	const struct args_ids *ids = o->pids.nr ? &o->pids : &o->tids;
	struct counter_target target;
	unsigned int i;
	int ret = 0;

	target_init(&target, o, ids->nr ? ids->id[0] : child);
	if (!record_of_tasks(o))
		return group_open(r, &target);
	for (i = 0; i < ids->nr && !ret; i++) {
		target.id = ids->id[i];
		ret = group_open(r, &target);
	}
	if (!ret && !r->nr_groups) {
		cli_say("%s: there is no such %s, or it is exiting", o->pids.nr ? "-p" : "-t",
			o->pids.nr ? "process" : "thread");
		ret = EXIT_TOOL;
	}
	return ret;
}

/* ---- What is known of the events ---- */

/* Member @i of the set's group. */
void record_member_init(struct record_event *member, const struct counter_set *set, unsigned int i)
{
	const struct counter *counter = &set->counters[set->groups[0].counter_of[i]];

	*member = (struct record_event){ .name = counter->name };
	attr_widen(&member->wide, counter->attr);
}

/* Once the events and the rings are there. */
void record_desc_init(struct record_run *r, unsigned int nr_members)
{
	r->desc = (struct record_desc){
		.triggers = r->trigger_events,
		.nr_triggers = r->nr_triggers,
		.members = r->members,
		.nr_members = nr_members,
		.ids = r->ids,
		.nr_groups = r->nr_groups,
		.group_rings = pmcgrp_rings_nr(r->rings) / r->nr_groups,
		.nr_rings = record_rings_max(r),
		.many_files = record_turns_files(&r->options) || r->options.overwrite,
		.overwrite = r->options.overwrite,
		.pipe = record_to_pipe(&r->options),
		.level = r->options.level,
		.namespaces = r->options.namespaces,
		.no_buildid = r->options.no_buildid,
		.cgroups = r->cgroups,
		.argc = r->argc,
		.argv = r->argv,
	};
	pmcgrp_group_record_format(r->groups[0], &r->desc.format);
}

/* ---- All of it ---- */

int record_ready_init(struct record_run *r)
{
	struct epoll_event event = { .events = r->options.overwrite ? 0 : EPOLLIN };
	unsigned int i;

	r->ready = epoll_create1(EPOLL_CLOEXEC);
	if (r->ready < 0)
		return cli_say_errno("cannot wait for the rings", errno);
	for (i = 0; i < r->nr_groups; i++) {
		event.data.fd = pmcgrp_group_fd(r->groups[i]);
		if (epoll_ctl(r->ready, EPOLL_CTL_ADD, event.data.fd, &event) < 0)
			return cli_say_errno("cannot wait for the rings", errno);
	}
	r->nr_waited = r->nr_groups;
	return 0;
}

bool record_groups_ended(struct record_run *r)
{
	struct epoll_event events[16];
	int i, nr;

	nr = epoll_wait(r->ready, events, 16, 0);
	for (i = 0; i < nr; i++) {
		if (!(events[i].events & (EPOLLHUP | EPOLLERR)) || events[i].data.fd == r->files.usr2 ||
		    events[i].data.fd == r->control_waited)
			continue;
		epoll_ctl(r->ready, EPOLL_CTL_DEL, events[i].data.fd, NULL);
		r->nr_waited -= !record_turn_event_has(r, events[i].data.fd);
	}
	return !r->nr_waited;
}

int record_groups_open(struct record_run *r, pid_t child)
{
	unsigned int i, nr;
	int ret;

	r->ready = -1;
	ret = triggers_init(r);
	if (!ret)
		ret = groups_open(r, child);
	if (!ret)
		ret = record_rings_map(r);
	if (!ret)
		ret = record_ready_init(r);
	if (ret)
		return ret;
	nr = pmcgrp_group_nr(r->groups[0]);
	for (i = 0; i < nr; i++)
		record_member_init(&r->members[i], &r->set, i);
	record_desc_init(r, nr);
	if (r->options.verbose)
		cli_say("%u events, %u triggers, %u rings of %d pages", r->desc.nr_members,
			r->nr_triggers, pmcgrp_rings_nr(r->rings), r->options.pages);
	return 0;
}

static int for_each_group(const struct record_run *r, int (*control)(struct pmcgrp_group *group))
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < r->nr_groups && ret >= 0; i++)
		ret = control(r->groups[i]);
	return ret;
}

int record_groups_enable(struct record_run *r)
{
	return for_each_group(r, pmcgrp_group_enable);
}

int record_groups_disable(struct record_run *r)
{
	return for_each_group(r, pmcgrp_group_disable);
}

static int rings_pause(struct pmcgrp_group *group)
{
	return pmcgrp_group_pause_rings(group, true);
}

static int rings_resume(struct pmcgrp_group *group)
{
	return pmcgrp_group_pause_rings(group, false);
}

int record_groups_pause(struct record_run *r, bool paused)
{
	return for_each_group(r, paused ? rings_pause : rings_resume);
}

void record_groups_close(struct record_run *r)
{
	pmcgrp_rings_free(r->rings);
	r->rings = NULL;
	while (r->nr_groups)
		group_forget(r);
	free(r->groups);
	free(r->ids);
	if (r->ready >= 0)
		close(r->ready);
	counter_set_close(&r->set);
}
