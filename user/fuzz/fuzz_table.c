// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Files of perf's tables. The first byte says which: a map of models, whose text is followed by a
 * zero and a CPU; or a table, and whatever it has is found by its own name.
 */
#include <errno.h>

#include "event/table_map.h"
#include "event/table_rows.h"
#include "fuzz.h"

static struct failure failure;

static void fuzz_map(char *text, size_t size)
{
	size_t len = strlen(text);
	const char *cpuid = len < size ? text + len + 1 : "GenuineIntel-6-55-4";
	int err = 0;
	char *model = table_map_find(text, "map", cpuid, &failure, &err);

	if (model)
		must(*model && *model != '/' && !strstr(model, "..") && !err);
	else
		must((err == -EINVAL || err == -ENODEV) && failure.text[0]);
}

static void check_entry(const struct event_table *table, size_t i)
{
	const struct event_table_entry *e = event_table_entry(table, i), *found;

	must(e->name && e->pmu && e->terms);
	for (found = event_table_find(table, NULL, e->name); found != e;
	     found = event_table_find_next(table, found, NULL)) {
		must(found && !strcasecmp(found->name, e->name));
		must(found < e);
	}
	if (i)
		must(strcmp(e[-1].pmu, e->pmu) <= 0);
	event_table_pmu_matches(e->pmu, e->name);
	if (e->compat)
		event_table_compatible(e->compat, e->name);
}

static void check_metric(const struct event_table *table, size_t i)
{
	const struct event_table_metric *m = event_table_metric(table, i), *found = NULL;

	must(m->name && m->pmu && m->expr);
	do {
		found = event_table_find_metric(table, found, m->name);
		must(found);
	} while (found != m);
	if (m->groups)
		event_table_find_group(table, NULL, m->groups);
}

static void fuzz_read(const char *text, size_t size)
{
	struct event_table *table = NULL;
	size_t i;

	if (table_read(&table, text, size, "file", &failure)) {
		must(!table && failure.text[0]);
		return;
	}
	must(event_table_model(table));
	for (i = 0; i < event_table_nr(table); i++)
		check_entry(table, i);
	for (i = 0; i < event_table_nr_metrics(table); i++)
		check_metric(table, i);
	event_table_group_desc(table, "x");
	event_table_close(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = text_of(data + 1, size - 1);
	failure.text[0] = '\0';
	if (*data == 'm')
		fuzz_map(text, size - 1);
	else
		fuzz_read(text, size - 1);
	free(text);
	return 0;
}
