// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What the three ways of printing have in common. */
#include "print.h"

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
	row->line = set->aggr->order[line];
	row->index = (unsigned int)index;
	row->counter = &set->counters[index];
	row->counts = counter_counts(set, row->line, row->index);
	return true;
}

bool report_row_hidden(const struct report *report, const struct report_row *row)
{
	return report->hide_zero && !(row->counts->value.mean > 0.0);
}

double report_value(const struct report_row *row)
{
	double value = row->counts->value.mean;

	return counter_is_clock(row->counter) ? value / 1e6 : value;
}

const char *report_unit(const struct counter *counter)
{
	return counter_is_clock(counter) ? "msec" : "";
}

const char *report_no_value(const struct counter *counter)
{
	return counter->supported ? "<not counted>" : "<not supported>";
}

const char *report_reason(const struct report_row *row)
{
	return row->counter->supported && !counts_counted(row->counts) ? row->counts->reason : NULL;
}
