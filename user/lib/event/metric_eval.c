// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <math.h>

#include "metric_eval.h"

/* As perf: what is not a number decides nothing, and stays where the other one decides nothing. */
static double either(double a, double b)
{
	if ((isfinite(a) && a != 0) || (isfinite(b) && b != 0))
		return 1;
	if (isfinite(a))
		return isfinite(b) ? 0 : b;
	return isfinite(b) ? a : NAN;
}

static double both(double a, double b)
{
	if (a == 0 || b == 0)
		return 0;
	if (isfinite(a))
		return isfinite(b) ? 1 : b;
	return isfinite(b) ? a : NAN;
}

static double one_of(double a, double b)
{
	if (!isfinite(a) || !isfinite(b))
		return NAN;
	return (a == 0) != (b == 0);
}

double metric_operator(enum metric_op op, double a, double b)
{
	bool known = !isnan(a) && !isnan(b);

	switch (op) {
	case METRIC_OR:
		return either(a, b);
	case METRIC_XOR:
		return one_of(a, b);
	case METRIC_AND:
		return both(a, b);
	case METRIC_LESS:
		return known ? a < b : NAN;
	case METRIC_GREATER:
		return known ? a > b : NAN;
	case METRIC_ADD:
		return a + b;
	case METRIC_SUBTRACT:
		return a - b;
	case METRIC_MULTIPLY:
		return a * b;
	case METRIC_DIVIDE:
		return b == 0 ? NAN : a / b;
	case METRIC_MODULO:
		/* Of whole numbers; fmod() is NaN for a divisor of 0. */
		return fmod(trunc(a), trunc(b));
	case METRIC_MIN:
		return a < b ? a : b;
	case METRIC_MAX:
		return a > b ? a : b;
	case METRIC_RATIO:
		return b == 0 ? 0 : a / b;
	default:
		return NAN;
	}
}

struct eval {
	const struct metric_tree *tree;
	const struct metric_leaves *leaves;
};

static double leaf(const struct eval *e, const struct metric_node *node)
{
	if (node->target == METRIC_NOTHING)
		return NAN;
	if (node->target & METRIC_PART)
		return e->leaves->parts[node->target & ~METRIC_PART];
	if (node->op == METRIC_SOURCE_COUNT)
		return e->leaves->values[node->target].sources;
	if (node->op == METRIC_AGGR_NR)
		return e->leaves->values[node->target].counts;
	return e->leaves->values[node->target].value;
}

static double eval(const struct eval *e, unsigned int index)
{
	const struct metric_node *node = &e->tree->nodes[index];
	double a, b;

	switch (node->op) {
	case METRIC_NUMBER:
		return node->number;
	case METRIC_ID:
	case METRIC_SOURCE_COUNT:
	case METRIC_AGGR_NR:
		return leaf(e, node);
	/* Of a branch that is never taken. */
	case METRIC_LITERAL:
	case METRIC_HAS_EVENT:
	case METRIC_CPUID:
		return NAN;
	case METRIC_NEGATE:
		return -eval(e, node->args[0]);
	case METRIC_IF:
		/* A condition that is not a number is no zero. */
		return eval(e, node->args[eval(e, node->args[1]) == 0 ? 2 : 0]);
	default:
		a = eval(e, node->args[0]);
		b = eval(e, node->args[1]);
		return metric_operator(node->op, a, b);
	}
}

double metric_tree_eval(const struct metric_tree *tree, const struct metric_leaves *leaves)
{
	const struct eval e = { .tree = tree, .leaves = leaves };

	return eval(&e, tree->root);
}
