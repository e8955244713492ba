/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Expressions of perf's metrics, as trees. */
#ifndef PMCGRP_EVENT_METRIC_PARSE_H
#define PMCGRP_EVENT_METRIC_PARSE_H

#include "failure.h"

/* What is longer or deeper is refused; perf's own are far from it. */
#define METRIC_TEXT_MAX 16384
#define METRIC_DEPTH_MAX 512

enum metric_op {
	METRIC_NUMBER,		/* number */
	METRIC_LITERAL,		/* text: "#smt_on" */
	METRIC_ID,		/* text: an event, without escapes, and with '@' for '/' */
	METRIC_SOURCE_COUNT,	/* text: an event */
	METRIC_AGGR_NR,		/* text: an event */
	METRIC_HAS_EVENT,	/* text: an event */
	METRIC_CPUID,		/* text: a pattern */
	METRIC_NEGATE,		/* args[0]; all that follow have at least two */
	METRIC_OR,
	METRIC_XOR,
	METRIC_AND,
	METRIC_LESS,
	METRIC_GREATER,
	METRIC_ADD,
	METRIC_SUBTRACT,
	METRIC_MULTIPLY,
	METRIC_DIVIDE,
	METRIC_MODULO,
	METRIC_MIN,
	METRIC_MAX,
	METRIC_RATIO,		/* d_ratio() */
	METRIC_IF,		/* args[0] if args[1] else args[2] */
};

struct metric_node {
	enum metric_op op;
	unsigned int depth;
	unsigned int args[3];	/* indices of nodes */
	double number;
	char *text;
	unsigned int target;	/* of METRIC_ID: see metric.c */
};

struct metric_tree {
	struct metric_node *nodes;
	unsigned int nr;
	unsigned int root;
};

/*
 * metric_parse - a tree, to be freed by metric_tree_free()
 *
 * Returns 0; or -EINVAL or -ENOMEM, and there is nothing to be freed.
 */
int metric_parse(struct metric_tree *tree, const char *text, struct failure *failure);
void metric_tree_free(struct metric_tree *tree);

#endif
