// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What sections have counted between two looks at them. */
#include "test.h"

#include "fake_sections.h"
#include "section/section_set.h"

#define LAST UINT64_MAX

/* Values of sections of one member, and none of the time. */
struct counted {
	uint64_t value;
	uint64_t times;
};

/* Adds one section with these values to a set that is to be freed. */
static void add(struct section_set *set, uint64_t id, const struct counted *counted, size_t nr)
{
	struct section *section;
	size_t i;

	set->sections = reallocarray(set->sections, set->nr + 1, sizeof(*set->sections));
	assert_non_null(set->sections);
	section = &set->sections[set->nr++];
	*section = (struct section){ .id = id, .nr = 1, .name = "lock" };
	section->values = calloc(1, sizeof(*section->values));
	assert_non_null(section->values);
	section->values->name = strdup("time");
	section->values->min_exact = true;
	section->values->max_exact = true;
	for (i = 0; i < nr; i++) {
		fake_stat(&section->values->stat, counted[i].value, counted[i].times);
		section->count += counted[i].times;
	}
}

/*
 * Least and greatest value of an interval: new ones, those that a bucket tells as it has one value,
 * those that all time's leave no room for, and bounds.
 */
static void bounds(void **state)
{
	static const struct {
		struct counted before, then[2];
		uint64_t min, max;
		bool min_exact, max_exact;
	} rows[] = {
		/* nothing before: all is known */
		{ { 0, 0 }, { { 5, 2 }, { 700, 1 } }, 5, 700, true, true },
		/* a new least, a new greatest, both */
		{ { 100, 3 }, { { 70, 1 }, { 90, 1 } }, 70, 100, true, false },
		{ { 100, 3 }, { { 120, 1 }, { 110, 1 } }, 100, 120, false, true },
		{ { 100, 3 }, { { 5, 1 }, { 900, 1 } }, 5, 900, true, true },
		/* nothing new, in a bucket of its own and in that of all time's */
		{ { 100, 3 }, { { 100, 1 }, { 100, 1 } }, 100, 100, true, true },
		/* one value has a bucket for itself */
		{ { 0, 3 }, { { 0, 2 }, { 1, 1 } }, 0, 1, true, true },
		{ { 1, 3 }, { { 1, 2 }, { 1, 1 } }, 1, 1, true, true },
		/* the last bucket of all */
		{ { LAST, 1 }, { { 1ULL << 63, 1 }, { 0, 0 } }, 1ULL << 63, LAST, true, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct counted all[3] = { rows[i].before, rows[i].then[0], rows[i].then[1] };
		struct section_set before = { 0 }, set = { 0 };
		const struct section_value *value;
		uint64_t sum;

		add(&before, 1, all, 1);
		add(&set, 1, all, 3);
		section_set_subtract(&set, &before);
		value = set.sections[0].values;
		assert_row(i, set.sections[0].count == all[1].times + all[2].times);
		sum = all[1].times * all[1].value + all[2].times * all[2].value;
		assert_row(i, value->stat.sum == sum);
		assert_row(i, value->stat.min == rows[i].min);
		assert_row(i, value->stat.max == rows[i].max);
		assert_row(i, value->min_exact == rows[i].min_exact);
		assert_row(i, value->max_exact == rows[i].max_exact);
		section_set_free(&set);
		section_set_free(&before);
	}
}

/* Values between both of all time are bound by their buckets alone. */
static void inner_buckets(void **state)
{
	static const struct counted all[] = { { 2, 1 }, { 5000, 1 }, { 40, 1 }, { 300, 2 } };
	struct section_set before = { 0 }, set = { 0 };
	const struct section_value *value;

	(void)state;
	add(&before, 1, all, 2);
	add(&set, 1, all, 4);
	section_set_subtract(&set, &before);
	value = set.sections[0].values;
	assert_int_equal(value->stat.min, 32);
	assert_int_equal(value->stat.max, 511);
	assert_false(value->min_exact || value->max_exact);
	assert_int_equal(value->stat.bucket[6], 1);
	assert_int_equal(value->stat.bucket[9], 2);
	assert_int_equal(value->stat.bucket[2], 0);
	section_set_free(&set);
	section_set_free(&before);
}

/* One that has come is whole, one that has counted nothing is empty, one that has ended is gone. */
static void come_and_go(void **state)
{
	static const struct counted some[] = { { 8, 3 } };
	struct section_set before = { 0 }, set = { 0 }, copy;

	(void)state;
	add(&before, 1, some, 1);
	add(&before, 2, some, 1);
	add(&set, 2, some, 1);
	add(&set, 3, some, 1);
	set.sections[0].missed[PMCGRP_MISSED_MOVED] = 7;
	before.sections[1].missed[PMCGRP_MISSED_MOVED] = 5;
	assert_int_equal(section_set_copy(&copy, &set), 0);
	section_set_subtract(&copy, &before);
	assert_int_equal(copy.nr, 2);
	assert_int_equal(copy.sections[0].count, 0);
	assert_int_equal(copy.sections[0].values->stat.sum, 0);
	assert_int_equal(copy.sections[0].values->stat.max, 0);
	assert_int_equal(section_missed(&copy.sections[0]), 2);
	assert_int_equal(copy.sections[1].count, 3);
	assert_int_equal(copy.sections[1].values->stat.min, 8);
	/* The set that was copied has all that was counted. */
	assert_int_equal(set.sections[0].count, 3);
	assert_string_equal(set.sections[0].values->name, "time");
	assert_ptr_not_equal(set.sections[0].values->name, copy.sections[0].values->name);
	assert_null(section_set_find(&set, 1));
	section_set_free(&copy);
	section_set_free(&set);
	section_set_free(&before);
}

static void buckets(void **state)
{
	unsigned int i;

	(void)state;
	assert_int_equal(section_bucket_from(0), 0);
	assert_int_equal(section_bucket_to(0), 0);
	for (i = 1; i < PMCGRP_SECTION_BUCKETS; i++) {
		assert_int_equal(fake_bucket(section_bucket_from(i)), i);
		assert_int_equal(fake_bucket(section_bucket_to(i)), i);
		assert_true(section_bucket_from(i) == section_bucket_to(i - 1) + 1);
	}
	assert_true(section_bucket_to(PMCGRP_SECTION_BUCKETS - 1) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(inner_buckets),
		cmocka_unit_test(come_and_go),
		cmocka_unit_test(buckets),
	};

	return cmocka_run_group_tests_name("section_between", tests, NULL, NULL);
}
