// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The pages of report --html in a real browser. browser.py and browser_flames.py, beside this file,
 * look at them once; each test here is a group of its checks.
 */
#include "test.h"

#include <libgen.h>

#include "fake_recording.h"
#include "tool.h"

static char folder[] = "/tmp/pmcgrp-browser-XXXXXX";
static const char *missing;
static char *said;	/* by browser.py */

static void save(void (*make)(struct fake *f), const char *name)
{
	struct fake f;
	char path[64];

	snprintf(path, sizeof(path), "%s/%s.data", folder, name);
	make(&f);
	fake_save(&f, path);
	fake_free(&f);
}

/* Two chains of a thousand functions. */
static void fake_deep(struct fake *f)
{
	uint64_t words[1001] = { (uint64_t)PERF_CONTEXT_USER }, i;

	for (i = 1; i < ARRAY_SIZE(words); i++)
		words[i] = 0x1800;
	fake_begin_type(f, fake_chains_events, ARRAY_SIZE(fake_chains_events), FAKE_CHAINS_TYPE);
	for (i = 0; i < 2; i++)
		fake_sample(f, &(struct fake_sample){
			.id = 9, .time = 1000000 * (i + 1), .tid = 5, .nr = 1, .ids = { 1 },
			.values = { 100 * i }, .nr_chain = ARRAY_SIZE(words), .chain = words });
	fake_end(f);
}

/* What it says, and how it has ended: each has its own time limit. */
static void browse(const char *script)
{
	char line[200];

	snprintf(line, sizeof(line), "python3 $S/%s $D >>$D/said 2>$D/err; echo \"%s ended with $?\" "
		 ">>$D/said; cat $D/err >>$D/said", script, script);
	run(line);
}

static int begin(void **state)
{
	char own[] = __FILE__, path[64];
	size_t size = 0;
	FILE *file;

	(void)state;
	if (!mkdtemp(folder) || setenv("D", folder, 1) || setenv("S", dirname(own), 1))
		return -1;
	save(fake_recording, "small");
	save(fake_machine, "machine");
	save(fake_crowd, "crowd");
	save(fake_calls, "calls");
	save(fake_chains, "chains");
	save(fake_deep, "deep");
	if (run("command -v chromium").status)
		missing = "chromium (Debian: chromium)";
	else if (run("command -v python3").status)
		missing = "python3 (Debian: python3)";
	else if (run("$T report --html $D/small.html $D/small.data").status)
		missing = "dygraphs where the tool looks for it (Debian: libjs-dygraphs)";
	if (missing)
		return 0;
	run("$T report --html $D/machine.html --columns 1000 $D/machine.data; "
	    "$T report --html $D/crowd.html --columns 200 $D/crowd.data; "
	    "$T report --html $D/calls.html $D/calls.data; "
	    "$T report --html $D/chains.html --columns 100 $D/chains.data; "
	    "$T report --html $D/deep.html --columns 100 $D/deep.data; echo >$D/said");
	browse("browser.py");
	browse("browser_flames.py");
	snprintf(path, sizeof(path), "%s/said", folder);
	file = fopen(path, "r");
	if (!file || getdelim(&said, &size, '\0', file) < 0)
		return -1;
	fclose(file);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(said);
	return run("rm -r $D").status;
}

static unsigned int count(const char *what)
{
	unsigned int nr = 0;
	const char *at;

	for (at = strstr(said, what); at; at = strstr(at + 1, what))
		nr++;
	return nr;
}

/* All checks of a group were made, and all are well. */
static void group(const char *name, unsigned int least)
{
	char what[64];

	if (missing) {
		print_message("# skipped: no %s\n", missing);
		skip();
	}
	snprintf(what, sizeof(what), "\nnot ok %s: ", name);
	if (count(what))
		fail_msg("%s", strstr(said, what));
	snprintf(what, sizeof(what), "\nok %s: ", name);
	if (count(what) < least)
		fail_msg("%u checks of %s, not %u: %s", count(what), name, least, said);
}

/* 320 to 3000 pixels: no legend over a plot, nothing beside the page, axes below each other. */
static void layout(void **state)
{
	(void)state;
	group("layout", 80);
}

static void painted(void **state)
{
	(void)state;
	group("painted", 14);
}

/* Light and dark, as the system has it and by hand; the contrasts that WCAG wants. */
static void themes(void **state)
{
	(void)state;
	group("themes", 6);
}

static void keyboard(void **state)
{
	(void)state;
	group("keyboard", 14);
}

static void scales(void **state)
{
	(void)state;
	group("scales", 17);
}

/* 64 CPUs, an outlier, and samples lost at half of the time. */
static void crowd(void **state)
{
	(void)state;
	group("crowd", 48);
}

static void pointer(void **state)
{
	(void)state;
	group("pointer", 6);
}

static void texts(void **state)
{
	(void)state;
	group("texts", 13);
}

/* Call chains: boxes, zoom, search, which member and which colours. */
static void flames(void **state)
{
	(void)state;
	group("flames", 60);
}

/* What the console says, and that the browser got to its end. */
static void errors(void **state)
{
	(void)state;
	group("errors", 20);
	assert_non_null(strstr(said, "\nbrowser.py ended with 0\n"));
	assert_non_null(strstr(said, "\nbrowser_flames.py ended with 0\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout),
		cmocka_unit_test(painted),
		cmocka_unit_test(themes),
		cmocka_unit_test(keyboard),
		cmocka_unit_test(scales),
		cmocka_unit_test(crowd),
		cmocka_unit_test(pointer),
		cmocka_unit_test(texts),
		cmocka_unit_test(flames),
		cmocka_unit_test(errors),
	};

	tool_init();
	return cmocka_run_group_tests_name("rep_browser", tests, begin, end);
}
