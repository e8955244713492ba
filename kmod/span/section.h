/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SECTION_INTERNAL_H
#define PMCGRP_SECTION_INTERNAL_H

#include <linux/bug.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "include/linux/pmcgrp.h"
#include "platform/charge.h"
#include "sample/sample.h"

struct file;
struct pmcgrp_evcpu;
struct pmcgrp_evset;
struct pmcgrp_group;
struct pmcgrp_section_table;
struct pmcgrp_span;
struct pmcgrp_span_tasks;

/* Number of enum pmcgrp_missed; and none of these. */
#define PMCGRP_MISSED_REASONS ((enum pmcgrp_missed)(PMCGRP_MISSED_GONE + 1))

/**
 * struct pmcgrp_section_cpu - what sections on one CPU have counted; that CPU, in a recursion
 *	section
 * @count: number of sections
 * @missed: number of those that were not counted, by reason; this_cpu_inc() in any context
 * @begun: number of spans that have begun, but for those missed at once; in any context
 * @ended: number of these that have ended; as @begun
 * @evcpu: the list's evcpu of the CPU.  Constant.
 * @end: scratch: counts at the end of a section, then less those at its beginning
 * @stat: nanoseconds, and each event of the group's list
 */
struct pmcgrp_section_cpu {
	const struct pmcgrp_evcpu *evcpu;
	u64 count;
	u64 end[PMCGRP_SECTION_MEMBERS_MAX];
	u64 missed[PMCGRP_MISSED_REASONS];
	u64 begun;
	u64 ended;
	struct pmcgrp_section_stat stat[PMCGRP_SECTION_MEMBERS_MAX + 1];
};

/**
 * struct pmcgrp_section - a section
 * @node: node in the list of all sections; pmcgrp_sections_mutex
 * @group: group that counts.  Constant.
 * @span: the span that begins and ends it, or NULL: a module does.  Constant once it is listed.
 * @id: increasing.  Constant.
 * @minds_switches: the group counts more than one task, so what is counted while the task does not
 *	run is not the section's.  Constant.
 * @is_of_cpu: what the group counts on a CPU is meant, whichever tasks run there.  Constant.
 * @is_shared: other groups may have the group's list count.  Constant.
 * @reports: more is done with each section: @table, @source.  Constant once it is listed.
 * @table: counts by key, or NULL.  As @reports.
 * @source: of samples that are its records: with a group; without an event.  As @reports.
 * @tasks: the tasks that are in it, or NULL: it is missed if its task is switched from, if that
 *	matters.  Constant once a probe can begin it.
 * @cpu: what has been counted on each CPU
 * @charge: what its memory is charged to, and all that it has.  Constant once it is listed.
 * @name: name.  Constant.
 */
struct pmcgrp_section {
	struct list_head node;
	const struct pmcgrp_group *group;
	struct pmcgrp_span *span;
	u64 id;
	bool minds_switches;
	bool is_of_cpu;
	bool is_shared;
	bool reports;
	struct pmcgrp_section_table *table;
	struct pmcgrp_sample_source source;
	struct pmcgrp_span_tasks *tasks;
	struct pmcgrp_section_cpu __percpu *cpu;
	struct pmcgrp_charge charge;
	char name[PMCGRP_SECTION_NAME_MAX];
};

/* Count a section as missed.  Context: any, NMI included. */
static __always_inline void pmcgrp_section_miss(const struct pmcgrp_section *section,
						enum pmcgrp_missed why)
{
	this_cpu_inc(section->cpu->missed[why]);
}

/* Whether a module has given a section, and not an error that it has not looked at. */
static __always_inline bool pmcgrp_is_section(const struct pmcgrp_section *section)
{
	return !IS_ERR_OR_NULL(section) || !WARN_ONCE(true, "pmcgrp: no section");
}

extern struct mutex pmcgrp_sections_mutex;
extern struct list_head pmcgrp_sections;

/* Nothing has been counted. */
static inline void pmcgrp_section_stat_init(struct pmcgrp_section_stat *stat)
{
	stat->min = U64_MAX;
}

/**
 * struct pmcgrp_section_record - what the trace event shows of a section that has been counted
 * @id: id of the section, as PMCGRP_IOC_SECTION_NEXT has it
 * @group: id of the group
 * @ns: nanoseconds
 * @value: what each member has counted, in the group's order; 0 behind the last one
 * @name: name, with zeros behind it
 * @kind: enum pmcgrp_section_kind
 * @nr: number of members
 *
 * Probes of the tracepoint get a pointer to it, as a raw tracepoint's BPF program does.
 */
struct pmcgrp_section_record {
	u64 id;
	u64 group;
	u64 ns;
	u64 value[PMCGRP_SECTION_MEMBERS_MAX];
	const char *name;
	u32 kind;
	u32 nr;
};

DECLARE_TRACEPOINT(pmcgrp_section);

/* Whether anyone listens: a static key, so off it costs an instruction that does nothing. */
#define pmcgrp_section_is_traced() tracepoint_enabled(pmcgrp_section)

void pmcgrp_section_trace(const struct pmcgrp_section *section, const u64 *count, u64 ns);
void pmcgrp_span_record(struct pmcgrp_section *section, struct pmcgrp_evset *set, u64 begin,
			u64 time, const u64 *value);
int pmcgrp_span_section_begin(struct pmcgrp_section *section, struct pmcgrp_section_mark *mark);
void pmcgrp_span_section_end(struct pmcgrp_section *section, struct pmcgrp_section_mark *mark);
void pmcgrp_span_section_drop(const struct pmcgrp_section *section,
			      struct pmcgrp_section_mark *mark);
bool pmcgrp_section_is_possible(const struct pmcgrp_group *group);
struct pmcgrp_section *pmcgrp_section_alloc(const struct pmcgrp_group *group, const char *name,
					    struct pmcgrp_charge *charge);
void pmcgrp_section_list(struct pmcgrp_section *section);
void pmcgrp_section_discard(struct pmcgrp_section *section);
void pmcgrp_sections_free(const struct pmcgrp_group *group);
bool pmcgrp_sections_exist(const struct pmcgrp_group *group);
long pmcgrp_section_next_ioctl(struct file *device, void *arg);
long pmcgrp_section_keys(struct file *device, void *_arg);

#endif /* PMCGRP_SECTION_INTERNAL_H */
