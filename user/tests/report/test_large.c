// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A large recording is summed up in little memory, and rightly. With arguments, PATH and a number of
 * MB, it only writes one: for measurements.
 */
#include "test.h"

#include <inttypes.h>
#include <math.h>
#include <sys/resource.h>

#include <jansson.h>

#include "large_recording.h"
#include "tool.h"

#define MB 1000000ULL

/* What the man page says, whatever the file's size. */
#define MEMORY_MAX (100 * MB)

/* Sanitizers need memory of their own: with them the sums alone are looked at. */
#ifdef __SANITIZE_ADDRESS__
#define SIZE (10 * MB)
#else
#define SIZE (200 * MB)
#endif

static char folder[] = "/tmp/pmcgrp-large-XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) && !setenv("D", folder, 1) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r $D").status;
}

static uint64_t record(uint64_t size, bool rounds)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/data", folder);
	return large_recording(path, size, rounds);
}

/* Of any child up to now: those before have taken less. */
static void check_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
	if (usage.ru_maxrss * 1024 > (long)MEMORY_MAX)
		fail_msg("%ld kB were resident", usage.ru_maxrss);
#endif
}

static void has(const struct result *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void has(const struct result *r, const char *format, ...)
{
	char line[200];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (!strstr(r->out, line))
		fail_msg("no '%s' in: %s%s", line, r->out, r->err);
}

/* CPU by CPU, as --sort cpu has it: all of the same cycles, so in the order in which they begin. */
static void check_sums(const struct result *r, uint64_t samples)
{
	uint64_t cycles = large_cycles(samples), intervals = samples - 1;
	uint64_t ns = intervals * LARGE_PERIOD;
	uint32_t cpu;

	has(r, "recording,%" PRIu64 ",1000000000,%" PRIu64 ",0,0,0,0\n", 8 * samples,
	    LARGE_START + ns + 7000);
	for (cpu = 0; cpu < LARGE_CPUS; cpu++) {
		has(r, "\nsum,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", cpu, samples, ns, ns,
		    cycles);
		has(r, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", 2 * cycles, 100 * intervals,
		    cpu * intervals);
	}
	has(r, "\nmember,cycles,%" PRIu64 ",", 8 * cycles);
	has(r, ",%" PRIu64 ",1000,", 8 * intervals);
	has(r, "\nmember,branches,%" PRIu64 ",", 800 * intervals);
	has(r, "100,100,100,100,100,100.00\n");
	/* 0 to 7, as many of each. */
	has(r, "0,3,7,7,7,100.00\n");
	has(r, "ratio,instructions/cycles,2.000000,,%" PRIu64 ",2.000000,2.000000,2.000000,2.000000",
	    8 * intervals);
}

/* Cycles go evenly from 1000 to 1999: half of them are below 1500. */
static void check_percentiles(void)
{
	static const struct {
		const char *key;
		double value;
	} rows[] = { { "p50", 1499 }, { "p90", 1899 }, { "p99", 1989 } };
	struct result r = run("$T report -j $D/data");
	json_t *object = json_loads(r.out, 0, NULL), *member;
	double error, value;
	size_t i;

	assert_non_null(object);
	member = json_array_get(json_object_get(object, "members"), 0);
	error = json_number_value(json_object_get(member, "percentile-error"));
	assert_true(error > 0.0 && error <= 0.005);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		value = json_number_value(json_object_get(member, rows[i].key));
		/* The recording may end within a thousand. */
		assert_row(i, fabs(value - rows[i].value) <= error * rows[i].value + 2);
	}
	json_decref(object);
}

static void in_rounds(void **state)
{
	uint64_t samples = record(SIZE, true);
	struct result r;

	(void)state;
	r = run("$T report --csv --sort cpu $D/data");
	assert_int_equal(r.status, 0);
	check_sums(&r, samples);
	check_memory();
	check_percentiles();
	check_memory();
}

/* The order is found in the times themselves: without FINISHED_ROUND it is the same. */
static void without_rounds(void **state)
{
	uint64_t samples = record(10 * MB, false);
	struct result r;

	(void)state;
	r = run("$T report --csv --sort cpu $D/data");
	assert_int_equal(r.status, 0);
	check_sums(&r, samples);
	check_memory();
}

/* Cut in the middle: what is whole of it is read. */
static void cut(void **state)
{
	uint64_t samples = record(10 * MB, true);
	struct result r;

	(void)state;
	r = run("truncate -s 7000003 $D/data;"
		"$T report --csv $D/data 2>$D/err | head -n 1 | cut -d, -f 2; cat $D/err;"
		"$T report -o /dev/null $D/data");
	assert_int_equal(r.status, 1);
	has(&r, "is cut short: what is whole of it was read");
	assert_true((uint64_t)atol(r.out) <= samples * LARGE_CPUS);
	assert_true((uint64_t)atol(r.out) > samples * LARGE_CPUS / 2);
	check_memory();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_rounds),
		cmocka_unit_test(without_rounds),
		cmocka_unit_test(cut),
	};

	if (argc == 3)
		return large_recording(argv[1], strtoull(argv[2], NULL, 10) * MB, true) ? 0 : 1;
	tool_init();
	return cmocka_run_group_tests_name("rep_large", tests, begin, end);
}
