// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "plot.h"

/* The part of a column that is no more than a rounding: an interval that only touches it. */
#define TOUCH 1e-6

/* Of a heat map: no screen has more columns for it, and a page with many CPUs stays small. */
#define HEAT_COLUMNS 400
#define HEAT_CELLS 60000

/* A quantity over time: a member's count by seconds, or a ratio's two counts. */
struct quantity {
	unsigned int event;
	bool is_ratio;
	unsigned int of;
	double scale;
	enum rep_form form;
};

/* The sums behind a column's mean. */
struct cell {
	double count;
	double of;
	double low;
	double high;
	unsigned int intervals;
	bool whole;		/* one of them lies in it and nowhere else */
};

struct candidate {
	size_t stream;
	double total;
};

double rep_picture_x(const struct rep_picture *picture, unsigned int column)
{
	return (double)(picture->stop - picture->start) / 1e9 * column / picture->nr_columns;
}

static bool has(const struct rep_stream *stream, const struct quantity *q)
{
	return rep_member_of(stream, q->event) >= 0 &&
	       (!q->is_ratio || rep_member_of(stream, q->of) >= 0);
}

/* ---- Columns ---- */

/* What an interval has of the quantity, as two numbers whose quotient it is. */
static bool measure(const struct rep_stream *stream, const struct rep_interval *interval,
		    const struct quantity *q, double *count, double *of)
{
	int event = rep_member_of(stream, q->event);

	if (!rep_counted(stream, interval) || !interval->length)
		return false;
	if (q->is_ratio) {
		*count = q->scale * (double)interval->delta[event];
		*of = (double)interval->delta[rep_member_of(stream, q->of)];
		return *of > 0.0;
	}
	*of = (double)interval->length / 1e9;
	*count = rep_rate(stream, interval, event) * *of;
	return true;
}

static void cell_add(struct cell *cell, double count, double of, double part)
{
	double value = count / of;

	if (!cell->intervals || value < cell->low)
		cell->low = value;
	if (!cell->intervals || value > cell->high)
		cell->high = value;
	cell->count += count * part;
	cell->of += of * part;
	cell->whole |= part >= 1.0 - TOUCH;
	cell->intervals++;
}

void rep_picture_span(const struct rep_picture *picture, const struct rep_interval *interval,
		      unsigned int *first, unsigned int *last)
{
	double width = (double)(picture->stop - picture->start) / picture->nr_columns;
	double end = (double)(interval->end - picture->start);
	unsigned int max = picture->nr_columns - 1;

	*first = (unsigned int)fmin((end - (double)interval->length) / width, max);
	*last = (unsigned int)fmin(end / width, max);
}

/* To each column that the interval lies in, its part of it. */
static void spread(const struct rep_picture *picture, struct cell *cells,
		   const struct rep_interval *interval, double count, double of)
{
	double width = (double)(picture->stop - picture->start) / picture->nr_columns;
	double end = (double)(interval->end - picture->start);
	double begin = end - (double)interval->length;
	unsigned int first, last, i;

	rep_picture_span(picture, interval, &first, &last);
	for (i = first; i <= last; i++) {
		double from = fmax(begin, i * width), to = fmin(end, (i + 1) * width);

		if (to - from > TOUCH * width)
			cell_add(&cells[i], count, of, (to - from) / (end - begin));
	}
}

/* Where the group was not on the PMU. */
static void leave_out(const struct rep_picture *picture, struct rep_column *columns,
		      const struct rep_interval *interval)
{
	unsigned int first, last;

	rep_picture_span(picture, interval, &first, &last);
	for (; first <= last; first++)
		columns[first].off = true;
}

static int line_fill(struct rep_picture *picture, struct rep_line *line,
		     const struct rep_stream *stream, const struct quantity *q)
{
	struct cell *cells = calloc(picture->nr_columns, sizeof(*cells));
	double count, of;
	size_t i;

	line->label = stream->label;
	line->columns = calloc(picture->nr_columns, sizeof(*line->columns));
	if (!cells || !line->columns) {
		free(cells);
		return -ENOMEM;
	}
	for (i = 0; i < stream->nr_intervals; i++) {
		const struct rep_interval *interval = rep_interval(stream, i);

		if (measure(stream, interval, q, &count, &of))
			spread(picture, cells, interval, count, of);
		else if (!rep_counted(stream, interval))
			leave_out(picture, line->columns, interval);
	}
	for (i = 0; i < picture->nr_columns; i++) {
		struct rep_column *column = &line->columns[i];
		const struct cell *cell = &cells[i];

		/* Where one ends and the next begins, two share a column that is not too coarse. */
		picture->shared |= cell->whole && cell->intervals > 1;
		column->low = cell->intervals ? cell->low : NAN;
		column->mean = cell->intervals ? cell->count / cell->of : NAN;
		column->high = cell->intervals ? cell->high : NAN;
	}
	free(cells);
	return 0;
}

/* ---- Plots ---- */

static int by_total(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static int by_stream(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static double total(const struct rep_stream *stream, unsigned int event)
{
	int at = rep_member_of(stream, event);
	double sum = 0.0;
	size_t i;

	for (i = 0; i < stream->nr_intervals; i++)
		sum += (double)rep_interval(stream, i)->delta[at];
	return sum;
}

/* Whether a picture can have a line for this stream. */
static bool suits(const struct rep_picture *picture, const struct rep_stream *stream,
		  const struct quantity *q)
{
	return stream->nr_intervals && has(stream, q) &&
	       (!picture->heat || (stream->has_cpu && !stream->many_cpus));
}

/* The streams to draw: their number, the first of @candidates. */
static unsigned int choose(const struct rep_picture *picture, const struct rep_data *data,
			   const struct quantity *q, struct candidate *candidates,
			   size_t *nr_streams)
{
	unsigned int max = picture->heat ? REP_ROWS_MAX : REP_LINES_MAX, chosen;
	size_t i, nr = 0;

	for (i = 0; i < data->nr_streams; i++) {
		if (suits(picture, &data->streams[i], q))
			candidates[nr++] = (struct candidate){ i, total(&data->streams[i], q->event) };
	}
	*nr_streams = nr;
	chosen = nr > max ? max : (unsigned int)nr;
	if (nr)
		qsort(candidates, nr, sizeof(*candidates), by_total);
	if (chosen)
		qsort(candidates, chosen, sizeof(*candidates), by_stream);
	return chosen;
}

static int plot_fill(struct rep_picture *picture, const struct rep_data *data,
		     const struct quantity *q, const char *title, char *unit)
{
	struct candidate *candidates = calloc(data->nr_streams + 1, sizeof(*candidates));
	struct rep_plot *plot = &picture->plots[picture->nr_plots++];
	unsigned int i, nr = 0;

	plot->title = strdup(title);
	plot->unit = unit;
	plot->form = q->form;
	if (candidates)
		nr = choose(picture, data, q, candidates, &plot->nr_streams);
	plot->lines = calloc(nr + 1, sizeof(*plot->lines));
	if (!candidates || !plot->title || !unit || !plot->lines) {
		free(candidates);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		plot->nr_lines++;
		if (line_fill(picture, &plot->lines[i], &data->streams[candidates[i].stream], q) < 0)
			break;
	}
	free(candidates);
	return i < nr ? -ENOMEM : 0;
}

static char *unit_of(const char *text, const char *more)
{
	char *unit;

	return asprintf(&unit, "%s%s", text, more) < 0 ? NULL : unit;
}

static void range(struct rep_picture *picture, const struct rep_data *data)
{
	size_t i;

	picture->start = UINT64_MAX;
	for (i = 0; i < data->nr_streams; i++) {
		const struct rep_stream *stream = &data->streams[i];
		const struct rep_interval *first, *last;

		if (!stream->nr_intervals)
			continue;
		first = rep_interval(stream, 0);
		last = rep_interval(stream, stream->nr_intervals - 1);
		if (first->end - first->length < picture->start)
			picture->start = first->end - first->length;
		if (last->end > picture->stop)
			picture->stop = last->end;
	}
	if (picture->start > picture->stop)
		picture->start = picture->stop;
}

/* @picture: with its columns, and what it is for. */
static int take(struct rep_picture *picture, const struct rep_data *data,
		const struct rep_ratios *list)
{
	unsigned int event;
	int ret = 0;
	size_t i;

	picture->nr_intervals = data->nr_intervals;
	range(picture, data);
	picture->plots = calloc(data->nr_events + list->nr + 1, sizeof(*picture->plots));
	if (!picture->plots)
		return -ENOMEM;
	if (picture->start == picture->stop)
		return 0;
	for (event = 0; !ret && event < data->nr_events; event++) {
		const struct rep_event *member = &data->events[event];
		const struct quantity q = {
			.event = event, .scale = 1.0,
			.form = rep_event_is_clock(member->attr) ? REP_FORM_CLOCK : REP_FORM_RATE,
		};

		if (member->member)
			ret = plot_fill(picture, data, &q, member->name,
					unit_of(member->name, "/sec"));
	}
	for (i = 0; !ret && i < list->nr; i++) {
		const struct rep_ratio *ratio = &list->rows[i];
		const struct quantity q = {
			.event = ratio->event, .is_ratio = true, .of = ratio->of, .scale = ratio->scale,
			.form = ratio->scale == 100.0 ? REP_FORM_PERCENT : REP_FORM_RATIO,
		};

		ret = plot_fill(picture, data, &q, ratio->name,
				unit_of(*ratio->unit ? ratio->unit : ratio->name, ""));
	}
	return ret;
}

int rep_picture_take(struct rep_picture *picture, const struct rep_data *data,
		     const struct rep_ratios *list, unsigned int columns)
{
	memset(picture, 0, sizeof(*picture));
	picture->nr_columns = columns;
	return take(picture, data, list);
}

int rep_heat_take(struct rep_picture *picture, const struct rep_data *data,
		  const struct rep_ratios *list)
{
	unsigned int rows = 0;
	uint32_t cpu = 0;
	bool many = false;
	size_t i;

	memset(picture, 0, sizeof(*picture));
	picture->heat = true;
	for (i = 0; i < data->nr_streams; i++) {
		const struct rep_stream *stream = &data->streams[i];

		if (!stream->nr_intervals || !stream->has_cpu || stream->many_cpus)
			continue;
		many |= rows && stream->cpu != cpu;
		cpu = stream->cpu;
		rows++;
	}
	if (!many)
		return 0;
	picture->nr_columns = HEAT_CELLS / (rows > REP_ROWS_MAX ? REP_ROWS_MAX : rows);
	if (picture->nr_columns > HEAT_COLUMNS)
		picture->nr_columns = HEAT_COLUMNS;
	return take(picture, data, list);
}

void rep_picture_note(const struct rep_picture *picture, char *buf, size_t size)
{
	char width[AXIS_TEXT_SIZE];
	size_t streams = 0;
	unsigned int i;
	int used;

	axis_time(width, rep_picture_x(picture, 1), 3);
	used = snprintf(buf, size, "%zu interval%s in %u columns of %s.", picture->nr_intervals,
			picture->nr_intervals == 1 ? "" : "s", picture->nr_columns, width);
	if (picture->shared && used > 0 && (size_t)used < size)
		used += snprintf(buf + used, size - (size_t)used, " Several intervals share a column: "
				 "the line is their mean, the band goes from the least to the most.");
	for (i = 0; i < picture->nr_plots; i++) {
		if (picture->plots[i].nr_streams > streams)
			streams = picture->plots[i].nr_streams;
	}
	if (streams > REP_LINES_MAX && used > 0 && (size_t)used < size)
		snprintf(buf + used, size - (size_t)used, " Of %zu streams the %d with the highest "
			 "counts are drawn.", streams, REP_LINES_MAX);
}

void rep_picture_free(struct rep_picture *picture)
{
	unsigned int i, l;

	for (i = 0; i < picture->nr_plots; i++) {
		struct rep_plot *plot = &picture->plots[i];

		for (l = 0; l < plot->nr_lines; l++)
			free(plot->lines[l].columns);
		free(plot->lines);
		free(plot->title);
		free(plot->unit);
	}
	free(picture->plots);
	memset(picture, 0, sizeof(*picture));
}
