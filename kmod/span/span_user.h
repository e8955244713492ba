/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SPAN_USER_H
#define PMCGRP_SPAN_USER_H

#include <linux/err.h>
#include <linux/list.h>
#include <uapi/linux/pmcgrp.h>
#include "span/span.h"

#ifdef CONFIG_UPROBES
struct pmcgrp_span *pmcgrp_span_user_make(struct pmcgrp_span_request *request);
void pmcgrp_span_users_end(struct list_head *spans);
#else
static inline struct pmcgrp_span *pmcgrp_span_user_make(struct pmcgrp_span_request *request)
{
	request->why = PMCGRP_WHY_SPAN_UNSUPPORTED;
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void pmcgrp_span_users_end(struct list_head *spans)
{
}
#endif

#endif /* PMCGRP_SPAN_USER_H */
