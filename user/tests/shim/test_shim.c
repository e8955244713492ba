// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp_perf_event_open(): which events the module counts, and how a group becomes perf's. */
#include "test.h"

#include <linux/hw_breakpoint.h>

#include "fake_kernel.h"
#include "pmcgrp_perf.h"

static int setup(void **state)
{
	(void)state;
	fake_begin();
	unsetenv("PMCGRP_PRELOAD");
	unsetenv("PMCGRP_PRELOAD_LOG");
	unsetenv("PMCGRP_PRELOAD_VERBOSE");
	return 0;
}

static struct perf_event_attr event(void)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .size = sizeof(event()),
					 .config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1 };
}

static int open_it(struct perf_event_attr attr, int group_fd)
{
	return pmcgrp_perf_event_open(&attr, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static int refused(struct perf_event_attr attr, int group_fd)
{
	errno = 0;
	assert_int_equal(open_it(attr, group_fd), -1);
	return errno;
}

/* A leader and a member are the module's, with the numbers that perf would have given. */
static void test_counts(void **state)
{
	int leader, member;

	(void)state;
	errno = 5;
	leader = open_it(event(), -1);
	member = open_it(event(), leader);
	assert_int_equal(errno, 5);
	assert_int_equal(leader, FAKE_FIRST);
	assert_int_equal(member, FAKE_FIRST + 1);
	assert_int_equal(fake_count(FAKE_PMCGRP), 2);
	assert_int_equal(fake_count(FAKE_DEVICE) + fake_count(FAKE_PERF), 0);
	assert_int_equal(fake.nr_perf, 0);
	assert_int_equal(fake.nr_as_perf, 1);
	assert_true(fake.fd[member].leader == fake.fd[leader].id);
}

#define WITH(code)                                           \
	{                                                    \
		struct perf_event_attr *attr = &attrs[nr++]; \
		*attr = event();                             \
		code;                                        \
	}

static void test_perf_counts(void **state)
{
	struct perf_event_attr attrs[16];
	size_t nr = 0, i;

	(void)state;
	WITH(attr->sample_period = 100)
	WITH(attr->freq = 1; attr->sample_freq = 100)
	WITH(attr->type = PERF_TYPE_BREAKPOINT; attr->bp_type = HW_BREAKPOINT_W)
	WITH(attr->type = PERF_TYPE_TRACEPOINT)
	WITH(attr->type = PERF_TYPE_SOFTWARE; attr->config = PERF_COUNT_SW_BPF_OUTPUT)
	WITH(attr->mmap = 1)
	WITH(attr->task = 1)
	WITH(attr->context_switch = 1)
	WITH(attr->precise_ip = 1)
	WITH(attr->exclusive = 1)
	WITH(attr->inherit_stat = 1)
	WITH(attr->sigtrap = 1)
	WITH(attr->remove_on_exec = 1)
	WITH(attr->use_clockid = 1)
	WITH(attr->branch_sample_type = 1)
	for (i = 0; i < nr; i++) {
		fake_begin();
		assert_row(i, open_it(attrs[i], -1) == FAKE_FIRST);
		assert_row(i, fake_count(FAKE_PERF) == 1 && !fake_count(FAKE_PMCGRP));
	}
}

/* What programs set that has no meaning for a count. */
static void test_idle_fields(void **state)
{
	struct perf_event_attr attr = event();
	int fd;

	(void)state;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER;
	attr.sample_id_all = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	attr.enable_on_exec = 1;
	attr.inherit = 1;
	fd = open_it(attr, -1);
	assert_true(fake_is(fd, FAKE_PMCGRP));
	assert_int_equal(fake.fd[fd].attr.sample_type, 0);
	assert_int_equal(fake.fd[fd].attr.enable_on_exec, 0);
}

static void test_targets(void **state)
{
	struct perf_event_attr attr = event();
	int fd;

	(void)state;
	fd = pmcgrp_perf_event_open(&attr, -1, 0, -1, 0);
	assert_true(fake_is(fd, FAKE_PMCGRP));
	assert_false(fake.fd[fd].cloexec);
	assert_int_equal(fake.fd[fd].cpu, 0);
	assert_true(fake_is(pmcgrp_perf_event_open(&attr, 1, 0, -1, 0), FAKE_PERF));
	assert_true(fake_is(pmcgrp_perf_event_open(&attr, 9, 0, -1, PERF_FLAG_PID_CGROUP), FAKE_PERF));
	assert_int_equal(pmcgrp_perf_event_open(&attr, 2000, -1, -1, 0), -1);
}

/* The rules of a group, with the same errno as perf's. */
static void test_rules(void **state)
{
	struct perf_event_attr attr = event();
	int leader = open_it(event(), -1), member = open_it(event(), leader);

	(void)state;
	assert_int_equal(refused(event(), member), EINVAL);
	attr.pinned = 1;
	assert_int_equal(refused(attr, leader), EINVAL);
	attr = event();
	attr.inherit = 1;
	assert_int_equal(refused(attr, leader), EINVAL);
	attr = event();
	assert_int_equal(pmcgrp_perf_event_open(&attr, 5, -1, leader, 0), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(pmcgrp_perf_event_open(&attr, -1, 0, leader, 0), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(pmcgrp_perf_event_open(&attr, 2000, -1, leader, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(pmcgrp_perf_event_open(&attr, FAKE_THREAD, -1, leader, 0), member + 1);
	assert_int_equal(refused(event(), 40), EBADF);
	fake.fd[40].kind = FAKE_OTHER;
	assert_int_equal(refused(event(), 40), EBADF);
	assert_int_equal(fake_count(FAKE_PERF) + fake_count(FAKE_DEVICE), 0);
}

/* The same where the module does not judge by itself. */
static void test_rules_of_old(void **state)
{
	fake.is_old = true;
	test_rules(state);
	assert_int_equal(fake.nr_as_perf, 0);
}

/* A descriptor of another number, and one that this process has not made. */
static void test_asked(void **state)
{
	int leader = open_it(event(), -1), copy;

	(void)state;
	copy = (int)fake_dup(leader, 20, true);
	assert_true(fake_is(open_it(event(), copy), FAKE_PMCGRP));
	fake.fd[30] = fake.fd[leader];
	fake.fd[30].id += 1000;
	fake.fd[30].leader += 1000;
	assert_true(fake_is(open_it(event(), 30), FAKE_PMCGRP));
	/* The caller is another thread. */
	fake.thread++;
	assert_int_equal(refused(event(), leader), EINVAL);
}

static void test_converted(void **state)
{
	struct perf_event_attr attr = event();
	int leader = open_it(event(), -1), member, sampling;

	(void)state;
	attr.disabled = 0;
	attr.config = 7;
	member = pmcgrp_perf_event_open(&attr, 0, -1, leader, 0);
	attr.sample_period = 1000;
	sampling = open_it(attr, leader);
	assert_int_equal(sampling, FAKE_FIRST + 2);
	assert_int_equal(fake_count(FAKE_PERF), 3);
	assert_int_equal(fake_count(FAKE_PMCGRP) + fake_count(FAKE_DEVICE), 0);
	assert_int_equal(fake.fd[member].attr.config, 7);
	assert_false(fake.fd[member].cloexec);
	assert_true(fake.fd[leader].cloexec);
	assert_int_equal(fake.fd[leader].attr.disabled, 1);
	/* From now on the group is perf's. */
	assert_true(fake_is(open_it(event(), leader), FAKE_PERF));
}

/* One that was on for a moment, as PAPI tries each event: perf's is off as well. */
static void test_converted_after_try(void **state)
{
	struct perf_event_attr attr = event();
	int leader;

	(void)state;
	attr.disabled = 0;
	leader = open_it(attr, -1);
	fake.fd[leader].attr.disabled = 1;
	attr.sample_period = 1000;
	assert_true(fake_is(open_it(attr, leader), FAKE_PERF));
	assert_true(fake_is(leader, FAKE_PERF));
	assert_int_equal(fake.fd[leader].attr.disabled, 1);
}

/* What cannot be taken over is refused, and the group stays as it is. */
static void test_not_converted(void **state)
{
	struct perf_event_attr attr = event();
	int leader = open_it(event(), -1), member = open_it(event(), leader);

	(void)state;
	attr.sample_period = 1000;
	fake.counted = true;
	assert_int_equal(refused(attr, leader), EINVAL);
	fake.counted = false;
	fake.fd[leader].attr.disabled = 0;
	assert_int_equal(refused(attr, leader), EINVAL);
	fake.fd[leader].attr.disabled = 1;
	/* A descriptor has another number by now. */
	fake.fd[50] = fake.fd[member];
	fake.fd[member].kind = FAKE_FREE;
	assert_int_equal(refused(attr, leader), EINVAL);
	assert_int_equal(fake_count(FAKE_PMCGRP), 2);
	assert_int_equal(fake_count(FAKE_PERF), 0);
	/* But a tracepoint can be counted. */
	attr = event();
	attr.type = PERF_TYPE_TRACEPOINT;
	assert_true(fake_is(open_it(attr, leader), FAKE_PMCGRP));
}

static void test_refused_by_module(void **state)
{
	int leader;

	(void)state;
	fake.refuse_create = PMCGRP_WHY_UNTIL_EXIT;
	leader = open_it(event(), -1);
	assert_true(fake_is(leader, FAKE_PMCGRP));
	fake.refuse_create = PMCGRP_WHY_COUNTERS_MAX;
	assert_true(fake_is(open_it(event(), -1), FAKE_PERF));
	/* perf might take a group that can never run; it is not asked to. */
	fake.refuse_add = PMCGRP_WHY_TOO_LARGE;
	assert_int_equal(refused(event(), leader), EINVAL);
	fake.refuse_add = PMCGRP_WHY_COUNTERS_MAX;
	assert_true(fake_is(open_it(event(), leader), FAKE_PERF));
	assert_true(fake_is(leader, FAKE_PERF));
	fake.no_device = true;
	assert_true(fake_is(open_it(event(), -1), FAKE_PERF));
	assert_int_equal(fake_count(FAKE_DEVICE), 0);
}

static void test_modes(void **state)
{
	struct perf_event_attr attr = event();

	(void)state;
	setenv("PMCGRP_PRELOAD", "off", 1);
	assert_true(fake_is(open_it(event(), -1), FAKE_PERF));
	setenv("PMCGRP_PRELOAD", "strict", 1);
	assert_true(fake_is(open_it(event(), -1), FAKE_PMCGRP));
	attr.sample_period = 10;
	assert_int_equal(refused(attr, -1), EOPNOTSUPP);
	assert_int_equal(fake_count(FAKE_PERF), 1);
	attr.size = 3;
	assert_int_equal(refused(attr, -1), E2BIG);
}

static void test_log(void **state)
{
	struct perf_event_attr attr = event();
	int leader;

	(void)state;
	setenv("PMCGRP_PRELOAD_LOG", "log", 1);
	leader = open_it(event(), -1);
	assert_string_equal(fake.said, "{\"process\":70,\"thread\":77,\"fd\":3,\"group\":-1,\"pid\":0,"
				       "\"cpu\":-1,\"type\":0,\"config\":1,\"by\":\"pmcgrp\","
				       "\"converted\":false,\"errno\":0,\"reason\":\"\",\"why\":\"\"}\n");
	fake.said[0] = '\0';
	attr.sample_period = 1;
	assert_true(open_it(attr, leader) >= 0);
	assert_non_null(strstr(fake.said, "\"by\":\"perf\",\"converted\":true,\"errno\":0,"
					  "\"reason\":\"joined\""));
	assert_non_null(strstr(fake.said, "\"reason\":\"samples\""));
	unsetenv("PMCGRP_PRELOAD_LOG");
	setenv("PMCGRP_PRELOAD_VERBOSE", "1", 1);
	fake.said[0] = '\0';
	attr = event();
	attr.exclusive = 1;
	assert_true(open_it(attr, -1) >= 0);
	assert_non_null(strstr(fake.said, "is counted by perf_event_open(2): it is exclusive\n"));
}

/* More events than are remembered: the oldest are asked for what they are. */
static void test_many(void **state)
{
	int leader = open_it(event(), -1), i;

	(void)state;
	for (i = 0; i < 500; i++)
		fake.fd[open_it(event(), -1)].kind = FAKE_FREE;
	assert_true(fake_is(open_it(event(), leader), FAKE_PMCGRP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_counts, setup),
		cmocka_unit_test_setup(test_perf_counts, setup),
		cmocka_unit_test_setup(test_idle_fields, setup),
		cmocka_unit_test_setup(test_targets, setup),
		cmocka_unit_test_setup(test_rules, setup),
		cmocka_unit_test_setup(test_rules_of_old, setup),
		cmocka_unit_test_setup(test_asked, setup),
		cmocka_unit_test_setup(test_converted, setup),
		cmocka_unit_test_setup(test_converted_after_try, setup),
		cmocka_unit_test_setup(test_not_converted, setup),
		cmocka_unit_test_setup(test_refused_by_module, setup),
		cmocka_unit_test_setup(test_modes, setup),
		cmocka_unit_test_setup(test_log, setup),
		cmocka_unit_test_setup(test_many, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
