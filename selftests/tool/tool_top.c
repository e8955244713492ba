// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp top` by task on the machine: sums per thread, process and cgroup are exact.
 *
 * What is counted is a system call that nothing else here makes, getsid(2), by its tracepoint.
 * Threads and children of this program make known numbers of them while top prints JSON; what
 * all intervals say of a task together is its own number, without any tolerance.
 */
#include "pmcgrp_mark.h"
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include "kselftest_harness.h"

#define EVENT		"syscalls:sys_enter_getsid"
#define CALLS		20000
#define BRIEF_CALLS	10
#define BRIEFS		30

static void hit(void)
{
	getsid(0);
}

__attribute__((constructor)) static void hold(void)
{
	hold_tracepoint("syscalls/sys_enter_getsid", hit);
}

struct top {
	pid_t pid;
	FILE *out;
	char *line;
	size_t size;
};

/* pmcgrp top with these options; returns whether there was an interval. */
static bool top_start(struct top *top, const char *options)
{
	char command[300];
	int ends[2];

	snprintf(command, sizeof(command), "exec pmcgrp top --json -d 0.2 -e %s %s", EVENT,
		 options);
	memset(top, 0, sizeof(*top));
	if (pipe(ends))
		return false;
	top->pid = fork();
	if (!top->pid) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(99);
	}
	close(ends[1]);
	top->out = fdopen(ends[0], "r");
	return getline(&top->line, &top->size, top->out) > 0;
}

/* By SIGINT; returns its exit status. */
static int top_end(struct top *top)
{
	int status = -1;

	kill(top->pid, SIGINT);
	while (getline(&top->line, &top->size, top->out) > 0)
		;
	waitpid(top->pid, &status, 0);
	fclose(top->out);
	free(top->line);
	return status;
}

/* What follows a key, after @at; -1: no such key, or null. */
static long number(const char *at, const char *key)
{
	at = at ? strstr(at, key) : NULL;
	at = at ? at + strlen(key) : NULL;
	return at && *at >= '0' && *at <= '9' ? atol(at) : -1;
}

/* The value of the row that begins with this key, or 0. */
static long value_of(const char *line, const char *key)
{
	const char *row = strstr(line, key);
	long value = row ? number(row, "\"value\":") : 0;

	return value > 0 ? value : 0;
}

/* Of all rows of the line. */
static long value_of_all(const char *line)
{
	long sum = 0, value;

	while ((line = strstr(line, "\"value\":"))) {
		value = number(line, "\"value\":");
		sum += value > 0 ? value : 0;
		line++;
	}
	return sum;
}

struct sums {
	int nr;
	char key[4][32];
	long value[4];
	long all;
	long lost;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Up to the first interval that ends after this moment. */
static bool take(struct top *top, struct sums *sums)
{
	double until = now(), end = 0;
	const char *at;
	int i;

	while (end <= until) {
		if (getline(&top->line, &top->size, top->out) <= 0)
			return false;
		at = strstr(top->line, "\"time\":");
		end = at ? atof(at + 7) : 0;
		for (i = 0; i < sums->nr; i++)
			sums->value[i] += value_of(top->line, sums->key[i]);
		sums->all += value_of_all(top->line);
		sums->lost += number(top->line, "\"lost\":");
	}
	return true;
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

struct work {
	pthread_t thread;
	long calls;
	int tid;
};

/* On one CPU, in turns: each switch is within what both count. */
static void *busy(void *arg)
{
	struct work *work = arg;
	long i;

	work->tid = syscall(SYS_gettid);
	on_cpu(0);
	for (i = 0; i < work->calls; i++) {
		getsid(0);
		if (i % 7 == 0)
			sched_yield();
	}
	return NULL;
}

static void two_threads(struct work *work)
{
	int i;

	work[0].calls = CALLS;
	work[1].calls = 2 * CALLS + 1;
	for (i = 0; i < 2; i++)
		pthread_create(&work[i].thread, NULL, busy, &work[i]);
	for (i = 0; i < 2; i++)
		pthread_join(work[i].thread, NULL);
}

/* Children that come and go within an interval. */
static void briefs(void)
{
	pid_t child[BRIEFS];
	int i, k;

	for (i = 0; i < BRIEFS; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		for (k = 0; k < BRIEF_CALLS; k++)
			getsid(0);
		_exit(0);
	}
	for (i = 0; i < BRIEFS; i++)
		waitpid(child[i], NULL, 0);
}

FIXTURE(tool_top)
{
	struct top top;
};

FIXTURE_SETUP(tool_top)
{
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	if (system("pmcgrp stat -e " EVENT " -- true 2>/dev/null"))
		SKIP(return, "cannot count " EVENT);
}

FIXTURE_TEARDOWN(tool_top)
{
}

TEST_F_TIMEOUT(tool_top, sums_per_thread_are_exact, 120)
{
	struct sums sums = { .nr = 2 };
	struct work work[2];
	int i;

	ASSERT_TRUE(top_start(&self->top, "--by thread"));
	two_threads(work);
	for (i = 0; i < 2; i++)
		snprintf(sums.key[i], sizeof(sums.key[i]), "{\"tid\":%d,", work[i].tid);
	ASSERT_TRUE(take(&self->top, &sums));
	EXPECT_EQ(0, top_end(&self->top));
	EXPECT_EQ(0, sums.lost);
	EXPECT_EQ(CALLS, sums.value[0]);
	EXPECT_EQ(2 * CALLS + 1, sums.value[1]);
	EXPECT_EQ(3 * CALLS + 1, sums.all);
}

TEST_F_TIMEOUT(tool_top, sums_per_process_are_exact, 120)
{
	struct sums sums = { .nr = 1 };
	struct work work[2];

	ASSERT_TRUE(top_start(&self->top, "--by process"));
	two_threads(work);
	snprintf(sums.key[0], sizeof(sums.key[0]), "{\"pid\":%d,", getpid());
	ASSERT_TRUE(take(&self->top, &sums));
	EXPECT_EQ(0, top_end(&self->top));
	EXPECT_EQ(0, sums.lost);
	EXPECT_EQ(3 * CALLS + 1, sums.value[0]);
}

/* Those of a listed process are in, those of others not. */
TEST_F_TIMEOUT(tool_top, tasks_that_come_and_go, 120)
{
	struct sums sums = { .nr = 0 }, own = { .nr = 0 };
	char options[64];

	snprintf(options, sizeof(options), "--by thread -p %d", getpid());
	ASSERT_TRUE(top_start(&self->top, options));
	briefs();
	ASSERT_TRUE(take(&self->top, &sums));
	EXPECT_EQ(0, top_end(&self->top));
	EXPECT_EQ(0, sums.lost);
	EXPECT_EQ(BRIEFS * BRIEF_CALLS, sums.all);

	snprintf(options, sizeof(options), "--by thread -i -p %d", getpid());
	ASSERT_TRUE(top_start(&self->top, options));
	briefs();
	hit();
	ASSERT_TRUE(take(&self->top, &own));
	EXPECT_EQ(0, top_end(&self->top));
	EXPECT_EQ(1, own.all);
}

TEST_F_TIMEOUT(tool_top, a_thread_that_is_listed, 120)
{
	struct sums sums = { .nr = 0 };
	char options[64];

	snprintf(options, sizeof(options), "--by cgroup -t %d", getpid());
	ASSERT_TRUE(top_start(&self->top, options));
	briefs();
	hit();
	hit();
	ASSERT_TRUE(take(&self->top, &sums));
	EXPECT_EQ(0, top_end(&self->top));
	EXPECT_EQ(2, sums.all);
}

TEST_F_TIMEOUT(tool_top, a_cgroup, 120)
{
	struct sums sums = { .nr = 0 };
	char text[32];
	int fd;

	if (access("/sys/fs/cgroup/cgroup.procs", F_OK) &&
	    system("mount -t cgroup2 none /sys/fs/cgroup"))
		SKIP(return, "no cgroups here");
	if (mkdir("/sys/fs/cgroup/tool_top", 0755))
		SKIP(return, "no cgroups here");
	snprintf(text, sizeof(text), "%d", getpid());
	fd = open("/sys/fs/cgroup/tool_top/cgroup.procs", O_WRONLY);
	ASSERT_LE(0, fd);
	ASSERT_LT(0, write(fd, text, strlen(text)));
	EXPECT_TRUE(top_start(&self->top, "--by cgroup --cgroup /tool_top"));
	briefs();
	hit();
	EXPECT_TRUE(take(&self->top, &sums));
	EXPECT_EQ(BRIEFS * BRIEF_CALLS + 1, sums.all);
	EXPECT_NE(NULL, strstr(self->top.line, "\"target\":\"cgroup /tool_top\""));
	EXPECT_EQ(0, top_end(&self->top));
	close(fd);
	fd = open("/sys/fs/cgroup/cgroup.procs", O_WRONLY);
	ASSERT_LT(0, write(fd, text, strlen(text)));
	close(fd);
	EXPECT_EQ(0, rmdir("/sys/fs/cgroup/tool_top"));
}

TEST_HARNESS_MAIN
