// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Failures in a sentence: each names the member, the reason and the way out. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

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
	{ PMCGRP_WHY_FLAGS, EINVAL, PMCGRP_NO_MEMBER, { "flags 0x", "enable_on_exec needs" } },
	{ PMCGRP_WHY_RESERVED, EINVAL, PMCGRP_NO_MEMBER, { "refused", "reason 2" } },
	{ PMCGRP_WHY_TARGET, EINVAL, PMCGRP_NO_MEMBER, { "thread 42 is not a target" } },
	{ PMCGRP_WHY_READ_FORMAT, EINVAL, PMCGRP_NO_MEMBER, { "read_format 0x" } },
	{ PMCGRP_WHY_NR_MEMBERS, EINVAL, PMCGRP_NO_MEMBER, { "1 to 64 members, not 2" } },
	{ PMCGRP_WHY_MEMBER, EINVAL, 0, { "member 0 (type 4, config 0x1a8)", "malformed" } },
	{ PMCGRP_WHY_ATTR_POINTER, EFAULT, 0, { "member 0", "cannot read its attr" } },
	{ PMCGRP_WHY_ATTR_SIZE, EINVAL, 1, { "member 1 (cycles:u)", "attr.size" } },
	{ PMCGRP_WHY_ATTR_UNKNOWN, E2BIG, 1, { "member 1 (cycles:u)", "newer than" } },
	{ PMCGRP_WHY_ATTR_FIELD, EINVAL, 1, { "member 1 (cycles:u)", "belong to the group" } },
	{ PMCGRP_WHY_EVENT_UNKNOWN, ENOENT, 1, { "member 1 (cycles:u)", "no PMU", "virtual" } },
	{ PMCGRP_WHY_EVENT_KIND, EOPNOTSUPP, 1, { "member 1 (cycles:u)", "breakpoint" } },
	{ PMCGRP_WHY_TASK_GONE, ESRCH, PMCGRP_NO_MEMBER, { "thread 42 does not exist" } },
	{ PMCGRP_WHY_CPU_OFFLINE, ENODEV, PMCGRP_NO_MEMBER, { "is offline" } },
	{ PMCGRP_WHY_PMU, EBUSY, 1, { "member 1 (cycles:u)", "NMI watchdog", "nmi_watchdog=0" } },
	{ PMCGRP_WHY_PMU, EINVAL, 1, { "member 1 (cycles:u)", "Invalid argument" } },
	{ PMCGRP_WHY_PERMISSION, EACCES, PMCGRP_NO_MEMBER, { "not permitted", "CAP_PERFMON" } },
	{ PMCGRP_WHY_NOMEM, ENOMEM, PMCGRP_NO_MEMBER, { "no memory" } },
	{ PMCGRP_WHY_GROUPS_MAX, ENOSPC, PMCGRP_NO_MEMBER, { "groups_max" } },
	{ PMCGRP_WHY_SLOTS_MAX, ENOSPC, 1, { "member 1 (cycles:u)", "slots_max" } },
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
	create.why = PMCGRP_WHY_CPU_OFFLINE;
	create.fail_member = PMCGRP_NO_MEMBER;
	failure_create(&f, spec, &create, ENODEV);
	assert_string_equal(f.text, "CPU 3 is offline");
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
		ret = failure_perf(&f, spec, 1, perf_reasons[i].err);
		assert_row(i, ret == -perf_reasons[i].err);
		assert_row(i, f.why == perf_reasons[i].why);
		assert_row(i, f.member == 1);
		assert_row(i, !strncmp(f.text, "member 1 (cycles:u): ", 21));
		if (!strstr(f.text, perf_reasons[i].says))
			fail_msg("'%s' lacks '%s'", f.text, perf_reasons[i].says);
	}
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
	failure_perf(&f, spec, 0, ENOENT);
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
	assert_non_null(strstr(pmcgrp_strerror(NULL), "CAP_PERFMON"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_module),
		cmocka_unit_test(names_the_cpu),
		cmocka_unit_test(of_perf),
		cmocka_unit_test(long_names),
		cmocka_unit_test(of_open),
		cmocka_unit_test(fallback),
		cmocka_unit_test(no_fallback_when_refused),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
