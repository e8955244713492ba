// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The findings as text: a verdict, what was looked at, and what was found, wrapped. */
#include <string.h>

#include "say/name.h"
#include "findings.h"
#include "pmcgrp.h"

#define COLUMNS 80
#define WHAT_WIDTH 19
/* Verdict and what before each found text, with blanks between them. */
#define FOUND_AT (2 + 7 + 2 + WHAT_WIDTH + 1)

static const char * const colors[] = {
	[DOCTOR_OK] = "32",
	[DOCTOR_WARNING] = "33",
	[DOCTOR_PROBLEM] = "1;31",
	[DOCTOR_UNKNOWN] = "36",
};

/* Bytes of the next line of @text, of @width columns at most unless its first word is longer. */
static size_t line_length(const char *text, size_t width)
{
	size_t len, columns = 0, end = 0;

	for (len = 0; text[len] && (columns <= width || !end); len++) {
		if (text[len] == ' ')
			end = len;
		columns += name_begins_character(text[len]);
	}
	return text[len] || columns > width ? (end ? end : len) : len;
}

/* From the column where the file is, and further lines from there, too. */
static void print_wrapped(FILE *file, size_t column, const char *text)
{
	size_t len;

	text += strspn(text, " ");
	for (;;) {
		len = line_length(text, COLUMNS - column);
		fprintf(file, "%.*s\n", (int)len, text);
		text += len;
		text += strspn(text, " ");
		if (!*text)
			return;
		fprintf(file, "%*s", (int)column, "");
	}
}

static void print_verdict(FILE *file, enum verdict verdict, bool color)
{
	const char *name = verdict_name(verdict);

	if (color)
		fprintf(file, "  \033[%sm%-7s\033[0m  ", colors[verdict], name);
	else
		fprintf(file, "  %-7s  ", name);
}

static void print_finding(FILE *file, const struct finding *finding, bool color)
{
	print_verdict(file, finding->verdict, color);
	name_left(file, WHAT_WIDTH, finding->what);
	if (name_columns(finding->what) > WHAT_WIDTH)
		fprintf(file, "\n%*s", FOUND_AT - 1, "");
	fputc(' ', file);
	print_wrapped(file, FOUND_AT, finding->found);
	if (!finding->advice)
		return;
	fprintf(file, "%*s-> ", FOUND_AT, "");
	print_wrapped(file, FOUND_AT + 3, finding->advice);
}

void findings_table(FILE *file, const struct findings *f, bool color)
{
	enum section section = NR_SECTIONS;
	size_t i;

	fprintf(file, "pmcgrp %s\n", pmcgrp_version());
	for (i = 0; i < f->nr; i++) {
		if (f->at[i].section != section) {
			section = f->at[i].section;
			fprintf(file, "\n%s\n", section_title(section));
		}
		print_finding(file, &f->at[i], color);
	}
	fprintf(file, "\nok: %zu, warnings: %zu, problems: %zu, unknown: %zu\n",
		findings_count(f, DOCTOR_OK), findings_count(f, DOCTOR_WARNING),
		findings_count(f, DOCTOR_PROBLEM), findings_count(f, DOCTOR_UNKNOWN));
}
