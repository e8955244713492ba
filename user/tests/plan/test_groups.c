// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Events of the models that are installed: their codes, counters and flags. */
#include "test.h"

#include <unistd.h>

#include "event/machine.h"
#include "event/near.h"
#include "plan/model.h"

#define FIXED(n) (1ULL << (PMCGRP_PLAN_FIXED + (n)))

static struct failure failure;

/* One event of a model; kernels and hyper-threads as they are asked for. */
struct row {
	const char *model;
	const char *kernel;
	bool no_ht;
	const char *event;
	uint64_t code;
	uint64_t config1;
	uint64_t mask;
	unsigned int flags;
};

/* Tables of perf's are elsewhere: all names are the models' own. */
static const struct row rows[] = {
	{ "SandyBridge", "6.12", false, "l1d_pend_miss.pending", 0x148, 0, 0x4, 0 },
	{ "SandyBridge", "6.12", false, "mem_load_uops_retired.l1_hit", 0x1d1, 0, 0xf,
	  PMCGRP_PLAN_EXCLUSIVE },
	{ "SandyBridge", "6.12", true, "mem_load_uops_retired.l1_hit", 0x1d1, 0, 0xf, 0 },
	{ "SandyBridge", "4.0", false, "mem_load_uops_retired.l1_hit", 0x1d1, 0, 0xf, 0 },
	{ "SandyBridge", "6.12", false, "instructions", 0xc0, 0, 0xf | FIXED(0), 0 },
	{ "SandyBridge", "6.12", true, "instructions:u", 0xc0, 0, 0xff | FIXED(0), 0 },
	{ "SandyBridge", "6.12", true, "ref-cycles", 0x300, 0, FIXED(2), 0 },
	{ "SandyBridge", "6.12", true, "r300", 0x300, 0, FIXED(2), 0 },
	{ "SandyBridge", "6.12", false, "LLC-loads", 0x1b7, 0x10081, 0xf, 0 },
	{ "SandyBridge", "6.12", false, "LLC-load-misses", 0x1b7, 0x3fffc00081, 0xf,
	  PMCGRP_PLAN_UNSUPPORTED },
	{ "SandyBridgeEP", "6.12", false, "LLC-load-misses", 0x1b7, 0x3fffc00081, 0xf, 0 },
	{ "SandyBridge", "6.12", false, "L1-icache-loads", 0, 0, 0, PMCGRP_PLAN_UNSUPPORTED },
	{ "SandyBridge", "6.12", false, "page-faults", 0, 0, 0, PMCGRP_PLAN_SOFTWARE },
	{ "SandyBridge", "6.12", false, "cpu/event=0xb7,umask=1,offcore_rsp=0x10081/", 0x1b7, 0x10081,
	  0xf, 0 },
	{ "SandyBridge", "6.12", false, "cpu/event=0xb7,umask=1,offcore_rsp=0x8000000000/", 0x1b7,
	  0x8000000000, 0xf, PMCGRP_PLAN_UNSUPPORTED },
	{ "SandyBridge", "6.12", false, "cpu/event=0x3c,edge=1/", 0x4003c, 0, 0xf, 0 },
	{ "SandyBridge", "6.12", false, "cpu/event=0x3c,pc=1/", 0x3c, 0, 0xf | FIXED(1), 0 },
	{ "IvyBridge", "3.9", false, "mem_load_uops_retired.l1_hit", 0x1d1, 0, 0xf, 0 },
	{ "IvyBridge", "3.10-rc1", false, "mem_load_uops_retired.l1_hit", 0x1d1, 0, 0,
	  PMCGRP_PLAN_UNSUPPORTED },
	{ "IvyBridge", "4.0", false, "mem_load_uops_retired.l1_hit", 0x1d1, 0, 0,
	  PMCGRP_PLAN_UNSUPPORTED },
	{ "IvyBridge", "4.1-rc1", false, "mem_load_uops_retired.l1_hit", 0x1d1, 0, 0xf,
	  PMCGRP_PLAN_EXCLUSIVE },
	{ "Haswell", "4.0-rc6", true, "r5a3", 0x5a3, 0, 0x4, 0 },
	{ "Haswell", "4.0-rc7", true, "r5a3", 0x5a3, 0, 0xff, 0 },
	{ "Haswell", "6.12", true, "cpu/event=0xd1,umask=1,in_tx_cp=1/", 0x2000001d1, 0, 0x4, 0 },
	{ "Haswell", "6.12", true, "cpu/event=0xcd,in_tx_cp=1/", 0x2000000cd, 0, 0,
	  PMCGRP_PLAN_UNSUPPORTED },
	{ "Haswell", "6.12", true, "cycles:p", 0x3c, 0, 0xff | FIXED(1), PMCGRP_PLAN_UNSUPPORTED },
	{ "Haswell", "6.12", true, "cycles:P", 0x3c, 0, 0xff | FIXED(1), 0 },
	{ "Broadwell", "4.3-rc3", true, "r5a3", 0x5a3, 0, 0x4, 0 },
	{ "Broadwell", "6.12", true, "r5a3", 0x5a3, 0, 0xff, 0 },
	{ "Broadwell", "6.12", true, "rca3", 0xca3, 0, 0x4, 0 },
	{ "Skylake", "4.7-rc6", true, "mem_load_retired.l1_hit", 0x1d1, 0, 0xff, 0 },
	{ "Skylake", "4.7-rc7", true, "mem_load_retired.l1_hit", 0x1d1, 0, 0xf, 0 },
	{ "Skylake", "6.12", true, "cpu/event=0xc6,umask=1,frontend=0x7/", 0x1c6, 0x7, 0xf, 0 },
	{ "IceLake", "6.12", false, "slots", 0x400, 0, FIXED(3), 0 },
	{ "IceLake", "6.12", false, "topdown-be-bound", 0x8300, 0, 1ULL << (PMCGRP_PLAN_METRIC + 3),
	  PMCGRP_PLAN_UNSUPPORTED },
	{ "IceLake", "6.12", false, "dtlb_load_misses.walk_completed", 0xe08, 0, 0xf, 0 },
	{ "IceLake", "6.12", false, "r4a3", 0x4a3, 0, 0xff, 0 },
	{ "GoldenCove", "6.12", false, "cycle_activity.stalls_l1d_miss", 0xc000ca3, 0, 0xff, 0 },
	{ "GoldenCove", "6.12", false, "bus-cycles", 0x13c, 0, 0xff | FIXED(2), 0 },
	{ "Nehalem", "6.12", false, "dTLB-loads", 0xf40, 0, 0x3, 0 },
	{ "Bulldozer", "6.12", false, "cycles", 0x76, 0, 0x7, 0 },
	{ "Bulldozer", "6.12", false, "r100", 0x100, 0, 0x38, 0 },
	{ "Bulldozer", "6.12", false, "r1100", 0x1100, 0, 0x8, 0 },
	{ "Bulldozer", "6.12", false, "r104", 0x104, 0, 0x38, 0 },
	{ "Bulldozer", "6.12", false, "r304", 0x304, 0, 0x8, 0 },
	{ "Bulldozer", "6.12", false, "r331", 0x331, 0, 0, PMCGRP_PLAN_UNSUPPORTED },
	{ "Bulldozer", "6.12", false, "r131", 0x131, 0, 0x7, 0 },
	{ "Bulldozer", "6.12", false, "r2e", 0x2e, 0, 0x9, PMCGRP_PLAN_OVERLAP },
	{ "Bulldozer", "6.12", false, "rdd", 0xdd, 0, 0x3f, 0 },
	{ "Bulldozer", "6.12", false, "rda", 0xda, 0, 0x7, 0 },
	{ "Bulldozer", "6.12", false, "rb0", 0xb0, 0, 0, PMCGRP_PLAN_UNSUPPORTED },
	{ "Bulldozer", "6.12", false, "rf0", 0xf0, 0, 0, PMCGRP_PLAN_UNSUPPORTED },
	{ "Bulldozer", "6.12", false, "cpu/event=0x187/", 0x100000087, 0, 0x1, 0 },
	{ "Bulldozer", "6.12", false, "cpu/event=0x1c0/", 0x1000000c0, 0, 0x38, 0 },
	{ "Zen", "6.12", false, "stalled-cycles-backend", 0x187, 0, 0x3f, 0 },
	{ "Zen2", "6.12", false, "rff03", 0xff03, 0, 0x15, PMCGRP_PLAN_PAIR },
	{ "Zen2", "6.12", false, "LLC-loads", 0, 0, 0, PMCGRP_PLAN_UNSUPPORTED },
	{ "Zen3", "6.12", false, "cpu/event=0x103/", 0x100000003, 0, 0x3f, 0 },
	{ "Zen4", "6.12", false, "ref-cycles", 0x100000120, 0, 0x3f, 0 },
	{ "Armv8", "6.12", false, "cycles", 0x11, 0, 0x3f | FIXED(0), PMCGRP_PLAN_CYCLES },
	{ "Armv8", "6.12", false, "cpu_cycles", 0x11, 0, 0x3f | FIXED(0), PMCGRP_PLAN_CYCLES },
	{ "Armv8", "6.12", false, "armv8_pmuv3_0/event=8/", 0x8, 0, 0x3f, 0 },
};

static void check_row(size_t i, const struct row *row)
{
	struct plan_setup setup = { .ht = !row->no_ht };
	struct pmcgrp_events_error error = { 0 };
	const struct pmcgrp_plan_event *event;
	struct plan_groups groups;
	struct plan_model *model;
	struct plan_pmu pmu;

	assert_row(i, !plan_model_open(&model, row->model, &failure));
	assert_row(i, plan_kernel_parse(row->kernel, &setup.kernel));
	plan_pmu_begin(&pmu, model, &setup);
	if (plan_groups_parse(&groups, &pmu, row->event, &error))
		fail_msg("row %zu: %s", i, error.text);
	assert_row(i, groups.nr == 1 && groups.groups[0].nr == 1);
	event = groups.groups[0].events[0];
	if (event->code != row->code || event->config1 != row->config1 || event->mask != row->mask ||
	    event->flags != row->flags)
		fail_msg("row %zu: %s: code %#llx, config1 %#llx, mask %#llx, flags %#x", i, row->event,
			 (unsigned long long)event->code, (unsigned long long)event->config1,
			 (unsigned long long)event->mask, event->flags);
	assert_string_equal(event->name, row->event);
	plan_groups_free(&groups);
	plan_model_close(model);
}

static void events(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(i, &rows[i]);
}

/* All that is installed can be read, and has what a plan needs. */
static void check_model(void *nr, const char *name)
{
	struct plan_setup setup = { .ht = true, .watchdog = true };
	struct plan_model *model;
	struct plan_pmu pmu;

	if (plan_model_open(&model, name, &failure))
		fail_msg("%s", failure.text);
	assert_string_equal(plan_model_name(model), name);
	plan_pmu_begin(&pmu, model, &setup);
	assert_non_null(pmu.pmu.watchdog);
	assert_true(pmu.pmu.watchdog->mask);
	plan_model_close(model);
	++*(unsigned int *)nr;
}

static void models(void **state)
{
	unsigned int nr = 0;

	(void)state;
	assert_int_equal(plan_model_each(check_model, &nr, &failure), 0);
	assert_int_equal(nr, 16);
}

static char *tables; /* perf's, where they were built; NULL: they were not */
static unsigned int nr_compared;

/* The model's own events, for where perf's tables are not installed, are what these have. */
static void compare_event(const struct plan_pmu *pmu, const char *name, uint64_t code)
{
	struct pmcgrp_events_error error;
	struct plan_groups groups;

	if (plan_groups_parse(&groups, pmu, name, &error))
		return;
	if (groups.events[0].code != code)
		fail_msg("%s: %s: %#llx, and %#llx in the table", plan_model_name(pmu->model), name,
			 (unsigned long long)code, (unsigned long long)groups.events[0].code);
	nr_compared++;
	plan_groups_free(&groups);
}

static void compare_model(void *ctx, const char *name)
{
	static const struct pmu_text none = { 0 };
	struct plan_setup setup = { 0 };
	const struct pmu_text *event;
	struct plan_model *model;
	struct plan_groups own;
	struct plan_pmu pmu;

	(void)ctx;
	assert_int_equal(plan_model_open(&model, name, &failure), 0);
	plan_pmu_begin(&pmu, model, &setup);
	for (event = model->events; event->name; event++) {
		model->given.events = model->events;
		assert_int_equal(plan_groups_parse(&own, &pmu, event->name, NULL), 0);
		model->given.events = &none;
		compare_event(&pmu, event->name, own.events[0].code);
		plan_groups_free(&own);
	}
	plan_model_close(model);
}

static void against_tables(void **state)
{
	(void)state;
	if (!tables)
		skip();
	event_machine_here.tables = tables;
	assert_int_equal(plan_model_each(compare_model, NULL, &failure), 0);
	event_machine_here.tables = "/nonexistent";
	assert_true(nr_compared > 90);
}

/* What decides beside the model. */
static void setups(void **state)
{
	struct plan_setup setup = { .ht = true, .no_pmc3 = true };
	struct plan_model *model;
	struct plan_pmu pmu;

	(void)state;
	assert_int_equal(plan_model_open(&model, "SandyBridge", &failure), 0);
	plan_pmu_begin(&pmu, model, &setup);
	assert_int_equal(pmu.pmu.nr_gp, 4);
	assert_int_equal(pmu.pmu.nr_fixed, 3);
	assert_int_equal(pmu.pmu.ht_limit, 2);
	assert_null(pmu.pmu.watchdog);
	assert_false(pmu.no_pmc3);
	assert_int_equal(pmu.pmu.nr_extra[0], 2);
	assert_string_equal(pmu.pmu.extra_name[0], "OFFCORE_RSP");
	assert_null(pmu.pmu.extra_name[2]);
	/* Counters that were measured: a guest has two, and no fixed one but that of cycles. */
	setup.counters = 0x3 | FIXED(1);
	setup.watchdog = true;
	plan_pmu_begin(&pmu, model, &setup);
	assert_int_equal(pmu.pmu.nr_gp, 2);
	assert_int_equal(pmu.pmu.nr_fixed, 2);
	assert_int_equal(pmu.pmu.ht_limit, 1);
	assert_true(pmu.pmu.watchdog->mask == (0x3 | FIXED(1)));
	setup.ht = false;
	setup.counters = 0;
	plan_pmu_begin(&pmu, model, &setup);
	assert_int_equal(pmu.pmu.nr_gp, 8);
	assert_int_equal(pmu.pmu.ht_limit, 0);
	plan_model_close(model);
	assert_int_equal(plan_model_open(&model, "Skylake", &failure), 0);
	plan_pmu_begin(&pmu, model, &setup);
	assert_true(pmu.no_pmc3);
	setup.kernel = PMCGRP_PLAN_KERNEL(5, 0, 255);
	plan_pmu_begin(&pmu, model, &setup);
	assert_false(pmu.no_pmc3);
	plan_model_close(model);
}

/* Groups, and what their modifiers say of them. */
static void groups(void **state)
{
	static const char text[] = "{cycles:u,page-faults}:W,instructions:D,{r1b7,LLC-loads}:e,cycles";
	struct plan_setup setup = { .ht = true };
	struct pmcgrp_events_error error;
	struct plan_groups g;
	struct plan_model *model;
	struct plan_pmu pmu;

	(void)state;
	assert_int_equal(plan_model_open(&model, "Skylake", &failure), 0);
	plan_pmu_begin(&pmu, model, &setup);
	assert_int_equal(plan_groups_parse(&g, &pmu, text, &error), 0);
	assert_int_equal(g.nr, 4);
	assert_true(g.groups[0].weak && !g.groups[0].pinned && !g.groups[0].exclusive);
	assert_int_equal(g.groups[0].nr, 2);
	assert_int_equal(g.groups[0].events[1]->flags, PMCGRP_PLAN_SOFTWARE);
	assert_true(g.groups[1].pinned && !g.groups[1].weak);
	assert_true(g.groups[2].exclusive);
	assert_int_equal(g.groups[2].events[0]->extra, 1);
	assert_int_equal(g.groups[2].events[1]->extra, 1);
	assert_int_equal(g.groups[3].nr, 1);
	assert_string_equal(g.events[5].name, "cycles");
	plan_groups_free(&g);
	plan_model_close(model);
}

/* Topdown metrics count beside slots alone. */
static void metrics(void **state)
{
	struct plan_setup setup = { 0 };
	struct plan_groups g;
	struct plan_model *model;
	struct plan_pmu pmu;

	(void)state;
	assert_int_equal(plan_model_open(&model, "IceLake", &failure), 0);
	plan_pmu_begin(&pmu, model, &setup);
	assert_int_equal(plan_groups_parse(&g, &pmu, "{slots,topdown-retiring,cycles},"
						     "{cycles,topdown-retiring,slots}", NULL), 0);
	assert_false(g.events[1].flags & PMCGRP_PLAN_UNSUPPORTED);
	assert_int_equal(g.events[3].flags, 0);
	assert_int_equal(g.events[4].flags, PMCGRP_PLAN_UNSUPPORTED);
	assert_int_equal(g.events[5].flags, 0);
	plan_groups_free(&g);
	plan_model_close(model);
}

static const struct {
	const char *text;
	size_t column;
	const char *says;
} refused[] = {
	{ "cycles,mem_load_retired.l1_hti", 7,
	  "'mem_load_retired.l1_hti' is not an event that Skylake has: did you mean "
	  "'mem_load_retired.l1_hit'" },
	{ "nosuchthing", 0, "is not an event that Skylake has: neither the kernel" },
	{ "cpu/evnt=1/", 4, "'evnt' is neither a term nor an event of PMU cpu: did you mean 'event'" },
	{ "cpu_core/event=1/", 0, "'cpu_core' is neither a PMU nor an event of one; Skylake has cpu" },
	{ "cpu/event=0x100/", 10, "" },
	{ "cycles:z", 7, "'z' is no modifier" },
	{ "", 0, "missing" },
	{ "{}", 1, "" },
	{ "nosuch:*", 0, "" },
};

static void unknown(void **state)
{
	struct plan_setup setup = { 0 };
	struct pmcgrp_events_error error;
	struct plan_groups g;
	struct plan_model *model;
	struct plan_pmu pmu;
	size_t i;

	(void)state;
	assert_int_equal(plan_model_open(&model, "Skylake", &failure), 0);
	plan_pmu_begin(&pmu, model, &setup);
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		assert_row(i, plan_groups_parse(&g, &pmu, refused[i].text, &error) == -EINVAL);
		if (error.column != refused[i].column || !strstr(error.text, refused[i].says))
			fail_msg("row %zu: %zu: %s", i, error.column, error.text);
		assert_row(i, !g.list && !g.events && !g.groups);
	}
	/* Another machine's tracepoints are not known here: any will do. */
	assert_int_equal(plan_groups_parse(&g, &pmu, "some_system:some_event", &error), 0);
	assert_int_equal(g.events[0].flags, PMCGRP_PLAN_SOFTWARE);
	plan_groups_free(&g);
	plan_model_close(model);
}

/* Of a CPU without a model: its counters, and events of sysfs. */
static void plain(void **state)
{
	struct plan_setup setup = { .counters = 0x3f | FIXED(1), .watchdog = true };
	struct pmcgrp_events_error error;
	struct plan_groups g;
	struct plan_model *model;
	struct plan_pmu pmu;

	(void)state;
	setenv("PERF_CPUID", "Nobody-1-2-3", 1);
	assert_int_equal(plan_model_here(&model, &failure), 0);
	assert_true(plan_model_is_plain(model));
	plan_pmu_begin(&pmu, model, &setup);
	assert_int_equal(pmu.pmu.nr_gp, 6);
	assert_true(pmu.pmu.watchdog->mask == (0x3f | FIXED(1)));
	assert_int_equal(plan_groups_parse(&g, &pmu, "cycles,instructions,LLC-loads,r1b7", &error), 0);
	assert_true(g.events[0].mask == (0x3f | FIXED(1)));
	assert_true(g.events[1].mask == 0x3f);
	assert_true(g.events[2].mask == 0x3f);
	assert_true(g.events[0].code != g.events[1].code && g.events[1].code != g.events[2].code);
	assert_int_equal(g.events[3].code, 0x1b7);
	plan_groups_free(&g);
	plan_model_close(model);
}

static int begin_all(void **state)
{
	static const char *const nowhere[TRACEFS_FOLDERS] = { "/nonexistent", "/nonexistent" };
	const char *build = getenv("BUILD");
	char *folder;

	(void)state;
	event_machine_here = (struct event_machine){ .devices = "/nonexistent", .tracing = nowhere,
						     .tables = "/nonexistent" };
	if (!build || asprintf(&folder, "%s/share/pmcgrp", build) < 0)
		return -1;
	setenv("PMCGRP_SHARE", folder, 1);
	free(folder);
	if (asprintf(&tables, "%s/share/pmcgrp/events", build) < 0)
		return -1;
	if (access(tables, R_OK)) {
		free(tables);
		tables = NULL;
	}
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	free(tables);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models),
		cmocka_unit_test(events),
		cmocka_unit_test(against_tables),
		cmocka_unit_test(setups),
		cmocka_unit_test(groups),
		cmocka_unit_test(metrics),
		cmocka_unit_test(unknown),
		cmocka_unit_test(plain),
	};

	return cmocka_run_group_tests_name("groups", tests, begin_all, end_all);
}
