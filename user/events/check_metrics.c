// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * check_metrics FOLDER: every expression of the tables, evaluated by us and by perf's own evaluator
 * from the same counts. `check-metrics` builds it with perf's sources, which are not part of this
 * project. A line of stdin is an architecture, and a CPU of it. Prints TAP.
 *
 * What perf's evaluator asks of the rest of perf is answered here, and what ours asks of the
 * machine is answered alike.
 */
#include <math.h>
#include <stdlib.h>

#include "event/expression.h"
#include "event/event_table.h"

/* perf's. */
#include "expr.h"
#include "stub.h"

#define VARIANTS 8
#define SHOWN 10	/* of what differs */
#define IDS_MAX 256
/* What is asked for; the tables of Linux 6.12 have some 30000. */
#define FEWEST 50

static unsigned int variant;
static const char *cpuid;
static struct failure failure;

static struct {
	unsigned int evaluated, numbers, refused, differ;
} sums;

/* ---- The machine that both are told of ---- */

static bool smt(void)
{
	return variant & 1;
}

static bool system_wide(void)
{
	return variant & 2;
}

static bool has(const char *event)
{
	(void)event;
	return variant & 4;
}

static double literal(void *data, const char *name)
{
	static const struct {
		const char *name;
		double value;
	} values[] = {
		{ "#num_cpus", 8 },
		{ "#num_cpus_online", 6 },
		{ "#num_cores", 4 },
		{ "#num_dies", 2 },
		{ "#num_packages", 1 },
		{ "#slots", 5 },
		{ "#system_tsc_freq", 2.5e9 },
		{ "#has_pmem", 0 },
	};
	size_t i;

	(void)data;
	if (!strcasecmp(name, "#smt_on"))
		return smt();
	if (!strcasecmp(name, "#core_wide"))
		return system_wide();
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (!strcasecmp(name, values[i].name))
			return values[i].value;
	return NAN;
}

struct perf_cpu cpu__max_present_cpu(void)
{
	return (struct perf_cpu){ (int)literal(NULL, "#num_cpus") };
}

struct perf_cpu_map *cpu_map__online(void)
{
	static int online;

	return (struct perf_cpu_map *)&online;
}

int perf_cpu_map__nr(const struct perf_cpu_map *map)
{
	(void)map;
	return (int)literal(NULL, "#num_cpus_online");
}

const struct cpu_topology *online_topology(void)
{
	static struct cpu_topology topology;

	topology.package_cpus_lists = (int)literal(NULL, "#num_packages");
	topology.die_cpus_lists = (int)literal(NULL, "#num_dies");
	topology.core_cpus_lists = (int)literal(NULL, "#num_cores");
	return &topology;
}

double perf_pmu__cpu_slots_per_cycle(void)
{
	return literal(NULL, "#slots");
}

double arch_get_tsc_freq(void)
{
	return literal(NULL, "#system_tsc_freq");
}

bool smt_on(void)
{
	return smt();
}

bool core_wide(bool all, const char *list)
{
	(void)all;
	(void)list;
	return system_wide();
}

const char *sysfs__mountpoint(void)
{
	return "/nonexistent";
}

struct evlist *evlist__new(void)
{
	static int list;

	return (struct evlist *)&list;
}

void evlist__delete(struct evlist *list)
{
	(void)list;
}

int parse_event(struct evlist *list, const char *event)
{
	(void)list;
	return !has(event);
}

struct perf_pmu *perf_pmus__find_core_pmu(void)
{
	return NULL;
}

char *perf_pmu__getcpuid(struct perf_pmu *pmu)
{
	(void)pmu;
	return strdup(cpuid);
}

int strcmp_cpuid_str(const char *pattern, const char *id)
{
	return !event_cpuid_matches(pattern, id);
}

/* ---- Counts ---- */

/* The same for the same event: whole numbers, some of them 0. */
static double count_of(const char *id)
{
	uint64_t hash = 1469598103934665603ULL ^ variant;

	for (; *id; id++)
		hash = (hash ^ (unsigned char)*id) * 1099511628211ULL;
	hash ^= hash >> 31;
	return hash % 16 ? (double)(hash % 100000000) : 0;
}

static unsigned int sources_of(const char *id)
{
	return 1 + (unsigned int)strlen(id) % 3;
}

/* ---- Ours ---- */

/* Events that an expression asks for by has_event(), and there are. */
static char *asked[IDS_MAX];
static unsigned int nr_asked;

static bool has_event(void *data, const char *id)
{
	(void)data;
	if (has(id) && nr_asked < IDS_MAX)
		asked[nr_asked++] = strdup(id);
	return has(id);
}

static double our_value(struct metric *metric)
{
	struct metric_value values[IDS_MAX];
	size_t i;

	for (i = 0; i < metric_nr_ids(metric) && i < IDS_MAX; i++) {
		values[i].value = count_of(metric_id(metric, i));
		values[i].sources = sources_of(metric_id(metric, i));
		values[i].counts = 1;
	}
	return metric_eval(metric, values);
}

/* ---- perf's ---- */

static const struct event_table_metric *find(const struct event_table *table, const char *pmu,
					     const char *name)
{
	const struct event_table_metric *found = NULL;

	do {
		found = event_table_find_metric(table, found, name);
	} while (found && strcmp(found->pmu, pmu));
	return found;
}

static int add_names(struct expr_parse_ctx *ctx, const struct event_table *table, const char *pmu,
		     const char *expr);

/* A metric, and what that names; or an event. Once each. */
static int add_name(struct expr_parse_ctx *ctx, const struct event_table *table, const char *pmu,
		    const char *name)
{
	const struct event_table_metric *metric = find(table, pmu, name);
	struct expr_id_data *unused;
	int ret;

	if (!expr__get_id(ctx, name, &unused))
		return 0;
	if (!metric)
		return expr__add_id_val_source_count(ctx, strdup(name), count_of(name),
						     (int)sources_of(name));
	ret = stub_add_ref(ctx, name, metric->expr);
	return ret ? ret : add_names(ctx, table, pmu, metric->expr);
}

/* Each name that perf finds in an expression. */
static int add_names(struct expr_parse_ctx *ctx, const struct event_table *table, const char *pmu,
		     const char *expr)
{
	struct expr_parse_ctx *names = expr__ctx_new();
	struct hashmap_entry *entry;
	size_t bucket;
	int ret;

	names->sctx.system_wide = system_wide();
	ret = expr__find_ids(expr, NULL, names);
	hashmap__for_each_entry(names->ids, entry, bucket)
		ret = ret ? ret : add_name(ctx, table, pmu, entry->pkey);
	expr__ctx_free(names);
	return ret;
}

static int perf_value(double *value, const struct event_table *table,
		      const struct event_table_metric *m, const char *expr)
{
	struct expr_parse_ctx *ctx = expr__ctx_new();
	unsigned int i;
	int ret;

	ctx->sctx.system_wide = system_wide();
	ret = add_names(ctx, table, m->pmu, expr);
	for (i = 0; i < nr_asked; i++)
		expr__add_id_val(ctx, strdup(asked[i]), count_of(asked[i]));
	if (!ret)
		ret = expr__parse(value, ctx, expr);
	expr__ctx_free(ctx);
	return ret;
}

/* ---- Both ---- */

static void differs(const struct event_table *table, const struct event_table_metric *m,
		    const char *expr, const char *how, double ours, double perfs)
{
	if (sums.differ++ >= SHOWN)
		return;
	printf("# %s %s, variant %u: %s: ours %.17g, perf's %.17g: %s\n", event_table_model(table),
	       m->name, variant, how, ours, perfs, expr);
}

/* To the last digit: both do the same with the same numbers. */
static bool same(double ours, double perfs)
{
	if (isnan(ours) || isnan(perfs))
		return isnan(ours) && isnan(perfs);
	return ours == perfs;
}

static void check(const struct event_table *table, const struct event_table_metric *m,
		  const char *expr)
{
	const struct metric_env env = {
		.table = table, .pmu = m->pmu, .cpuid = cpuid, .system_wide = system_wide(),
		.literal = literal, .has_event = has_event,
	};
	double ours = NAN, perfs = NAN;
	struct metric *metric;
	int our_ret, perf_ret;

	our_ret = metric_new(&metric, NULL, expr, &env, &failure);
	if (!our_ret) {
		ours = our_value(metric);
		metric_free(metric);
	}
	perf_ret = perf_value(&perfs, table, m, expr);
	while (nr_asked)
		free(asked[--nr_asked]);
	sums.evaluated++;
	sums.refused += our_ret && perf_ret;
	if (!our_ret != !perf_ret)
		differs(table, m, expr, our_ret ? "we refuse it" : "perf refuses it", ours, perfs);
	else if (!our_ret && !same(ours, perfs))
		differs(table, m, expr, "values", ours, perfs);
	else
		sums.numbers += !our_ret && isfinite(ours) && ours != 0;
}

static int check_model(const char *folder, const char *arch)
{
	struct event_table *table;
	size_t i;

	if (event_table_open(&table, folder, arch, cpuid, &failure) < 0) {
		printf("# %s %s: %s\n", arch, cpuid, failure.text);
		return -1;
	}
	for (variant = 0; variant < VARIANTS; variant++) {
		for (i = 0; i < event_table_nr_metrics(table); i++) {
			const struct event_table_metric *m = event_table_metric(table, i);

			check(table, m, m->expr);
			if (m->threshold)
				check(table, m, m->threshold);
		}
	}
	event_table_close(table);
	return 0;
}

int main(int argc, char **argv)
{
	char line[256], arch[32], id[128];
	unsigned int models = 0;
	bool good = argc == 2;

	while (good && fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%31s %127s", arch, id) != 2)
			continue;
		cpuid = id;
		good = !check_model(argv[1], arch);
		models++;
	}
	printf("# %u models, %u evaluations: %u differ, %u refused by both, %u with a value that is not 0\n",
	       models, sums.evaluated, sums.differ, sums.refused, sums.numbers);
	good = good && models && !sums.differ && sums.numbers >= FEWEST;
	printf("%s 1 - metrics have the values that perf's evaluator gives them\n1..1\n",
	       good ? "ok" : "not ok");
	return !good;
}
