// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Names of events: perf's own must give perf's own numbers, on any machine. */
#include "test.h"

#include "pmcgrp.h"

#define CACHE(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} good[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS) },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS) },
	{ "L1-dcache-stores", PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS) },
	{ "L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS) },
	{ "LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS) },
	{ "LLC-store-misses", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS) },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS) },
	{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS) },
	{ "branch-loads", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, ACCESS) },
	{ "node-loads", PERF_TYPE_HW_CACHE, CACHE(NODE, READ, ACCESS) },
	{ "LLC", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS) },
	{ "llc-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS) },
	{ "L2-prefetch-misses", PERF_TYPE_HW_CACHE, CACHE(LL, PREFETCH, MISS) },
	{ "l1-d-speculative-read-refs", PERF_TYPE_HW_CACHE, CACHE(L1D, PREFETCH, ACCESS) },
	{ "dTLB-misses-store", PERF_TYPE_HW_CACHE, CACHE(DTLB, WRITE, MISS) },
	{ "branch-load-misses", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, MISS) },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES },
	{ "r8", PERF_TYPE_RAW, 0x8 },
	{ "r1A8", PERF_TYPE_RAW, 0x1a8 },
	{ "rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX },
	{ "r0", PERF_TYPE_RAW, 0 },
	{ "0:0x3", PERF_TYPE_HARDWARE, 3 },
	{ "4294967295:18446744073709551615", UINT32_MAX, UINT64_MAX },
	{ "cycles/config=7/", PERF_TYPE_HARDWARE, 7 },
	{ "cycles//", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
};

static const struct {
	const char *name;
	const char *says;
} bad[] = {
	{ "cyclez", "is not an event that this machine has" },
	{ "r", "is not an event" },
	{ "rxyz", "is not an event" },
	{ "r00000000000000001", "too many digits" },
	{ "cycles:zz", "'z' is no modifier" },
	{ "cycles:u:k", "has modifiers already" },
	{ "bpf-output", "counts nothing" },
	{ "duration_time", "below the counts" },
	{ "mem:0x1000:rw", "breakpoints" },
	{ "4294967296:1", "more than 32 bits" },
	{ "cycles/foo=1/", "not one that every event has" },
	{ "cycles/period=1/", "a trigger" },
	{ "cycles/config=x/", "is a number, not 'x'" },
	{ "nosuch/event=1/", "neither a PMU nor an event of one" },
	{ "sched:no_such_event", "" },
	{ "LLC-", "is not an event" },
	{ "LLC-loads-", "is not an event" },
	{ "LLC--misses", "is not an event" },
	{ "LLC-loads-stores", "is not an event" },
	{ "LLC-loads-misses-refs", "is not an event" },
	{ "iTLB-stores", "is not an event" },
	{ "L1-icache-stores", "is not an event" },
	{ "L1-dcachex", "is not an event" },
};

static void good_names(void **state)
{
	struct pmcgrp_events_error error;
	const struct perf_event_attr *attr;
	struct pmcgrp_events *events;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (pmcgrp_events_parse(&events, good[i].name, 0, &error) < 0)
			fail_msg("%s", error.text);
		assert_row(i, pmcgrp_events_nr(events) == 1);
		attr = pmcgrp_events_at(events, 0)->attr;
		if (attr->type != good[i].type || attr->config != good[i].config)
			fail_msg("%s: type %u, config %#llx", good[i].name, attr->type,
				 (unsigned long long)attr->config);
		assert_row(i, !attr->config1 && !attr->config2);
		assert_row(i, !attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv);
		pmcgrp_events_free(events);
	}
}

static void bad_names(void **state)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_row(i, pmcgrp_events_parse(&events, bad[i].name, 0, &error) == -EINVAL);
		assert_null(events);
		if (!strstr(error.text, bad[i].says))
			fail_msg("%s: %s", bad[i].name, error.text);
	}
}

/* Privilege levels in libpfm4's spelling are not lost. */
static void levels_of_libpfm(void **state)
{
	struct pmcgrp_events *events;

	(void)state;
	assert_int_equal(pmcgrp_events_parse(&events, "cycles:u=1:k=0", 0, NULL), 0);
	assert_false(pmcgrp_events_at(events, 0)->attr->exclude_user);
	assert_true(pmcgrp_events_at(events, 0)->attr->exclude_kernel);
	pmcgrp_events_free(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_names),
		cmocka_unit_test(bad_names),
		cmocka_unit_test(levels_of_libpfm),
	};

	return cmocka_run_group_tests_name("event_name", tests, NULL, NULL);
}
