// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What --by makes of counts by key that are written by hand. */
#include "test.h"

#include <stdlib.h>

#include <jansson.h>

#include "args/cli.h"
#include "section/section_report.h"

static struct pmcgrp_section_counts *counts_new(void)
{
	struct pmcgrp_section_counts *counts;

	counts = calloc(1, sizeof(*counts) + 16 * sizeof(counts->entry[0]));
	assert_non_null(counts);
	counts->by = 1 + PMCGRP_KEY_PROCESS;
	counts->nr_members = 1;
	return counts;
}

/* Its time is 10 for each, and @value of the member. */
static struct pmcgrp_section_key *add(struct pmcgrp_section_counts *counts, uint32_t kind,
				      uint64_t key, uint64_t count, uint64_t value)
{
	struct pmcgrp_section_key *entry = &counts->entry[counts->nr++];

	entry->kind = kind;
	entry->key[0] = key;
	entry->key[1] = key == PMCGRP_KEY_OTHER ? 0 : key;
	entry->count = count;
	entry->stat[0] = (struct pmcgrp_section_key_stat){ 10 * count, 10, 10 };
	entry->stat[1] = (struct pmcgrp_section_key_stat){ value, 1, value };
	return entry;
}

static struct pmcgrp_section_counts *some(void)
{
	struct pmcgrp_section_counts *counts = counts_new();

	add(counts, PMCGRP_SECTION_KEY_TOTAL, 0, 40, 1400)->cpu = 3;
	add(counts, PMCGRP_SECTION_KEY_TOTAL, 0, 0, 0)->cpu = 4;
	add(counts, PMCGRP_SECTION_KEY_TOTAL, 0, 60, 5100)->cpu = 5;
	add(counts, PMCGRP_SECTION_KEY_TASKS, 0, 9, 300);
	strcpy(add(counts, PMCGRP_SECTION_KEY_TASKS, 11, 20, 500)->comm, "cat");
	strcpy(add(counts, PMCGRP_SECTION_KEY_TASKS, 12, 10, 4000)->comm, "d\033d");
	add(counts, PMCGRP_SECTION_KEY_TASKS, PMCGRP_KEY_OTHER, 1, 200);
	add(counts, PMCGRP_SECTION_KEY_OVERFLOW, 0, 60, 1500);
	return counts;
}

static struct section_keys *keys_of(const char *by, int top)
{
	struct section_by options = { .top = top };
	struct section_keys *keys;

	assert_int_equal(section_take_by(&options, by), 1);
	keys = section_keys_new(&options, NULL, some());
	assert_non_null(keys);
	return keys;
}

/* The most of the member first, and the overflow last. */
static void rows(void **state)
{
	static const struct {
		const char *kind;
		const char *name;
		const char *comm;
	} expected[] = {
		{ "key", "12", "d\\x1bd" },
		{ "key", "11", "cat" },
		{ "idle", "(idle)", "" },
		{ "other", "(other tasks)", "" },
		{ "overflow", "(no slot)", "" },
	};
	struct section_keys *keys = keys_of("process", 0);
	unsigned int i;

	(void)state;
	assert_string_equal(keys->by, "process");
	assert_int_equal(keys->nr, ARRAY_SIZE(expected));
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_string_equal(keys->rows[i].kind, expected[i].kind);
		assert_string_equal(keys->rows[i].name, expected[i].name);
		assert_string_equal(keys->rows[i].comm, expected[i].comm);
		assert_int_equal(keys->rows[i].has_id, i < 2);
	}
	assert_int_equal(keys->left_out, 0);
	section_keys_free(keys);
	section_keys_free(NULL);
}

static void top(void **state)
{
	struct section_keys *keys = keys_of("thread", 2);

	(void)state;
	assert_int_equal(keys->nr, 2);
	assert_string_equal(keys->rows[1].name, "11");
	assert_int_equal(keys->left_out, 3);
	assert_int_equal(keys->left_count, 70);
	section_keys_free(keys);
}

/* CPUs that have counted, and cgroups and commands by their names. */
static void others(void **state)
{
	struct section_by by = { 0 };
	struct pmcgrp_section_counts *counts = counts_new();
	struct section_keys *keys = keys_of("cpu", 0);

	(void)state;
	assert_int_equal(keys->nr, 2);
	assert_string_equal(keys->rows[0].kind, "cpu");
	assert_string_equal(keys->rows[0].name, "5");
	assert_string_equal(keys->rows[1].name, "3");
	assert_int_equal(keys->rows[1].id, 3);
	section_keys_free(keys);
	keys = keys_of("cgroup", 0);
	assert_string_equal(keys->rows[0].name, "(removed, id 12)");
	section_keys_free(keys);
	memcpy(add(counts, PMCGRP_SECTION_KEY_TASKS, 1, 1, 1)->key, "sixteen-letters\1", 16);
	assert_int_equal(section_take_by(&by, "command"), 1);
	keys = section_keys_new(&by, NULL, counts);
	assert_non_null(keys);
	assert_string_equal(keys->rows[0].name, "sixteen-letters\\x01");
	assert_false(keys->rows[0].has_id);
	section_keys_free(keys);
}

/* ---- What is printed ---- */

static struct section_value values[2] = { { .name = "time" }, { .name = "cycles" } };

/* All of a row's sections are in one bucket, of each value another one. */
static void give_buckets(struct section_keys *keys, struct pmcgrp_section_key_buckets *buckets)
{
	unsigned int i;

	for (i = 0; i < keys->nr; i++) {
		buckets[i].bucket[0][4] = keys->rows[i].entry->count;
		buckets[i].bucket[1][9] = keys->rows[i].entry->count;
		keys->rows[i].buckets = &buckets[i];
	}
}

static char *printed(const struct section_options *options, int top)
{
	struct pmcgrp_section_key_buckets buckets[8] = { 0 };
	struct section section = {
		.id = 1, .group = 2, .name = "vfs_read", .count = 100,
		.kind = PMCGRP_SECTION_FUNCTION, .values = values, .nr = 2,
		.keys = keys_of("process", top),
	};
	const struct section_set set = { &section, 1 };
	const struct section_report report = {
		.set = &set, .options = options, .histogram = options->histogram,
	};
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	if (options->histogram)
		give_buckets(section.keys, buckets);
	if (options->json)
		assert_int_equal(section_json(file, &report), 0);
	else if (options->separator)
		section_csv(file, &report);
	else
		section_table(file, &report);
	fclose(file);
	section_keys_free(section.keys);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' lacks '%s'", text, part);
}

static void table(void **state)
{
	const struct section_options options = { 0 };
	char *text = printed(&options, 2);

	(void)state;
	has(text, "\n  process                       COUNT EVENT                           SUM          MIN"
		  "          MAX\n"
		  "  12 d\\x1bd                        10 time (ns)                       100           10"
		  "           10\n"
		  "                                      cycles                        4,000            1"
		  "        4,000\n"
		  "  11 cat                           20 time (ns)");
	has(text, "\n  and 3 more, which have counted 70\n\n");
	free(text);
}

/* Those of each key that is shown. */
static void table_histograms(void **state)
{
	const struct section_options options = { .histogram = true };
	char *text = printed(&options, 2);
	const char *first = strstr(text, "\n  process 12 d\\x1bd\n");

	(void)state;
	assert_non_null(first);
	has(first, "  process 12 d\\x1bd\n"
		   "  time (ns)                : count    distribution\n"
		   "           8 -> 15         : 10       |****************************************|\n"
		   "\n"
		   "  cycles                   : count    distribution\n"
		   "         256 -> 511        : 10       |****************************************|\n"
		   "\n"
		   "  process 11 cat\n");
	assert_null(strstr(text, "process (idle)\n"));
	free(text);
}

static void csv(void **state)
{
	const struct section_options options = { .separator = ";" };
	char *text = printed(&options, 0);

	(void)state;
	has(text, "vfs_read;2;process;key;12;d\\x1bd;10;100;ns;time;10;10\n"
		  "vfs_read;2;process;key;12;d\\x1bd;10;4000;;cycles;1;4000\n"
		  "vfs_read;2;process;key;11;cat;20;200;ns;time;10;10\n");
	has(text, "\nvfs_read;2;process;overflow;(no slot);;60;1500;;cycles;1;1500\n");
	free(text);
}

static void json(void **state)
{
	const struct section_options options = { .json = true };
	char *text = printed(&options, 4);
	json_t *object = json_loads(text, 0, NULL), *section, *key;

	(void)state;
	assert_non_null(object);
	section = json_array_get(json_object_get(object, "sections"), 0);
	assert_string_equal(json_string_value(json_object_get(section, "by")), "process");
	assert_int_equal(json_array_size(json_object_get(section, "keys")), 4);
	assert_int_equal(json_integer_value(json_object_get(section, "keys-left-out")), 1);
	key = json_array_get(json_object_get(section, "keys"), 0);
	assert_string_equal(json_string_value(json_object_get(key, "kind")), "key");
	assert_int_equal(json_integer_value(json_object_get(key, "id")), 12);
	assert_string_equal(json_string_value(json_object_get(key, "comm")), "d\\x1bd");
	assert_int_equal(json_integer_value(json_object_get(key, "count")), 10);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(key, "time"), "sum")), 100);
	key = json_array_get(json_object_get(key, "members"), 0);
	assert_string_equal(json_string_value(json_object_get(key, "event")), "cycles");
	assert_int_equal(json_integer_value(json_object_get(key, "max")), 4000);
	key = json_array_get(json_object_get(section, "keys"), 2);
	assert_true(json_is_null(json_object_get(key, "id")));
	assert_true(json_is_null(json_object_get(key, "comm")));
	json_decref(object);
	free(text);
}

/* With -H keys have buckets as values of the span do. */
static void json_histograms(void **state)
{
	struct section_options options = { .json = true };
	json_t *object, *key, *list;
	char *text;

	(void)state;
	for (;; options.histogram = true) {
		text = printed(&options, 4);
		object = json_loads(text, 0, NULL);
		free(text);
		assert_non_null(object);
		key = json_array_get(json_object_get(object, "sections"), 0);
		key = json_array_get(json_object_get(key, "keys"), 1);
		list = json_object_get(json_object_get(key, "time"), "buckets");
		if (options.histogram)
			break;
		assert_null(list);
		json_decref(object);
	}
	assert_int_equal(json_array_size(list), 1);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "from")), 8);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "to")), 15);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "count")), 20);
	key = json_array_get(json_object_get(key, "members"), 0);
	list = json_object_get(key, "buckets");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "from")), 256);
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(top),
		cmocka_unit_test(others),
		cmocka_unit_test(table),
		cmocka_unit_test(table_histograms),
		cmocka_unit_test(csv),
		cmocka_unit_test(json),
		cmocka_unit_test(json_histograms),
	};

	return cmocka_run_group_tests_name("section_test_keys", tests, NULL, NULL);
}
