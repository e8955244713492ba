// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What a thread counts between two triggers: nested, recursive, lost; and which two belong together. */
#include "test.h"

#include "fake_perfdata.h"
#include "report/data/rep_data.h"

/* Ids. */
#define ENTRY 1
#define RETURN 2
#define OTHER 3
#define OTHER_RETURN 4
#define CYCLES 5

static const struct fake_event events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, "kprobe:f", ENTRY },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, "kretprobe:f", RETURN },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, "a,b", OTHER },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, "c", OTHER_RETURN },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", CYCLES },
};

struct fixture {
	struct fake file;
	struct perfdata_reader reader;
	struct rep_pairs pairs;
	struct rep_data data;
};

static void begin(struct fixture *x)
{
	memset(x, 0, sizeof(*x));
	fake_begin(&x->file, events, ARRAY_SIZE(events));
}

static void at(struct fixture *x, uint64_t id, uint64_t time, uint32_t tid, uint64_t cycles)
{
	fake_sample(&x->file, &(struct fake_sample){
		.id = id, .time = time, .tid = tid, .enabled = time, .running = time, .nr = 1,
		.ids = { CYCLES }, .values = { cycles } });
}

static void take(struct fixture *x)
{
	struct rep_filter filter = { .pairs = &x->pairs };

	fake_end(&x->file);
	assert_int_equal(perfdata_read_bytes(&x->reader, x->file.bytes, x->file.size), 0);
	assert_int_equal(rep_pairs_find(&x->pairs, &x->reader), 0);
	assert_int_equal(rep_data_take(&x->data, &x->reader, &filter), 0);
}

static void end(struct fixture *x)
{
	rep_data_free(&x->data);
	rep_pairs_free(&x->pairs);
	perfdata_read_close(&x->reader);
	fake_free(&x->file);
}

static double p100(struct rep_call_sums *sums)
{
	return rep_sketch_percentile(&sums->sketch, 100.0);
}

/* A call that calls itself, and what lies between. */
static void recursion(void **state)
{
	struct rep_calls *row;
	struct fixture x;

	(void)state;
	begin(&x);
	at(&x, ENTRY, 10, 5, 100);
	at(&x, OTHER, 12, 5, 110);
	at(&x, ENTRY, 15, 5, 150);
	at(&x, RETURN, 18, 5, 250);
	at(&x, RETURN, 40, 5, 1100);
	take(&x);
	assert_int_equal(x.data.between.nr, 1);
	row = &x.data.between.rows[0];
	assert_int_equal(row->returned, 2);
	assert_int_equal(row->without_return, 0);
	assert_int_equal(row->without_entry, 0);
	assert_true(row->time.total == 3 + 30);
	assert_true(p100(&row->time) == 30);
	assert_int_equal(row->nr, 1);
	assert_true(row->counts[0].total == 100 + 1000);
	assert_true(rep_sketch_percentile(&row->counts[0].sketch, 0.0) == 100);
	end(&x);
}

/*
 * Two threads take turns on a CPU, whose counts go on: each has what was counted up to its own
 * samples.
 */
static void threads(void **state)
{
	struct rep_calls *row;
	struct fixture x;

	(void)state;
	begin(&x);
	at(&x, ENTRY, 10, 5, 0);
	at(&x, ENTRY, 20, 6, 7);
	at(&x, RETURN, 30, 5, 1007);
	at(&x, RETURN, 50, 6, 1011);
	take(&x);
	row = &x.data.between.rows[0];
	assert_int_equal(row->returned, 2);
	assert_true(row->time.total == 20 + 30);
	assert_true(row->counts[0].total == 1000 + 4);
	assert_true(p100(&row->counts[0]) == 1000);
	end(&x);
}

static void lost(void **state)
{
	struct rep_calls *row;
	struct fixture x;

	(void)state;
	begin(&x);
	at(&x, RETURN, 10, 5, 0);
	at(&x, ENTRY, 20, 5, 10);
	at(&x, ENTRY, 30, 5, 20);
	at(&x, RETURN, 31, 5, 25);
	at(&x, ENTRY, 40, 6, 30);
	take(&x);
	row = &x.data.between.rows[0];
	assert_int_equal(row->returned, 1);
	assert_int_equal(row->without_entry, 1);
	assert_int_equal(row->without_return, 2);
	assert_true(row->time.total == 1 && row->counts[0].total == 5);
	end(&x);
}

/* Without any return, no more than so many calls are kept; all are counted. */
static void never(void **state)
{
	struct rep_calls *row;
	struct fixture x;
	uint64_t i;

	(void)state;
	begin(&x);
	for (i = 1; i <= 3000; i++)
		at(&x, ENTRY, i, 5, i);
	at(&x, RETURN, 3005, 5, 3100);
	take(&x);
	row = &x.data.between.rows[0];
	assert_int_equal(row->without_return, 2999);
	assert_true(row->returned == 1 && row->time.total == 5 && row->counts[0].total == 100);
	end(&x);
}

static void asked_for(void **state)
{
	static const struct {
		const char *text;
		int ret;
	} rows[] = {
		{ "a,b,c", 0 }, { "c,a,b", 0 }, { "kretprobe:f,c", 0 }, { "a,b,c", 0 },
		{ "", -EINVAL }, { "a,b", -EINVAL }, { ",", -EINVAL }, { "c,c", -EINVAL },
		{ "c,", -EINVAL }, { "c,d", -EINVAL }, { "kprobe:f", -EINVAL },
	};
	struct fixture x;
	size_t i;

	(void)state;
	begin(&x);
	at(&x, OTHER, 10, 5, 0);
	at(&x, OTHER_RETURN, 15, 5, 3);
	take(&x);
	assert_int_equal(x.pairs.nr, 1);
	/* Without a sample of them. */
	assert_int_equal(x.data.between.nr, 1);
	assert_true(!x.data.between.rows[0].returned && !x.data.between.rows[0].nr);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, rep_pairs_add(&x.pairs, &x.reader, rows[i].text) == rows[i].ret);
		assert_row(i, !rows[i].ret || strstr(x.pairs.error, "write ENTRY,RETURN"));
	}
	assert_int_equal(x.pairs.nr, 4);
	rep_data_free(&x.data);
	assert_int_equal(rep_data_take(&x.data, &x.reader, &(struct rep_filter){ .pairs = &x.pairs }),
			 0);
	assert_int_equal(x.data.between.nr, 4);
	assert_int_equal(x.data.between.rows[0].returned, 1);
	assert_true(x.data.between.rows[0].counts[0].total == 3);
	end(&x);
}

static void names(void **state)
{
	static const struct {
		const char *entry;
		const char *ret;
		bool pair;
	} rows[] = {
		{ "kprobe:do_exit", "kretprobe:do_exit", true },
		{ "kprobe:do_exit+4", "kretprobe:do_exit", false },
		{ "uprobe:/bin/sh:0x10", "uretprobe:/bin/sh:0x10", true },
		{ "uprobe:/bin/sh:0x10", "uretprobe:/bin/sh:0x20", false },
		{ "probe:f", "probe:f__return", true },
		{ "syscalls:sys_enter_read", "syscalls:sys_exit_read", true },
		{ "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", true },
		{ "syscalls:sys_enter_read", "syscalls:sys_exit_write", false },
		{ "xkprobe:f", "xkretprobe:f", false },
		{ "cycles", "instructions", false },
	};
	struct perfdata_event found[2] = { { .attr.sample_period = 1 }, { .attr.sample_period = 1 } };
	struct perfdata_reader reader = { .events = found, .nr_events = 2 };
	size_t i;

	(void)state;
	/* In any order. */
	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct rep_pairs pairs = { 0 };
		unsigned int entry = i % 2;

		found[entry].name = (char *)(uintptr_t)rows[i / 2].entry;
		found[!entry].name = (char *)(uintptr_t)rows[i / 2].ret;
		assert_int_equal(rep_pairs_find(&pairs, &reader), 0);
		assert_row(i, pairs.nr == rows[i / 2].pair);
		assert_row(i, !pairs.nr || pairs.rows[0].entry == entry);
		rep_pairs_free(&pairs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion),
		cmocka_unit_test(threads),
		cmocka_unit_test(lost),
		cmocka_unit_test(never),
		cmocka_unit_test(asked_for),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("rep_between", tests, NULL, NULL);
}
