/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Operators of perf's metric expressions. */
#ifndef PMCGRP_EVENT_METRIC_EVAL_H
#define PMCGRP_EVENT_METRIC_EVAL_H

#include "expression.h"
#include "metric_parse.h"

/* Of an operator of two values; METRIC_OR to METRIC_RATIO. */
double metric_operator(enum metric_op op, double a, double b);

/* A METRIC_ID's target is one of values, from here on one of parts. */
#define METRIC_PART (1U << 31)
#define METRIC_NOTHING UINT32_MAX

/* What the leaves of a tree are worth. */
struct metric_leaves {
	const struct metric_value *values;
	const double *parts;
};

double metric_tree_eval(const struct metric_tree *tree, const struct metric_leaves *leaves);

#endif
