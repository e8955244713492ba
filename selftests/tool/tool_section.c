// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp section` against the ioctl: of the example module, whose sections go on meanwhile, and of
 * sections that are known and stand still.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_machine.h"
#include "pmcgrp_module.h"
#include "pmcgrp_sections.h"
#include <linux/capability.h>
#include <sys/prctl.h>
#include "tool_json.h"
#include "tool_run.h"
#include "kselftest_harness.h"

#define SAMPLE "/lib/pmcgrp_sample.ko"

FIXTURE(tool_section)
{
	int dev;
	bool hardware;
};

FIXTURE_SETUP(tool_section)
{
	self->dev = -1;
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->hardware = have_cycles();
}

FIXTURE_TEARDOWN(tool_section)
{
	close(self->dev);
}

/* The section of that name in the tool's JSON, or NULL. */
static const char *json_section(const char *name)
{
	const char *p;
	char path[32];
	int i;

	for (i = 0;; i++) {
		snprintf(path, sizeof(path), "sections.%d", i);
		p = json(run.text, path);
		if (!p || is(p, "name", name))
			return p;
	}
}

/* The values of the time (0) or a member in the JSON of a section. */
static const char *json_value(const char *section, unsigned int i)
{
	char path[32];

	snprintf(path, sizeof(path), "members.%d", (int)i - 1);
	return json(section, i ? path : "time");
}

/* Sections in the bucket that ends at a value. */
static uint64_t json_bucket(const char *value, uint64_t to)
{
	const char *bucket = item_with(value, "buckets", "to", to);

	return bucket ? number(bucket, "count") : 0;
}

/* What the ioctl gave before and after the tool ran, and what the tool has printed between them. */
static bool between(uint64_t before, long long is, uint64_t after)
{
	return is >= 0 && before <= (uint64_t)is && (uint64_t)is <= after;
}

static bool stat_is_between(const char *value, const struct pmcgrp_section_stat *before,
			    const struct pmcgrp_section_stat *after)
{
	bool all;
	int i;

	/* least values decrease; before the first section they are 0 */
	all = between(before->sum, number(value, "sum"), after->sum) &&
	      between(after->min, number(value, "min"), before->min) &&
	      between(before->max, number(value, "max"), after->max) &&
	      is(value, "min-exact", "true") && is(value, "max-exact", "true");
	/* up to those that an int64_t has */
	for (i = 0; i < 63; i++)
		all = all && between(before->bucket[i], json_bucket(value, (1ULL << i) - 1),
				     after->bucket[i]);
	return all;
}

/* ---- The example ---- */

static bool sample_is_between(int dev, const char *name)
{
	struct section before, after;
	unsigned int i;
	const char *p;
	bool all;

	if (!find_section(dev, name, &before))
		return false;
	tool("pmcgrp section --json");
	p = json_section(name);
	if (run.status || !p || !find_section(dev, name, &after))
		return false;
	all = between(before.info.count, number(p, "count"), after.info.count) &&
	      between(before.info.missed[PMCGRP_MISSED_BUSY], number(p, "missed.busy"),
		      after.info.missed[PMCGRP_MISSED_BUSY]) &&
	      between(before.info.missed[PMCGRP_MISSED_OFF], number(p, "missed.off"),
		      after.info.missed[PMCGRP_MISSED_OFF]) &&
	      between(before.info.missed[PMCGRP_MISSED_MOVED], number(p, "missed.moved"),
		      after.info.missed[PMCGRP_MISSED_MOVED]);
	all = all && number(p, "id") == (long long)after.info.id &&
	      number(p, "group") == (long long)after.info.group && is(p, "owner", "sample") &&
	      is(p, "members.0.event", "cycles") && is(p, "members.1.event", "instructions") &&
	      !json(p, "members.2");
	for (i = 0; i <= 2; i++)
		all = all &&
		      stat_is_between(json_value(p, i), &before.stat[i], &after.stat[i]);
	return all;
}

/* Waits until there are some sections of both. */
static bool sample_has_counted(int dev)
{
	static const char *const names[] = { "sample_lock", "sample_softirq" };
	struct section section;
	unsigned int i, tries;

	for (i = 0; i < 2; i++) {
		for (tries = 0; tries < 1000; tries++) {
			if (find_section(dev, names[i], &section) && section.info.count)
				break;
			sleep_ns(10 * NSEC_PER_MSEC);
		}
		if (tries == 1000)
			return false;
	}
	return true;
}

/* The rows of the table that stand below the head of a section, or NULL. */
static const char *table_of(const char *name)
{
	char head[PMCGRP_SECTION_NAME_MAX + 32];
	const char *p;

	snprintf(head, sizeof(head), "section %s, group ", name);
	p = strstr(run.text, head);
	return p ? strstr(p, "\n  EVENT ") : NULL;
}

TEST_F_TIMEOUT(tool_section, the_sample_module, 120)
{
	char text[64];
	struct section section;

	if (!self->hardware)
		SKIP(return, "the module needs a hardware PMU");
	ASSERT_EQ(0, module_load_file(SAMPLE, ""));
	ASSERT_TRUE(sample_has_counted(self->dev));
	EXPECT_TRUE(sample_is_between(self->dev, "sample_lock")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(sample_is_between(self->dev, "sample_softirq")) {
		TH_LOG("%s", run.text);
	}
	tool("pmcgrp section");
	EXPECT_EQ(0, run.status);
	EXPECT_NE(NULL, table_of("sample_lock"));
	EXPECT_NE(NULL, table_of("sample_softirq"));
	EXPECT_FALSE(says("distribution"));
	tool("pmcgrp section sample_lock");
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says("\n  instructions             : count    distribution\n"));
	EXPECT_FALSE(says("sample_softirq"));
	tool("pmcgrp section -N 'sample_*'");
	EXPECT_STREQ("sample_lock\nsample_softirq\n", run.text);
	tool("pmcgrp section nosuch");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("there are: sample_lock, sample_softirq\n"));
	/* its group is the module's, not that of the process which has loaded it */
	ASSERT_TRUE(find_section(self->dev, "sample_lock", &section));
	tool("pmcgrp info");
	snprintf(text, sizeof(text), "group %llu of sample: all CPUs",
		 (unsigned long long)section.info.group);
	EXPECT_TRUE(says(text)) {
		TH_LOG("%s", run.text);
	}
	EXPECT_EQ(0, module_unload_name("pmcgrp_sample"));
	tool("pmcgrp section");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("no kernel module has a section now"));
}

/* Together the intervals have no more than was counted from before the first to after the last. */
TEST_F_TIMEOUT(tool_section, intervals, 120)
{
	struct section before, after;
	uint64_t count = 0;
	const char *line;
	int nr = 0;

	if (!self->hardware)
		SKIP(return, "the module needs a hardware PMU");
	ASSERT_EQ(0, module_load_file(SAMPLE, ""));
	ASSERT_TRUE(sample_has_counted(self->dev));
	ASSERT_TRUE(find_section(self->dev, "sample_lock", &before));
	tool("pmcgrp section -I 100 --interval-count 3 -j sample_lock");
	ASSERT_TRUE(find_section(self->dev, "sample_lock", &after));
	EXPECT_EQ(0, run.status);
	for (line = run.text; *line; line = strchr(line, '\n') + 1) {
		EXPECT_LE(0, number(line, "interval"));
		EXPECT_LT(0, number(line, "sections.0.count") +
				     number(line, "sections.0.missed.moved"));
		count += number(line, "sections.0.count");
		nr++;
	}
	EXPECT_EQ(3, nr);
	EXPECT_LT(0, count);
	EXPECT_LE(count, after.info.count - before.info.count);
	EXPECT_EQ(0, module_unload_name("pmcgrp_sample"));
}

/* ---- Sections that are known ---- */

/* A number as the table has it, with commas. */
static const char *grouped(uint64_t value)
{
	static char text[32];
	char *at = text + sizeof(text) - 1;
	int digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = '0' + value % 10;
		value /= 10;
		digits++;
	} while (value);
	return at;
}

/* Whether the table has a row with these values. */
static bool has_row(const char *event, const struct section *section, unsigned int i)
{
	const struct pmcgrp_section_stat *stat = &section->stat[i];
	const char *p = table_of(section->info.name), *column;
	char row[64];
	unsigned int k;
	size_t len;

	snprintf(row, sizeof(row), "\n  %-18s ", event);
	p = p ? strstr(p, row) : NULL;
	if (!p)
		return false;
	p += strlen(row);
	for (k = 0; k < 4; k++) {
		p += strspn(p, " ");
		column = grouped(k == 0 ? stat->sum : k == 2 ? stat->min : stat->max);
		len = strcspn(p, "\n ");
		/* a mean has decimals */
		if (k != 1 && (len != strlen(column) || strncmp(p, column, len)))
			return false;
		p += len;
	}
	return *p == '\n';
}

TEST_F_TIMEOUT(tool_section, known_sections, 120)
{
	const char *events = self->hardware ? "0:1,0:0" : "1:0,1:3";
	const char *first = self->hardware ? "instructions" : "cpu-clock";
	const char *second = self->hardware ? "cycles" : "context-switches";
	struct section outer;
	char text[64];
	const char *p;

	ASSERT_EQ(0, testapi_load());
	ASSERT_EQ(0, api("group all %s", events));
	ASSERT_EQ(0, api("section"));
	tool("pmcgrp section");
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says(" of testapi: 0 counted, 0 missed\n"));
	ASSERT_EQ(0, api("loop irqsoff 1234 100"));
	ASSERT_TRUE(find_section(self->dev, "outer", &outer));
	EXPECT_EQ(1234, outer.info.count);
	tool("pmcgrp section outer");
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says(" of testapi: 1,234 counted, 0 missed\n"));
	EXPECT_TRUE(has_row("time (ns)", &outer, 0));
	EXPECT_TRUE(has_row(first, &outer, 1)) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(has_row(second, &outer, 2));
	/* Twice the same: nothing moves, and a look leaves nothing behind. */
	tool("pmcgrp section -j outer");
	p = json_section("outer");
	EXPECT_TRUE(stat_is_between(json_value(p, 0), &outer.stat[0], &outer.stat[0]));
	EXPECT_TRUE(stat_is_between(json_value(p, 1), &outer.stat[1], &outer.stat[1]));
	EXPECT_TRUE(stat_is_between(json_value(p, 2), &outer.stat[2], &outer.stat[2]));
	EXPECT_EQ(NULL, json(run.text, "sections.1"));
	tool("pmcgrp section -x ';' outer");
	snprintf(text, sizeof(text), ";%llu;;%s;1234;0;0;0;", (unsigned long long)outer.stat[1].sum,
		 first);
	EXPECT_TRUE(says(text));
	/* what is missed is said, with the reason */
	ASSERT_EQ(0, api("switched 7"));
	ASSERT_EQ(0, api("disable"));
	ASSERT_EQ(0, api("loop task 5 10"));
	tool("pmcgrp section");
	EXPECT_TRUE(says(" of testapi: 1,234 counted, 12 missed\n"));
	EXPECT_TRUE(says("\n  missed 5: the group did not have its counters all the time; "));
	EXPECT_TRUE(says("\n  missed 7: it ran outside of the group, or ended in another ")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_FALSE(says("the beginning or the end interrupted"));
	EXPECT_EQ(0, testapi_unload());
}

/* Others' sections are for those who see all groups. */
TEST_F_TIMEOUT(tool_section, without_the_right_to_see_groups, 60)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, testapi_load());
	ASSERT_EQ(0, api("group all 1:0"));
	ASSERT_EQ(0, api("section"));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		/* root's next program has no more than this */
		if (prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN))
			_exit(2);
		tool("pmcgrp section outer");
		_exit(run.status != 125 || says("section outer") || says("testapi") ||
		      !says("not permitted to list the sections and spans of others: run as root"));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ(0, testapi_unload());
}

TEST_HARNESS_MAIN
