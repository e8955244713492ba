// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp_plan_events(): passes of a list of events, on whatever machine this is. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmcgrp.h"
#include "pmcgrp_plan.h"

#define LIMIT_US 1000000

static struct pmcgrp *handle(void)
{
	struct pmcgrp *h;

	assert_int_equal(pmcgrp_open(&h, PMCGRP_OPEN_PERF), 0);
	return h;
}

static struct pmcgrp_events *parse(const char *text)
{
	struct pmcgrp_events *events;

	assert_int_equal(pmcgrp_events_parse(&events, text, 0, NULL), 0);
	return events;
}

static void software_events_are_one_pass(void **state)
{
	struct pmcgrp_events *events = parse("page-faults,{task-clock,context-switches},cpu-clock");
	struct pmcgrp_plan_passes passes;
	struct pmcgrp *h = handle();
	unsigned int i;

	(void)state;
	assert_int_equal(pmcgrp_plan_events(&passes, h, events, LIMIT_US), 0);
	assert_int_equal(passes.nr, 1);
	assert_int_equal(passes.least, 1);
	assert_int_equal(passes.misfit, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(passes.pass[i], 0);
	free(passes.pass);
	pmcgrp_events_free(events);
	pmcgrp_close(h);
}

/* No processor has 32 counters for this event. */
static void a_group_that_never_fits_is_named(void **state)
{
	struct pmcgrp_plan_passes passes;
	struct pmcgrp *h = handle();
	struct pmcgrp_events *events;
	char text[512] = "page-faults,{r0c0";
	unsigned int i;

	(void)state;
	for (i = 1; i < 32; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",r%xc0", i << 8 | 0xf00);
	events = parse(strcat(text, "}"));
	assert_int_equal(pmcgrp_plan_events(&passes, h, events, LIMIT_US), 0);
	assert_int_equal(passes.nr, 0);
	assert_int_equal(passes.misfit, 1);
	assert_true(passes.why[0]);
	free(passes.pass);
	pmcgrp_events_free(events);
	pmcgrp_close(h);
}

static void nothing_is_wrong(void **state)
{
	struct pmcgrp_events *events = parse("page-faults");
	struct pmcgrp_plan_passes passes;
	struct pmcgrp *h = handle();

	(void)state;
	assert_int_equal(pmcgrp_plan_events(NULL, h, events, LIMIT_US), -EINVAL);
	assert_int_equal(pmcgrp_plan_events(&passes, NULL, events, LIMIT_US), -EINVAL);
	assert_int_equal(pmcgrp_plan_events(&passes, h, NULL, LIMIT_US), -EINVAL);
	pmcgrp_events_free(events);
	pmcgrp_close(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(software_events_are_one_pass),
		cmocka_unit_test(a_group_that_never_fits_is_named),
		cmocka_unit_test(nothing_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
