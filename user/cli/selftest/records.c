// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Samples, spans, and whether the module lets go of all. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sysfile.h"
#include "check.h"

#define PAGES 64
#define RING_PAGES 16
#define CALLS 1000
#define REFS "/sys/module/pmcgrp/refcnt"

/* How many samples there are; their counts never go back. */
static unsigned int count_samples(struct check *c, struct pmcgrp_rings *rings)
{
	struct pmcgrp_record record;
	uint64_t last = 0, value;
	unsigned int nr = 0;

	while (pmcgrp_rings_next(rings, &record) > 0) {
		if (record.type == PERF_RECORD_LOST || record.type == PERF_RECORD_LOST_SAMPLES)
			check_fail(c, "%llu records were lost", (unsigned long long)record.lost);
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		value = pmcgrp_view_value(&record.read, 0);
		if (value < last)
			check_fail(c, "sample %u has a count of %llu, the one before %llu", nr,
				   (unsigned long long)value, (unsigned long long)last);
		last = value;
		nr++;
	}
	pmcgrp_rings_consume(rings);
	return nr;
}

static bool with_ring(struct check *c, struct pmcgrp_group *group, struct pmcgrp_rings **rings)
{
	struct perf_event_attr each = check_software(PERF_COUNT_SW_PAGE_FAULTS);
	int ret;

	each.sample_period = 1;
	if (pmcgrp_group_set_ring(c->h, group, 0, PERF_SAMPLE_TIME | PERF_SAMPLE_READ, 0) ||
	    pmcgrp_group_add_trigger(c->h, group, &each, "page-faults") < 0)
		return check_fail(c, "a ring: %s", pmcgrp_strerror(c->h));
	ret = pmcgrp_rings_map(rings, group, RING_PAGES);
	return ret ? check_fail(c, "mmap() of a ring: %s", strerror(-ret)) : true;
}

void check_samples(struct check *c)
{
	const struct perf_event_attr attr[] = {
		check_software(PERF_COUNT_SW_PAGE_FAULTS),
		check_software(PERF_COUNT_SW_TASK_CLOCK),
	};
	struct pmcgrp_rings *rings = NULL;
	struct pmcgrp_group *group;
	struct check_values v;
	unsigned int nr;

	if (check_group(c, CHECK_THREAD, attr, 2, &group)) {
		check_fail(c, "a group: %s", pmcgrp_strerror(c->h));
		return;
	}
	if (with_ring(c, group, &rings) && check_touch(PAGES) && !pmcgrp_group_disable(group) &&
	    check_read(c, group, &v)) {
		nr = count_samples(c, rings);
		check_note(c, "%d pages: %u samples, %llu page faults", PAGES, nr,
			   (unsigned long long)v.value[0]);
		if (nr < PAGES)
			check_fail(c, "%u samples, one for each page fault, of %d pages", nr, PAGES);
	}
	pmcgrp_rings_free(rings);
	pmcgrp_group_close(group);
}

/* The system call that is counted, by the names that the kernel may have for it. */
static const char *const functions[] = { "__x64_sys_getppid", "__arm64_sys_getppid",
					 "__riscv_sys_getppid", "sys_getppid", "__se_sys_getppid" };

static int add_span(struct check *c, struct pmcgrp_group *group, uint64_t *id)
{
	struct pmcgrp_span_spec spec = { .kind = PMCGRP_SECTION_FUNCTION };
	int ret = -ENOENT;
	size_t i;

	for (i = 0; ret == -ENOENT && i < sizeof(functions) / sizeof(functions[0]); i++) {
		spec.begin = functions[i];
		ret = pmcgrp_group_add_span(c->h, group, &spec, id);
	}
	return ret;
}

static void calls_counted(struct check *c, uint64_t id)
{
	struct pmcgrp_section_info *section;
	uint64_t missed = 0;
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	if (pmcgrp_section_next(c->h, id, &section)) {
		check_fail(c, "the span cannot be read: %s", pmcgrp_strerror(c->h));
		return;
	}
	for (i = 0; i < PMCGRP_MISSED_ROOM; i++)
		missed += section->missed[i];
	check_note(c, "%d calls of getppid(): %llu spans, %llu missed", CALLS,
		   (unsigned long long)section->count, (unsigned long long)missed);
	if (section->count + missed != CALLS)
		check_fail(c, "%d calls are %llu spans and %llu that were missed", CALLS,
			   (unsigned long long)section->count, (unsigned long long)missed);
	pmcgrp_section_free(section);
}

void check_spans(struct check *c)
{
	const struct perf_event_attr attr = check_software(PERF_COUNT_SW_TASK_CLOCK);
	struct pmcgrp_group *group;
	uint64_t id = 0;
	int ret;

	if (check_group(c, CHECK_THREAD, &attr, 1, &group)) {
		check_fail(c, "a group: %s", pmcgrp_strerror(c->h));
		return;
	}
	ret = add_span(c, group, &id);
	if (ret == -EOPNOTSUPP || ret == -ENOENT)
		check_skip(c, "getppid() cannot be probed here: %s", pmcgrp_strerror(c->h));
	else if (ret)
		check_fail(c, "a span: %s", pmcgrp_strerror(c->h));
	else
		calls_counted(c, id);
	pmcgrp_group_close(group);
}

/* This process's handle holds the module once, and each group once more while it is open. */
void check_let_go(struct check *c)
{
	const struct perf_event_attr attr = check_software(PERF_COUNT_SW_TASK_CLOCK);
	struct pmcgrp_group *group;
	long long before, with, after;

	if (sysfile_number("", REFS, &before)) {
		check_skip(c, "%s cannot be read: is the module built in?", REFS);
		return;
	}
	if (check_group(c, CHECK_THREAD, &attr, 1, &group)) {
		check_fail(c, "a group: %s", pmcgrp_strerror(c->h));
		return;
	}
	with = after = before;
	sysfile_number("", REFS, &with);
	pmcgrp_group_close(group);
	sysfile_number("", REFS, &after);
	check_note(c, "references to the module: %lld, with a group %lld, without it %lld", before, with, after);
	if (with <= before || after != before)
		check_fail(c, "a group that was closed still holds the module, or another process uses it");
}
