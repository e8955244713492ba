// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What the three ways of printing have in common. */
#include <math.h>
#include <string.h>

#include "counters/uncore.h"
#include "count_report.h"

bool report_row(const struct report *report, size_t n, struct report_row *row)
{
	const struct counter_set *set = report->set;
	size_t line, index;

	if (n >= (size_t)set->nr * set->nr_lines)
		return false;
	if (aggr_by_event(set->aggr)) {
		line = n % set->nr_lines;
		index = n / set->nr_lines;
	} else {
		line = n / set->nr;
		index = n % set->nr;
	}
	row->set = set;
	row->line = set->aggr->order[line];
	row->index = (unsigned int)index;
	row->counter = &set->counters[index];
	row->counts = counter_counts(set, row->line, row->index);
	return true;
}

bool report_row_hidden(const struct report *report, const struct report_row *row)
{
	/* What is in the row of another box's sum; and what is counted on other CPUs. */
	if (row->counter->sum != row->index ||
	    !uncore_on_line(report->set, row->index, row->line))
		return true;
	if (report->set->line_of && report->set->line_of[row->index] != row->line)
		return true;
	return report->hide_zero && !(row->counts->value.mean > 0.0);
}

const char *report_cgroup(const struct report *report, unsigned int line)
{
	const struct aggr *aggr = report->set->aggr;

	return aggr->mode == AGGR_CGROUP ? aggr->lines[line].name : NULL;
}

unsigned int report_cpus(const struct report *report, unsigned int line,
			 const struct counter *counter)
{
	const struct counter_set *set = report->set;
	unsigned int nr = 0;

	if (counter && counter_is_uncore(counter))
		nr = uncore_line_cpus(set, (unsigned int)(counter - set->counters), line);
	return nr ? nr : set->aggr->lines[line].nr_cpus;
}

double report_value(const struct report_row *row)
{
	double value = row->counts->value.mean;

	return counter_is_clock(row->counter) ? value / 1e6 : value * row->counter->scale;
}

int report_decimals(const struct counter *counter)
{
	return counter_is_clock(counter) || floor(counter->scale) != counter->scale ? 2 : 0;
}

const char *report_unit(const struct counter *counter)
{
	return counter_is_clock(counter) ? "msec" : counter->unit;
}

size_t report_unit_width(const struct report *report)
{
	size_t width = strlen("unit"), len;
	unsigned int i;

	for (i = 0; i < report->set->nr; i++) {
		len = strlen(report_unit(&report->set->counters[i]));
		if (len > width)
			width = len;
	}
	return width;
}

const char *report_no_value(const struct report_row *row)
{
	return uncore_supported(row->set, row->index) ? "<not counted>" : "<not supported>";
}

const char *report_reason(const struct report_row *row)
{
	unsigned int i;

	if (counts_counted(row->counts) || !uncore_supported(row->set, row->index))
		return NULL;
	if (row->counter->planned)
		return row->counter->planned;
	/* Of a sum that is the one of the first box that has one. */
	for (i = row->index; i < row->set->nr; i++) {
		const struct counts *box = counter_counts(row->set, row->line, i);

		if (row->set->counters[i].sum == row->index && row->set->counters[i].supported &&
		    box->reason)
			return box->reason;
	}
	return NULL;
}
