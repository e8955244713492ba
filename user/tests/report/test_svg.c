// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp report --svg: texts, where the scale ends, light and dark. */
#include "test.h"

#include <libgen.h>
#include <math.h>

#include "fake_recording.h"
#include "report/out/clip.h"
#include "report/out/svg_colors.h"
#include "tool.h"

static char folder[] = "/tmp/pmcgrp-svg-XXXXXX";

static void save(void (*make)(struct fake *f), const char *name)
{
	struct fake f;
	char path[64];

	snprintf(path, sizeof(path), "%s/%s.data", folder, name);
	make(&f);
	fake_save(&f, path);
	fake_free(&f);
}

static int begin(void **state)
{
	char own[] = __FILE__;

	(void)state;
	if (!mkdtemp(folder) || setenv("D", folder, 1) || setenv("S", dirname(own), 1))
		return -1;
	save(fake_recording, "perf");
	save(fake_machine, "machine");
	save(fake_chains, "chains");
	return 0;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r $D").status;
}

static void need_gnuplot(void)
{
	if (run("command -v gnuplot").status) {
		print_message("# skipped: no gnuplot (Debian: gnuplot-nox)\n");
		skip();
	}
}

/* The texts of a picture, each in a line. */
static struct result svg_texts(const char *options)
{
	char line[300];
	struct result r;

	snprintf(line, sizeof(line), "$T report --svg $D/p.svg %s && cat $D/p.svg | "
		 "sed -n '/<text>/s/<[^>]*>//gp' | sed 's/^[ \t]*//'", options);
	r = run(line);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err, "");
	return r;
}

static void expect_texts(const struct result *r, const char * const *texts, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!strstr(r->out, texts[i]))
			fail_msg("no '%s': %s", texts[i], r->out);
	}
}

static void svg(void **state)
{
	static const char * const texts[] = {
		"\ncycles/sec\n", "\ninstructions/cycles (insn per cycle)\n", "\nCPU 1\n",
		"\ntime since 1.000000 s\n", "200 intervals in 50 columns of 2 ms. Several",
		/* The axes: 0 to 0.1 s, rates up to 200 millions, a ratio up to 2. */
		"\n0\n", "\n80 ms\n", "\n200 M\n", "\n6 k\n", "\n1.5\n",
		/* A name is text, not a tag. */
		"&lt;/script>",
	};
	struct result r;

	(void)state;
	need_gnuplot();
	r = svg_texts("--columns 50 $D/perf.data");
	expect_texts(&r, texts, ARRAY_SIZE(texts));
	assert_int_equal(run("tail -c 20 $D/p.svg | grep -q '</svg>'").status, 0);
	/* It brings its own background. */
	assert_int_equal(run("grep -q '<rect x=\"0\" y=\"0\".* fill=\"#ffffff\"' $D/p.svg").status, 0);
}

/* A member that counts nothing, a clock, a percentage: gnuplot has nothing to say of them. */
static void svg_machine(void **state)
{
	static const char * const texts[] = {
		"\ntask-clock, time a second\n", "\n500 ms\n", "\n1 s\n",
		"\nalignment-faults/sec\n", "\n0.5\n", "Of 12 streams the 8 with the highest counts",
		/* One outlier does not set the axis. */
		"\n3 G\n", "\nclipped at 3.8 G: 3 of 950 columns above, up to 100 G\n",
	};
	struct result r;

	(void)state;
	need_gnuplot();
	r = svg_texts("--columns 1000 $D/machine.data");
	expect_texts(&r, texts, ARRAY_SIZE(texts));
	assert_null(strstr(r.out, "\n100 G\n"));
	/* What fails is said, and leaves nothing behind. */
	expect("mkdir -p $D/bin && printf '#!/bin/sh\\ncat >/dev/null; echo \"  broken\" >&2; exit 3\\n' "
	       ">$D/bin/gnuplot && chmod +x $D/bin/gnuplot && PATH=$D/bin:$PATH "
	       "$T report --svg $D/x.svg $D/perf.data", 125, "gnuplot failed: broken");
	expect("test -e $D/x.svg", 1, "");
}

/* Each colour that gnuplot has written has its dark form; what is not in a style is light. */
static void dark(void **state)
{
	unsigned int i;
	char line[200];

	(void)state;
	need_gnuplot();
	assert_int_equal(run("$T report --svg $D/p.svg $D/machine.data >/dev/null").status, 0);
	assert_int_equal(run("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' $D/p.svg").status, 0);
	for (i = 0; i < REP_COLORS; i++) {
		snprintf(line, sizeof(line), "sed -n '/<style>/,/<.style>/p' $D/p.svg | "
			 "grep -q -E '^\\[(fill|stroke|color)=.* (fill|stroke|color): %s }$'",
			 rep_colors[i].dark);
		assert_row(i, !run(line).status);
		snprintf(line, sizeof(line), "sed '/<style>/,/<.style>/d' $D/p.svg | grep -q '%s'",
			 rep_colors[i].dark);
		assert_row(i, run(line).status == 1);
	}
	/* No colour is left that a dark system would see as it is. */
	assert_int_equal(run("sed '/<style>/,/<.style>/d' $D/p.svg | "
			     "grep -o -E \"(fill|stroke|color) ?= ?['\\\"](rgb[^'\\\"]*|black)['\\\"]\" | "
			     "sed 's/ *= */=/; s/'\\''/\"/g' | sort -u >$D/used; "
			     "sed -n '/<style>/,/<.style>/s/^\\[\\(.*\\)\\] .*/\\1/p' $D/p.svg | sort -u >$D/ruled; "
			     "test -s $D/used && ! comm -23 $D/used $D/ruled | grep .").status, 0);
	expect("$T report --flame $D/f.svg $D/chains.data && "
	       "grep -A 2 'prefers-color-scheme: dark' $D/f.svg | grep -q 'back { fill: #171a20 }'", 0, "");
}

/* The page has the same colours. */
static void colours(void **state)
{
	unsigned int i;
	char line[200];

	(void)state;
	for (i = 0; i < REP_COLORS; i++) {
		snprintf(line, sizeof(line), "grep -c -e '--%s: \\(%s\\|%s\\);' "
			 "$S/../../cli/report/out/page/page.css", rep_colors[i].name,
			 rep_colors[i].light, rep_colors[i].dark);
		assert_string_equal(run(line).out, "2\n");
	}
}

/* The rule for the scale: the rows that browser.py has for the page's. */
static void clipped(void **state)
{
	static const struct {
		unsigned int nr;	/* columns */
		double rest;
		unsigned int outliers;
		double high;
		double top;
		unsigned int above;
	} rows[] = {
		{ 10, 1, 1, 9, 1, 1 },
		{ 9, 1, 1, 9, 9, 0 },
		{ 100, 2, 1, 4, 4, 0 },
		{ 100, 2, 2, 9, 9, 0 },
		{ 101, 2, 2, 9, 2, 2 },
		{ 100, 0, 2, 9, 9, 0 },
		{ 200, 1, 0, 0, 1, 0 },
	};
	struct rep_column columns[210];
	struct rep_line line = { "x", columns };
	struct rep_plot plot = { .lines = &line, .nr_lines = 1 };
	struct rep_picture picture = { .plots = &plot, .nr_plots = 1 };
	struct rep_clip clip;
	unsigned int i, c;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		/* Some have no value. */
		picture.nr_columns = rows[i].nr + 5;
		for (c = 0; c < picture.nr_columns; c++)
			columns[c].high = c < 5 ? NAN : c < 5 + rows[i].outliers ? rows[i].high :
				rows[i].rest;
		assert_row(i, !rep_clip_take(&clip, &picture, &plot));
		assert_row(i, clip.nr == rows[i].nr && clip.top == rows[i].top);
		assert_row(i, clip.above == rows[i].above);
	}
	plot.nr_lines = 0;
	assert_int_equal(rep_clip_take(&clip, &picture, &plot), 0);
	assert_int_equal(clip.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(svg),
		cmocka_unit_test(svg_machine),
		cmocka_unit_test(dark),
		cmocka_unit_test(colours),
		cmocka_unit_test(clipped),
	};

	tool_init();
	return cmocka_run_group_tests_name("rep_svg", tests, begin, end);
}
