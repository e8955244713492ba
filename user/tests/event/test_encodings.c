// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Names that both perf's tables and libpfm4 have, of models that this machine is not: the attr of
 * our parser, which takes them from the tables, beside that of libpfm4's own encoder.  Each field
 * is the same, or the difference is in known_encodings.h with its reason.
 *
 * An Intel event is event.umask in a table, and EVENT:UMASK in libpfm4.  The order is that of the
 * tables, and nothing is asked of this machine's PMUs.
 */
#include "test.h"

#include <ctype.h>

#include "event/fake_machine.h"
#include "event/known_encodings.h"
#include "event/event_table.h"

/* As the kernel's drivers show the format of term "event". */
#define INTEL "config:0-7"
#define AMD "config:0-7,32-35"
#define ARM "config:0-15"

/* What is asked for. Debian's libpfm4 4.13 and Linux 6.12 share 4967 names of x86, 806 of arm64. */
#define FEWEST_ALIKE 0.95

/* @pmu: of libpfm4; @cpuid: as perf's map of models has it; @event: a format */
struct model {
	const char *pmu;
	const char *cpuid;
	const char *event;
};

/* libpfm4 has the models of the architecture that it is built for, as our parser has its tables. */
#ifdef __aarch64__
#define FEWEST_NAMES 500
#define FEWEST_MODELS 8
#define ANY_EVENT "arm_n1::CPU_CYCLES"

static const char *const formats[][2] = {
	{ "long", "config1:0" },
};

static const struct model models[] = {
	{ "arm_ac57", "0x00000000410fd070", ARM },
	{ "arm_n1", "0x00000000410fd0c0", ARM },
	{ "arm_n2", "0x00000000410fd490", ARM },
	{ "arm_v1", "0x00000000410fd400", ARM },
	{ "arm_v2", "0x00000000410fd4f0", ARM },
	{ "arm_a64fx", "0x00000000460f0010", ARM },
	{ "arm_thunderx2", "0x00000000420f5160", ARM },
	{ "arm_kunpeng", "0x00000000480fd010", ARM },
	{ "arm_xgene", "0x00000000500f0000", ARM },
};
#else
#define FEWEST_NAMES 1000
#define FEWEST_MODELS 10
#define ANY_EVENT "snb::UNHALTED_CORE_CYCLES"

static const char *const formats[][2] = {
	{ "umask", "config:8-15" },
	{ "edge", "config:18" },
	{ "pc", "config:19" },
	{ "any", "config:21" },
	{ "inv", "config:23" },
	{ "cmask", "config:24-31" },
	{ "offcore_rsp", "config1:0-63" },
	{ "ldlat", "config1:0-15" },
	{ "frontend", "config1:0-23" },
};

static const struct model models[] = {
	{ "nhm", "GenuineIntel-6-1A-5", INTEL },
	{ "nhm_ex", "GenuineIntel-6-2E-6", INTEL },
	{ "wsm", "GenuineIntel-6-25-2", INTEL },
	{ "wsm_dp", "GenuineIntel-6-2C-2", INTEL },
	{ "snb", "GenuineIntel-6-2A-7", INTEL },
	{ "snb_ep", "GenuineIntel-6-2D-7", INTEL },
	{ "ivb", "GenuineIntel-6-3A-9", INTEL },
	{ "ivb_ep", "GenuineIntel-6-3E-4", INTEL },
	{ "hsw", "GenuineIntel-6-3C-3", INTEL },
	{ "hsw_ep", "GenuineIntel-6-3F-2", INTEL },
	{ "bdw", "GenuineIntel-6-3D-4", INTEL },
	{ "bdw_ep", "GenuineIntel-6-4F-1", INTEL },
	{ "skl", "GenuineIntel-6-5E-3", INTEL },
	{ "skx", "GenuineIntel-6-55-4", INTEL },
	{ "clx", "GenuineIntel-6-55-7", INTEL },
	{ "icl", "GenuineIntel-6-7E-5", INTEL },
	{ "icx", "GenuineIntel-6-6A-6", INTEL },
	{ "spr", "GenuineIntel-6-8F-8", INTEL },
	{ "atom", "GenuineIntel-6-1C-2", INTEL },
	{ "slm", "GenuineIntel-6-37-3", INTEL },
	{ "glm", "GenuineIntel-6-5C-9", INTEL },
	{ "tmt", "GenuineIntel-6-96-1", INTEL },
	{ "knl", "GenuineIntel-6-57-1", INTEL },
	{ "amd64_fam17h_zen1", "AuthenticAMD-23-1-1", AMD },
	{ "amd64_fam17h_zen2", "AuthenticAMD-23-31-0", AMD },
	{ "amd64_fam19h_zen3", "AuthenticAMD-25-1-1", AMD },
	{ "amd64_fam19h_zen4", "AuthenticAMD-25-11-1", AMD },
};

#endif

static struct {
	unsigned int models, names, same, unexplained;
	unsigned int of_reason[ARRAY_SIZE(reasons)];
} sums;

static char *folder;	/* of the tables; NULL: they were not built */

/* A model's names that both have, and what libpfm4 makes of them. */
struct names {
	const char **at;
	struct pfm_code *codes;
	char *text;
	size_t nr;
	size_t used;
};

static void print_difference(const char *pmu, const char *event, unsigned int fields,
			     const struct perf_event_attr *attr, const struct pfm_code *code,
			     const char *why)
{
	char text[80] = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(field_names); i++) {
		if (fields & 1U << i)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s",
				 field_names[i]);
	}
	print_message("%s %s: table %u %#llx %#llx %#llx, libpfm4 %u %#llx %#llx %#llx:%s: %s\n",
		      pmu, event, attr->type, (unsigned long long)attr->config,
		      (unsigned long long)attr->config1, (unsigned long long)attr->config2,
		      code->type, (unsigned long long)code->config[0],
		      (unsigned long long)code->config[1], (unsigned long long)code->config[2],
		      text, why);
}

/* Returns whether both are the same. */
static bool check_event(const char *pmu, const char *event, const struct perf_event_attr *attr,
			const struct pfm_code *code)
{
	unsigned int fields = differing(attr, code);
	const struct known *why;

	assert_false(attr->sample_period || attr->precise_ip);
	assert_false(attr->exclude_user || attr->exclude_kernel || attr->exclude_hv);
	assert_false(code->exclude_user || code->exclude_kernel || code->exclude_hv);
	sums.names++;
	if (!fields) {
		sums.same++;
		return true;
	}
	why = explained(pmu, event, fields);
	if (why)
		sums.of_reason[why->reason]++;
	else
		sums.unexplained++;
	print_difference(pmu, event, fields, attr, code,
			 why ? reasons[why->reason] : "NOT EXPLAINED");
	return false;
}

/* "skl::BR_INST_RETIRED:ALL_BRANCHES"; libpfm4 does not ask for capitals in all of its lists. */
static void pfm_name(char *buf, size_t size, const char *pmu, const char *event)
{
	char *at;

	snprintf(buf, size, "%s::%s", pmu, event);
	for (at = buf + strlen(pmu); *at; at++)
		*at = (char)toupper((unsigned char)*at);
	at = strchr(buf, '.');
	if (at)
		*at = ':';
}

static void names_take(struct names *names, const struct model *model, const char *event)
{
	char name[256], why[200];

	pfm_name(name, sizeof(name), model->pmu, event);
	if (event_pfm_encode(name, &names->codes[names->nr], why, sizeof(why)))
		return;
	names->at[names->nr++] = event;
	names->used += (size_t)sprintf(names->text + names->used, "%s%s",
				       names->used ? "," : "", event);
}

/* Returns how many events of cores the table has. */
static size_t names_find(struct names *names, const struct model *model,
			 const struct event_table *table)
{
	size_t i, nr = event_table_nr(table), core = 0, size = 1;

	*names = (struct names){ .at = calloc(nr, sizeof(*names->at)),
				 .codes = calloc(nr, sizeof(*names->codes)) };
	for (i = 0; i < nr; i++)
		size += strlen(event_table_entry(table, i)->name) + 1;
	names->text = malloc(size);
	assert_true(names->at && names->codes && names->text);
	for (i = 0; i < nr; i++) {
		const struct event_table_entry *entry = event_table_entry(table, i);

		if (strcmp(entry->pmu, EVENT_TABLE_CORE))
			continue;
		core++;
		names_take(names, model, entry->name);
	}
	return core;
}

static void check_names(const struct model *model, const struct names *names, const char *table,
			size_t core)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	size_t i, same = 0;

	if (pmcgrp_events_parse(&events, names->text, 0, &error))
		fail_msg("%s, character %zu: %s", model->pmu, error.column, error.text);
	assert_int_equal(pmcgrp_events_nr(events), names->nr);
	for (i = 0; i < names->nr; i++)
		same += check_event(model->pmu, names->at[i],
				    pmcgrp_events_at(events, (unsigned int)i)->attr,
				    &names->codes[i]);
	print_message("%s, %s of perf: %zu events, %zu of them in libpfm4, %zu the same\n",
		      model->pmu, table, core, names->nr, same);
	pmcgrp_events_free(events);
}

static void check_model(const struct model *model)
{
	struct event_table *table;
	struct failure failure;
	struct names names;
	size_t core;

	put("devices/cpu/format/event", model->event);
	assert_int_equal(setenv("PERF_CPUID", model->cpuid, 1), 0);
	if (event_table_open(&table, folder, NULL, NULL, &failure))
		fail_msg("%s: %s", model->cpuid, failure.text);
	core = names_find(&names, model, table);
	if (names.nr) {
		check_names(model, &names, event_table_model(table), core);
		sums.models++;
	}
	free(names.at);
	free(names.codes);
	free(names.text);
	event_table_close(table);
}

/* Whether libpfm4 encodes for models that this machine is not. */
static bool has_models(void)
{
	struct pfm_code code;
	char why[200];

	return !event_pfm_encode(ANY_EVENT, &code, why, sizeof(why));
}

static void as_libpfm4(void **state)
{
	size_t i;

	(void)state;
	if (!folder || !has_models())
		skip();
	event_machine_here.tables = folder;
	put("devices/cpu/type", "4\n");
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		char file[64];

		snprintf(file, sizeof(file), "devices/cpu/format/%s", formats[i][0]);
		put(file, formats[i][1]);
	}
	for (i = 0; i < ARRAY_SIZE(models); i++)
		check_model(&models[i]);
	print_message("%u names of %u models: %u the same, %u not, of these %u unexplained\n",
		      sums.names, sums.models, sums.same, sums.names - sums.same, sums.unexplained);
	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		print_message("%u: %s\n", sums.of_reason[i], reasons[i]);
	assert_int_equal(sums.unexplained, 0);
	assert_true(sums.names >= FEWEST_NAMES && sums.models >= FEWEST_MODELS);
	assert_true(sums.same >= FEWEST_ALIKE * sums.names);
}

/* What differs is found, in the field where it is: the list of differences hides nothing else. */
static void what_differs(void **state)
{
	static const struct perf_event_attr attr = { .type = 4, .config = 0x1000004c4 };
	static const struct {
		struct pfm_code code;
		unsigned int fields;
	} rows[] = {
		{ { .type = 4, .config = { 0x1000004c4 } }, 0 },
		{ { .type = 8, .config = { 0x1000004c4 } }, TYPE },
		{ { .type = 4, .config = { 0x4c4 } }, EVENT },
		{ { .type = 4, .config = { 0x1000004c5 } }, EVENT },
		{ { .type = 4, .config = { 0x1000000c4 } }, UMASK },
		{ { .type = 4, .config = { 0x1010004c4 } }, CMASK },
		{ { .type = 4, .config = { 0x1008004c4 } }, FLAGS },
		{ { .type = 4, .config = { 0x41000004c4 } }, FLAGS },
		{ { .type = 4, .config = { 0x1000004c4, 1 } }, CONFIG1 },
		{ { .type = 4, .config = { 0x1000004c4, 0, 1 } }, CONFIG2 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_row(i, differing(&attr, &rows[i].code) == rows[i].fields);
	assert_non_null(explained("wsm", "inst_retired.any", UMASK));
	assert_null(explained("wsm", "inst_retired.any", UMASK | EVENT));
	assert_null(explained("skl", "inst_retired.any", UMASK));
}

static int begin_all(void **state)
{
	const char *build = getenv("BUILD");

	/* Read when libpfm4 starts: it encodes for PMUs that this machine does not have. */
	if (fake_machine_begin(state) || setenv("LIBPFM_ENCODE_INACTIVE", "1", 1))
		return -1;
	if (!build || asprintf(&folder, "%s/share/pmcgrp/events", build) < 0)
		return 0;
	if (access(folder, R_OK)) {
		free(folder);
		folder = NULL;
	}
	return 0;
}

static int end_all(void **state)
{
	free(folder);
	return fake_machine_end(state);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_differs),
		cmocka_unit_test(as_libpfm4),
	};

	return cmocka_run_group_tests_name("encodings", tests, begin_all, end_all);
}
