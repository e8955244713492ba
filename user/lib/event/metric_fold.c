// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <math.h>

#include "metric_eval.h"
#include "metric_fold.h"

struct fold {
	struct metric_tree *tree;
	const struct metric_env *env;
	struct metric_live *live;
	struct failure *failure;
	int err;
};

static bool is_constant(double value)
{
	return isfinite(value);
}

static double fail(struct fold *f, const char *what, const char *name)
{
	if (!f->err) {
		begin(f->failure, PMCGRP_WHY_NONE, -1, -1);
		say(f->failure, "metric expression: %s%s", what, name);
		f->err = -EINVAL;
	}
	return NAN;
}

/* From here on it is a number. */
static double known(struct metric_node *node, double value)
{
	node->op = METRIC_NUMBER;
	node->number = value;
	return value;
}

static double fold_literal(struct fold *f, struct metric_node *node)
{
	double value;

	if (f->env->literal)
		value = f->env->literal(f->env->data, node->text);
	else
		value = metric_literal(node->text, f->env->system_wide);
	if (isnan(value))
		return fail(f, "this machine has no ", node->text);
	return known(node, value);
}

static double fold_has_event(struct fold *f, struct metric_node *node)
{
	return known(node, !f->env->has_event || f->env->has_event(f->env->data, node->text));
}

static double fold_cpuid(struct fold *f, struct metric_node *node)
{
	if (!f->env->cpuid)
		return fail(f, "this machine does not say what its CPU is: ", node->text);
	return known(node, event_cpuid_matches(node->text, f->env->cpuid));
}

static double fold(struct fold *f, unsigned int index);

/* Of a constant condition only the branch that is taken counts. */
static double fold_if(struct fold *f, const struct metric_node *node)
{
	unsigned int first = f->live->nr;
	double condition = fold(f, node->args[1]), a, b;

	if (is_constant(condition)) {
		f->live->nr = first;
		return fold(f, node->args[condition == 0 ? 2 : 0]);
	}
	a = fold(f, node->args[0]);
	b = fold(f, node->args[2]);
	/* The same constant either way. */
	if (a == b) {
		f->live->nr = first;
		return a;
	}
	return NAN;
}

/* Whether one constant decides what the two are, whatever the other is. */
static bool decides(enum metric_op op, double value)
{
	return is_constant(value) &&
	       ((op == METRIC_OR && value != 0) || (op == METRIC_AND && value == 0));
}

static double fold_two(struct fold *f, const struct metric_node *node)
{
	unsigned int first = f->live->nr;
	double a = fold(f, node->args[0]), b = fold(f, node->args[1]);

	if (node->op == METRIC_MODULO && b == 0)
		return fail(f, "the remainder of a division by zero", "");
	if (decides(node->op, a) || decides(node->op, b) ||
	    ((node->op == METRIC_DIVIDE || node->op == METRIC_RATIO) && b == 0)) {
		f->live->nr = first;
		return metric_operator(node->op, a, b);
	}
	/* perf keeps what these two need. */
	if (node->op == METRIC_MIN || node->op == METRIC_MAX)
		return NAN;
	if (is_constant(a) && is_constant(b))
		return metric_operator(node->op, a, b);
	return NAN;
}

/* The value; NaN if it is not known yet. */
static double fold(struct fold *f, unsigned int index)
{
	struct metric_node *node = &f->tree->nodes[index];

	if (f->err)
		return NAN;
	switch (node->op) {
	case METRIC_NUMBER:
		return node->number;
	case METRIC_LITERAL:
		return fold_literal(f, node);
	case METRIC_HAS_EVENT:
		return fold_has_event(f, node);
	case METRIC_CPUID:
		return fold_cpuid(f, node);
	case METRIC_ID:
	case METRIC_SOURCE_COUNT:
	case METRIC_AGGR_NR:
		f->live->nodes[f->live->nr++] = index;
		return NAN;
	case METRIC_NEGATE:
		return -fold(f, node->args[0]);
	case METRIC_IF:
		return fold_if(f, node);
	default:
		return fold_two(f, node);
	}
}

int metric_fold(struct metric_tree *tree, const struct metric_env *env, struct metric_live *live,
		struct failure *failure)
{
	struct fold f = { .tree = tree, .env = env, .live = live, .failure = failure };

	live->nr = 0;
	fold(&f, tree->root);
	return f.err;
}
