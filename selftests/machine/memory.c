// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory runs out, again and again, in the whole machine and in one cgroup: the OOM
 * killer ends a process that has groups, while a process that it spares creates, reads,
 * controls and closes groups. What a process makes is charged to its cgroup.
 *
 * needs: timeout=1200 oom=yes
 */
#include "pmcgrp_ring.h"
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "kselftest_harness.h"

#define NR		MIXED
#define ROUNDS		20	/* hogs that are killed */
#define ROUNDS_SLOW	3
#define ROOM_KB		(128 << 10)	/* what is left to hogs: some is for movable pages only */
#define CGROUP_MAX	"16777216"
#define CHUNK		64	/* pages between two groups of a hog */
#define HOG_GROUPS	64
#define REFUSED_AFTER	2000
#define STACK		(256 << 10)
#define HOG_LIMIT	(120 * NSEC_PER_SEC)
#define CGROUPS		"/tmp/memory.cgroups"
#define CGROUP		CGROUPS "/pmcgrp"
#define LEADERS		256
#define LEADER_BYTES	12288	/* room for members that come: at least this much for each group */
#define RINGS		64
#define RING_PAGES	16
#define DUMP_TASKS	"/proc/sys/vm/oom_dump_tasks"
#define CPU_LISTS	"/proc/sys/vm/percpu_pagelist_high_fraction"

struct state {
	int dev;
	int max;	/* memory.max, in a cgroup */
	int rounds;
	long kills;	/* before the test */
	struct perf_event_attr attr[NR];
};

FIXTURE(memory)
{
	struct state state;
};

static long kills(void)
{
	return file_number("/proc/vmstat", "oom_kill");
}

/*
 * NULL, or why there is no such cgroup. What the spared process needs later it takes
 * before: there, a page fault of its own could only be tried again, forever.
 */
static const char *cgroup_enter(struct state *s)
{
	char stack[STACK];

	explicit_bzero(stack, sizeof(stack));
	if (mlockall(MCL_CURRENT))
		return "no mlockall()";
	mkdir(CGROUPS, 0755);
	if (mount("cgroup", CGROUPS, "cgroup2", 0, NULL))
		return "no cgroup2";
	if (!file_write(CGROUPS "/cgroup.subtree_control", "+memory"))
		return "no cgroups of memory";
	if (mkdir(CGROUP, 0755) || !file_write(CGROUP "/cgroup.procs", "0"))
		return "a cgroup cannot be entered";
	s->max = open(CGROUP "/memory.max", O_WRONLY | O_CLOEXEC);
	return s->max < 0 ? "no memory.max" : NULL;
}

static bool cgroup_limit(struct state *s, const char *bytes)
{
	return pwrite(s->max, bytes, strlen(bytes), 0) == (ssize_t)strlen(bytes);
}

/* Whatever has been done of cgroup_enter(). */
static bool cgroup_leave(struct state *s)
{
	bool gone = s->max < 0 || cgroup_limit(s, "max");
	int i;

	if (s->max >= 0)
		close(s->max);
	s->max = -1;
	file_write(CGROUPS "/cgroup.procs", "0");
	/* what a task that is gone held goes a little later */
	for (i = 0; i < 100 && rmdir(CGROUP) && errno == EBUSY; i++)
		sleep_ns(100 * NSEC_PER_MSEC);
	gone = gone && access(CGROUP, F_OK);
	umount(CGROUPS);
	return !rmdir(CGROUPS) && gone;
}

FIXTURE_SETUP(memory)
{
	struct state *s = &self->state;

	s->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(s->dev, 0);
	s->max = -1;
	s->kills = kills();
	if (s->kills < 0)
		SKIP(return, "the kernel does not count kills by the OOM killer");
	ASSERT_TRUE(file_write("/proc/self/oom_score_adj", "-1000"));
	ASSERT_TRUE(file_write(DUMP_TASKS, "0"));	/* a shorter log */
	/* a hog's memory is soon free for all, not kept on a CPU's list */
	file_write(CPU_LISTS, "1000");
	s->rounds = rounds_of(ROUNDS, ROUNDS_SLOW);
	mixed_members(s->attr);
}

FIXTURE_TEARDOWN(memory)
{
	struct state *s = &self->state;

	if (!access(CGROUPS, F_OK))
		cgroup_leave(s);
	file_write(CPU_LISTS, "0");
	file_write(DUMP_TASKS, "1");
	close(s->dev);
}

/* A child that holds all memory but some room, and is not to be killed for it. */
static pid_t ballast(void)
{
	size_t size = (file_number("/proc/meminfo", "MemAvailable:") - ROOM_KB) << 10;
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		size_t i;

		if (mem == MAP_FAILED)
			_exit(1);
		madvise(mem, size, MADV_HUGEPAGE);	/* quicker, where there are such */
		for (i = 0; i < size; i += 4096)
			mem[i] = 1;
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &c, 1) != 1) {
		end_child(pid);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

/* Takes memory and makes groups until it is killed. */
static pid_t hog(int dev, const struct perf_event_attr *attr)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *mem;
	int made, i, fd;
	pid_t pid;

	/* what the last one had may still be on its way back */
	for (i = 0; (pid = fork()) < 0 && errno == ENOMEM && i < 100; i++)
		sleep_ns(100 * NSEC_PER_MSEC);
	if (pid)
		return pid;
	if (!file_write("/proc/self/oom_score_adj", "1000"))
		_exit(1);
	for (made = 0;; made++) {
		mem = fresh_pages(CHUNK);
		if (!mem)
			_exit(2);
		for (i = 0; i < CHUNK; i++)
			mem[i * page] = 1;
		if (made >= HOG_GROUPS)
			continue;
		fd = group_of(dev, NR, attr, 0);
		if (fd < 0 && fd != -ENOMEM)
			_exit(3);
		if (fd >= 0 && !group_sane(fd, NR))
			_exit(4);
	}
}

static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* One group's life, on the caller, a CPU or the hog. Returns whether all was right. */
static bool one_life(int dev, unsigned int round, pid_t pid, const struct perf_event_attr *attr,
		     unsigned int *failures)
{
	const bool cpu = round % 3 == 1, other = round % 3 == 2;
	struct ask ask = { .target_type = cpu ? PMCGRP_TARGET_CPU : PMCGRP_TARGET_TASK,
			   .target_id = other ? pid : 0, .nr = NR, .attr = attr };
	struct group_values v, w;
	int next, fd, i;
	bool ok;

	next = next_fd();
	fd = ask_group(dev, &ask);
	if (fd < 0) {
		ok = next_fd() == next;		/* nothing is left behind */
		if (fd == -ENOMEM && ask.create.why == PMCGRP_WHY_NOMEM)
			++*failures;
		else if (fd != -ESRCH || !other || ask.create.why != PMCGRP_WHY_TASK_GONE)
			ok = false;
		if (!ok)
			ksft_print_msg("%s, reason %u, descriptor %d, then %d\n", strerror(-fd),
				       ask.create.why, next, next_fd());
		return ok;
	}
	ok = group_sane(fd, NR) && !ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) &&
	     group_values(fd, NR, &v) && group_values(fd, NR, &w) &&
	     group_same(&v, &w, NR) &&
	     !ioctl(fd, PERF_EVENT_IOC_RESET, 0) && group_values(fd, NR, &v);
	for (i = 0; i < NR; i++)
		ok = ok && !v.m[i].value;
	ok = ok && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) && group_sane(fd, NR);
	close(fd);
	return ok;
}

/* Until as many hogs as there are to be rounds have been killed, and no other process. */
static void hunt(struct __test_metadata *_metadata, struct state *s)
{
	unsigned int lives = 0, failures = 0;
	struct group_values last = {}, v;
	int kept, round, status;
	uint64_t end;
	pid_t pid;

	kept = group_of(s->dev, NR, s->attr, 0);
	ASSERT_GE(kept, 0);
	for (round = 0; round < s->rounds; round++) {
		pid = hog(s->dev, s->attr);
		ASSERT_GT(pid, 0);
		end = now_ns() + HOG_LIMIT;
		while (!waitpid(pid, &status, WNOHANG)) {
			ASSERT_LT(now_ns(), end);
			ASSERT_TRUE(one_life(s->dev, lives++, pid, s->attr, &failures));
			ASSERT_TRUE(group_values(kept, NR, &v));
			ASSERT_TRUE(group_follows(&last, &v, NR));
			last = v;
			sched_yield();
		}
		ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
			TH_LOG("a hog ended with %#x", status);
		}
	}
	TH_LOG("%u groups meanwhile, %u of them refused", lives, failures);
	EXPECT_GT(lives, 0);
	EXPECT_TRUE(group_goes_on(kept, NR, &last));
	close(kept);
	EXPECT_GE(kills() - s->kills, s->rounds);
	tell_count("memory", kills() - s->kills, "kills");
}

static bool all_lives(struct state *s)
{
	unsigned int failures = 0, i;

	for (i = 0; i < 6; i++)
		if (!one_life(s->dev, i, getppid(), s->attr, &failures))
			return false;
	return !failures;
}

TEST_F_TIMEOUT(memory, of_the_machine_runs_out, 300)
{
	struct state *s = &self->state;
	pid_t pid = ballast();

	ASSERT_GT(pid, 0);
	hunt(_metadata, s);
	ASSERT_EQ(0, waitpid(pid, NULL, WNOHANG));	/* no other process was killed */
	ASSERT_TRUE(end_child(pid));
	EXPECT_TRUE(all_lives(s));
}

TEST_F_TIMEOUT(memory, of_a_cgroup_runs_out, 300)
{
	struct state *s = &self->state;
	const char *why = cgroup_enter(s);

	if (why)
		SKIP(return, "%s", why);
	ASSERT_TRUE(cgroup_limit(s, CGROUP_MAX));
	hunt(_metadata, s);
	EXPECT_GE(file_number(CGROUP "/memory.events", "oom_kill "), s->rounds);
	EXPECT_TRUE(all_lives(s));
	EXPECT_TRUE(cgroup_leave(s));
}

/* No process can be killed: what is accounted to the cgroup, for example a file, is refused. */
TEST_F_TIMEOUT(memory, of_a_cgroup_is_all_taken, 300)
{
	struct state *s = &self->state;
	const char *why = cgroup_enter(s);
	struct ask ask = { .nr = NR, .attr = s->attr };
	int fd[REFUSED_AFTER], made, next, i;

	if (why)
		SKIP(return, "%s", why);
	for (made = 0; made < REFUSED_AFTER; made++)
		fd[made] = -1;
	ASSERT_TRUE(cgroup_limit(s, "4096"));
	for (made = 0; made < REFUSED_AFTER; made++) {
		next = next_fd();
		fd[made] = ask_group(s->dev, &ask);
		if (fd[made] < 0)
			break;
	}
	ASSERT_LT(made, REFUSED_AFTER);
	EXPECT_EQ(-ENOMEM, fd[made]);
	EXPECT_EQ(PMCGRP_WHY_NOMEM, ask.create.why);
	EXPECT_EQ(PMCGRP_NO_MEMBER, ask.create.fail_member);
	EXPECT_EQ(next, next_fd());
	TH_LOG("refused after %d groups", made);
	for (i = 0; i < made; i++) {
		EXPECT_TRUE(group_sane(fd[i], NR));
		close(fd[i]);
	}
	ASSERT_TRUE(cgroup_limit(s, "max"));
	EXPECT_TRUE(all_lives(s));
	EXPECT_TRUE(cgroup_leave(s));
}

/* Bytes of the kernel that are charged to the cgroup. */
static long kernel_bytes(void)
{
	return file_number(CGROUP "/memory.stat", "kernel ");
}

/* The kernel brings its sums up to date every 2 s. Returns the last one. */
static long wait_for_bytes(long at_least, long at_most)
{
	long bytes;
	int i;

	for (i = 0; i < 100; i++) {
		bytes = kernel_bytes();
		if (bytes >= at_least && bytes <= at_most)
			break;
		sleep_ns(100 * NSEC_PER_MSEC);
	}
	return bytes;
}

/* What is as large as its user wants it is charged to the user's cgroup, and given back. */
TEST_F_TIMEOUT(memory, of_groups_is_charged_to_the_cgroup, 120)
{
	struct state *s = &self->state;
	const char *why = cgroup_enter(s);
	const long page = sysconf(_SC_PAGESIZE), rings = RINGS * (1 + RING_PAGES) * page;
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	long none, groups, all, left;
	int fd[LEADERS + RINGS], i;
	struct ring ring[RINGS];

	if (why)
		SKIP(return, "%s", why);
	/* The first group makes what stays: counters, and the files' caches. */
	fd[0] = group_of(s->dev, 1, &attr, 0);
	ASSERT_GE(fd[0], 0);
	close(fd[0]);
	sleep_ns(3 * NSEC_PER_SEC);
	none = kernel_bytes();
	if (none < 0)
		SKIP(return, "the kernel does not say how much of its memory a cgroup has");
	for (i = 0; i < LEADERS; i++) {
		fd[i] = group_of(s->dev, 1, &attr, PMCGRP_CREATE_LEADER);
		ASSERT_GE(fd[i], 0);
	}
	groups = wait_for_bytes(none + LEADERS * LEADER_BYTES, LONG_MAX);
	EXPECT_LE(none + LEADERS * LEADER_BYTES, groups);
	for (i = 0; i < RINGS; i++) {
		fd[LEADERS + i] = group_of(s->dev, 1, &attr, 0);
		ASSERT_GE(fd[LEADERS + i], 0);
		ASSERT_TRUE(ring_ready(fd[LEADERS + i], RING_PAGES, &ring[i]));
	}
	all = wait_for_bytes(groups + rings, LONG_MAX);
	EXPECT_LE(groups + rings, all);
	for (i = 0; i < RINGS; i++)
		ring_unmap(&ring[i]);
	for (i = 0; i < LEADERS + RINGS; i++)
		close(fd[i]);
	left = wait_for_bytes(0, none + LEADERS * LEADER_BYTES / 4);
	EXPECT_GE(none + LEADERS * LEADER_BYTES / 4, left);
	TH_LOG("%ld KiB, %ld with groups, %ld with rings, %ld after", none >> 10, groups >> 10,
	       all >> 10, left >> 10);
	EXPECT_TRUE(cgroup_leave(s));
}

TEST_HARNESS_MAIN
