// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The JSON of info: one object with everything. pmcgrp-info(1) describes the keys. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "print.h"

/* Above what JSON's readers take for an integer, the nearest real number. */
static json_t *number(uint64_t value)
{
	return value > INT64_MAX ? json_real((double)value) : json_integer((json_int_t)value);
}

static json_t *hex(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	return json_string(text);
}

/* A number, or null where it stands for nothing. */
static json_t *number_if(bool is, uint64_t value)
{
	return is ? number(value) : json_null();
}

/* null for no reason. */
static json_t *why_name(uint32_t why)
{
	return why ? json_string(pmcgrp_why_name(why)) : json_null();
}

/* Adds an object of the caller's to a list, which owns it from now on. */
static int append(json_t *list, json_t *object, int bad)
{
	if (bad) {
		json_decref(object);
		return -1;
	}
	return json_array_append_new(list, object);
}

static int add_owner(json_t *object, const struct info_group *group)
{
	json_t *owner = json_object();
	int bad;

	bad = json_object_set_new(owner, "pid",
				  number_if(group->info->owner > 0, (uint64_t)group->info->owner));
	bad |= json_object_set_new(owner, "comm", json_string(group->comm));
	bad |= json_object_set_new(object, "owner", owner);
	return bad;
}

static const char *target_name(uint32_t type)
{
	static const char * const names[] = {
		[PMCGRP_TARGET_TASK] = "thread",
		[PMCGRP_TARGET_CPU] = "cpu",
		[PMCGRP_TARGET_PROCESS] = "process",
		[PMCGRP_TARGET_CPUS] = "cpus",
		[PMCGRP_TARGET_ALL_CPUS] = "all-cpus",
		[PMCGRP_TARGET_CGROUP] = "cgroup",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

/* Of one that was removed there is no path. */
static json_t *cgroup_path(const struct info_set *set, uint64_t id)
{
	const char *path = set->cgroups ? pmcgrp_cgroups_path(set->cgroups, id, NULL) : NULL;
	json_t *text = path ? json_string(path) : NULL;

	/* A name may be no UTF-8. */
	return text ? text : json_null();
}

static int add_target(json_t *object, const struct info_set *set, const struct pmcgrp_info *info)
{
	bool cgroup = info->target_type == PMCGRP_TARGET_CGROUP;
	bool task = info->target_type == PMCGRP_TARGET_TASK ||
		    info->target_type == PMCGRP_TARGET_PROCESS;
	bool has_id = info->target_type == PMCGRP_TARGET_CPU || (task && info->target_id > 0);
	json_t *target = json_object();
	int bad;

	bad = json_object_set_new(target, "type", json_string(target_name(info->target_type)));
	bad |= json_object_set_new(target, "id",
				   cgroup ? number(info->cgroup) :
					    number_if(has_id, (uint64_t)info->target_id));
	if (cgroup)
		bad |= json_object_set_new(target, "cgroup", cgroup_path(set, info->cgroup));
	bad |= json_object_set_new(target, "count", number(info->nr_targets));
	bad |= json_object_set_new(object, "target", target);
	return bad;
}

static int add_flags(json_t *object, const struct pmcgrp_info *info)
{
	static const struct {
		uint64_t flag;
		const char *name;
	} flags[] = {
		{ PMCGRP_CREATE_DISABLED, "disabled" },
		{ PMCGRP_CREATE_ENABLE_ON_EXEC, "enable-on-exec" },
		{ PMCGRP_CREATE_PINNED, "pinned" },
		{ PMCGRP_CREATE_INHERIT, "inherit" },
		{ PMCGRP_CREATE_LEADER, "leader" },
		{ PMCGRP_CREATE_USER_READ, "user-read" },
		{ PMCGRP_CREATE_UNTIL_EXIT, "until-exit" },
		{ PMCGRP_CREATE_BACKGROUND, "background" },
	};
	json_t *list = json_array();
	int bad = 0;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (info->create_flags & flags[i].flag)
			bad |= json_array_append_new(list, json_string(flags[i].name));
	}
	bad |= json_object_set_new(object, "flags", list);
	return bad;
}

static int add_cpu(json_t *list, const struct pmcgrp_info_cpu *cpu)
{
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "cpu", number_if(cpu->cpu >= 0, (uint64_t)cpu->cpu));
	bad |= json_object_set_new(object, "state", json_string(pmcgrp_state_name(cpu->state)));
	bad |= json_object_set_new(object, "why", why_name(cpu->why));
	bad |= json_object_set_new(object, "counter",
				   number_if(cpu->counter >= 0, (uint64_t)cpu->counter));
	bad |= json_object_set_new(object, "groups", number(cpu->groups));
	bad |= json_object_set_new(object, "perf-counters", number(cpu->perf_counters));
	bad |= json_object_set_new(object, "blocked-by",
				   number_if(cpu->blocked_by, cpu->blocked_by));
	return append(list, object, bad);
}

static int add_member(json_t *list, const struct info_group *group, uint32_t index)
{
	const struct pmcgrp_info_member *member = pmcgrp_info_member(group->info, index);
	json_t *object = json_object(), *cpus = json_array();
	const struct pmcgrp_info_cpu *cpu;
	uint32_t i;
	int bad;

	bad = json_object_set_new(object, "id", number(member->id));
	bad |= json_object_set_new(object, "event", json_string(group->names[index]));
	bad |= json_object_set_new(object, "type", number(member->type));
	bad |= json_object_set_new(object, "config", hex(member->config));
	bad |= json_object_set_new(object, "config1", hex(member->config1));
	bad |= json_object_set_new(object, "config2", hex(member->config2));
	bad |= json_object_set_new(object, "config3", hex(member->config3));
	bad |= json_object_set_new(object, "bits", hex(member->bits));
	bad |= json_object_set_new(object, "count", number(member->count));
	for (i = 0; (cpu = pmcgrp_info_cpu(group->info, i)); i++) {
		if (cpu->member == index)
			bad |= add_cpu(cpus, cpu);
	}
	bad |= json_object_set_new(object, "cpus", cpus);
	return append(list, object, bad);
}

static int add_group(json_t *list, const struct info_set *set, const struct info_group *group)
{
	json_t *object = json_object(), *members = json_array();
	const struct pmcgrp_info *info = group->info;
	double percent = 0;
	uint32_t i;
	int bad;

	if (info->time_enabled)
		percent = 100.0 * (double)info->time_running / (double)info->time_enabled;
	bad = json_object_set_new(object, "id", number(info->id));
	bad |= add_owner(object, group);
	bad |= add_target(object, set, info);
	bad |= add_flags(object, info);
	bad |= json_object_set_new(object, "read-format", hex(info->read_format));
	bad |= json_object_set_new(object, "enabled", json_boolean(info->enabled));
	bad |= json_object_set_new(object, "time-enabled", number(info->time_enabled));
	bad |= json_object_set_new(object, "time-running", number(info->time_running));
	bad |= json_object_set_new(object, "pcnt-running",
				   json_real(round(percent * 100.0) / 100.0));
	bad |= json_object_set_new(object, "why", why_name(info->why));
	bad |= json_object_set_new(object, "blocked-by",
				   number_if(info->blocked_by, info->blocked_by));
	for (i = 0; i < info->nr_members; i++)
		bad |= add_member(members, group, i);
	bad |= json_object_set_new(object, "members", members);
	return append(list, object, bad);
}

static int add_use(json_t *list, const struct info_use *use)
{
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "cpu", json_integer(use->cpu));
	bad |= json_object_set_new(object, "pmu", json_string(use->pmu));
	bad |= json_object_set_new(object, "counter", json_integer(use->counter));
	bad |= json_object_set_new(object, "event", json_string(use->event));
	bad |= json_object_set_new(object, "groups", number(use->groups));
	return append(list, object, bad);
}

static int add_text(json_t *object, const char *key, const char *field, size_t size)
{
	char text[NAME_SIZE(PMCGRP_FUNCTION_SIZE)];

	name_text(text, sizeof(text), field, size);
	return json_object_set_new(object, key, text[0] ? json_string(text) : json_null());
}

static int add_holder_flags(json_t *object, uint32_t set)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} flags[] = {
		{ PMCGRP_HOLDER_PINNED, "pinned" },
		{ PMCGRP_HOLDER_EXCLUSIVE, "exclusive" },
		{ PMCGRP_HOLDER_INHERIT, "inherit" },
		{ PMCGRP_HOLDER_INHERITED, "inherited" },
		{ PMCGRP_HOLDER_TASK, "task" },
		{ PMCGRP_HOLDER_CGROUP, "cgroup" },
		{ PMCGRP_HOLDER_SAMPLES, "samples" },
		{ PMCGRP_HOLDER_KERNEL, "kernel" },
		{ PMCGRP_HOLDER_WATCHDOG, "nmi-watchdog" },
	};
	json_t *list = json_array();
	int bad = 0;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (set & flags[i].flag)
			bad |= json_array_append_new(list, json_string(flags[i].name));
	}
	bad |= json_object_set_new(object, "flags", list);
	return bad;
}

static int add_holder_target(json_t *object, const struct pmcgrp_holder *holder)
{
	json_t *target = json_object();
	int bad;

	bad = json_object_set_new(target, "pid",
				  number_if(holder->target_pid, (uint64_t)holder->target_pid));
	bad |= json_object_set_new(target, "tid",
				   number_if(holder->target_tid, (uint64_t)holder->target_tid));
	bad |= add_text(target, "comm", holder->target_comm, sizeof(holder->target_comm));
	bad |= json_object_set_new(target, "cgroup", number_if(holder->cgroup, holder->cgroup));
	bad |= json_object_set_new(object, "target", target);
	return bad;
}

static int add_holder(json_t *list, const struct held_counter *row)
{
	const struct pmcgrp_holder *holder = &row->holder;
	const char *unnamed = holder_unnamed(holder);
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "counter",
				  number_if(holder->counter >= 0, (uint64_t)holder->counter));
	bad |= json_object_set_new(object, "event",
				   row->event ? json_string(row->event) : json_null());
	bad |= json_object_set_new(object, "type", number(holder->type));
	bad |= json_object_set_new(object, "config", hex(holder->config));
	bad |= json_object_set_new(object, "config1", hex(holder->config1));
	bad |= json_object_set_new(object, "config2", hex(holder->config2));
	bad |= json_object_set_new(object, "config3", hex(holder->config3));
	bad |= json_object_set_new(object, "bits", hex(holder->bits));
	bad |= json_object_set_new(object, "id", number(holder->id));
	bad |= add_holder_flags(object, holder->flags);
	bad |= json_object_set_new(object, "pid", number_if(holder->pid, (uint64_t)holder->pid));
	bad |= add_text(object, "comm", holder->comm, sizeof(holder->comm));
	bad |= json_object_set_new(object, "unnamed", unnamed ? json_string(unnamed) : json_null());
	bad |= add_holder_target(object, holder);
	bad |= add_text(object, "function", holder->function, sizeof(holder->function));
	return append(list, object, bad);
}

static int add_perf(json_t *list, const struct info_uses *uses, const struct info_perf *perf)
{
	json_t *object = json_object(), *holders = json_array();
	const struct held_counters *held = &uses->held;
	size_t i;
	int bad;

	bad = json_object_set_new(object, "cpu", json_integer(perf->cpu));
	bad |= json_object_set_new(object, "pmu", json_string(perf->pmu));
	bad |= json_object_set_new(object, "held", number(perf->held));
	bad |= json_object_set_new(object, "nmi-watchdog", json_boolean(perf->watchdog));
	for (i = 0; i < held->nr; i++) {
		if (held->at[i].cpu == perf->cpu && !strcmp(held->at[i].pmu, perf->pmu))
			bad |= add_holder(holders, &held->at[i]);
	}
	bad |= json_object_set_new(object, "holders", holders);
	return append(list, object, bad);
}

int info_json(FILE *file, const struct info_set *set, const struct info_uses *uses,
	      const struct info_group *only)
{
	json_t *object = json_object(), *groups = json_array(), *counters = json_array(),
	       *perf = json_array();
	size_t i;
	int bad = 0;

	for (i = 0; i < set->nr; i++) {
		if (!only || only == &set->groups[i])
			bad |= add_group(groups, set, &set->groups[i]);
	}
	for (i = 0; i < uses->nr; i++)
		bad |= add_use(counters, &uses->uses[i]);
	for (i = 0; i < uses->nr_perf; i++)
		bad |= add_perf(perf, uses, &uses->perf[i]);
	bad |= json_object_set_new(object, "groups", groups);
	bad |= json_object_set_new(object, "counters", counters);
	bad |= json_object_set_new(object, "perf", perf);
	if (!bad && !json_dumpf(object, file, JSON_INDENT(1) | JSON_REAL_PRECISION(15)))
		fputc('\n', file);
	else
		bad = -1;
	json_decref(object);
	return bad ? -ENOMEM : 0;
}
