// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp span` of functions whose calls are known (test_modules/kernel_api/calls.c), and of the
 * kernel's own.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_keys.h"
#include "pmcgrp_machine.h"
#include "pmcgrp_sections.h"
#include "tool_json.h"
#include "tool_run.h"
#include "kselftest_harness.h"

#define SLEEP	"pmcgrp_testapi_sleep"
#define POINTS	"pmcgrp_testapi_begin/pmcgrp_testapi_end"
#define MOD_POINTS "pmcgrp_testapi:" POINTS
#define GO	"/tmp/tool_span.go"
#define DONE	"/tmp/tool_span.done"

/* Shell lines. */
#define WAIT(file)	"until [ -e " file " ]; do sleep 0.1; done; "
#define CALL(what)	"echo " what " >" TESTAPI "; "
#define DO(what)	"sh -c '" CALL(what) "'"
#define BY_TWO		"sh -c '(" CALL("call irqsoff 5 10") "); " CALL("call irqsoff 3 10") "'"
#define BY_OTHER	"(" WAIT(GO) CALL("call irqsoff 6 10") "touch " DONE "; exec sleep 1000) & "
#define GO_AND_WAIT	"sh -c 'touch " GO "; " WAIT(DONE) "'"
#define IN(name)	"echo 0 >" CGROUPS "/" name "/cgroup.procs; "
#define BY_CGROUPS	"sh -c '(" IN("s1") CALL("call irqsoff 4 10") "); (" IN("s2") \
			CALL("call irqsoff 5 10") "); (" IN("s1/b") CALL("call irqsoff 6 10") \
			"); " CALL("call irqsoff 7 10") "'"
#define FOUR_TIMES	"for i in 1 2 3 4; do " CALL("call irqsoff 5 10") "sleep 0.15; done"

FIXTURE(tool_span)
{
	int dev;
	const char *events;
	const char *first;	/* their names */
};

FIXTURE_SETUP(tool_span)
{
	self->dev = -1;
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, testapi_load());
	self->events = have_instructions() ? "{instructions,cycles}" : "cpu-clock,page-faults";
	self->first = have_instructions() ? "instructions" : "cpu-clock";
}

FIXTURE_TEARDOWN(tool_span)
{
	if (self->dev >= 0)
		EXPECT_EQ(0, testapi_unload());
	close(self->dev);
}

/* A function of this program, which a command calls; see SELF(). */
__attribute__((noipa)) void tool_span_called(void);

void tool_span_called(void)
{
	asm volatile("" : : : "memory");
}

/* As a command of a test. */
static __attribute__((constructor)) void execute(void)
{
	const char *calls = getenv("TOOL_SPAN_CALLS");
	int i;

	if (!calls)
		return;
	for (i = 0; i < atoi(calls); i++)
		tool_span_called();
	_exit(0);
}

/* The number of a key of the first span. */
static long long of_span(const char *key)
{
	char path[64];

	snprintf(path, sizeof(path), "sections.0.%s", key);
	return number(run.text, path);
}

TEST_F_TIMEOUT(tool_span, a_command, 120)
{
	char text[64];

	tool("pmcgrp span -e '%s' " WORK " -- " DO("call irqsoff 123 10"), self->events);
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says("span " WORK ", group ")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(says(": 123 counted, 0 missed\n"));
	snprintf(text, sizeof(text), "\n  %-18s ", self->first);
	EXPECT_TRUE(says(text));
	/* of one function there are pictures */
	EXPECT_TRUE(says("distribution"));
	tool("pmcgrp span -j -e '%s' " WORK " -- " DO("call irqsoff 123 10"), self->events);
	EXPECT_EQ(123, of_span("count"));
	EXPECT_EQ(0, of_span("in-flight"));
	if (have_instructions())	/* a clock's time may differ */
		EXPECT_EQ(123, of_span("members.0.buckets.0.count"));
	EXPECT_TRUE(says("\"kind\": \"function\""));
	/* its own exit status */
	tool("pmcgrp span " WORK " -e '%s' -- sh -c 'exit 7'", self->events);
	EXPECT_EQ(7, run.status);
	EXPECT_TRUE(says(": 0 counted, 0 missed\n"));
	/* nothing is left */
	tool("pmcgrp section");
	EXPECT_EQ(125, run.status);
}

/* What a command creates is counted, unless it is left out; and so are calls that sleep. */
TEST_F_TIMEOUT(tool_span, whose_calls, 120)
{
	char line[512];

	tool("pmcgrp span -j -e '%s' " WORK " -- " BY_TWO, self->events);
	EXPECT_EQ(8, of_span("count")) {
		TH_LOG("%s", run.text);
	}
	tool("pmcgrp span -i -j -e '%s' " WORK " -- " BY_TWO, self->events);
	EXPECT_EQ(3, of_span("count"));
	EXPECT_EQ(0, of_span("missed.moved"));
	tool("pmcgrp span -j -e '%s' " SLEEP " -- " DO("sleep 3 10"), self->events);
	EXPECT_EQ(3, of_span("count"));
	EXPECT_EQ(0, of_span("missed.moved"));
	tool("pmcgrp span -i -j -e '%s' " SLEEP " -- " DO("sleep 3 10"), self->events);
	EXPECT_EQ(3, of_span("count"));
	tool("pmcgrp span -a -j -e '%s' " WORK " -- " DO("call irqsoff 9 10"), self->events);
	EXPECT_EQ(9, of_span("count"));
	/* a process that is there already, and calls when it is counted */
	snprintf(line, sizeof(line), "pmcgrp span -j -e '%s' " WORK " -p $p -- " GO_AND_WAIT,
		 self->events);
	tool("rm -f " GO " " DONE "; " BY_OTHER "p=$!; { %s; kill $p; }", line);
	EXPECT_EQ(6, of_span("count")) {
		TH_LOG("%s", run.text);
	}
}

/* Of whoever is in a cgroup or below; what others call is not missed. */
TEST_F_TIMEOUT(tool_span, of_cgroups, 120)
{
	if (self->dev < 0 || !cgroups_mount())
		SKIP(return, "there are no cgroups of version 2");
	ASSERT_NE(0, cgroup_make("s1"));
	ASSERT_NE(0, cgroup_make("s1/b"));
	ASSERT_NE(0, cgroup_make("s2"));
	tool("pmcgrp span -G s2 -j -e '%s' " WORK " -- " BY_CGROUPS, self->events);
	EXPECT_EQ(5, of_span("count")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_EQ(0, of_span("missed.off"));
	EXPECT_EQ(0, of_span("missed.moved"));
	tool("pmcgrp span -a -G /s1," CGROUPS "/s2,s1/b -j -e '%s' " WORK " -- " BY_CGROUPS,
	     self->events);
	EXPECT_EQ(10, of_span("count")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_EQ(5, number(run.text, "sections.1.count"));
	EXPECT_EQ(6, number(run.text, "sections.2.count"));
	EXPECT_EQ(0, of_span("missed.off"));
	EXPECT_TRUE(says("\"" WORK ":/s1\""));
	EXPECT_TRUE(says("\"" WORK ":s1/b\""));
	/* without its command nobody is in the cgroup */
	tool("pmcgrp span -G s1/b -e '%s' " WORK " -- pmcgrp info", self->events);
	EXPECT_TRUE(says(": cgroup /s1/b (on 0 CPUs now), enabled")) {
		TH_LOG("%s", run.text);
	}
	tool("pmcgrp span -G s3 " WORK " -- true");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("-G: there is no cgroup 's3' in " CGROUPS ": did you mean 's1' or 's2'?"));
	EXPECT_TRUE(cgroup_remove("s1/b") && cgroup_remove("s1") && cgroup_remove("s2"));
}

TEST_F_TIMEOUT(tool_span, intervals_and_formats, 120)
{
	const char *line;
	long long sum = 0;
	int nr = 0;

	tool("pmcgrp span -a -j -I 200 -e '%s' " WORK " -- sh -c '" FOUR_TIMES "'", self->events);
	EXPECT_EQ(0, run.status);
	for (line = run.text; *line; line = strchr(line, '\n') + 1) {
		sum += number(line, "sections.0.count");
		nr++;
	}
	EXPECT_EQ(20, sum) {
		TH_LOG("%s", run.text);
	}
	EXPECT_LT(1, nr);
	tool("pmcgrp span -a -x ';' -e '%s' " WORK " vfs_read -- " DO("call irqsoff 4 10"),
	     self->events);
	EXPECT_TRUE(says(";ns;time;4;0;0;0;0;")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(says("\nvfs_read;"));
	tool("pmcgrp span -a -o /tmp/span.out -e '%s' " WORK " -- true", self->events);
	EXPECT_STREQ("", run.text);
	tool("cat /tmp/span.out; rm /tmp/span.out");
	EXPECT_TRUE(says("span " WORK));
}

/* A function of a program, by its name and by its offset. */
TEST_F_TIMEOUT(tool_span, a_program, 120)
{
	char path[256], name[256];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	ASSERT_GT(n, 0);
	path[n] = '\0';
	ASSERT_EQ(0, setenv("SELF", path, 1));
	snprintf(name, sizeof(name), "span %s:tool_span_called, group ", strrchr(path, '/') + 1);
	tool("pmcgrp span -i -e '%s' $SELF:tool_span_called -- env TOOL_SPAN_CALLS=321 $SELF",
	     self->events);
	EXPECT_EQ(0, run.status);
	TH_LOG("%s", run.text);
	EXPECT_TRUE(says(name));
	EXPECT_TRUE(says(": 321 counted, 0 missed\n"));
	tool("pmcgrp span -j -e '%s' $SELF:tool_span_called -- sh -c 'TOOL_SPAN_CALLS=70 $SELF'",
	     self->events);
	EXPECT_EQ(70, of_span("count") + of_span("missed.moved"));
	EXPECT_TRUE(says("\"kind\": \"user_function\""));
	tool("pmcgrp span $SELF:tool_span_caled -- true");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("did you mean 'tool_span_called'")) {
		TH_LOG("%s", run.text);
	}
	/* in no part of the file that is loaded */
	tool("pmcgrp span $SELF:0x7fffffff -- true");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("there is no code"));
	tool("pmcgrp span /nosuch:main -- true");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("No such file"));
}

/* From one tracepoint to another one, with and without a system and a key. */
TEST_F_TIMEOUT(tool_span, tracepoints, 120)
{
	tool("pmcgrp span -j -e '%s' " POINTS "@arg1,arg0 -- " DO("points irqsoff 45 10"),
	     self->events);
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(45, of_span("count")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_EQ(0, of_span("in-flight"));
	EXPECT_TRUE(says("\"kind\": \"tracepoints\""));
	EXPECT_TRUE(says("\"name\": \"" POINTS "\""));
	tool("pmcgrp span -a -e '%s' " MOD_POINTS "@arg0,arg1:4 -- " DO("points irqsoff 46 10"),
	     self->events);
	EXPECT_TRUE(says("span " POINTS ", group ")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(says(": 46 counted, 0 missed\n"));
	tool("pmcgrp span -x ';' -e '%s' " POINTS "@task " WORK " -- " DO("points irqsoff 4 10"),
	     self->events);
	EXPECT_TRUE(says("\n" POINTS ";") || !strncmp(run.text, POINTS ";", strlen(POINTS ";")));
	EXPECT_TRUE(says(";ns;time;4;0;0;0;0;"));
	/* a well-known pair has its key */
	tool("pmcgrp span -i -j -e '%s' sys_enter/sys_exit -- true", self->events);
	EXPECT_LT(0, of_span("count")) {
		TH_LOG("%s", run.text);
	}
}

/* What keys have together is the span. */
TEST_F_TIMEOUT(tool_span, by_key, 120)
{
	char path[64];
	long long sum = 0, nr;
	int i;

	tool("pmcgrp span -a -j --by process -e '%s' " WORK " -- " BY_TWO, self->events);
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(8, of_span("count")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(says("\"by\": \"process\""));
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "keys.%d.count", i);
		nr = of_span(path);
		sum += nr;
		EXPECT_TRUE(nr == 5 || nr == 3);
	}
	EXPECT_EQ(8, sum);
	EXPECT_TRUE(says("\"comm\": \"sh\""));
	tool("pmcgrp span -a --by command --top 1 -e '%s' " WORK " -- " BY_TWO, self->events);
	EXPECT_TRUE(says("\n  command "));
	EXPECT_TRUE(says("\n  sh                                8 time (ns)")) {
		TH_LOG("%s", run.text);
	}
	tool("pmcgrp span -a --by cpu -x ';' -e '%s' " WORK " -- " DO("call irqsoff 4 10"),
	     self->events);
	EXPECT_TRUE(says(";cpu;cpu;")) {
		TH_LOG("%s", run.text);
	}
	/* Both processes have a histogram of each value, of all their calls. */
	tool("pmcgrp span -a -j -H --by process -e '%s' " WORK " -- " BY_TWO, self->events);
	for (i = 0, sum = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "keys.%d.members.0.buckets.0.count", i);
		sum += of_span(path);
	}
	EXPECT_LE(2, sum);
	EXPECT_GE(8, sum);
	tool("pmcgrp span -a -H --by command --top 1 -e '%s' " WORK " -- " BY_TWO, self->events);
	EXPECT_TRUE(says("\n  command sh\n  time (ns) ")) {
		TH_LOG("%s", run.text);
	}
	tool("pmcgrp span -a --by user " WORK " -- true");
	EXPECT_EQ(125, run.status);
}

TEST_F_TIMEOUT(tool_span, refused, 120)
{
	tool("pmcgrp span vfs_raed -- true");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("did you mean 'vfs_read'")) {
		TH_LOG("%s", run.text);
	}
	tool("pmcgrp span $(awk '{ print $2; exit }' /sys/kernel/debug/kprobes/blacklist) -- true");
	EXPECT_EQ(125, run.status);
	tool("pmcgrp span " WORK " --max-active 100000 -e '%s' -- true", self->events);
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("at most 16384"));
	tool("pmcgrp span " WORK " -e '%s' -- /nosuch", self->events);
	EXPECT_EQ(127, run.status);
	tool("pmcgrp span sys_entre/sys_exit@task -e '%s' -- true", self->events);
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("no such tracepoint")) {
		TH_LOG("%s", run.text);
	}
	tool("pmcgrp span pmcgrp_testapi_begin/pmcgrp_testapi_end -e '%s' -- true", self->events);
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("takes a key"));
	tool("pmcgrp span " WORK " -e cs,cs:u,cs:k,faults,faults:u,faults:k,cs,cs,cs -- true");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("8 events at most"));
}

TEST_HARNESS_MAIN
