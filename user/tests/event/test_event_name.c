// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Names of events: perf's own must give perf's own numbers, on any machine. */
#include "test.h"

#include <linux/perf_event.h>

#include "event/event_name.h"

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
};

static const struct {
	const char *name;
	const char *says;
} bad[] = {
	{ "cyclez", "is not a name" },
	{ "", "is not a name" },
	{ "r", "is not a name" },
	{ "rxyz", "is not a name" },
	{ "r00000000000000001", "too many digits" },
	{ "cycles:p", "a modifier after its colon that pmcgrp does not know" },
	{ "cycles:ppp", "a modifier after its colon that pmcgrp does not know" },
	{ "cycles:zz", "not complete or has a unit mask that does not exist" },
	{ "bpf-output", "is not a name" },
	{ "sched:no_such_event", "" },
	{ "LLC-", "is not a name" },
	{ "LLC-loads-", "is not a name" },
	{ "LLC--misses", "is not a name" },
	{ "LLC-loads-stores", "is not a name" },
	{ "LLC-loads-misses-refs", "is not a name" },
	{ "iTLB-stores", "is not a name" },
	{ "L1-icache-stores", "is not a name" },
	{ "L1-dcachex", "is not a name" },
};

static void good_names(void **state)
{
	struct event_code code;
	char text[200];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (event_name_encode(good[i].name, &code, text, sizeof(text)) < 0)
			fail_msg("%s %s", good[i].name, text);
		if (code.type != good[i].type || code.config != good[i].config)
			fail_msg("%s: type %u, config 0x%llx", good[i].name, code.type,
				 (unsigned long long)code.config);
		assert_row(i, !code.config1 && !code.config2);
		assert_row(i, !code.exclude_user && !code.exclude_kernel && !code.exclude_hv);
	}
}

static void bad_names(void **state)
{
	struct event_code code;
	char text[200];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_row(i, event_name_encode(bad[i].name, &code, text, sizeof(text)) == -ENOENT);
		if (!strstr(text, bad[i].says))
			fail_msg("%s %s", bad[i].name, text);
	}
}

/* Privilege levels in libpfm4's spelling are not lost. */
static void levels_of_libpfm(void **state)
{
	struct event_code code;
	char text[200];

	(void)state;
	assert_int_equal(event_name_encode("cycles:u=1:k=0", &code, text, sizeof(text)), 0);
	assert_false(code.exclude_user);
	assert_true(code.exclude_kernel);
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
