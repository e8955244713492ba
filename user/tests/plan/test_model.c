// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Models of PMUs: files that are right, and what is said of those that are wrong. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "plan/model.h"

static const char good[] =
	"# A model\n"
	"{\n"
	"\t\"name\": \"Small\", \"cpus\": \"Test-1-2\",\n"
	"\t\"pmu\": \"cpu\", \"style\": \"x86\",\n"
	"\t\"counters\": 4, \"counters_ht\": 2, \"fixed\": 2,\n"
	"\t\"watchdog\": \"cycles\", \"ht_workaround\": \"4.1-rc1\",\n"
	"\t\"extra_registers\": {\"RSP\": 2},\n"
	"\t\"extra\": [\n"
	"\t\t{\"code\": \"0x1b7\", \"cmask\": \"0xffff\", \"valid\": 255, \"kind\": \"RSP\"}],\n"
	"\t\"constraints\": [\n"
	"\t\t{\"code\": \"0x3c\", \"cmask\": \"0xff\", \"mask\": \"0x20000000f\"},\n"
	"\t\t# Another comment, with \"mask\": in it\n"
	"\t\t{\"code\": \"0xd0\", \"last\": \"0xd3\", \"cmask\": \"0xff\", \"mask\": \"0x3\",\n"
	"\t\t \"flags\": [\"exclusive\", \"overlap\"], \"since\": \"4.1\", \"until\": \"5.1-rc2\"}],\n"
	"\t\"formats\": {\"event\": \"config:0-7\", \"umask\": \"config:8-15\"},\n"
	"\t\"generic\": {\"cycles\": 60, \"LLC-loads\":\n"
	"\t\t{\"code\": \"0x1b7\", \"config1\": \"0x81\"}},\n"
	"\t\"events\": {\"a.b\": \"event=0xd1,umask=2\"}\n"
	"}\n";

static struct failure failure;

#define TEXT_70 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void right(void **state)
{
	struct plan_model *m;

	(void)state;
	assert_int_equal(plan_model_read(&m, good, strlen(good), "file", &failure), 0);
	assert_string_equal(plan_model_name(m), "Small");
	assert_false(plan_model_is_plain(m));
	assert_int_equal(m->counters, 4);
	assert_int_equal(m->counters_ht, 2);
	assert_int_equal(m->nr_constraints, 2);
	assert_int_equal(m->constraints[0].last, 0x3c);
	assert_int_equal(m->constraints[1].last, 0xd3);
	assert_int_equal(m->constraints[1].flags, PMCGRP_PLAN_EXCLUSIVE | PMCGRP_PLAN_OVERLAP);
	assert_int_equal(m->constraints[1].since, PMCGRP_PLAN_KERNEL(4, 1, 255));
	assert_int_equal(m->constraints[1].until, PMCGRP_PLAN_KERNEL(5, 1, 2));
	assert_int_equal(m->nr_generics, 2);
	assert_ptr_equal(m->watchdog, &m->generics[0]);
	assert_int_equal(m->generics[1].config1, 0x81);
	assert_string_equal(m->given.events[0].name, "a.b");
	assert_null(m->given.events[1].name);
	plan_model_close(m);
	plan_model_close(NULL);
}

/* @to instead of @from in the good file, and what is said then. */
static const struct {
	const char *from;
	const char *to;
	const char *says;
} cases[] = {
	/* JSON itself */
	{ "{\n", "", "file:2: " },
	{ "\"fixed\": 2", "\"fixed\": 2, \"fixed\": 3", "file:5: duplicate" },
	{ "\"events\": {\"a.b\"", "\"events\": {a.b", "file:18: " },
	{ "umask=2\"}\n}\n", "umask=2\"}\n} 1\n", "file:19: end of file expected" },
	/* keys */
	{ "\"counters_ht\"", "\"counters_th\"",
	  "file:5: counters_th: there is no such key: did you mean 'counters_ht'" },
	{ "\"valid\"", "\"valide\"", "file:9: extra[0].valide: there is no such key" },
	{ "\"last\"", "\"lest\"", "file:13: constraints[1].lest: there is no such key: did you mean 'last'" },
	{ "\"config1\": \"0x81\"", "\"config2\": 1", "file:17: LLC-loads.config2: there is no such key" },
	{ "\"pmu\": \"cpu\", ", "", "file:3: it has no \"pmu\"" },
	{ ", \"mask\": \"0x3\"", "", "file:13: constraints[1]: it has no \"mask\"" },
	{ "\"generic\"", "\"generics\"", "did you mean 'generic'" },
	/* types */
	{ "\"Small\"", "7", "file:3: name: it is to be a text" },
	{ "\"fixed\": 2", "\"fixed\": \"2\"", "file:5: fixed: it is to be a number from 0 to 16" },
	{ "\"counters\": 4", "\"counters\": 0", "file:5: counters: it is to be a number from 1 to 32" },
	{ "\"counters\": 4", "\"counters\": -4", "file:5: counters: it is to be a number from 1 to 32" },
	{ "\"counters\": 4", "\"counters\": 33", "file:5: counters: it is to be" },
	{ "\"RSP\": 2", "\"RSP\": 0", "file:7: extra_registers.RSP: it is to be a number from 1" },
	{ "{\"RSP\": 2}", "2", "file:7: extra_registers: it is to be an object" },
	{ "255", "-1", "file:9: extra[0].valid: it is to be a number" },
	{ "\"0x20000000f\"", "\"2f\"", "file:11: constraints[0].mask: it is to be a number" },
	{ "\"0x20000000f\"", "\"0x1ffffffffffffffff\"", "file:11: constraints[0].mask" },
	{ "\"0x20000000f\"", "\"\"", "file:11: constraints[0].mask" },
	{ "\"0x20000000f\"", "1.5", "file:11: constraints[0].mask" },
	{ "\"x86\"", "\"x68\"", "file:4: style: there is no 'x68', but x86, arm: did you mean 'x86'" },
	{ "\"overlap\"", "\"overlaps\"", "file:14: constraints[1].flags: there is no 'overlaps'" },
	{ "[\"exclusive\", \"overlap\"]", "\"overlap\"", "file:14: constraints[1].flags: it is to be an array" },
	{ "[\"exclusive\", \"overlap\"]", "[1]", "file:14: constraints[1].flags: it is to be a text" },
	{ "\"4.1\"", "\"4\"", "file:14: constraints[1].since: it is to be a version" },
	{ "\"4.1\"", "\"4.1-rc\"", "file:14: constraints[1].since: it is to be a version" },
	{ "\"4.1\"", "\"4.256\"", "file:14: constraints[1].since: it is to be a version" },
	{ "\"4.1\"", "4.1", "file:14: constraints[1].since: it is to be a version" },
	{ "\"kind\": \"RSP\"", "\"kind\": \"RPS\"", "file:9: extra[0].kind: there is no 'RPS', but RSP" },
	/* kinds that have no place in the sentence */
	{ "{\"RSP\": 2}", "{\"" TEXT_70 "\": 1, \"" TEXT_70 "b\": 1, \"c\": 1}",
	  "file:9: extra[0].kind: there is no 'RSP', but aaaaaaaaaa" },
	{ "\"extra_registers\": {\"RSP\": 2},", "",
	  "file:9: extra[0].kind: the file has no \"extra_registers\"" },
	{ "{\"code\": \"0x3c\", \"cmask\": \"0xff\", \"mask\": \"0x20000000f\"}", "7",
	  "file:10: constraints: element 0 is to be an object" },
	{ "\"cycles\": 60", "\"cicles\": 60",
	  "file:16: generic.cicles: the kernel has no such event for all PMUs: did you mean 'cycles'" },
	{ "\"cycles\": 60", "\"page-faults\": 60", "file:16: generic.page-faults: the kernel has no such" },
	{ "\"cycles\": 60", "\"cycles\": []", "file:16: generic.cycles: it is to be a number" },
	{ "\"config:8-15\"", "8", "file:15: formats.umask: it is to be a text" },
	{ "{\"a.b\": \"event=0xd1,umask=2\"}", "[]", "file:18: events: it is to be an object" },
	/* what does not go together */
	{ "\"counters_ht\": 2", "\"counters_ht\": 5", "file:5: counters_ht: it is more than" },
	{ "\"watchdog\": \"cycles\"", "\"watchdog\": \"instructions\"",
	  "file:6: watchdog: \"generic\" has no 'instructions'" },
	{ "\"Test-1-2\"", "\"(((\"", "file:3: cpus: it is no pattern" },
	{ "\"0x20000000f\"", "\"0x40000000f\"",
	  "file:11: constraints[0].mask: bit 34 is no counter's; there are 0 to 3, 32 to 33" },
	{ "\"0x3\"", "\"0x13\"", "file:13: constraints[1].mask: bit 4 is no counter's" },
	{ "\"0x3c\"", "\"0x13c\"", "file:11: constraints[0].code: no event has it: bit 8 of it is not in" },
	{ "\"0xd3\"", "\"0x1d3\"", "file:13: constraints[1].last: no event has it: bit 8" },
	{ "\"0xd3\"", "\"0xcf\"", "file:13: constraints[1].last: it is less than \"code\"" },
	{ "\"0xffff\"", "\"0xff\"", "file:9: extra[0].code: no event has it: bit 8" },
	{ "\"5.1-rc2\"", "\"4.1\"", "file:14: constraints[1].until: it is not after" },
	{ "\"0x3\"", "\"0x100000003\"",
	  "file:14: constraints[1].flags: overlapping events have no fixed counters: the kernel's search "
	  "would not end" },
	{ ", \"ht_workaround\": \"4.1-rc1\"", "",
	  "file:14: constraints[1].flags: events are exclusive by \"ht_workaround\"" },
	{ "[\"exclusive\", \"overlap\"]", "[\"cycles\"]", "file:14: constraints[1].flags: cycles is of style" },
	{ "\"mask\": \"0x3\",\n\t\t \"flags\": [\"exclusive\", \"overlap\"]",
	  "\"mask\": \"0x8\",\n\t\t \"flags\": [\"pair\"]",
	  "file:13: constraints[1].mask: a pair needs the next counter" },
	{ "\"x86\"", "\"arm\"", "file:14: constraints[1].flags: overlap and pair are of style x86" },
	{ "\"config:8-15\"", "\"config:8-65\"", "file:15: formats.umask: it is to be as in sysfs" },
	{ "umask=2", "umsk=2", "file:18: events.a.b: \"formats\" has no 'umsk': did you mean 'umask'" },
	{ "umask=2", "umask=256", "file:18: events.a.b: 'umask' takes a number of 8 bits" },
	{ "umask=2", "umask=x", "file:18: events.a.b: 'umask' takes a number of 8 bits" },
	{ "event=0xd1,", "event=0xd1,,", "file:18: events.a.b: " },
	{ "\"name\": \"Small\"", "\"in_tx_cp\": \"0x10\"", "file:3: in_tx_cp: bit 4 is no counter's" },
};

static void wrong(void **state)
{
	char text[sizeof(good) + 200];
	struct plan_model *m;
	const char *at;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		at = strstr(good, cases[i].from);
		assert_row(i, at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, cases[i].to,
			 at + strlen(cases[i].from));
		if (plan_model_read(&m, text, strlen(text), "file", &failure) != -EINVAL || m)
			fail_msg("row %zu: not refused: %s", i, cases[i].says);
		if (!strstr(failure.text, cases[i].says))
			fail_msg("row %zu: %s", i, failure.text);
	}
	assert_int_equal(plan_model_read(&m, "", 0, "file", &failure), -EINVAL);
	assert_non_null(strstr(failure.text, "file:1: "));
	assert_int_equal(plan_model_read(&m, "[]", 2, "file", &failure), -EINVAL);
	assert_string_equal(failure.text, "file:1: it is to be an object: {...}");
}

/* Nothing that the kernel's own tables are far from is taken. */
static void too_many(void **state)
{
	char text[64 * 1024];
	struct plan_model *m;
	size_t used, i;

	(void)state;
	used = (size_t)snprintf(text, sizeof(text), "{\"pmu\":\"cpu\",\"style\":\"x86\",\"counters\":1,"
				"\"formats\":{},\"generic\":{},\n\"constraints\":[");
	for (i = 0; i <= MODEL_CONSTRAINTS_MAX; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s{\"code\":1,\"cmask\":1,\"mask\":1}", i ? "," : "");
	snprintf(text + used, sizeof(text) - used, "]}");
	assert_int_equal(plan_model_read(&m, text, strlen(text), "a/file", &failure), -EINVAL);
	assert_string_equal(failure.text, "a/file:2: constraints: it has more than 256 elements");
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void count(void *nr, const char *name)
{
	(void)name;
	++*(unsigned int *)nr;
}

/* By name and by path; and this machine's. */
static void files(void **state)
{
	char root[] = "/tmp/pmcgrp-test-XXXXXX", path[128];
	struct plan_model *m;
	unsigned int nr = 0;

	(void)state;
	assert_non_null(mkdtemp(root));
	setenv("PMCGRP_SHARE", root, 1);
	assert_int_equal(plan_model_open(&m, "small", &failure), -ENOENT);
	assert_non_null(strstr(failure.text, "not installed") ?: strstr(failure.text, "are installed"));
	snprintf(path, sizeof(path), "%s/models", root);
	assert_int_equal(mkdir(path, 0755), 0);
	put(root, "models/Small.json", good);
	put(root, "models/README", "");
	assert_int_equal(plan_model_each(count, &nr, &failure), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(plan_model_open(&m, "smALL", &failure), 0);
	plan_model_close(m);
	assert_int_equal(plan_model_open(&m, "smal", &failure), -ENOENT);
	assert_non_null(strstr(failure.text, "there is no model 'smal': did you mean 'Small'?"));
	snprintf(path, sizeof(path), "%s/models/Small.json", root);
	assert_int_equal(plan_model_open(&m, path, &failure), 0);
	plan_model_close(m);
	assert_int_equal(plan_model_open(&m, "/nonexistent/a.json", &failure), -ENOENT);
	assert_non_null(strstr(failure.text, "/nonexistent/a.json"));
	assert_int_equal(plan_model_open(&m, "/dev/zero", &failure), -EFBIG);
	assert_null(m);
	setenv("PERF_CPUID", "Test-1-2-3", 1);
	assert_int_equal(plan_model_here(&m, &failure), 0);
	assert_string_equal(plan_model_name(m), "Small");
	assert_true(m->is_here);
	plan_model_close(m);
	setenv("PERF_CPUID", "Test-1-3-3", 1);
	assert_int_equal(plan_model_here(&m, &failure), 0);
	assert_true(plan_model_is_plain(m));
	plan_model_close(m);
	put(root, "models/Bad.json", "{");
	assert_int_equal(plan_model_here(&m, &failure), -EINVAL);
	assert_non_null(strstr(failure.text, "Bad.json:1: "));
	unlink(path);
	snprintf(path, sizeof(path), "rm -r %s", root);
	assert_int_equal(system(path), 0);
}

static void kernels(void **state)
{
	static const struct {
		const char *text;
		unsigned int kernel;
		const char *rest;
	} rows[] = {
		{ "4.6", PMCGRP_PLAN_KERNEL(4, 6, 255), "" },
		{ "4.7-rc7", PMCGRP_PLAN_KERNEL(4, 7, 7), "" },
		{ "6.12.117-amd64", PMCGRP_PLAN_KERNEL(6, 12, 255), "-amd64" },
		{ "5.10-rc", 0, NULL },
		{ "5", 0, NULL },
		{ "5.", 0, NULL },
		{ "0.1", 0, NULL },
		{ "5.-1", 0, NULL },
		{ "", 0, NULL },
		{ "300.1", 0, NULL },
		{ "5.1 ", PMCGRP_PLAN_KERNEL(5, 1, 255), " " },
	};
	unsigned int kernel;
	const char *rest;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		kernel = 0;
		rest = plan_kernel_parse(rows[i].text, &kernel);
		assert_row(i, kernel == rows[i].kernel && !rest == !rows[i].rest);
		assert_row(i, !rest || !strcmp(rest, rows[i].rest));
	}
	assert_true(PMCGRP_PLAN_KERNEL(4, 7, 7) < PMCGRP_PLAN_KERNEL(4, 7, 255));
}

/* What of this machine decides, as files of another. */
static void here(void **state)
{
	char root[] = "/tmp/pmcgrp-test-XXXXXX", line[512];
	struct plan_setup setup;

	(void)state;
	assert_non_null(mkdtemp(root));
	plan_setup_here(&setup, root);
	assert_false(setup.ht || setup.watchdog || setup.no_pmc3);
	assert_true(setup.kernel);
	snprintf(line, sizeof(line), "cd %s && mkdir -p sys/devices/system/cpu/smt sys/devices/cpu "
		 "proc/sys/kernel", root);
	assert_int_equal(system(line), 0);
	put(root, "sys/devices/system/cpu/smt/active", "1\n");
	put(root, "proc/sys/kernel/nmi_watchdog", "1\n");
	put(root, "sys/devices/cpu/allow_tsx_force_abort", "0\n");
	plan_setup_here(&setup, root);
	assert_true(setup.ht && setup.watchdog && setup.no_pmc3);
	put(root, "sys/devices/system/cpu/smt/active", "0\n");
	put(root, "proc/sys/kernel/nmi_watchdog", "0\n");
	put(root, "sys/devices/cpu/allow_tsx_force_abort", "1\n");
	plan_setup_here(&setup, root);
	assert_false(setup.ht || setup.watchdog || setup.no_pmc3);
	snprintf(line, sizeof(line), "rm -r %s", root);
	assert_int_equal(system(line), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right),
		cmocka_unit_test(wrong),
		cmocka_unit_test(too_many),
		cmocka_unit_test(files),
		cmocka_unit_test(kernels),
		cmocka_unit_test(here),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
