// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The grammar of -e, good and bad. */
#include "test.h"

#include "event/event_list.h"

/* A list as text: each group in braces, each event as name/shown/modifiers@column. */
static void flatten(const struct event_list *list, char *out, size_t size)
{
	static const char letters[] = "ukhD";
	size_t i, used = 0;
	int bit;

	out[0] = '\0';
	for (i = 0; i < list->nr; i++) {
		const struct event_item *item = &list->items[i];
		bool first = !i || item[-1].group != item->group;
		bool last = i + 1 == list->nr || item[1].group != item->group;
		char modifiers[5] = "";

		for (bit = 0; bit < 4; bit++) {
			if (item->modifiers & (1U << bit))
				strncat(modifiers, &letters[bit], 1);
		}
		used += (size_t)snprintf(out + used, size - used, "%s%s/%s/%s@%zu%s",
					 first ? "{" : " ", item->name, item->shown, modifiers,
					 item->column, last ? "}" : "");
	}
}

static const struct {
	const char *string;
	const char *list;
} good[] = {
	{ "cycles", "{cycles/cycles/@0}" },
	{ "cycles,instructions", "{cycles/cycles/@0}{instructions/instructions/@7}" },
	{ "cycles:u", "{cycles/cycles:u/u@0}" },
	{ "cycles:ku", "{cycles/cycles:ku/uk@0}" },
	{ "cycles:ukhD", "{cycles/cycles:ukhD/ukhD@0}" },
	{ "{cycles,instructions}", "{cycles/cycles/@1 instructions/instructions/@8}" },
	{ "{cycles,faults}:u", "{cycles/cycles:u/u@1 faults/faults:u/u@8}" },
	{ "{cycles:k,faults}:u", "{cycles/cycles:ku/uk@1 faults/faults:u/u@10}" },
	{ "{cycles:u,faults}:u", "{cycles/cycles:u/u@1 faults/faults:u/u@10}" },
	{ "{cycles,faults}:D", "{cycles/cycles:D/D@1 faults/faults/@8}" },
	{ "{cycles:D,faults}:u", "{cycles/cycles:Du/uD@1 faults/faults:u/u@10}" },
	{ "{a},{b,c},d", "{a/a/@1}{b/b/@5 c/c/@7}{d/d/@10}" },
	{ " cycles , { a , b }:u , c ", "{cycles/cycles/@1}{a/a:u/u@12 b/b:u/u@16}{c/c/@24}" },
	{ "sched:sched_switch", "{sched:sched_switch/sched:sched_switch/@0}" },
	{ "sched:sched_switch:k", "{sched:sched_switch/sched:sched_switch:k/k@0}" },
	{ "arm_ac57::INST_RETIRED", "{arm_ac57::INST_RETIRED/arm_ac57::INST_RETIRED/@0}" },
	/* After a double colon stands an event, even if it looks like a modifier. */
	{ "pmu::u", "{pmu::u/pmu::u/@0}" },
	{ "pmu::EV:MASK=1:u", "{pmu::EV:MASK=1/pmu::EV:MASK=1:u/u@0}" },
	{ "r1a8:h", "{r1a8/r1a8:h/h@0}" },
	{ "cycles:p", "{cycles:p/cycles:p/@0}" },	/* for the lookup of names to refuse */
};

static const struct {
	const char *string;
	size_t column;
	const char *says;
} bad[] = {
	{ "", 0, "name is missing" },
	{ "  ", 2, "name is missing" },
	{ ",", 0, "name is missing" },
	{ "a,,b", 2, "name is missing" },
	{ "a,", 2, "name is missing" },
	{ "{}", 1, "name is missing" },
	{ "{a,}", 3, "name is missing" },
	{ "{a,b", 0, "not closed" },
	{ "a,{", 2, "not closed" },
	{ "{a, ", 0, "not closed" },
	{ "a}", 1, "no group to close" },
	{ "{a}}", 3, "no group to close" },
	{ "{a,{b}}", 3, "within a group" },
	{ "{a}b", 3, "comma is missing" },
	{ "a{b}", 1, "comma" },
	{ "cycles:", 6, "modifiers (u, k, h, D) are missing" },
	{ ":u", 0, "name is missing" },
	{ "{a}:", 3, "modifiers (u, k, h, D) are missing" },
	{ "{a}:x", 4, "not 'x'" },
	{ "{a}:ux", 5, "not 'x'" },
	{ "a:uu", 3, "'u' is given twice" },
	{ "{a}:kk", 5, "'k' is given twice" },
	{ "{a,b:D}", 5, "pins the whole group" },
	{ "{a,b:uD}", 6, "pins the whole group" },
	{ "cpu/event=1/", 3, "pmu/terms/" },
	{ "a,cpu/event=1,umask=2/", 5, "pmu/terms/" },
};

static void good_lists(void **state)
{
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct event_list list = { 0 };
		struct event_error error;

		assert_row(i, event_list_parse(&list, good[i].string, &error) == 0);
		flatten(&list, text, sizeof(text));
		assert_string_equal(text, good[i].list);
		event_list_free(&list);
		assert_row(i, !list.nr && !list.nr_groups);
	}
}

static void bad_lists(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct event_error error = { .column = 999 };
		struct event_list list = { 0 };

		assert_row(i, event_list_parse(&list, bad[i].string, &error) == -EINVAL);
		if (error.column != bad[i].column || !strstr(error.text, bad[i].says))
			fail_msg("'%s': %zu: %s", bad[i].string, error.column, error.text);
		assert_row(i, !list.nr && !list.nr_groups);
		event_list_free(&list);
	}
}

/* What was there before a failure is there after it. */
static void appending(void **state)
{
	struct event_list list = { 0 };
	struct event_error error;
	char text[512];

	(void)state;
	assert_int_equal(event_list_parse(&list, "{a,b}", &error), 0);
	assert_int_equal(event_list_parse(&list, "{c,d},e,,", &error), -EINVAL);
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.nr_groups, 1);
	assert_int_equal(event_list_parse(&list, "{c,d}", &error), 0);
	flatten(&list, text, sizeof(text));
	assert_string_equal(text, "{a/a/@1 b/b/@3}{c/c/@1 d/d/@3}");
	event_list_free(&list);
}

static void group_size(void **state)
{
	struct event_list list = { 0 };
	struct event_error error;
	char string[256] = "{a";
	int i;

	(void)state;
	for (i = 1; i < 64; i++)
		strcat(string, ",a");
	strcat(string, "}");
	assert_int_equal(event_list_parse(&list, string, &error), 0);
	assert_int_equal(list.nr, 64);
	event_list_free(&list);
	strcpy(string + strlen(string) - 1, ",a}");
	assert_int_equal(event_list_parse(&list, string, &error), -EINVAL);
	assert_int_equal(error.column, 129);
	assert_non_null(strstr(error.text, "at most 64"));
	event_list_free(&list);
}

/* Every prefix of the tables, and every table row with a byte replaced: no crash. */
static void mangled_lists(void **state)
{
	static const char bytes[] = "{},:/ uD\t\x01\xff";
	char string[64];
	size_t i, at, b;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		for (at = 0; good[i].string[at]; at++) {
			for (b = 0; b < sizeof(bytes); b++) {
				struct event_list list = { 0 };
				struct event_error error = { .column = 0 };

				snprintf(string, sizeof(string), "%s", good[i].string);
				string[at] = bytes[b];
				event_list_parse(&list, string, &error);
				assert_row(i, error.column <= strlen(string));
				event_list_free(&list);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_lists),
		cmocka_unit_test(bad_lists),
		cmocka_unit_test(appending),
		cmocka_unit_test(group_size),
		cmocka_unit_test(mangled_lists),
	};

	return cmocka_run_group_tests_name("event_list", tests, NULL, NULL);
}
