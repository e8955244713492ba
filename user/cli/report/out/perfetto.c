// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Every interval in the Chrome trace event format: each stream is a process of the trace,
 * each member's rate and each ratio a counter of it. A counter's value holds from its time
 * on: that of an interval stands at the interval's begin.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/cli.h"
#include "draw.h"

struct track {
	char *name;		/* as JSON */
	int event;		/* index in the stream */
	int of;			/* -1: a rate */
	double scale;
};

struct trace {
	FILE *file;
	bool first;
	unsigned int pid;
};

static void begin(struct trace *trace)
{
	fputs(trace->first ? "\n" : ",\n", trace->file);
	trace->first = false;
}

/* Microseconds, to the nanosecond. */
static void counter(struct trace *trace, const char *name, uint64_t ns, double value)
{
	begin(trace);
	fprintf(trace->file, "{\"ph\":\"C\",\"pid\":%u,\"name\":%s,\"ts\":", trace->pid, name);
	fprintf(trace->file, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
	fprintf(trace->file, ",\"args\":{\"value\":%.9g}}", value);
}

/* No value is 0 there: the format has no gaps. */
static double value_of(const struct rep_stream *stream, const struct rep_interval *interval,
		       const struct track *track)
{
	double value = rep_rate(stream, interval, track->event);

	if (track->of >= 0)
		value = track->scale * (double)interval->delta[track->event] /
			(double)interval->delta[track->of];
	return isfinite(value) ? value : 0.0;
}

static void write_track(struct trace *trace, const struct rep_stream *stream,
			const struct track *track)
{
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < stream->nr_intervals; i++) {
		const struct rep_interval *interval = rep_interval(stream, i);
		uint64_t start = interval->end - interval->length;

		if (i && start > end)
			counter(trace, track->name, end, 0.0);
		counter(trace, track->name, start, value_of(stream, interval, track));
		end = interval->end;
	}
	if (i)
		counter(trace, track->name, end, 0.0);
}

static char *name_of(const char *text, const char *more)
{
	json_t *string = json_sprintf("%s%s", text, more);
	char *name = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

	json_decref(string);
	return name;
}

static int write_named(struct trace *trace, const struct rep_stream *stream, struct track *track)
{
	if (!track->name)
		return -ENOMEM;
	write_track(trace, stream, track);
	free(track->name);
	return 0;
}

static int write_stream(struct trace *trace, const struct rep_data *data,
			const struct rep_stream *stream, const struct rep_ratios *list)
{
	char *label = name_of(stream->label, "");
	unsigned int i;
	size_t r;

	if (!label)
		return -ENOMEM;
	begin(trace);
	fprintf(trace->file, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":%s}}",
		trace->pid, label);
	free(label);
	for (i = 0; i < stream->nr; i++) {
		struct track track = {
			.name = name_of(data->events[stream->events[i]].name, "/sec"),
			.event = (int)i, .of = -1, .scale = 1.0,
		};

		if (write_named(trace, stream, &track) < 0)
			return -ENOMEM;
	}
	for (r = 0; r < list->nr; r++) {
		const struct rep_ratio *ratio = &list->rows[r];
		struct track track = {
			.event = rep_member_of(stream, ratio->event),
			.of = rep_member_of(stream, ratio->of), .scale = ratio->scale,
		};

		if (track.event < 0 || track.of < 0)
			continue;
		track.name = name_of(ratio->name, ratio->scale == 100.0 ? " (%)" : "");
		if (write_named(trace, stream, &track) < 0)
			return -ENOMEM;
	}
	return 0;
}

int rep_perfetto(const char *path, const struct rep_data *data, const struct rep_ratios *list)
{
	struct trace trace = { .file = fopen(path, "we"), .first = true };
	int ret = 0;
	size_t i;

	if (!trace.file) {
		cli_say("%s: %s", path, strerror(errno));
		return -1;
	}
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", trace.file);
	for (i = 0; !ret && i < data->nr_streams; i++) {
		trace.pid = (unsigned int)i + 1;
		ret = write_stream(&trace, data, &data->streams[i], list);
	}
	fputs("\n]}\n", trace.file);
	if (ret < 0 || fflush(trace.file) || ferror(trace.file)) {
		cli_say("%s: %s", path, strerror(ret < 0 ? -ret : errno));
		ret = -1;
	}
	fclose(trace.file);
	return ret;
}
