// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Failures of rings and triggers in a sentence; groups that have none. */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "internal.h"

static const struct {
	enum pmcgrp_why why;
	int err;
	unsigned int flags;
	const char *says[2];
} ring_rows[] = {
	{ PMCGRP_WHY_FLAGS, EINVAL, 0x80, { "flags 0x80", "unknown" } },
	{ PMCGRP_WHY_SAMPLE_TYPE, EINVAL, 0, { "sample_type 0x400", "they have IDENTIFIER" } },
	{ PMCGRP_WHY_SAMPLE_TYPE, EINVAL, PMCGRP_RING_COMPACT, { "sample_type 0x400", "compact" } },
	{ PMCGRP_WHY_RING_EXISTS, EBUSY, 0, { "its ring already" } },
	{ PMCGRP_WHY_UNCORE_RING, EOPNOTSUPP, 0, { "no samples", "stat -I" } },
	{ PMCGRP_WHY_LEADER, EOPNOTSUPP, 0, { "PMCGRP_CREATE_LEADER" } },
	{ PMCGRP_WHY_CLOCK, EINVAL, PMCGRP_RING_USE_CLOCKID, { "clock 7", "CLOCK_MONOTONIC_RAW" } },
	{ PMCGRP_WHY_PERMISSION, EACCES, 0, { "CAP_SYSLOG" } },
	{ PMCGRP_WHY_NOMEM, ENOMEM, 0, { "no memory" } },
	{ PMCGRP_WHY_NONE, ENOTTY, 0, { "older than this library" } },
	{ PMCGRP_WHY_NONE, EFAULT, 0, { "refused the ring: Bad address" } },
	{ PMCGRP_WHY_RESERVED, EINVAL, 0, { "refused the ring: Invalid argument", "reason 2" } },
	{ (enum pmcgrp_why)99, EIO, 0, { "Input/output error", "reason 99" } },
};

static void of_rings(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ring_rows); i++) {
		const struct pmcgrp_ring_setup setup = {
			.flags = ring_rows[i].flags,
			.sample_type = PERF_SAMPLE_RAW,
			.clockid = 7,
			.why = ring_rows[i].why,
		};
		struct failure f;

		assert_row(i, failure_ring(&f, &setup, ring_rows[i].err) == -ring_rows[i].err);
		assert_row(i, f.why == ring_rows[i].why && f.member == -1 && f.cpu == -1);
		for (j = 0; j < ARRAY_SIZE(ring_rows[i].says) && ring_rows[i].says[j]; j++) {
			if (!strstr(f.text, ring_rows[i].says[j]))
				fail_msg("'%s' lacks '%s'", f.text, ring_rows[i].says[j]);
		}
	}
}

static const struct {
	enum pmcgrp_why why;
	int err;
	int cpu;
	const char *says[2];
} trigger_rows[] = {
	{ PMCGRP_WHY_NO_RING, EINVAL, -1, { "no ring", "pmcgrp_group_set_ring()" } },
	{ PMCGRP_WHY_PERIOD, EINVAL, -1, { "sample_period", "sample_freq" } },
	{ PMCGRP_WHY_TRIGGERS_MAX, ENOSPC, -1, { "16 triggers already" } },
	{ PMCGRP_WHY_EVENT_KIND, EOPNOTSUPP, -1, { "cannot cause samples", "breakpoint" } },
	{ PMCGRP_WHY_EVENT_UNKNOWN, ENOENT, -1, { "no PMU of this machine" } },
	{ PMCGRP_WHY_ATTR_FIELD, EINVAL, -1, { "sample_period", "sample_freq" } },
	{ PMCGRP_WHY_ATTR_UNKNOWN, E2BIG, -1, { "newer than" } },
	{ PMCGRP_WHY_FLAGS, EINVAL, -1, { "flag" } },
	{ PMCGRP_WHY_TASK_GONE, ESRCH, -1, { "has exited" } },
	{ PMCGRP_WHY_CPU_OFFLINE, ENODEV, 3, { "offline" } },
	{ PMCGRP_WHY_PMU, EBUSY, 3, { "refused the event", "on CPU 3" } },
	{ PMCGRP_WHY_PERMISSION, EACCES, -1, { "not permitted", "CAP_PERFMON" } },
	{ PMCGRP_WHY_COUNTERS_MAX, ENOSPC, -1, { "counters_max" } },
	{ PMCGRP_WHY_NONE, ENOTTY, -1, { "older than this library" } },
	{ (enum pmcgrp_why)99, EIO, -1, { "Input/output error", "reason 99" } },
};

static void of_triggers(void **state)
{
	struct perf_event_attr attr = { .type = 4, .config = 0x1a8 };
	struct pmcgrp_spec *spec;
	size_t i, j;

	(void)state;
	pmcgrp_spec_new(&spec);
	pmcgrp_spec_add(spec, &attr, NULL);
	for (i = 0; i < ARRAY_SIZE(trigger_rows); i++) {
		const struct pmcgrp_trigger_add add = { .why = trigger_rows[i].why,
							.fail_cpu = trigger_rows[i].cpu };
		struct failure f;

		assert_row(i, failure_trigger(&f, spec, &add, trigger_rows[i].err) ==
				      -trigger_rows[i].err);
		assert_row(i, f.why == trigger_rows[i].why);
		assert_row(i, f.cpu == trigger_rows[i].cpu);
		assert_row(i, !strncmp(f.text, "trigger r1a8: ", 14));
		for (j = 0; j < ARRAY_SIZE(trigger_rows[i].says) && trigger_rows[i].says[j]; j++) {
			if (!strstr(f.text, trigger_rows[i].says[j]))
				fail_msg("'%s' lacks '%s'", f.text, trigger_rows[i].says[j]);
		}
	}
	pmcgrp_spec_free(spec);
}

/* As with a module that has no rings: any ioctl is unknown. */
static void older_module(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .sample_period = 100000 };
	struct pmcgrp_group group = { .backend = PMCGRP_BACKEND_DEVICE };
	struct pmcgrp_rings *rings;
	struct pmcgrp *h;

	(void)state;
	assert_int_equal(pmcgrp_open(&h, PMCGRP_OPEN_PERF), 0);
	group.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_int_equal(pmcgrp_group_set_ring(h, &group, 0, PERF_SAMPLE_TIME, 0), -ENOTTY);
	assert_non_null(strstr(pmcgrp_strerror(h), "older than this library"));
	assert_int_equal(pmcgrp_group_add_trigger(h, &group, &attr, "clock"), -ENOTTY);
	assert_int_equal(strncmp(pmcgrp_strerror(h), "trigger clock: ", 15), 0);
	assert_int_equal(pmcgrp_group_sample(&group, 0), -ENOTTY);
	assert_int_equal(pmcgrp_group_set_ring_clock(h, &group, 0, PERF_SAMPLE_TIME, 0,
						     CLOCK_MONOTONIC),
			 -ENOTTY);
	assert_int_equal(pmcgrp_group_reader(h, &group), -ENOTTY);
	assert_non_null(strstr(pmcgrp_strerror(h), "of the same release"));
	assert_int_equal(pmcgrp_group_reader(NULL, &group), -EINVAL);
	assert_int_equal(pmcgrp_group_reader(h, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_pause_rings(&group, true), -ENOTTY);
	assert_int_equal(pmcgrp_rings_map(&rings, &group, 1), -ENODEV);
	assert_null(rings);
	assert_int_equal(pmcgrp_group_set_ring(h, NULL, 0, 0, 0), -EINVAL);
	assert_int_equal(pmcgrp_group_set_ring(NULL, &group, 0, 0, 0), -EINVAL);
	assert_int_equal(pmcgrp_group_add_trigger(h, NULL, &attr, NULL), -EINVAL);
	attr.size = 8;
	assert_int_equal(pmcgrp_group_add_trigger(h, &group, &attr, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_sample(NULL, 0), -EINVAL);
	assert_int_equal(pmcgrp_group_pause_rings(NULL, true), -EINVAL);
	close(group.fd);
	pmcgrp_close(h);
}

static void perf_has_none(void **state)
{
	struct pmcgrp_group group = { .backend = PMCGRP_BACKEND_PERF };
	struct perf_event_attr attr = { .sample_period = 1 };
	struct pmcgrp_rings *rings;
	struct pmcgrp *h;

	(void)state;
	assert_int_equal(pmcgrp_open(&h, PMCGRP_OPEN_PERF), 0);
	assert_int_equal(pmcgrp_group_set_ring(h, &group, 0, 0, 0), -EOPNOTSUPP);
	assert_non_null(strstr(pmcgrp_strerror(h), "pmcgrp_ring_map()"));
	assert_int_equal(pmcgrp_group_add_trigger(h, &group, &attr, NULL), -EOPNOTSUPP);
	assert_int_equal(pmcgrp_group_sample(&group, 0), -EOPNOTSUPP);
	assert_int_equal(pmcgrp_group_set_ring_clock(h, &group, 0, 0, 0, CLOCK_MONOTONIC),
			 -EOPNOTSUPP);
	assert_int_equal(pmcgrp_group_reader(h, &group), -EOPNOTSUPP);
	assert_non_null(strstr(pmcgrp_strerror(h), "load the module"));
	assert_int_equal(pmcgrp_group_pause_rings(&group, false), -EOPNOTSUPP);
	assert_int_equal(pmcgrp_rings_map(&rings, &group, 1), -EOPNOTSUPP);
	pmcgrp_close(h);
}

/* What a record says of its cause, by id and by index. */
static void triggers(void **state)
{
	struct pmcgrp_group group = {
		.nr = 1,
		.ids = { 70 },
		.names = { (char *)"cycles" },
		.nr_triggers = 2,
		.triggers = { { 71, 1, (char *)"clock" }, { 72, 2, NULL } },
	};
	struct pmcgrp_record record = { .has = PERF_SAMPLE_ID, .id = 72 };

	(void)state;
	assert_int_equal(pmcgrp_group_trigger(&group, &record), 2);
	record.id = 70;
	assert_int_equal(pmcgrp_group_trigger(&group, &record), 0);
	record.id = 5;
	assert_int_equal(pmcgrp_group_trigger(&group, &record), -ENOENT);
	record = (struct pmcgrp_record){ .has = PERF_SAMPLE_IDENTIFIER, .id = 71 };
	assert_int_equal(pmcgrp_group_trigger(&group, &record), 1);
	record.has = 0;
	assert_int_equal(pmcgrp_group_trigger(&group, &record), -ENOENT);
	record = (struct pmcgrp_record){ .type = PMCGRP_RECORD_COMPACT, .trigger = 1 };
	assert_int_equal(pmcgrp_group_trigger(&group, &record), 1);
	record.trigger = 0;
	assert_int_equal(pmcgrp_group_trigger(&group, &record), 0);
	record.trigger = 3;
	assert_int_equal(pmcgrp_group_trigger(&group, &record), -ENOENT);
	assert_string_equal(pmcgrp_group_trigger_name(&group, 1), "clock");
	assert_string_equal(pmcgrp_group_trigger_name(&group, 2), "");
	assert_string_equal(pmcgrp_group_trigger_name(&group, 3), "");
	assert_int_equal(pmcgrp_group_trigger_id(&group, 2), 72);
	assert_int_equal(pmcgrp_group_trigger_id(&group, 0), 0);
	assert_string_equal(pmcgrp_group_name(&group, 0), "cycles");
	assert_string_equal(pmcgrp_group_name(&group, 1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_rings),
		cmocka_unit_test(of_triggers),
		cmocka_unit_test(older_module),
		cmocka_unit_test(perf_has_none),
		cmocka_unit_test(triggers),
	};

	return cmocka_run_group_tests_name("error_ring", tests, NULL, NULL);
}
