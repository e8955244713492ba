/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A report whose counts are made up. */
#ifndef FAKE_REPORT_H
#define FAKE_REPORT_H

#include "stat/count_report.h"

struct row {
	const char *name;
	uint32_t type;
	uint64_t config;
	unsigned int group;
	bool supported;
	double value;
	double enabled;
	double running;
};

#define HW(name, config) name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config
#define SW(name, config) name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config

struct fixture {
	struct aggr aggr;
	struct counter_set set;
	struct report report;
};

static inline void fill(struct fixture *x, const struct row *rows, size_t nr, unsigned int runs,
			double elapsed)
{
	unsigned int run;
	size_t i;
	int bad;

	memset(x, 0, sizeof(*x));
	assert_int_equal(aggr_init(&x->aggr, AGGR_GLOBAL, NULL, AGGR_FOLDER, &bad), 0);
	x->set.aggr = &x->aggr;
	x->set.nr_lines = 1;
	x->set.nr = (unsigned int)nr;
	x->set.counters = calloc(nr, sizeof(*x->set.counters));
	x->set.counts = calloc(nr, sizeof(*x->set.counts));
	for (i = 0; i < nr; i++) {
		struct counter *c = &x->set.counters[i];
		struct counts *counts = &x->set.counts[i];

		c->name = (char *)rows[i].name;
		c->unit = (char *)"";
		c->scale = 1.0;
		c->sum = (unsigned int)i;
		c->nr_boxes = 1;
		c->attr = calloc(1, sizeof(*c->attr));
		assert_non_null(c->attr);
		c->attr->type = rows[i].type;
		c->attr->config = rows[i].config;
		c->group = rows[i].group;
		c->supported = rows[i].supported;
		for (run = 0; run < runs; run++) {
			double scale = runs > 1 ? 0.9 + 0.1 * run : 1.0;

			if (!rows[i].supported)
				continue;
			stats_update(&counts->enabled, rows[i].enabled);
			stats_update(&counts->running, rows[i].running);
			if (rows[i].value >= 0)
				stats_update(&counts->value, rows[i].value * scale);
		}
	}
	for (run = 0; run < runs; run++)
		stats_update(&x->report.elapsed, runs > 1 ? elapsed * (0.9 + 0.1 * run) : elapsed);
	x->report.set = &x->set;
	x->report.runs = runs;
	x->report.big_num = true;
	x->report.separator = ",";
}

static inline void clear(struct fixture *x)
{
	while (x->set.nr)
		free(x->set.counters[--x->set.nr].attr);
	free(x->set.counters);
	free(x->set.counts);
	aggr_free(&x->aggr);
}

static inline int print_json(FILE *file, const struct report *report)
{
	return report_json(file, report);
}

/* What a printer prints; to be freed. */
static inline char *printed(void (*print)(FILE *, const struct report *), const struct report *report)
{
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	if (print)
		print(file, report);
	else
		assert_int_equal(print_json(file, report), 0);
	fclose(file);
	return text;
}

static inline void expect(void (*print)(FILE *, const struct report *), struct fixture *x,
			  const char *expected)
{
	char *text = printed(print, &x->report);

	assert_string_equal(text, expected);
	free(text);
	clear(x);
}

#endif
