/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SECTION_TRACE_H
#define PMCGRP_SECTION_TRACE_H

#include <linux/tracepoint-defs.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct pmcgrp_section;

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

#endif /* PMCGRP_SECTION_TRACE_H */
