// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Groups made of a text at once, with the perf backend and software events. */
#include "test.h"

#include "internal.h"

static struct pmcgrp *h;

/* Skips where this machine allows no perf events at all (containers). */
static void need_perf(int ret)
{
	if (ret != -EACCES && ret != -EPERM && ret != -ENOSYS)
		return;
	print_message("# skipped: %s\n", pmcgrp_strerror(h));
	skip();
}

static void one_group(void **state)
{
	struct pmcgrp_group *group;
	int ret = pmcgrp_group_open(h, "{page-faults,task-clock}:u", NULL, &group);

	(void)state;
	need_perf(ret);
	assert_int_equal(ret, 0);
	assert_int_equal(pmcgrp_group_nr(group), 2);
	assert_string_equal(pmcgrp_group_name(group, 0), "page-faults:u");
	pmcgrp_group_close(group);
}

/* The sentence names the call that takes them all. */
static void a_second_group(void **state)
{
	struct pmcgrp_group *group = (struct pmcgrp_group *)h;

	(void)state;
	assert_int_equal(pmcgrp_group_open(h, "page-faults,task-clock", NULL, &group), -EINVAL);
	assert_null(group);
	assert_non_null(strstr(pmcgrp_strerror(h), "character 13: this is a second group"));
	assert_non_null(strstr(pmcgrp_strerror(h), "pmcgrp_groups_open()"));
}

static void several_groups(void **state)
{
	struct pmcgrp_group **groups;
	uint64_t buf[64];
	ssize_t len;
	int nr;

	(void)state;
	nr = pmcgrp_groups_open(h, "{page-faults,task-clock}:u,context-switches:u,{faults}:u", NULL,
				&groups);
	need_perf(nr);
	assert_int_equal(nr, 3);
	assert_int_equal(pmcgrp_group_nr(groups[0]), 2);
	assert_int_equal(pmcgrp_group_nr(groups[1]), 1);
	assert_string_equal(pmcgrp_group_name(groups[0], 1), "task-clock:u");
	assert_string_equal(pmcgrp_group_name(groups[1], 0), "context-switches:u");
	assert_string_equal(pmcgrp_group_name(groups[2], 0), "faults:u");
	/* The array is what the call for many groups takes. */
	len = pmcgrp_groups_read(h, groups, 3, buf, sizeof(buf));
	assert_int_equal(len, 3 * 8 + 2 * pmcgrp_read_size(pmcgrp_group_read_format(groups[0]), 1) +
				      pmcgrp_read_size(pmcgrp_group_read_format(groups[0]), 2));
	pmcgrp_groups_close(groups, 3);
}

/* Each has the spec's target and flags, and begins with its members; it stays as it is. */
static void of_a_spec(void **state)
{
	struct perf_event_attr faults = { .type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1,
					  .config = PERF_COUNT_SW_PAGE_FAULTS };
	struct pmcgrp_group **groups;
	struct pmcgrp_view view;
	struct pmcgrp_spec *spec;
	uint64_t buf[16], time;
	int nr, i;

	(void)state;
	assert_int_equal(pmcgrp_spec_new(&spec), 0);
	assert_int_equal(pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED), 0);
	assert_int_equal(pmcgrp_spec_add(spec, &faults, "first"), 0);
	nr = pmcgrp_groups_open(h, "task-clock:u,context-switches:u", spec, &groups);
	need_perf(nr);
	assert_int_equal(nr, 2);
	assert_int_equal(pmcgrp_spec_nr(spec), 1);
	for (i = 0; i < nr; i++) {
		ssize_t len = pmcgrp_group_read(groups[i], buf, sizeof(buf));

		assert_int_equal(pmcgrp_group_nr(groups[i]), 2);
		assert_string_equal(pmcgrp_group_name(groups[i], 0), "first");
		assert_int_equal(pmcgrp_view_init(&view, buf, (size_t)len,
						  pmcgrp_group_read_format(groups[i])),
				 0);
		assert_true(pmcgrp_view_time_enabled(&view, &time) && !time);
	}
	pmcgrp_groups_close(groups, 2);
	pmcgrp_spec_free(spec);
}

static void all_or_none(void **state)
{
	struct pmcgrp_group **groups = (struct pmcgrp_group **)h;

	(void)state;
	assert_int_equal(pmcgrp_groups_open(h, "page-faults,nosuch", NULL, &groups), -EINVAL);
	assert_null(groups);
	assert_non_null(strstr(pmcgrp_strerror(h), "character 13: 'nosuch' is not an event"));
	/* The second one is of no PMU: the first is closed again. */
	need_perf(pmcgrp_groups_open(h, "page-faults:u,4242:1", NULL, &groups));
	assert_null(groups);
	assert_non_null(strstr(pmcgrp_strerror(h), "4242:1"));
	pmcgrp_groups_close(NULL, 0);
}

static int begin(void **state)
{
	(void)state;
	return pmcgrp_open(&h, PMCGRP_OPEN_PERF);
}

static int end(void **state)
{
	(void)state;
	pmcgrp_close(h);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_group),
		cmocka_unit_test(a_second_group),
		cmocka_unit_test(several_groups),
		cmocka_unit_test(of_a_spec),
		cmocka_unit_test(all_or_none),
	};

	return cmocka_run_group_tests_name("open", tests, begin, end);
}
