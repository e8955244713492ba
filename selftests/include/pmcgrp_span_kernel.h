/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of spans in the kernel and of sections that are sent: the module that has something
 * to measure, two events, and groups that count them.
 */
#ifndef PMCGRP_SPAN_KERNEL_H
#define PMCGRP_SPAN_KERNEL_H

#include "pmcgrp_span.h"
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

FIXTURE(span)
{
	int dev;
	struct perf_event_attr attr[2];	/* instructions first, or what comes nearest here */
	const char *events;		/* the same for the module */
	bool instructions;
	int group;			/* closed in the end, if a test has made one */
	struct section section;
};

FIXTURE_SETUP(span)
{
	self->group = -1;
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, testapi_load());
	ASSERT_TRUE(stay_on(0));
	self->instructions = have_instructions();
	self->events = self->instructions ? "0:1,0:0" : "1:0,1:3";
	self->attr[0] = self->instructions ? hw(PERF_COUNT_HW_INSTRUCTIONS) :
					     sw(PERF_COUNT_SW_CPU_CLOCK);
	self->attr[1] = self->instructions ? hw(PERF_COUNT_HW_CPU_CYCLES) :
					     sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
}

FIXTURE_TEARDOWN(span)
{
	if (self->group >= 0)
		close(self->group);
	EXPECT_EQ(0, testapi_unload());
	close(self->dev);
}

static const char *const targets[] = { "task", "process", "cpu", "all" };

/* The target of a group: this task, its process, this CPU, or all CPUs. */
static inline int group_like(int dev, const char *target, const struct perf_event_attr *attr)
{
	struct ask ask = { .nr = 2, .attr = attr };

	if (!strcmp(target, "process"))
		ask.target_type = PMCGRP_TARGET_PROCESS;
	else if (!strcmp(target, "cpu"))
		ask.target_type = PMCGRP_TARGET_CPU;
	else if (!strcmp(target, "all"))
		ask.target_type = PMCGRP_TARGET_ALL_CPUS;
	return ask_group(dev, &ask);
}

#endif /* PMCGRP_SPAN_KERNEL_H */
