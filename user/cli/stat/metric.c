// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The derived numbers, those of perf stat: clocks give CPUs utilized, cycles GHz,
 * instructions the instructions for each cycle, misses their share, and everything
 * else a rate.
 *
 * A ratio prefers a partner in the same group, as only these two were counted over
 * the same interval; else one that was counted in the same modes.
 */
#include "counters/ratio.h"
#include "counters/uncore.h"
#include "count_report.h"

static bool same_modes(const struct counter *a, const struct counter *b)
{
	return a->attr->exclude_user == b->attr->exclude_user &&
	       a->attr->exclude_kernel == b->attr->exclude_kernel &&
	       a->attr->exclude_hv == b->attr->exclude_hv;
}

static const struct counts *partner(const struct counter_set *set, const struct report_row *self,
				    uint32_t type, uint64_t config)
{
	const struct counts *counts, *found = NULL;
	const struct counter *c;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		c = &set->counters[i];
		counts = counter_counts(set, self->line, i);
		if (!counter_is(c, type, config) || !counts_counted(counts) ||
		    counts->value.mean <= 0.0 || !same_modes(c, self->counter))
			continue;
		if (c->group == self->counter->group)
			return counts;
		if (!found)
			found = counts;
	}
	return found;
}

/* The time, in ns, that rates are of: that of the first clock counted. */
static double clock_of(const struct counter_set *set, const struct report_row *self)
{
	const struct counts *counts;
	double found = 0.0;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		counts = counter_counts(set, self->line, i);
		if (!counter_is_clock(&set->counters[i]) || !counts_counted(counts))
			continue;
		if (set->counters[i].group == self->counter->group)
			return counts->value.mean;
		if (found == 0.0)
			found = counts->value.mean;
	}
	return found;
}

static struct metric metric(double value, int decimals, const char *sign, const char *unit)
{
	return (struct metric){ .value = value, .decimals = decimals, .sign = sign, .unit = unit };
}

static struct metric none(void)
{
	return metric(0.0, 0, "", "");
}

static struct metric ratio_of(const struct counter_set *set, const struct report_row *self,
			      const struct ratio *ratio)
{
	const struct counts *of = partner(set, self, ratio->of_type, ratio->of_config);
	double value = self->counts->value.mean;

	if (!of)
		return none();
	if (ratio->percent)
		return metric(100.0 * value / of->value.mean, 2, "%", ratio->unit);
	return metric(value / of->value.mean, 2, "", ratio->unit);
}

static struct metric rate_of(double value, double ns)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	double rate = 1e9 * value / ns;
	size_t i = 0;

	for (; rate > 1000.0 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		rate /= 1000.0;
	return metric(rate, 3, "", units[i]);
}

/* The first of a counter's ratios that has its partner. */
static struct metric known_ratio(const struct counter_set *set, const struct report_row *row)
{
	const struct counter *counter = row->counter;
	struct metric m = none();
	size_t i;

	/* Others are in no ratio. */
	if (counter->attr->type != PERF_TYPE_HARDWARE && counter->attr->type != PERF_TYPE_HW_CACHE)
		return m;
	for (i = 0; i < nr_ratios && !m.unit[0]; i++) {
		if (counter_is(counter, ratios[i].type, ratios[i].config))
			m = ratio_of(set, row, &ratios[i]);
	}
	return m;
}

struct metric metric_of(const struct report *report, const struct report_row *row)
{
	const struct counter_set *set = report->set;
	const struct counter *counter = row->counter;
	double ns, value = row->counts->value.mean;
	struct metric m;

	/* A CPU's time is no measure of what is outside the CPUs. */
	if (!counts_counted(row->counts) || counter_is_uncore(counter))
		return none();
	if (counter_is_clock(counter)) {
		if (report->elapsed.mean <= 0.0)
			return none();
		return metric(value / (report->elapsed.mean * 1e9), 3, "", "CPUs utilized");
	}
	m = known_ratio(set, row);
	if (m.unit[0])
		return m;
	ns = clock_of(set, row);
	if (ns <= 0.0)
		return none();
	if (counter_is(counter, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES))
		return metric(value / ns, 3, "", "GHz");
	return rate_of(value, ns);
}
