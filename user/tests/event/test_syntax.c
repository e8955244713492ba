// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The grammar of event lists, good and bad. */
#include "test.h"

#include <stdarg.h>

#include "event/event_syntax.h"

/* Appends to a text that has room for it. */
static void __attribute__((format(printf, 2, 3))) say(char *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(out + strlen(out), 1024 - strlen(out), format, args);
	va_end(args);
}

static void flatten_node(const struct event_node *node, char *out)
{
	const struct event_terms *terms = &node->terms;
	size_t i;

	say(out, "%s", node->name);
	for (i = 0; i < terms->nr; i++) {
		say(out, "%s%s", i ? ";" : "(", terms->at[i].name);
		if (terms->at[i].text)
			say(out, "='%s'", terms->at[i].text);
		else if (terms->at[i].has_value)
			say(out, "=%#llx", (unsigned long long)terms->at[i].number);
	}
	say(out, "%s/%s/", terms->nr ? ")" : "", node->shown);
	for (i = 0; EVENT_LETTERS[i]; i++) {
		if (node->modifiers.bits & (1U << i))
			say(out, "%c", EVENT_LETTERS[i]);
	}
	for (i = 0; i < node->modifiers.precise; i++)
		say(out, "p");
	say(out, "@%zu", node->column);
}

/* A list as text: each group in braces, each event as name(terms)/shown/modifiers@column. */
static void flatten(const struct event_syntax *list, char *out)
{
	const struct event_node_group *group;
	size_t i, k;

	out[0] = '\0';
	for (i = 0; i < list->nr_groups; i++) {
		group = &list->groups[i];
		say(out, "%s%s", group->name ? group->name : "", group->braces ? "{" : "<");
		for (k = 0; k < group->nr; k++) {
			say(out, "%s", k ? " " : "");
			flatten_node(&list->nodes[group->first + k], out);
		}
		say(out, "%s", group->braces ? "}" : ">");
	}
}

static const struct {
	const char *string;
	const char *list;
} good[] = {
	{ "cycles", "<cycles/cycles/@0>" },
	{ "cycles,instructions", "<cycles/cycles/@0><instructions/instructions/@7>" },
	{ "cycles:u", "<cycles/cycles:u/u@0>" },
	{ "cycles:ku", "<cycles/cycles:ku/uk@0>" },
	{ "cycles:ukhD", "<cycles/cycles:ukhD/ukhD@0>" },
	{ "{cycles,instructions}", "{cycles/cycles/@1 instructions/instructions/@8}" },
	{ "{cycles,faults}:u", "{cycles/cycles:u/u@1 faults/faults:u/u@8}" },
	{ "{cycles:k,faults}:u", "{cycles/cycles:ku/uk@1 faults/faults:u/u@10}" },
	{ "{cycles:u,faults}:u", "{cycles/cycles:u/u@1 faults/faults:u/u@10}" },
	{ "{cycles,faults}:D", "{cycles/cycles:D/D@1 faults/faults/D@8}" },
	{ "{cycles:D,faults}:u", "{cycles/cycles:Du/uD@1 faults/faults:u/u@10}" },
	{ "{a},{b,c},d", "{a/a/@1}{b/b/@5 c/c/@7}<d/d/@10>" },
	{ " cycles , { a , b }:u , c ", "<cycles/cycles/@1>{a/a:u/u@12 b/b:u/u@16}<c/c/@24>" },
	{ "sched:sched_switch", "<sched:sched_switch/sched:sched_switch/@0>" },
	{ "sched:sched_switch:k", "<sched:sched_switch/sched:sched_switch:k/k@0>" },
	{ "arm_ac57::INST_RETIRED", "<arm_ac57::INST_RETIRED/arm_ac57::INST_RETIRED/@0>" },
	/* After a double colon stands an event, even if it looks like a modifier. */
	{ "pmu::u", "<pmu::u/pmu::u/@0>" },
	{ "pmu::EV:MASK=1:u", "<pmu::EV:MASK=1/pmu::EV:MASK=1:u/u@0>" },
	{ "r1a8:h", "<r1a8/r1a8:h/h@0>" },
	{ "cycles:p", "<cycles/cycles:p/p@0>" },
	{ "{a:p,b}:ppk", "{a/a:pkpp/kppp@1 b/b:kpp/kpp@5}" },
	{ "{a,b}:W", "{a/a/W@1 b/b/W@3}" },
	{ "cycles:GHISbRe", "<cycles/cycles:GHISbRe/GHISebR@0>" },
	{ "one{a,b},two_2{c}", "one{a/a/@4 b/b/@6}two_2{c/c/@15}" },
	{ "cpu/event=0x3c,umask=1/", "<cpu(event=0x3c;umask=0x1)/cpu/event=0x3c,umask=1//@0>" },
	{ "cpu/event=0x3c/u", "<cpu(event=0x3c)/cpu/event=0x3c/u/u@0>" },
	{ "cpu/event=0x3c/:u", "<cpu(event=0x3c)/cpu/event=0x3c/:u/u@0>" },
	{ "cpu//,b", "<cpu/cpu///@0><b/b/@6>" },
	{ "{cpu/x, y = 7/,b}:k", "{cpu(x;y=0x7)/cpu/x, y = 7/k/k@1 b/b:k/k@15}" },
	{ "cpu/name='a,b:c',x/", "<cpu(name='a,b:c';x)/cpu/name='a,b:c',x//@0>" },
	{ "u/l3-miss?,a.b=c_d/", "<u(l3-miss?;a.b='c_d')/u/l3-miss?,a.b=c_d//@0>" },
	{ "cycles/name=x/D", "<cycles(name='x')/cycles/name=x/D/D@0>" },
	{ "1:0x1p", "<1:0x1p/1:0x1p/@0>" },
	{ "sched:*:u", "<sched:*/sched:*:u/u@0>" },
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
	{ "a:u{b}", 3, "comma" },
	{ "{a b}c", 5, "comma" },
	{ "cycles:", 6, "are missing after this colon" },
	{ ":u", 0, "name is missing" },
	{ "{a}:", 3, "are missing after this colon" },
	{ "{a}:x", 4, "'x' is no modifier" },
	{ "{a}:ux", 5, "'x' is no modifier" },
	{ "a:uu", 3, "'u' is given twice" },
	{ "{a}:kk", 5, "'k' is given twice" },
	{ "{a,b:D}", 5, "the whole group" },
	{ "{a,b:uD}", 6, "the whole group" },
	{ "{a,b:e}", 5, "the whole group" },
	{ "a:W", 2, "after the closing brace" },
	{ "a:pppp", 5, "at most 3 times" },
	{ "{a:pp}:pp", 7, "more than 3 times" },
	{ "cpu/event=1", 3, "not closed" },
	{ "/event=1/", 0, "missing before this slash" },
	{ "cpu/event=/", 10, "value of term 'event' is missing" },
	{ "cpu/=1/", 4, "a term's name is missing" },
	{ "cpu/a,,b/", 6, "a term's name is missing" },
	{ "cpu/a,/", 6, "a term's name is missing" },
	{ "cpu/a b/", 6, "separated by commas" },
	{ "cpu/name='x/", 9, "quote is not closed" },
	{ "cpu/event=0x10000000000000000/", 10, "more than 64 bits" },
	{ "cpu/a/x", 6, "'x' is no modifier" },
	{ "cpu/a/:", 6, "missing after this colon" },
	{ "cpu/a/u b", 8, "comma is missing" },
	{ "{cpu/a/", 0, "not closed" },
};

static void good_lists(void **state)
{
	char text[1024];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct event_syntax list = { 0 };
		struct pmcgrp_events_error error;

		assert_row(i, event_syntax_parse(&list, good[i].string, &error) == 0);
		flatten(&list, text);
		assert_string_equal(text, good[i].list);
		event_syntax_free(&list);
		assert_row(i, !list.nr && !list.nr_groups);
	}
}

static void bad_lists(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pmcgrp_events_error error = { .column = 999 };
		struct event_syntax list = { 0 };

		assert_row(i, event_syntax_parse(&list, bad[i].string, &error) == -EINVAL);
		if (error.column != bad[i].column || !strstr(error.text, bad[i].says))
			fail_msg("'%s': %zu: %s", bad[i].string, error.column, error.text);
		assert_row(i, !list.nr && !list.nr_groups);
		event_syntax_free(&list);
	}
}

static void group_size(void **state)
{
	struct event_syntax list = { 0 };
	struct pmcgrp_events_error error;
	char string[256] = "{a";
	int i;

	(void)state;
	for (i = 1; i < 64; i++)
		strcat(string, ",a");
	strcat(string, "}");
	assert_int_equal(event_syntax_parse(&list, string, &error), 0);
	assert_int_equal(list.nr, 64);
	event_syntax_free(&list);
	strcpy(string + strlen(string) - 1, ",a}");
	assert_int_equal(event_syntax_parse(&list, string, &error), -EINVAL);
	assert_int_equal(error.column, 129);
	assert_non_null(strstr(error.text, "at most 64"));
	event_syntax_free(&list);
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
				struct event_syntax list = { 0 };
				struct pmcgrp_events_error error = { .column = 0 };

				snprintf(string, sizeof(string), "%s", good[i].string);
				string[at] = bytes[b];
				event_syntax_parse(&list, string, &error);
				assert_row(i, error.column <= strlen(string));
				event_syntax_free(&list);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_lists),
		cmocka_unit_test(bad_lists),
		cmocka_unit_test(group_size),
		cmocka_unit_test(mangled_lists),
	};

	return cmocka_run_group_tests_name("event_syntax", tests, NULL, NULL);
}
