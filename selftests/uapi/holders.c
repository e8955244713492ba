// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCGRP_IOC_HOLDERS: whose the counters are that perf events have, of processes, of the kernel, of
 * its watchdog; and who may see that.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_become.h"
#include "pmcgrp_module.h"
#include "pmcgrp_sections.h"
#include <sys/mman.h>
#include "kselftest_harness.h"

#define ROOM		64
#define PROCESSES	5
#define CPUS		4
#define EVENTS		4	/* of each process */

struct seen {
	struct pmcgrp_holders ask;
	struct pmcgrp_holder holder[ROOM];
};

/* What a CPU's perf events are. */
static int seen_on(int dev, int cpu, struct seen *seen)
{
	struct perf_event_attr attr = cycles_copy(0);

	memset(seen, 0, sizeof(*seen));
	seen->ask = (struct pmcgrp_holders){
		.size = sizeof(seen->ask),
		.attr = (uintptr_t)&attr,
		.holders = (uintptr_t)seen->holder,
		.nr_holders = ROOM,
		.holder_size = sizeof(seen->holder[0]),
		.cpu = cpu,
	};
	return ioctl(dev, PMCGRP_IOC_HOLDERS, &seen->ask) ? -errno : 0;
}

/* One that a process has opened; NULL: none, or not this one. */
static const struct pmcgrp_holder *holder_of(const struct seen *seen, pid_t pid, uint64_t config)
{
	unsigned int i;

	for (i = 0; i < seen->ask.nr_holders; i++)
		if (seen->holder[i].pid == pid && seen->holder[i].config == config)
			return &seen->holder[i];
	return NULL;
}

static const struct pmcgrp_holder *holder_with(const struct seen *seen, uint32_t flag)
{
	unsigned int i;

	for (i = 0; i < seen->ask.nr_holders; i++)
		if (seen->holder[i].flags & flag)
			return &seen->holder[i];
	return NULL;
}

FIXTURE(holders)
{
	int dev;
	struct seen seen;
};

FIXTURE_SETUP(holders)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	if (!have_cycles())
		SKIP(return, "needs a PMU");
	ASSERT_TRUE(run_on(0));
}

FIXTURE_TEARDOWN(holders)
{
	close(self->dev);
}

/* ---- Of processes ---- */

/**
 * struct party - a process and its events
 * @cpu: of each event; of a process whose events count itself, where it runs
 * @of_itself: it spins, and the events are its own
 */
struct party {
	int cpu[EVENTS];
	bool of_itself;
};

/* Twenty events on four CPUs: five on each. */
static const struct party parties[PROCESSES] = {
	{ { 0, 0, 0, 0 }, false },
	{ { 0, 1, 1, 1 }, false },
	{ { 1, 1, 2, 2 }, false },
	{ { 2, 2, 2, 3 }, false },
	{ { 3, 3, 3, 3 }, true },
};

/* What the k-th event of a process counts and is. */
static struct perf_event_attr attr_of(unsigned int party, unsigned int k)
{
	struct perf_event_attr attr = cycles_copy(party * EVENTS + k);

	attr.pinned = k % 2;
	attr.inherit = parties[party].of_itself && k == 2;
	attr.exclude_user = k == 3;
	return attr;
}

/* Opens them, says so, and stays until end_child(). */
static void party_main(unsigned int party, int ready)
{
	const struct party *p = &parties[party];
	struct perf_event_attr attr;
	char name[16];
	unsigned int k;

	snprintf(name, sizeof(name), "party-%u", party);
	prctl(PR_SET_NAME, name);
	for (k = 0; k < EVENTS; k++) {
		attr = attr_of(party, k);
		if (perf_open(&attr, p->of_itself ? 0 : -1, p->of_itself ? -1 : p->cpu[k],
			      -1) < 0)
			_exit(1);
	}
	if (write(ready, "x", 1) != 1 || (p->of_itself && !run_on(p->cpu[0])))
		_exit(1);
	while (p->of_itself)
		loop(100000);
	for (;;)
		pause();
}

static pid_t party_start(unsigned int party)
{
	pid_t pid = -1;
	int ready[2];
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid)
		party_main(party, ready[1]);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

/* Whether an event is named as what it is. */
static bool is_named(const struct pmcgrp_holder *holder, unsigned int party, unsigned int k,
		     pid_t pid)
{
	struct perf_event_attr attr = attr_of(party, k);
	uint32_t flags = 0;
	char name[16];

	if (attr.pinned)
		flags |= PMCGRP_HOLDER_PINNED;
	if (attr.inherit)
		flags |= PMCGRP_HOLDER_INHERIT;
	if (parties[party].of_itself)
		flags |= PMCGRP_HOLDER_TASK;
	snprintf(name, sizeof(name), "party-%u", party);
	return holder->flags == flags && holder->counter >= 0 && holder->type == attr.type &&
	       holder->config == attr.config && !strcmp(holder->comm, name) &&
	       !!(holder->bits & 1ULL << 4) == attr.exclude_user && !holder->function[0] &&
	       holder->target_pid == (parties[party].of_itself ? pid : 0) &&
	       holder->target_tid == holder->target_pid &&
	       !strcmp(holder->target_comm, parties[party].of_itself ? name : "");
}

/* Twenty events of five processes, on four CPUs. */
TEST_F_TIMEOUT(holders, twenty_of_five_processes, 120)
{
	const struct pmcgrp_holder *holder;
	unsigned int i, k, named = 0;
	pid_t pid[PROCESSES];

	if (sysconf(_SC_NPROCESSORS_ONLN) < CPUS || counters() < EVENTS + 1)
		SKIP(return, "needs four CPUs with five counters each");
	for (i = 0; i < PROCESSES; i++) {
		pid[i] = party_start(i);
		ASSERT_LT(0, pid[i]);
	}
	/* The spinning one moves to its CPU. */
	sleep_ns(100 * NSEC_PER_MSEC);
	for (i = 0; i < PROCESSES; i++)
		for (k = 0; k < EVENTS; k++) {
			ASSERT_EQ(0, seen_on(self->dev, parties[i].cpu[k], &self->seen));
			holder = holder_of(&self->seen, pid[i], attr_of(i, k).config);
			if (holder && is_named(holder, i, k, pid[i]))
				named++;
			else
				printf("# process %u, event %u: flags %x, %s, of %s\n", i, k,
				       holder ? holder->flags : 0, holder ? holder->comm : "-",
				       holder ? holder->target_comm : "-");
		}
	TH_LOG("%u of %u perf events have a name", named, PROCESSES * EVENTS);
	EXPECT_EQ(PROCESSES * EVENTS, named);
	for (i = 0; i < PROCESSES; i++)
		EXPECT_TRUE(end_child(pid[i]));
}

/* A group's flags are its leader's; a sampling one; what is not on is not there. */
TEST_F(holders, as_they_are)
{
	struct perf_event_attr leader = cycles_copy(1), member = cycles_copy(2),
			       off = cycles_copy(3);
	const struct pmcgrp_holder *holder;
	int fd[3];

	if (counters() < 2)
		SKIP(return, "needs two counters");
	leader.exclusive = 1;
	leader.sample_period = 1ULL << 40;
	off.disabled = 1;
	fd[0] = perf_open(&leader, 0, -1, -1);
	ASSERT_GE(fd[0], 0);
	fd[1] = perf_open(&member, 0, -1, fd[0]);
	ASSERT_GE(fd[1], 0);
	fd[2] = perf_open(&off, 0, -1, -1);
	ASSERT_GE(fd[2], 0);
	ASSERT_EQ(0, seen_on(self->dev, 0, &self->seen));
	holder = holder_of(&self->seen, getpid(), leader.config);
	ASSERT_NE(NULL, holder);
	EXPECT_EQ(PMCGRP_HOLDER_EXCLUSIVE | PMCGRP_HOLDER_TASK | PMCGRP_HOLDER_SAMPLES,
		  holder->flags);
	holder = holder_of(&self->seen, getpid(), member.config);
	ASSERT_NE(NULL, holder);
	EXPECT_EQ(PMCGRP_HOLDER_EXCLUSIVE | PMCGRP_HOLDER_TASK, holder->flags);
	EXPECT_EQ(gettid(), holder->target_tid);
	EXPECT_EQ(NULL, holder_of(&self->seen, getpid(), off.config));
	close(fd[2]);
	close(fd[1]);
	close(fd[0]);
}

/*
 * A child has a copy; the process that has opened both is its parent. As one is switched to from
 * the other, perf core may exchange all of their events.
 */
TEST_F(holders, inherited)
{
	struct perf_event_attr attr = cycles_copy(1);
	const struct pmcgrp_holder *holder;
	pid_t child;
	int fd;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs another CPU");
	attr.inherit = 1;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	child = spinner(1);
	sleep_ns(100 * NSEC_PER_MSEC);
	ASSERT_EQ(0, seen_on(self->dev, 1, &self->seen));
	holder = holder_of(&self->seen, getpid(), attr.config);
	ASSERT_NE(NULL, holder);
	EXPECT_EQ(PMCGRP_HOLDER_INHERIT | PMCGRP_HOLDER_TASK,
		  holder->flags & ~PMCGRP_HOLDER_INHERITED);
	EXPECT_EQ(child, holder->target_pid);
	close(fd);
	EXPECT_TRUE(end_child(child));
}

/* Its process has ended, and this one has its descriptor. */
TEST_F(holders, whose_process_has_ended)
{
	struct perf_event_attr attr = cycles_copy(1);
	const struct pmcgrp_holder *holder;
	int *fd, status;
	pid_t child;

	fd = mmap(NULL, sizeof(*fd), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, fd);
	*fd = -1;
	/* With the descriptors of this one. */
	child = syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!child) {
		*fd = perf_open(&attr, -1, 0, -1);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_GE(*fd, 0);
	ASSERT_EQ(0, seen_on(self->dev, 0, &self->seen));
	holder = holder_with(&self->seen, PMCGRP_HOLDER_ENDED);
	ASSERT_NE(NULL, holder);
	EXPECT_EQ(attr.config, holder->config);
	EXPECT_EQ(0, holder->pid);
	EXPECT_EQ('\0', holder->comm[0]);
	close(*fd);
	munmap(fd, sizeof(*fd));
}

/* ---- Of the kernel ---- */

TEST_F(holders, the_watchdog)
{
	uint32_t flags = PMCGRP_HOLDER_WATCHDOG | PMCGRP_HOLDER_KERNEL | PMCGRP_HOLDER_PINNED |
			 PMCGRP_HOLDER_SAMPLES;
	const struct pmcgrp_holder *holder;
	int cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, seen_on(self->dev, cpu, &self->seen));
		holder = holder_with(&self->seen, PMCGRP_HOLDER_WATCHDOG);
		EXPECT_EQ(!!watchdog_counters(), !!holder);
		if (!holder)
			continue;
		EXPECT_EQ(flags, holder->flags);
		EXPECT_STREQ("watchdog_overflow_callback", holder->function);
		EXPECT_EQ(0, holder->pid);
	}
}

/* Another module's, pinned and with a handler as the watchdog's is. */
TEST_F(holders, of_another_module)
{
	const struct pmcgrp_holder *holder;

	ASSERT_EQ(0, testapi_load());
	ASSERT_EQ(0, api("hold 0"));
	ASSERT_EQ(0, seen_on(self->dev, 0, &self->seen));
	for (holder = self->seen.holder; holder->flags & PMCGRP_HOLDER_WATCHDOG; holder++)
		;
	EXPECT_EQ(PMCGRP_HOLDER_KERNEL | PMCGRP_HOLDER_PINNED | PMCGRP_HOLDER_SAMPLES,
		  holder->flags);
	EXPECT_STREQ("overflow_nowhere [pmcgrp_testapi]", holder->function);
	EXPECT_EQ('\0', holder->comm[0]);
	ASSERT_EQ(0, api("drop"));
	ASSERT_EQ(0, seen_on(self->dev, 0, &self->seen));
	EXPECT_EQ(watchdog_counters(), self->seen.ask.nr_holders);
	EXPECT_EQ(0, testapi_unload());
}

/* ---- Who may see it, and wrong questions ---- */

/* In a child: what another user with CAP_PERFMON sees of an event of root's, and of its own. */
static int as_another_user(uint64_t roots, uint64_t own)
{
	struct perf_event_attr attr = cycles_copy(0);
	int dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	static struct seen seen;
	unsigned int i, hidden = 0;

	attr.config = own;
	if (dev < 0 || perf_open(&attr, -1, 0, -1) < 0)
		return 1;
	if (!become(CAP_PERFMON))
		return 2;
	if (seen_on(dev, 0, &seen))
		return 3;
	for (i = 0; i < seen.ask.nr_holders; i++) {
		if (seen.holder[i].config == roots)
			return 4;
		if (!(seen.holder[i].flags & PMCGRP_HOLDER_HIDDEN))
			continue;
		hidden++;
		if (seen.holder[i].pid || seen.holder[i].comm[0] || seen.holder[i].type ||
		    seen.holder[i].id || seen.holder[i].counter < 0)
			return 5;
	}
	if (hidden != 1 || !holder_of(&seen, getpid(), own))
		return 6;
	if (!become(-1))
		return 7;
	return seen_on(dev, 0, &seen) == -EACCES && seen.ask.why == PMCGRP_WHY_PERMISSION ? 0 : 8;
}

TEST_F(holders, of_others)
{
	struct perf_event_attr attr = cycles_copy(1), own = cycles_copy(2);
	int fd, status;
	pid_t child;

	if (counters() < 2)
		SKIP(return, "needs two counters");
	fd = perf_open(&attr, -1, 0, -1);
	ASSERT_GE(fd, 0);
	child = fork();
	if (!child)
		_exit(as_another_user(attr.config, own.config));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status >> 8);
	close(fd);
}

static int wrong(int dev, struct seen *seen, void (*make)(struct pmcgrp_holders *ask))
{
	struct perf_event_attr attr = cycles_copy(0);

	memset(seen, 0, sizeof(*seen));
	seen->ask = (struct pmcgrp_holders){
		.size = sizeof(seen->ask), .attr = (uintptr_t)&attr, .nr_holders = ROOM,
		.holders = (uintptr_t)seen->holder, .holder_size = sizeof(seen->holder[0]),
	};
	make(&seen->ask);
	return ioctl(dev, PMCGRP_IOC_HOLDERS, &seen->ask) ? -errno : 0;
}

static void flags_1(struct pmcgrp_holders *ask)
{
	ask->flags = 1;
}

static void cpu_none(struct pmcgrp_holders *ask)
{
	ask->cpu = -1;
}

static void cpu_too_far(struct pmcgrp_holders *ask)
{
	ask->cpu = 1 << 20;
}

static void small_stride(struct pmcgrp_holders *ask)
{
	ask->holder_size = PMCGRP_HOLDER_SIZE_VER0 - 1;
}

static void no_attr(struct pmcgrp_holders *ask)
{
	ask->attr = 0;
}

static void no_room(struct pmcgrp_holders *ask)
{
	ask->nr_holders = 0;
}

static void nowhere(struct pmcgrp_holders *ask)
{
	ask->holders = 8;
}

TEST_F(holders, wrong_questions)
{
	unsigned int watchdog = watchdog_counters();
	struct perf_event_attr attr = cycles_copy(1);
	int fd = perf_open(&attr, -1, 0, -1);
	struct seen *seen = &self->seen;

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, wrong(self->dev, seen, flags_1));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, seen->ask.why);
	EXPECT_EQ(-EINVAL, wrong(self->dev, seen, cpu_none));
	EXPECT_EQ(PMCGRP_WHY_TARGET, seen->ask.why);
	EXPECT_EQ(-EINVAL, wrong(self->dev, seen, cpu_too_far));
	EXPECT_EQ(-EINVAL, wrong(self->dev, seen, small_stride));
	EXPECT_EQ(-EFAULT, wrong(self->dev, seen, no_attr));
	EXPECT_EQ(-EFAULT, wrong(self->dev, seen, nowhere));
	EXPECT_EQ(-ENOSPC, wrong(self->dev, seen, no_room));
	EXPECT_EQ(1 + watchdog, seen->ask.nr_holders);
	close(fd);
}

TEST_HARNESS_MAIN
