/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which events of an expression its value can depend on. */
#ifndef PMCGRP_EVENT_METRIC_FOLD_H
#define PMCGRP_EVENT_METRIC_FOLD_H

#include "expression.h"
#include "metric_parse.h"

/* Nodes of METRIC_ID, METRIC_SOURCE_COUNT and METRIC_AGGR_NR; node has room for every node of the tree. */
struct metric_live {
	unsigned int *nodes;
	unsigned int nr;
};

/*
 * metric_fold - makes numbers of what @env knows, and finds the nodes that are needed
 *
 * Returns 0, or -EINVAL: an unknown literal, or a remainder of a division by zero.
 */
int metric_fold(struct metric_tree *tree, const struct metric_env *env, struct metric_live *live,
		struct failure *failure);

#endif
