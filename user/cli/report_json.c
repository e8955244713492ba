// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* JSON, one object a line, with the keys of perf stat -j. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "report.h"

/* Enough for every digit that means something, too few to show 0.1 as 0.1000...01. */
#define DIGITS 15

static double hundredths(double value)
{
	return round(value * 100.0) / 100.0;
}

static int print_counter(FILE *file, const struct report *report, const struct counter *c)
{
	struct metric m = metric_of(report, c);
	char value[400];
	json_t *line;
	int ret = -1;

	snprintf(value, sizeof(value), "%f", report_value(c));
	line = json_pack("{s:s, s:s, s:s}",
			 "counter-value", counter_counted(c) ? value : report_no_value(c),
			 "unit", report_unit(c),
			 "event", c->name);
	if (!line)
		return -ENOMEM;
	if (report->runs > 1)
		ret = json_object_set_new(line, "variance",
					  json_real(hundredths(stats_error_percent(&c->value))));
	else
		ret = 0;
	ret |= json_object_set_new(line, "event-runtime", json_integer(c->running.mean));
	ret |= json_object_set_new(line, "pcnt-running",
				   json_real(hundredths(counter_running_percent(c))));
	ret |= json_object_set_new(line, "metric-value", json_real(m.value));
	ret |= json_object_set_new(line, "metric-unit", json_string(m.unit));
	if (!ret && !json_dumpf(line, file, JSON_REAL_PRECISION(DIGITS)))
		fputc('\n', file);
	else
		ret = -ENOMEM;
	json_decref(line);
	return ret;
}

int report_json(FILE *file, const struct report *report)
{
	unsigned int i;
	int ret;

	for (i = 0; i < report->set->nr; i++) {
		ret = print_counter(file, report, &report->set->counters[i]);
		if (ret < 0)
			return ret;
	}
	return 0;
}
