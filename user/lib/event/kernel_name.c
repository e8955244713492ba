// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The kernel's own events by name.  libpfm4 knows most of them as well, but reads the id of
 * every tracepoint before it answers: 27 million instructions in the kernel.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernel_name.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

struct named {
	const char *name;
	uint64_t config;
};

/* bpf-output is not here: it counts nothing. */
static const struct named software[] = {
	{ "cpu-clock", PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS },
	{ "cgroup-switches", PERF_COUNT_SW_CGROUP_SWITCHES },
	{ "dummy", PERF_COUNT_SW_DUMMY },
};

static const struct named hardware[] = {
	{ "cpu-cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
};

static const struct named caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I },
	{ "L1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "L1i", PERF_COUNT_HW_CACHE_L1I },
	{ "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },
	{ "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "d-TLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU },
	{ "branches", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU },
	{ "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },
	{ "node", PERF_COUNT_HW_CACHE_NODE },
};

static const struct named operations[] = {
	{ "load", PERF_COUNT_HW_CACHE_OP_READ },
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
};

static const struct named results[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
};

static bool find(const struct named *list, size_t nr, const char *name, uint64_t *config)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (strcasecmp(name, list[i].name))
			continue;
		*config = list[i].config;
		return true;
	}
	return false;
}

/*
 * What of a list the text begins with, up to a hyphen or its end: the longest one.  Returns the
 * text behind it, without the hyphen, or NULL.
 */
static const char *take(const struct named *list, size_t nr, const char *text, uint64_t *config)
{
	const char *rest = NULL;
	size_t i, len, best = 0;

	for (i = 0; i < nr; i++) {
		len = strlen(list[i].name);
		if (len <= best || strncasecmp(text, list[i].name, len) ||
		    (text[len] && text[len] != '-'))
			continue;
		best = len;
		rest = text + len + (text[len] == '-');
		*config = list[i].config;
	}
	/* A hyphen is between two words. */
	return rest && !*rest && rest[-1] == '-' ? NULL : rest;
}

/* The operations that the kernel takes: instructions and branch targets are not written. */
static bool cache_has(uint64_t cache, uint64_t operation)
{
	switch (cache) {
	case PERF_COUNT_HW_CACHE_L1I:
		return operation != PERF_COUNT_HW_CACHE_OP_WRITE;
	case PERF_COUNT_HW_CACHE_ITLB:
	case PERF_COUNT_HW_CACHE_BPU:
		return operation == PERF_COUNT_HW_CACHE_OP_READ;
	default:
		return true;
	}
}

/* Each of the two may be left out, and may come first. */
static bool cache_encode(const char *name, uint64_t *config)
{
	uint64_t cache, operation = PERF_COUNT_HW_CACHE_OP_READ;
	uint64_t result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	bool has_operation = false, has_result = false;
	const char *rest = take(caches, NR(caches), name, &cache), *next;

	if (!rest)
		return false;
	while (*rest) {
		next = has_operation ? NULL : take(operations, NR(operations), rest, &operation);
		if (next) {
			has_operation = true;
		} else {
			next = has_result ? NULL : take(results, NR(results), rest, &result);
			has_result = true;
		}
		if (!next)
			return false;
		rest = next;
	}
	if (!cache_has(cache, operation))
		return false;
	*config = cache | operation << 8 | result << 16;
	return true;
}

bool kernel_name_encode(const char *name, uint32_t *type, uint64_t *config)
{
	if (find(software, NR(software), name, config))
		*type = PERF_TYPE_SOFTWARE;
	else if (find(hardware, NR(hardware), name, config))
		*type = PERF_TYPE_HARDWARE;
	else if (cache_encode(name, config))
		*type = PERF_TYPE_HW_CACHE;
	else
		return false;
	return true;
}

/* Names of one event follow each other: perf list shows the first two. */
static int list_each(const struct named *list, size_t nr,
		     int (*each)(void *ctx, const char *name, const char *alias), void *ctx)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		bool more = i + 1 < nr && list[i + 1].config == list[i].config;

		if (i && list[i - 1].config == list[i].config)
			continue;
		ret = each(ctx, list[i].name, more ? list[i + 1].name : NULL);
	}
	return ret;
}

/* The names of operations and results that perf list shows. */
static const char *const operation_shown[] = { "load", "store", "prefetch" };
static const char *const operations_shown[] = { "loads", "stores", "prefetches" };

static int caches_each(int (*each)(void *ctx, const char *name, const char *alias), void *ctx)
{
	unsigned int operation;
	char name[64];
	int ret = 0;
	size_t i;

	for (i = 0; i < NR(caches) && !ret; i++) {
		if (i && caches[i - 1].config == caches[i].config)
			continue;
		for (operation = 0; operation < NR(operation_shown) && !ret; operation++) {
			if (!cache_has(caches[i].config, operation))
				continue;
			snprintf(name, sizeof(name), "%s-%s", caches[i].name,
				 operations_shown[operation]);
			ret = each(ctx, name, NULL);
			if (ret)
				break;
			snprintf(name, sizeof(name), "%s-%s-misses", caches[i].name,
				 operation_shown[operation]);
			ret = each(ctx, name, NULL);
		}
	}
	return ret;
}

int kernel_name_each(uint32_t type, int (*each)(void *ctx, const char *name, const char *alias),
		     void *ctx)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
		return list_each(hardware, NR(hardware), each, ctx);
	case PERF_TYPE_SOFTWARE:
		return list_each(software, NR(software), each, ctx);
	default:
		return caches_each(each, ctx);
	}
}

#define RAW_DIGITS_MAX 16

int kernel_name_raw(const char *name, uint64_t *config)
{
	size_t digits;

	if (*name++ != 'r')
		return -ENOENT;
	if (name[0] == '0' && name[1] == 'x')
		name += 2;
	digits = strspn(name, "0123456789abcdefABCDEF");
	if (!digits || name[digits])
		return -ENOENT;
	if (digits > RAW_DIGITS_MAX)
		return -ERANGE;
	*config = strtoull(name, NULL, 16);
	return 0;
}
