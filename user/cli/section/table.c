// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The table of section, for people. */
#include <inttypes.h>

#include "say/digits.h"
#include "say/name.h"
#include "section_report.h"

#define NUMBER_SIZE 48	/* enough for 20 digits with commas, and a sign before them */

/* In 80 columns, as long as no value is wider. */
#define NAME_WIDTH 18
#define SUM_WIDTH 18
#define MEAN_WIDTH 14
#define BOUND_WIDTH 12

/* Of keys, in 100 columns. */
#define KEY_WIDTH 24
#define COUNT_WIDTH 10
#define KEY_SUM_WIDTH 16

/* All digits: a double has 15 of them. */
static const char *grouped(char *out, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	digits_group(out, digits);
	return out;
}

/* ---- The head of a section ---- */

static void print_head(FILE *file, const struct section *section)
{
	char number[NUMBER_SIZE];

	fprintf(file, "%s %s, group %" PRIu64,
		section->kind == PMCGRP_SECTION_MODULE ? "section" : "span", section->name,
		section->group);
	if (section->owner[0])
		fprintf(file, " of %s", section->owner);
	fprintf(file, ": %s counted", grouped(number, section->count));
	fprintf(file, ", %s missed", grouped(number, section_missed(section)));
	if (section->in_flight)
		fprintf(file, ", %s in flight", grouped(number, section->in_flight));
	fputc('\n', file);
}

/* The kernel does not count what it has no room for atomically (struct kretprobe). */
static bool is_least(const struct section *section, enum pmcgrp_missed reason)
{
	return reason == PMCGRP_MISSED_LIMIT && section->kind == PMCGRP_SECTION_FUNCTION;
}

static void print_missed(FILE *file, const struct section *section)
{
	char number[NUMBER_SIZE];
	unsigned int i;

	if (section->is_gone)
		fputs("  its function has gone with the module that had it: nothing is counted any more\n",
		      file);
	for (i = 0; i < SECTION_REASONS; i++) {
		if (!section->missed[i])
			continue;
		fprintf(file, "  missed %s%s: %s%s\n", is_least(section, i) ? "at least " : "", grouped(number, section->missed[i]),
			pmcgrp_missed_text(i),
			i == PMCGRP_MISSED_OFF ? "; \"pmcgrp info\" shows its state" : "");
	}
}

/* ---- Its values ---- */

/* With @sign before a bound. */
static void print_bound(FILE *file, uint64_t value, const char *sign)
{
	char number[NUMBER_SIZE], text[NUMBER_SIZE + 4];

	snprintf(text, sizeof(text), "%s%s", sign, grouped(number, value));
	fprintf(file, " %*s", BOUND_WIDTH, text);
}

static void print_value(FILE *file, const struct section *section, unsigned int i)
{
	const struct section_value *value = &section->values[i];
	char number[NUMBER_SIZE], mean[DIGITS_RIGHT_SIZE];

	fprintf(file, "  %-*s %*s", NAME_WIDTH, section_label(section, i), SUM_WIDTH,
		grouped(number, value->stat.sum));
	if (!section->count) {
		fprintf(file, " %*s %*s %*s\n", MEAN_WIDTH, "-", BOUND_WIDTH, "-", BOUND_WIDTH,
			"-");
		return;
	}
	digits_right(mean, MEAN_WIDTH, section_mean(section, i), 1, true);
	fprintf(file, " %s", mean);
	print_bound(file, value->stat.min, value->min_exact ? "" : ">=");
	print_bound(file, value->stat.max, value->max_exact ? "" : "<=");
	fputc('\n', file);
}

/* ---- Its keys ---- */

static void print_key_value(FILE *file, const struct section *section,
			    const struct section_key_row *row, unsigned int i)
{
	const struct pmcgrp_section_key_stat *stat = &row->entry->stat[i];
	char number[NUMBER_SIZE];

	fprintf(file, " %-*s %*s", NAME_WIDTH, section_label(section, i), KEY_SUM_WIDTH,
		grouped(number, stat->sum));
	fprintf(file, " %*s", BOUND_WIDTH, grouped(number, stat->min));
	fprintf(file, " %*s\n", BOUND_WIDTH, grouped(number, stat->max));
}

static void print_key(FILE *file, const struct section *section, const struct section_key_row *row)
{
	char number[NUMBER_SIZE];
	unsigned int i;
	int width;

	fprintf(file, "  %s%s%s", row->name, row->comm[0] ? " " : "", row->comm);
	width = 2 + (int)(name_columns(row->name) + !!row->comm[0] + name_columns(row->comm));
	/* What is longer has a line of its own. */
	if (width > 2 + KEY_WIDTH) {
		fputc('\n', file);
		width = 0;
	}
	fprintf(file, "%*s %*s", 2 + KEY_WIDTH - width, "", COUNT_WIDTH,
		grouped(number, row->entry->count));
	for (i = 0; i < section->nr; i++) {
		if (i)
			fprintf(file, "%*s", 2 + KEY_WIDTH + 1 + COUNT_WIDTH, "");
		print_key_value(file, section, row, i);
	}
}

static void print_keys(FILE *file, const struct section *section)
{
	const struct section_keys *keys = section->keys;
	char number[NUMBER_SIZE];
	unsigned int i;

	fprintf(file, "  %-*s %*s %-*s %*s %*s %*s\n", KEY_WIDTH, keys->by, COUNT_WIDTH, "COUNT",
		NAME_WIDTH, "EVENT", KEY_SUM_WIDTH, "SUM", BOUND_WIDTH, "MIN", BOUND_WIDTH, "MAX");
	for (i = 0; i < keys->nr; i++)
		print_key(file, section, &keys->rows[i]);
	if (keys->left_out)
		fprintf(file, "  and %u more, which have counted %s\n", keys->left_out,
			grouped(number, keys->left_count));
	fputc('\n', file);
}

static void print_section(FILE *file, const struct section *section)
{
	unsigned int i;

	print_head(file, section);
	print_missed(file, section);
	fprintf(file, "  %-*s %*s %*s %*s %*s\n", NAME_WIDTH, "EVENT", SUM_WIDTH, "SUM", MEAN_WIDTH,
		"MEAN", BOUND_WIDTH, "MIN", BOUND_WIDTH, "MAX");
	for (i = 0; i < section->nr; i++)
		print_value(file, section, i);
	fputc('\n', file);
	if (section->keys)
		print_keys(file, section);
}

void section_table(FILE *file, const struct section_report *report)
{
	const struct section_set *set = report->set;
	unsigned int i;

	if (report->interval)
		fprintf(file, "%.3f s%s\n\n", report->timestamp, set->nr ? "" : ": no section");
	for (i = 0; i < set->nr; i++) {
		print_section(file, &set->sections[i]);
		if (report->histogram)
			section_histograms(file, &set->sections[i]);
	}
}
