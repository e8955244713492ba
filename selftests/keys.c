// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by key: what a group of CPUs counts is told apart by cgroup, process, thread or command.
 * A process has what a group of it alone counts, to the last event. All keys together have what the
 * group has.
 */
#include "pmcgrp_keys.h"
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define TASKS	6
#define LOOPS	20000

enum {
	FAULTS,
	SWITCHES,
	HARDWARE
};

FIXTURE(keys)
{
	int dev;
	unsigned int nr;
	struct perf_event_attr attr[HARDWARE + 1];
	int go[2];
};

FIXTURE_SETUP(keys)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[FAULTS] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[SWITCHES] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->nr = HARDWARE;
	if (have_instructions()) {
		self->attr[self->nr] = instructions_copy(0);
		self->attr[self->nr++].exclude_kernel = 1;
	}
	ASSERT_EQ(0, pipe(self->go));
}

FIXTURE_TEARDOWN(keys)
{
	close(self->go[0]);
	close(self->go[1]);
	close(self->dev);
}

static int group_of_all(int dev, unsigned int nr, const struct perf_event_attr *attr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr, .attr = attr,
			   .flags = PMCGRP_CREATE_DISABLED };

	return ask_group(dev, &ask);
}

static void touch_pages(unsigned int nr)
{
	volatile char *page = fresh_pages(nr);

	while (page && nr--)
		page[(size_t)nr * sysconf(_SC_PAGESIZE)] = 1;
}

/* A child that waits, works, and ends. Each works for longer than the one before. */
static pid_t worker(const int *go, unsigned int k)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	close(go[1]);
	if (read(go[0], &c, 1) != 1)
		_exit(1);
	loop(LOOPS * (k + 1));
	touch_pages(10 * (k + 1));
	_exit(0);
}

static bool all_end(const pid_t *pid, unsigned int nr)
{
	unsigned int i;
	int status;

	for (i = 0; i < nr; i++)
		if (waitpid(pid[i], &status, 0) != pid[i] || status)
			return false;
	return true;
}

static int go_on(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int stop(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

TEST_F(keys, refused)
{
	struct ask ask = { .nr = 1, .attr = self->attr };
	uint64_t cgroup[2] = { 1, 0 };
	struct table t = {};
	int fd;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EOPNOTSUPP, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	EXPECT_EQ(PMCGRP_WHY_KEYS_TARGET, t.arg.why);
	EXPECT_EQ(-EINVAL, table_flush(&t, 0));
	close(fd);

	ask.flags = PMCGRP_CREATE_LEADER;
	ask.target_type = PMCGRP_TARGET_ALL_CPUS;
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EOPNOTSUPP, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	EXPECT_EQ(PMCGRP_WHY_LEADER, t.arg.why);
	close(fd);

	fd = group_of_all(self->dev, 1, self->attr);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_TYPES, 16, &t));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, t.arg.why);
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, 0, &t));
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, PMCGRP_KEYS_SLOTS_MAX + 1, &t));
	t.arg.flags = 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	t.arg.flags = 0;
	t.arg.__reserved = 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	EXPECT_EQ(PMCGRP_WHY_RESERVED, t.arg.why);
	t.arg.__reserved = 0;
	t.arg.depth = 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	t.arg.depth = 0;
	t.arg.cgroups = (uintptr_t)cgroup;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_CGROUP, 16, &t));
	t.arg.nr_cgroups = 2; /* no cgroup has the id 0 */
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_CGROUP, 16, &t));
	t.arg.nr_cgroups = 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_THREAD, 16, &t));
	t.arg.cgroups = 1;
	EXPECT_EQ(-EFAULT, table_make(fd, PMCGRP_KEY_CGROUP, 16, &t));
	t.arg.nr_cgroups = PMCGRP_KEYS_CGROUPS_MAX + 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_CGROUP, 16, &t));
	t.arg.cgroups = 0;
	t.arg.nr_cgroups = 0;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, PMCGRP_KEYS_OFFSET));
	EXPECT_EQ(-EINVAL, table_flush(&t, 0));

	EXPECT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 9, &t));
	EXPECT_EQ(16, t.arg.slots);
	EXPECT_EQ(PMCGRP_WHY_NONE, t.arg.why);
	EXPECT_EQ(-EINVAL, table_flush(&t, 2));
	EXPECT_EQ(0, table_flush(&t, PMCGRP_KEYS_READ));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, t.arg.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				   PMCGRP_KEYS_OFFSET));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, t.arg.map_size, PROT_READ, MAP_PRIVATE, fd,
				   PMCGRP_KEYS_OFFSET));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, t.arg.map_size + 4096, PROT_READ, MAP_SHARED, fd,
				   PMCGRP_KEYS_OFFSET));
	EXPECT_EQ(-1, mprotect(t.map, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(-EBUSY, table_ask(fd, &t));
	EXPECT_EQ(PMCGRP_WHY_KEYS_EXIST, t.arg.why);
	table_unmap(&t);
	close(fd);
}

/* The table outlives the descriptor while it is mapped. */
TEST_F(keys, mapping_holds_it)
{
	int fd = group_of_all(self->dev, self->nr, self->attr);
	struct table t = {};

	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 64, &t));
	ASSERT_EQ(0, go_on(fd));
	close(fd);
	sched_yield();
	EXPECT_GE(table_block(&t, 0)->slot_offset, sizeof(struct pmcgrp_keys_block));
	table_unmap(&t);
}

TEST_F(keys, process_has_what_its_group_has)
{
	struct group_values alone[TASKS];
	int fd, i, k, group[TASKS];
	pid_t pid[TASKS];
	struct table t = {};

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 1024, &t));
	for (i = 0; i < TASKS; i++) {
		pid[i] = worker(self->go, i);
		ASSERT_GT(pid[i], 0);
		ASSERT_TRUE(wait_until_asleep(pid[i]));
		group[i] = group_of_task(self->dev, pid[i], self->nr, self->attr, 0);
		ASSERT_GE(group[i], 0);
	}
	ASSERT_EQ(0, go_on(fd));
	ASSERT_EQ(TASKS, write(self->go[1], "xxxxxx", TASKS));
	ASSERT_TRUE(all_end(pid, TASKS));
	for (i = 0; i < TASKS; i++)
		ASSERT_TRUE(group_values(group[i], self->nr, &alone[i]));
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	for (i = 0; i < TASKS; i++) {
		struct told told = table_of(&t, self->nr, pid[i]);

		EXPECT_GT(told.stays, 0);
		EXPECT_GE(alone[i].m[FAULTS].value, 10 * (i + 1));
		for (k = 0; k < self->nr; k++)
			EXPECT_EQ(alone[i].m[k].value, told.value[k]) {
				TH_LOG("child %d, member %d", i, k);
			}
		close(group[i]);
	}
	EXPECT_TRUE(table_adds_up(&t, self->nr));
	EXPECT_EQ(0, blocks_overflows(&t));
	table_unmap(&t);
	close(fd);
}

static bool totals_are_read(int fd, const struct table *t, unsigned int nr)
{
	struct told all = table_sum(t, nr, NULL, NULL);
	struct group_values v;
	unsigned int k;

	if (!group_values(fd, nr, &v) || v.enabled != all.enabled || v.running != all.running)
		return false;
	for (k = 0; k < nr; k++)
		if (v.m[k].value != all.value[k])
			return false;
	return true;
}

static bool short_process(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		touch_pages(1);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* However many keys come: what finds no slot is in slot 0. */
TEST_F(keys, nothing_is_lost_without_a_reader)
{
	unsigned int i, nr = slow_kernel() ? 200 : 2000;
	struct table t = {};
	uint64_t stays;
	int fd;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	ASSERT_EQ(0, go_on(fd));
	for (i = 0; i < nr; i++)
		ASSERT_TRUE(short_process());
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	EXPECT_TRUE(table_adds_up(&t, self->nr));
	EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
	stays = table_of(&t, self->nr, PMCGRP_KEY_OTHER).stays;
	EXPECT_GE(stays, nr / 2);
	EXPECT_EQ(stays, blocks_overflows(&t));
	for (i = 0; i < t.arg.nr_cpus; i++)
		EXPECT_EQ(0, table_block(&t, i)->reused);
	tell_count("keys", nr, "processes without a reader");
	table_unmap(&t);
	close(fd);
}

/* What a reader knows: the last values of each id. */
#define SEEN_MAX	(1 << 17)

struct reader {
	struct told sum;		/* of ids that are gone */
	unsigned int processes;		/* ids */
	struct pmcgrp_keys_slot *last;	/* of each slot */
	uint64_t (*value)[HARDWARE + 1];
};

static bool reader_read(struct reader *r, const struct table *t, unsigned int nr, uint32_t flags)
{
	unsigned int n, i, k, at = 0;
	uint64_t value[HARDWARE + 1];
	struct pmcgrp_keys_slot copy;

	if (table_flush(t, flags))
		return false;
	for (n = 0; n < t->arg.nr_cpus; n++) {
		for (i = 0; i <= t->arg.slots; i++, at++) {
			if (!slot_copy(table_slot(t, n, i), nr, &copy, value))
				continue;
			if (copy.id != r->last[at].id) {
				r->sum.enabled += r->last[at].time_enabled;
				for (k = 0; k < nr; k++)
					r->sum.value[k] += r->value[at][k];
				r->processes++;
			}
			r->last[at] = copy;
			memcpy(r->value[at], value, sizeof(value));
		}
	}
	return true;
}

/* Slots that were read are used again, and nothing is lost. */
TEST_F(keys, nothing_is_lost_with_a_reader)
{
	unsigned int i, k, nr = slow_kernel() ? 400 : 10000, most;
	struct reader r = {};
	struct group_values v;
	struct table t = {};
	uint64_t reused = 0;
	int fd;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 1024, &t));
	most = t.arg.nr_cpus * (t.arg.slots + 1);
	r.last = calloc(most, sizeof(*r.last));
	r.value = calloc(most, sizeof(*r.value));
	ASSERT_EQ(0, go_on(fd));
	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(short_process());
		if (i % 50 == 49)
			ASSERT_TRUE(reader_read(&r, &t, self->nr, PMCGRP_KEYS_READ));
	}
	ASSERT_EQ(0, stop(fd));
	ASSERT_TRUE(reader_read(&r, &t, self->nr, PMCGRP_KEYS_READ));
	EXPECT_EQ(0, blocks_overflows(&t));
	EXPECT_GE(r.processes, nr);
	for (i = 0; i < most; i++) {
		r.sum.enabled += r.last[i].time_enabled;
		for (k = 0; k < self->nr; k++)
			r.sum.value[k] += r.value[i][k];
	}
	ASSERT_TRUE(group_values(fd, self->nr, &v));
	EXPECT_EQ(v.enabled, r.sum.enabled);
	for (k = 0; k < self->nr; k++)
		EXPECT_EQ(v.m[k].value, r.sum.value[k]);
	for (i = 0; i < t.arg.nr_cpus; i++)
		reused += table_block(&t, i)->reused;
	EXPECT_GT(reused, 0);
	tell_count("keys", nr, "processes with a reader");
	free(r.last);
	free(r.value);
	table_unmap(&t);
	close(fd);
}

static void *thread_works(void *arg)
{
	loop(LOOPS);
	touch_pages(20);
	*(pid_t *)arg = gettid();
	return NULL;
}

/* Of one process with its threads: those that come and go in between as well. */
TEST_F(keys, threads_of_a_process)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .nr = self->nr,
			   .attr = self->attr, .flags = PMCGRP_CREATE_DISABLED };
	int fd = ask_group(self->dev, &ask), i;
	pid_t tid[TASKS] = {};
	struct table t = {};
	pthread_t thread;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_THREAD, 64, &t));
	ASSERT_EQ(0, go_on(fd));
	for (i = 0; i < TASKS; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, thread_works, &tid[i]));
		ASSERT_EQ(0, pthread_join(thread, NULL));
	}
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	for (i = 0; i < TASKS; i++)
		EXPECT_GE(table_of(&t, self->nr, tid[i]).value[FAULTS], 20);
	EXPECT_TRUE(table_adds_up(&t, self->nr));
	EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
	table_unmap(&t);
	close(fd);
}

static bool comm_is(const struct pmcgrp_keys_slot *slot, const void *name)
{
	return !strncmp((const char *)slot->key, name, sizeof(slot->key));
}

/* execve() gives a task another key at once. */
TEST_F(keys, command)
{
	struct table t = {};
	struct told told;
	int fd, go;
	pid_t pid;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_COMMAND, 256, &t));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "before"));
	pid = exec_child(&go);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "parent"));
	ASSERT_TRUE(wait_until_asleep(pid));
	ASSERT_EQ(0, go_on(fd));
	ASSERT_TRUE(exec_go(pid, go));
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	told = table_sum(&t, self->nr, comm_is, "before");
	EXPECT_GT(told.stays, 0);
	EXPECT_GT(told.value[FAULTS], 0);
	told = table_sum(&t, self->nr, comm_is, "true");
	EXPECT_GT(told.stays, 0);
	EXPECT_GT(told.value[FAULTS], 0);
	EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
	table_unmap(&t);
	close(fd);
}

/* A CPU that sleeps has a key as well: so the times of all keys are the CPU's. */
TEST_F(keys, idle)
{
	struct table t = {};
	struct told idle;
	int fd;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 256, &t));
	ASSERT_EQ(0, go_on(fd));
	sleep_ns(200 * NSEC_PER_MSEC);
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	idle = table_of(&t, self->nr, 0);
	EXPECT_GT(idle.enabled, 0);
	if (self->nr > HARDWARE)
		EXPECT_EQ(0, idle.value[HARDWARE]); /* it has no user mode */
	EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
	table_unmap(&t);
	close(fd);
}

TEST_HARNESS_MAIN
