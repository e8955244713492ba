// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Events and metrics of a table by their names. */
#include "table_rows.h"

const char *event_table_model(const struct event_table *table)
{
	return table->model;
}

size_t event_table_nr(const struct event_table *table)
{
	return table->nr;
}

const struct event_table_entry *event_table_entry(const struct event_table *table, size_t i)
{
	return i < table->nr ? &table->entries[i] : NULL;
}

size_t event_table_nr_metrics(const struct event_table *table)
{
	return table->nr_metrics;
}

const struct event_table_metric *event_table_metric(const struct event_table *table, size_t i)
{
	return i < table->nr_metrics ? &table->metrics[i] : NULL;
}

/* The first of the PMU's entries that has this name. */
static const struct event_table_entry *find_in(const struct event_table *table,
					       const struct table_pmu *pmu, const char *name)
{
	size_t low = pmu->first, high = pmu->first + pmu->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcasecmp(table->entries[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == pmu->first + pmu->nr || strcasecmp(table->entries[low].name, name))
		return NULL;
	return &table->entries[low];
}

static bool is_asked_for(const char *pmu, const char *asked)
{
	return !asked || !strcmp(pmu, asked) || event_table_pmu_matches(pmu, asked);
}

/* In the PMUs from the @i-th on. */
static const struct event_table_entry *find_from(const struct event_table *table, size_t i,
						 const char *pmu, const char *name)
{
	const struct event_table_entry *entry = NULL;

	for (; !entry && i < table->nr_pmus; i++)
		if (is_asked_for(table->pmus[i].name, pmu))
			entry = find_in(table, &table->pmus[i], name);
	return entry;
}

const struct event_table_entry *event_table_find(const struct event_table *table,
						 const char *pmu, const char *name)
{
	return find_from(table, 0, pmu, name);
}

const struct event_table_entry *event_table_find_next(const struct event_table *table,
						      const struct event_table_entry *entry,
						      const char *pmu)
{
	size_t i = 0, next = (size_t)(entry - table->entries) + 1;

	if (next < table->nr && !strcmp(entry[1].pmu, entry->pmu) &&
	    !strcasecmp(entry[1].name, entry->name))
		return entry + 1;
	while (i < table->nr_pmus && table->pmus[i].first < next)
		i++;
	return find_from(table, i, pmu, entry->name);
}

static const struct event_table_metric *after(const struct event_table *table,
					      const struct event_table_metric *metric)
{
	return metric ? metric + 1 : table->metrics;
}

const struct event_table_metric *event_table_find_metric(const struct event_table *table,
							 const struct event_table_metric *metric,
							 const char *name)
{
	for (metric = after(table, metric); metric < table->metrics + table->nr_metrics; metric++)
		if (!strcasecmp(metric->name, name))
			return metric;
	return NULL;
}

/* Whether a list with semicolons has this word. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list; list = strchr(list, ';')) {
		list += *list == ';';
		if (!strncasecmp(list, word, len) && (!list[len] || list[len] == ';'))
			return true;
	}
	return false;
}

const struct event_table_metric *event_table_find_group(const struct event_table *table,
							const struct event_table_metric *metric,
							const char *group)
{
	for (metric = after(table, metric); metric < table->metrics + table->nr_metrics; metric++)
		if (has_word(metric->groups, group))
			return metric;
	return NULL;
}
