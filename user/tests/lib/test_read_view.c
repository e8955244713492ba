// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The read_format view: every combination, and bytes that are not what they say. */
#include "test.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "pmcgrp.h"

#define COMBINATIONS 32
#define MEMBERS_MAX 64

#define ENABLED 0x1111111111111111ULL
#define RUNNING 0x2222222222222222ULL
#define VALUE(i) (0x3300000000000000ULL + (i))
#define ID(i) (0x4400000000000000ULL + (i))
#define LOST(i) (0x5500000000000000ULL + (i))

/* Writes what the manual page says, straight from its two layouts. Returns bytes. */
static size_t generate(uint64_t *out, uint64_t format, size_t nr)
{
	uint64_t *at = out;
	size_t i;

	if (!(format & PERF_FORMAT_GROUP)) {
		*at++ = VALUE(0);
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			*at++ = ENABLED;
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			*at++ = RUNNING;
		if (format & PERF_FORMAT_ID)
			*at++ = ID(0);
		if (format & PMCGRP_FORMAT_LOST)
			*at++ = LOST(0);
		return (size_t)(at - out) * 8;
	}
	*at++ = nr;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = ENABLED;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = RUNNING;
	for (i = 0; i < nr; i++) {
		*at++ = VALUE(i);
		if (format & PERF_FORMAT_ID)
			*at++ = ID(i);
		if (format & PMCGRP_FORMAT_LOST)
			*at++ = LOST(i);
	}
	return (size_t)(at - out) * 8;
}

static void check_times(const struct pmcgrp_view *view, uint64_t format)
{
	uint64_t ns = 77;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED) {
		assert_true(pmcgrp_view_time_enabled(view, &ns));
		assert_int_equal(ns, ENABLED);
	} else {
		assert_false(pmcgrp_view_time_enabled(view, &ns));
		assert_int_equal(ns, 77);
	}
	ns = 77;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING) {
		assert_true(pmcgrp_view_time_running(view, &ns));
		assert_int_equal(ns, RUNNING);
	} else {
		assert_false(pmcgrp_view_time_running(view, &ns));
		assert_int_equal(ns, 77);
	}
}

static void check_members(const struct pmcgrp_view *view, uint64_t format, size_t nr)
{
	bool id = format & PERF_FORMAT_ID, lost = format & PMCGRP_FORMAT_LOST;
	size_t i;

	assert_int_equal(pmcgrp_view_nr(view), nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(pmcgrp_view_value(view, i), VALUE(i));
		assert_int_equal(pmcgrp_view_id(view, i), id ? ID(i) : 0);
		assert_int_equal(pmcgrp_view_lost(view, i), lost ? LOST(i) : 0);
		assert_int_equal(pmcgrp_view_find_id(view, ID(i)), id ? (ssize_t)i : -ENOENT);
	}
	assert_int_equal(pmcgrp_view_value(view, nr), 0);
	assert_int_equal(pmcgrp_view_id(view, nr), 0);
	assert_int_equal(pmcgrp_view_lost(view, nr), 0);
	assert_int_equal(pmcgrp_view_value(view, SIZE_MAX), 0);
	assert_int_equal(pmcgrp_view_find_id(view, 1), -ENOENT);
}

static void check_combination(uint64_t format, size_t nr)
{
	uint64_t words[3 + 3 * MEMBERS_MAX];
	unsigned char shifted[sizeof(words) + 8];
	size_t members = format & PERF_FORMAT_GROUP ? nr : 1, len, shift;
	struct pmcgrp_view view;

	len = generate(words, format, nr);
	assert_int_equal(pmcgrp_read_size(format, nr), len);
	/* At every alignment: a byte of difference must not matter. */
	for (shift = 0; shift < 8; shift++) {
		memcpy(shifted + shift, words, len);
		assert_int_equal(pmcgrp_view_init(&view, shifted + shift, len, format), 0);
		assert_int_equal(pmcgrp_view_size(&view), len);
		check_times(&view, format);
		check_members(&view, format, members);
	}
}

static void all_combinations(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 3, MEMBERS_MAX };
	uint64_t format;
	size_t i;

	(void)state;
	for (format = 0; format < COMBINATIONS; format++)
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			check_combination(format, sizes[i]);
}

/* Each shorter length is refused and leaves a view that is safe to ask. */
static void short_buffers(void **state)
{
	uint64_t words[3 + 3 * 3], format, ns;
	struct pmcgrp_view view;
	size_t len, cut;

	(void)state;
	for (format = 0; format < COMBINATIONS; format++) {
		len = generate(words, format, 3);
		for (cut = 1; cut < len; cut++) {
			unsigned char *exact = malloc(cut);

			memcpy(exact, words, cut);
			assert_int_equal(pmcgrp_view_init(&view, exact, cut, format), -EBADMSG);
			assert_int_equal(pmcgrp_view_nr(&view), 0);
			assert_int_equal(pmcgrp_view_value(&view, 0), 0);
			assert_false(pmcgrp_view_time_enabled(&view, &ns));
			free(exact);
		}
	}
}

static void longer_buffers(void **state)
{
	uint64_t words[64] = { 0 }, format;
	struct pmcgrp_view view;
	size_t len;

	(void)state;
	for (format = 0; format < COMBINATIONS; format++) {
		len = generate(words, format, 3);
		assert_int_equal(pmcgrp_view_init(&view, words, sizeof(words), format), 0);
		assert_int_equal(pmcgrp_view_size(&view), len);
	}
}

static void end_of_file(void **state)
{
	struct pmcgrp_view view;
	uint64_t word = 0;

	(void)state;
	assert_int_equal(pmcgrp_view_init(&view, &word, 0, PERF_FORMAT_GROUP), -ENODATA);
	assert_int_equal(pmcgrp_view_nr(&view), 0);
}

static void bad_arguments(void **state)
{
	uint64_t words[4] = { 0 };
	struct pmcgrp_view view;
	int bit;

	(void)state;
	assert_int_equal(pmcgrp_view_init(NULL, words, sizeof(words), 0), -EINVAL);
	assert_int_equal(pmcgrp_view_init(&view, NULL, 8, 0), -EINVAL);
	for (bit = 5; bit < 64; bit++) {
		assert_int_equal(pmcgrp_view_init(&view, words, sizeof(words), 1ULL << bit),
				 -EINVAL);
		assert_int_equal(pmcgrp_read_size(1ULL << bit, 1), 0);
	}
}

/* A count of members so large that its size in bytes would overflow. */
static void absurd_numbers(void **state)
{
	static const uint64_t numbers[] = {
		2, 1ULL << 32, 1ULL << 60, 1ULL << 61, UINT64_MAX / 24 + 1, UINT64_MAX - 1,
		UINT64_MAX,
	};
	uint64_t words[6] = { 0 };
	struct pmcgrp_view view;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		words[0] = numbers[i];
		assert_int_equal(pmcgrp_view_init(&view, words, sizeof(words), COMBINATIONS - 1),
				 -EBADMSG);
	}
}

/* Records of CPUs in each layout: two of them, of two members. */
static void records(void **state)
{
	uint64_t words[64], format;
	struct pmcgrp_view view;
	size_t i, nr, each, len;

	(void)state;
	for (format = 0; format < COMBINATIONS; format++) {
		nr = format & PERF_FORMAT_GROUP ? 2 : 1;
		each = 1 + pmcgrp_read_size(format, 2) / 8;
		len = 2 * each * 8;
		for (i = 0; i < 2 * each; i++)
			words[i] = 100 + i;
		for (i = 0; i < 2; i++) {
			words[i * each] = 5 + 4000 * i;
			if (format & PERF_FORMAT_GROUP)
				words[i * each + 1] = 2;
		}
		for (i = 0; i < 2; i++) {
			assert_row(format, pmcgrp_view_cpu(&view, words, len, format, i) ==
					   (int)(5 + 4000 * i));
			assert_row(format, pmcgrp_view_nr(&view) == nr);
			assert_row(format, pmcgrp_view_size(&view) == (each - 1) * 8);
			if (!(format & PERF_FORMAT_GROUP))
				assert_row(format, pmcgrp_view_value(&view, 0) ==
						   words[i * each + 1]);
		}
		assert_row(format, pmcgrp_view_cpu(&view, words, len, format, 2) == -ENOENT);
		assert_row(format, !pmcgrp_view_nr(&view));
		/* One that is cut off is none. */
		assert_row(format, pmcgrp_view_cpu(&view, words, len - 1, format, 0) == 5);
		assert_row(format, pmcgrp_view_cpu(&view, words, len - 1, format, 1) == -EBADMSG);
		assert_row(format, pmcgrp_view_cpu(&view, words, each * 8 - 1, format, 0) ==
				   -EBADMSG);
		words[0] = PMCGRP_CPUS_MAX;
		assert_row(format, pmcgrp_view_cpu(&view, words, len, format, 0) == -EBADMSG);
	}
	assert_int_equal(pmcgrp_view_cpu(&view, words, 0, 0, 0), -ENOENT);
	assert_int_equal(pmcgrp_view_cpu(&view, words, 8, 0, 0), -EBADMSG);
	assert_int_equal(pmcgrp_view_cpu(&view, words, len, COMBINATIONS, 0), -EINVAL);
	assert_int_equal(pmcgrp_view_cpu(&view, NULL, len, 0, 0), -EINVAL);
	assert_int_equal(pmcgrp_view_cpu(NULL, words, len, 0, 0), -EINVAL);
}

static int event_open(uint64_t config, uint64_t format, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.read_format = format,
		.exclude_kernel = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* perf's own read(), in each combination that the running kernel knows. */
static void bytes_of_perf(void **state)
{
	uint64_t words[16], format, enabled, running;
	struct pmcgrp_view view;
	int leader, sibling;
	ssize_t len;

	(void)state;
	for (format = 0; format < COMBINATIONS; format++) {
		leader = event_open(PERF_COUNT_SW_TASK_CLOCK, format, -1);
		if (leader < 0 && (format & PMCGRP_FORMAT_LOST) && errno == EINVAL)
			continue;
		if (leader < 0)
			skip();
		sibling = event_open(PERF_COUNT_SW_PAGE_FAULTS, format, leader);
		assert_true(sibling >= 0);
		len = read(leader, words, sizeof(words));
		assert_int_equal(len, pmcgrp_read_size(format, 2));
		assert_int_equal(pmcgrp_view_init(&view, words, (size_t)len, format), 0);
		assert_int_equal(pmcgrp_view_nr(&view), format & PERF_FORMAT_GROUP ? 2 : 1);
		assert_true(pmcgrp_view_value(&view, 0) > 0);
		assert_int_equal(pmcgrp_view_lost(&view, 0), 0);
		if (format & PERF_FORMAT_ID)
			assert_true(pmcgrp_view_id(&view, 0) != 0);
		if (pmcgrp_view_time_enabled(&view, &enabled) &&
		    pmcgrp_view_time_running(&view, &running))
			assert_int_equal(enabled, running);
		close(sibling);
		close(leader);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_combinations),
		cmocka_unit_test(short_buffers),
		cmocka_unit_test(longer_buffers),
		cmocka_unit_test(end_of_file),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(absurd_numbers),
		cmocka_unit_test(records),
		cmocka_unit_test(bytes_of_perf),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
