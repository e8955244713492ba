// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * `pmcgrp stat` with counts by key, from a stand-in for the module (fake_cpus.h) that has counted what
 * a file says, and with cgroups that are folders.
 */
#include "test.h"

#include "stat/keys_machine.h"

static void check(const char *args, const char *err)
{
	struct result r = run_fake(args);

	if (r.status || strcmp(r.err, err))
		fail_msg("%s: status %d, not %s but %s", args, r.status, err, r.err);
}

/* What the last of expect_fake() has said. */
static char said[OUTPUT_MAX];

static void also(const char *text)
{
	if (!strstr(said, text))
		fail_msg("'%s' is not in: %s", text, said);
}

static void expect_fake(const char *args, int status, const char *text)
{
	struct result r = run_fake(args);

	strcpy(said, r.err);
	if (r.status != status || !strstr(r.err, text))
		fail_msg("%s: status %d, '%s' is not in: %s", args, r.status, text, r.err);
}

static void lacks(const char *args, const char *text)
{
	struct result r = run_fake(args);

	if (r.status || strstr(r.err, text))
		fail_msg("%s: status %d, '%s' is in: %s", args, r.status, text, r.err);
}

static void csv_has_all_keys(void **state)
{
	(void)state;
	processes_are();
	check("stat -a --by process -x, -e '{cycles,instructions}' -- true",
	      "cat.x,200,4000,,cycles,2000000,100.00,,\n"
	      "cat.x,200,8000,,instructions,2000000,100.00,2.00,insn per cycle\n"
	      "sort,100,1500,,cycles,1500000,100.00,,\n"
	      "sort,100,3000,,instructions,1500000,100.00,2.00,insn per cycle\n"
	      "true,300,3,,cycles,100000,100.00,,\n"
	      "true,300,6,,instructions,100000,100.00,2.00,insn per cycle\n"
	      "true,400,2,,cycles,100000,100.00,,\n"
	      "true,400,4,,instructions,100000,100.00,2.00,insn per cycle\n"
	      "(idle),,7,,cycles,3000000,100.00,,\n"
	      "(idle),,14,,instructions,3000000,100.00,2.00,insn per cycle\n"
	      "(other tasks),,30000,,cycles,100000,100.00,,\n"
	      "(other tasks),,60000,,instructions,100000,100.00,2.00,insn per cycle\n"
	      "total,,35512,,cycles,6800000,100.00,,\n"
	      "total,,71024,,instructions,6800000,100.00,2.00,insn per cycle\n");
	/* Groups have a table each. */
	check("stat -a --by thread -x, --rows 1 --sort stays -e cycles -e instructions -- true",
	      "sort,100,1500,,cycles,1500000,100.00,,\n"
	      "sort,100,1500,,instructions,1500000,100.00,1.00,insn per cycle\n"
	      "cat.x,200,4000,,cycles,2000000,100.00,,\n"
	      "cat.x,200,4000,,instructions,2000000,100.00,1.00,insn per cycle\n"
	      "true,300,3,,cycles,100000,100.00,,\n"
	      "true,300,3,,instructions,100000,100.00,1.00,insn per cycle\n"
	      "true,400,2,,cycles,100000,100.00,,\n"
	      "true,400,2,,instructions,100000,100.00,1.00,insn per cycle\n"
	      "(idle),,7,,cycles,3000000,100.00,,\n"
	      "(idle),,7,,instructions,3000000,100.00,1.00,insn per cycle\n"
	      "(other tasks),,30000,,cycles,100000,100.00,,\n"
	      "(other tasks),,30000,,instructions,100000,100.00,1.00,insn per cycle\n"
	      "total,,35512,,cycles,6800000,100.00,,\n"
	      "total,,35512,,instructions,6800000,100.00,1.00,insn per cycle\n");
}

static void json(void **state)
{
	(void)state;
	processes_are();
	expect_fake("stat -a --by process -j -e cycles -- true", 0,
		    "{\"process\": \"cat,x\", \"pid\": 200, \"stays\": 1, \"counter-value\": "
		    "\"4000.000000\", \"unit\": \"\", \"event\": \"cycles\"");
	also("{\"row\": \"idle\", \"stays\": 1, \"counter-value\": \"7.000000\"");
	also("{\"row\": \"total\", \"stays\": 7, \"counter-value\": \"35512.000000\"");
	/* "c", a byte that is no UTF-8, a quote, Escape, a comma, and a letter of two bytes. */
	put("keys", "0 53131889822859107 0 1000000 1000 x\n");
	expect_fake("stat -a --by command -j -e cycles -- true", 0,
		    "{\"command\": \"c\\\\xff\\\"\\\\x1b,\xc3\xbc\", \"stays\": 1, ");
	expect_fake("stat -a --by command -x, -e cycles -- true", 0,
		    "\"c\\xff\"\"\\x1b.\xc3\xbc\",1000,");
	expect_fake("stat -a --by command -e cycles -- true", 0, "  c\\xff\"\\x1b,\xc3\xbc\n");
	put("keys", "0 1952870243 0 1000000 1000 x\n");
	expect_fake("stat -a --by command -j -e cycles -- true", 0,
		    "{\"command\": \"coft\", \"stays\": 1, ");
	cgroups_are();
	expect_fake("stat -a --by cgroup -j -e cycles -- true", 0, "{\"cgroup\": \"/a/b\", \"stays\"");
	expect_fake("stat -a --for-each-cgroup a -j -e cycles -- true", 0,
		    "\"event\": \"cycles\", \"cgroup\": \"a\", ");
	expect_fake("stat -a --for-each-cgroup a -j --metric-only -e '{cycles,instructions}' -- true",
		    0, "{\"cgroup\": \"a\", \"insn per cycle\": \"2.00\"}");
}

static void table(void **state)
{
	struct result r;

	(void)state;
	processes_are();
	r = run_fake("stat -a --by process --rows 1 -e '{cycles,instructions}' -- true");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, " Counts of all CPUs by process:\n\n"
				      "          cycles    instructions     CPUs     stays  process\n"
				      "           4,000           8,000 "));
	assert_non_null(strstr(r.err, "         1  cat,x-200\n           1,505           3,010 "));
	assert_non_null(strstr(r.err, "         4  (3 others)\n"));
	assert_non_null(strstr(r.err, "         1  (idle)\n          30,000          60,000 "));
	assert_non_null(strstr(r.err, "         1  (other tasks)\n          35,512          71,024 "));
	assert_non_null(strstr(r.err, "         7  total\n\n"));
	lacks("stat -a --by process --rows 0 -e cycles -- true", "others");
	/* By name, and then by number. */
	expect_fake("stat -a --by process --sort name --rows 3 --no-big-num -e cycles -- true", 0,
		    "  cat,x-200\n            1500");
	expect_fake("stat -a --by process --sort time --rows 1 -e cycles -- true", 0, "  cat,x-200\n");
	expect_fake("stat -a --by process --sort cycles:u --rows 1 -e cycles,cycles:u -- true", 0,
		    "  cat,x-200\n");
	/* Events of its own, and a process that is counted with its children. */
	expect_fake("stat -a --by process -- true", 0, "  cpu-clock msec     page-faults ");
	expect_fake("stat --by process -e cycles -- true", 0, " Counts of 'true' by process:\n");
	expect_fake("stat --by thread -p $$,$$ -e cycles --timeout 1", 0, "  thread\n");
	expect_fake("stat -C 0 --by command -e cycles -- true", 0, " by command:\n");
	expect_fake("stat -v -a --by process -e cycles -- true", 0,
		    "the group with cycles: 6 keys, 7 slots used, 0 given to other keys\n");
	also("the kernel's total of cycles: 35512\n");
}

static void intervals(void **state)
{
	struct result r;

	(void)state;
	processes_are();
	r = run_fake("stat -a --by process -I 10 --interval-count 2 -e cycles");
	assert_int_equal(r.status, 0);
	assert_int_equal(strncmp(r.err, "#           time          cycles ", 33), 0);
	assert_non_null(strstr(r.err, "           4,000 "));
	/* What was shown is not shown again. */
	assert_null(strstr(strstr(r.err, "  total\n"), "4,000"));
	assert_non_null(strstr(strstr(r.err, "  total\n") + 8, "  total\n"));
	r = run_fake("stat -a --by process -I 10 --interval-count 2 -x, -e cycles");
	assert_non_null(strstr(r.err, ",cat.x,200,4000,,cycles,2000000,100.00,,\n"));
	cgroups_are();
	r = run_fake("stat -a --for-each-cgroup a,a/b,web-1 -I 10 --interval-count 2 -x, -e cycles");
	assert_non_null(strstr(r.err, ",1500,,cycles,a,1500000,100.00,,\n"));
	assert_non_null(strstr(r.err, ",<not counted>,,cycles,web-1,0,100.00,,\n"));
	r = run_fake("stat -a --for-each-cgroup a,a/b,web-1 -I 10 --interval-count 2 --summary -x, "
		     "-e cycles");
	assert_non_null(strstr(r.err, "summary,1500,,cycles,a,1500000,100.00,,\n"));
}

static void cgroups(void **state)
{
	(void)state;
	cgroups_are();
	check("stat -a --for-each-cgroup a,/a/b,web-1,web-2 -x, -e '{cycles,instructions}' -- true",
	      "1500,,cycles,a,1500000,100.00,,\n3000,,instructions,a,1500000,100.00,2.00,insn per cycle\n"
	      "500,,cycles,/a/b,500000,100.00,,\n"
	      "1000,,instructions,/a/b,500000,100.00,2.00,insn per cycle\n"
	      "4000,,cycles,web-1,2000000,100.00,,\n"
	      "8000,,instructions,web-1,2000000,100.00,2.00,insn per cycle\n"
	      "<not counted>,,cycles,web-2,0,100.00,,\n<not counted>,,instructions,web-2,0,100.00,,\n");
	/* perf's patterns are basic, and match anywhere; one makes all names patterns. */
	check("stat -a --for-each-cgroup '^web,b$' -x, -e cycles -- true",
	      "4000,,cycles,web-1,2000000,100.00,,\n<not counted>,,cycles,web-2,0,100.00,,\n"
	      "500,,cycles,a/b,500000,100.00,,\n");
	/* The root is whatever runs. */
	check("stat -a --for-each-cgroup /,a -x, -e cycles -- true",
	      "35510,,cycles,/,6700000,100.00,,\n1000,,cycles,a,1000000,100.00,,\n");
	check("stat -a --for-each-cgroup '' -x, -e cycles -- true",
	      "35510,,cycles,/,6700000,100.00,,\n");
	check("stat -a -G a,,web-1 -x, -e cycles,instructions,branches -- true",
	      "1000,,cycles,a,1000000,100.00,,\n35510,,instructions,,6700000,100.00,1.00,insn per cycle\n"
	      "4000,,branches,web-1,2000000,100.00,,\n");
	check("stat -a -G web-1 -x, -e cycles,instructions -- true",
	      "4000,,cycles,web-1,2000000,100.00,,\n"
	      "4000,,instructions,web-1,2000000,100.00,1.00,insn per cycle\n");
	check("stat -C 0 -r 2 --for-each-cgroup web-1 -x, -e cycles -- true",
	      "4000,,cycles,web-1,0.00%,2000000,100.00,,\n");
	check("stat -a --by cgroup -x, -e cycles -- true",
	      "/web-1,4000,,cycles,2000000,100.00,,\n/a,1000,,cycles,1000000,100.00,,\n"
	      "/a/b,500,,cycles,500000,100.00,,\n(removed. id 999999999),3,,cycles,100000,100.00,,\n"
	      "(idle),7,,cycles,3000000,100.00,,\n(other tasks),30000,,cycles,100000,100.00,,\n"
	      "total,35510,,cycles,6700000,100.00,,\n");
	expect_fake("stat -a --for-each-cgroup a -e '{cycles,instructions}' -- true", 0,
		    " cycles                           a\n");
	also(" instructions                     a                #     2.00 insn per cycle\n");
	expect_fake("stat -a --for-each-cgroup a --metric-only -I 10 --interval-count 1 "
		    "-e '{cycles,instructions}'",
		    0, " a                                 2.00\n");
}

/* A cgroup that goes while it is counted, and one that comes again under its name. */
static void made_again(void **state)
{
	struct result r;
	char line[512];

	(void)state;
	cgroups_are();
	snprintf(line, sizeof(line), "stat -a --for-each-cgroup a,web-1,web-2 -e cycles -- sh -c 'cd %s/cg; "
		 "mv web-2 old; mkdir web-2; mv a gone'", fake_root);
	r = run_fake(line);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "cgroup 'web-2' was removed and made again: "));
	assert_non_null(strstr(r.err, "cgroup 'a' was removed: "));
	assert_null(strstr(r.err, "'web-1' was"));
	snprintf(line, sizeof(line), "cd %s/cg && mv gone a && rm -r web-2 && mv old web-2", fake_root);
	assert_int_equal(run(line).status, 0);
	lacks("stat -a --for-each-cgroup a,web-1,web-2 -e cycles -- true", "was removed");
}

/* Each line without a value says why. */
static void reasons(void **state)
{
	(void)state;
	cgroups_are();
	expect_fake("stat -a --for-each-cgroup web-1,web-2 -e cycles -- true", 0,
		    "# no task of the cgroup has run in this time\n");
	expect_fake("stat -a --for-each-cgroup web-2 -j -e cycles -- true", 0,
		    "\"not-counted-reason\": \"no task of the cgroup has run in this time\"}");
	expect_fake("stat -a -G web-2 -e cycles -- true", 0,
		    "# no task of the cgroup has run in this time\n");
	need_perf();
	expect_fake("stat --perf -e task-clock:u -D -1 -- true", 0,
		    "has not run in this time, or it was not enabled\n");
}

/* A name never has the separator, whatever that is. */
static void separators(void **state)
{
	(void)state;
	cgroups_are();
	check("stat -a --for-each-cgroup '^web' -x- -e cycles -- true",
	      "4000--cycles-web.1-2000000-100.00--\n<not counted>--cycles-web.2-0-100.00--\n");
	check("stat -a --for-each-cgroup /a/b -x/ -e cycles -- true",
	      "500//cycles/.a.b/500000/100.00//\n");
	/* The first character of a longer one is enough. */
	check("stat -a -G web-1 -x-- -e cycles -- true",
	      "4000----cycles--web.1--2000000--100.00----\n");
	expect_fake("stat -a --for-each-cgroup web-1 --metric-only -x- -e '{cycles,instructions}' -- true",
		    0, "web.1-2.00");
	expect_fake("stat -a --by cgroup '-x ' -e cycles -- true", 0,
		    "(removed,.id.999999999) 3  cycles 100000 100.00  \n");
	expect_fake("stat -a --by cgroup '-x(' -e cycles -- true", 0, ".removed, id 999999999)(3((cycles");
}

/* Its path was known when it was there. */
static void removed(void **state)
{
	char text[128];

	(void)state;
	put("cg/gone/cgroup.procs", "");
	snprintf(text, sizeof(text), "0 %llu 0 1000000 1000 sort\n", id_of("gone"));
	put("keys", text);
	snprintf(text, sizeof(text), "stat -a --by cgroup -x, -e cycles -- rm -r %s/cg/gone", fake_root);
	check(text, "/gone (removed),1000,,cycles,1000000,100.00,,\n"
		    "total,1000,,cycles,1000000,100.00,,\n");
}

static void refused(void **state)
{
	static const struct {
		const char *args;
		const char *says;
	} rows[] = {
		{ "-a --for-each-cgroup wb-1", "did you mean 'web-1' or 'web-2'?" },
		{ "-a -e cycles -G no/such", "-G: there is no cgroup 'no/such' in " },
		{ "-a --for-each-cgroup '^x'", "no cgroup in " },
		{ "-a --for-each-cgroup 'a['", "'a[' is no regular expression: " },
		{ "-a -e cycles -G a,web-1", "2 cgroups and 1 events" },
		{ "-a -e cycles,branches,instructions -G a,web-1", "2 cgroups and 3 events" },
		{ "-a -e uncore_cha/event=1/ --by process", "of no cgroup or task" },
		{ "-a -e cycles --by process --sort cycle", "not 'cycle': did you mean 'cycles'?" },
		{ "-a -e uncore_cha/event=1/ -G a", "of no cgroup or task" },
	};
	char args[256];
	size_t i;

	(void)state;
	cgroups_are();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(args, sizeof(args), "stat %s -- true", rows[i].args);
		expect_fake(args, 125, rows[i].says);
	}
	setenv("FAKE_KEYS_WHY", "44", 1);
	expect_fake("stat -a --by process -- true", 125, "counts by key are those of CPUs");
	unsetenv("FAKE_KEYS_WHY");
	/* Before there were such tables. */
	setenv("FAKE_KEYS_OLD", "1", 1);
	expect_fake("stat -a --by process -- true", 125, "has no counts by key: it is older than");
	expect_fake("stat -a --for-each-cgroup a -- true", 125, "use a module and a library of the same");
	unsetenv("FAKE_KEYS_OLD");
	/* As many slots as there may be, unless these are too few. */
	setenv("FAKE_KEYS_SLOTS", "100", 1);
	expect_fake("stat -a --by process -- true", 0, "  total\n");
	setenv("FAKE_KEYS_SLOTS", "50", 1);
	expect_fake("stat -a --by process -- true", 125, "a table of 64 slots for each CPU is more locked memory");
	unsetenv("FAKE_KEYS_SLOTS");
	put("mountinfo", "21 1 0:20 / /proc rw - proc proc rw\n");
	expect_fake("stat -a --by cgroup -- true", 125, "no cgroups are mounted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_all_keys),
		cmocka_unit_test(json),
		cmocka_unit_test(table),
		cmocka_unit_test(intervals),
		cmocka_unit_test(cgroups),
		cmocka_unit_test(separators),
		cmocka_unit_test(reasons),
		cmocka_unit_test(made_again),
		cmocka_unit_test(removed),
		cmocka_unit_test(refused),
	};

	tool_init();
	return cmocka_run_group_tests(tests, keys_machine, fake_machine_end);
}
