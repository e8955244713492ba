// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The reader of perf.data: whole files, files cut short, and what is no such file. */
#include "test.h"

#include <unistd.h>

#include "fake_perfdata.h"
#include "perfdata/reader.h"

#define ID 0x10000000000ULL

static const struct fake_event events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "tick", ID + 9 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles\033[2J", ID },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, "", ID + 1 },
};

static void sample(struct fake *f, unsigned int n)
{
	fake_sample(f, &(struct fake_sample){
		.id = ID + 9, .time = 1000 + n, .tid = 42, .cpu = 3, .enabled = 100, .running = 50,
		.nr = 2, .ids = { ID, ID + 1 }, .values = { 10 * n, 20 * n } });
}

/* A round of two samples, a loss and a name; complete. */
static void whole(struct fake *f)
{
	fake_begin(f, events, ARRAY_SIZE(events));
	fake_comm(f, 42, "sort");
	sample(f, 1);
	fake_record(f, PERF_RECORD_LOST, (uint64_t[]){ ID + 9, 5 }, 2, ID + 9, 1001, 3);
	sample(f, 2);
	fake_close(f, fake_open(f, PERFDATA_FINISHED_ROUND));
	fake_end(f);
}

static unsigned int count(const struct perfdata_reader *reader, uint32_t type)
{
	uint64_t offset = reader->data;
	struct perfdata_record record;
	unsigned int nr = 0;

	while (perfdata_read_next(reader, &offset, &record))
		nr += record.type == type;
	return nr;
}

static void complete(void **state)
{
	struct perfdata_reader reader;
	struct perfdata_sample s;
	struct perfdata_record record;
	struct fake f;
	uint64_t offset, ns;

	(void)state;
	whole(&f);
	assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
	assert_false(reader.cut);
	assert_int_equal(reader.nr_events, 3);
	assert_string_equal(reader.events[0].name, "tick");
	assert_string_equal(reader.events[1].name, "cycles\\x1b[2J");
	/* Without a name in the file, what perf calls it. */
	assert_string_equal(reader.events[2].name, "instructions");
	assert_int_equal(perfdata_read_event_of(&reader, ID + 1), 2);
	assert_int_equal(perfdata_read_event_of(&reader, ID + 2), -1);

	offset = reader.data;
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_int_equal(record.type, PERF_RECORD_COMM);
	assert_int_equal(perfdata_read_sample_id(&reader, &record, &s), 24);
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_int_equal(perfdata_read_sample(&reader, &record, &s), 0);
	assert_int_equal(s.event, 0);
	assert_true(s.id == ID + 9 && s.time == 1001 && s.pid == 42 && s.tid == 42 && s.cpu == 3);
	assert_int_equal(pmcgrp_view_nr(&s.view), 2);
	assert_int_equal(pmcgrp_view_value(&s.view, 1), 20);
	assert_true(pmcgrp_view_id(&s.view, 1) == ID + 1);
	assert_true(pmcgrp_view_time_running(&s.view, &ns) && ns == 50);
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_int_equal(perfdata_read_sample_id(&reader, &record, &s), 16);
	assert_true(s.event == 0 && s.time == 1001 && s.cpu == 3);
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_false(perfdata_read_next(&reader, &offset, &record));
	assert_int_equal(offset, reader.data_end);
	perfdata_read_close(&reader);
	fake_free(&f);
}

/* A recorder that was killed: its header knows of no data yet, or of less than there is. */
static void killed(void **state)
{
	struct perfdata_reader reader;
	size_t sizes[4], i;
	struct fake f;

	(void)state;
	fake_begin(&f, events, ARRAY_SIZE(events));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		sizes[i] = f.size;
		sample(&f, (unsigned int)i);
	}
	/* Data sizes of 0 and of fewer samples, features announced or not. */
	for (i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		fake_header(&f)->data.size = sizes[i / 2] - sizes[0];
		fake_header(&f)->features[0] = i % 2 ? 1ULL << PERFDATA_EVENT_DESC : 0;
		assert_row(i, !perfdata_read_bytes(&reader, f.bytes, f.size));
		assert_row(i, reader.cut);
		assert_row(i, count(&reader, PERF_RECORD_SAMPLE) == ARRAY_SIZE(sizes));
		/* Named by what they are. */
		assert_row(i, !strcmp(reader.events[0].name, "cpu-clock"));
		perfdata_read_close(&reader);
	}
	fake_free(&f);
}

/* Cut at each byte: no record less than fits, and none more. */
static void cut_anywhere(void **state)
{
	struct perfdata_reader reader;
	struct fake f;
	size_t size, data, one, copy_size;
	unsigned int samples;
	unsigned char *copy;

	(void)state;
	fake_begin(&f, events, ARRAY_SIZE(events));
	data = f.size;
	sample(&f, 1);
	one = f.size - data;
	sample(&f, 2);
	fake_end(&f);
	for (size = 0; size < f.size; size++) {
		/* In memory of its own size, so that reading past its end is seen. */
		copy_size = size ? size : 1;
		copy = malloc(copy_size);
		assert_non_null(copy);
		memcpy(copy, f.bytes, size);
		if (perfdata_read_bytes(&reader, copy, size) < 0) {
			assert_row(size, size < data && reader.error[0]);
		} else {
			assert_row(size, size >= data && reader.cut);
			samples = (size >= data + one) + (size >= data + 2 * one);
			assert_row(size, count(&reader, PERF_RECORD_SAMPLE) == samples);
		}
		perfdata_read_close(&reader);
		free(copy);
	}
	fake_free(&f);
}

static void set_u64(unsigned char *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void refused(void **state)
{
	static const struct {
		size_t offset;
		uint64_t value;
		const char *error;
	} rows[] = {
		{ 0, 0x50455246494c4532, "the other byte order" },
		{ 0, 0x454c494646524550, "does not begin with PERFILE2" },
		{ 8, 24, "within its header" },
		{ 16, 8, "8 bytes each" },
		{ 16, UINT64_MAX, "bytes each" },
		{ 24, UINT64_MAX - 7, "lie outside of it" },
		{ 32, UINT64_MAX, "lie outside of it" },
		{ 32, 7, "lie outside of it" },
		{ 32, 0, "has no events" },
		{ 40, UINT64_MAX, "before its first record" },
		{ 40, 0, "before its first record" },
		/* The ids of the first event; its sample_type. */
		{ 128 + sizeof(struct perf_event_attr) + 8, 7, "the ids of an event" },
		{ 128 + sizeof(struct perf_event_attr), UINT64_MAX, "the ids of an event" },
		{ 128 + 24, PERF_SAMPLE_TIME, "do not say of which one" },
		{ 128 + 24, PERF_SAMPLE_ID | PERF_SAMPLE_TIME, "do not say of which one" },
	};
	struct perfdata_reader reader;
	struct fake f;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		whole(&f);
		set_u64(f.bytes + rows[i].offset, rows[i].value);
		if (perfdata_read_bytes(&reader, f.bytes, f.size) != -EINVAL ||
		    !strstr(reader.error, rows[i].error))
			fail_msg("row %zu: %s", i, reader.error);
		perfdata_read_close(&reader);
		fake_free(&f);
	}
	assert_int_equal(perfdata_read_open(&reader, "/nowhere"), -ENOENT);
	perfdata_read_close(&reader);
	assert_int_equal(perfdata_read_open(&reader, "/"), -EINVAL);
	assert_string_equal(reader.error, "is no file");
	perfdata_read_close(&reader);
	assert_int_equal(perfdata_read_open(&reader, "/dev/null"), -EINVAL);
	perfdata_read_close(&reader);
}

/* Samples that do not hold what their event says, or are of none. */
static void odd_samples(void **state)
{
	struct perfdata_reader reader;
	struct perfdata_record record;
	struct perfdata_sample s;
	uint64_t offset;
	struct fake f;
	size_t at;

	(void)state;
	fake_begin(&f, events, ARRAY_SIZE(events));
	at = fake_open(&f, PERF_RECORD_SAMPLE);
	fake_close(&f, at);
	at = fake_open(&f, PERF_RECORD_SAMPLE);
	fake_u64(&f, ID + 9);
	fake_u64(&f, 1);
	fake_close(&f, at);
	/* A group of 2^60 members. */
	fake_sample(&f, &(struct fake_sample){ .id = ID + 9, .nr = 0 });
	set_u64(f.bytes + f.size - 24, 1ULL << 60);
	fake_sample(&f, &(struct fake_sample){ .id = ID + 5 });
	fake_end(&f);
	assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
	offset = reader.data;
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_int_equal(perfdata_read_sample(&reader, &record, &s), -EBADMSG);
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_int_equal(perfdata_read_sample(&reader, &record, &s), -EBADMSG);
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_int_equal(perfdata_read_sample(&reader, &record, &s), -EBADMSG);
	assert_true(perfdata_read_next(&reader, &offset, &record));
	assert_int_equal(perfdata_read_sample(&reader, &record, &s), -ENOENT);
	perfdata_read_close(&reader);
	fake_free(&f);
}

/* AUX data lies behind its record. */
static void aux_data(void **state)
{
	struct perfdata_reader reader;
	struct fake f;
	size_t at;

	(void)state;
	fake_begin(&f, events, ARRAY_SIZE(events));
	at = fake_open(&f, PERFDATA_AUXTRACE);
	fake_u64(&f, 32);
	fake_close(&f, at);
	fake_add(&f, "thirty-two bytes that look odd..", 32);
	sample(&f, 1);
	at = fake_open(&f, PERFDATA_AUXTRACE);
	fake_u64(&f, UINT64_MAX - 20);
	fake_close(&f, at);
	fake_end(&f);
	assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
	assert_int_equal(count(&reader, PERF_RECORD_SAMPLE), 1);
	assert_int_equal(count(&reader, PERFDATA_AUXTRACE), 1);
	perfdata_read_close(&reader);
	fake_free(&f);
}

/* A record of the perf tool's: the header, and bytes up to a multiple of eight. */
static void pipe_add(struct fake *to, uint32_t type, const void *bytes, size_t size)
{
	size_t at = fake_open(to, type);

	fake_add(to, bytes, size);
	while (to->size % 8)
		fake_add(to, "", 1);
	fake_close(to, at);
}

/* The same events and records as perf writes them to a pipe; names by @update, or as a feature. */
static void pipe_make(struct fake *to, const struct fake *from, bool update)
{
	const struct perfdata_header *header = (const void *)from->bytes;
	const char tracing[24] = "this is no record, then";
	uint32_t size = sizeof(tracing);
	unsigned char bytes[1024];
	size_t i;

	memset(to, 0, sizeof(*to));
	fake_u64(to, PERFDATA_MAGIC);
	fake_u64(to, PERFDATA_PIPE_SIZE);
	for (i = 0; i < from->nr; i++) {
		struct perf_event_attr attr = fake_attr(&from->events[i], from->type);

		memcpy(bytes, &attr, sizeof(attr));
		memcpy(bytes + sizeof(attr), &from->events[i].id, 8);
		pipe_add(to, PERFDATA_HEADER_ATTR, bytes, sizeof(attr) + 8);
	}
	for (i = 0; i < from->nr && update; i++) {
		uint64_t words[2] = { 2, from->events[i].id };

		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, words, sizeof(words));
		strcpy((char *)bytes + sizeof(words), from->events[i].name);
		pipe_add(to, PERFDATA_EVENT_UPDATE, bytes, sizeof(words) + 64);
	}
	if (!update) {
		const unsigned char *table = from->bytes + header->data.offset + header->data.size;
		uint64_t feature = PERFDATA_EVENT_DESC, length = perfdata_u64(table + 8);

		assert_true(8 + length <= sizeof(bytes));
		memcpy(bytes, &feature, 8);
		memcpy(bytes + 8, from->bytes + perfdata_u64(table), length);
		pipe_add(to, PERFDATA_HEADER_FEATURE, bytes, 8 + length);
	}
	pipe_add(to, PERFDATA_TRACING_DATA, &size, sizeof(size));
	fake_add(to, tracing, sizeof(tracing));
	fake_add(to, from->bytes + header->data.offset, header->data.size);
}

static const struct fake_event pipe_events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "a clock", 9 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "a count", 1 },
};

static void of_a_pipe(void **state)
{
	struct perfdata_reader reader;
	struct perfdata_record record;
	struct perfdata_sample sample;
	struct fake file, pipe;
	unsigned int update, nr;
	uint64_t offset;
	int ret;

	(void)state;
	for (update = 0; update < 2; update++) {
		fake_begin(&file, pipe_events, ARRAY_SIZE(pipe_events));
		fake_comm(&file, 42, "sort");
		for (nr = 1; nr <= 3; nr++)
			fake_sample(&file, &(struct fake_sample){ .id = 9, .time = nr, .tid = 42,
				.nr = 1, .ids = { 1 }, .values = { 100 * nr } });
		fake_end(&file);
		pipe_make(&pipe, &file, update);
		assert_int_equal(perfdata_read_bytes(&reader, pipe.bytes, pipe.size), 0);
		assert_false(reader.cut);
		assert_int_equal(reader.nr_events, 2);
		assert_string_equal(reader.events[0].name, "a clock");
		assert_string_equal(reader.events[1].name, "a count");
		assert_int_equal(perfdata_read_event_of(&reader, 1), 1);
		nr = 0;
		for (offset = reader.data; perfdata_read_next(&reader, &offset, &record);) {
			if (record.type != PERF_RECORD_SAMPLE)
				continue;
			assert_int_equal(perfdata_read_sample(&reader, &record, &sample), 0);
			assert_int_equal(sample.event, 0);
			assert_int_equal(pmcgrp_view_value(&sample.view, 0), 100 * ++nr);
		}
		assert_int_equal(nr, 3);
		assert_int_equal(offset, pipe.size);
		perfdata_read_close(&reader);
		/* Cut anywhere, it has what is whole of it, or says what it lacks. */
		for (nr = 0; nr < pipe.size; nr++) {
			unsigned char *bytes = malloc(nr ? nr : 1);

			assert_non_null(bytes);
			memcpy(bytes, pipe.bytes, nr);
			ret = perfdata_read_bytes(&reader, bytes, nr);
			assert_row(nr, !ret || reader.error[0]);
			perfdata_read_close(&reader);
			free(bytes);
		}
		fake_free(&file);
		fake_free(&pipe);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete),
		cmocka_unit_test(killed),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(refused),
		cmocka_unit_test(odd_samples),
		cmocka_unit_test(aux_data),
		cmocka_unit_test(of_a_pipe),
	};

	return cmocka_run_group_tests_name("perfdata_read", tests, NULL, NULL);
}
