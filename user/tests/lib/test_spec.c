// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The description of a group: its limits, and what it starts as. */
#include "test.h"

#include "internal.h"

static int spec_setup(void **state)
{
	struct pmcgrp_spec *spec;

	if (pmcgrp_spec_new(&spec) < 0)
		return -1;
	*state = spec;
	return 0;
}

static int spec_teardown(void **state)
{
	pmcgrp_spec_free(*state);
	return 0;
}

static void starts_as(void **state)
{
	struct pmcgrp_spec *spec = *state;

	assert_int_equal(spec->target_type, PMCGRP_TARGET_TASK);
	assert_int_equal(spec->target_id, 0);
	assert_int_equal(spec->flags, 0);
	assert_int_equal(spec->read_format,
			 PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
				 PERF_FORMAT_TOTAL_TIME_RUNNING);
	assert_int_equal(pmcgrp_spec_nr(spec), 0);
}

static void no_place(void **state)
{
	(void)state;
	assert_int_equal(pmcgrp_spec_new(NULL), -EINVAL);
	pmcgrp_spec_free(NULL);
	assert_int_equal(pmcgrp_spec_set_task(NULL, 0), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_cpu(NULL, 0), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_flags(NULL, 0), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_read_format(NULL, 0), -EINVAL);
}

static void targets(void **state)
{
	struct pmcgrp_spec *spec = *state;

	assert_int_equal(pmcgrp_spec_set_cpu(spec, 3), 0);
	assert_int_equal(spec->target_type, PMCGRP_TARGET_CPU);
	assert_int_equal(spec->target_id, 3);
	assert_int_equal(pmcgrp_spec_set_cpu(spec, -1), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_task(spec, -1), -EINVAL);
	assert_int_equal(spec->target_id, 3);
	assert_int_equal(pmcgrp_spec_set_task(spec, 7), 0);
	assert_int_equal(spec->target_type, PMCGRP_TARGET_TASK);
	assert_int_equal(spec->target_id, 7);
}

static void members(void **state)
{
	struct perf_event_attr attr = { .type = 4, .config = 8, .exclude_kernel = 1 };
	struct pmcgrp_spec *spec = *state;
	int i;

	for (i = 0; i < PMCGRP_MEMBERS_MAX; i++) {
		attr.config = (unsigned int)i;
		assert_int_equal(pmcgrp_spec_add(spec, &attr, i ? "name" : NULL), i);
	}
	assert_int_equal(pmcgrp_spec_add(spec, &attr, NULL), -ENOSPC);
	assert_int_equal(pmcgrp_spec_nr(spec), PMCGRP_MEMBERS_MAX);
	for (i = 0; i < PMCGRP_MEMBERS_MAX; i++) {
		assert_int_equal(spec->members[i].attr->config, i);
		/* The only thing that is filled in. */
		assert_int_equal(spec->members[i].attr->size, sizeof(attr));
		assert_int_equal(spec->members[i].attr->exclude_kernel, 1);
	}
	assert_null(spec->members[0].name);
	assert_string_equal(spec->members[1].name, "name");
}

/* An attr of another time than this library: shorter, and longer. */
static void sizes(void **state)
{
	struct pmcgrp_spec *spec = *state;
	unsigned char *exact = malloc(PERF_ATTR_SIZE_VER0);
	unsigned char *huge = calloc(1, 8192);
	struct perf_event_attr *attr = (struct perf_event_attr *)huge;

	memset(exact, 0, PERF_ATTR_SIZE_VER0);
	assert_int_equal(pmcgrp_spec_add_sized(spec, (void *)exact, PERF_ATTR_SIZE_VER0, NULL), 0);
	assert_int_equal(spec->members[0].attr->size, PERF_ATTR_SIZE_VER0);
	assert_int_equal(pmcgrp_spec_add_sized(spec, (void *)exact, PERF_ATTR_SIZE_VER0 - 1, NULL),
			 -EINVAL);

	attr->size = PERF_ATTR_SIZE_VER0 - 1;
	assert_int_equal(pmcgrp_spec_add_sized(spec, attr, 8192, NULL), -EINVAL);
	attr->size = 4097;
	assert_int_equal(pmcgrp_spec_add_sized(spec, attr, 8192, NULL), -E2BIG);
	assert_int_equal(pmcgrp_spec_add_sized(spec, attr, 4096, NULL), -EINVAL);
	attr->size = 4096;
	huge[4095] = 1;
	assert_int_equal(pmcgrp_spec_add_sized(spec, attr, 8192, NULL), 1);
	assert_int_equal(((unsigned char *)spec->members[1].attr)[4095], 1);
	attr->size = 0;
	assert_int_equal(pmcgrp_spec_add_sized(spec, attr, 8192, NULL), -E2BIG);

	assert_int_equal(pmcgrp_spec_add_sized(spec, NULL, 128, NULL), -EINVAL);
	assert_int_equal(pmcgrp_spec_add_sized(NULL, attr, 128, NULL), -EINVAL);
	assert_int_equal(pmcgrp_spec_nr(spec), 2);
	free(exact);
	free(huge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(starts_as, spec_setup, spec_teardown),
		cmocka_unit_test(no_place),
		cmocka_unit_test_setup_teardown(targets, spec_setup, spec_teardown),
		cmocka_unit_test_setup_teardown(members, spec_setup, spec_teardown),
		cmocka_unit_test_setup_teardown(sizes, spec_setup, spec_teardown),
	};

	return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
