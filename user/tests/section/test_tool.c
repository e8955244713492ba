// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * `pmcgrp section` as a process, with a stand-in for the module that has sections of a kernel
 * module (fake_module.c), of which each look shows more.
 */
#include "test.h"

#include <jansson.h>

#include "tool.h"

#include "pmcgrp.h"

#define FAKE "LD_PRELOAD=${T%/*}/fake_module.so ASAN_OPTIONS=verify_asan_link_order=0 "
#define SECTIONS FAKE "FAKE_SECTIONS=2 "
#define OWNED SECTIONS "FAKE_OWNER=sample "

static struct result works(const char *line)
{
	struct result r = run(line);

	if (r.status)
		fail_msg("%s: status %d, stderr: %s", line, r.status, r.err);
	return r;
}

/* How often a text is there. */
static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		nr++;
	}
	return nr;
}

static void table(void **state)
{
	struct result r = works(OWNED "$T section");

	(void)state;
	assert_non_null(strstr(r.out, "section sample_lock, group 1099511627776 of sample: "
				      "10 counted, 3 missed\n"
				      "  missed 1: the group did not have its counters"));
	assert_non_null(strstr(r.out, "\nsection idle, group 1099511627776 of sample: "
				      "0 counted, 0 missed\n  EVENT "));
	/* They count the kernel alone. */
	assert_non_null(strstr(r.out, "\n  cycles:k                        1,500          150.0 "));
	assert_null(strchr(r.out, '|'));
	assert_string_equal(r.err, "");
	/* Who may not ask for groups sees sections all the same. */
	r = works(SECTIONS "$T section");
	assert_non_null(strstr(r.out, "section sample_lock, group 1099511627776: 10 counted"));
	assert_non_null(strstr(r.out, "\n  cycles:k                        1,500          150.0 "));
}

/* As long as the module may have it, of characters whose text is the longest. */
static void long_owner(void **state)
{
	char owner[PMCGRP_COMM_SIZE] = "", line[256];
	char head[256] = "section sample_lock, group 1099511627776 of ";
	struct result r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(owner) - 1; i++) {
		owner[i] = '\033';
		strcat(head, "\\x1b");
	}
	strcat(head, ": 10 counted, 3 missed\n");
	snprintf(line, sizeof(line), "%sFAKE_OWNER='%s' $T section", SECTIONS, owner);
	r = works(line);
	assert_non_null(strstr(r.out, head));
}

static void histograms(void **state)
{
	struct result r = works(OWNED "$T section --histogram");

	(void)state;
	assert_int_equal(count(r.out, "distribution"), 3);
	assert_non_null(strstr(r.out, "  256 -> 511        : 4        |**************************  "));
	r = works(OWNED "$T section 'sample_*'");
	assert_int_equal(count(r.out, "distribution"), 0);
	assert_null(strstr(r.out, "idle"));
	r = works(OWNED "$T section sample_lock");
	assert_int_equal(count(r.out, "distribution"), 3);
	/* Two of a name are two. */
	r = works(FAKE "FAKE_SECTIONS=3 $T section sample_lock");
	assert_int_equal(count(r.out, "section sample_lock, group"), 2);
}

static void csv_and_names(void **state)
{
	struct result r = works(OWNED "$T section -x '\\t' sample_lock");

	(void)state;
	assert_string_equal(r.out,
		"sample_lock\t1099511627776\t9000\tns\ttime\t10\t0\t1\t2\t0\t900.00\t900\t900\t0\t0\t0\n"
		"sample_lock\t1099511627776\t1500\t\tcycles:k\t10\t0\t1\t2\t0\t150.00\t50\t300\t0\t0\t0\n"
		"sample_lock\t1099511627776\t400\t\tinstructions:k\t10\t0\t1\t2\t0\t40.00\t40\t40\t0\t0\t0\n");
	r = works(FAKE "FAKE_SECTIONS=3 $T section --names");
	assert_string_equal(r.out, "sample_lock\nidle\n");
	r = works(FAKE "FAKE_SECTIONS=3 $T section -N 'i*'");
	assert_string_equal(r.out, "idle\n");
}

static void json(void **state)
{
	json_t *all, *one;
	struct result r = works(OWNED "$T section -j sample_lock");

	(void)state;
	all = json_loads(r.out, 0, NULL);
	assert_non_null(all);
	assert_int_equal(json_array_size(json_object_get(all, "sections")), 1);
	one = json_array_get(json_object_get(all, "sections"), 0);
	assert_string_equal(json_string_value(json_object_get(one, "owner")), "sample");
	assert_int_equal(json_integer_value(json_object_get(one, "count")), 10);
	one = json_array_get(json_object_get(one, "members"), 0);
	assert_string_equal(json_string_value(json_object_get(one, "event")), "cycles:k");
	json_decref(all);
}

/* Each look of the stand-in shows four sections more. */
static void intervals(void **state)
{
	struct result r = works(OWNED "$T section -I 20 --interval-count 3 sample_lock");

	(void)state;
	assert_int_equal(count(r.out, ": 4 counted, 1 missed\n"), 3);
	assert_int_equal(count(r.out, "\n  time (ns)                       1,200          300.0          "
				      "300        <=511\n"), 1);
	assert_int_equal(count(r.out, "\n  time (ns)                       1,200          300.0        "
				      ">=300        <=511\n"), 2);
	assert_int_equal(count(r.out, "\n  cycles:k                          400          100.0         "
				      ">=64        <=127\n"), 3);
	assert_int_equal(count(r.out, "distribution"), 0);
	assert_string_equal(r.err, "");
	r = works(OWNED "$T section -I 20 --interval-count 2 -H sample_lock");
	assert_int_equal(count(r.out, "  64 -> 127        : 4        |****"), 2);
	r = works(OWNED "$T section -I 20 --interval-count 2 -x, sample_lock");
	assert_int_equal(count(r.out, ",sample_lock,1099511627776,1200,ns,time,4,0,0,1,0,300.00,300,,0,0,0\n"), 1);
	assert_int_equal(count(r.out, ",sample_lock,1099511627776,1200,ns,time,4,0,0,1,0,300.00,,,0,0,0\n"), 1);
	r = works(OWNED "$T section -I 20 --interval-count 2 -j");
	assert_int_equal(count(r.out, "{\"interval\": 0."), 2);
	assert_int_equal(count(r.out, "\n"), 2);
	/* The first look is before the intervals: the second interval has none any more. */
	r = works(OWNED "FAKE_SECTIONS_END=2 $T section -I 20 --interval-count 2 sample_lock");
	assert_int_equal(count(r.out, ": 4 counted, 1 missed\n"), 1);
	assert_int_equal(count(r.out, " s: no section\n"), 1);
	assert_non_null(strstr(r.err, "section sample_lock has ended: what it counted last is not "
				      "shown"));
}

/* A signal ends the intervals, and the rest is shown. */
static void ended_by_signal(void **state)
{
	/* It comes when the tool catches SIGTERM. */
	struct result r = works(OWNED "$T section -I 600000 sample_lock & p=$!; "
				"until grep -q 'SigCgt:.*[4-7c-f]...$' /proc/$p/status; "
				"do sleep 0.02; done; kill -TERM $p; wait $p");

	(void)state;
	assert_int_equal(count(r.out, ": 4 counted, 1 missed\n"), 1);
}

static void errors(void **state)
{
	(void)state;
	expect(FAKE "$T section", 125, "no kernel module has a section now");
	expect(FAKE "$T section --names", 125, "pmcgrp_section_create()");
	expect(SECTIONS "$T section nosuch", 125,
	       "no section's name matches 'nosuch'; there are: sample_lock, idle\n");
	expect(SECTIONS "$T section 'sample*' 'no*'", 125, "matches 'no*'; there are");
	expect(SECTIONS "$T section -j 'no*'", 125, "matches 'no*'; there are");
	expect(SECTIONS "$T section >/dev/full", 125, "stdout: No space left on device");
	expect(SECTIONS "$T section -I 10 -x, >/dev/full", 125, "stdout: No space left on device");
	expect("$T section -x '' ", 125, "-x wants a separator");
	expect("$T section -I 0", 125, "-I wants milliseconds, 1 or more, not '0'");
	expect("$T section --interval-count 5", 125, "give -I as well");
	expect("$T section -j -H", 125, "-j has the buckets");
	expect("$T section --nosuch", 125, "\"pmcgrp section --help\" lists the options");
	if (access("/dev/pmcgrp", F_OK))
		expect("$T section", 125, "the module pmcgrp is not loaded");
	expect(FAKE "FAKE_ABI=7 $T section", 125, "speaks ABI 7");
	assert_non_null(strstr(works("$T section --help").out, "usage: pmcgrp section "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(long_owner),
		cmocka_unit_test(histograms),
		cmocka_unit_test(csv_and_names),
		cmocka_unit_test(json),
		cmocka_unit_test(intervals),
		cmocka_unit_test(ended_by_signal),
		cmocka_unit_test(errors),
	};

	tool_init();
	return cmocka_run_group_tests_name("section_tool", tests, NULL, NULL);
}
