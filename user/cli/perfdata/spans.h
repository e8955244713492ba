/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Records of spans in a file of samples.
 *
 * The kernel has what a span has counted as raw data. A stock perf(1) prints raw data in two ways:
 * as a tracepoint's fields, for which the file must describe a tracepoint that no kernel has, and
 * which only a perf with libtraceevent can read; or as bytes. Neither can be added up. What every
 * perf adds up are the values of a group (PERF_SAMPLE_READ): the difference of two is what it
 * prints as the period of an event. So each span becomes a sample of a group, whose values are sums over
 * the spans of its ring until then. The span itself is what caused it, as a trigger does:
 *
 *	`perf script` has a line for each member of each span, and one with the span's name;
 *	`perf report` has sums by command, thread, CPU and cgroup, and how many spans there were;
 *	`pmcgrp report` has in each interval what one span has counted.
 *
 * The first member is the time in ns; the other ones are the group's.
 */
#ifndef PERFDATA_SPANS_H
#define PERFDATA_SPANS_H

#include "sink.h"

/* What rings of spans have; there may be PERF_SAMPLE_CGROUP as well. */
#define RECORD_SPAN_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			  PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)

/*
 * record_spans_new - the sums of @desc's rings, at zero
 * @desc: its triggers are the spans, its members the time and those of the group
 *
 * Returns 0 or -ENOMEM.
 */
int record_spans_new(struct record_spans **out, const struct record_desc *desc);
void record_spans_free(struct record_spans *spans);

/*
 * record_spans_put - give a sink what a ring has: of a span as a sample of a group
 * @bytes: @record as it lies in the ring
 *
 * One of no span is left out. Returns 0; -EBADMSG: a span's record that cannot be; or the sink's
 * negative errno.
 */
int record_spans_put(struct record_spans *spans, struct record_sink *sink,
		     const struct pmcgrp_record *record, const void *bytes);

#endif
