// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Groups made of perf events, for machines without the module. The first member
 * leads; the group's flags and read_format become its attr's, and the others
 * simply follow it onto the PMU. A target of several CPUs or threads takes such a
 * group on each, a part. What the module would refuse in flags and targets is
 * refused here too, so that programs behave alike on both.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attr_check.h"
#include "perf_uncore.h"

#define FLAGS_KNOWN (PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC | \
		     PMCGRP_CREATE_PINNED | PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_USER_READ | \
		     PMCGRP_CREATE_UNTIL_EXIT)
/* Until exit: as perf events count in any case. */
#define FLAGS_OF_TASKS (PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_INHERIT | \
			PMCGRP_CREATE_UNTIL_EXIT)

/* How often a process may make a thread while its threads are being opened. */
#define THREADS_TRIES 16

struct places {
	struct place *at;
	unsigned int nr;
};

/* Nothing but the thread that asks. */
static bool is_of_caller(const struct pmcgrp_spec *spec)
{
	return spec->target_type == PMCGRP_TARGET_TASK &&
	       !(spec->flags & PMCGRP_CREATE_INHERIT) &&
	       (!spec->target_id || spec->target_id == gettid());
}

/* CPUs that are named: those that cannot be. Of one that is not now the kernel says so. */
static int cpus_check(struct failure *f, const struct pmcgrp_spec *spec)
{
	struct pmcgrp_create create = { .fail_member = PMCGRP_NO_MEMBER, .fail_cpu = -1 };
	struct pmcgrp_cpus possible, named = spec->cpus;
	int cpu;

	if (spec->target_type == PMCGRP_TARGET_CPU)
		pmcgrp_cpus_set(&named, spec->target_id);
	else if (spec->target_type != PMCGRP_TARGET_CPUS)
		return 0;
	/* What /sys does not say the kernel does. */
	if (cpus_read(&possible, CPU_FOLDER "/possible") < 0)
		return 0;
	for (cpu = pmcgrp_cpus_next(&named, 0); cpu >= 0; cpu = pmcgrp_cpus_next(&named, cpu + 1)) {
		if (pmcgrp_cpus_test(&possible, cpu))
			continue;
		create.fail_cpu = cpu;
		create.why = spec->target_type == PMCGRP_TARGET_CPU ? PMCGRP_WHY_TARGET :
								      PMCGRP_WHY_CPUS;
		return failure_create(f, spec, &create, EINVAL);
	}
	return 0;
}

static int spec_check(struct failure *f, const struct pmcgrp_spec *spec)
{
	struct pmcgrp_create create = { .fail_member = PMCGRP_NO_MEMBER, .fail_cpu = -1 };
	unsigned int i;

	if (spec->flags & ~FLAGS_KNOWN)
		create.why = PMCGRP_WHY_FLAGS;
	else if ((spec->flags & FLAGS_OF_TASKS) && targets_cpus(spec->target_type))
		create.why = PMCGRP_WHY_FLAGS;
	else if ((spec->flags & PMCGRP_CREATE_USER_READ) && !is_of_caller(spec))
		create.why = PMCGRP_WHY_FLAGS;
	else if (!pmcgrp_read_size(spec->read_format, 1))
		create.why = PMCGRP_WHY_READ_FORMAT;
	else if (!spec->nr)
		create.why = PMCGRP_WHY_NR_MEMBERS;
	if (create.why)
		return failure_create(f, spec, &create, EINVAL);
	for (i = 0; i < spec->nr; i++) {
		create.why = attr_why(spec->members[i].attr);
		create.fail_member = i;
		if (create.why)
			return failure_create(f, spec, &create, EINVAL);
	}
	return cpus_check(f, spec);
}

/* ---- Where to count ---- */

static int places_add(struct places *places, pid_t tid, int cpu)
{
	struct place *at = reallocarray(places->at, places->nr + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	places->at = at;
	places->at[places->nr++] = (struct place){ .tid = tid, .cpu = cpu };
	return 0;
}

static int places_of_cpus(struct places *places, const struct pmcgrp_cpus *cpus)
{
	int cpu, ret = 0;

	for (cpu = pmcgrp_cpus_next(cpus, 0); cpu >= 0 && !ret;
	     cpu = pmcgrp_cpus_next(cpus, cpu + 1))
		ret = places_add(places, -1, cpu);
	return ret;
}

static int places_of_threads(struct places *places, pid_t pid)
{
	const struct dirent *entry;
	int tid, ret = 0;
	char path[32];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)(pid ? pid : getpid()));
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT && !access("/proc/self/task", X_OK) ? -ESRCH : -errno;
	while (!ret && (errno = 0, entry = readdir(folder))) {
		tid = atoi(entry->d_name);
		if (tid > 0)
			ret = places_add(places, tid, -1);
	}
	/* A process that ends meanwhile: its folder is empty, or reading it says so. */
	if (!ret && (errno || !places->nr))
		ret = errno ? -errno : -ESRCH;
	closedir(folder);
	return ret == -ENOENT ? -ESRCH : ret;
}

/* A cgroup's events are of one CPU each. */
static int places_of_cgroup(struct places *places, int cgroup)
{
	struct pmcgrp_cpus present;
	unsigned int i;
	int ret;

	if (cpus_present(&present, CPU_FOLDER) < 0)
		return -ENODEV;
	ret = places_of_cpus(places, &present);
	for (i = 0; i < places->nr; i++)
		places->at[i].tid = cgroup;
	return ret;
}

/* @counting: of all CPUs those that count, or NULL. */
static int places_init(struct places *places, struct failure *f, const struct pmcgrp_spec *spec,
		       const struct pmcgrp_cpus *counting)
{
	struct pmcgrp_cpus present;
	int ret;

	switch (spec->target_type) {
	case PMCGRP_TARGET_CPU:
		ret = places_add(places, -1, spec->target_id);
		break;
	case PMCGRP_TARGET_CPUS:
		ret = places_of_cpus(places, &spec->cpus);
		break;
	case PMCGRP_TARGET_ALL_CPUS:
		if (counting) {
			ret = places_of_cpus(places, counting);
			break;
		}
		ret = cpus_present(&present, CPU_FOLDER);
		if (ret < 0)
			return failure_plain(f, -ret, PMCGRP_WHY_PMU,
					     "cannot read " CPU_FOLDER "/present");
		ret = places_of_cpus(places, &present);
		break;
	case PMCGRP_TARGET_CGROUP:
		ret = places_of_cgroup(places, spec->target_id);
		if (ret == -ENODEV)
			return failure_plain(f, -ret, PMCGRP_WHY_PMU,
					     "cannot read " CPU_FOLDER "/present");
		break;
	case PMCGRP_TARGET_PROCESS:
		ret = places_of_threads(places, spec->target_id);
		if (ret < 0 && ret != -ENOMEM)
			return failure_threads(f, spec, -ret);
		break;
	default:
		ret = places_add(places, spec->target_id, -1);
	}
	return ret ? failure_plain(f, -ret, PMCGRP_WHY_NOMEM, "out of memory") : 0;
}

/*
 * Whether a process had no thread now that was not there when the list was made: such
 * a one was either inherited or missed, and nothing tells which.
 */
static bool threads_complete(const struct places *before, pid_t pid)
{
	struct places now = { 0 };
	unsigned int i, k = 0;
	bool complete = true;

	/* One that is gone makes no more threads. */
	if (places_of_threads(&now, pid) == -ENOMEM)
		complete = false;
	/* Both are in the kernel's order: that of age. */
	for (i = 0; i < now.nr && complete; i++) {
		while (k < before->nr && before->at[k].tid != now.at[i].tid)
			k++;
		complete = k < before->nr;
	}
	free(now.at);
	return complete;
}

/* ---- Opening ---- */

static int event_open(const struct pmcgrp_spec *spec, unsigned int i, struct place place,
		      int leader)
{
	const struct spec_member *m = &spec->members[i];
	bool inherit = spec->flags & PMCGRP_CREATE_INHERIT;
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	struct perf_event_attr *attr;
	int fd, err;

	attr = malloc(m->attr->size < sizeof(*attr) ? sizeof(*attr) : m->attr->size);
	if (!attr)
		return -ENOMEM;
	memcpy(attr, m->attr, m->attr->size);
	attr->read_format = spec->read_format;
	attr->disabled = !i;
	attr->enable_on_exec = !i && (spec->flags & PMCGRP_CREATE_ENABLE_ON_EXEC);
	attr->pinned = !i && (spec->flags & PMCGRP_CREATE_PINNED);
	if (inherit || spec->target_type == PMCGRP_TARGET_PROCESS)
		attr->inherit = 1;
	/* A process's threads to come, but not its children. */
	if (!inherit && spec->target_type == PMCGRP_TARGET_PROCESS)
		attr->inherit_thread = 1;
	if (spec->target_type == PMCGRP_TARGET_CGROUP)
		flags |= PERF_FLAG_PID_CGROUP;
	fd = syscall(SYS_perf_event_open, attr, place.tid, place.cpu, leader, flags);
	err = errno;
	free(attr);
	return fd < 0 ? -err : fd;
}

/* The leader last: a sibling that outlives its leader becomes an event of its own. */
static void part_close(struct perf_part *part, unsigned int nr)
{
	while (nr-- > 0)
		close(part->fds[nr]);
	free(part->base);
	part->base = NULL;
}

/*
 * The leader is enabled, if it shall be, when all members are there: a kernel may leave
 * one that joins a running leader off the PMU until the next task switch (seen with
 * 6.18: page-faults behind task-clock, which are events of different PMUs to it).
 * On failure @bad is the index of the member.
 */
static int part_open(struct perf_part *part, const struct pmcgrp_spec *spec, struct place place,
		     unsigned int *bad)
{
	unsigned int i;
	int fd;

	*part = (struct perf_part){ .place = place };
	for (i = 0; i < spec->nr; i++) {
		fd = event_open(spec, i, place, i ? part->fds[0] : -1);
		if (fd < 0) {
			*bad = i;
			part_close(part, i);
			return fd;
		}
		part->fds[i] = fd;
	}
	if (!(spec->flags & PMCGRP_CREATE_DISABLED) &&
	    ioctl(part->fds[0], PERF_EVENT_IOC_ENABLE, 0) < 0) {
		*bad = 0;
		fd = -errno;
		part_close(part, spec->nr);
		return fd;
	}
	return 0;
}

static void parts_close(struct pmcgrp_group *group)
{
	while (group->nr_parts)
		part_close(&group->parts[--group->nr_parts], group->nr);
	free(group->parts);
	group->parts = NULL;
}

/* A part that the target can do without: a thread has ended, a CPU is offline or lacks the event. */
static bool dispensable(const struct pmcgrp_spec *spec, int err)
{
	if (spec->target_type == PMCGRP_TARGET_PROCESS)
		return err == ESRCH;
	if (spec->target_type == PMCGRP_TARGET_CGROUP)
		return err == ENODEV;
	return spec->target_type == PMCGRP_TARGET_ALL_CPUS && (err == ENOENT || err == ENODEV);
}

static int parts_open(struct pmcgrp_group *group, struct failure *f,
		      const struct pmcgrp_spec *spec, const struct places *places)
{
	unsigned int i, bad = 0, last_bad = 0;
	int ret, last = 0, cpu = -1;

	group->parts = calloc(places->nr, sizeof(*group->parts));
	if (!group->parts)
		return failure_plain(f, ENOMEM, PMCGRP_WHY_NOMEM, "out of memory");
	for (i = 0; i < places->nr; i++) {
		ret = part_open(&group->parts[group->nr_parts], spec, places->at[i], &bad);
		if (!ret) {
			group->nr_parts++;
			continue;
		}
		last = ret;
		last_bad = bad;
		cpu = places->at[i].cpu;
		if (!dispensable(spec, -ret))
			break;
	}
	if (i == places->nr && group->nr_parts)
		return 0;
	parts_close(group);
	return failure_perf(f, spec, last_bad, cpu, -last);
}

/* As perf's own order has it: the list first, then each of it. */
static int parts_open_all(struct pmcgrp_group *group, struct failure *f,
			  const struct pmcgrp_spec *spec)
{
	struct pmcgrp_cpus cpus;
	struct places places;
	bool complete;
	int i, ret, uncore = perf_uncore_check(f, spec, &cpus);

	if (uncore < 0)
		return uncore;
	for (i = 0; i < THREADS_TRIES; i++) {
		places = (struct places){ 0 };
		ret = places_init(&places, f, spec, uncore ? &cpus : NULL);
		if (!ret)
			ret = parts_open(group, f, spec, &places);
		complete = ret || spec->target_type != PMCGRP_TARGET_PROCESS ||
			   threads_complete(&places, spec->target_id);
		free(places.at);
		if (complete)
			return ret;
		parts_close(group);
	}
	return failure_threads(f, spec, EAGAIN);
}

int perf_create(struct pmcgrp *h, const struct pmcgrp_spec *spec, struct pmcgrp_group *group)
{
	unsigned int i;
	int ret;

	ret = spec_check(&h->failure, spec);
	if (!ret)
		ret = parts_open_all(group, &h->failure, spec);
	if (ret)
		return ret;
	for (i = 0; i < spec->nr; i++) {
		if (ioctl(group->parts[0].fds[i], PERF_EVENT_IOC_ID, &group->ids[i]) == 0)
			continue;
		ret = failure_perf(&h->failure, spec, i, group->parts[0].place.cpu, errno);
		parts_close(group);
		return ret;
	}
	pthread_mutex_init(&group->mutex, NULL);
	return 0;
}

void perf_close(struct pmcgrp_group *group)
{
	parts_close(group);
	pthread_mutex_destroy(&group->mutex);
}
