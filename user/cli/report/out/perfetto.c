// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A recording in the Chrome trace event format. Each stream is a process of the trace, each
 * member's rate and each ratio a counter of it. A counter's value holds from its time on: that of an
 * interval stands at the interval's begin. Samples and losses are instants: on a track for each
 * CPU, in a process of their own, and samples also on one for each thread, in its process.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "args/cli.h"
#include "draw.h"
#include "marks.h"

/* Processes of the trace that are none of the machine's, whose PIDs end at 2^22. */
#define PID_CPUS (1U << 24)
#define PID_STREAMS (PID_CPUS + 1)

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
	const struct rep_data *data;
	char **names;		/* of the events, as JSON */
};

static void begin(struct trace *trace)
{
	fputs(trace->first ? "\n" : ",\n", trace->file);
	trace->first = false;
}

/* Microseconds, to the nanosecond. */
static void time_of(struct trace *trace, uint64_t ns)
{
	fprintf(trace->file, "\"ts\":%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}

static void counter(struct trace *trace, const char *name, uint64_t ns, double value)
{
	begin(trace);
	fprintf(trace->file, "{\"ph\":\"C\",\"pid\":%u,\"name\":%s,", trace->pid, name);
	time_of(trace, ns);
	fprintf(trace->file, ",\"args\":{\"value\":%.9g}}", value);
}

/* Metadata: @what is process_name or thread_name, @name JSON. */
static void metadata(struct trace *trace, const char *what, unsigned int pid, unsigned int tid,
		     const char *name)
{
	begin(trace);
	fprintf(trace->file, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":%s}}",
		pid, tid, what, name);
}

/* The place of a process or thread among the others. */
static void sort_index(struct trace *trace, const char *what, unsigned int pid, unsigned int tid,
		       unsigned int index)
{
	begin(trace);
	fprintf(trace->file, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\","
		"\"args\":{\"sort_index\":%u}}", pid, tid, what, index);
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
	metadata(trace, "process_name", trace->pid, 0, label);
	sort_index(trace, "process_sort_index", trace->pid, 0, trace->pid - PID_CPUS);
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

/* ---- Instants ---- */

/* A thread of the idle task is one on each CPU; one that has ended may have no number. */
static bool has_track(uint32_t pid, uint32_t tid)
{
	return tid && pid && pid < PID_CPUS && tid < PID_CPUS;
}

/* Tracks of CPUs, whose threads are counted from 1: a thread 0 is the idle task. */
static int write_places(struct trace *trace)
{
	const struct rep_data *data = trace->data;
	char name[32], *comm;
	size_t i;

	metadata(trace, "process_name", PID_CPUS, 0, "\"Samples by CPU\"");
	sort_index(trace, "process_sort_index", PID_CPUS, 0, 0);
	for (i = 0; i < data->cpus.nr; i++) {
		uint32_t cpu = data->cpus.rows[i].cpu;

		snprintf(name, sizeof(name), "\"CPU %u\"", cpu);
		metadata(trace, "thread_name", PID_CPUS, cpu + 1, name);
		sort_index(trace, "thread_sort_index", PID_CPUS, cpu + 1, cpu);
	}
	for (i = 0; i < data->threads.nr; i++) {
		const struct rep_tally *row = &data->threads.rows[i];

		if (!has_track(row->pid, row->tid))
			continue;
		comm = name_of(row->comm, "");
		if (!comm)
			return -ENOMEM;
		if (row->tid == row->pid)
			metadata(trace, "process_name", row->pid, row->tid, comm);
		metadata(trace, "thread_name", row->pid, row->tid, comm);
		free(comm);
	}
	return 0;
}

static void instant(struct trace *trace, const struct rep_mark *mark, unsigned int pid,
		    unsigned int tid, const char *scope)
{
	static const char * const names[] = {
		[REP_MARK_SWITCH] = "\"switch\"",
		[REP_MARK_LOST] = "\"lost\"",
		[REP_MARK_MISSED] = "\"missed\"",
		[REP_MARK_THROTTLE] = "\"throttled\"",
	};
	const char *trigger = mark->event >= 0 ? trace->names[mark->event] : "null";

	begin(trace);
	fprintf(trace->file, "{\"ph\":\"i\",\"s\":\"%s\",\"pid\":%u,\"tid\":%u,\"cat\":\"%s\",\"name\":%s,",
		scope, pid, tid, mark->kind <= REP_MARK_SWITCH ? "sample" : "loss",
		mark->kind == REP_MARK_SAMPLE ? trigger : names[mark->kind]);
	time_of(trace, mark->time);
	if (mark->kind > REP_MARK_SWITCH)
		fprintf(trace->file, ",\"args\":{\"trigger\":%s,\"number\":%" PRIu64 "}}", trigger,
			mark->nr);
	else
		fprintf(trace->file, ",\"args\":{\"cpu\":%d,\"tid\":%u}}",
			mark->has_cpu ? (int)mark->cpu : -1, mark->tid);
}

static int write_mark(const struct rep_mark *mark, void *arg)
{
	struct trace *trace = arg;

	/* What is of no CPU is of all of them. */
	if (mark->has_cpu)
		instant(trace, mark, PID_CPUS, mark->cpu + 1, "t");
	else
		instant(trace, mark, PID_CPUS, 0, "p");
	if (mark->kind <= REP_MARK_SWITCH && mark->has_tid && has_track(mark->pid, mark->tid))
		instant(trace, mark, mark->pid, mark->tid, "t");
	return 0;
}

static int write_marks(struct trace *trace)
{
	const struct rep_data *data = trace->data;
	unsigned int i;
	int ret = 0;

	trace->names = calloc(data->nr_events + 1, sizeof(*trace->names));
	for (i = 0; trace->names && !ret && i < data->nr_events; i++) {
		trace->names[i] = name_of(data->events[i].name, "");
		if (!trace->names[i])
			ret = -ENOMEM;
	}
	if (!trace->names)
		return -ENOMEM;
	if (!ret)
		ret = write_places(trace);
	if (!ret)
		ret = rep_marks_walk(data, write_mark, trace);
	for (i = 0; i < data->nr_events; i++)
		free(trace->names[i]);
	free(trace->names);
	return ret;
}

int rep_perfetto(const char *path, const struct rep_data *data, const struct rep_ratios *list)
{
	struct trace trace = { .file = fopen(path, "we"), .first = true, .data = data };
	int ret = 0;
	size_t i;

	if (!trace.file) {
		cli_say("%s: %s", path, strerror(errno));
		return -1;
	}
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", trace.file);
	for (i = 0; !ret && i < data->nr_streams; i++) {
		trace.pid = PID_STREAMS + (unsigned int)i;
		ret = write_stream(&trace, data, &data->streams[i], list);
	}
	if (!ret)
		ret = write_marks(&trace);
	fputs("\n]}\n", trace.file);
	if (ret < 0 || fflush(trace.file) || ferror(trace.file)) {
		cli_say("%s: %s", path, strerror(ret < 0 ? -ret : errno));
		ret = -1;
	}
	fclose(trace.file);
	return ret;
}
