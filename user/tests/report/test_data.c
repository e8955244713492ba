// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From records to intervals: whose counts go on from whose, losses, what is left out. */
#include "test.h"

#include "fake_perfdata.h"
#include "report/data/rep_data.h"

#define ID 0x10000000000ULL
#define TRIGGER (ID + 9)
#define MS 1000000ULL

static const struct fake_event events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "cpu-clock", TRIGGER },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", ID },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, "instructions", ID + 1 },
};

/* A snapshot at @ms, with times of the same. */
static void at(struct fake *f, uint64_t ms, uint32_t tid, uint32_t cpu, uint64_t cycles,
	       uint64_t instructions)
{
	fake_sample(f, &(struct fake_sample){
		.id = TRIGGER, .time = ms * MS, .tid = tid, .cpu = cpu, .enabled = ms * MS,
		.running = ms * MS / 2, .nr = 2, .ids = { ID, ID + 1 },
		.values = { cycles, instructions } });
}

struct fixture {
	struct fake file;
	struct perfdata_reader reader;
	struct rep_data data;
};

static void begin(struct fixture *x)
{
	memset(x, 0, sizeof(*x));
	fake_begin(&x->file, events, ARRAY_SIZE(events));
}

static void take(struct fixture *x, const struct rep_filter *filter)
{
	static const struct rep_filter all;

	if (!x->reader.bytes) {
		fake_end(&x->file);
		assert_int_equal(perfdata_read_bytes(&x->reader, x->file.bytes, x->file.size), 0);
	}
	assert_int_equal(rep_data_take(&x->data, &x->reader, filter ? filter : &all), 0);
}

static void end(struct fixture *x)
{
	rep_data_free(&x->data);
	perfdata_read_close(&x->reader);
	fake_free(&x->file);
}

static uint64_t delta(const struct fixture *x, size_t stream, size_t interval, unsigned int member)
{
	assert_true(stream < x->data.nr_streams);
	assert_true(interval < x->data.streams[stream].nr_intervals);
	return rep_interval(&x->data.streams[stream], interval)->delta[member];
}

/* The same ids on two CPUs, whatever runs there, in rounds: CPU 1's before CPU 0's. */
static void group_of_cpus(void **state)
{
	const struct rep_interval *interval;
	struct fixture x;

	(void)state;
	begin(&x);
	fake_comm(&x.file, 42, "sort");
	at(&x.file, 10, 42, 1, 1000, 500);
	at(&x.file, 20, 0, 1, 1100, 700);
	at(&x.file, 11, 0, 0, 5, 5);
	at(&x.file, 21, 42, 0, 25, 6);
	at(&x.file, 30, 42, 1, 1600, 701);
	take(&x, NULL);
	assert_int_equal(x.data.samples, 5);
	assert_int_equal(x.data.nr_streams, 2);
	assert_string_equal(x.data.streams[0].label, "CPU 0");
	assert_string_equal(x.data.streams[1].label, "CPU 1");
	assert_int_equal(x.data.nr_intervals, 3);
	assert_int_equal(delta(&x, 0, 0, 0), 20);
	assert_int_equal(delta(&x, 0, 0, 1), 1);
	assert_int_equal(delta(&x, 1, 0, 0), 100);
	assert_int_equal(delta(&x, 1, 1, 0), 500);
	interval = rep_interval(&x.data.streams[1], 1);
	assert_true(interval->end == 30 * MS && interval->length == 10 * MS);
	assert_true(interval->enabled == 10 * MS && interval->running == 5 * MS);
	assert_true(x.data.first == 10 * MS && x.data.last == 30 * MS);
	assert_true(x.data.events[1].member && x.data.events[2].member);
	assert_false(x.data.events[0].member);
	assert_int_equal(x.data.events[0].samples, 5);
	assert_int_equal(x.data.cpus.nr, 2);
	assert_int_equal(x.data.cpus.rows[0].cpu, 0);
	assert_int_equal(x.data.cpus.rows[1].samples, 3);
	assert_int_equal(x.data.threads.nr, 2);
	assert_int_equal(x.data.threads.rows[0].tid, 42);
	assert_string_equal(x.data.threads.rows[0].comm, "sort");
	assert_int_equal(x.data.threads.rows[0].samples, 3);
	assert_string_equal(x.data.threads.rows[1].comm, "swapper");
	end(&x);
}

/* The counts of a task go on wherever it runs. */
static void group_of_a_task(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	fake_comm(&x.file, 42, "sh");
	fake_comm(&x.file, 42, "sort\n");
	at(&x.file, 10, 42, 1, 1000, 500);
	at(&x.file, 11, 42, 0, 1005, 505);
	at(&x.file, 20, 42, 1, 1100, 700);
	take(&x, NULL);
	assert_int_equal(x.data.nr_streams, 1);
	assert_string_equal(x.data.streams[0].label, "sort\\x0a:42");
	assert_int_equal(delta(&x, 0, 0, 0), 5);
	assert_int_equal(delta(&x, 0, 1, 0), 95);
	end(&x);
}

/* One busy task on a group of CPUs looks like a group of that task, but for the index. */
static void index_tells(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	fake_id_index(&x.file, ID, 0, UINT64_MAX);
	at(&x.file, 10, 42, 1, 1000, 500);
	at(&x.file, 11, 42, 0, 5, 5);
	at(&x.file, 20, 42, 1, 1100, 700);
	take(&x, NULL);
	assert_int_equal(x.data.nr_streams, 2);
	assert_int_equal(x.data.nr_intervals, 1);
	end(&x);

	/* And a group of a task whose snapshots bear several numbers: as after an exec(). */
	begin(&x);
	fake_id_index(&x.file, ID, UINT64_MAX, 42);
	at(&x.file, 10, 43, 1, 1000, 500);
	at(&x.file, 20, 42, 0, 1100, 700);
	take(&x, NULL);
	assert_int_equal(x.data.nr_streams, 1);
	assert_int_equal(x.data.nr_intervals, 1);
	end(&x);
}

/* With attr.inherit each thread's counts are its own. */
static void inherited(void **state)
{
	struct fixture x;
	size_t i;

	(void)state;
	begin(&x);
	at(&x.file, 10, 42, 1, 1000, 500);
	at(&x.file, 11, 43, 1, 5, 5);
	at(&x.file, 12, 42, 1, 1001, 502);
	at(&x.file, 13, 43, 0, 8, 9);
	fake_end(&x.file);
	assert_int_equal(perfdata_read_bytes(&x.reader, x.file.bytes, x.file.size), 0);
	for (i = 0; i < x.reader.nr_events; i++)
		x.reader.events[i].attr.inherit = 1;
	take(&x, NULL);
	assert_int_equal(x.data.nr_streams, 2);
	assert_int_equal(delta(&x, 0, 0, 1), 2);
	assert_int_equal(delta(&x, 1, 0, 1), 4);
	assert_string_equal(x.data.streams[0].label, ":42");
	end(&x);
}

static void losses(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	at(&x.file, 10, 42, 0, 1, 1);
	fake_record(&x.file, PERF_RECORD_LOST, (uint64_t[]){ TRIGGER, 5 }, 2, TRIGGER, 11 * MS, 0);
	fake_record(&x.file, PERF_RECORD_LOST, (uint64_t[]){ 77, 2 }, 2, TRIGGER, 11 * MS, 0);
	fake_record(&x.file, PERF_RECORD_LOST_SAMPLES, (uint64_t[]){ 3 }, 1, TRIGGER, 12 * MS, 0);
	/* Stopped for 4 ms on CPU 0, for 2 on CPU 1, and there to the end, 10 ms later. */
	fake_record(&x.file, PERF_RECORD_THROTTLE, (uint64_t[]){ 20 * MS, TRIGGER, TRIGGER }, 3,
		    TRIGGER, 20 * MS, 0);
	fake_record(&x.file, PERF_RECORD_THROTTLE, (uint64_t[]){ 21 * MS, TRIGGER, TRIGGER }, 3,
		    TRIGGER, 21 * MS, 1);
	fake_record(&x.file, PERF_RECORD_UNTHROTTLE, (uint64_t[]){ 23 * MS, TRIGGER, TRIGGER }, 3,
		    TRIGGER, 23 * MS, 1);
	fake_record(&x.file, PERF_RECORD_UNTHROTTLE, (uint64_t[]){ 24 * MS, TRIGGER, TRIGGER }, 3,
		    TRIGGER, 24 * MS, 0);
	fake_record(&x.file, PERF_RECORD_UNTHROTTLE, (uint64_t[]){ 25 * MS, TRIGGER, TRIGGER }, 3,
		    TRIGGER, 25 * MS, 0);
	fake_record(&x.file, PERF_RECORD_THROTTLE, (uint64_t[]){ 30 * MS, TRIGGER, TRIGGER }, 3,
		    TRIGGER, 30 * MS, 1);
	/* Too short to say what was lost, or when. */
	fake_record(&x.file, PERF_RECORD_LOST, NULL, 0, TRIGGER, 31 * MS, 0);
	fake_record(&x.file, PERF_RECORD_THROTTLE, NULL, 0, TRIGGER, 31 * MS, 0);
	at(&x.file, 40, 42, 0, 2, 1);
	take(&x, NULL);
	assert_int_equal(x.data.lost, 7);
	assert_int_equal(x.data.events[0].lost, 5);
	assert_int_equal(x.data.missed, 3);
	assert_int_equal(x.data.events[0].missed, 3);
	assert_int_equal(x.data.throttles, 3);
	assert_true(x.data.throttled == (4 + 2 + 10) * MS);
	assert_true(x.data.events[0].throttled == 16 * MS);
	assert_int_equal(x.data.unreadable, 2);
	end(&x);
}

static void filters(void **state)
{
	static const struct {
		struct rep_filter filter;
		const char *cpus;
		uint64_t samples;
		uint64_t intervals;
	} rows[] = {
		{ { 0 }, NULL, 6, 4 },
		{ { .has_start = true, .start = 20 * MS }, NULL, 4, 2 },
		{ { .has_start = true, .start = 10 * MS, .start_relative = true }, NULL, 4, 2 },
		{ { .has_stop = true, .stop = 20 * MS }, NULL, 3, 1 },
		{ { .has_stop = true, .stop = 19 * MS, .stop_relative = true }, NULL, 5, 3 },
		{ { .has_start = true, .start = 40 * MS }, NULL, 0, 0 },
		/* The interval before a snapshot of CPU 1 begins with one of CPU 1. */
		{ { 0 }, "1", 3, 2 },
		{ { 0 }, "2-7", 0, 0 },
		{ { .tid = 42 }, NULL, 4, 3 },
		{ { .tid = 1 }, NULL, 0, 0 },
	};
	size_t i, where;
	struct fixture x;

	(void)state;
	begin(&x);
	at(&x.file, 10, 42, 1, 1000, 500);
	at(&x.file, 11, 0, 0, 5, 5);
	at(&x.file, 20, 42, 1, 1100, 700);
	at(&x.file, 21, 42, 0, 25, 6);
	at(&x.file, 29, 0, 0, 26, 6);
	at(&x.file, 30, 42, 1, 1600, 701);
	take(&x, NULL);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rep_filter filter = rows[i].filter;

		rep_data_free(&x.data);
		filter.has_cpus = rows[i].cpus;
		if (rows[i].cpus)
			assert_int_equal(pmcgrp_cpus_parse(&filter.cpus, rows[i].cpus, &where), 0);
		take(&x, &filter);
		assert_row(i, x.data.samples == rows[i].samples);
		assert_row(i, x.data.nr_intervals == rows[i].intervals);
	}
	end(&x);
}

/* A group that was reset has no negative counts; one without ids or counts no intervals. */
static void left_out(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	at(&x.file, 10, 42, 1, 1000, 500);
	at(&x.file, 20, 42, 1, 10, 5);
	at(&x.file, 30, 42, 1, 20, 6);
	fake_sample(&x.file, &(struct fake_sample){ .id = TRIGGER, .time = 31 * MS, .tid = 42 });
	fake_sample(&x.file, &(struct fake_sample){ .id = TRIGGER, .time = 32 * MS, .tid = 42,
						    .nr = 1, .ids = { 4711 } });
	fake_sample(&x.file, &(struct fake_sample){ .id = 4711, .time = 33 * MS });
	fake_add(&x.file, "odd", 3);
	fake_header(&x.file)->data.size = 0;
	assert_int_equal(perfdata_read_bytes(&x.reader, x.file.bytes, x.file.size), 0);
	take(&x, NULL);
	assert_int_equal(x.data.samples, 5);
	assert_int_equal(x.data.nr_intervals, 1);
	assert_int_equal(delta(&x, 0, 0, 0), 10);
	assert_int_equal(x.data.backwards, 1);
	assert_int_equal(x.data.without_counts, 2);
	assert_int_equal(x.data.unreadable, 1);
	assert_int_equal(x.data.rest, 3);
	end(&x);
}

/* Thousands of threads, each found again. */
static void many_threads(void **state)
{
	struct fixture x;
	uint32_t i;

	(void)state;
	begin(&x);
	for (i = 0; i < 20000; i++)
		at(&x.file, i, i % 5000 + 1, i % 64, i, i);
	take(&x, NULL);
	assert_int_equal(x.data.threads.nr, 5000);
	assert_int_equal(x.data.threads.rows[4999].samples, 4);
	assert_int_equal(x.data.threads.rows[4999].tid, 5000);
	assert_int_equal(x.data.cpus.nr, 64);
	assert_int_equal(x.data.nr_streams, 64);
	assert_int_equal(x.data.nr_intervals, 20000 - 64);
	end(&x);
}

static const char *name_of(const struct fixture *x, uint32_t tid, uint64_t samples)
{
	size_t i;

	for (i = 0; i < x->data.threads.nr; i++) {
		const struct rep_tally *row = &x->data.threads.rows[i];

		if (row->tid == tid && row->samples == samples)
			return row->comm;
	}
	return NULL;
}

/*
 * Each CPU has a ring of its own, and the file has one after the other: that of the CPU on which a
 * process executes another program can stand before that of its fork.
 */
static void names_by_time(void **state)
{
	const struct rep_filter early = { .has_stop = true, .stop = 25 * MS };
	struct fixture x;

	(void)state;
	begin(&x);
	fake_comm(&x.file, 42, "sh");
	fake_comm_at(&x.file, 20 * MS, 43, "sha256sum");
	at(&x.file, 21, 43, 1, 100, 50);
	at(&x.file, 22, 43, 1, 200, 60);
	fake_comm_at(&x.file, 30 * MS, 43, "tail");
	fake_fork(&x.file, 10 * MS, 43, 42);
	at(&x.file, 11, 43, 0, 5, 5);
	fake_fork(&x.file, 12 * MS, 44, 42);
	at(&x.file, 13, 44, 0, 6, 6);
	take(&x, NULL);
	assert_string_equal(name_of(&x, 43, 3), "tail");
	assert_string_equal(name_of(&x, 44, 1), "sh");
	rep_data_free(&x.data);
	/* What comes behind the part that is looked at has no name in it. */
	take(&x, &early);
	assert_string_equal(name_of(&x, 43, 3), "sha256sum");
	end(&x);
}

/* Two threads that had the same number, one after the other, and what an inherited event has of each. */
static void names_of_a_number(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	fake_comm(&x.file, 1, "sh");
	fake_fork(&x.file, 10 * MS, 43, 1);
	fake_comm_at(&x.file, 11 * MS, 43, "first");
	at(&x.file, 12, 43, 0, 100, 50);
	fake_fork(&x.file, 20 * MS, 43, 1);
	at(&x.file, 21, 43, 0, 10, 5);
	at(&x.file, 22, 43, 0, 20, 9);
	take(&x, NULL);
	assert_string_equal(name_of(&x, 43, 1), "first");
	assert_string_equal(name_of(&x, 43, 2), "sh");
	end(&x);
}

/* A parent that the recorder has not seen before is looked up when it is. */
static void names_that_come_later(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	fake_fork(&x.file, 10 * MS, 43, 42);
	fake_fork(&x.file, 11 * MS, 44, 43);
	at(&x.file, 12, 44, 0, 100, 50);
	fake_comm_at(&x.file, 13 * MS, 42, "make");
	/* Each the other's parent: no file of ours. */
	fake_fork(&x.file, 14 * MS, 50, 51);
	fake_fork(&x.file, 15 * MS, 51, 50);
	at(&x.file, 16, 51, 0, 110, 60);
	/* Its number is known before, as clocks differ. */
	at(&x.file, 17, 45, 0, 120, 70);
	fake_fork(&x.file, 18 * MS, 45, 42);
	at(&x.file, 19, 45, 0, 130, 80);
	take(&x, NULL);
	assert_string_equal(name_of(&x, 44, 1), "make");
	assert_string_equal(name_of(&x, 45, 2), "make");
	assert_string_equal(name_of(&x, 51, 1), "");
	end(&x);
}

/* A recorder in a PID namespace: the module has -1 for tasks outside, perf 0. */
static void outside(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	fake_comm(&x.file, 42, "sort");
	fake_comm_at(&x.file, 5 * MS, 0, "sshd");
	fake_fork(&x.file, 6 * MS, 0, 0);
	fake_comm_at(&x.file, 7 * MS, UINT32_MAX, "cron");
	fake_fork(&x.file, 8 * MS, 43, 0);
	at(&x.file, 10, 42, 0, 100, 50);
	at(&x.file, 11, UINT32_MAX, 0, 200, 60);
	at(&x.file, 12, UINT32_MAX, 0, 300, 70);
	at(&x.file, 13, 0, 0, 400, 80);
	at(&x.file, 14, 43, 0, 500, 90);
	at(&x.file, 15, 43, 0, 600, 95);
	at(&x.file, 16, 43, 0, 700, 99);
	take(&x, NULL);
	assert_int_equal(x.data.threads.nr, 4);
	assert_string_equal(name_of(&x, UINT32_MAX, 2), "(no number)");
	assert_string_equal(name_of(&x, 0, 1), "swapper");
	assert_string_equal(name_of(&x, 42, 1), "sort");
	assert_string_equal(name_of(&x, 43, 3), "");
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group_of_cpus),
		cmocka_unit_test(group_of_a_task),
		cmocka_unit_test(index_tells),
		cmocka_unit_test(inherited),
		cmocka_unit_test(losses),
		cmocka_unit_test(filters),
		cmocka_unit_test(left_out),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(names_by_time),
		cmocka_unit_test(names_of_a_number),
		cmocka_unit_test(names_that_come_later),
		cmocka_unit_test(outside),
	};

	return cmocka_run_group_tests_name("rep_data", tests, NULL, NULL);
}
