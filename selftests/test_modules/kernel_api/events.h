/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of the module for tests: where its spans begin and end (points.c). */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pmcgrp_testapi

#if !defined(PMCGRP_TESTAPI_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define PMCGRP_TESTAPI_EVENTS_H

#include <linux/tracepoint.h>

/* clang-format off */
TRACE_EVENT(pmcgrp_testapi_begin,
	TP_PROTO(unsigned int id, unsigned long key),
	TP_ARGS(id, key),
	TP_STRUCT__entry(
		__field(unsigned int, id)
		__field(unsigned long, key)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->key = key;
	),
	TP_printk("id=%u key=%lu", __entry->id, __entry->key)
);

TRACE_EVENT(pmcgrp_testapi_end,
	TP_PROTO(unsigned long key, unsigned int id),
	TP_ARGS(key, id),
	TP_STRUCT__entry(
		__field(unsigned long, key)
		__field(unsigned int, id)
	),
	TP_fast_assign(
		__entry->key = key;
		__entry->id = id;
	),
	TP_printk("id=%u key=%lu", __entry->id, __entry->key)
);
/* clang-format on */

#endif /* PMCGRP_TESTAPI_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
