// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* A file with metrics of the user's own: what it says goes into a table, or is refused by its line. */
#include <errno.h>
#include <math.h>

#include "event/expression.h"
#include "event/metric_file.h"
#include "fuzz.h"

static struct failure failure;

static double literal(void *data, const char *name)
{
	(void)data;
	return (double)strlen(name);
}

static void check(const struct event_table *table)
{
	const struct metric_env env = {
		.table = table, .pmu = EVENT_TABLE_CORE, .cpuid = "Test-1-2-3", .literal = literal,
	};
	size_t i, nr = event_table_nr_metrics(table);
	const struct event_table_metric *m;
	struct metric *metric;
	int ret;

	for (i = 0; i < nr && i < 32; i++) {
		m = event_table_metric(table, i);
		must(*m->name && m->expr && m->pmu && m->scale > 0);
		must(!strcmp(m->file, "file") && m->line);
		must(event_table_find_metric(table, NULL, m->name));
		ret = metric_new(&metric, m->name, m->expr, &env, &failure);
		must(!ret || ret == -EINVAL || ret == -ELOOP);
		if (!ret)
			metric_free(metric);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), *at;
	struct event_table *table;
	unsigned int lines = 1, line = 0;
	size_t nr;
	int ret;

	for (at = text; at < text + size; at++)
		lines += *at == '\n';
	must(!event_table_empty(&table, "none"));
	ret = metric_file_add(table, text, size, "file", &failure);
	nr = event_table_nr_metrics(table);
	if (ret) {
		must(ret == -EINVAL && !nr);
		must(sscanf(failure.text, "file:%u: ", &line) == 1 && line >= 1 && line <= lines);
	} else {
		/* The same once more is the same. */
		must(!metric_file_add(table, text, size, "file", &failure));
		must(event_table_nr_metrics(table) == nr);
		check(table);
	}
	event_table_close(table);
	free(text);
	return 0;
}
