// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp list --probe` and names of events in `pmcgrp stat`.
 *
 * What opens is held against perf_event_open(2) with the code that `pmcgrp list --explain` shows.
 */
#include "pmcgrp_machine.h"
#include <stdarg.h>
#include "kselftest_harness.h"

#define TEXT_MAX (256 * 1024)

static char text[TEXT_MAX];

/* Run a shell command; its output is in text. */
static int sh(const char *format, ...)
{
	char line[512];
	va_list args;
	size_t len;
	FILE *out;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	out = popen(line, "r");
	if (!out)
		return -1;
	len = fread(text, 1, sizeof(text) - 1, out);
	text[len] = '\0';
	return WEXITSTATUS(pclose(out));
}

/* A number behind "key", which is in quotes if it is in hexadecimal. */
static uint64_t number_of(const char *json, const char *key)
{
	const char *at = strstr(json, key);

	if (!at)
		return 0;
	at += strlen(key);
	at += strspn(at, "\": ");
	return strtoull(at, NULL, 0);
}

static bool perf_opens(const char *name)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1 };
	int fd;

	if (sh("pmcgrp list -j -x '%s'", name))
		return false;
	attr.type = number_of(text, "\"type\"");
	attr.config = number_of(text, "\"config\"");
	attr.config1 = number_of(text, "\"config1\"");
	attr.config2 = number_of(text, "\"config2\"");
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

FIXTURE(list)
{
	char *names;
};

FIXTURE_SETUP(list)
{
	self->names = NULL;
}

FIXTURE_TEARDOWN(list)
{
	free(self->names);
}

TEST_F_TIMEOUT(list, what_opens, 600)
{
	char *name, *next, *no;
	int opens = 0, all = 0;

	/* Not cache events: the load for these takes long without KVM. */
	ASSERT_EQ(0, sh("pmcgrp list -p hw sw pmu | grep '^  '"));
	self->names = strdup(text);
	ASSERT_NE(NULL, self->names);
	for (name = self->names; *name; name = next) {
		next = strchr(name, '\n') + 1;
		next[-1] = '\0';
		name += strspn(name, " ");
		no = strstr(name, "  no: ");
		name[strcspn(name, " ")] = '\0';
		EXPECT_EQ(!no, perf_opens(name)) {
			TH_LOG("%s: %s", name, no ? no : "opens");
		}
		opens += !no;
		all++;
	}
	TH_LOG("%d of %d open", opens, all);
	EXPECT_LT(10, opens);
}

/* An event with a name is the event with its code. */
TEST_F(list, by_name_and_by_code)
{
	ASSERT_EQ(0, sh("pmcgrp stat -x, -e '{%s}:u' true 2>&1 | cut -d, -f1,3",
			"page-faults,1:2,software/config=2/,software/config=2,name=Mine/"));
	EXPECT_NE(NULL, strstr(text, ",Mine\n"));
	EXPECT_NE(NULL, strstr(text, ",1:2:u\n"));
	EXPECT_NE(NULL, strstr(text, ",software/config=2/u\n"));
	EXPECT_EQ(0, sh("pmcgrp stat -x, -e '{%s}:u' true 2>&1 | cut -d, -f1 | sort -u | wc -l",
			"page-faults,1:2,software/config=2/"));
	EXPECT_EQ(1, atoi(text));
}

TEST_F(list, tracepoints_by_glob)
{
	ASSERT_EQ(0, sh("pmcgrp stat -x, -e '%s' true 2>&1",
			"sched:sched_sw[i]*,sched:sched_process_ex?[ct]"));
	EXPECT_NE(NULL, strstr(text, ",sched:sched_switch,"));
	EXPECT_NE(NULL, strstr(text, ",sched:sched_process_exit,"));
	EXPECT_NE(NULL, strstr(text, ",sched:sched_process_exec,"));
	EXPECT_EQ(125, sh("pmcgrp stat -e 'sched:nothing_*' true 2>/dev/null"));
}

/* The name of a system of tracepoints alone is no event: libpfm4 has it without an id. */
TEST_F(list, tracepoint_system_is_refused)
{
	EXPECT_EQ(125, sh("pmcgrp stat -e sched true 2>&1"));
	EXPECT_NE(NULL, strstr(text, "is a system of tracepoints"));
	EXPECT_NE(NULL, strstr(text, "\"sched:*\""));
}

/* A group that the PMU cannot hold: refused, or with W broken up. */
TEST_F(list, weak_group)
{
#ifdef __x86_64__
	char group[512] = "r3c";
#else
	char group[512] = "r11";
#endif
	char first[8] = "";
	int i;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	snprintf(first, sizeof(first), ",%s,", group);
	for (i = 0; i < 20; i++)
		snprintf(group + strlen(group), sizeof(group) - strlen(group), ",r%x", 0x20 + i);
	EXPECT_EQ(125, sh("pmcgrp stat -x, -e '{%s}' true 2>&1", group));
	EXPECT_EQ(0, sh("pmcgrp stat -x, -e '{%s}:W' true 2>&1", group));
	EXPECT_NE(NULL, strstr(text, "is broken up"));
	EXPECT_NE(NULL, strstr(text, first));
}

/* Of the counters that --counters measures, those that perf events have are not free. */
TEST_F(list, counters)
{
	struct perf_event_attr attr;
	struct copies copies;
	int held[2], i;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	copies = count_copies(machine()->instructions);
	TH_LOG("%u counters, %u free", copies.fit, copies.left);
	ASSERT_LT(2, copies.left);
	ASSERT_EQ(0, sh("pmcgrp list -c -j hw"));
	EXPECT_NE(NULL, strstr(text, "\"kind\": \"counters\""));
	EXPECT_EQ(copies.fit, number_of(text, "\"counters\":"));
	EXPECT_EQ(copies.left, number_of(text, "\"free\":"));
	EXPECT_EQ(0, number_of(text, "\"groups\":"));
	for (i = 0; i < 2; i++) {
		attr = raw_copy(machine()->instructions, COUNTERS_MOST + i);
		attr.pinned = 1;
		held[i] = perf_open(&attr, -1, 0, -1);
		ASSERT_LE(0, held[i]);
	}
	ASSERT_EQ(0, sh("pmcgrp list -c -j hw"));
	EXPECT_EQ(copies.fit, number_of(text, "\"counters\":"));
	EXPECT_EQ(copies.left - 2, number_of(text, "\"free\":"));
	EXPECT_LE(2, number_of(text, "\"most\":"));
	close(held[1]);
	close(held[0]);
	ASSERT_EQ(0, sh("pmcgrp list -c hw sw | grep -c 'free now'"));
	EXPECT_EQ(1, atoi(text));
}

TEST_HARNESS_MAIN
