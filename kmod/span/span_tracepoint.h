/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans from one tracepoint to another one. */
#ifndef PMCGRP_SPAN_TRACEPOINT_H
#define PMCGRP_SPAN_TRACEPOINT_H

struct list_head;
struct pmcgrp_span;
struct pmcgrp_span_request;

struct pmcgrp_span *pmcgrp_span_tracepoint_make(struct pmcgrp_span_request *request);
void pmcgrp_span_tracepoints_end(struct list_head *spans);

#endif /* PMCGRP_SPAN_TRACEPOINT_H */
