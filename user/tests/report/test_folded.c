// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* report --folded and --flame as a process. */
#include "test.h"

#include "fake_recording.h"
#include "tool.h"

static char folder[] = "/tmp/pmcgrp-folded-XXXXXX";

static void save(struct fake *f, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s.data", folder, name);
	fake_save(f, path);
	fake_free(f);
}

static int begin(void **state)
{
	struct fake f;

	(void)state;
	if (!mkdtemp(folder) || setenv("D", folder, 1))
		return -1;
	fake_chains(&f);
	save(&f, "chains");
	fake_recording(&f);
	save(&f, "perf");
	return 0;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r $D").status;
}

/* A line for each stack; over all of them a member has the total that the summary has. */
static void folded(void **state)
{
	static const char cycles[] = "[no call chain];sort 100000\n"
				     "sort;[main];[parse] 800000\n"
				     "sort;[main];[parse];[parse];[read] 200000\n"
				     "sort;[main];[read];[kernel.kallsyms]_[k] 1200000\n"
				     "sort;[main];[tiny] 1\n"
				     "wc:x;[main] 200000\n";
	static const char * const members[] = { "cycles", "instructions", "page-faults" };
	struct result r;
	char line[300];
	size_t i;

	(void)state;
	r = run("$T report --folded $D/chains.data");
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, cycles);
	/* What it does not know it says, beside the lines. */
	assert_non_null(strstr(r.err, "Another kernel runs now"));
	r = run("cd $D && $T report --folded=cycles -o stacks chains.data && cat stacks");
	assert_string_equal(r.out, cycles);
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		snprintf(line, sizeof(line), "$T report --folded=%s $D/chains.data | awk '{ n += $NF } "
			 "END { print n }'; $T report --csv $D/chains.data | awk -F, '$1 == \"member\" && "
			 "$2 == \"%s\" { print $3 }'", members[i], members[i]);
		r = run(line);
		assert_row(i, strchr(r.out, '\n') - r.out == (ptrdiff_t)strlen(r.out) / 2 - 1);
		assert_row(i, !memcmp(r.out, strchr(r.out, '\n') + 1, strlen(r.out) / 2));
	}
	r = run("$T report --folded=page-faults $D/chains.data");
	assert_string_equal(r.out, "wc:x;[main] 2000\n");
	r = run("$T report --folded=samples -t 43 $D/chains.data");
	assert_string_equal(r.out, "wc:x;[main] 2000\n");
	assert_non_null(strstr(r.err, "/no/main is of another machine"));
}

/* More functions of callers than the tree has room for: 1200 chains of which each is another one. */
static void deep(void **state)
{
	uint64_t words[127] = { (uint64_t)PERF_CONTEXT_USER };
	struct result r;
	struct fake f;
	size_t i, bit;

	(void)state;
	fake_begin_type(&f, fake_chains_events, ARRAY_SIZE(fake_chains_events), FAKE_CHAINS_TYPE);
	fake_mmap(&f, 5, 0x1000, "/no/a");
	fake_mmap(&f, 5, 0x2000, "/no/b");
	for (i = 0; i < 1200; i++) {
		for (bit = 1; bit < ARRAY_SIZE(words); bit++)
			words[bit] = bit > 115 && i >> (bit - 116) & 1 ? 0x2800 : 0x1800;
		fake_sample(&f, &(struct fake_sample){
			.id = 9, .time = 1000 + i, .tid = 5, .nr = 1, .ids = { 1 }, .values = { i },
			.nr_chain = ARRAY_SIZE(words), .chain = words });
	}
	fake_end(&f);
	save(&f, "deep");
	r = run("$T report --folded $D/deep.data | awk '{ n += $NF } END { print n }'");
	assert_string_equal(r.out, "1199\n");
	assert_non_null(strstr(r.err, " samples are in [other]: the tree of call chains has its 131072 "
			       "nodes"));
	r = run("$T report --folded $D/deep.data 2>/dev/null | grep -c other");
	assert_string_equal(r.out, "1\n");
	r = run("$T report --flame $D/deep.svg $D/deep.data");
	assert_non_null(strstr(r.out, " samples are in [other]: "));
	assert_int_equal(run("grep -q 'samples are in .other.: ' $D/deep.svg").status, 0);
}

/* A rectangle for each function: x and width in 1200 pixels, title, and its name where there is room. */
static void flame(void **state)
{
	struct result r;

	(void)state;
	r = run("$T report --flame $D/f.svg $D/chains.data && python3 -c 'import sys, xml.dom.minidom as m; "
		"m.parse(sys.argv[1])' $D/f.svg");
	assert_int_equal(r.status, 0);
	r = run("grep -A 100 'class=.head.*>cycles<' $D/f.svg | sed '/>instructions</q' | "
		"sed -n 's/<text.*//; s/.*<title>//; s/ height.*//; s/<.title><rect class=//; s/\"//g; /x=/p'");
	assert_string_equal(r.out,
			    "all: 2,500,001, 100.00%thread x=10.00 y=74.00 width=1200.00\n"
			    "[no call chain]: 100,000, 4.00%thread x=10.00 y=92.00 width=48.00\n"
			    "sort: 100,000, 4.00%thread x=10.00 y=110.00 width=48.00\n"
			    "sort: 2,200,001, 88.00%thread x=58.00 y=92.00 width=1056.00\n"
			    "[main]: 2,200,001, 88.00%user x=58.00 y=110.00 width=1056.00\n"
			    "[parse]: 1,000,000, 40.00%user x=58.00 y=128.00 width=480.00\n"
			    "[parse]: 200,000, 8.00%user x=58.00 y=146.00 width=96.00\n"
			    "[read]: 200,000, 8.00%user x=58.00 y=164.00 width=96.00\n"
			    "[read]: 1,200,000, 48.00%user x=538.00 y=128.00 width=576.00\n"
			    "[kernel.kallsyms] (kernel): 1,200,000, 48.00%kernel x=538.00 y=146.00 "
			    "width=576.00\n"
			    "wc:x: 200,000, 8.00%thread x=1114.00 y=92.00 width=96.00\n"
			    "[main]: 200,000, 8.00%user x=1114.00 y=110.00 width=96.00\n");
	/* Names as far as there is room, and what is too narrow for any. */
	r = run("sed -n '/<g>/s/.*>\\(.*\\)<.text><.g>/\\1/p' $D/f.svg | sort -u | tr '\\n' ' '");
	assert_string_equal(r.out, "[kernel.kallsyms] [main] [no.. [parse] [read] all sort wc:x ");
	assert_int_equal(run("grep -q 'narrower than 0.025 % is not drawn' $D/f.svg").status, 0);
	assert_int_equal(run("grep -q '>page-faults<' $D/f.svg").status, 0);
}

static void wrong_usage(void **state)
{
	static const struct {
		const char *args;
		const char *error;
	} rows[] = {
		{ "--folded $D/perf.data", "has no call chains in its samples" },
		{ "--flame $D/x $D/perf.data", "has no call chains in its samples" },
		{ "--folded -j", "--folded is a format of its own" },
		{ "--folded -x ';'", "--folded is a format of its own" },
		{ "--folded --sort sym", "call chains alone" },
		{ "--folded --between a,b", "call chains alone" },
		{ "--folded=cycle $D/chains.data", "there are cycles, instructions, page-faults, samples" },
		{ "--flame /nowhere/x $D/chains.data", "/nowhere/x: No such file" },
	};
	char line[200];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(line, sizeof(line), "$T report %s", rows[i].args);
		expect(line, 125, rows[i].error);
	}
	expect("test -e $D/x", 1, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded),
		cmocka_unit_test(deep),
		cmocka_unit_test(flame),
		cmocka_unit_test(wrong_usage),
	};

	tool_init();
	return cmocka_run_group_tests_name("rep_folded", tests, begin, end);
}
