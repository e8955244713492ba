/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SPAN_FUNCTION_H
#define PMCGRP_SPAN_FUNCTION_H

#include <linux/err.h>
#include <linux/list.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "span/span.h"

#ifdef CONFIG_KRETPROBES
struct pmcgrp_span *pmcgrp_span_function_make(struct pmcgrp_span_request *request);
void pmcgrp_span_functions_end(struct list_head *spans);
void pmcgrp_span_function_missed(struct pmcgrp_span *span, u64 *missed);
bool pmcgrp_span_function_is_gone(const struct pmcgrp_span *span);
#else
static inline struct pmcgrp_span *pmcgrp_span_function_make(struct pmcgrp_span_request *request)
{
	request->why = PMCGRP_WHY_SPAN_UNSUPPORTED;
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void pmcgrp_span_functions_end(struct list_head *spans)
{
}

static inline void pmcgrp_span_function_missed(struct pmcgrp_span *span, u64 *missed)
{
}

static inline bool pmcgrp_span_function_is_gone(const struct pmcgrp_span *span)
{
	return false;
}
#endif

#endif /* PMCGRP_SPAN_FUNCTION_H */
