// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * perf.data files: whatever the bytes, all that the reader hands out lies within them,
 * and the report that is made of it adds up.
 */
#include <errno.h>

#include <inttypes.h>
#include <stdarg.h>

#include "args/cli.h"
#include "fuzz.h"
#include "perfdata/reader.h"
#include "report/data/summary.h"
#include "report/out/draw.h"
#include "report/out/page_chains.h"
#include "report/out/plot.h"
#include "report/out/print.h"

/* In place of the tool's: what is said of a file is not for the fuzzer's log. */
void cli_say(const char *format, ...)
{
	char text[1000];
	va_list args;

	va_start(args, format);
	must(vsnprintf(text, sizeof(text), format, args) > 0);
	va_end(args);
}

static void check_events(const struct perfdata_reader *reader)
{
	size_t e, i;

	must(reader->nr_events && reader->data <= reader->data_end);
	must(reader->data_end <= reader->size);
	for (e = 0; e < reader->nr_events; e++) {
		const struct perfdata_event *event = &reader->events[e];

		for (i = 0; event->name[i]; i++)
			must(event->name[i] >= ' ' && event->name[i] <= '~');
		for (i = 0; i < event->nr_ids; i++)
			must(perfdata_read_event_of(reader, event->ids[i]) >= 0);
	}
	for (i = 1; i < reader->nr_ids; i++)
		must(reader->ids[i - 1].id <= reader->ids[i].id);
}

/* Records follow each other without a byte between them but AUX data, or are compressed. */
static uint64_t check_records(const struct perfdata_reader *reader)
{
	uint64_t offset = reader->data, before = offset, samples = 0;
	struct perfdata_record record;
	const struct perfdata_unpack *unpack = reader->unpack;
	struct perfdata_sample sample;
	int ret;

	while (perfdata_read_next(reader, &offset, &record)) {
		must(unpack->any || record.body == reader->bytes + before + 8);
		must(record.packed || record.body >= reader->bytes + before + 8);
		must(record.packed || offset >= before + 8 + record.size);
		must(offset >= before && offset <= reader->data_end);
		before = offset;
		must(perfdata_read_sample_id(reader, &record, &sample) <= record.size);
		must(sample.event < (int)reader->nr_events);
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		ret = perfdata_read_sample(reader, &record, &sample);
		must(!ret || ret == -EBADMSG || ret == -ENOENT);
		must(ret || (sample.event >= 0 && sample.event < (int)reader->nr_events));
	}
	must(unpack->any || offset == before);
	return samples;
}

static void check_streams(const struct rep_data *data)
{
	uint64_t snapshots = 0, intervals = 0;
	double total;
	size_t s, i;
	unsigned int m;

	for (s = 0; s < data->nr_streams; s++) {
		const struct rep_stream *stream = &data->streams[s];

		must(stream->label && stream->nr && stream->nr <= PMCGRP_MEMBERS_MAX);
		for (m = 0; m < stream->nr; m++)
			must(data->events[stream->events[m]].member);
		must(stream->snapshots > stream->nr_intervals);
		snapshots += stream->snapshots;
		intervals += stream->nr_intervals;
		total = 0.0;
		for (i = 0; i < stream->nr_intervals; i++) {
			const struct rep_interval *interval = rep_interval(stream, i);

			must(interval->length <= interval->end);
			total += (double)interval->delta[0];
			must(!i || interval->end >= rep_interval(stream, i - 1)->end);
		}
		must(total == stream->totals[0]);
	}
	must(intervals == data->nr_intervals);
	must(snapshots + data->without_counts == data->samples);
	must(snapshots == intervals + data->nr_streams + data->backwards);
}

static bool in_order(const struct rep_row *row)
{
	return !row->intervals || (row->min <= row->p50 && row->p50 <= row->p90 &&
				   row->p90 <= row->p99 && row->p99 <= row->max);
}

/* Whether the intervals are kept changes no number. */
static void check_summed_up(const struct rep_summary *like)
{
	const struct rep_data *data = like->data;
	struct rep_filter filter = data->filter;
	struct rep_summary summary;
	struct rep_data again;
	size_t i;

	filter.no_intervals = true;
	must(!rep_data_take(&again, data->reader, &filter));
	must(again.nr_intervals == data->nr_intervals && again.nr_streams == data->nr_streams);
	must(!rep_summary_take(&summary, &again, like->list));
	must(summary.nr_members == like->nr_members);
	for (i = 0; i < summary.nr_members; i++) {
		must(summary.members[i].total == like->members[i].total);
		must(summary.members[i].intervals == like->members[i].intervals);
		must(!summary.members[i].intervals || summary.members[i].p50 == like->members[i].p50);
	}
	rep_summary_free(&summary);
	rep_data_free(&again);
}

static void check_numbers(const struct rep_data *data)
{
	struct rep_ratios list = { 0 };
	struct rep_summary summary;
	struct rep_picture picture;
	char note[100];
	size_t i;

	must(!rep_ratios_find(&list, data));
	must(!rep_summary_take(&summary, data, &list));
	for (i = 0; i < summary.nr_members; i++)
		must(summary.members[i].intervals <= data->nr_intervals && in_order(&summary.members[i]));
	for (i = 0; i < summary.nr_ratios; i++)
		must(in_order(&summary.ratios[i]));
	check_summed_up(&summary);
	must(!rep_picture_take(&picture, data, &list, 16));
	must(!picture.nr_plots || picture.nr_plots == summary.nr_members + summary.nr_ratios);
	rep_picture_note(&picture, note, sizeof(note));
	must(strlen(note) < sizeof(note));
	rep_picture_free(&picture);
	rep_summary_free(&summary);
	rep_ratios_free(&list);
}

/* Those by name, and the first two events whatever their names are. */
static void check_pairs(struct rep_pairs *pairs, const struct perfdata_reader *reader)
{
	char *text;

	must(!rep_pairs_find(pairs, reader));
	if (reader->nr_events < 2)
		return;
	must(asprintf(&text, "%s,%s", reader->events[0].name, reader->events[1].name) > 0);
	must(rep_pairs_add(pairs, reader, text) != -ENOMEM);
	free(text);
}

/* Each sample of a pair is part of a call, or of half of one. */
static void check_calls(const struct rep_data *data)
{
	size_t i;

	for (i = 0; i < data->between.nr; i++) {
		const struct rep_calls *row = &data->between.rows[i];

		must(row->pair < data->between.pairs->nr);
		must(2 * row->returned + row->without_return + row->without_entry <= data->samples);
		must(row->time.sketch.nr == row->returned);
		must(!row->nr || row->counts[0].sketch.nr == row->returned);
	}
}

/* Each node is behind its caller, with no more than that has; the root has all. */
static void check_chains(const struct rep_data *data)
{
	const struct rep_chains *chains = &data->chains;
	uint64_t *totals = calloc(chains->nr, sizeof(*totals));
	size_t i;

	must(totals && chains->nr >= 2 && chains->nr <= chains->max);
	rep_chains_totals(chains, REP_CHAIN_SAMPLES, totals);
	must(totals[0] == data->samples - data->switches);
	for (i = 1; i < chains->nr; i++) {
		const struct rep_chain_node *node = &chains->nodes[i];

		must(node->parent < i && node->depth == chains->nodes[node->parent].depth + 1);
		must(node->name < chains->names.nr && !strchr(rep_chain_name(chains, i), ';'));
		must(totals[i] <= totals[node->parent]);
	}
	for (i = 0; i < data->nr_events; i++)
		rep_chains_totals(chains, (uint32_t)i, totals);
	must(chains->other <= data->samples);
	free(totals);
}

/* Each line is a stack and its count; over all lines they are the total. */
static void check_folded(const struct rep_data *data, uint32_t event, uint64_t total)
{
	char *text = NULL, *line, *at;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	uint64_t sum = 0;

	must(file && !rep_folded(file, data, event) && !fclose(file));
	at = text;
	while ((line = strsep(&at, "\n")) && *line) {
		must(strrchr(line, ' '));
		sum += strtoull(strrchr(line, ' ') + 1, NULL, 10);
	}
	must(sum == total);
	free(text);
}

static void check_flames(const struct rep_data *data)
{
	uint64_t *totals = calloc(data->chains.nr, sizeof(*totals));
	struct rep_ratios list = { 0 };
	struct rep_summary summary;
	FILE *file = fopen("/dev/null", "we");
	uint32_t event;

	must(totals && file);
	for (event = 0; event < data->nr_events; event++) {
		rep_chains_totals(&data->chains, event, totals);
		check_folded(data, event, totals[0]);
	}
	must(!rep_flame("/dev/null", data, "fuzz"));
	must(!rep_ratios_find(&list, data));
	must(!rep_summary_take(&summary, data, &list));
	must(!rep_page_chains(file, &summary, REP_PAGE_SMALL));
	must(!rep_page_chains(file, &summary, 0.3));
	rep_summary_free(&summary);
	rep_ratios_free(&list);
	fclose(file);
	free(totals);
}

static void check_report(const struct perfdata_reader *reader, uint64_t samples)
{
	struct rep_filter filter = {
		.chains = true,
		.keys = { { REP_KEY_COMM, REP_KEY_TID, REP_KEY_CPU, REP_KEY_TRIGGER }, 4 },
	};
	const enum rep_key more[] = { REP_KEY_SYM, REP_KEY_DSO, REP_KEY_CGROUP };
	struct rep_pairs pairs = { 0 };
	struct rep_data data;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		filter.keys.key[filter.keys.nr++] = more[i];
	check_pairs(&pairs, reader);
	filter.pairs = &pairs;
	must(!rep_data_take(&data, reader, &filter));
	must(data.samples + data.unreadable >= samples);
	for (i = 0; i < data.nr_events; i++)
		sum += data.events[i].samples;
	must(sum + data.switches == data.samples);
	for (sum = 0, i = 0; i < data.sums.nr; i++)
		sum += data.sums.rows[i].samples;
	must(sum + data.switches == data.samples);
	for (sum = 0, i = 0; i < data.cpus.nr; i++)
		sum += data.cpus.rows[i].samples;
	must(sum <= data.samples);
	for (sum = 0, i = 0; i < data.threads.nr; i++)
		sum += data.threads.rows[i].samples;
	must(sum <= data.samples);
	must(data.first <= data.last);
	check_calls(&data);
	check_chains(&data);
	check_flames(&data);
	check_streams(&data);
	check_numbers(&data);
	rep_data_free(&data);
	rep_pairs_free(&pairs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfdata_reader reader;
	void *bytes = malloc(size + !size);
	int ret;

	must(bytes);
	memcpy(bytes, data, size);
	ret = perfdata_read_bytes(&reader, bytes, size);
	if (ret) {
		must(ret == -EINVAL && reader.error[0]);
	} else {
		check_events(&reader);
		check_report(&reader, check_records(&reader));
	}
	perfdata_read_close(&reader);
	free(bytes);
	return 0;
}
