// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From codes back to perf's names, and to PMUs, with /sys and tracefs of the test's own. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "event/config3.h"
#include "internal.h"

#define CACHE(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static char folder[] = "/tmp/pmcgrp-test-XXXXXX", devices[64], tracing[64], hybrid[64], none[64];
static const struct event_folders folders = { devices, { none, tracing } };

static void put(const char *where, const char *name, const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", where, name);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", where, name, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	char sched[128];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(devices, sizeof(devices), "%s/devices", folder);
	snprintf(hybrid, sizeof(hybrid), "%s/hybrid", folder);
	snprintf(tracing, sizeof(tracing), "%s/events", folder);
	snprintf(none, sizeof(none), "%s/none", folder);
	mkdir(devices, 0755);
	mkdir(hybrid, 0755);
	mkdir(tracing, 0755);
	put(devices, "cpu", "type", "4\n");
	put(devices, "uncore_imc", "type", "19\n");
	put(devices, "uncore_imc", "cpumask", "0\n");
	/* Not numbers, or not there. */
	put(devices, "broken", "type", "x\n");
	put(devices, "empty", "type", "");
	put(devices, "negative", "type", "-3\n");
	put(devices, "without", "name", "without\n");
	put(hybrid, "cpu_core", "type", "4\n");
	put(hybrid, "cpu_core", "cpus", "0-3\n");
	put(hybrid, "cpu_atom", "type", "10\n");
	put(hybrid, "cpu_atom", "cpus", "4-7\n");
	put(tracing, "sched", "enable", "0\n");
	snprintf(sched, sizeof(sched), "%s/sched", tracing);
	put(sched, "sched_wakeup", "id", "314\n");
	put(sched, "sched_switch", "id", "316\n");
	put(tracing, "syscalls", "enable", "0\n");
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static const struct {
	const char *name;
	struct perf_event_attr attr;
} rows[] = {
	{ "cycles", { .type = PERF_TYPE_HARDWARE } },
	{ "branches", { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS } },
	{ "ref-cycles", { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_REF_CPU_CYCLES } },
	{ "type0/config=0x63/", { .type = PERF_TYPE_HARDWARE, .config = 99 } },
	{ "page-faults:u", { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
			     .exclude_kernel = 1, .exclude_hv = 1 } },
	{ "cgroup-switches", { .type = PERF_TYPE_SOFTWARE, .config = 11 } },
	{ "type1/config=0xc/", { .type = PERF_TYPE_SOFTWARE, .config = 12 } },
	{ "L1-dcache-load-misses", { .type = PERF_TYPE_HW_CACHE, .config = CACHE(L1D, READ, MISS) } },
	{ "LLC-stores", { .type = PERF_TYPE_HW_CACHE, .config = CACHE(LL, WRITE, ACCESS) } },
	{ "node-prefetches", { .type = PERF_TYPE_HW_CACHE, .config = CACHE(NODE, PREFETCH, ACCESS) } },
	{ "type3/config=0x7/", { .type = PERF_TYPE_HW_CACHE, .config = 7 } },
	{ "type3/config=0x300/", { .type = PERF_TYPE_HW_CACHE, .config = 0x300 } },
	{ "type3/config=0x20000/", { .type = PERF_TYPE_HW_CACHE, .config = 0x20000 } },
	{ "sched:sched_switch", { .type = PERF_TYPE_TRACEPOINT, .config = 316 } },
	{ "sched:sched_switch:k", { .type = PERF_TYPE_TRACEPOINT, .config = 316,
				    .exclude_user = 1, .exclude_hv = 1 } },
	{ "type2/config=0x13d/", { .type = PERF_TYPE_TRACEPOINT, .config = 317 } },
	{ "type2/config=0x10000013c/", { .type = PERF_TYPE_TRACEPOINT, .config = 0x10000013c } },
	{ "r1a8", { .type = PERF_TYPE_RAW, .config = 0x1a8 } },
	{ "r0:uk", { .type = PERF_TYPE_RAW, .exclude_hv = 1 } },
	{ "rffffffffffffffff", { .type = PERF_TYPE_RAW, .config = UINT64_MAX } },
	/* A raw code that is more than one word has no r. */
	{ "cpu/config=0x1,config2=0x3/uI", { .type = PERF_TYPE_RAW, .config = 1, .config2 = 3,
					     .exclude_kernel = 1, .exclude_hv = 1,
					     .exclude_idle = 1 } },
	{ "uncore_imc/config=0x4,config1=0x7/", { .type = 19, .config = 4, .config1 = 7 } },
	{ "uncore_imc/config=0x4/G", { .type = 19, .config = 4, .exclude_host = 1 } },
	{ "cycles:uH", { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1, .exclude_hv = 1,
			 .exclude_guest = 1 } },
	{ "type4294967295/config=0x0/", { .type = UINT32_MAX } },
	{ "type3000/config=0x1/", { .type = 3000, .config = 1 } },
};

static void names(void **state)
{
	char name[128], part[8];
	size_t i, len;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		len = event_name(&rows[i].attr, &folders, name, sizeof(name));
		if (strcmp(name, rows[i].name))
			fail_msg("row %zu: '%s', not '%s'", i, name, rows[i].name);
		assert_row(i, len == strlen(name));
		/* Into too little room, and into none. */
		memset(part, 'x', sizeof(part));
		assert_row(i, event_name(&rows[i].attr, &folders, part, 4) == len);
		assert_row(i, !strncmp(part, name, 3) && part[4] == 'x' && strlen(part) <= 3);
		assert_row(i, event_name(&rows[i].attr, &folders, NULL, 0) == len);
	}
}

/* On hybrid machines a generic event is one of one PMU. */
static void of_hybrid(void **state)
{
	const struct event_folders two = { hybrid, { none, none } };
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE };
	char name[64];

	(void)state;
	event_name(&attr, &two, name, sizeof(name));
	assert_string_equal(name, "cycles");
	attr.config = 10ULL << 32 | PERF_COUNT_HW_INSTRUCTIONS;
	attr.exclude_user = 1;
	event_name(&attr, &two, name, sizeof(name));
	assert_string_equal(name, "cpu_atom/instructions/kh");
	event_pmu(&attr, &two, 0, name, sizeof(name));
	assert_string_equal(name, "cpu_atom");
	attr.config = 99ULL << 32;
	event_name(&attr, &two, name, sizeof(name));
	assert_string_equal(name, "type99/cycles/kh");
}

static void pmus(void **state)
{
	static const struct {
		const char *folder;
		uint32_t type;
		int cpu;
		const char *pmu;
	} table[] = {
		{ devices, PERF_TYPE_HARDWARE, 0, "cpu" },
		{ devices, PERF_TYPE_RAW, 700, "cpu" },
		{ devices, 19, 0, "uncore_imc" },
		{ devices, 20, 0, "type20" },
		{ devices, PERF_TYPE_SOFTWARE, 0, "type1" },
		{ hybrid, PERF_TYPE_HARDWARE, 3, "cpu_core" },
		{ hybrid, PERF_TYPE_HW_CACHE, 4, "cpu_atom" },
		{ hybrid, PERF_TYPE_RAW, 7, "cpu_atom" },
		{ hybrid, PERF_TYPE_RAW, 8, "cpu_core" },
		{ none, PERF_TYPE_HARDWARE, 0, "cpu" },
		{ none, 7, 0, "type7" },
	};
	char name[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const struct event_folders where = { table[i].folder, { none, none } };
		struct perf_event_attr attr = { .type = table[i].type };

		event_pmu(&attr, &where, table[i].cpu, name, sizeof(name));
		if (strcmp(name, table[i].pmu))
			fail_msg("row %zu: '%s', not '%s'", i, name, table[i].pmu);
	}
}

/* What perf has a name for is found by it again. */
static void there_and_back(void **state)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	char name[128];
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = { .type = rows[i].attr.type,
						.config = rows[i].attr.config };

		event_name(&attr, &folders, name, sizeof(name));
		k = strcspn(name, "/:");
		/* libpfm4 asks this machine's tracefs, and knows no cgroup-switches. */
		if (name[k] || !strcmp(name, "cgroup-switches") || !strcmp(name, "node-prefetches"))
			continue;
		if (pmcgrp_events_parse(&events, name, 0, &error) < 0)
			fail_msg("%s", error.text);
		assert_row(i, pmcgrp_events_at(events, 0)->attr->type == attr.type &&
				      pmcgrp_events_at(events, 0)->attr->config == attr.config);
		pmcgrp_events_free(events);
	}
}

/* It is looked at if the attr's size has it. */
static void third_word(void **state)
{
	union attr_wide wide = { .attr = { .type = PERF_TYPE_RAW, .size = sizeof(wide.attr),
					   .config = 0x1a8 } };
	char name[64];

	(void)state;
	attr_config3_set(&wide, 9);
	pmcgrp_event_name(&wide.attr, name, sizeof(name));
	assert_non_null(strstr(name, "/config=0x1a8,config3=0x9/"));
	wide.attr.size = PERF_ATTR_SIZE_VER7;
	pmcgrp_event_name(&wide.attr, name, sizeof(name));
	assert_string_equal(name, "r1a8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(of_hybrid),
		cmocka_unit_test(pmus),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(third_word),
	};

	return cmocka_run_group_tests_name("event_code", tests, setup, teardown);
}
