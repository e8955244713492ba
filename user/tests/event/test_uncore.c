// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Events of PMUs outside the CPUs: how many, on which CPUs, and which are one group. */
#include "test.h"

#include <stdarg.h>

#include "pmcgrp.h"

#include "uncore_machine.h"

static struct pmcgrp_events *parse(const char *text)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;

	if (pmcgrp_events_parse(&events, text, 0, &error) < 0)
		fail_msg("'%s': %s", text, error.text);
	return events;
}

/* How many events, in how many groups, have how many names. */
static void expect_nr(const char *text, unsigned int nr, unsigned int groups, unsigned int sums)
{
	struct pmcgrp_events *events = parse(text);
	unsigned int i, found = 0;

	for (i = 0; i < pmcgrp_events_nr(events); i++)
		found += pmcgrp_events_at(events, i)->sum == i;
	if (pmcgrp_events_nr(events) != nr || pmcgrp_events_nr_groups(events) != groups ||
	    found != sums)
		fail_msg("'%s': %u events, %u groups, %u names", text, pmcgrp_events_nr(events),
			 pmcgrp_events_nr_groups(events), found);
	pmcgrp_events_free(events);
}

/* No box twice, all of one name, and those of a group on the same CPUs. */
static void expect_boxes(const char *text, const char *cpus)
{
	struct pmcgrp_events *events = parse(text);
	const struct pmcgrp_event *event, *other;
	unsigned int i, k;

	for (i = 0; (event = pmcgrp_events_at(events, i)); i++) {
		assert_string_equal(event->name, text);
		assert_true(event->flags & PMCGRP_EVENT_UNCORE);
		assert_false(event->flags & PMCGRP_EVENT_CORE);
		assert_int_equal(event->sum, 0);
		if (cpus)
			assert_string_equal(event->cpus, cpus);
		for (k = 0; k < i; k++) {
			other = pmcgrp_events_at(events, k);
			assert_string_not_equal(other->pmu, event->pmu);
			assert_int_not_equal(other->attr->type, event->attr->type);
			if (other->group == event->group)
				assert_string_equal(other->cpus, event->cpus);
		}
	}
	pmcgrp_events_free(events);
}

static void intel(void **state)
{
	struct pmcgrp_events *events;

	(void)state;
	expect_nr("uncore_cha/event=1/", INTEL_BOXES, 1, 1);
	expect_nr("cha/event=1/,uncore_imc/event=4/", INTEL_BOXES + 6, 2, 2);
	expect_nr("uncore_cha_*/event=1/", INTEL_BOXES, 1, 1);
	expect_nr("uncore_cha_3/event=1/", 1, 1, 1);
	expect_nr("cas_count_read", 6, 1, 1);
	expect_nr("power/energy-pkg/", 1, 1, 1);
	expect_nr("uncore_ch*/event=1/,uncore_cha_1[0-3]/event=2/", INTEL_BOXES + 4, 2, 2);
	expect_boxes("uncore_cha/event=1/", "0,28");
	expect_boxes("uncore_cha_*/event=1,umask=2/", "0,28");
	expect_boxes("cas_count_read", "0,28");
	expect_boxes("uncore_*/event=1/", "0,28");
	events = parse("uncore_imc/cas_count_read/");
	assert_string_equal(pmcgrp_events_at(events, 5)->unit, "MiB");
	assert_string_equal(pmcgrp_events_at(events, 5)->pmu, "uncore_imc_5");
	assert_string_equal(pmcgrp_events_at(events, 5)->name, "uncore_imc/cas_count_read/");
	pmcgrp_events_free(events);
}

/* An event of one name on two kinds of boxes is not the same event. */
static void kinds(void **state)
{
	struct pmcgrp_events *events;

	(void)state;
	expect_nr("clockticks", 7, 1, 2);
	events = parse("clockticks");
	assert_string_equal(pmcgrp_events_at(events, 0)->name, "uncore_imc/clockticks/");
	assert_string_equal(pmcgrp_events_at(events, 5)->name, "uncore_imc/clockticks/");
	assert_string_equal(pmcgrp_events_at(events, 6)->name, "uncore_ubox/clockticks/");
	pmcgrp_events_free(events);
}

/* Boxes are whole: 28 with three events are 84, and a group has 64 members. */
static void large(void **state)
{
	const struct pmcgrp_event_group *group;
	struct pmcgrp_events *events;

	(void)state;
	expect_nr("{cha/event=1/,cha/event=2/}", 2 * INTEL_BOXES, 1, 2);
	expect_nr("{cha/event=1/,cha/event=2/,cha/event=3/}", 3 * INTEL_BOXES, 2, 3);
	expect_nr("{uncore_imc_0/event=1/,uncore_imc_0/event=2/}", 2, 1, 2);
	expect_nr("{uncore_imc_0/event=1/,uncore_cha_0/event=2/,power/energy-pkg/}", 3, 1, 3);
	events = parse("{cha/event=1/,cha/event=2/,cha/event=3/}:D");
	group = pmcgrp_events_group(events, 0);
	assert_int_equal(group->nr, 63);
	assert_int_equal(group->flags, PMCGRP_EVENT_GROUP_BRACES | PMCGRP_EVENT_GROUP_PINNED);
	assert_int_equal(pmcgrp_events_group(events, 1)->flags, group->flags);
	assert_null(group->pmu);
	assert_string_equal(pmcgrp_events_at(events, 62)->pmu, "uncore_cha_20");
	assert_string_equal(pmcgrp_events_at(events, 63)->pmu, "uncore_cha_21");
	assert_int_equal(pmcgrp_events_at(events, 63)->sum, 0);
	assert_int_equal(pmcgrp_events_at(events, 65)->sum, 2);
	pmcgrp_events_free(events);
}

/* What is not of one sort is in groups of its own, and the groups say so. */
static void mixed(void **state)
{
	const unsigned int split = PMCGRP_EVENT_GROUP_BRACES | PMCGRP_EVENT_GROUP_SPLIT;
	struct pmcgrp_events *events;

	(void)state;
	events = parse("{uncore_imc_0/event=1/,cycles,cs,uncore_imc_1/event=1/}");
	assert_int_equal(pmcgrp_events_nr_groups(events), 2);
	assert_int_equal(pmcgrp_events_group(events, 0)->nr, 2);
	assert_int_equal(pmcgrp_events_group(events, 0)->flags, split);
	assert_int_equal(pmcgrp_events_group(events, 1)->flags, split);
	assert_string_equal(pmcgrp_events_at(events, 2)->name, "cycles");
	assert_string_equal(pmcgrp_events_at(events, 3)->name, "cs");
	pmcgrp_events_free(events);
	events = parse("{cycles,cs},uncore_imc_1/event=1/");
	assert_int_equal(pmcgrp_events_group(events, 0)->flags, PMCGRP_EVENT_GROUP_BRACES);
	assert_int_equal(pmcgrp_events_group(events, 1)->flags, 0);
	pmcgrp_events_free(events);
}

static void amd(void **state)
{
	struct pmcgrp_events *events;

	(void)state;
	expect_nr("amd_l3/event=4/", 1, 1, 1);
	expect_boxes("amd_l3/event=4/", "0,8,16,24");
	expect_boxes("amd_df/event=7/", "0");
	/* They count on other CPUs. */
	expect_nr("{amd_l3/event=4/,amd_df/event=7/}", 2, 2, 2);
	events = parse("{amd_l3/event=4/,amd_df/event=7/}");
	assert_true(pmcgrp_events_group(events, 0)->flags & PMCGRP_EVENT_GROUP_SPLIT);
	assert_string_equal(pmcgrp_events_group(events, 1)->pmu, "amd_df");
	pmcgrp_events_free(events);
	expect_nr("{amd_df/event=7/,power/energy-pkg/}", 2, 1, 2);
}

static void arm(void **state)
{
	struct pmcgrp_events *events;

	(void)state;
	expect_nr("arm_cmn/event=1/", 2, 2, 1);
	expect_boxes("arm_cmn/event=1/", NULL);
	expect_nr("arm_dsu/event=1/", 3, 3, 1);
	expect_boxes("arm_dsu_*/event=1/", NULL);
	/* Numbers amid the name, and in hexadecimal. */
	expect_nr("rd_hit", 2, 2, 1);
	expect_boxes("rd_hit", NULL);
	expect_nr("arm_smmuv3_pmcg/event=1/", 2, 1, 1);
	expect_boxes("arm_smmuv3_pmcg/event=1/", "0");
	/* Those of a CPU are a group, and no event is without its box. */
	expect_nr("{arm_cmn_0/event=1/,arm_dsu_0/event=1/}", 2, 1, 2);
	expect_nr("{arm_cmn/event=1/,arm_cmn/event=2/}", 4, 2, 2);
	events = parse("{arm_cmn/event=1/,arm_cmn/event=2/}");
	assert_int_equal(pmcgrp_events_group(events, 1)->flags, PMCGRP_EVENT_GROUP_BRACES);
	assert_string_equal(pmcgrp_events_group(events, 1)->pmu, "arm_cmn_1");
	pmcgrp_events_free(events);
	/* A PMU with cpus is one of cores. */
	events = parse("armv8_pmuv3_0/event=1/");
	assert_int_equal(pmcgrp_events_at(events, 0)->flags, PMCGRP_EVENT_CORE);
	pmcgrp_events_free(events);
}

/* If no box knows the term, the first one says so. */
static void refused(void **state)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;

	(void)state;
	assert_int_equal(pmcgrp_events_parse(&events, "uncore_cha/nosuch=1/", 0, &error), -EINVAL);
	assert_non_null(strstr(error.text, "PMU uncore_cha_0"));
	assert_int_equal(error.column, 11);
	assert_int_equal(pmcgrp_events_parse(&events, "uncore_c/event=1/", 0, &error), -EINVAL);
	assert_non_null(strstr(error.text, "neither a PMU nor an event"));
}

int main(void)
{
	const struct CMUnitTest on_intel[] = {
		cmocka_unit_test(intel),
		cmocka_unit_test(kinds),
		cmocka_unit_test(large),
		cmocka_unit_test(mixed),
		cmocka_unit_test(refused),
	};
	const struct CMUnitTest on_amd[] = {
		cmocka_unit_test(amd),
	};
	const struct CMUnitTest on_arm[] = {
		cmocka_unit_test(arm),
	};

	return cmocka_run_group_tests(on_intel, intel_server, fake_machine_end) +
	       cmocka_run_group_tests(on_amd, amd_server, fake_machine_end) +
	       cmocka_run_group_tests(on_arm, arm_server, fake_machine_end);
}
