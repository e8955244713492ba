/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans of functions of test_modules/kernel_api/calls.c, and of others. */
#ifndef PMCGRP_SPAN_H
#define PMCGRP_SPAN_H

#include "pmcgrp_sections.h"

/* A function of each kernel, which getppid() calls. */
#define CALLED_FUNCTION	"__task_pid_nr_ns"

/* Returns 0 or -errno; @add has what the module says. */
static inline int span_ask(int group, const char *function, const char *name,
			   unsigned int max_active, struct pmcgrp_span_add *add)
{
	*add = (struct pmcgrp_span_add){
		.size = sizeof(*add),
		.kind = PMCGRP_SECTION_FUNCTION,
		.max_active = max_active,
		.begin = (uintptr_t)function,
		.name = (uintptr_t)name,
	};
	return ioctl(group, PMCGRP_IOC_SPAN, add) ? -errno : 0;
}

static inline int span_of(int group, const char *function)
{
	struct pmcgrp_span_add add;

	return span_ask(group, function, NULL, 0, &add);
}

/* The section of a group's span of that name. */
static inline bool find_span(int dev, int group, const char *name, struct section *section)
{
	uint64_t id, of = 0;

	if (ioctl(group, PERF_EVENT_IOC_ID, &of))
		return false;
	for (id = 0;; id = section->info.id + 1) {
		if (!next_section(dev, id, section))
			return false;
		if (section->info.group == of && !strcmp(section->info.name, name))
			return true;
	}
}

#endif /* PMCGRP_SPAN_H */
