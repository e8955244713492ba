// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What section prints of sections that are written by hand, against texts that are, too. */
#include "test.h"

#include <jansson.h>

#include "fake_sections.h"
#include "section/section_report.h"

#define LONG_NAME "a_module:a_tracepoint_that_is_longer_than_the_numbers_of_a_row"

static const struct section_options plain;
static const struct section_options csv = { .separator = ";" };
static const struct section_options json = { .json = true };

/* ---- Sections ---- */

static struct section *add(struct section_set *set, unsigned int nr_values)
{
	struct section *section;

	set->sections = reallocarray(set->sections, set->nr + 1, sizeof(*set->sections));
	assert_non_null(set->sections);
	section = &set->sections[set->nr++];
	*section = (struct section){ .id = set->nr, .group = FAKE_GROUP, .nr = nr_values };
	section->values = calloc(nr_values, sizeof(*section->values));
	assert_non_null(section->values);
	return section;
}

static void name(struct section_value *value, const char *text)
{
	value->name = strdup(text);
	assert_non_null(value->name);
	value->min_exact = true;
	value->max_exact = true;
}

/* The module's first section, at that look. */
static void add_lock(struct section_set *set, unsigned int look)
{
	struct pmcgrp_section_stat stat[3] = { 0 };
	struct pmcgrp_section_info info = { 0 };
	struct section *section = add(set, 3);
	unsigned int i;

	fake_lock(&info, stat, look);
	strcpy(section->name, info.name);
	strcpy(section->owner, "sample");
	section->count = info.count;
	memcpy(section->missed, info.missed, sizeof(section->missed));
	for (i = 0; i < 3; i++)
		section->values[i].stat = stat[i];
	name(&section->values[0], "time");
	name(&section->values[1], "cycles");
	name(&section->values[2], "instructions");
}

static void add_idle(struct section_set *set)
{
	struct section *section = add(set, 2);

	strcpy(section->name, "idle");
	name(&section->values[0], "time");
	name(&section->values[1], "cycles");
}

/* The largest numbers that there can be: no digit is lost, no column runs into the next. */
static void add_huge(struct section_set *set)
{
	struct section *section = add(set, 2);
	unsigned int i;

	strcpy(section->name, "huge");
	section->count = UINT64_MAX;
	section->missed[PMCGRP_MISSED_BUSY] = UINT64_MAX;
	for (i = 0; i < 2; i++) {
		section->values[i].stat = (struct pmcgrp_section_stat){
			.type = UINT32_MAX,
			.config = UINT64_MAX,
			.config1 = 1,
			.sum = UINT64_MAX,
			.max = UINT64_MAX,
			.bucket[0] = UINT64_MAX / 2,
			.bucket[64] = UINT64_MAX,
		};
		name(&section->values[i], i ? LONG_NAME : "time");
	}
}

/* To be freed. */
static char *printed(const struct section_set *set, const struct section_options *options,
		     bool histogram, double timestamp)
{
	struct section_report report = { .set = set, .options = options, .histogram = histogram,
					 .interval = timestamp > 0, .timestamp = timestamp };
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	if (options->json)
		assert_int_equal(section_json(file, &report), 0);
	else if (options->separator)
		section_csv(file, &report);
	else
		section_table(file, &report);
	fclose(file);
	return text;
}

static void prints(const struct section_set *set, const struct section_options *options,
		   bool histogram, double timestamp, const char *expected)
{
	char *text = printed(set, options, histogram, timestamp);

	assert_string_equal(text, expected);
	free(text);
}

/* ---- For people ---- */

#define LOCK_TABLE							\
	"section sample_lock, group 1099511627776 of sample: 10 counted, 3 missed\n"	\
	"  missed 1: the group did not have its counters all the time; \"pmcgrp info\" shows its "		\
	"state\n"	\
	"  missed 2: it ran outside of the group, or ended in another task or on another CPU; or "	\
	"a module's section slept or was preempted\n"			\
	"  EVENT                             SUM           MEAN          MIN          MAX\n"	\
	"  time (ns)                       9,000          900.0          900          900\n"	\
	"  cycles                          1,500          150.0           50          300\n"	\
	"  instructions                      400           40.0           40           40\n"	\
	"\n"

#define LOCK_PICTURES							\
	"  time (ns)                : count    distribution\n"		\
	"         512 -> 1023       : 10       |****************************************|\n"	\
	"\n"								\
	"  cycles                   : count    distribution\n"		\
	"          32 -> 63         : 6        |****************************************|\n"	\
	"          64 -> 127        : 0        |                                        |\n"	\
	"         128 -> 255        : 0        |                                        |\n"	\
	"         256 -> 511        : 4        |**************************              |\n"	\
	"\n"								\
	"  instructions             : count    distribution\n"		\
	"          32 -> 63         : 10       |****************************************|\n"	\
	"\n"

#define IDLE_TABLE							\
	"section idle, group 1099511627776: 0 counted, 0 missed\n"	\
	"  EVENT                             SUM           MEAN          MIN          MAX\n"	\
	"  time (ns)                           0              -            -            -\n"	\
	"  cycles                              0              -            -            -\n"	\
	"\n"

static void table(void **state)
{
	struct section_set set = { 0 };

	(void)state;
	prints(&set, &plain, false, 0, "");
	prints(&set, &plain, false, 0.25, "0.250 s: no section\n\n");
	add_lock(&set, 0);
	add_idle(&set);
	prints(&set, &plain, false, 0, LOCK_TABLE IDLE_TABLE);
	prints(&set, &plain, false, 1.5, "1.500 s\n\n" LOCK_TABLE IDLE_TABLE);
	/* Of nothing there is no picture. */
	prints(&set, &plain, true, 0, LOCK_TABLE LOCK_PICTURES IDLE_TABLE);
	section_set_free(&set);
}

/* A span has a kind, and what is in flight. */
static void spans(void **state)
{
	struct section_set set = { 0 };
	char *text;

	(void)state;
	add_idle(&set);
	set.sections[0].kind = PMCGRP_SECTION_FUNCTION;
	set.sections[0].missed[PMCGRP_MISSED_LIMIT] = 3;
	prints(&set, &plain, false, 0,
	       "span idle, group 1099511627776: 0 counted, 3 missed\n"
	       "  missed at least 3: more were in flight than there is room for\n"
	       "  EVENT                             SUM           MEAN          MIN          MAX\n"
	       "  time (ns)                           0              -            -            -\n"
	       "  cycles                              0              -            -            -\n"
	       "\n");
	set.sections[0].in_flight = 1234;
	text = printed(&set, &plain, false, 0);
	assert_non_null(strstr(text, ": 0 counted, 3 missed, 1,234 in flight\n"));
	free(text);
	prints(&set, &csv, false, 0,
	       "idle;1099511627776;0;ns;time;0;0;0;0;3;;;;1234;0;0\n"
	       "idle;1099511627776;0;;cycles;0;0;0;0;3;;;;1234;0;0\n");
	text = printed(&set, &json, false, 0);
	assert_non_null(strstr(text, "\"kind\": \"function\""));
	assert_non_null(strstr(text, "\"in-flight\": 1234"));
	free(text);
	section_set_free(&set);
}

static void huge(void **state)
{
	struct section_set set = { 0 };

	(void)state;
	add_huge(&set);
	prints(&set, &plain, false, 0,
	       "section huge, group 1099511627776: 18,446,744,073,709,551,615 counted, "
	       "18,446,744,073,709,551,615 missed\n"
	       "  missed 18,446,744,073,709,551,615: the beginning or the end interrupted a change "
	       "of the counters, or another probe\n"
	       "  EVENT                             SUM           MEAN          MIN          MAX\n"
	       "  time (ns)          18,446,744,073,709,551,615            1.0            0 "
	       "18,446,744,073,709,551,615\n"
	       "  " LONG_NAME " 18,446,744,073,709,551,615            1.0            0 "
	       "18,446,744,073,709,551,615\n"
	       "\n");
	section_set_free(&set);
}

/* Where a row has its colon and the ends of its bar. */
static void columns(const char *row, size_t at[3])
{
	size_t len = strcspn(row, "\n");
	const char *bar = memchr(row, '|', len);

	assert_non_null(bar);
	at[0] = strcspn(row, ":");
	at[1] = (size_t)(bar - row);
	at[2] = len;
}

/* A row for each bucket between the first and the last, all columns below each other. */
static void pictures(void **state)
{
	struct section_set set = { 0 };
	size_t first[3], next[3];
	char *text, *at;
	unsigned int i;

	(void)state;
	add_huge(&set);
	text = printed(&set, &plain, true, 0);
	at = strstr(text, "\n\n  " LONG_NAME " : count                distribution\n");
	assert_non_null(at);
	at = strchr(at + 2, '\n') + 1;
	columns(at, first);
	assert_int_equal(first[2] - first[1], 42);
	assert_int_equal(first[0], strlen("  " LONG_NAME " "));
	assert_non_null(strstr(at, "                   0 -> 0 "));
	assert_non_null(strstr(at, "                   1 -> 1 "));
	assert_non_null(strstr(at, "                   2 -> 3 "));
	assert_non_null(strstr(at, " 9223372036854775808 -> 18446744073709551615 "));
	for (i = 0; *at != '\n'; i++) {
		columns(at, next);
		assert_memory_equal(first, next, sizeof(first));
		at = strchr(at, '\n') + 1;
	}
	assert_int_equal(i, PMCGRP_SECTION_BUCKETS);
	free(text);
	section_set_free(&set);
}

/* ---- For programs ---- */

static void csv_fields(void **state)
{
	struct section_set set = { 0 };

	(void)state;
	prints(&set, &csv, false, 0, "");
	add_lock(&set, 0);
	add_idle(&set);
	prints(&set, &csv, false, 0,
	       "sample_lock;1099511627776;9000;ns;time;10;0;1;2;0;900.00;900;900;0;0;0\n"
	       "sample_lock;1099511627776;1500;;cycles;10;0;1;2;0;150.00;50;300;0;0;0\n"
	       "sample_lock;1099511627776;400;;instructions;10;0;1;2;0;40.00;40;40;0;0;0\n"
	       "idle;1099511627776;0;ns;time;0;0;0;0;0;;;;0;0;0\n"
	       "idle;1099511627776;0;;cycles;0;0;0;0;0;;;;0;0;0\n");
	section_set_free(&set);
	add_lock(&set, 0);
	/* A bound is no value. */
	set.sections[0].nr = 2;
	free(set.sections[0].values[2].name);
	set.sections[0].values[0].min_exact = false;
	set.sections[0].values[1].max_exact = false;
	prints(&set, &csv, false, 1.25,
	       "     1.250000000;sample_lock;1099511627776;9000;ns;time;10;0;1;2;0;900.00;;900;0;0;0\n"
	       "     1.250000000;sample_lock;1099511627776;1500;;cycles;10;0;1;2;0;150.00;50;;0;0;0\n");
	section_set_free(&set);
	add_huge(&set);
	prints(&set, &csv, false, 0,
	       "huge;1099511627776;18446744073709551615;ns;time;18446744073709551615;"
	       "18446744073709551615;0;0;0;1.00;0;18446744073709551615;0;0;0\n"
	       "huge;1099511627776;18446744073709551615;;" LONG_NAME ";18446744073709551615;"
	       "18446744073709551615;0;0;0;1.00;0;18446744073709551615;0;0;0\n");
	section_set_free(&set);
}

#define LOCK_JSON							\
	"{\"id\": 1, \"name\": \"sample_lock\", \"kind\": \"module\", \"gone\": false, \"group\": 1099511627776,"	\
	" \"owner\": \"sample\", \"count\": 10,"			\
	" \"missed\": {\"busy\": 0, \"off\": 1, \"moved\": 2, \"limit\": 0, \"again\": 0, \"gone\": 0},"	\
	" \"in-flight\": 0,"						\
	" \"time\": {\"unit\": \"ns\", \"sum\": 9000, \"mean\": 900.0, \"min\": 900,"	\
	" \"min-exact\": true, \"max\": 900, \"max-exact\": true,"	\
	" \"buckets\": [{\"from\": 512, \"to\": 1023, \"count\": 10}]},"	\
	" \"members\": [{\"event\": \"cycles\", \"type\": 0, \"config\": \"0x0\","	\
	" \"config1\": \"0x0\", \"config2\": \"0x0\", \"config3\": \"0x0\", \"sum\": 1500, \"mean\": 150.0, \"min\": 50,"	\
	" \"min-exact\": false, \"max\": 300, \"max-exact\": true,"	\
	" \"buckets\": [{\"from\": 32, \"to\": 63, \"count\": 6},"	\
	" {\"from\": 256, \"to\": 511, \"count\": 4}]},"		\
	" {\"event\": \"instructions\", \"type\": 0, \"config\": \"0x1\","	\
	" \"config1\": \"0x0\", \"config2\": \"0x0\", \"config3\": \"0x0\", \"sum\": 400, \"mean\": 40.0, \"min\": 40,"	\
	" \"min-exact\": true, \"max\": 40, \"max-exact\": false,"	\
	" \"buckets\": [{\"from\": 32, \"to\": 63, \"count\": 10}]}]}"

#define IDLE_JSON							\
	"{\"id\": 2, \"name\": \"idle\", \"kind\": \"module\", \"gone\": false, \"group\": 1099511627776,"	\
	" \"owner\": null,"						\
	" \"count\": 0, \"missed\": {\"busy\": 0, \"off\": 0, \"moved\": 0, \"limit\": 0, \"again\": 0, \"gone\": 0},"	\
	" \"in-flight\": 0,"						\
	" \"time\": {\"unit\": \"ns\", \"sum\": 0, \"mean\": null, \"min\": null,"	\
	" \"min-exact\": true, \"max\": null, \"max-exact\": true, \"buckets\": []},"	\
	" \"members\": [{\"event\": \"cycles\", \"type\": 0, \"config\": \"0x0\","	\
	" \"config1\": \"0x0\", \"config2\": \"0x0\", \"config3\": \"0x0\", \"sum\": 0, \"mean\": null, \"min\": null,"	\
	" \"min-exact\": true, \"max\": null, \"max-exact\": true, \"buckets\": []}]}"

static void same(const char *text, const char *expected)
{
	json_t *is = json_loads(text, 0, NULL), *wanted = json_loads(expected, 0, NULL);

	assert_non_null(is);
	assert_non_null(wanted);
	if (!json_equal(is, wanted))
		fail_msg("%s is not %s", text, expected);
	json_decref(is);
	json_decref(wanted);
}

static void json_keys(void **state)
{
	struct section_set set = { 0 };
	json_t *all, *one;
	char *text;

	(void)state;
	text = printed(&set, &json, false, 0);
	same(text, "{\"sections\": []}");
	free(text);
	add_lock(&set, 0);
	add_idle(&set);
	set.sections[0].values[1].min_exact = false;
	set.sections[0].values[2].max_exact = false;
	text = printed(&set, &json, false, 0);
	same(text, "{\"sections\": [" LOCK_JSON ", " IDLE_JSON "]}");
	free(text);
	/* An interval is one line. */
	text = printed(&set, &json, false, 0.5);
	same(text, "{\"interval\": 0.5, \"sections\": [" LOCK_JSON ", " IDLE_JSON "]}");
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	section_set_free(&set);
	/* No integer of JSON's readers is so large: the first digits of it. */
	add_huge(&set);
	text = printed(&set, &json, false, 0);
	all = json_loads(text, 0, NULL);
	one = json_array_get(json_object_get(all, "sections"), 0);
	assert_true(json_real_value(json_object_get(one, "count")) > 1.8446744073e19);
	one = json_array_get(json_object_get(one, "members"), 0);
	assert_string_equal(json_string_value(json_object_get(one, "config")),
			    "0xffffffffffffffff");
	json_decref(all);
	free(text);
	section_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(huge),
		cmocka_unit_test(spans),
		cmocka_unit_test(pictures),
		cmocka_unit_test(csv_fields),
		cmocka_unit_test(json_keys),
	};

	return cmocka_run_group_tests_name("section_print", tests, NULL, NULL);
}
