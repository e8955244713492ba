/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GROW_H
#define PMCGRP_GROW_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include "attr.h"

struct pmcgrp_handle;

int pmcgrp_handle_join(struct pmcgrp_handle *handle, const struct perf_event_attr *attr, bool on,
		       struct pmcgrp_failure *fail);
void pmcgrp_handle_close(struct pmcgrp_handle *handle);

#endif /* PMCGRP_GROW_H */
