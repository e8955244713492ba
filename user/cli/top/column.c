// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "counters/ratio.h"

#define WIDTH_MIN 9
#define WIDTH_MAX 16

static const struct counter *find_counter(const struct counter_set *set, uint32_t type,
					  uint64_t config)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (counter_is(&set->counters[i], type, config))
			return &set->counters[i];
	}
	return NULL;
}

/* The ratio of a counter whose partner is counted, too. */
static const struct ratio *ratio_of(const struct counter_set *set, const struct counter *counter,
				    const struct counter **of)
{
	size_t i;

	for (i = 0; i < nr_ratios; i++) {
		if (!counter_is(counter, ratios[i].type, ratios[i].config))
			continue;
		*of = find_counter(set, ratios[i].of_type, ratios[i].of_config);
		if (*of)
			return &ratios[i];
	}
	return NULL;
}

static int add(struct top_columns *columns, unsigned int counter, char *name, const char *title)
{
	struct top_column *column = &columns->at[columns->nr];
	int width;

	if (!name)
		return -ENOMEM;
	column->counter = counter;
	column->ratio = !!title;
	column->name = name;
	column->title = title ? title : name;
	width = (int)strnlen(column->title, WIDTH_MAX);
	column->width = width > WIDTH_MIN ? width : WIDTH_MIN;
	columns->nr++;
	return 0;
}

int top_columns_init(struct top_columns *columns, const struct counter_set *set)
{
	const struct counter *counter, *of;
	const struct ratio *ratio;
	unsigned int i;
	int ret = 0;
	char *name;

	*columns = (struct top_columns){ .at = calloc(2 * (size_t)set->nr, sizeof(*columns->at)) };
	if (!columns->at)
		return -ENOMEM;
	for (i = 0; i < set->nr && ret >= 0; i++) {
		counter = &set->counters[i];
		ret = add(columns, i, strdup(counter->name), NULL);
		ratio = ret < 0 ? NULL : ratio_of(set, counter, &of);
		if (!ratio)
			continue;
		if (asprintf(&name, "%s/%s", counter->name, of->name) < 0)
			name = NULL;
		ret = add(columns, i, name, ratio->unit);
	}
	if (ret < 0)
		top_columns_free(columns);
	return ret;
}

void top_columns_free(struct top_columns *columns)
{
	while (columns->nr)
		free(columns->at[--columns->nr].name);
	free(columns->at);
	columns->at = NULL;
}

int top_columns_find(const struct top_columns *columns, const char *name)
{
	unsigned int i;

	if (!strcmp(name, "name"))
		return COLUMN_NAME;
	for (i = 0; i < columns->nr; i++) {
		if (!strcmp(columns->at[i].name, name) || !strcmp(columns->at[i].title, name))
			return (int)i;
	}
	return -2;
}

/* That of stat, as if the row were the only line. */
static struct metric metric(const struct top_column *column, const struct report *report,
			    struct counts *counts)
{
	struct counter_set set = *report->set;
	struct report one = *report;
	struct report_row row = {
		.index = column->counter,
		.counter = &set.counters[column->counter],
		.counts = &counts[column->counter],
	};

	set.counts = counts;
	set.nr_lines = 1;
	one.set = &set;
	return metric_of(&one, &row);
}

static bool is_rate(const char *unit)
{
	size_t len = strlen(unit);

	return len >= 4 && !strcmp(unit + len - 4, "/sec");
}

bool top_column_value(const struct top_column *column, const struct report *report,
		      struct counts *counts, double *value)
{
	const struct counts *c = &counts[column->counter];
	double seconds = report->elapsed.mean;
	struct metric m;

	*value = 0.0;
	if (!counts_counted(c) || seconds <= 0.0)
		return false;
	if (column->ratio) {
		m = metric(column, report, counts);
		*value = m.value;
		return m.unit[0] && !is_rate(m.unit);
	}
	*value = c->value.mean / seconds;
	if (counter_is_clock(&report->set->counters[column->counter]))
		*value /= 1e7;
	return true;
}

static void short_number(char *text, double value)
{
	static const char prefixes[] = " KMGTPE";
	int i = 0;

	for (; value >= 999.5 && prefixes[i + 1]; i++)
		value /= 1000.0;
	if (i)
		snprintf(text, COLUMN_TEXT_SIZE, "%.*f%c", value < 9.995 ? 2 : value < 99.95, value,
			 prefixes[i]);
	else
		snprintf(text, COLUMN_TEXT_SIZE, "%.*f", value < 99.95 && value > 0.0, value);
}

void top_column_text(const struct top_column *column, const struct report *report,
		     struct counts *counts, char *text)
{
	bool clock = counter_is_clock(&report->set->counters[column->counter]);
	double value;

	if (!top_column_value(column, report, counts, &value))
		snprintf(text, COLUMN_TEXT_SIZE, "-");
	else if (column->ratio)
		snprintf(text, COLUMN_TEXT_SIZE, "%.2f%s", value,
			 metric(column, report, counts).sign);
	else if (clock)
		snprintf(text, COLUMN_TEXT_SIZE, "%.1f%%", value);
	else
		short_number(text, value);
}
