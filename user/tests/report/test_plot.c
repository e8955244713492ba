// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What becomes of intervals in columns of time: mean, least, most, gaps. */
#include "test.h"

#include <math.h>

#include "fake_recording.h"
#include "report/out/axis.h"
#include "report/out/lanes.h"
#include "report/out/plot.h"

#define NEAR(a, b) (fabs((a) - (b)) <= 1e-9 * fabs(b))

struct fixture {
	struct fake file;
	struct perfdata_reader reader;
	struct rep_data data;
	struct rep_ratios ratios;
	struct rep_picture picture;
};

static void take(struct fixture *x, unsigned int columns)
{
	static const struct rep_filter all;

	assert_int_equal(perfdata_read_bytes(&x->reader, x->file.bytes, x->file.size), 0);
	assert_int_equal(rep_data_take(&x->data, &x->reader, &all), 0);
	assert_int_equal(rep_ratios_find(&x->ratios, &x->data), 0);
	assert_int_equal(rep_picture_take(&x->picture, &x->data, &x->ratios, columns), 0);
}

static void end(struct fixture *x)
{
	rep_picture_free(&x->picture);
	rep_ratios_free(&x->ratios);
	rep_data_free(&x->data);
	perfdata_read_close(&x->reader);
	fake_free(&x->file);
}

/* One column for each interval: what was counted in it, and gaps where nothing was. */
static void one_each(void **state)
{
	const struct rep_line *lines;
	struct fixture x = { 0 };
	char note[400];
	unsigned int i;

	(void)state;
	fake_recording(&x.file);
	take(&x, FAKE_INTERVALS);
	assert_int_equal(x.picture.nr_plots, 4);
	assert_string_equal(x.picture.plots[0].title, "cycles");
	assert_string_equal(x.picture.plots[0].unit, "cycles/sec");
	assert_string_equal(x.picture.plots[3].title, "instructions/cycles");
	assert_string_equal(x.picture.plots[3].unit, "insn per cycle");
	assert_int_equal(x.picture.plots[0].nr_lines, 2);
	lines = x.picture.plots[0].lines;
	assert_string_equal(lines[1].label, "CPU 1");
	for (i = 0; i < FAKE_INTERVALS; i++) {
		double rate = (i + 1) * 1e6;

		assert_row(i, NEAR(lines[0].columns[i].mean, rate));
		assert_row(i, NEAR(lines[0].columns[i].low, rate));
		if ((i + 1) % 2)
			assert_row(i, isnan(lines[1].columns[i].mean));
		else
			assert_row(i, NEAR(lines[1].columns[i].high, 2 * rate));
		assert_row(i, x.picture.plots[3].lines[0].columns[i].mean == 2.0);
	}
	assert_true(NEAR(rep_picture_x(&x.picture, FAKE_INTERVALS), 0.1));
	assert_false(x.picture.shared);
	rep_picture_note(&x.picture, note, sizeof(note));
	assert_string_equal(note, "200 intervals in 100 columns of 1 ms.");
	end(&x);
}

/* Ten intervals a column: n thousand cycles from 10c+1 to 10c+10. */
static void shared(void **state)
{
	const struct rep_line *lines;
	struct fixture x = { 0 };
	char note[400];
	unsigned int i;

	(void)state;
	fake_recording(&x.file);
	take(&x, FAKE_INTERVALS / 10);
	lines = x.picture.plots[0].lines;
	for (i = 0; i < FAKE_INTERVALS / 10; i++) {
		assert_row(i, NEAR(lines[0].columns[i].low, (10 * i + 1) * 1e6));
		assert_row(i, NEAR(lines[0].columns[i].mean, (10 * i + 5.5) * 1e6));
		assert_row(i, NEAR(lines[0].columns[i].high, (10 * i + 10) * 1e6));
		/* The time for which it waited is in no mean. */
		assert_row(i, NEAR(lines[1].columns[i].mean, 2 * (10 * i + 6) * 1e6));
		assert_row(i, x.picture.plots[3].lines[1].columns[i].mean == 1.0);
	}
	assert_true(x.picture.shared);
	rep_picture_note(&x.picture, note, sizeof(note));
	assert_non_null(strstr(note, "Several intervals share a column"));
	end(&x);
}

/* An interval that is longer than a column goes on through all that it covers. */
static void long_intervals(void **state)
{
	static const struct fake_event events[] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "cpu-clock", 9 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", 1 },
	};
	static const uint64_t times[] = { 0, 35, 35, 100 }, counts[] = { 0, 350, 350, 1000 };
	struct fixture x = { 0 };
	unsigned int i;

	(void)state;
	fake_begin(&x.file, events, ARRAY_SIZE(events));
	for (i = 0; i < ARRAY_SIZE(times); i++)
		fake_sample(&x.file, &(struct fake_sample){
			.id = 9, .time = 1 + times[i] * FAKE_MS, .tid = 1, .enabled = times[i],
			.running = times[i], .nr = 1, .ids = { 1 }, .values = { counts[i] } });
	fake_end(&x.file);
	take(&x, 10);
	assert_int_equal(x.picture.nr_plots, 1);
	for (i = 0; i < 10; i++)
		assert_row(i, NEAR(x.picture.plots[0].lines[0].columns[i].mean, 10000.0));
	end(&x);
}

/* Of more lines than can be told apart, those that count most; and it says so. */
static void many_streams(void **state)
{
	static const struct fake_event events[] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "cpu-clock", 9 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", 1 },
	};
	struct fixture x = { 0 };
	char note[400];
	unsigned int i;

	(void)state;
	fake_begin(&x.file, events, ARRAY_SIZE(events));
	for (i = 0; i < 40; i++)
		fake_sample(&x.file, &(struct fake_sample){
			.id = 9, .time = 1 + i, .tid = i, .cpu = i % 20, .nr = 1, .ids = { 1 },
			.values = { i < 20 ? 0 : i == 27 ? 500 : i } });
	fake_end(&x.file);
	take(&x, 10);
	assert_int_equal(x.picture.plots[0].nr_streams, 20);
	assert_int_equal(x.picture.plots[0].nr_lines, REP_LINES_MAX);
	assert_string_equal(x.picture.plots[0].lines[0].label, "CPU 7");
	assert_string_equal(x.picture.plots[0].lines[7].label, "CPU 19");
	rep_picture_note(&x.picture, note, sizeof(note));
	assert_non_null(strstr(note, "Of 20 streams the 8 with the highest counts are drawn."));
	end(&x);
}

/* What is marked at its time, in columns of a millisecond. */
static void lanes(void **state)
{
	static const struct {
		enum rep_lane_kind kind;
		const char *label;
		uint64_t total;
		unsigned int column;
		uint64_t nr;
	} rows[] = {
		{ REP_LANE_TRIGGER, "every:1ms", 3924, 1, 12 },
		{ REP_LANE_TRIGGER, "sched:sched_switch", 660, 7, 12 },
		{ REP_LANE_LOST, "lost samples", 50, FAKE_MACHINE_LOST, 50 },
		{ REP_LANE_THROTTLE, "triggers stopped (throttled)", 1, 250, 1 },
		{ REP_LANE_OFF, "group not on the PMU", 51, 125, 1 },
		{ REP_LANE_GAP, "no samples", 19, 310, 1 },
	};
	struct fixture x = { 0 };
	struct rep_lanes list;
	size_t i;

	(void)state;
	fake_machine(&x.file);
	take(&x, FAKE_MACHINE_MS);
	assert_int_equal(rep_lanes_take(&list, &x.picture, &x.data), 0);
	assert_int_equal(list.nr, ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, list.rows[i].kind == rows[i].kind);
		assert_string_equal(list.rows[i].label, rows[i].label);
		assert_row(i, list.rows[i].total == rows[i].total);
		assert_row(i, list.rows[i].nr[rows[i].column] == rows[i].nr);
	}
	/* CPU 5 is among the lines: off, and without a value. */
	assert_string_equal(x.picture.plots[3].lines[5].label, "CPU 5");
	assert_true(x.picture.plots[3].lines[5].columns[125].off);
	assert_true(isnan(x.picture.plots[3].lines[5].columns[125].mean));
	assert_false(x.picture.plots[3].lines[5].columns[310].off);
	rep_lanes_free(&list);
	end(&x);
}

/* A row for each CPU, more than there are lines; none for one CPU. */
static void heat(void **state)
{
	struct fixture x = { 0 };
	struct rep_picture map;
	unsigned int i;

	(void)state;
	fake_machine(&x.file);
	take(&x, 100);
	assert_int_equal(rep_heat_take(&map, &x.data, &x.ratios), 0);
	assert_int_equal(map.nr_plots, x.picture.nr_plots);
	for (i = 0; i < map.nr_plots; i++) {
		assert_row(i, map.plots[i].nr_lines == FAKE_MACHINE_CPUS);
		assert_string_equal(map.plots[i].title, x.picture.plots[i].title);
	}
	assert_int_equal(map.plots[2].form, REP_FORM_CLOCK);
	assert_int_equal(map.plots[4].form, REP_FORM_RATIO);
	rep_picture_free(&map);
	end(&x);
	fake_begin(&x.file, fake_recording_events, ARRAY_SIZE(fake_recording_events));
	for (i = 0; i < 3; i++)
		fake_sample(&x.file, &(struct fake_sample){
			.id = FAKE_TRIGGER, .time = 1 + i, .nr = 1, .ids = { FAKE_ID }, .values = { i } });
	fake_end(&x.file);
	take(&x, 10);
	assert_int_equal(rep_heat_take(&map, &x.data, &x.ratios), 0);
	assert_int_equal(map.nr_plots, 0);
	rep_picture_free(&map);
	end(&x);
}

static void axes(void **state)
{
	static const struct {
		double value;
		const char *number;
		const char *time;
	} rows[] = {
		{ 1.5, "1.5", "1.5 s" },
		{ 1230000000.0, "1.23 G", "1230000000 s" },
		{ 999960.0, "1 M", "999960 s" },
		{ 1500.0, "1.5 k", "1500 s" },
		{ 0.02, "0.02", "20 ms" },
		{ 0.000025, "2.5e-05", "25 µs" },
		{ 0.0009999, "0.001", "1 ms" },
	};
	char text[AXIS_TEXT_SIZE];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		axis_number(text, rows[i].value, 3);
		assert_string_equal(text, rows[i].number);
		axis_time(text, rows[i].value, 3);
		assert_string_equal(text, rows[i].time);
	}
	assert_true(NEAR(axis_step(200.0, 4), 50.0));
	assert_true(NEAR(axis_step(0.1, 10), 0.01));
	assert_true(NEAR(axis_step(0.11, 10), 0.02));
	assert_true(NEAR(axis_step(7.0, 4), 2.0));
	assert_true(NEAR(axis_step(30.0, 4), 10.0));
}

/* A lone snapshot, or none, is nothing to draw. */
static void nothing(void **state)
{
	struct fixture x = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		fake_begin(&x.file, fake_recording_events, ARRAY_SIZE(fake_recording_events));
		if (i)
			fake_sample(&x.file, &(struct fake_sample){
				.id = FAKE_TRIGGER, .time = 1, .nr = 1, .ids = { FAKE_ID } });
		fake_end(&x.file);
		take(&x, 10);
		assert_int_equal(x.picture.nr_plots, 0);
		end(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_each),
		cmocka_unit_test(shared),
		cmocka_unit_test(long_intervals),
		cmocka_unit_test(many_streams),
		cmocka_unit_test(lanes),
		cmocka_unit_test(heat),
		cmocka_unit_test(axes),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("rep_plot", tests, NULL, NULL);
}
