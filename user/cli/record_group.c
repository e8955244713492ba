// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The group of record with its ring and triggers, and the file that it goes to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "record.h"

/* ---- Whom ---- */

static void target_init(struct counter_target *target, const struct record_options *o,
			pid_t child)
{
	*target = (struct counter_target){ .type = PMCGRP_TARGET_TASK, .id = child,
					   .read_format = RECORD_RING_FORMAT };
	if (o->has_cpus) {
		target->type = PMCGRP_TARGET_CPUS;
		target->cpus = o->cpus;
	} else if (o->all_cpus) {
		target->type = PMCGRP_TARGET_ALL_CPUS;
	} else if (o->pid) {
		target->id = o->pid;
	} else if (o->tid) {
		target->id = o->tid;
	} else {
		target->flags = PMCGRP_CREATE_ENABLE_ON_EXEC;
	}
}

static bool has_threads(pid_t pid)
{
	const struct dirent *entry;
	unsigned int nr = 0;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		nr += entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return nr > 1;
}

/* A ring follows one thread. That of others is not there is to be known. */
static void say_whom(const struct record_options *o)
{
	if (record_of_cpus(o) || o->tid)
		return;
	if (!o->pid)
		cli_say("recording the first thread of '%s' alone, and no process that it creates: a "
			"ring follows one thread (-a and -C record whatever runs on CPUs)",
			o->command[0]);
	else if (has_threads(o->pid))
		cli_say("process %d has several threads: recording the main one alone, for a ring "
			"follows one thread; -t records another", (int)o->pid);
}

/* ---- The group ---- */

static int say_failure(const struct record_run *r, int err)
{
	const char *text = pmcgrp_strerror(r->h);

	cli_say("%s", text[0] ? text : strerror(err));
	return EXIT_TOOL;
}

static void note_unsupported(const struct counter *counter, const char *why)
{
	(void)counter;
	cli_say("not supported here: %s", why);
}

static struct pmcgrp_group *group_of(const struct record_run *r)
{
	return r->set.groups[0].group;
}

/*
 * With addresses, if that is permitted. A wake-up at each quarter of a ring: what is held back
 * for the order of time (pmcgrp_rings_next()) may then take a quarter, too, and half is free.
 */
static int ring_set(struct record_run *r)
{
	uint32_t wakeup = (uint32_t)(r->options.pages * sysconf(_SC_PAGESIZE) / 4);
	struct pmcgrp_group *group = group_of(r);
	int ret;

	ret = pmcgrp_group_set_ring(r->h, group, PMCGRP_RING_WATERMARK,
				    RECORD_SAMPLE_TYPE | PERF_SAMPLE_IP, wakeup);
	if (ret == -EACCES) {
		if (r->options.verbose)
			cli_say("without CAP_SYSLOG the records have no addresses");
		ret = pmcgrp_group_set_ring(r->h, group, PMCGRP_RING_WATERMARK,
					    RECORD_SAMPLE_TYPE, wakeup);
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
			"is one that cannot be probed", t->name);
	else
		cli_say("%s: there is no such kernel function or instruction (/proc/kallsyms), or it "
			"may not be probed (/sys/kernel/debug/kprobes/blacklist)", t->name);
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

static int triggers_add(struct record_run *r)
{
	struct pmcgrp_group *group = group_of(r);
	unsigned int i;
	int index;

	for (i = 0; i < r->nr_triggers; i++) {
		struct trigger *t = &r->triggers[i];

		index = distinguish(&r->set, t);
		if (!index)
			index = pmcgrp_group_add_trigger(r->h, group, &t->attr, t->name);
		if (index < 0)
			return say_trigger_failure(r, t, -index);
		r->trigger_events[i] = (struct record_event){
			.name = t->name,
			.attr = t->attr,
			.name_only = t->probe,
			.id = pmcgrp_group_trigger_id(group, index),
		};
	}
	return 0;
}

static void members_init(struct record_run *r)
{
	const struct counter_group *g = &r->set.groups[0];
	unsigned int i;

	for (i = 0; i < pmcgrp_group_nr(g->group); i++) {
		const struct counter *counter = &r->set.counters[g->counter_of[i]];

		r->members[i] = (struct record_event){
			.name = counter->name,
			.attr = counter->attr,
			.id = pmcgrp_group_id(g->group, i),
		};
	}
}

/* CPUs can come online later; more than there can be do not. */
static unsigned int rings_max(const struct record_run *r)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int nr = pmcgrp_rings_nr(r->rings);

	return r->options.all_cpus && cpus > (long)nr ? (unsigned int)cpus : nr;
}

static int rings_map(struct record_run *r)
{
	int ret = pmcgrp_rings_map(&r->rings, group_of(r), (size_t)r->options.pages);

	if (!ret)
		return 0;
	cli_say("cannot map the group's rings: %s", strerror(-ret));
	if (ret == -EPERM || ret == -ENOMEM)
		cli_say("%d pages each are too many (-m), or others have the memory: "
			"/sys/module/pmcgrp/parameters/ring_mb_max is the limit for all",
			r->options.pages);
	return EXIT_TOOL;
}

int record_group_open(struct record_run *r, pid_t child)
{
	struct counter_target target;
	int ret;

	target_init(&target, &r->options, child);
	ret = counter_set_open(&r->set, r->h, &target, note_unsupported);
	if (ret < 0)
		return say_failure(r, -ret);
	if (!counter_set_supported(&r->set)) {
		cli_say("this machine supports none of the events: name others with -e");
		return EXIT_TOOL;
	}
	ret = ring_set(r);
	if (!ret)
		ret = triggers_add(r);
	if (!ret)
		ret = rings_map(r);
	if (ret)
		return ret;
	members_init(r);
	r->desc = (struct record_desc){
		.triggers = r->trigger_events,
		.nr_triggers = r->nr_triggers,
		.members = r->members,
		.nr_members = pmcgrp_group_nr(group_of(r)),
		.nr_rings = rings_max(r),
		.argc = r->argc,
		.argv = r->argv,
	};
	pmcgrp_group_record_format(group_of(r), &r->desc.format);
	say_whom(&r->options);
	if (r->options.verbose)
		cli_say("%u events, %u triggers, %u rings of %d pages", r->desc.nr_members,
			r->nr_triggers, pmcgrp_rings_nr(r->rings), r->options.pages);
	return 0;
}

void record_group_close(struct record_run *r)
{
	pmcgrp_rings_free(r->rings);
	r->rings = NULL;
	counter_set_close(&r->set);
}

/* ---- The file ---- */

/* As perf record: what was there is kept under another name. */
static void keep_old(const char *path)
{
	char *old;
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	if (asprintf(&old, "%s.old", path) < 0)
		return;
	rename(path, old);
	free(old);
}

int record_file_open(struct record_run *r)
{
	static const record_open_fn opens[] = {
		[FORMAT_PERF] = perfdata_open,
		[FORMAT_CSV] = record_csv_open,
		[FORMAT_JSONL] = record_jsonl_open,
	};
	const struct record_options *o = &r->options;
	int fd, ret;

	if (!strcmp(o->output, "-")) {
		fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
	} else {
		keep_old(o->output);
		fd = open(o->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	}
	if (fd < 0)
		return record_say_errno(o->output, errno);
	ret = opens[o->format](&r->sink, fd, &r->desc);
	return ret < 0 ? record_say_errno(o->output, -ret) : 0;
}
