// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* CSV, field for field as perf stat -x. */
#include "common/text.h"
#include "print.h"

void report_csv_line(struct text *text, const struct report *report, unsigned int line)
{
	const struct aggr *aggr = report->set->aggr;
	const char *sep = report->separator;
	char label[64];

	if (report->interval) {
		text_fixed(text, 16, report->timestamp, 9, false);
		text_string(text, sep);
	} else if (report->summary) {
		text_string(text, "summary");
		text_string(text, sep);
	}
	if (aggr->mode == AGGR_GLOBAL)
		return;
	aggr_label(aggr, line, label, sizeof(label));
	text_string(text, label);
	text_string(text, sep);
	if (!aggr_by_event(aggr)) {
		text_whole(text, 0, aggr->lines[line].nr_cpus);
		text_string(text, sep);
	}
}

static void print_row(struct text *text, const struct report *report,
		      const struct report_row *row)
{
	const struct counter *c = row->counter;
	struct metric m = metric_of(report, row);
	const char *sep = report->separator;

	report_csv_line(text, report, row->line);
	if (counts_counted(row->counts))
		text_fixed(text, 0, report_value(row), counter_is_clock(c) ? 2 : 0, false);
	else
		text_string(text, report_no_value(c));
	text_string(text, sep);
	text_string(text, report_unit(c));
	text_string(text, sep);
	text_string(text, c->name);
	text_string(text, sep);
	if (report->runs > 1) {
		text_fixed(text, 0, stats_error_percent(&row->counts->value), 2, false);
		text_char(text, '%');
		text_string(text, sep);
	}
	text_whole(text, 0, (uint64_t)row->counts->running.mean);
	text_string(text, sep);
	text_fixed(text, 0, counts_running_percent(row->counts), 2, false);
	text_string(text, sep);
	if (m.unit[0])
		text_fixed(text, 0, m.value, m.decimals, false);
	text_string(text, sep);
	text_string(text, m.unit);
	text_char(text, '\n');
}

void report_csv(FILE *file, const struct report *report)
{
	struct report_row row;
	struct text text;
	size_t n;

	text_init(&text, file);
	for (n = 0; report_row(report, n, &row); n++) {
		if (!report_row_hidden(report, &row))
			print_row(&text, report, &row);
	}
	text_end(&text);
}
