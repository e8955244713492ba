// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Histograms in text, as tools of bcc draw them: a row for each power of 2. */
#include <inttypes.h>
#include <string.h>

#include "section_report.h"

#define BAR_WIDTH 40
#define RANGE_WIDTH 10
#define COUNT_WIDTH 8

/* The buckets that are not empty, and those between them. */
struct span {
	unsigned int first;
	unsigned int last;
	uint64_t most;		/* of one bucket; 0: all are empty */
};

static struct span span_of(const __u64 *bucket)
{
	struct span span = { 0 };
	unsigned int i;

	for (i = 0; i < PMCGRP_SECTION_BUCKETS; i++) {
		if (!bucket[i])
			continue;
		if (!span.most)
			span.first = i;
		span.last = i;
		if (bucket[i] > span.most)
			span.most = bucket[i];
	}
	return span;
}

static int digits(uint64_t value)
{
	int nr = 1;

	for (; value >= 10; value /= 10)
		nr++;
	return nr;
}

static int wider(int width, uint64_t value)
{
	return digits(value) > width ? digits(value) : width;
}

static void print_bar(FILE *file, uint64_t count, uint64_t most)
{
	/* Not in whole numbers: their product may be too large. */
	int stars = (int)((double)count / (double)most * BAR_WIDTH), i;

	fputc('|', file);
	for (i = 0; i < BAR_WIDTH; i++)
		fputc(i < stars ? '*' : ' ', file);
	fputs("|\n", file);
}

static void print_histogram(FILE *file, const __u64 *bucket, const char *label)
{
	struct span span = span_of(bucket);
	int to = wider(RANGE_WIDTH, section_bucket_to(span.last));
	int count = wider(COUNT_WIDTH, span.most);
	int row = to + 4 + to, left = (int)strlen(label) > row ? (int)strlen(label) : row;
	unsigned int i;

	if (!span.most)
		return;
	fprintf(file, "  %-*s : %-*s distribution\n", left, label, count, "count");
	for (i = span.first; i <= span.last; i++) {
		fprintf(file, "  %*" PRIu64 " -> %-*" PRIu64 " : %-*" PRIu64 " ", to,
			section_bucket_from(i), left - to - 4, section_bucket_to(i), count,
			(uint64_t)bucket[i]);
		print_bar(file, bucket[i], span.most);
	}
	fputc('\n', file);
}

static void print_key(FILE *file, const struct section *section, const struct section_key_row *row)
{
	unsigned int i;

	fprintf(file, "  %s %s%s%s\n", section->keys->by, row->name, row->comm[0] ? " " : "", row->comm);
	for (i = 0; i < section->nr; i++)
		print_histogram(file, row->buckets->bucket[i], section_label(section, i));
}

void section_histograms(FILE *file, const struct section *section)
{
	const struct section_keys *keys = section->keys;
	unsigned int i;

	for (i = 0; i < section->nr; i++)
		print_histogram(file, section->values[i].stat.bucket, section_label(section, i));
	for (i = 0; keys && i < keys->nr; i++) {
		if (keys->rows[i].buckets)
			print_key(file, section, &keys->rows[i]);
	}
}
