/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Groups of the stand-in for the module with counts that are made up, and the same each time: those of
 * tasks have one row, those of CPUs one for each.  Uncore PMUs have a
 * row on the CPUs of their cpumask alone, and are refused where the module refuses them.  Each read
 * of a group that is enabled adds 1000 * event + CPU to a count of event=N, and 1 ms to the times.
 * With FAKE_BUSY=TYPE in the environment others have the counters of that PMU.  With FAKE_MOVE=N a
 * PMU's file cpumask.1 takes the place of its cpumask at the N-th read, and cpumask.2 at the one
 * behind: groups of all CPUs follow, and what has been counted elsewhere stays as it is.  With
 * FAKE_TWICE each read is two.
 *
 * Counts by key are those of $FAKE_SYS/keys, lines of "CPU KEY KEY NS VALUE NAME", which have been counted
 * before the first flush; FAKE_KEYS_WHY=N refuses them for reason N,
 * FAKE_KEYS_SLOTS=N tables of more slots.
 */
#ifndef FAKE_CPUS_H
#define FAKE_CPUS_H

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_keys.h"
#include "fake_sysfs.h"
#include "pmcgrp.h"

#define FAKE_GROUPS 256
#define FAKE_CPUS 128

struct fake_group {
	int fd;				/* 0: free */
	unsigned int nr;
	struct perf_event_attr attr[PMCGRP_MEMBERS_MAX];
	bool cpus[FAKE_CPUS];		/* those that have a row */
	__u64 format;
	bool enabled;
	bool follows;			/* it counts all CPUs of an uncore PMU */
	unsigned int reads;
	__u64 ticks[FAKE_CPUS];
	struct fake_keys *keys;
};

static struct fake_group fake_groups[FAKE_GROUPS];

static inline struct fake_group *fake_group_of(int fd)
{
	unsigned int i;

	for (i = 0; i < FAKE_GROUPS; i++) {
		if (fd > 0 && fake_groups[i].fd == fd)
			return &fake_groups[i];
	}
	return NULL;
}

/* A list of CPUs in a file of $FAKE_SYS. */
static inline bool fake_list(const char *file, bool *cpus)
{
	char path[1024], text[512], *at = text;
	long first, last;
	FILE *in;

	snprintf(path, sizeof(path), "%.400s/%.600s", getenv("FAKE_SYS"), file);
	in = fopen(path, "re");
	if (!in)
		return false;
	if (!fgets(text, sizeof(text), in))
		text[0] = '\0';
	fclose(in);
	memset(cpus, 0, FAKE_CPUS);
	while (*at >= '0' && *at <= '9') {
		first = last = strtol(at, &at, 10);
		if (*at == '-')
			last = strtol(at + 1, &at, 10);
		for (; first <= last && first < FAKE_CPUS; first++)
			cpus[first] = true;
		at += *at == ',';
	}
	return true;
}

/* Let a PMU move, if it is to: @place is how often. */
static inline void fake_move(const char *pmu, unsigned int place)
{
	char from[1024], to[1024];

	snprintf(from, sizeof(from), "%s/devices/%s/cpumask.%u", getenv("FAKE_SYS"), pmu, place);
	snprintf(to, sizeof(to), "%s/devices/%s/cpumask", getenv("FAKE_SYS"), pmu);
	rename(from, to);
}

/* The CPUs that have a PMU; whether it is an uncore PMU.  @place: as fake_move(); 0: it does not */
static inline bool fake_pmu(__u32 type, bool *cpus, unsigned int place)
{
	char path[1024], line[32];
	struct dirent *entry;
	bool uncore = false;
	DIR *dir;
	FILE *in;

	fake_list("cpu/online", cpus);
	snprintf(path, sizeof(path), "%s/devices", getenv("FAKE_SYS"));
	dir = opendir(path);
	while (dir && type >= PERF_TYPE_MAX && !uncore && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/devices/%s/type", getenv("FAKE_SYS"),
			 entry->d_name);
		in = fopen(path, "re");
		if (!in)
			continue;
		snprintf(path, sizeof(path), "devices/%s/cpumask", entry->d_name);
		if (fgets(line, sizeof(line), in) && strtoul(line, NULL, 10) == type) {
			if (place)
				fake_move(entry->d_name, place);
			uncore = fake_list(path, cpus);
		}
		fclose(in);
	}
	if (dir)
		closedir(dir);
	return uncore;
}

static inline int fake_refuse(struct pmcgrp_create *create, enum pmcgrp_why why, unsigned int member,
			      int cpu, int err)
{
	create->why = why;
	create->fail_member = member;
	create->fail_cpu = cpu;
	errno = err;
	return -1;
}

/* Whether the target names a CPU on which the member is not counted; else its rows are left. */
static inline int fake_elsewhere(const struct pmcgrp_create *create, struct fake_group *g,
				 const bool *cpus)
{
	const __u64 *wanted = (void *)(uintptr_t)create->cpus;
	int cpu;

	for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
		bool is = create->target_type == PMCGRP_TARGET_ALL_CPUS ||
			  wanted[cpu / 64] >> cpu % 64 & 1;

		if (is && !cpus[cpu] && create->target_type == PMCGRP_TARGET_CPUS)
			return cpu;
		g->cpus[cpu] &= is && cpus[cpu];
	}
	return -1;
}

static inline bool fake_is_of_cpus(const struct pmcgrp_create *create)
{
	return create->target_type == PMCGRP_TARGET_ALL_CPUS ||
	       create->target_type == PMCGRP_TARGET_CPUS;
}

static inline int fake_create(struct pmcgrp_create *create)
{
	struct pmcgrp_member *members = (void *)(uintptr_t)create->members;
	struct fake_group *g = fake_groups;
	bool cpus[FAKE_CPUS], first = false, is;
	unsigned int i;
	int cpu;

	while (g < fake_groups + FAKE_GROUPS && g->fd)
		g++;
	if (g == fake_groups + FAKE_GROUPS)
		return fake_refuse(create, PMCGRP_WHY_GROUPS_MAX, PMCGRP_NO_MEMBER, -1, ENOSPC);
	*g = (struct fake_group){ .nr = create->nr_members, .format = create->read_format };
	memset(g->cpus, true, fake_is_of_cpus(create) ? sizeof(g->cpus) : 1);
	for (i = 0; i < g->nr; i++) {
		memcpy(&g->attr[i], (void *)(uintptr_t)members[i].attr, sizeof(g->attr[i]));
		members[i].id = (__u64)(g - fake_groups) * 1000 + i + 1;
		is = fake_pmu(g->attr[i].type, cpus, 0);
		if (is && !fake_is_of_cpus(create))
			return fake_refuse(create, PMCGRP_WHY_UNCORE_TASK, i, -1, EINVAL);
		if (i && is != first)
			return fake_refuse(create, PMCGRP_WHY_UNCORE_MIXED, i, -1, EINVAL);
		cpu = fake_is_of_cpus(create) ? fake_elsewhere(create, g, cpus) : -1;
		if (is && cpu >= 0)
			return fake_refuse(create, PMCGRP_WHY_UNCORE_CPU, i, cpu, ENODEV);
		first = is;
	}
	g->follows = first && create->target_type == PMCGRP_TARGET_ALL_CPUS;
	g->fd = memfd_create("group", MFD_CLOEXEC);
	g->enabled = !(create->flags & PMCGRP_CREATE_DISABLED) ||
		     create->flags & PMCGRP_CREATE_ENABLE_ON_EXEC;
	return g->fd;
}

static inline bool fake_is_busy(const struct fake_group *g)
{
	const char *busy = getenv("FAKE_BUSY");
	unsigned int i;

	for (i = 0; busy && i < g->nr; i++) {
		if (g->attr[i].type == strtoul(busy, NULL, 10))
			return true;
	}
	return false;
}

/* What read() gives of a CPU, or with -1 of all; the number of words. */
static inline size_t fake_words(const struct fake_group *g, int only, __u64 *out)
{
	__u64 *at = out, ticks = 0, value;
	bool busy = fake_is_busy(g);
	unsigned int i;
	int cpu;

	for (cpu = 0; cpu < FAKE_CPUS; cpu++)
		ticks += only < 0 || cpu == only ? g->ticks[cpu] : 0;
	*at++ = g->nr;
	if (g->format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = ticks * 1000000;
	if (g->format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = busy ? 0 : ticks * 1000000;
	for (i = 0; i < g->nr; i++) {
		value = 0;
		for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
			if (!busy && (only < 0 || cpu == only))
				value += g->ticks[cpu] *
					 (1000 * (g->attr[i].config & 0xff) + (__u64)cpu);
		}
		*at++ = value;
		if (g->format & PERF_FORMAT_ID)
			*at++ = (__u64)(g - fake_groups) * 1000 + i + 1;
		if (g->format & PMCGRP_FORMAT_LOST)
			*at++ = 0;
	}
	return (size_t)(at - out);
}

/* The CPUs that count now; those that come get a row. */
static inline void fake_follow(struct fake_group *g, bool *now)
{
	unsigned long at = getenv("FAKE_MOVE") ? strtoul(getenv("FAKE_MOVE"), NULL, 10) : 0;
	unsigned int i, place = at && g->reads + 1 >= at ? g->reads + 2 - (unsigned int)at : 0;
	int cpu;

	memcpy(now, g->cpus, sizeof(g->cpus));
	for (i = 0; g->follows && i < g->nr; i++)
		fake_pmu(g->attr[i].type, now, place);
	for (cpu = 0; cpu < FAKE_CPUS; cpu++)
		g->cpus[cpu] |= now[cpu];
}

static inline void fake_tick(struct fake_group *g, const bool *now)
{
	int cpu;

	g->reads++;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++)
		g->ticks[cpu] += g->enabled && now[cpu];
}

static inline ssize_t fake_read(struct fake_group *g, void *buf, size_t size)
{
	__u64 words[3 + 3 * PMCGRP_MEMBERS_MAX];
	bool now[FAKE_CPUS];
	size_t len;

	fake_follow(g, now);
	fake_tick(g, now);
	len = fake_words(g, -1, words) * sizeof(words[0]);
	if (len > size) {
		errno = ENOSPC;
		return -1;
	}
	memcpy(buf, words, len);
	return (ssize_t)len;
}

static inline int fake_read_cpus(struct fake_group *g, struct pmcgrp_read_cpus *arg)
{
	__u64 words[3 + 3 * PMCGRP_MEMBERS_MAX], number;
	char *at = (void *)(uintptr_t)arg->buf;
	bool now[FAKE_CPUS], first[FAKE_CPUS], twice = getenv("FAKE_TWICE");
	int cpu;

	fake_follow(g, twice ? first : now);
	if (twice) {
		g->reads++;
		fake_follow(g, now);
		g->reads--;
	}
	arg->record_size = (__u32)((fake_words(g, -1, words) + 1) * sizeof(words[0]));
	arg->nr_cpus = 0;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++)
		arg->nr_cpus += g->cpus[cpu];
	if (arg->buf_size < (__u64)arg->nr_cpus * arg->record_size) {
		errno = ENOSPC;
		return -1;
	}
	if (twice)
		fake_tick(g, first);
	fake_tick(g, now);
	for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
		if (!g->cpus[cpu])
			continue;
		number = (__u64)cpu;
		fake_words(g, cpu, words);
		memcpy(at, &number, sizeof(number));
		memcpy(at + sizeof(number), words, arg->record_size - sizeof(number));
		at += arg->record_size;
	}
	return 0;
}

static inline int fake_set_keys(struct fake_group *g, struct pmcgrp_keys *keys)
{
	const char *why = getenv("FAKE_KEYS_WHY"), *slots = getenv("FAKE_KEYS_SLOTS");

	if (why) {
		keys->why = (__u32)strtoul(why, NULL, 10);
		errno = EOPNOTSUPP;
		return -1;
	}
	if (slots && keys->slots > strtoul(slots, NULL, 10)) {
		keys->why = PMCGRP_WHY_MEMLOCK;
		errno = EPERM;
		return -1;
	}
	g->keys = calloc(1, sizeof(*g->keys));
	return fake_keys_init(g->keys, g->fd, g->nr, 2, keys);
}

static inline int fake_flush_keys(struct fake_group *g, unsigned long flags)
{
	unsigned long long key[2], ns, value;
	char path[1024], name[17];
	unsigned int cpu;
	FILE *in;

	snprintf(path, sizeof(path), "%s/keys", getenv("FAKE_SYS"));
	in = g->keys->flushes ? NULL : fopen(path, "re");
	while (in && fscanf(in, "%u %llu %llu %llu %llu %16[^\n]", &cpu, &key[0], &key[1], &ns,
			    &value, name) == 6)
		fake_keys_count(g->keys, cpu, key[0], key[1], name, ns, value);
	if (in)
		fclose(in);
	fake_keys_flush(g->keys, flags);
	return 0;
}

static inline int fake_ioctl(struct fake_group *g, unsigned long request, void *arg)
{
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
		g->enabled = request == PERF_EVENT_IOC_ENABLE;
		return 0;
	case PMCGRP_IOC_KEYS:
		if (!getenv("FAKE_KEYS_OLD"))
			return fake_set_keys(g, arg);
		errno = ENOTTY;
		return -1;
	case PMCGRP_IOC_KEYS_FLUSH:
		return fake_flush_keys(g, (unsigned long)(uintptr_t)arg);
	case PMCGRP_IOC_READ_CPUS:
		return fake_read_cpus(g, arg);
	case PMCGRP_IOC_RING:
		((struct pmcgrp_ring_setup *)arg)->why = PMCGRP_WHY_UNCORE_RING;
		errno = EOPNOTSUPP;
		return -1;
	default:
		errno = ENOTTY;
		return -1;
	}
}

ssize_t read(int fd, void *buf, size_t size)
{
	struct fake_group *g = fake_group_of(fd);

	return g ? fake_read(g, buf, size) : syscall(SYS_read, fd, buf, size);
}

int close(int fd)
{
	struct fake_group *g = fake_group_of(fd);

	if (g) {
		g->fd = 0;
		free(g->keys);
	}
	return (int)syscall(SYS_close, fd);
}

#endif
