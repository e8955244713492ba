// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The tree of call chains: sums, order, markers, and what does not fit. */
#include "test.h"

#include <inttypes.h>
#include <unistd.h>

#include <jansson.h>

#include "fake_recording.h"
#include "report/data/rep_data.h"
#include "report/out/page_chains.h"

struct fixture {
	struct fake file;
	struct perfdata_reader reader;
	struct rep_data data;
};

static void begin(struct fixture *x, const struct rep_filter *filter)
{
	fake_chains(&x->file);
	assert_int_equal(perfdata_read_bytes(&x->reader, x->file.bytes, x->file.size), 0);
	assert_null(rep_chains_missing(&x->reader));
	assert_int_equal(rep_data_take(&x->data, &x->reader, filter), 0);
}

static void end(struct fixture *x)
{
	rep_data_free(&x->data);
	perfdata_read_close(&x->reader);
	fake_free(&x->file);
}

/* All names from the thread's on, with their own counts of cycles. */
static char *text_of(const struct rep_chains *chains, uint32_t event)
{
	size_t path[300], size, i;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);
	uint32_t d;

	assert_non_null(file);
	for (i = 0; i < chains->nr; i++) {
		const struct rep_chain_node *node = &chains->nodes[i];
		uint64_t count = rep_chain_self(chains, i, event);

		assert_true(node->depth < ARRAY_SIZE(path));
		path[node->depth] = i;
		assert_true(node->depth ? node->parent == path[node->depth - 1] : !node->parent);
		for (d = 1; count && d <= node->depth; d++)
			fprintf(file, "%s%s%s", d > 1 ? ";" : "", rep_chain_name(chains, path[d]),
				chains->nodes[path[d]].kind == REP_CHAIN_KERNEL ? "_[k]" : "");
		if (count)
			fprintf(file, " %" PRIu64 "\n", count);
	}
	fclose(file);
	return text;
}

static void expect_text(const struct rep_chains *chains, uint32_t event, const char *expected)
{
	char *text = text_of(chains, event);

	assert_string_equal(text, expected);
	free(text);
}

/* Siblings are in the order of their names; a semicolon in a name is none between two. */
static void tree(void **state)
{
	const struct rep_filter filter = { .chains = true };
	struct fixture x;

	(void)state;
	begin(&x, &filter);
	expect_text(&x.data.chains, 1, "[no call chain];sort 100000\n"
				       "sort;[main];[parse] 800000\n"
				       "sort;[main];[parse];[parse];[read] 200000\n"
				       "sort;[main];[read];[kernel.kallsyms]_[k] 1200000\n"
				       "sort;[main];[tiny] 1\n"
				       "wc:x;[main] 200000\n");
	expect_text(&x.data.chains, 2, "[no call chain];sort 50000\n"
				       "sort;[main];[parse] 1600000\n"
				       "sort;[main];[parse];[parse];[read] 200000\n"
				       "sort;[main];[read];[kernel.kallsyms]_[k] 600000\n"
				       "wc:x;[main] 300000\n");
	expect_text(&x.data.chains, 3, "wc:x;[main] 2000\n");
	/* A record of a switch is no sample; the first one of the ring is one. */
	expect_text(&x.data.chains, REP_CHAIN_SAMPLES,
		    "sort;[main];[parse] 8001\n"
		    "sort;[main];[parse];[parse];[read] 2000\n"
		    "sort;[main];[read];[kernel.kallsyms]_[k] 6000\n"
		    "sort;[main];[tiny] 1\n"
		    "wc:x;[main] 2000\n");
	end(&x);
}

/* Whatever is looked at: over the tree each member has the total of the summary. */
static void totals(void **state)
{
	const struct rep_filter rows[] = {
		{ .chains = true },
		{ .chains = true, .no_intervals = true },
		{ .chains = true, .tid = 43 },
		{ .chains = true, .has_start = true, .start = 5000000, .start_relative = true },
		{ .chains = true, .has_stop = true, .stop = FAKE_START + 7777777 },
		{ .chains = true, .keys = { { REP_KEY_COMM }, 1 } },
	};
	uint64_t *sums;
	struct fixture x;
	size_t i, at;
	unsigned int m;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(&x, &rows[i]);
		assert_row(i, x.data.nr_streams == 1);
		sums = calloc(x.data.chains.nr, sizeof(*sums));
		assert_non_null(sums);
		for (m = 1; m <= 3; m++) {
			rep_chains_totals(&x.data.chains, m, sums);
			assert_row(i, (double)sums[0] == x.data.streams[0].totals[m - 1]);
		}
		rep_chains_totals(&x.data.chains, REP_CHAIN_SAMPLES, sums);
		assert_row(i, sums[0] == x.data.samples - x.data.switches);
		for (at = 1; at < x.data.chains.nr; at++)
			assert_row(i, sums[x.data.chains.nodes[at].parent] >= sums[at]);
		free(sums);
		end(&x);
	}
}

/* Nobody looks at chains: nothing is kept. */
static void without(void **state)
{
	const struct rep_filter filter = { .no_intervals = true };
	struct fixture x;

	(void)state;
	begin(&x, &filter);
	assert_int_equal(x.data.chains.nr, 0);
	assert_int_equal(x.data.code.nr_objects, 0);
	end(&x);
	fake_recording(&x.file);
	assert_int_equal(perfdata_read_bytes(&x.reader, x.file.bytes, x.file.size), 0);
	assert_non_null(strstr(rep_chains_missing(&x.reader), "pmcgrp record -g"));
	perfdata_read_close(&x.reader);
	fake_free(&x.file);
}

/* ---- One sample after the other ---- */

struct alone {
	struct perfdata_reader reader;
	struct rep_code code;
	struct rep_chains chains;
};

static void alone_begin(struct alone *x, size_t max)
{
	memset(x, 0, sizeof(*x));
	assert_int_equal(rep_code_begin(&x->code, &x->reader, true), 0);
	assert_int_equal(rep_chains_begin(&x->chains, 1, max), 0);
}

static void alone_add(struct alone *x, const uint64_t *words, size_t nr, const char *comm)
{
	const struct perfdata_sample sample = {
		.tid = 7, .mode = PERF_RECORD_MISC_KERNEL,
		.chain = (const unsigned char *)words, .nr_chain = nr
	};
	const struct rep_cause cause = { .sample = &sample, .comm = comm };

	assert_int_equal(rep_chains_add(&x->chains, &x->code, &cause, NULL, NULL), 0);
}

static void alone_expect(struct alone *x, const char *expected)
{
	assert_int_equal(rep_chains_end(&x->chains), 0);
	expect_text(&x->chains, REP_CHAIN_SAMPLES, expected);
	rep_chains_free(&x->chains);
	rep_code_free(&x->code);
}

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER ((uint64_t)PERF_CONTEXT_USER)

/* What of a machine an address is: as the marker before it says, else as the sample does. */
static void markers(void **state)
{
	static const struct {
		uint64_t words[4];
		size_t nr;
		const char *expected;
	} rows[] = {
		{ { KERNEL, 1 }, 2, "c;[kernel.kallsyms]_[k] 1\n" },
		{ { USER, 1 }, 2, "c;[unknown] 1\n" },
		{ { KERNEL, 1, USER, 1 }, 4, "c;[unknown];[kernel.kallsyms]_[k] 1\n" },
		{ { 5 }, 1, "c;[kernel.kallsyms]_[k] 1\n" },
		{ { (uint64_t)PERF_CONTEXT_HV, 5 }, 2, "c;[unknown] 1\n" },
		{ { (uint64_t)PERF_CONTEXT_GUEST_KERNEL, 5 }, 2, "c;[unknown] 1\n" },
		{ { (uint64_t)PERF_CONTEXT_GUEST_USER, 5 }, 2, "c;[unknown] 1\n" },
		/* A marker of a later perf: who knows what is behind it. */
		{ { (uint64_t)-640, 5, USER, 6 }, 4, "c;[unknown] 1\n" },
		{ { (uint64_t)-4095, 5 }, 2, "[no call chain];c 1\n" },
		{ { KERNEL, USER }, 2, "[no call chain];c 1\n" },
		{ { 0 }, 0, "[no call chain];c 1\n" },
		{ { USER, 0 }, 2, "c;[unknown] 1\n" },
	};
	struct alone x;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("# row %zu\n", i);
		alone_begin(&x, 100);
		alone_add(&x, rows[i].words, rows[i].nr, "c");
		alone_expect(&x, rows[i].expected);
	}
}

/* Threads are told apart by their names; one without is called as perf calls it. */
static void threads(void **state)
{
	const uint64_t words[] = { USER, 1 };
	struct alone x;

	(void)state;
	alone_begin(&x, 100);
	alone_add(&x, words, 2, NULL);
	alone_add(&x, words, 2, "");
	alone_add(&x, words, 2, "all");
	alone_add(&x, words, 0, "a;b");
	alone_add(&x, words, 2, "a:b");
	alone_expect(&x, ":7;[unknown] 2\n"
			 "[no call chain];a:b 1\n"
			 "a:b;[unknown] 1\n"
			 "all;[unknown] 1\n");
}

/* What does not fit is counted, and what is there already goes on. */
static void bound(void **state)
{
	uint64_t words[200];
	struct alone x;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = i ? i : USER;
	/* The root, [other], two threads, two frames. */
	alone_begin(&x, 6);
	alone_add(&x, words, 2, "a");
	alone_add(&x, words, 2, "b");
	alone_add(&x, words, 3, "b");
	alone_add(&x, words, 200, "b");
	alone_add(&x, words, 2, "c");
	alone_add(&x, words, 0, "c");
	alone_add(&x, words, 2, "a");
	assert_int_equal(x.chains.nr, 6);
	assert_int_equal(x.chains.other, 4);
	alone_expect(&x, "[other] 4\na;[unknown] 2\nb;[unknown] 1\n");
	/* A deep one takes a node for each frame. */
	alone_begin(&x, 1000);
	alone_add(&x, words, 200, "a");
	assert_int_equal(x.chains.nr, 2 + 1 + 199);
	assert_int_equal(x.chains.other, 0);
	rep_chains_free(&x.chains);
	rep_code_free(&x.code);
}

/* Of a caller the address is the one behind its call: maybe no longer in it. */
static void callers(void **state)
{
	static const char * const paths[] = { "/x/first", "/x/second" };
	const uint64_t words[] = { USER, 0x2000, 0x2000 };
	struct perfdata_record record = { .type = PERF_RECORD_MMAP };
	struct perfdata_sample sample = { .chain = (const unsigned char *)words, .nr_chain = 3 };
	const struct rep_cause cause = { .sample = &sample, .comm = "c" };
	struct alone x;
	size_t i;

	(void)state;
	alone_begin(&x, 100);
	for (i = 0; i < 2; i++) {
		uint64_t body[8] = { 0, 0x1000 * (i + 1), 0x1000, 0 };

		strcpy((char *)&body[4], paths[i]);
		record.body = (const unsigned char *)body;
		record.size = sizeof(body);
		assert_int_equal(rep_code_take(&x.code, &record), 0);
	}
	assert_int_equal(rep_chains_add(&x.chains, &x.code, &cause, NULL, NULL), 0);
	alone_expect(&x, "c;[first];[second] 1\n");
}

/* In the kernel the address is taken as it is: an interrupt may come at the first instruction. */
static void callers_kernel(void **state)
{
	static const char text[] = "1000 T _text\n1000 t first\n2000 T second\n3000 T third\n";
	const struct rep_place place = { .mode = PERF_RECORD_MISC_KERNEL, .ip = 1, .frame = true };
	const uint64_t words[] = { KERNEL, 0x3000, 0x2000, 0x1fff };
	char path[] = "/tmp/pmcgrp-kallsyms-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	size_t function, kernel;
	struct alone x;

	(void)state;
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	alone_begin(&x, 100);
	assert_int_equal(rep_code_frame(&x.code, &place, &function), 0);
	kernel = x.code.functions[function].object;
	assert_true(x.code.objects[kernel].looked);
	assert_int_equal(rep_symbols_kernel(&x.code.objects[kernel].symbols, path, "_text", 0x1000), 0);
	alone_add(&x, words, ARRAY_SIZE(words), "c");
	alone_expect(&x, "c;_text_[k];second_[k];third_[k] 1\n");
	unlink(path);
}

/* ---- In a page ---- */

static json_t *page_of(const struct rep_data *data, const struct rep_ratios *list, double small)
{
	struct rep_summary summary;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	json_t *object;

	assert_non_null(file);
	assert_int_equal(rep_summary_take(&summary, data, list), 0);
	assert_int_equal(rep_page_chains(file, &summary, small), 0);
	fclose(file);
	assert_null(strchr(text, '<'));
	object = json_loads(text, 0, NULL);
	assert_non_null(object);
	free(text);
	rep_summary_free(&summary);
	return object;
}

static uint64_t number(const json_t *list, size_t i)
{
	return (uint64_t)json_integer_value(json_array_get(list, i));
}

/* "depth name own", of each function. */
static void expect_page(const json_t *page, size_t member, const char *expected)
{
	const json_t *names = json_object_get(page, "names"), *name = json_object_get(page, "name");
	const json_t *depth = json_object_get(page, "depth");
	const json_t *self = json_object_get(json_array_get(json_object_get(page, "members"), member),
					     "self");
	char *text = NULL;
	size_t size = 0, i;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(json_array_size(name), json_array_size(depth));
	assert_int_equal(json_array_size(name), json_array_size(self));
	assert_int_equal(json_array_size(name), json_array_size(json_object_get(page, "kind")));
	for (i = 0; i < json_array_size(name); i++)
		fprintf(file, "%" PRIu64 " %s %" PRIu64 "\n", number(depth, i),
			json_string_value(json_array_get(names, number(name, i))), number(self, i));
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

/* What is small is merged below its caller, and nothing is lost of any member. */
static void page(void **state)
{
	const struct rep_filter filter = { .chains = true };
	struct rep_ratios list = { 0 };
	json_t *object, *row;
	struct fixture x;
	size_t i;

	(void)state;
	begin(&x, &filter);
	assert_int_equal(rep_ratios_find(&list, &x.data), 0);
	object = page_of(&x.data, &list, REP_PAGE_SMALL);
	expect_page(object, 0, "0 all 0\n"
			       "1 [no call chain] 0\n2 sort 100000\n"
			       "1 sort 0\n2 [main] 0\n"
			       "3 [parse] 800000\n4 [parse] 0\n5 [read] 200000\n"
			       "3 [read] 0\n4 [kernel.kallsyms] 1200000\n"
			       "3 [small] 1\n"
			       "1 wc:x 0\n2 [main] 200000\n");
	assert_int_equal(json_integer_value(json_object_get(object, "merged")), 1);
	row = json_array_get(json_object_get(object, "members"), 3);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "samples");
	row = json_array_get(json_object_get(object, "ratios"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "instructions/cycles");
	assert_int_equal(json_integer_value(json_object_get(row, "event")), 1);
	assert_int_equal(json_integer_value(json_object_get(row, "of")), 0);
	json_decref(object);
	/* A function stays that has 70 % of any member. wc has all page faults. */
	object = page_of(&x.data, &list, 0.7);
	expect_page(object, 0, "0 all 0\n1 [small] 100000\n1 sort 0\n2 [main] 0\n"
			       "3 [small] 2200001\n1 wc:x 0\n2 [main] 200000\n");
	expect_page(object, 2, "0 all 0\n1 [small] 0\n1 sort 0\n2 [main] 0\n"
			       "3 [small] 0\n1 wc:x 0\n2 [main] 2000\n");
	assert_int_equal(json_integer_value(json_object_get(object, "merged")), 8);
	json_decref(object);
	object = page_of(&x.data, &list, 2.0);
	for (i = 0; i < 4; i++) {
		static const char * const all[] = {
			"0 all 0\n1 [small] 2500001\n", "0 all 0\n1 [small] 2750000\n",
			"0 all 0\n1 [small] 2000\n", "0 all 0\n1 [small] 18002\n",
		};

		expect_page(object, i, all[i]);
	}
	json_decref(object);
	rep_ratios_free(&list);
	end(&x);
}

/* A thread may be called as it likes, and there may be no counts. */
static void page_names(void **state)
{
	const uint64_t words[] = { USER, 1 };
	struct rep_ratios list = { 0 };
	struct rep_data data = { 0 };
	json_t *object;
	struct alone x;

	(void)state;
	alone_begin(&x, 100);
	alone_add(&x, words, 2, "</script>");
	alone_add(&x, words, 2, "\"\\");
	assert_int_equal(rep_chains_end(&x.chains), 0);
	data.chains = x.chains;
	data.code = x.code;
	object = page_of(&data, &list, REP_PAGE_SMALL);
	expect_page(object, 0, "0 all 0\n1 \"\\ 0\n2 [unknown] 1\n1 </script> 0\n2 [unknown] 1\n");
	json_decref(object);
	rep_chains_free(&x.chains);
	rep_code_free(&x.code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree),
		cmocka_unit_test(totals),
		cmocka_unit_test(without),
		cmocka_unit_test(markers),
		cmocka_unit_test(threads),
		cmocka_unit_test(bound),
		cmocka_unit_test(callers),
		cmocka_unit_test(callers_kernel),
		cmocka_unit_test(page),
		cmocka_unit_test(page_names),
	};

	return cmocka_run_group_tests_name("rep_chains", tests, NULL, NULL);
}
