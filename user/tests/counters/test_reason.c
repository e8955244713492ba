// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Why a counter of stat is not counted: from infos that are written by hand. */
#include "test.h"

#include <sys/ioctl.h>

#include "counters/reason.h"
#include "fake_info.h"
#include "internal.h"

#define ID (1ULL << 40)
#define HOLDER (ID + 500)
#define DEV 1000		/* no descriptor of this process */

static unsigned int calls;

/* In place of libc's: the only group of the machine that can be asked for. */
int ioctl(int fd, unsigned long request, ...)
{
	struct pmcgrp_info *info;
	va_list args;

	va_start(args, request);
	info = va_arg(args, struct pmcgrp_info *);
	va_end(args);
	calls++;
	errno = ENOENT;
	if (fd != DEV || request != PMCGRP_IOC_INFO_NEXT || info->id > HOLDER)
		return -1;
	info->id = HOLDER;
	info->owner = 77;
	strcpy(info->comm, "holder");
	info->nr_members = 0;
	info->nr_cpus = 0;
	return 0;
}

struct fixture {
	struct aggr aggr;
	struct counter_set set;
	struct pmcgrp_group group[2];
	struct pmcgrp h;
};

static void init(struct fixture *x, enum aggr_mode mode)
{
	struct pmcgrp_cpus two = { .bits = { 3 } };
	struct pmcgrp_events *events;
	unsigned int i;
	int bad;

	memset(x, 0, sizeof(*x));
	x->h.backend = PMCGRP_BACKEND_DEVICE;
	x->h.dev = DEV;
	assert_int_equal(aggr_init(&x->aggr, mode, &two, AGGR_FOLDER, &bad), 0);
	assert_int_equal(pmcgrp_events_parse(&events, "{cycles,instructions},{r8,r9}", 0, NULL), 0);
	assert_int_equal(counter_set_init(&x->set, events, &x->aggr), 0);
	pmcgrp_events_free(events);
	for (i = 0; i < 2; i++) {
		x->group[i].nr = 2;
		x->group[i].ids[0] = ID + 10 * i;
		x->group[i].ids[1] = ID + 10 * i + 1;
		x->set.groups[i].group = &x->group[i];
		x->set.groups[i].counter_of[0] = 2 * i;
		x->set.groups[i].counter_of[1] = 2 * i + 1;
	}
}

static void clear(struct fixture *x)
{
	x->set.groups[0].group = NULL;
	x->set.groups[1].group = NULL;
	counter_set_free(&x->set);
	aggr_free(&x->aggr);
}

static const struct pmcgrp_info_member members[2] = { { .id = ID }, { .id = ID + 1 } };

/* The reason of a member of the first group on a line, to be freed. */
static char *reason(struct fixture *x, const struct pmcgrp_info *head,
		    const struct pmcgrp_info_cpu *cpus, uint32_t nr, unsigned int line,
		    unsigned int member)
{
	struct pmcgrp_info *info = fake_info(head, members, 2, cpus, nr);
	struct counts *c = counter_counts(&x->set, line, member);
	char *text;

	assert_int_equal(reason_set(&x->set, &x->set.groups[0], &x->h, info, line, member), 0);
	text = c->reason;
	c->reason = NULL;
	pmcgrp_info_free(info);
	return text;
}

static const struct {
	struct pmcgrp_info head;
	struct pmcgrp_info_cpu cpu[2];	/* of each member */
	unsigned int member;
	const char *says;		/* NULL: nothing */
} rows[] = {
	/* Of the group alone, as after the end of its task. */
	{ { .enabled = 1, .time_enabled = 9, .why = PMCGRP_WHY_BUSY_PMCGRP, .blocked_by = HOLDER },
	  { { .cpu = -1, .state = PMCGRP_STATE_SCHED_OUT, .why = PMCGRP_WHY_TASK_GONE },
	    { .cpu = -1, .state = PMCGRP_STATE_SCHED_OUT, .why = PMCGRP_WHY_TASK_GONE,
	      .member = 1 } },
	  1,
	  "other pmcgrp groups have the counters (group 1099511628276 of PID 77, holder)" },
	/* One that is gone by now, also if there is one behind it. */
	{ { .enabled = 1, .time_enabled = 9, .why = PMCGRP_WHY_BUSY_PMCGRP,
	    .blocked_by = HOLDER + 1 },
	  { { .cpu = -1 }, { .cpu = -1 } }, 0,
	  "other pmcgrp groups have the counters (group 1099511628277)" },
	{ { .enabled = 1, .time_enabled = 9, .why = PMCGRP_WHY_BUSY_PMCGRP,
	    .blocked_by = HOLDER - 1 },
	  { { .cpu = -1 }, { .cpu = -1 } }, 0,
	  "other pmcgrp groups have the counters (group 1099511628275)" },
	{ { .enabled = 1, .time_enabled = 9, .why = PMCGRP_WHY_BUSY_PMCGRP },
	  { { .cpu = -1 }, { .cpu = -1 } }, 0, "other pmcgrp groups have the counters" },
	/* One of our own. */
	{ { .enabled = 1, .time_enabled = 9, .why = PMCGRP_WHY_BUSY_PMCGRP, .blocked_by = ID + 10 },
	  { { .cpu = -1 }, { .cpu = -1 } }, 0,
	  "other pmcgrp groups have the counters (the group of 2 with r8)" },
	/* What is true of the CPU now goes before. */
	{ { .enabled = 1, .time_enabled = 9, .why = PMCGRP_WHY_BUSY_PMCGRP, .blocked_by = HOLDER },
	  { { .state = PMCGRP_STATE_UNSCHEDULABLE, .why = PMCGRP_WHY_TOO_LARGE },
	    { .state = PMCGRP_STATE_UNSCHEDULABLE, .why = PMCGRP_WHY_TOO_LARGE, .member = 1 } },
	  0,
	  "the group needs more counters than the PMU has" },
	/* The member itself has what it needs. */
	{ { .enabled = 1, .time_enabled = 9 },
	  { { .state = PMCGRP_STATE_WAITING },
	    { .state = PMCGRP_STATE_WAITING, .why = PMCGRP_WHY_BUSY_PMCGRP, .blocked_by = ID + 10,
	      .member = 1 } }, 0,
	  "instructions has no counter: other pmcgrp groups have the counters (the group of 2 "
	  "with r8)" },
	{ { .enabled = 1, .time_enabled = 9 },
	  { { .state = PMCGRP_STATE_SCHED_OUT, .why = PMCGRP_WHY_CPU_OFFLINE },
	    { .state = PMCGRP_STATE_SCHED_OUT, .why = PMCGRP_WHY_CPU_OFFLINE, .member = 1 } }, 1,
	  "the CPU is offline" },
	/* Nothing was in the way. */
	{ { 0 }, { { .state = PMCGRP_STATE_DISABLED }, { .state = PMCGRP_STATE_DISABLED } }, 0,
	  "it was not enabled" },
	{ { .why = PMCGRP_WHY_TASK_GONE }, { { .cpu = -1 }, { .cpu = -1 } }, 0,
	  "it was not enabled" },
	{ { .enabled = 1 },
	  { { .state = PMCGRP_STATE_SCHED_OUT }, { .state = PMCGRP_STATE_SCHED_OUT } }, 0,
	  "its target has not run" },
	{ { .enabled = 1, .time_enabled = 9 }, { { .cpu = -1 }, { .cpu = -1 } }, 0, NULL },
	/* Of a module that is newer, or broken. */
	{ { .enabled = 1, .time_enabled = 9, .why = 99 }, { { .cpu = -1 }, { .cpu = -1 } }, 0,
	  "a reason that is newer than this library" },
	{ { .enabled = 1, .time_enabled = 9 },
	  { { .member = 77, .why = PMCGRP_WHY_TOO_LARGE }, { .member = UINT32_MAX } }, 0,
	  "the group needs more counters than the PMU has" },
};

static void texts(void **state)
{
	struct fixture x;
	size_t i;
	char *text;

	(void)state;
	init(&x, AGGR_GLOBAL);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		text = reason(&x, &rows[i].head, rows[i].cpu, 2, 0, rows[i].member);
		if (!text != !rows[i].says || (text && strcmp(text, rows[i].says)))
			fail_msg("row %zu: '%s'", i, text ? text : "");
		free(text);
	}
	clear(&x);
}

/* The same holder is in the way of many, and asked for once. */
static void asked_once(void **state)
{
	struct fixture x;
	unsigned int i;

	(void)state;
	init(&x, AGGR_GLOBAL);
	calls = 0;
	for (i = 0; i < 10; i++)
		free(reason(&x, &rows[0].head, rows[0].cpu, 2, 0, i % 2));
	assert_int_equal(calls, 1);
	free(reason(&x, &rows[1].head, rows[1].cpu, 2, 0, 0));
	assert_int_equal(calls, 2);
	clear(&x);
}

/* Where nothing was in the way, or nothing tells: a reason all the same. */
static void of_times(void **state)
{
	const struct pmcgrp_info on = { .enabled = 1, .time_enabled = 9 }, off = { .time_enabled = 9 };
	struct counter_group group = { .nr = 1 };

	(void)state;
	/* As of a process that sleeps, or of a cgroup whose quota is used up, after it has run before. */
	assert_string_equal(reason_of_times(&group, false, &on), "its target has not run in this time");
	assert_string_equal(reason_of_times(&group, false, &off), "it was not enabled");
	assert_non_null(strstr(reason_of_times(&group, true, &on), "its turn on the PMU"));
	assert_non_null(strstr(reason_of_times(&group, false, NULL), "has not run in this time, or"));
	assert_non_null(strstr(reason_of_times(&group, true, NULL), "no counter was free"));
	group.failed = true;
	assert_non_null(strstr(reason_of_times(&group, true, NULL), "pinned"));
}

/* With a line for each CPU, each has its own. */
static void of_lines(void **state)
{
	static const struct pmcgrp_info_cpu cpus[] = {
		{ .cpu = 0, .state = PMCGRP_STATE_WAITING, .why = PMCGRP_WHY_BUSY_PERF },
		{ .cpu = 1, .state = PMCGRP_STATE_UNSCHEDULABLE, .why = PMCGRP_WHY_EVENT_UNKNOWN },
		{ .cpu = INT32_MAX, .state = PMCGRP_STATE_UNSCHEDULABLE,
		  .why = PMCGRP_WHY_TOO_LARGE },
		{ .cpu = INT32_MIN, .state = PMCGRP_STATE_UNSCHEDULABLE,
		  .why = PMCGRP_WHY_TOO_LARGE },
	};
	static const struct pmcgrp_info head = { .enabled = 1, .time_enabled = 1 };
	struct fixture x;
	char *text;

	(void)state;
	init(&x, AGGR_NONE);
	assert_int_equal(x.set.nr_lines, 2);
	text = reason(&x, &head, cpus, ARRAY_SIZE(cpus), 0, 0);
	assert_non_null(strstr(text, "perf events outside pmcgrp"));
	free(text);
	text = reason(&x, &head, cpus, ARRAY_SIZE(cpus), 1, 0);
	assert_string_equal(text, "no PMU here knows the event");
	free(text);
	clear(&x);
}

/* The note after the table speaks of groups, with what to do. */
static void of_groups(void **state)
{
	static const struct pmcgrp_info head = { .enabled = 1, .time_enabled = 1,
						 .why = PMCGRP_WHY_BUSY_PMCGRP };
	struct pmcgrp_info *info = fake_info(&head, members, 2, NULL, 0);
	struct fixture x;

	(void)state;
	init(&x, AGGR_GLOBAL);
	assert_null(reason_of_group(&x.set, &x.set.groups[0]));
	assert_int_equal(reason_set(&x.set, &x.set.groups[0], NULL, info, 0, 1), 0);
	assert_non_null(reason_of_group(&x.set, &x.set.groups[0]));
	assert_null(reason_of_group(&x.set, &x.set.groups[1]));
	assert_int_equal(x.set.groups[0].why, PMCGRP_WHY_BUSY_PMCGRP);
	assert_non_null(strstr(reason_advice(PMCGRP_WHY_BUSY_PMCGRP), "pmcgrp info"));
	assert_non_null(strstr(reason_advice(PMCGRP_WHY_BUSY_PERF), "perf"));
	assert_non_null(strstr(reason_advice(PMCGRP_WHY_TOO_LARGE), "two groups"));
	assert_string_equal(reason_advice(PMCGRP_WHY_NONE), "");
	pmcgrp_info_free(info);
	clear(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(asked_once),
		cmocka_unit_test(of_lines),
		cmocka_unit_test(of_times),
		cmocka_unit_test(of_groups),
	};

	return cmocka_run_group_tests_name("reason", tests, NULL, NULL);
}
