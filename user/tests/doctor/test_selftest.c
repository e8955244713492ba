// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What doctor makes of counts, and of a PMU's answers. */
#include "test.h"

#include "say/append.h"
#include "plan/fill.h"
#include "doctor/judge.h"
#include "fixture.h"

/* ---- The self-test's verdicts ---- */

#define LOOP 2
#define KNOWN ((uint64_t)WORK_LOOPS * LOOP)

/* All is as it should be, on a machine that does nothing else. */
static struct work good_work(void)
{
	struct work work = { .loop_instructions = LOOP };
	enum work_event event;
	enum work_side s;
	unsigned int i;

	for (i = 0; i < WORK_MARKS; i++) {
		work.count[WORK_PING].mark[i].switches = 7 + (i > 2 ? WORK_PINGS : 0);
		work.count[WORK_PAGE].mark[i].faults = 9 + (i > 2 ? WORK_PAGES : 0);
		work.count[WORK_LOOP_TWICE].mark[i].cpu_ns = 1000000000 + i * 1000000000ULL;
		work.count[WORK_LOOP_TWICE].mark[i].wall_ns = i * 1100000000ULL;
	}
	for (s = 0; s < NR_WORK_SIDES; s++) {
		for (event = 0; event < NR_WORK_EVENTS; event++)
			work.has[s][event] = true;
		work.count[WORK_LOOP].value[s][WORK_INSTRUCTIONS] = 500 + KNOWN;
		work.count[WORK_LOOP_TWICE].value[s][WORK_INSTRUCTIONS] = 500 + 2 * KNOWN;
		work.count[WORK_PING].value[s][WORK_SWITCHES] = WORK_PINGS;
		work.count[WORK_PAGE].value[s][WORK_FAULTS] = WORK_PAGES;
		work.count[WORK_LOOP_TWICE].value[s][WORK_CLOCK] = s == WORK_PERF ? 2000000000 :
										    3000000000;
		work.tried[s] = true;
	}
	return work;
}

static void judge(struct fixture *x, const struct work *work)
{
	memset(x, 0, sizeof(*x));
	x->d.findings.section = SECTION_SELFTEST;
	work_judge(&x->d.findings, work);
	assert_int_equal(x->d.findings.nr, 4);
}

static void all_is_well(void **state)
{
	struct work work = good_work();
	struct fixture x;

	(void)state;
	judge(&x, &work);
	expect_finding(&x, "instructions", DOCTOR_OK,
		       "2000000 in a loop; pmcgrp 2000000, perf 2000000 (allowed: 0.1%)");
	assert_int_equal(value_of(&x, "instructions", "known"), KNOWN);
	assert_int_equal(value_of(&x, "instructions", "perf"), KNOWN);
	expect_finding(&x, "context switches", DOCTOR_OK,
		       "getrusage(2) 100; pmcgrp 100, perf 100");
	expect_finding(&x, "page faults", DOCTOR_OK, "getrusage(2) 256; pmcgrp 256, perf 256");
	expect_finding(&x, "task-clock", DOCTOR_OK, "pmcgrp 3000000000, perf 2000000000");
	findings_free(&x.d.findings);
}

/* One count of one side, at and behind its bounds. */
static void bounds(void **state)
{
	static const struct {
		const char *what;
		enum work_kind kind;
		enum work_side side;
		enum work_event event;
		uint64_t value;
		enum verdict verdict;
	} rows[] = {
		{ "instructions", WORK_LOOP_TWICE, WORK_PERF, WORK_INSTRUCTIONS,
		  500 + 2 * KNOWN + 2000, DOCTOR_OK },
		{ "instructions", WORK_LOOP_TWICE, WORK_PERF, WORK_INSTRUCTIONS,
		  500 + 2 * KNOWN + 2001, DOCTOR_PROBLEM },
		{ "instructions", WORK_LOOP, WORK_PMCGRP, WORK_INSTRUCTIONS,
		  500 + KNOWN + 2000, DOCTOR_OK },
		{ "instructions", WORK_LOOP, WORK_PMCGRP, WORK_INSTRUCTIONS,
		  500 + KNOWN + 2001, DOCTOR_PROBLEM },
		{ "instructions", WORK_LOOP_TWICE, WORK_PMCGRP, WORK_INSTRUCTIONS, 0,
		  DOCTOR_PROBLEM },
		{ "context switches", WORK_PING, WORK_PMCGRP, WORK_SWITCHES, 99, DOCTOR_PROBLEM },
		{ "context switches", WORK_PING, WORK_PERF, WORK_SWITCHES, 101, DOCTOR_PROBLEM },
		{ "page faults", WORK_PAGE, WORK_PERF, WORK_FAULTS, 255, DOCTOR_PROBLEM },
		{ "page faults", WORK_PAGE, WORK_PMCGRP, WORK_FAULTS, 257, DOCTOR_PROBLEM },
		/* pmcgrp: 3 s of the thread inside, 5.5 s of the wall around it, 1%, and 10 ms */
		{ "task-clock", WORK_LOOP_TWICE, WORK_PMCGRP, WORK_CLOCK, 2970000000, DOCTOR_OK },
		{ "task-clock", WORK_LOOP_TWICE, WORK_PMCGRP, WORK_CLOCK, 2969999999,
		  DOCTOR_PROBLEM },
		{ "task-clock", WORK_LOOP_TWICE, WORK_PMCGRP, WORK_CLOCK, 5565000000, DOCTOR_OK },
		{ "task-clock", WORK_LOOP_TWICE, WORK_PMCGRP, WORK_CLOCK, 5565000001,
		  DOCTOR_PROBLEM },
		/* perf: not more than pmcgrp, whose time is around it */
		{ "task-clock", WORK_LOOP_TWICE, WORK_PERF, WORK_CLOCK, 3030000000, DOCTOR_OK },
		{ "task-clock", WORK_LOOP_TWICE, WORK_PERF, WORK_CLOCK, 3030000001,
		  DOCTOR_PROBLEM },
		{ "task-clock", WORK_LOOP_TWICE, WORK_PERF, WORK_CLOCK, 989999999, DOCTOR_PROBLEM },
	};
	const struct finding *finding;
	struct fixture x;
	struct work work;
	size_t i, ok;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		work = good_work();
		work.count[rows[i].kind].value[rows[i].side][rows[i].event] = rows[i].value;
		judge(&x, &work);
		finding = nth(&x, rows[i].what, 0);
		assert_row(i, finding && finding->verdict == rows[i].verdict);
		ok = rows[i].verdict == DOCTOR_OK ? 4 : 3;
		assert_row(i, findings_count(&x.d.findings, DOCTOR_OK) == ok);
		findings_free(&x.d.findings);
	}
}

/* A busy machine: the thread was preempted, within perf's time and between the two. */
static void busy(void **state)
{
	struct work work = good_work();
	struct fixture x;
	unsigned int i;

	(void)state;
	for (i = 0; i < WORK_MARKS; i++)
		work.count[WORK_PING].mark[i].switches = 10 * i + (i > 2 ? WORK_PINGS : 0);
	work.count[WORK_PING].value[WORK_PERF][WORK_SWITCHES] = 110 + 17;
	work.count[WORK_PING].value[WORK_PMCGRP][WORK_SWITCHES] = 130 + 3;
	judge(&x, &work);
	expect_finding(&x, "context switches", DOCTOR_OK, "getrusage(2) 110; pmcgrp 133, perf 127");
	findings_free(&x.d.findings);
	/* perf has what was before its time. */
	work.count[WORK_PING].value[WORK_PERF][WORK_SWITCHES] = 131;
	judge(&x, &work);
	expect_finding(&x, "context switches", DOCTOR_PROBLEM, "perf 131");
	findings_free(&x.d.findings);
	/* Of each switch 20 us are in the thread's time alone. */
	work = good_work();
	for (i = 0; i < WORK_MARKS; i++)
		work.count[WORK_LOOP_TWICE].mark[i].switches = 10 * i;
	work.count[WORK_LOOP_TWICE].value[WORK_PMCGRP][WORK_CLOCK] = 2969000000;
	judge(&x, &work);
	expect_finding(&x, "task-clock", DOCTOR_OK, "pmcgrp 2969000000");
	findings_free(&x.d.findings);
	work.count[WORK_LOOP_TWICE].value[WORK_PMCGRP][WORK_CLOCK] = 2968999999;
	judge(&x, &work);
	expect_finding(&x, "task-clock", DOCTOR_PROBLEM, "pmcgrp 2968999999");
	findings_free(&x.d.findings);
}

static void others_have_the_counters(void **state)
{
	struct work work = good_work();
	struct fixture x;

	(void)state;
	work.count[WORK_LOOP_TWICE].value[WORK_PERF][WORK_INSTRUCTIONS] = 500;
	work.count[WORK_LOOP_TWICE].waited[WORK_PERF] = true;
	judge(&x, &work);
	expect_finding(&x, "instructions", DOCTOR_WARNING,
		       "perf -2000000: not counted all of the time");
	findings_free(&x.d.findings);
	/* The module says why. */
	work = good_work();
	work.count[WORK_PAGE].value[WORK_PMCGRP][WORK_FAULTS] = 0;
	work.count[WORK_PAGE].waited[WORK_PMCGRP] = true;
	work.count[WORK_PAGE].why = PMCGRP_WHY_BUSY_PMCGRP;
	judge(&x, &work);
	expect_finding(&x, "page faults", DOCTOR_WARNING,
		       "not counted all of the time: other pmcgrp groups have the counters");
	findings_free(&x.d.findings);
	/* It waited, and is right all the same. */
	work = good_work();
	work.count[WORK_LOOP].waited[WORK_PMCGRP] = true;
	judge(&x, &work);
	expect_finding(&x, "instructions", DOCTOR_OK, "perf 2000000");
	findings_free(&x.d.findings);
}

static void not_counted(void **state)
{
	struct work work = good_work();
	enum work_event event;
	struct fixture x;

	(void)state;
	memset(work.has[WORK_PMCGRP], 0, sizeof(work.has[WORK_PMCGRP]));
	work.tried[WORK_PMCGRP] = false;
	work.has[WORK_PERF][WORK_SWITCHES] = false;
	strcpy(work.why_not[WORK_PERF][WORK_SWITCHES], "not permitted");
	work.err[WORK_PAGE] = -ENOMEM;
	work.loop_instructions = 0;
	judge(&x, &work);
	expect_finding(&x, "instructions", DOCTOR_UNKNOWN, "no loop of known length");
	expect_finding(&x, "context switches", DOCTOR_UNKNOWN,
		       "not counted: not permitted");
	expect_finding(&x, "page faults", DOCTOR_UNKNOWN, "could not be tried: Cannot allocate");
	expect_finding(&x, "task-clock", DOCTOR_OK, "; perf 2000000000 (");
	findings_free(&x.d.findings);

	/* The module is there, and does not count: that perf does is no proof of it. */
	work.tried[WORK_PMCGRP] = true;
	for (event = 0; event < NR_WORK_EVENTS; event++)
		strcpy(work.why_not[WORK_PMCGRP][event], "the module refused the group");
	judge(&x, &work);
	expect_finding(&x, "context switches", DOCTOR_UNKNOWN, "the module refused the group");
	expect_finding(&x, "task-clock", DOCTOR_UNKNOWN,
		       "; perf 2000000000; not by pmcgrp: the module refused the group");
	work.count[WORK_LOOP_TWICE].value[WORK_PERF][WORK_CLOCK] = 5;
	findings_free(&x.d.findings);
	judge(&x, &work);
	expect_finding(&x, "task-clock", DOCTOR_PROBLEM, "; perf 5 (");
	findings_free(&x.d.findings);
}

/* Each kind of core has a PMU of its own: the loop is counted by that of the CPU. */
static void pmu_of_a_cpu(void **state)
{
	static struct core_pmu pmus[2] = { { .type = 4 }, { .type = 10 } };

	(void)state;
	assert_int_equal(pmcgrp_cpus_parse(&pmus[0].cpus, "0-3", NULL), 0);
	assert_int_equal(pmcgrp_cpus_parse(&pmus[1].cpus, "4-7", NULL), 0);
	assert_int_equal(work_pmu_type(pmus, 2, 3), 4);
	assert_int_equal(work_pmu_type(pmus, 2, 4), 10);
	assert_int_equal(work_pmu_type(pmus, 2, 8), 0);
	assert_int_equal(work_pmu_type(pmus, 1, 3), 0);
	assert_int_equal(work_pmu_type(pmus, 0, 3), 0);
}

/* ---- Filling ---- */

struct pmu {
	unsigned int general;		/* counters for anything */
	unsigned int own;		/* bits of enum fill_own */
	int err;
};

static int fits(void *arg, const struct perf_event_attr *attrs, unsigned int nr)
{
	const struct pmu *pmu = arg;
	unsigned int i, taken = 0;

	if (pmu->err)
		return pmu->err;
	for (i = 0; i < nr; i++) {
		if (attrs[i].type != PERF_TYPE_HARDWARE ||
		    !((attrs[i].config == PERF_COUNT_HW_INSTRUCTIONS && pmu->own & 1) ||
		      (attrs[i].config == PERF_COUNT_HW_CPU_CYCLES && pmu->own & 2) ||
		      (attrs[i].config == PERF_COUNT_HW_REF_CPU_CYCLES && pmu->own & 4)))
			taken++;
	}
	return taken <= pmu->general;
}

static void filling(void **state)
{
	static const struct pmu pmus[] = {
		{ .general = 4, .own = 7 }, { .general = 6 }, { .general = 6, .own = 2 },
		{ .general = 1, .own = 5 }, { .general = 32 }, { .general = 100 },
	};
	struct perf_event_attr copies[FILL_MAX];
	struct pmu broken = { .err = -EACCES }, none = { 0 };
	struct fill fill;
	unsigned int i;

	(void)state;
	for (i = 0; i < FILL_MAX; i++) {
		copies[i] = fill_event("x86_64", false, 4, i);
		assert_int_equal(copies[i].type, 4);
		assert_int_equal(copies[i].config & 0xffffffff, 0x010000c0);
		assert_int_equal(copies[i].config >> 48, i);
	}
	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		struct pmu pmu = pmus[i];

		assert_int_equal(fill_measure(&fill, copies, 0, fits, &pmu), 0);
		assert_row(i, fill.general == (pmu.general < FILL_MAX ? pmu.general : FILL_MAX));
		if (pmu.general > FILL_MAX)
			continue;
		assert_row(i, fill.own[FILL_INSTRUCTIONS] == !!(pmu.own & 1));
		assert_row(i, fill.own[FILL_CYCLES] == !!(pmu.own & 2));
		assert_row(i, fill.own[FILL_REF_CYCLES] == !!(pmu.own & 4));
	}
	assert_int_equal(fill_measure(&fill, copies, 0, fits, &broken), -EACCES);
	assert_int_equal(fill_measure(&fill, copies, 0, fits, &none), 0);
	assert_int_equal(fill.general, 0);
	assert_int_equal(fill_event("x86_64", true, 4, 0).config, 0xc0);
	assert_int_equal(fill_event("aarch64", false, 9, 2).config, 0x08 | 2ULL << 48);
	assert_int_equal(fill_event("riscv64", false, 9, 2).type, PERF_TYPE_HARDWARE);
}

/* No PMU has this type: perf_event_open(2) says so, or does not let this user try. */
static void no_such_pmu(void **state)
{
	struct perf_event_attr copies[2] = { fill_event("aarch64", false, 0x7ffffff0, 0),
					     fill_event("aarch64", false, 0x7ffffff0, 1) };

	(void)state;
	assert_true(fill_perf(NULL, copies, 1) < 0);
	assert_true(fill_perf(NULL, copies, 2) < 0);
	assert_true(fill_free(copies, 2, false) < 0);
}

/* ---- Text ---- */

static void lists(void **state)
{
	char text[16] = "";

	(void)state;
	append(text, sizeof(text), ", ", "%d", 1);
	append(text, sizeof(text), ", ", "%s", "two");
	assert_string_equal(text, "1, two");
	append(text, sizeof(text), ", ", "%s", "three");
	assert_string_equal(text, "1, two...");
	append(text, sizeof(text), ", ", "%s", "and four");
	assert_string_equal(text, "1, two...");
}

static void table(void **state)
{
	char *text, *line, *end, *rest;
	struct findings f = { .section = SECTION_PMUS };
	size_t size;
	FILE *file;

	(void)state;
	findings_add(&f, DOCTOR_OK, "short", "%s", "found");
	findings_add(&f, DOCTOR_WARNING, "much-longer-than-its-column",
		     "words words words words words words words words words words words\033[2J");
	findings_advise(&f, "do this and that and more of all of this, one after the other, now");
	f.section = SECTION_LIMITS;
	findings_add(&f, DOCTOR_PROBLEM, "word", "%0100d", 0);
	findings_advise(&f, "nothing");
	file = open_memstream(&text, &size);
	assert_non_null(file);
	findings_table(file, &f, false);
	fclose(file);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "\nPMUs\n  ok       short               found\n"));
	assert_non_null(strstr(text, "\n  warning  much-longer-than-its-column\n"
				     "                               words words words"));
	assert_non_null(strstr(text, "\n                               -> do this"));
	assert_non_null(strstr(text, "\nKnown limits of this kernel and processor\n"
				     "  problem  word"));
	assert_non_null(strstr(text, "\nok: 1, warnings: 1, problems: 1, unknown: 0\n"));
	for (line = text; *line; line = rest) {
		end = strchr(line, '\n');
		assert_non_null(end);
		/* One word alone may be longer. */
		if (!strstr(line, "0000") || strstr(line, "0000") > end)
			assert_true(end - line <= 80);
		assert_true(end == line || end[-1] != ' ');
		rest = end + 1;
	}
	free(text);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	findings_table(file, &f, true);
	fclose(file);
	assert_non_null(strstr(text, "  \033[32mok     \033[0m  short"));
	assert_non_null(strstr(text, "  \033[1;31mproblem\033[0m  word"));
	free(text);
	findings_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well),
		cmocka_unit_test(bounds),
		cmocka_unit_test(busy),
		cmocka_unit_test(others_have_the_counters),
		cmocka_unit_test(not_counted),
		cmocka_unit_test(pmu_of_a_cpu),
		cmocka_unit_test(filling),
		cmocka_unit_test(no_such_pmu),
		cmocka_unit_test(lists),
		cmocka_unit_test(table),
	};

	return cmocka_run_group_tests_name("doctor_selftest", tests, NULL, NULL);
}
