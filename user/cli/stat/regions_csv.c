// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* CSV of regions: a line for each value. pmcgrp-stat(1) lists the fields. */
#include <string.h>

#include "say/name.h"
#include "say/name_csv.h"
#include "say/text.h"
#include "region_reports.h"

static void field(struct text *text, const char *separator, uint64_t value)
{
	text_string(text, separator);
	text_whole(text, 0, value);
}

static void print_value(struct text *text, const struct regions_print *print,
			const struct region_row *row, unsigned int i)
{
	const struct region_value *value = &row->values[i];
	const char *sep = print->separator;
	struct region_ratio ratio;
	bool has_ratio;

	name_csv_text(text, row->name, sep);
	if (print->per_thread) {
		field(text, sep, (uint64_t)row->pid);
		field(text, sep, (uint64_t)row->tid);
	}
	field(text, sep, value->sum);
	text_string(text, sep);
	text_string(text, i ? "" : "ns");
	text_string(text, sep);
	name_csv_text(text, print->set->values[i], sep);
	field(text, sep, row->calls);
	field(text, sep, row->counted);
	field(text, sep, regions_missed(row));
	field(text, sep, value->self);
	text_string(text, sep);
	if (row->counted)
		text_fixed(text, 0, (double)value->sum / (double)row->counted, 2, false);
	text_string(text, sep);
	if (row->counted)
		text_whole(text, 0, value->min);
	text_string(text, sep);
	if (row->counted)
		text_whole(text, 0, value->max);
	has_ratio = region_ratio(print->set, row, i, &ratio);
	text_string(text, sep);
	if (has_ratio)
		text_fixed(text, 0, ratio.value, 2, false);
	text_string(text, sep);
	if (has_ratio)
		text_string(text, ratio.unit);
	text_char(text, '\n');
}

void regions_csv(FILE *file, const struct regions_print *print)
{
	const struct region_set *set = print->set;
	struct text text;
	unsigned int i, k;

	text_init(&text, file);
	for (i = 0; i < set->nr_rows; i++) {
		for (k = 0; k < set->nr_values; k++)
			print_value(&text, print, &set->rows[i], k);
	}
	text_end(&text);
}

uint64_t regions_missed(const struct region_row *row)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < PMCGRP_REGION_REASONS; i++)
		sum += row->missed[i];
	return sum;
}
