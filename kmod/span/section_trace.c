// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace event pmcgrp:pmcgrp_section: a section or span has been counted, with its values.  So
 * perf, ftrace and BPF programs see each one, and not only the sums.
 *
 * It is sent where section.c has added a section to the sums, never for one that is missed.  So
 * the records add up to the sums of PMCGRP_IOC_SECTION_NEXT, as long as whoever listens loses none.
 *
 * Whoever listens may do anything that a probe of a tracepoint may: run a BPF program, overflow an
 * event and so take a sample of a group, begin and end sections of its own.  The recursion section
 * is left meanwhile: else all that would be missed.  The values are on the stack before.
 *
 * A section that ends in such a probe sends the event again.  The kernel keeps BPF programs, perf's
 * buffers and ftrace's from being entered by themselves (bpf_prog.active,
 * perf_swevent_get_recursion_context(), trace_recursive_lock()), but not the probes of modules.  So
 * events nest at most NEST_MAX deep on a CPU.
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include "group/group.h"
#include "platform/recursion.h"
#include "span/section.h"
#include "span/span.h"

#define CREATE_TRACE_POINTS
#include "span/section_event.h"

/* Task, softirq, hardirq, NMI: each may interrupt the event of the one before, once. */
#define NEST_MAX 4

static DEFINE_PER_CPU(unsigned int, nest_depth);

static void record_fill(struct pmcgrp_section_record *record, const struct pmcgrp_section *section,
			const u64 *count, u64 ns)
{
	const struct pmcgrp_group *group = section->group;
	unsigned int i;

	record->id = section->id;
	record->group = group->member[0].id;
	record->ns = ns;
	record->name = section->name;
	record->kind = section->span ? section->span->ops->kind : PMCGRP_SECTION_MODULE;
	record->nr = group->nr;
	for (i = 0; i < PMCGRP_SECTION_MEMBERS_MAX; i++)
		record->value[i] = i < group->nr ? count[group->member[i].event] : 0;
}

/**
 * pmcgrp_section_trace - send the trace event of a section that has been counted
 * @section: the section
 * @count: what each event of the group's list has counted
 * @ns: nanoseconds
 *
 * Out of line: it is off as a rule.
 *
 * Context: any, NMI included; interrupts off, in a recursion section, which is left meanwhile.
 * What @count points to may change then.
 */
noinline void pmcgrp_section_trace(const struct pmcgrp_section *section, const u64 *count, u64 ns)
{
	struct pmcgrp_section_record record;

	lockdep_assert_irqs_disabled();
	pmcgrp_assert_recursion();
	/* In idle, and where the kernel is entered, probes cannot be called. */
	if (!rcu_is_watching())
		return;
	record_fill(&record, section, count, ns);
	pmcgrp_recursion_end();
	if (__this_cpu_inc_return(nest_depth) <= NEST_MAX)
		trace_pmcgrp_section(&record);
	__this_cpu_dec(nest_depth);
	pmcgrp_recursion_enter();
}
