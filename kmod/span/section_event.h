/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace event of sections, for <trace/define_trace.h>: section_trace.c makes it.
 *
 * A field for each value, as filters and histograms of the kernel take no elements of arrays.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pmcgrp

#if !defined(PMCGRP_SECTION_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define PMCGRP_SECTION_EVENT_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include "span/section.h"

/* clang-format off */
TRACE_EVENT(pmcgrp_section,

	TP_PROTO(const struct pmcgrp_section_record *record),

	TP_ARGS(record),

	TP_STRUCT__entry(
		__field(u64, id)
		__field(u64, group)
		__field(u64, ns)
		__field(u32, kind)
		__field(u32, nr)
		__field(u64, value0)
		__field(u64, value1)
		__field(u64, value2)
		__field(u64, value3)
		__field(u64, value4)
		__field(u64, value5)
		__field(u64, value6)
		__field(u64, value7)
		__array(char, name, PMCGRP_SECTION_NAME_MAX)
	),

	TP_fast_assign(
		__entry->id = record->id;
		__entry->group = record->group;
		__entry->ns = record->ns;
		__entry->kind = record->kind;
		__entry->nr = record->nr;
		__entry->value0 = record->value[0];
		__entry->value1 = record->value[1];
		__entry->value2 = record->value[2];
		__entry->value3 = record->value[3];
		__entry->value4 = record->value[4];
		__entry->value5 = record->value[5];
		__entry->value6 = record->value[6];
		__entry->value7 = record->value[7];
		memcpy(__entry->name, record->name, PMCGRP_SECTION_NAME_MAX);
	),

	TP_printk("%s id=%llu group=%llu kind=%u ns=%llu nr=%u "
		  "values=%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu",
		  __entry->name, __entry->id, __entry->group, __entry->kind, __entry->ns,
		  __entry->nr, __entry->value0, __entry->value1, __entry->value2, __entry->value3,
		  __entry->value4, __entry->value5, __entry->value6, __entry->value7)
);
/* clang-format on */

#endif /* PMCGRP_SECTION_EVENT_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE section_event
#include <trace/define_trace.h>
