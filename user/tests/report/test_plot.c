// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What becomes of intervals in columns of time: mean, least, most, gaps. */
#include "test.h"

#include <math.h>

#include "fake_recording.h"
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
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("rep_plot", tests, NULL, NULL);
}
