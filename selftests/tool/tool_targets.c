// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp stat` on the machine, CPUs, processes and their children.
 *
 * What is counted is a system call that nothing else here makes, getsid(2), by its
 * tracepoint: every number is exact, wherever and whenever it runs.  This program is
 * also what is counted (tool_work.h).
 */
#include "pmcgrp_mark.h"
#include <limits.h>
#include <stdarg.h>
#include <sys/personality.h>
#include "tool_work.h"
#include "kselftest_harness.h"

#define EVENT		"syscalls:sys_enter_getsid"
#define ROWS_MAX	1024

/* A line of CSV: what stands before the value, and the value; -1 for <not counted>. */
struct row {
	char first[2][64];
	int nr_first;
	long value;
};

struct run {
	int status;
	int nr;
	struct row row[ROWS_MAX];
	char text[65536];
};

static struct run run;

/* The value is before ",unit,event": two fields before the event. */
static void take_line(char *line, const char *event)
{
	struct row *row = &run.row[run.nr];
	char *field[32], *at;
	int nr = 0, i;

	while (nr < 32 && (at = strsep(&line, ",")))
		field[nr++] = at;
	for (i = 2; i < nr && strcmp(field[i], event); i++)
		;
	if (i >= nr || i > 4 || run.nr == ROWS_MAX)
		return;
	row->nr_first = i - 2;
	for (nr = 0; nr < row->nr_first; nr++)
		snprintf(row->first[nr], sizeof(row->first[nr]), "%s", field[nr]);
	row->value = field[i - 2][0] == '<' ? -1 : atol(field[i - 2]);
	run.nr++;
}

/* pmcgrp stat -x, with these options and this program as the command; rows in run. */
static void stat_of(const char *event, const char *work, const char *options, ...)
{
	char line[PATH_MAX + 512], self[PATH_MAX] = "", args[256], copy[sizeof(run.text)];
	char *at, *next;
	va_list list;
	size_t len;
	FILE *out;

	va_start(list, options);
	vsnprintf(args, sizeof(args), options, list);
	va_end(list);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return;
	if (work)
		setenv("WORK", work, 1);
	snprintf(line, sizeof(line), "pmcgrp stat -x, -e %s %s %s %s 2>&1 >/dev/null", event, args,
		 work ? "--" : "", work ? self : "");
	memset(&run, 0, sizeof(run));
	out = popen(line, "r");
	unsetenv("WORK");
	if (!out)
		return;
	len = fread(run.text, 1, sizeof(run.text) - 1, out);
	run.text[len] = '\0';
	run.status = WEXITSTATUS(pclose(out));
	memcpy(copy, run.text, len + 1);
	for (at = copy; *at; at = next) {
		next = strchrnul(at, '\n');
		if (*next)
			*next++ = '\0';
		take_line(at, event);
	}
}

/* Of the rows that were counted; -1 if none was. */
static long sum(void)
{
	long sum = -1;
	int i;

	for (i = 0; i < run.nr; i++)
		if (run.row[i].value >= 0)
			sum = run.row[i].value + (sum < 0 ? 0 : sum);
	return sum;
}

static bool says(const char *text)
{
	return strstr(run.text, text);
}

static void hit(void)
{
	getsid(0);
}

__attribute__((constructor)) static void hold(void)
{
	if (!getenv("WORK"))
		hold_tracepoint("syscalls/sys_enter_getsid", hit);
}

FIXTURE(tool_targets)
{
	int cpus;
};

FIXTURE_SETUP(tool_targets)
{
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	stat_of(EVENT, "nothing", "");
	if (run.status)
		SKIP(return, "cannot count " EVENT);
	ASSERT_EQ(1, run.nr);
	ASSERT_EQ(0, run.row[0].value);
}

FIXTURE_TEARDOWN(tool_targets)
{
}

TEST_F_TIMEOUT(tool_targets, a_command_with_all_that_it_creates, 120)
{
	static const char *const backend[] = { "", "--perf" };
	int i;

	for (i = 0; i < 2; i++) {
		stat_of(EVENT, "family", backend[i]);
		EXPECT_EQ(0, run.status);
		EXPECT_EQ((THREADS + 3) * CALLS, sum());
		stat_of(EVENT, "family", "-i %s", backend[i]);
		EXPECT_EQ(CALLS, sum());
		/* three runs of it: each is counted from nothing */
		stat_of(EVENT, "family", "-r 3 %s", backend[i]);
		EXPECT_EQ((THREADS + 3) * CALLS, sum());
		EXPECT_TRUE(says(",0.00%,"));
	}
}

/*
 * Page faults, too: those of the pages are the difference between two such runs. With
 * several CPUs perf's own count of a parent and a child varies by one or two: which of
 * them has to copy what they share.
 */
TEST_F_TIMEOUT(tool_targets, page_faults_of_children, 120)
{
	static const char *const options[] = { "", "--perf", "-i", "-i --perf" };
	long none, all, pages, slack = deterministic() ? 0 : 8;
	int i;

	/* the stack begins where it began, and has as many pages */
	ASSERT_LE(0, personality(ADDR_NO_RANDOMIZE));
	for (i = 0; i < 4; i++) {
		/* the first run brings the files into memory */
		setenv("PAGES", "000", 1);
		stat_of("page-faults", "pages", options[i]);
		stat_of("page-faults", "pages", options[i]);
		none = sum();
		setenv("PAGES", "100", 1);
		stat_of("page-faults", "pages", options[i]);
		all = sum();
		TH_LOG("%s: %ld page faults, %ld of them of the pages", options[i], all,
		       all - none);
		EXPECT_LT(0, none);
		pages = i < 2 ? 2 * PAGES : PAGES;
		EXPECT_GE(slack, labs(all - none - pages));
	}
}

/* The lines are exactly what each CPU has done, and make the sum. */
TEST_F_TIMEOUT(tool_targets, each_cpu_and_all, 120)
{
	static const char *const backend[] = { "", "--perf" };
	int i, k, total = CALLS * self->cpus * (self->cpus + 1) / 2;
	char label[32];

	for (i = 0; i < 2; i++) {
		stat_of(EVENT, "cpus", "-a %s", backend[i]);
		ASSERT_EQ(1, run.nr);
		EXPECT_EQ(0, run.row[0].nr_first);
		EXPECT_EQ(total, sum());
		stat_of(EVENT, "cpus", "-a -A %s", backend[i]);
		ASSERT_EQ(self->cpus, run.nr);
		EXPECT_EQ(total, sum());
		for (k = 0; k < run.nr; k++) {
			snprintf(label, sizeof(label), "CPU%d", k);
			EXPECT_STREQ(label, run.row[k].first[0]);
			EXPECT_EQ((k + 1) * CALLS, run.row[k].value);
		}
		stat_of(EVENT, "cpus", "-a --per-core %s", backend[i]);
		EXPECT_EQ(total, sum());
		EXPECT_EQ(0, strncmp(run.row[0].first[0], "S0-D0-C", 7));
		stat_of(EVENT, "cpus", "-a --per-socket %s", backend[i]);
		EXPECT_EQ(total, sum());
		EXPECT_STREQ("S0", run.row[0].first[0]);
		/* one CPU of them, by its number */
		stat_of(EVENT, "cpus", "-C %d %s", self->cpus - 1, backend[i]);
		EXPECT_EQ(self->cpus * CALLS, sum());
		stat_of(EVENT, "cpus", "-C 0-%d -A %s", self->cpus - 1, backend[i]);
		EXPECT_EQ(self->cpus, run.nr);
		EXPECT_EQ(total, sum());
	}
	stat_of(EVENT, "cpus", "-C 0,8000");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("there is no CPU 8000"));
}

/* A process of several threads that makes more of them, and children. */
static long of_server(struct __test_metadata *_metadata, const char *options)
{
	char pipes[64], c;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ended));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		server();
	ASSERT_EQ(1, read(ended[0], &c, 1));
	snprintf(pipes, sizeof(pipes), "%d %d", go[1], ended[0]);
	setenv("PIPES", pipes, 1);
	stat_of(EVENT, "trigger", options, pid);
	EXPECT_EQ(0, run.status);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	close(go[0]);
	close(go[1]);
	close(ended[0]);
	close(ended[1]);
	return sum();
}

TEST_F_TIMEOUT(tool_targets, a_process_and_a_thread, 120)
{
	static const char *const backend[] = { "", " --perf" };
	char options[64];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(options, sizeof(options), "-p %%d%s", backend[i]);
		EXPECT_EQ((2 * THREADS + 3) * CALLS, of_server(_metadata, options));
		/* without its children */
		snprintf(options, sizeof(options), "-p %%d -i%s", backend[i]);
		EXPECT_EQ((2 * THREADS + 1) * CALLS, of_server(_metadata, options));
		snprintf(options, sizeof(options), "-t %%d%s", backend[i]);
		EXPECT_EQ(CALLS, of_server(_metadata, options));
	}
	stat_of(EVENT, "nothing", "-p 4194303");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("process 4194303 does not exist"));
}

/* Intervals lose nothing between them, and each has a line for each CPU. */
TEST_F_TIMEOUT(tool_targets, intervals, 120)
{
	double at, last = 0;
	int i;

	stat_of(EVENT, "slowly", "-I 20");
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(CALLS, sum());
	EXPECT_EQ(1, run.row[0].nr_first);
	stat_of(EVENT, "slowly", "-a -A -I 50");
	EXPECT_EQ(CALLS, sum());
	EXPECT_EQ(0, run.nr % self->cpus);
	for (i = 0; i < run.nr; i++) {
		at = atof(run.row[i].first[0]);
		EXPECT_LE(last, at);
		last = at;
	}
	/* no more than were asked for; without a command as many */
	stat_of(EVENT, "slowly", "-a -I 10 --interval-count 2");
	EXPECT_GE(2, run.nr);
	stat_of(EVENT, NULL, "-a -A -I 10 --interval-count 5");
	EXPECT_EQ(5 * self->cpus, run.nr);
	EXPECT_EQ(0, sum());
}

/* On time to the end: where time is instructions, each interval is as late as the first. */
TEST_F_TIMEOUT(tool_targets, intervals_do_not_drift, 120)
{
	int i;

	if (!deterministic())
		SKIP(return, "times need a deterministic guest");
	stat_of(EVENT, NULL, "-a -I 25 --timeout 1000");
	ASSERT_EQ(40, run.nr);
	for (i = 0; i < run.nr; i++)
		EXPECT_LT(atof(run.row[i].first[0]) - 0.025 * (i + 1), 0.002);
	TH_LOG("interval 1 ends at %s s, interval 40 at %s s", run.row[0].first[0],
	       run.row[39].first[0]);
}

/*
 * Intervals of a few ms come from rings. Nothing is lost where nobody reads them for a second: it
 * is in a later interval, and said so.
 */
TEST_F_TIMEOUT(tool_targets, intervals_from_rings, 120)
{
	stat_of(EVENT, "slowly", "-C 0 -v -I 5");
	EXPECT_TRUE(says("the intervals come from rings"));
	stat_of(EVENT, "slowly", "-C 0 -v -I 30");
	EXPECT_TRUE(says("each interval is read"));
	stat_of(EVENT, "unwatched", "-a -I 2");
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(CALLS, sum());
	if (self->cpus <= 8)
		EXPECT_TRUE(says("or its ring was full"));
}

TEST_F_TIMEOUT(tool_targets, from_when_to_when, 120)
{
	/* ended by us: no failure; and it had counted */
	stat_of(EVENT, "forever", "--timeout 1000");
	EXPECT_EQ(0, run.status);
	EXPECT_LT(0, sum());
	stat_of(EVENT, NULL, "-a --timeout 50");
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(0, sum());
	/* began after it had ended, or not at all */
	stat_of(EVENT, "family", "-D 100000");
	EXPECT_TRUE(says("nothing was counted"));
	EXPECT_EQ(-1, sum());
	stat_of(EVENT, "family", "-D -1");
	EXPECT_TRUE(says("the events are disabled"));
	EXPECT_EQ(-1, sum());
	/* from then on, with the children of before */
	stat_of(EVENT, "forever", "-D 100 --timeout 1000");
	EXPECT_LT(0, sum());
	if (!deterministic())
		return;
	stat_of(EVENT, "slowly", "-D 90");
	TH_LOG("after 90 of 200 ms: %ld of %d calls", sum(), CALLS);
	EXPECT_EQ(CALLS / 2, sum());
}

/* A CPU that comes gets a line of its own; one that is away is refused by name. */
TEST_F_TIMEOUT(tool_targets, a_cpu_that_comes, 120)
{
	int last = sysconf(_SC_NPROCESSORS_CONF) - 1;
	char path[64], label[32];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", last);
	if (!last || access(path, W_OK))
		SKIP(return, "needs a second CPU that can be taken offline");
	ASSERT_TRUE(file_write(path, "0"));
	stat_of(EVENT, "nothing", "-C 0,%d", last);
	EXPECT_EQ(125, run.status);
	snprintf(label, sizeof(label), "CPU %d is offline", last);
	EXPECT_TRUE(says(label));
	setenv("ONLINE", path, 1);
	stat_of(EVENT, "online", "-a -A");
	EXPECT_EQ(0, run.status);
	ASSERT_EQ(last + 1, run.nr);
	snprintf(label, sizeof(label), "CPU%d", last);
	EXPECT_STREQ(label, run.row[last].first[0]);
	EXPECT_LT(0, run.row[last].value);
	EXPECT_EQ(0, run.row[0].value);
	EXPECT_TRUE(file_write(path, "1"));
}

/* What cannot be is refused with the reason, before anything runs. */
TEST_F_TIMEOUT(tool_targets, refused, 120)
{
	static const char * const rows[][2] = {
		{ "-A", "add -a or -C" },
		{ "-p 1 -a", "exclude" },
		{ "-C 3-1", "0-3,7" },
		{ "-I 10 -r 2", "exclude" },
		{ "--interval-count 2", "give -I" },
		{ "-t 4194303", "thread 4194303 does not exist" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		stat_of(EVENT, "family", "%s", rows[i][0]);
		EXPECT_EQ(125, run.status);
		EXPECT_EQ(0, run.nr);
		EXPECT_TRUE(says(rows[i][1])) {
			TH_LOG("%s: %s", rows[i][0], run.text);
		}
	}
}

TEST_HARNESS_MAIN
