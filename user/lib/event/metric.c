// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>

#include "expression.h"
#include "metric_eval.h"
#include "metric_fold.h"
#include "metric_parse.h"

/* perf's metrics refer to others seven deep. */
#define REFERENCES_DEPTH_MAX 32

/* An expression: that of the metric, or of one that it refers to. */
struct part {
	const char *name;	/* or NULL */
	struct metric_tree tree;
	bool done;		/* until then a reference to it is a circle */
};

struct metric {
	char **ids;
	size_t nr_ids;
	struct part *parts;
	size_t nr_parts;
	unsigned int *order;	/* of parts: after those that they refer to */
	size_t nr_order;
	double *values;		/* of parts */
};

/* A metric that is being made. */
struct maker {
	struct metric *metric;
	const struct metric_env *env;
	struct failure *failure;
	unsigned int depth;
};

static int no_memory(const struct maker *m)
{
	return failure_plain(m->failure, ENOMEM, PMCGRP_WHY_NOMEM, "metric");
}

/* The metric of this name; the first one on the PMU that is asked for. */
static const struct event_table_metric *find_metric(const struct metric_env *env, const char *name)
{
	const struct event_table_metric *found = NULL;

	if (!env->table)
		return NULL;
	do {
		found = event_table_find_metric(env->table, found, name);
	} while (found && env->pmu && strcmp(found->pmu, env->pmu));
	return found;
}

/* Room for one more in an array that grows by one element at a time. */
static int grow(void **array, size_t nr, size_t size)
{
	void *more = realloc(*array, (nr + 1) * size);

	if (!more)
		return -ENOMEM;
	*array = more;
	return 0;
}

static int add_id(const struct maker *m, struct metric_node *node)
{
	struct metric *metric = m->metric;
	size_t i;

	for (i = 0; i < metric->nr_ids && strcmp(metric->ids[i], node->text); i++)
		;
	node->target = (unsigned int)i;
	if (i < metric->nr_ids)
		return 0;
	if (grow((void **)&metric->ids, i, sizeof(*metric->ids)))
		return no_memory(m);
	metric->ids[i] = strdup(node->text);
	if (!metric->ids[i])
		return no_memory(m);
	metric->nr_ids++;
	return 0;
}

static int circle(const struct maker *m, const char *name, const char *what)
{
	begin(m->failure, PMCGRP_WHY_NONE, -1, -1);
	say(m->failure, "metric %s %s", name, what);
	return -ELOOP;
}

static int add_part(struct maker *m, const char *name, const char *expr, unsigned int *part);

/* A part for a metric, if it has none yet. */
static int refer(struct maker *m, const struct event_table_metric *to, unsigned int *part)
{
	struct metric *metric = m->metric;
	size_t i;

	for (i = 0; i < metric->nr_parts; i++) {
		if (!metric->parts[i].name || strcasecmp(metric->parts[i].name, to->name))
			continue;
		*part = (unsigned int)i;
		return metric->parts[i].done ? 0 : circle(m, to->name, "refers to itself");
	}
	if (m->depth == REFERENCES_DEPTH_MAX)
		return circle(m, to->name, "is referred to by too long a chain of metrics");
	return add_part(m, to->name, to->expr, part);
}

/* The array of parts may move meanwhile: the nodes of a tree do not. */
static int resolve(struct maker *m, struct metric_node *nodes, const struct metric_live *live)
{
	unsigned int i, part;
	int ret = 0;

	for (i = 0; !ret && i < live->nr; i++) {
		struct metric_node *node = &nodes[live->nodes[i]];
		const struct event_table_metric *to = NULL;

		if (node->op == METRIC_ID)
			to = find_metric(m->env, node->text);
		if (!to) {
			ret = add_id(m, node);
			continue;
		}
		ret = refer(m, to, &part);
		if (!ret)
			node->target = part | METRIC_PART;
	}
	return ret;
}

static int fold_and_resolve(struct maker *m, struct metric_tree *tree)
{
	struct metric_live live = { .nodes = calloc(tree->nr, sizeof(*live.nodes)) };
	unsigned int i;
	int ret;

	if (!live.nodes)
		return no_memory(m);
	for (i = 0; i < tree->nr; i++)
		tree->nodes[i].target = METRIC_NOTHING;
	ret = metric_fold(tree, m->env, &live, m->failure);
	if (!ret)
		ret = resolve(m, tree->nodes, &live);
	free(live.nodes);
	return ret;
}

static int add_part(struct maker *m, const char *name, const char *expr, unsigned int *part)
{
	struct metric *metric = m->metric;
	struct metric_tree tree;
	size_t i = metric->nr_parts;
	int ret;

	ret = metric_parse(&tree, expr, m->failure);
	if (ret)
		return ret;
	if (grow((void **)&metric->parts, i, sizeof(*metric->parts)) ||
	    grow((void **)&metric->order, i, sizeof(*metric->order)) ||
	    grow((void **)&metric->values, i, sizeof(*metric->values))) {
		metric_tree_free(&tree);
		return no_memory(m);
	}
	metric->nr_parts++;
	metric->parts[i] = (struct part){ .name = name, .tree = tree };
	m->depth++;
	ret = fold_and_resolve(m, &tree);
	m->depth--;
	if (ret)
		return ret;
	metric->parts[i].done = true;
	metric->order[metric->nr_order++] = (unsigned int)i;
	*part = (unsigned int)i;
	return 0;
}

int metric_new(struct metric **out, const char *name, const char *expr,
	       const struct metric_env *env, struct failure *failure)
{
	struct maker m = { .env = env, .failure = failure };
	unsigned int part;
	size_t i;
	int ret;

	m.metric = calloc(1, sizeof(*m.metric));
	if (!m.metric)
		return no_memory(&m);
	ret = add_part(&m, name, expr, &part);
	/* The caller's string, and those of the table, may be gone later. */
	for (i = 0; i < m.metric->nr_parts; i++)
		m.metric->parts[i].name = NULL;
	if (ret)
		metric_free(m.metric);
	else
		*out = m.metric;
	return ret;
}

void metric_free(struct metric *metric)
{
	size_t i;

	if (!metric)
		return;
	for (i = 0; i < metric->nr_ids; i++)
		free(metric->ids[i]);
	for (i = 0; i < metric->nr_parts; i++)
		metric_tree_free(&metric->parts[i].tree);
	free(metric->ids);
	free(metric->parts);
	free(metric->order);
	free(metric->values);
	free(metric);
}

size_t metric_nr_ids(const struct metric *metric)
{
	return metric->nr_ids;
}

const char *metric_id(const struct metric *metric, size_t i)
{
	return i < metric->nr_ids ? metric->ids[i] : NULL;
}

char *metric_event(const char *id)
{
	char *event = strdup(id), *at = event;

	while (at && (at = strchr(at, '@')))
		*at = '/';
	return event;
}

double metric_eval(struct metric *metric, const struct metric_value *values)
{
	const struct metric_leaves leaves = { .values = values, .parts = metric->values };
	double value = 0;
	size_t i;

	/* The metric's own expression is the last. */
	for (i = 0; i < metric->nr_order; i++) {
		value = metric_tree_eval(&metric->parts[metric->order[i]].tree, &leaves);
		metric->values[metric->order[i]] = value;
	}
	return value;
}
