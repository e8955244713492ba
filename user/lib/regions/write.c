// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The text of a report for "pmcgrp stat --regions". region_set.h describes it. */
#include <inttypes.h>

#include "regions/set.h"

void region_write_string(FILE *file, const char *string)
{
	fputc(':', file);
	for (; *string; string++) {
		unsigned char c = (unsigned char)*string;

		if (c > ' ' && c <= '~' && c != '%')
			fputc(c, file);
		else
			fprintf(file, "%%%02X", c);
	}
}

static void write_line(FILE *file, const char *what, const char *string)
{
	fputs(what, file);
	fputc(' ', file);
	region_write_string(file, string);
	fputc('\n', file);
}

static void write_number(FILE *file, uint64_t number)
{
	fprintf(file, " %" PRIu64, number);
}

static void write_row(FILE *file, const struct region_row *row, unsigned int nr_values)
{
	unsigned int i;

	fprintf(file, "region %d ", (int)row->tid);
	region_write_string(file, row->name);
	write_number(file, row->calls);
	write_number(file, row->counted);
	write_number(file, row->renewed);
	write_number(file, row->self_missed);
	write_number(file, row->enabled);
	write_number(file, row->running);
	for (i = 0; i < PMCGRP_REGION_REASONS; i++)
		write_number(file, row->missed[i]);
	for (i = 0; i < nr_values; i++) {
		write_number(file, row->values[i].sum);
		write_number(file, row->values[i].self);
		write_number(file, row->values[i].min);
		write_number(file, row->values[i].max);
	}
	fputc('\n', file);
}

void region_set_write(FILE *file, const struct region_set *set)
{
	unsigned int i, lines = 1 + set->nr_values + set->nr_threads + set->nr_rows;

	fprintf(file, "pmcgrp-regions %d report %d ", REGION_TEXT_VERSION, (int)set->pid);
	region_write_string(file, set->comm);
	fprintf(file, " %u\n", set->nr_values);
	if (set->backend[0])
		write_line(file, "backend", set->backend);
	if (set->failure[0])
		write_line(file, "failure", set->failure);
	fputs("refused", file);
	for (i = 0; i < REGION_REFUSED_REASONS; i++)
		write_number(file, set->refused[i]);
	fputc('\n', file);
	for (i = 0; i < set->nr_values; i++)
		write_line(file, "value", set->values[i]);
	for (i = 0; i < set->nr_threads; i++) {
		fprintf(file, "thread %d %d ", (int)set->threads[i].tid, set->threads[i].direct);
		region_write_string(file, set->threads[i].why);
		fputc('\n', file);
	}
	for (i = 0; i < set->nr_rows; i++)
		write_row(file, &set->rows[i], set->nr_values);
	fprintf(file, "end %u\n", lines + !!set->backend[0] + !!set->failure[0]);
}
