// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp span --record`: what the records of the file come to is the span's table, read as perf
 * reads it (tool_perfdata.h), and by `pmcgrp report`.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_keys.h"
#include "pmcgrp_machine.h"
#include "pmcgrp_module.h"
#include "pmcgrp_sections.h"
#include "tool_json.h"
#include "tool_perfdata.h"
#include "tool_run.h"
#include "kselftest_harness.h"

#define WORK	"pmcgrp_testapi_work"
#define POINTS	"pmcgrp_testapi_begin/pmcgrp_testapi_end"
#define FILE_NAME "/tmp/span.data"

/* Shell lines. */
#define CALL(what)	"echo " what " >" TESTAPI "; "
#define DO(what)	"sh -c '" CALL(what) "'"
#define GO	"/tmp/tool_span_record.go"
#define WAIT(what)	"(until [ -e " GO " ]; do sleep 0.1; done; " CALL(what) \
			"exec sleep 1000) & "
#define TWICE		"sh -c '(" CALL("call irqsoff 50 10") "); " CALL("call irqsoff 30 20") "'"
#define KEY		"@arg1,arg0 -- "
#define BOTH		"sh -c '" CALL("call irqsoff 70 10") CALL("points irqsoff 40 10") "'"
#define START		"rm -f " GO "; " WAIT("call irqsoff 6 10") "a=$!; " \
			WAIT("call irqsoff 7 20") "b=$!; "
#define OF_BOTH		"pmcgrp span -p $a,$b -j --record " FILE_NAME " -e '%s' " WORK " -- "
#define GO_ON		"sh -c 'touch " GO "; sleep 1' 2>&1; s=$?; kill $a $b; exit $s"
#define THIRTY_TIMES	"for i in $(seq 30); do " CALL("call irqsoff 10 10") "sleep 0.12; done"
#define IN(name)	"echo 0 >" CGROUPS "/" name "/cgroup.procs; "
#define BY_CGROUPS	"sh -c '(" IN("r1") CALL("call irqsoff 4 10") "); (" IN("r2") \
			CALL("call irqsoff 5 10") ")'"

/* A table in JSON, and the file of the same run. */
static struct perfdata_file file;

FIXTURE(tool_span_record)
{
	int dev;
	const char *events;
};

FIXTURE_SETUP(tool_span_record)
{
	self->dev = -1;
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, testapi_load());
	self->events = have_instructions() ? "{instructions,cycles}" : "cpu-clock,page-faults";
}

FIXTURE_TEARDOWN(tool_span_record)
{
	unlink(FILE_NAME);
	unlink(FILE_NAME ".old");
	if (self->dev >= 0)
		EXPECT_EQ(0, testapi_unload());
	close(self->dev);
}

/* A number of the table that tool() has printed. */
static long long of_table(unsigned int span, const char *key)
{
	char path[96];

	snprintf(path, sizeof(path), "sections.%u.%s", span, key);
	return number(strchr(run.text, '{'), path);
}

/* Of all spans of the table. */
static unsigned long long all_of(unsigned int spans, const char *key)
{
	unsigned long long sum = 0;

	while (spans)
		sum += of_table(--spans, key);
	return sum;
}

/* A ring's content was always understood. */
static bool all_is_well(void)
{
	return !run.status && !says("no sense");
}

/* Events of a file: so many spans' names, the time, two members. Each is the table's. */
static bool is_table(unsigned int names, unsigned int spans)
{
	const struct perfdata_event *time = &file.event[names];
	unsigned long long calls = 0, table = all_of(spans, "count");
	unsigned int i;
	bool same;

	for (i = 0; i < names; i++)
		calls += file.event[i].samples;
	same = file.nr_events == names + 3 && !file.wrong && calls == table &&
	       time[0].sum == all_of(spans, "time.sum") &&
	       time[1].sum == all_of(spans, "members.0.sum") &&
	       time[2].sum == all_of(spans, "members.1.sum");
	printf("# %llu calls of %llu: time %llu, members %llu and %llu; %llu wrong, %llu lost\n",
	       calls, table, time[0].sum, time[1].sum, time[2].sum, file.wrong, file.lost);
	return same;
}

TEST_F_TIMEOUT(tool_span_record, a_command, 120)
{
	char name[64];

	tool("pmcgrp span -j --record " FILE_NAME " -e '%s' " WORK " -- " TWICE, self->events);
	EXPECT_TRUE(all_is_well());
	ASSERT_TRUE(perfdata_read(FILE_NAME, &file));
	EXPECT_EQ(80, of_table(0, "count")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(is_table(1, 1));
	EXPECT_EQ(80, file.event[0].samples);
	EXPECT_EQ(80, file.event[0].sum);
	EXPECT_EQ(0, file.lost);
	EXPECT_FALSE(file.has_cgroup);
	EXPECT_LT(0, file.comms);
	/* what was there is kept, as by record */
	tool("pmcgrp span -i -j --record " FILE_NAME " -e '%s' " WORK " -- " TWICE, self->events);
	ASSERT_TRUE(perfdata_read(FILE_NAME, &file));
	EXPECT_EQ(30, of_table(0, "count"));
	EXPECT_TRUE(is_table(1, 1));
	ASSERT_TRUE(perfdata_read(FILE_NAME ".old", &file));
	EXPECT_EQ(80, file.event[0].samples);
	/* its events by their names, and an interval for each call */
	tool("pmcgrp report -j " FILE_NAME);
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(30, number(run.text, "intervals")) {
		TH_LOG("%s", run.text);
	}
	snprintf(name, sizeof(name), "\"%s\"", WORK);
	EXPECT_TRUE(says(name) && says("\"time\""));
}

/* Each span has its own name, and each sum is by it as well. */
TEST_F_TIMEOUT(tool_span_record, several_spans, 120)
{
	unsigned long long time[2];
	char row[96];

	tool("pmcgrp span -a -j --record " FILE_NAME " -e '%s' " WORK " " POINTS KEY BOTH,
	     self->events);
	EXPECT_TRUE(all_is_well());
	ASSERT_TRUE(perfdata_read(FILE_NAME, &file));
	EXPECT_TRUE(is_table(2, 2)) {
		TH_LOG("%s", run.text);
	}
	/* between the points that function is called as well */
	EXPECT_EQ(110, file.event[0].samples);
	EXPECT_EQ(40, file.event[1].samples);
	time[0] = of_table(0, "time.sum");
	time[1] = of_table(1, "time.sum");
	tool("pmcgrp report --sort trigger --csv " FILE_NAME);
	EXPECT_EQ(0, run.status);
	TH_LOG("%s", run.text);
	snprintf(row, sizeof(row), "sum," WORK ",110,");
	EXPECT_TRUE(says(row));
	snprintf(row, sizeof(row), ",%llu,", time[0]);
	EXPECT_TRUE(says(row));
	snprintf(row, sizeof(row), ",%llu,", time[1]);
	EXPECT_TRUE(says(row));
}

/* Each of several targets has rings of its own. */
TEST_F_TIMEOUT(tool_span_record, of_processes, 120)
{
	tool(START OF_BOTH GO_ON, self->events);
	EXPECT_TRUE(all_is_well()) {
		TH_LOG("%s", run.text);
	}
	ASSERT_TRUE(perfdata_read(FILE_NAME, &file)) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(is_table(1, 2)) {
		TH_LOG("%s", run.text);
	}
	EXPECT_EQ(13, file.event[0].samples);
}

TEST_F_TIMEOUT(tool_span_record, by_cgroup, 120)
{
	if (self->dev < 0 || !cgroups_mount())
		SKIP(return, "there are no cgroups of version 2");
	ASSERT_NE(0, cgroup_make("r1"));
	ASSERT_NE(0, cgroup_make("r2"));
	tool("pmcgrp span -a --by cgroup -j --record " FILE_NAME " -e '%s' " WORK " -- " BY_CGROUPS,
	     self->events);
	EXPECT_TRUE(all_is_well());
	ASSERT_TRUE(perfdata_read(FILE_NAME, &file));
	EXPECT_TRUE(is_table(1, 1));
	EXPECT_TRUE(file.has_cgroup);
	EXPECT_LE(2, file.cgroups);
	tool("pmcgrp report --sort cgroup --csv " FILE_NAME);
	EXPECT_TRUE(says("sum,/r1,4,")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(says("sum,/r2,5,"));
	EXPECT_TRUE(cgroup_remove("r1") && cgroup_remove("r2"));
}

/* The rings are emptied while the command runs; a full one loses records, which the file tells. */
TEST_F_TIMEOUT(tool_span_record, long_and_lost, 120)
{
	char lost[96];

	tool("pmcgrp span -j --record " FILE_NAME " -m 1 -e '%s' " WORK
	     " -- sh -c '" THIRTY_TIMES "'", self->events);
	EXPECT_TRUE(all_is_well());
	ASSERT_TRUE(perfdata_read(FILE_NAME, &file));
	EXPECT_TRUE(is_table(1, 1)) {
		TH_LOG("%s", run.text);
	}
	EXPECT_EQ(300, file.event[0].samples);
	EXPECT_EQ(0, file.lost);
	/* of one task: else a record of its last switch may be lost, too */
	tool("pmcgrp span -i -j --record " FILE_NAME " -m 1 -e '%s' " WORK
	     " -- " DO("call irqsoff 2000 10"), self->events);
	EXPECT_TRUE(all_is_well());
	ASSERT_TRUE(perfdata_read(FILE_NAME, &file));
	EXPECT_EQ(2000, of_table(0, "count"));
	EXPECT_LT(0, file.lost);
	EXPECT_EQ(2000, file.event[0].samples + file.lost);
	snprintf(lost, sizeof(lost), "%llu of 2000 records were lost: the rings were full",
		 file.lost);
	EXPECT_TRUE(says(lost)) {
		TH_LOG("%.400s", run.text);
	}
}

TEST_F_TIMEOUT(tool_span_record, refused, 60)
{
	tool("pmcgrp span -a --record /nosuch/file -e '%s' " WORK " -- true", self->events);
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("/nosuch/file: No such file")) {
		TH_LOG("%s", run.text);
	}
	tool("pmcgrp span -a --record " FILE_NAME " -e '%s' " WORK " -- /nosuch", self->events);
	EXPECT_EQ(127, run.status);
	/* and is a file without a record */
	ASSERT_TRUE(perfdata_read(FILE_NAME, &file));
	EXPECT_EQ(0, file.event[0].samples);
	tool("pmcgrp span -a --record - " WORK " -- true");
	EXPECT_EQ(125, run.status);
}

TEST_HARNESS_MAIN
