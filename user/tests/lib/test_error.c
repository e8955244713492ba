// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Failures in a sentence: each names the member, the reason and the way out. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "rights.h"

static struct pmcgrp_spec *spec_of_two(void)
{
	struct perf_event_attr attr = { .type = 4, .config = 0x1a8 };
	struct pmcgrp_spec *spec;

	assert_int_equal(pmcgrp_spec_new(&spec), 0);
	pmcgrp_spec_add(spec, &attr, NULL);
	pmcgrp_spec_add(spec, &attr, "cycles:u");
	return spec;
}

static const struct {
	enum pmcgrp_why why;
	int err;
	unsigned int member;
	const char *says[3];
} reasons[] = {
	{ PMCGRP_WHY_NONE, EFAULT, PMCGRP_NO_MEMBER, { "refused the group: Bad address" } },
	{ PMCGRP_WHY_FLAGS, EINVAL, PMCGRP_NO_MEMBER, { "flags 0x", "enable_on_exec, inherit and until_exit need" } },
	{ PMCGRP_WHY_RESERVED, EINVAL, PMCGRP_NO_MEMBER, { "refused", "reason 2" } },
	{ PMCGRP_WHY_TARGET, EINVAL, PMCGRP_NO_MEMBER, { "thread 42 is not a target" } },
	{ PMCGRP_WHY_READ_FORMAT, EINVAL, PMCGRP_NO_MEMBER, { "read_format 0x" } },
	{ PMCGRP_WHY_NR_MEMBERS, EINVAL, PMCGRP_NO_MEMBER, { "1 to 64 members, not 2" } },
	{ PMCGRP_WHY_MEMBER, EINVAL, 0, { "member 0 (r1a8)", "malformed" } },
	{ PMCGRP_WHY_ATTR_POINTER, EFAULT, 0, { "member 0", "cannot read its attr" } },
	{ PMCGRP_WHY_ATTR_SIZE, EINVAL, 1, { "member 1 (cycles:u)", "attr.size" } },
	{ PMCGRP_WHY_ATTR_UNKNOWN, E2BIG, 1, { "member 1 (cycles:u)", "newer than" } },
	{ PMCGRP_WHY_ATTR_FIELD, EINVAL, 1, { "member 1 (cycles:u)", "are the group's" } },
	{ PMCGRP_WHY_EVENT_UNKNOWN, ENOENT, 1, { "member 1 (cycles:u)", "no PMU", "list --probe" } },
	{ PMCGRP_WHY_EVENT_KIND, EOPNOTSUPP, 1, { "member 1 (cycles:u)", "breakpoint" } },
	{ PMCGRP_WHY_PRECISE, EINVAL, 1, { "member 1 (cycles:u)", "precise_ip", "leave it out" } },
	{ PMCGRP_WHY_BRANCHES, EINVAL, 1, { "member 1 (cycles:u)", "LBR", "perf record -b" } },
	{ PMCGRP_WHY_SAMPLES, EOPNOTSUPP, 1, { "member 1 (cycles:u)", "IBS", "perf record" } },
	{ PMCGRP_WHY_TOPDOWN, EOPNOTSUPP, 1, { "member 1 (cycles:u)", "slots", "perf stat" } },
	{ PMCGRP_WHY_USER_READ_TASK, EINVAL, 1, { "member 1", "rdpmc", "PMCGRP_CREATE_USER_READ" } },
	{ PMCGRP_WHY_EXCLUDE_GUEST, EOPNOTSUPP, 1, { "member 1 (cycles:u)", ":H", "KVM" } },
	{ PMCGRP_WHY_UNCORE_TASK, EINVAL, 1, { "member 1 (cycles:u)", "no task", "stat -a" } },
	{ PMCGRP_WHY_UNCORE_MIXED, EINVAL, 1, { "member 1 (cycles:u)", "make two groups" } },
	{ PMCGRP_WHY_UNCORE_CPU, ENODEV, 1, { "member 1 (cycles:u)", "cpumask", "all CPUs" } },
	{ PMCGRP_WHY_TASK_GONE, ESRCH, PMCGRP_NO_MEMBER, { "thread 42 does not exist" } },
	{ PMCGRP_WHY_CPU_OFFLINE, ENODEV, PMCGRP_NO_MEMBER, { "is offline" } },
	{ PMCGRP_WHY_PMU, EBUSY, 1, { "member 1 (cycles:u)", "NMI watchdog", "nmi_watchdog=0" } },
	{ PMCGRP_WHY_PMU, EINVAL, 1, { "member 1 (cycles:u)", "Invalid argument" } },
	{ PMCGRP_WHY_PERMISSION, EACCES, PMCGRP_NO_MEMBER, { "not permitted", "CAP_PERFMON" } },
	{ PMCGRP_WHY_NOMEM, ENOMEM, PMCGRP_NO_MEMBER, { "no memory" } },
	{ PMCGRP_WHY_GROUPS_MAX, ENOSPC, PMCGRP_NO_MEMBER, { "groups_max" } },
	{ PMCGRP_WHY_SWITCH_MAX,
	  ENOSPC,
	  PMCGRP_NO_MEMBER,
	  { "more than 64 groups", "inherited ones before the tasks have children", "stat --by" } },
	{ PMCGRP_WHY_MEMORY_MAX, ENOSPC, PMCGRP_NO_MEMBER, { "the user", "rings_max_mb" } },
	{ PMCGRP_WHY_COUNTERS_MAX, ENOSPC, 1, { "member 1 (cycles:u)", "counters_max" } },
	{ PMCGRP_WHY_CPUS, EINVAL, PMCGRP_NO_MEMBER, { "cannot be counted on this machine" } },
	{ PMCGRP_WHY_TOO_LARGE, EINVAL, 1, { "member 1 (cycles:u)", "for the 1 before it", "make two" } },
	{ PMCGRP_WHY_TOO_LARGE, EINVAL, 0, { "member 0 (r1a8)", "has no counter for it" } },
	{ PMCGRP_WHY_TOO_LARGE, EINVAL, PMCGRP_NO_MEMBER, { "the group needs more counters" } },
	{ PMCGRP_WHY_BUSY_PMCGRP,
	  EBUSY,
	  PMCGRP_NO_MEMBER,
	  { "other pmcgrp groups", "pmcgrp info" } },
	{ PMCGRP_WHY_BUSY_PERF, EBUSY, PMCGRP_NO_MEMBER, { "outside pmcgrp", "perf_event_open" } },
	/* Of a module that is newer than this library. */
	{ (enum pmcgrp_why)99, EIO, PMCGRP_NO_MEMBER, { "Input/output error", "reason 99" } },
};

static void of_the_module(void **state)
{
	struct pmcgrp_spec *spec = spec_of_two();
	size_t i, j;

	(void)state;
	pmcgrp_spec_set_task(spec, 42);
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		struct pmcgrp_create create = {
			.why = reasons[i].why,
			.fail_member = reasons[i].member,
			.fail_cpu = -1,
		};
		int blamed = reasons[i].member == PMCGRP_NO_MEMBER ? -1 : (int)reasons[i].member;
		struct failure f;
		int ret;

		ret = failure_create(&f, spec, &create, reasons[i].err);
		assert_row(i, ret == -reasons[i].err);
		assert_row(i, f.why == reasons[i].why);
		assert_row(i, f.member == blamed);
		assert_row(i, f.cpu == -1);
		for (j = 0; j < ARRAY_SIZE(reasons[i].says) && reasons[i].says[j]; j++) {
			if (!strstr(f.text, reasons[i].says[j]))
				fail_msg("'%s' lacks '%s'", f.text, reasons[i].says[j]);
		}
	}
	pmcgrp_spec_free(spec);
}

static void names_the_cpu(void **state)
{
	struct pmcgrp_create create = { .why = PMCGRP_WHY_PMU, .fail_member = 0, .fail_cpu = 3 };
	struct pmcgrp_spec *spec = spec_of_two();
	struct failure f;

	(void)state;
	pmcgrp_spec_set_cpu(spec, 3);
	assert_int_equal(failure_create(&f, spec, &create, EBUSY), -EBUSY);
	assert_int_equal(f.cpu, 3);
	assert_non_null(strstr(f.text, "on CPU 3"));
	create.why = PMCGRP_WHY_TOO_LARGE;
	failure_create(&f, spec, &create, EINVAL);
	assert_non_null(strstr(f.text, "on CPU 3"));
	create.why = PMCGRP_WHY_CPU_OFFLINE;
	create.fail_member = PMCGRP_NO_MEMBER;
	failure_create(&f, spec, &create, ENODEV);
	assert_string_equal(f.text, "CPU 3 is offline");
	/* Of a task it is only where that was tried. */
	pmcgrp_spec_set_task(spec, 42);
	create.why = PMCGRP_WHY_TOO_LARGE;
	create.fail_member = 1;
	failure_create(&f, spec, &create, EINVAL);
	assert_null(strstr(f.text, "on CPU 3"));
	pmcgrp_spec_free(spec);
}

/* Only those that need a counter of the PMU have had one. */
static void counts_what_fits(void **state)
{
	struct pmcgrp_create create = { .why = PMCGRP_WHY_TOO_LARGE, .fail_member = 4,
					.fail_cpu = -1 };
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE };
	struct perf_event_attr point = { .type = PERF_TYPE_TRACEPOINT };
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE };
	struct pmcgrp_spec *spec = spec_of_two();
	struct failure f;

	(void)state;
	pmcgrp_spec_add(spec, &clock, "task-clock");
	pmcgrp_spec_add(spec, &point, "sched:sched_switch");
	pmcgrp_spec_add(spec, &attr, "branches");
	failure_create(&f, spec, &create, EINVAL);
	assert_non_null(strstr(f.text, "member 4 (branches): one hardware event too many"));
	assert_non_null(strstr(f.text, "for the 2 before it"));
	pmcgrp_spec_free(spec);
}

/* Each reason of the ABI has a name of its own, and all but none a text. */
static void reasons_in_words(void **state)
{
	const enum pmcgrp_state no_state = ~0U;
	const enum pmcgrp_why no_why = ~0U;
	int i, k;

	(void)state;
	for (i = PMCGRP_WHY_NONE; i <= PMCGRP_WHY_BACKGROUND; i++) {
		assert_row(i, pmcgrp_why_name(i) && strcmp(pmcgrp_why_name(i), "unknown"));
		assert_row(i, !pmcgrp_why_text(i)[0] == (i == PMCGRP_WHY_NONE));
		for (k = 0; k < i; k++)
			assert_row(i, strcmp(pmcgrp_why_name(i), pmcgrp_why_name(k)));
	}
	assert_string_equal(pmcgrp_why_name(PMCGRP_WHY_BACKGROUND + 1), "unknown");
	assert_string_equal(pmcgrp_why_name(no_why), "unknown");
	assert_non_null(strstr(pmcgrp_why_text(no_why), "newer"));
	for (i = PMCGRP_STATE_RUNNING; i <= PMCGRP_STATE_SCHED_OUT; i++)
		assert_row(i, strcmp(pmcgrp_state_name(i), "unknown"));
	assert_string_equal(pmcgrp_state_name(PMCGRP_STATE_SCHED_OUT + 1), "unknown");
	assert_string_equal(pmcgrp_state_name(no_state), "unknown");
}

/* Only where the watchdog is on is it to be blamed. */
static void watchdog(void **state)
{
	static const char * const switches[] = { "1\n", "0\n", "" };
	char path[] = "/tmp/pmcgrp-test-XXXXXX";
	int fd = mkstemp(path);
	size_t i;

	(void)state;
	assert_true(fd >= 0);
	for (i = 0; i < ARRAY_SIZE(switches); i++) {
		bool on = switches[i][0] == '1';

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, switches[i], strlen(switches[i]), 0),
				 strlen(switches[i]));
		assert_row(i, !strstr(why_text(PMCGRP_WHY_BUSY_PERF, path),
				      "sysctl kernel.nmi_watchdog=0") == !on);
		assert_row(i, !strstr(why_text(PMCGRP_WHY_BUSY_PMCGRP, path), "watchdog"));
	}
	close(fd);
	unlink(path);
	assert_string_equal(why_text(PMCGRP_WHY_BUSY_PERF, path),
			    "perf events outside pmcgrp have the counters");
}

/* The set as it was given, the CPU of it that is to blame. */
static void names_the_set(void **state)
{
	struct pmcgrp_create create = { .why = PMCGRP_WHY_CPUS, .fail_cpu = -1,
					.fail_member = PMCGRP_NO_MEMBER };
	struct pmcgrp_spec *spec = spec_of_two();
	struct pmcgrp_cpus cpus;
	struct failure f;

	(void)state;
	assert_int_equal(pmcgrp_cpus_parse(&cpus, "0,8000-8100", NULL), 0);
	assert_int_equal(pmcgrp_spec_set_cpus(spec, &cpus), 0);
	failure_create(&f, spec, &create, EINVAL);
	assert_non_null(strstr(f.text, "the set of CPUs 0,8000-8100 cannot be counted"));
	assert_non_null(strstr(f.text, "there is no CPU 8000; there can be 0"));
	assert_int_equal(f.cpu, 8000);
	create.why = PMCGRP_WHY_CPU_OFFLINE;
	create.fail_cpu = 8001;
	failure_create(&f, spec, &create, ENODEV);
	assert_string_equal(f.text, "CPU 8001 is offline");
	pmcgrp_spec_set_all_cpus(spec);
	create.why = PMCGRP_WHY_TARGET;
	create.fail_cpu = -1;
	failure_create(&f, spec, &create, EINVAL);
	assert_non_null(strstr(f.text, "the set of all CPUs is not a target"));
	/* A module that has no such targets. */
	pmcgrp_spec_set_cgroup(spec, 7);
	failure_create(&f, spec, &create, EINVAL);
	assert_non_null(strstr(f.text, "the cgroup of descriptor 7 is no target for the loaded "
				       "module: it is older than this library"));
	pmcgrp_spec_set_process(spec, 42);
	create.why = PMCGRP_WHY_TASK_GONE;
	failure_create(&f, spec, &create, ESRCH);
	assert_string_equal(f.text, "process 42 does not exist, or is exiting");
	failure_threads(&f, spec, EAGAIN);
	assert_non_null(strstr(f.text, "process 42 makes threads faster"));
	pmcgrp_spec_free(spec);
}

static const struct {
	int err;
	bool cpu;
	enum pmcgrp_why why;
	const char *says;
} perf_reasons[] = {
	{ ENOENT, false, PMCGRP_WHY_EVENT_UNKNOWN, "no PMU of this machine" },
	{ ENODEV, false, PMCGRP_WHY_EVENT_UNKNOWN, "no PMU of this machine" },
	{ ENODEV, true, PMCGRP_WHY_CPU_OFFLINE, "CPU 42 is offline" },
	{ EOPNOTSUPP, false, PMCGRP_WHY_EVENT_KIND, "cannot count this event" },
	{ ESRCH, false, PMCGRP_WHY_TASK_GONE, "thread 42 does not exist" },
	{ EACCES, false, PMCGRP_WHY_PERMISSION, "perf_event_paranoid" },
	{ EPERM, false, PMCGRP_WHY_PERMISSION, "perf_event_paranoid" },
	{ E2BIG, false, PMCGRP_WHY_ATTR_UNKNOWN, "newer than the running kernel" },
	{ ENOMEM, false, PMCGRP_WHY_NOMEM, "no memory" },
	{ EINVAL, false, PMCGRP_WHY_PMU, "room for the group" },
	{ EINVAL, true, PMCGRP_WHY_PMU, "CPU 42 may not exist" },
	{ EMFILE, false, PMCGRP_WHY_PMU, "ulimit -n" },
};

static void of_perf(void **state)
{
	struct pmcgrp_spec *spec = spec_of_two();
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(perf_reasons); i++) {
		struct failure f;
		int ret;

		if (perf_reasons[i].cpu)
			pmcgrp_spec_set_cpu(spec, 42);
		else
			pmcgrp_spec_set_task(spec, 42);
		ret = failure_perf(&f, spec, 1, perf_reasons[i].cpu ? 42 : -1,
				   perf_reasons[i].err);
		assert_row(i, ret == -perf_reasons[i].err);
		assert_row(i, f.why == perf_reasons[i].why);
		assert_row(i, f.member == 1);
		assert_row(i, !strncmp(f.text, "member 1 (cycles:u): ", 21));
		if (!strstr(f.text, perf_reasons[i].says))
			fail_msg("'%s' lacks '%s'", f.text, perf_reasons[i].says);
	}
	pmcgrp_spec_free(spec);
}

/* Callers with the capability are told of a lockdown that refuses counters, and of no other. */
static void lockdown(void **state)
{
	static const struct {
		const char *file;
		const char *says;
	} rows[] = {
		{ "[none] integrity confidentiality\n", "perf_event_paranoid" },
		{ "none [integrity] confidentiality\n", "perf_event_paranoid" },
		{ "none integrity [confidentiality]\n", "not permitted; kernel lockdown is on (confidentiality in " },
	};
	struct pmcgrp_create create = { .fail_member = PMCGRP_NO_MEMBER, .fail_cpu = -1,
					.why = PMCGRP_WHY_PERMISSION };
	char path[] = "/tmp/pmcgrp-lockdown-XXXXXX";
	struct pmcgrp_spec *spec = spec_of_two();
	const char *before = rights_lockdown_file;
	struct failure f;
	bool locked;
	FILE *file;
	size_t i;

	(void)state;
	if (!rights_perfmon())
		skip();
	close(mkstemp(path));
	rights_lockdown_file = path;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(rows[i].file, file);
		fclose(file);
		failure_perf(&f, spec, 1, -1, EPERM);
		if (!strstr(f.text, rows[i].says))
			fail_msg("%s: %s", rows[i].file, f.text);
		failure_create(&f, spec, &create, EPERM);
		locked = strstr(rows[i].file, "[confidentiality]");
		assert_row(i, locked == !strstr(f.text, "or with CAP_PERFMON"));
	}
	rights_lockdown_file = before;
	unlink(path);
	pmcgrp_spec_free(spec);
}

/* A name of any length may be given; the sentence ends where its room does. */
static void long_names(void **state)
{
	struct perf_event_attr attr = { .type = 0 };
	struct pmcgrp_spec *spec;
	struct failure f;
	char name[2000];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(pmcgrp_spec_new(&spec), 0);
	pmcgrp_spec_add(spec, &attr, name);
	failure_perf(&f, spec, 0, -1, ENOENT);
	assert_int_equal(strlen(f.text), sizeof(f.text) - 1);
	pmcgrp_spec_free(spec);
}

static void of_open(void **state)
{
	static const char absent[] = "/nonexistent/pmcgrp";
	struct pmcgrp *h = (struct pmcgrp *)1;

	(void)state;
	assert_int_equal(handle_open(&h, absent, 0), -ENOENT);
	assert_null(h);
	assert_non_null(strstr(pmcgrp_strerror(NULL), "modprobe pmcgrp"));
	assert_non_null(strstr(pmcgrp_strerror(NULL), "make load"));

	assert_int_equal(pmcgrp_open(&h, 1U << 31), -EINVAL);
	assert_non_null(strstr(pmcgrp_strerror(NULL), "flags"));
	assert_int_equal(pmcgrp_open(NULL, 0), -EINVAL);

	/* Something is there, but it is not pmcgrp: no reason to fall back. */
	assert_int_equal(handle_open(&h, "/dev/null", PMCGRP_OPEN_FALLBACK), -EPROTONOSUPPORT);
	assert_null(h);
	assert_non_null(strstr(pmcgrp_strerror(NULL), "does not answer as pmcgrp's"));
}

static void fallback(void **state)
{
	struct pmcgrp_query query = { .size = sizeof(query) };
	struct pmcgrp *h;

	(void)state;
	assert_int_equal(handle_open(&h, "/nonexistent/pmcgrp", PMCGRP_OPEN_FALLBACK), 0);
	assert_int_equal(pmcgrp_backend(h), PMCGRP_BACKEND_PERF);
	assert_string_equal(pmcgrp_backend_name(h), "perf_event_open");
	assert_string_equal(pmcgrp_strerror(h), "");
	assert_int_equal(pmcgrp_error_member(h), -1);
	assert_int_equal(pmcgrp_query(h, &query), -EOPNOTSUPP);
	assert_non_null(strstr(pmcgrp_strerror(h), "perf_event_open cannot be asked"));
	pmcgrp_close(h);
	pmcgrp_close(NULL);
}

/* The device is there and refuses: that is a permission, not an absence. */
static void no_fallback_when_refused(void **state)
{
	char path[] = "/tmp/pmcgrp-test-XXXXXX";
	struct pmcgrp *h;
	int fd, ret;

	(void)state;
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	chmod(path, 0);
	/* Root may open anything: be somebody else for a moment. */
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	ret = handle_open(&h, path, PMCGRP_OPEN_FALLBACK);
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	unlink(path);
	assert_int_equal(ret, -EACCES);
	assert_non_null(strstr(pmcgrp_strerror(NULL), "the device file"));
	assert_non_null(strstr(pmcgrp_strerror(NULL), "CAP_PERFMON"));
}

/* Each right that is missing is named, and none that is there. */
static void names_the_right(void **state)
{
	struct failure f = { .text = "" };
	int paranoid = rights_paranoid();
	bool perfmon;

	(void)state;
	rights_say_device(&f, "/dev/null", false);
	assert_null(strstr(f.text, "device file"));
	assert_non_null(strstr(f.text, "lacks CAP_PERFMON"));
	f.text[0] = '\0';
	rights_say_device(&f, "/dev/null", true);
	assert_null(strstr(f.text, "lacks"));
	assert_non_null(strstr(f.text, "initial user namespace"));
	f.text[0] = '\0';
	rights_say_device(&f, "/nonexistent/pmcgrp", true);
	assert_non_null(strstr(f.text, "device file"));
	assert_null(strstr(f.text, "CAP_PERFMON"));

	if (!geteuid()) {
		assert_int_equal(seteuid(65534), 0);
		perfmon = rights_perfmon();
		assert_int_equal(seteuid(0), 0);
		assert_false(perfmon);
	}

	assert_true(paranoid >= -1 || paranoid == RIGHTS_PARANOID_UNKNOWN);
	f.text[0] = '\0';
	rights_say_perf(&f, 2);
	assert_non_null(strstr(f.text, "is 2, which allows user mode"));
	f.text[0] = '\0';
	rights_say_perf(&f, 4);
	assert_non_null(strstr(f.text, "is 4, which allows nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_module),
		cmocka_unit_test(names_the_cpu),
		cmocka_unit_test(names_the_set),
		cmocka_unit_test(counts_what_fits),
		cmocka_unit_test(reasons_in_words),
		cmocka_unit_test(watchdog),
		cmocka_unit_test(of_perf),
		cmocka_unit_test(lockdown),
		cmocka_unit_test(long_names),
		cmocka_unit_test(of_open),
		cmocka_unit_test(fallback),
		cmocka_unit_test(no_fallback_when_refused),
		cmocka_unit_test(names_the_right),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
