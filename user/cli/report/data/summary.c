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
};

static void sum_stream(struct sums *sums, const struct rep_stream *stream, int event, int of)
{
	double count = stream->totals[event];

	if (!stream->nr_intervals)
		return;
	sums->count += count;
	sums->of += of < 0 ? 0.0 : stream->totals[of];
	if (stream->begin < sums->begin)
		sums->begin = stream->begin;
	if (stream->end > sums->end)
		sums->end = stream->end;
	/* As perf stat: for the time that the group waited, what it counts otherwise. */
	sums->scaled += count * (stream->running > 0.0 ? stream->enabled / stream->running : 1.0);
	sums->enabled += stream->enabled;
	sums->running += stream->running;
	sums->has_times |= stream->has_times;
}

/* @of is -1 for a member alone. */
static struct sums sum(const struct rep_data *data, unsigned int event, int of)
{
	struct sums sums = { .begin = UINT64_MAX };
	size_t i;

	for (i = 0; i < data->nr_streams; i++) {
		const struct rep_stream *stream = &data->streams[i];
		int at = rep_member_of(stream, event);
		int of_at = of < 0 ? -1 : rep_member_of(stream, (unsigned int)of);

		if (at >= 0 && (of < 0 || of_at >= 0))
			sum_stream(&sums, stream, at, of_at);
	}
	return sums;
}

static void percentiles(struct rep_row *row, const struct rep_data *data, unsigned int event,
			int of, double scale)
{
	struct rep_spread *spread = rep_spread_find(&data->spreads, event, of);
	struct rep_sketch none = { 0 }, *sketch = spread ? &spread->sketch : &none;

	row->intervals = sketch->nr;
	row->error = rep_sketch_error(sketch);
	row->min = scale * rep_sketch_percentile(sketch, 0.0);
	row->p50 = scale * rep_sketch_percentile(sketch, 50.0);
	row->p90 = scale * rep_sketch_percentile(sketch, 90.0);
	row->p99 = scale * rep_sketch_percentile(sketch, 99.0);
	row->max = scale * rep_sketch_percentile(sketch, 100.0);
}

static double running(const struct sums *sums)
{
	return sums->has_times && sums->enabled > 0.0 ? 100.0 * sums->running / sums->enabled : NAN;
}

static void member(struct rep_row *row, const struct rep_data *data, unsigned int event)
{
	struct sums sums = sum(data, event, -1);
	double seconds = sums.end > sums.begin ? (double)(sums.end - sums.begin) / 1e9 : 0.0;

	row->name = data->events[event].name;
	row->unit = "";
	row->total = sums.count;
	row->running = running(&sums);
	/* Nothing is known of a group that was never on the PMU. */
	row->rate = seconds > 0.0 && row->running != 0.0 ? sums.scaled / seconds : NAN;
	percentiles(row, data, event, -1, 1.0);
}

static void ratio(struct rep_row *row, const struct rep_data *data, const struct rep_ratio *which)
{
	struct sums sums = sum(data, which->event, (int)which->of);

	row->name = which->name;
	row->unit = which->unit;
	row->total = sums.of > 0.0 ? which->scale * sums.count / sums.of : NAN;
	row->rate = NAN;
	row->running = running(&sums);
	percentiles(row, data, which->event, (int)which->of, which->scale);
}

int rep_summary_take(struct rep_summary *summary, const struct rep_data *data,
		     const struct rep_ratios *list)
{
	unsigned int event;

	memset(summary, 0, sizeof(*summary));
	summary->data = data;
	summary->list = list;
	summary->members = calloc(data->nr_events + 1, sizeof(*summary->members));
	summary->ratios = calloc(list->nr + 1, sizeof(*summary->ratios));
	if (!summary->members || !summary->ratios)
		return -ENOMEM;
	for (event = 0; event < data->nr_events; event++) {
		if (data->events[event].member)
			member(&summary->members[summary->nr_members++], data, event);
	}
	for (; summary->nr_ratios < list->nr; summary->nr_ratios++)
		ratio(&summary->ratios[summary->nr_ratios], data, &list->rows[summary->nr_ratios]);
	return 0;
}

double rep_sum_rate(const struct rep_sums *sums, const struct rep_sum *row, unsigned int event)
{
	double count = (double)rep_sum_count(sums, row, event);

	return row->running ? count * 1e9 / (double)row->running : NAN;
}

double rep_sum_ratio(const struct rep_sums *sums, const struct rep_sum *row,
		     const struct rep_ratio *ratio)
{
	uint64_t of = rep_sum_count(sums, row, ratio->of);

	return of ? ratio->scale * (double)rep_sum_count(sums, row, ratio->event) / (double)of : NAN;
}

void rep_summary_free(struct rep_summary *summary)
{
	free(summary->members);
	free(summary->ratios);
	memset(summary, 0, sizeof(*summary));
}
