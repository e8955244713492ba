// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Threads with names that are no words: each output has a row for each of them. */
#include "test.h"
#include "tool.h"

#include <jansson.h>

#include "fake_recording.h"

static const struct {
	const char *name;	/* bytes */
	const char *text;	/* in all outputs */
	const char *csv;
	const char *folded;
	const char *svg;
} odd[] = {
	{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f",
	  "gr\xc3\xbc\xc3\x9f" },
	{ "gr\xfc\xdf", "gr\\xfc\\xdf", "gr\\xfc\\xdf", "gr\\xfc\\xdf", "gr\\xfc\\xdf" },
	{ "\xe6\x97", "\\xe6\\x97", "\\xe6\\x97", "\\xe6\\x97", "\\xe6\\x97" },
	{ "\033[2J", "\\x1b[2J", "\\x1b[2J", "\\x1b[2J", "\\x1b[2J" },
	{ "a\nb", "a\\x0ab", "a\\x0ab", "a\\x0ab", "a\\x0ab" },
	{ "a,b", "a,b", "\"a,b\"", "a,b", "a,b" },
	{ "a\"b", "a\"b", "\"a\"\"b\"", "a\"b", "a&quot;b" },
	{ "a;b", "a;b", "a;b", "a:b", "a:b" },
	{ "<b>&", "<b>&", "<b>&", "<b>&", "&lt;b&gt;&amp;" },
	{ "a b\\", "a b\\", "a b\\", "a b\\", "a b\\" },
};

static char folder[] = "/tmp/pmcgrp-test-XXXXXX";

static int begin(void **state)
{
	uint64_t counts[2] = { 0 };
	struct fake f;
	char path[64];
	uint32_t i;

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("D", folder, 1);
	fake_begin_type(&f, fake_chains_events, ARRAY_SIZE(fake_chains_events), FAKE_CHAINS_TYPE);
	for (i = 0; i < ARRAY_SIZE(odd); i++)
		fake_comm(&f, 100 + i, odd[i].name);
	for (i = 0; i <= ARRAY_SIZE(odd); i++) {
		counts[0] += 100;
		fake_sample(&f, &(struct fake_sample){
			.id = 9, .time = 1000 * (i + 1), .tid = 100 + (i ? i - 1 : 0), .enabled = i,
			.running = i, .nr = 2, .ids = { 1, 2 }, .values = { counts[0], counts[0] } });
	}
	fake_end(&f);
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	fake_save(&f, path);
	fake_free(&f);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r $D").status;
}

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);
	const char *at;

	for (at = text; (at = strstr(at, line)); at++) {
		if ((at == text || at[-1] == '\n') && at[len] == '\n')
			return true;
	}
	return false;
}

static size_t lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void table(void **state)
{
	char line[100];
	struct result r;
	size_t i;

	(void)state;
	r = run("$T report $D/perf.data");
	assert_int_equal(r.status, 0);
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		snprintf(line, sizeof(line), "  %zu %s\n", 100 + i, odd[i].text);
		assert_row(i, strstr(r.out, line));
	}
	/* Columns stand below each other whatever is in them. */
	r = run("$T report --sort comm,tid $D/perf.data");
	assert_non_null(strstr(r.out, "gr\xc3\xbc\xc3\x9f            100"));
	assert_null(strchr(r.out, '\033'));
}

static void json(void **state)
{
	json_t *root, *rows;
	struct result r;
	size_t i, k;

	(void)state;
	r = run("$T report -j --sort comm $D/perf.data");
	assert_int_equal(r.status, 0);
	root = json_loads(r.out, 0, NULL);
	assert_non_null(root);
	rows = json_object_get(root, "threads");
	assert_int_equal(json_array_size(rows), ARRAY_SIZE(odd));
	assert_int_equal(json_array_size(json_object_get(root, "sums")), ARRAY_SIZE(odd));
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		json_t *row = json_array_get(rows, i);

		k = (size_t)json_integer_value(json_object_get(row, "tid")) - 100;
		assert_row(i, !strcmp(json_string_value(json_object_get(row, "comm")), odd[k].text));
	}
	json_decref(root);
}

static void csv(void **state)
{
	char line[100];
	struct result r;
	size_t i;

	(void)state;
	r = run("$T report --csv $D/perf.data | grep ^thread");
	assert_int_equal(lines(r.out), ARRAY_SIZE(odd));
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		snprintf(line, sizeof(line), "thread,%zu,%zu,%s,%d", 100 + i, 100 + i, odd[i].csv,
			 i ? 1 : 2);
		assert_row(i, has_line(r.out, line));
	}
}

static void stacks(void **state)
{
	char line[100];
	struct result r;
	json_t *root;
	size_t i;

	(void)state;
	r = run("$T report --folded $D/perf.data");
	assert_int_equal(lines(r.out), ARRAY_SIZE(odd));
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		snprintf(line, sizeof(line), "[no call chain];%s 100", odd[i].folded);
		assert_row(i, has_line(r.out, line));
	}
	assert_int_equal(run("$T report --flame $D/flame.svg $D/perf.data").status, 0);
	r = run("cat $D/flame.svg");
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		snprintf(line, sizeof(line), "<title>%s: 100, ", odd[i].svg);
		assert_row(i, strstr(r.out, line));
	}
	assert_int_equal(run("$T report --perfetto $D/trace.json $D/perf.data").status, 0);
	r = run("cat $D/trace.json");
	root = json_loads(r.out, 0, NULL);
	assert_non_null(root);
	json_decref(root);
	assert_non_null(strstr(r.out, "\"name\":\"gr\\\\xfc\\\\xdf\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(json),
		cmocka_unit_test(csv),
		cmocka_unit_test(stacks),
	};

	tool = getenv("TOOL");
	assert_non_null(tool);
	return cmocka_run_group_tests_name("rep_names", tests, begin, end);
}
