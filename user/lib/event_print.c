// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * From an event's code back to the name that perf has for it: the tables of
 * <linux/perf_event.h>, tracefs for tracepoints, and for all else the PMUs in
 * /sys/bus/event_source/devices.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/config3.h"
#include "internal.h"

/* On hybrid machines the upper half of a generic event's config is its PMU's type. */
#define CONFIG_PMU_SHIFT 32
#define CONFIG_EVENT_MASK 0xffffffffU

/* PERF_COUNT_SW_CGROUP_SWITCHES of Linux 5.13 */
#define SW_CGROUP_SWITCHES 11

#define NAME_SIZE 256		/* of a file: NAME_MAX and its end */

static const struct event_folders machine = {
	.devices = "/sys/bus/event_source/devices",
	.tracing = { "/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events" },
};

static const char * const hardware[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char * const software[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
	[SW_CGROUP_SWITCHES] = "cgroup-switches",
};

static const char * const caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache",
	[PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",
	[PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",
	[PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};

/* By operation, then by result: accesses, misses. */
static const char * const cache_ops[][2] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "loads", "load-misses" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "stores", "store-misses" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetches", "prefetch-misses" },
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* What does not fit is left out, and counted all the same. */
struct text {
	char *buf;
	size_t size;
	size_t used;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *t, const char *format, ...)
{
	size_t left = t->used < t->size ? t->size - t->used : 0;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(left ? t->buf + t->used : NULL, left, format, args);
	va_end(args);
	if (len > 0)
		t->used += (size_t)len;
}

/* The number in a file, or -1. */
static long number_in(int folder, const char *path)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	char digits[32], *end;
	ssize_t len;
	long value;

	if (fd < 0)
		return -1;
	len = read(fd, digits, sizeof(digits) - 1);
	close(fd);
	if (len <= 0)
		return -1;
	digits[len] = '\0';
	value = strtol(digits, &end, 10);
	return end == digits || value < 0 ? -1 : value;
}

/* The next entry of a folder that a file <entry>/<file> makes of interest. */
static const char *next_entry(DIR *dir, const char *file, char *path, size_t size)
{
	const struct dirent *entry;

	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(path, size, "%s/%s", entry->d_name, file) < size)
			return entry->d_name;
	}
	return NULL;
}

/* ---- PMUs ---- */

static bool pmu_of_type(const char *folder, uint32_t type, char *name)
{
	char path[NAME_SIZE + 16];
	DIR *dir = opendir(folder);
	const char *entry = NULL;

	if (!dir)
		return false;
	while ((entry = next_entry(dir, "type", path, sizeof(path)))) {
		if (number_in(dirfd(dir), path) == (long)type)
			break;
	}
	if (entry)
		snprintf(name, NAME_SIZE, "%s", entry);
	closedir(dir);
	return entry;
}

/*
 * The PMU of the CPU's core itself, which counts the generic events: it has a file
 * "cpus", where others have "cpumask"; on machines with one kind of core there may be
 * none, and x86's has the type of raw events.
 */
static void core_pmu(const char *folder, int cpu, char *name)
{
	char path[NAME_SIZE + 16], full[4096];
	DIR *dir = opendir(folder);
	const char *entry = NULL;
	struct pmcgrp_cpus cpus;

	while (dir && (entry = next_entry(dir, "cpus", path, sizeof(path)))) {
		snprintf(full, sizeof(full), "%s/%s", folder, path);
		if (!cpus_read(&cpus, full) && (cpu < 0 || pmcgrp_cpus_test(&cpus, cpu)))
			break;
	}
	if (entry)
		snprintf(name, NAME_SIZE, "%s", entry);
	else if (!pmu_of_type(folder, PERF_TYPE_RAW, name))
		strcpy(name, "cpu");
	if (dir)
		closedir(dir);
}

static void pmu_name(const struct perf_event_attr *attr, const struct event_folders *folders,
		     int cpu, char *name)
{
	uint32_t type = attr->type;

	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE)
		type = (uint32_t)(attr->config >> CONFIG_PMU_SHIFT);
	if (!type || type == PERF_TYPE_RAW)
		core_pmu(folders->devices, cpu, name);
	else if (!pmu_of_type(folders->devices, type, name))
		snprintf(name, NAME_SIZE, "type%u", type);
}

/* ---- Events ---- */

static bool tracepoint_in(const char *folder, uint64_t id, struct text *t)
{
	char path[NAME_SIZE + 16], subsystem[NAME_SIZE + 16];
	DIR *outer = opendir(folder), *inner;
	const char *system, *event = NULL;
	int fd;

	while (outer && !event && (system = next_entry(outer, "", subsystem, sizeof(subsystem)))) {
		fd = openat(dirfd(outer), subsystem, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		inner = fd < 0 ? NULL : fdopendir(fd);
		if (!inner) {
			if (fd >= 0)
				close(fd);
			continue;
		}
		while ((event = next_entry(inner, "id", path, sizeof(path)))) {
			if (number_in(dirfd(inner), path) == (long)id)
				break;
		}
		if (event)
			add(t, "%s:%s", system, event);
		closedir(inner);
	}
	if (outer)
		closedir(outer);
	return event;
}

static bool add_tracepoint(struct text *t, const struct event_folders *folders, uint64_t id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(folders->tracing) && id <= INT32_MAX; i++) {
		if (tracepoint_in(folders->tracing[i], id, t))
			return true;
	}
	return false;
}

/* Of hardware and hw-cache events; NULL for a number without a name. */
static const char *generic_name(const struct perf_event_attr *attr, char *buf, size_t size)
{
	uint64_t event = attr->config & CONFIG_EVENT_MASK;
	uint64_t cache = event & 0xff, op = event >> 8 & 0xff, result = event >> 16;

	if (attr->type == PERF_TYPE_HARDWARE)
		return event < ARRAY_SIZE(hardware) ? hardware[event] : NULL;
	if (cache >= ARRAY_SIZE(caches) || op >= ARRAY_SIZE(cache_ops) ||
	    result >= ARRAY_SIZE(cache_ops[0]))
		return NULL;
	snprintf(buf, size, "%s-%s", caches[cache], cache_ops[op][result]);
	return buf;
}

/* Adds the name, if there is one for the code. @slash: it ends like "pmu/name/". */
static bool add_named(struct text *t, const struct perf_event_attr *attr,
		      const struct event_folders *folders, bool *slash)
{
	char buf[64], pmu[NAME_SIZE];
	const char *name;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		name = generic_name(attr, buf, sizeof(buf));
		if (!name)
			return false;
		*slash = attr->config >> CONFIG_PMU_SHIFT;
		if (*slash) {
			pmu_name(attr, folders, -1, pmu);
			add(t, "%s/%s/", pmu, name);
		} else {
			add(t, "%s", name);
		}
		return true;
	case PERF_TYPE_SOFTWARE:
		if (attr->config >= ARRAY_SIZE(software))
			return false;
		add(t, "%s", software[attr->config]);
		return true;
	case PERF_TYPE_TRACEPOINT:
		return add_tracepoint(t, folders, attr->config);
	case PERF_TYPE_RAW:
		add(t, "r%llx", (unsigned long long)attr->config);
		return true;
	default:
		return false;
	}
}

static void add_coded(struct text *t, const struct perf_event_attr *attr,
		      const struct event_folders *folders)
{
	char pmu[NAME_SIZE];

	if (!pmu_of_type(folders->devices, attr->type, pmu))
		snprintf(pmu, sizeof(pmu), "type%u", attr->type);
	add(t, "%s/config=0x%llx", pmu, (unsigned long long)attr->config);
	if (attr->config1)
		add(t, ",config1=0x%llx", (unsigned long long)attr->config1);
	if (attr->config2)
		add(t, ",config2=0x%llx", (unsigned long long)attr->config2);
	if (attr_config3(attr))
		add(t, ",config3=0x%llx", (unsigned long long)attr_config3(attr));
	add(t, "/");
}

/* perf's letters for what is counted where something is left out. */
static void add_modifiers(struct text *t, const struct perf_event_attr *attr, bool slash)
{
	char letters[8], *at = letters;

	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv) {
		if (!attr->exclude_user)
			*at++ = 'u';
		if (!attr->exclude_kernel)
			*at++ = 'k';
		if (!attr->exclude_hv)
			*at++ = 'h';
	}
	if (attr->exclude_idle)
		*at++ = 'I';
	if (attr->exclude_host)
		*at++ = 'G';
	if (attr->exclude_guest)
		*at++ = 'H';
	*at = '\0';
	if (at != letters)
		add(t, "%s%s", slash ? "" : ":", letters);
}

size_t event_name(const struct perf_event_attr *attr, const struct event_folders *folders,
		  char *buf, size_t size)
{
	bool slash = false, more = attr->config1 || attr->config2 || attr_config3(attr);
	struct text t = { .buf = buf, .size = size };

	if (size)
		buf[0] = '\0';
	/* A name says nothing of further words; but for generic events they mean nothing. */
	if ((attr->type == PERF_TYPE_RAW && more) || !add_named(&t, attr, folders, &slash)) {
		add_coded(&t, attr, folders);
		slash = true;
	}
	add_modifiers(&t, attr, slash);
	return t.used;
}

size_t event_pmu(const struct perf_event_attr *attr, const struct event_folders *folders, int cpu,
		 char *buf, size_t size)
{
	char name[NAME_SIZE];

	pmu_name(attr, folders, cpu, name);
	if (size)
		snprintf(buf, size, "%s", name);
	return strlen(name);
}

size_t pmcgrp_event_name(const struct perf_event_attr *attr, char *buf, size_t size)
{
	return event_name(attr, &machine, buf, size);
}

size_t pmcgrp_event_pmu(const struct perf_event_attr *attr, int cpu, char *buf, size_t size)
{
	return event_pmu(attr, &machine, cpu, buf, size);
}
