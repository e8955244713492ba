// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* CSV of section: as that of stat, what it is of comes first, then value, unit and event. */
#include "say/name.h"
#include "say/name_csv.h"
#include "say/text.h"
#include "section_report.h"

/* Later ones come behind all other fields: those stay where they are. */
#define FIRST_REASONS (PMCGRP_MISSED_LIMIT + 1)

static void field(struct text *text, const char *separator, uint64_t value)
{
	text_string(text, separator);
	text_whole(text, 0, value);
}

static void print_value(struct text *text, const struct section_report *report,
			const struct section *section, unsigned int i)
{
	const struct section_value *value = &section->values[i];
	const char *sep = report->options->separator;
	unsigned int k;

	if (report->interval) {
		text_fixed(text, 16, report->timestamp, 9, false);
		text_string(text, sep);
	}
	name_field(text, section->name, sep);
	field(text, sep, section->group);
	field(text, sep, value->stat.sum);
	text_string(text, sep);
	text_string(text, i ? "" : "ns");
	text_string(text, sep);
	text_string(text, value->name);
	field(text, sep, section->count);
	for (k = 0; k < FIRST_REASONS; k++)
		field(text, sep, section->missed[k]);
	text_string(text, sep);
	if (section->count)
		text_fixed(text, 0, section_mean(section, i), 2, false);
	text_string(text, sep);
	/* There is no place to say that it is a bound. */
	if (section->count && value->min_exact)
		text_whole(text, 0, value->stat.min);
	text_string(text, sep);
	if (section->count && value->max_exact)
		text_whole(text, 0, value->stat.max);
	field(text, sep, section->in_flight);
	for (; k < SECTION_REASONS; k++)
		field(text, sep, section->missed[k]);
	text_char(text, '\n');
}

/* A key has a line for each value. */
static void print_key(struct text *text, const struct section_report *report,
		      const struct section *section, const struct section_key_row *row)
{
	const char *sep = report->options->separator;
	unsigned int i;

	for (i = 0; i < section->nr; i++) {
		const char *const strings[] = { section->keys->by, row->kind, row->name, row->comm };
		unsigned int k;

		name_field(text, section->name, sep);
		field(text, sep, section->group);
		for (k = 0; k < sizeof(strings) / sizeof(strings[0]); k++) {
			text_string(text, sep);
			name_field(text, strings[k], sep);
		}
		field(text, sep, row->entry->count);
		field(text, sep, row->entry->stat[i].sum);
		text_string(text, sep);
		text_string(text, i ? "" : "ns");
		text_string(text, sep);
		text_string(text, section->values[i].name);
		field(text, sep, row->entry->stat[i].min);
		field(text, sep, row->entry->stat[i].max);
		text_char(text, '\n');
	}
}

static void print_keys(struct text *text, const struct section_report *report,
		       const struct section *section)
{
	unsigned int i;

	for (i = 0; i < section->keys->nr; i++)
		print_key(text, report, section, &section->keys->rows[i]);
}

void section_csv(FILE *file, const struct section_report *report)
{
	const struct section_set *set = report->set;
	struct text text;
	unsigned int i, k;

	text_init(&text, file);
	for (i = 0; i < set->nr; i++) {
		if (set->sections[i].keys) {
			print_keys(&text, report, &set->sections[i]);
			continue;
		}
		for (k = 0; k < set->sections[i].nr; k++)
			print_value(&text, report, &set->sections[i], k);
	}
	text_end(&text);
}
