// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

/* Sums over the streams of a member, or of a ratio's two. */
struct sums {
	double count;
	double of;
	double scaled;		/* count, had the group been on the PMU all the time */
	double enabled;
	double running;
	bool has_times;
	uint64_t begin;
	uint64_t end;
	double *values;		/* room for one of each interval */
	size_t nr;
};

double rep_percentile(const double *sorted, size_t nr, double percent)
{
	size_t rank = (size_t)ceil(percent / 100.0 * (double)nr);

	if (!nr)
		return NAN;
	return sorted[rank ? rank - 1 : 0];
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* @of is -1 for a member alone. */
static void sum_stream(struct sums *sums, const struct rep_stream *stream, int event, int of,
		       double scale)
{
	double before = sums->count, enabled = 0.0, running = 0.0;
	size_t i;

	for (i = 0; i < stream->nr_intervals; i++) {
		const struct rep_interval *interval = rep_interval(stream, i);
		double count = (double)interval->delta[event];
		double other = of < 0 ? 1.0 : (double)interval->delta[of];

		sums->count += count;
		sums->of += other;
		enabled += (double)interval->enabled;
		running += (double)interval->running;
		if (interval->end - interval->length < sums->begin)
			sums->begin = interval->end - interval->length;
		if (interval->end > sums->end)
			sums->end = interval->end;
		if (rep_counted(stream, interval) && other > 0.0)
			sums->values[sums->nr++] = scale * count / other;
	}
	/* As perf stat: for the time that the group waited, what it counts otherwise. */
	sums->scaled += (sums->count - before) * (running > 0.0 ? enabled / running : 1.0);
	sums->enabled += enabled;
	sums->running += running;
	sums->has_times |= stream->has_times;
}

static void sum(struct sums *sums, const struct rep_data *data, unsigned int event,
		const unsigned int *of, double scale)
{
	double *values = sums->values;
	size_t i;

	*sums = (struct sums){ .begin = UINT64_MAX, .values = values };
	for (i = 0; i < data->nr_streams; i++) {
		const struct rep_stream *stream = &data->streams[i];
		int at = rep_member_of(stream, event);
		int of_at = of ? rep_member_of(stream, *of) : -1;

		if (at >= 0 && (!of || of_at >= 0))
			sum_stream(sums, stream, at, of_at, scale);
	}
	if (sums->nr)
		qsort(values, sums->nr, sizeof(*values), compare);
}

static void percentiles(struct rep_row *row, const struct sums *sums)
{
	row->intervals = sums->nr;
	row->min = rep_percentile(sums->values, sums->nr, 0.0);
	row->p50 = rep_percentile(sums->values, sums->nr, 50.0);
	row->p90 = rep_percentile(sums->values, sums->nr, 90.0);
	row->p99 = rep_percentile(sums->values, sums->nr, 99.0);
	row->max = rep_percentile(sums->values, sums->nr, 100.0);
	row->running = NAN;
	if (sums->has_times && sums->enabled > 0.0)
		row->running = 100.0 * sums->running / sums->enabled;
}

static void member(struct rep_row *row, const struct rep_data *data, unsigned int event,
		   struct sums *sums)
{
	double seconds;

	sum(sums, data, event, NULL, 1.0);
	row->name = data->events[event].name;
	row->unit = "";
	row->total = sums->count;
	percentiles(row, sums);
	seconds = sums->end > sums->begin ? (double)(sums->end - sums->begin) / 1e9 : 0.0;
	/* Nothing is known of a group that was never on the PMU. */
	row->rate = seconds > 0.0 && row->running != 0.0 ? sums->scaled / seconds : NAN;
}

static void ratio(struct rep_row *row, const struct rep_data *data, const struct rep_ratio *which,
		  struct sums *sums)
{
	sum(sums, data, which->event, &which->of, which->scale);
	row->name = which->name;
	row->unit = which->unit;
	row->total = sums->of > 0.0 ? which->scale * sums->count / sums->of : NAN;
	row->rate = NAN;
	percentiles(row, sums);
}

int rep_summary_take(struct rep_summary *summary, const struct rep_data *data,
		     const struct rep_ratios *list)
{
	struct sums sums = { .values = malloc((data->nr_intervals + 1) * sizeof(double)) };
	unsigned int event;

	memset(summary, 0, sizeof(*summary));
	summary->data = data;
	summary->list = list;
	summary->members = calloc(data->nr_events + 1, sizeof(*summary->members));
	summary->ratios = calloc(list->nr + 1, sizeof(*summary->ratios));
	if (!sums.values || !summary->members || !summary->ratios) {
		free(sums.values);
		return -ENOMEM;
	}
	for (event = 0; event < data->nr_events; event++) {
		if (data->events[event].member)
			member(&summary->members[summary->nr_members++], data, event, &sums);
	}
	for (; summary->nr_ratios < list->nr; summary->nr_ratios++)
		ratio(&summary->ratios[summary->nr_ratios], data, &list->rows[summary->nr_ratios],
		      &sums);
	free(sums.values);
	return 0;
}

void rep_summary_free(struct rep_summary *summary)
{
	free(summary->members);
	free(summary->ratios);
	memset(summary, 0, sizeof(*summary));
}
