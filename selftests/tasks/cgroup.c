// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of a cgroup: they count its tasks, those of all cgroups below it, and no others, whoever
 * is moved in and out.
 *
 * needs: timeout=600
 */
#include "pmcgrp_become.h"
#include "pmcgrp_keys.h"
#include "pmcgrp_span.h"
#include "pmcgrp_ring.h"
#include <sys/wait.h>
#include "kselftest_harness.h"

#define TASKS	4
#define LOOPS	20000

enum {
	FAULTS,
	SWITCHES,
	HARDWARE
};

FIXTURE(cgroup)
{
	int dev, fd;
	unsigned int nr;
	struct perf_event_attr attr[HARDWARE + 1];
	int go[2];
};

FIXTURE_SETUP(cgroup)
{
	struct ask ask = {};

	if (!cgroups_mount())
		SKIP(return, "there are no cgroups of version 2");
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
	ASSERT_NE(0, cgroup_make("a"));
	ASSERT_NE(0, cgroup_make("a/b"));
	ASSERT_NE(0, cgroup_make("d"));
	ask.nr = self->nr;
	ask.attr = self->attr;
	self->fd = group_of_cgroup(self->dev, "a", &ask);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(cgroup)
{
	close(self->fd);
	close(self->go[0]);
	close(self->go[1]);
	close(self->dev);
	cgroup_move("", getpid());
	cgroup_remove("a/b");
	cgroup_remove("a");
	cgroup_remove("d");
}

static void touch_pages(unsigned int nr)
{
	volatile char *page = fresh_pages(nr);

	while (page && nr--)
		page[(size_t)nr * sysconf(_SC_PAGESIZE)] = 1;
}

/* A child that waits, in a cgroup, and then works and ends. */
static pid_t worker(const int *go, const char *cgroup, unsigned int k)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid > 0 && wait_until_asleep(pid) && cgroup_move(cgroup, pid) ? pid : -1;
	close(go[1]);
	if (read(go[0], &c, 1) != 1)
		_exit(1);
	loop(LOOPS * (k + 1));
	touch_pages(10 * (k + 1));
	_exit(0);
}

TEST_F(cgroup, refused)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CGROUP, .nr = 1, .attr = self->attr };
	struct pmcgrp_ring_setup setup;
	struct ring ring = {};
	int fd;

	ask.target_id = self->go[0];
	EXPECT_EQ(-EBADF, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_CGROUP, ask.create.why);
	ask.target_id = 1 << 20;
	EXPECT_EQ(-EBADF, ask_group(self->dev, &ask));
	ask.flags = PMCGRP_CREATE_PINNED;
	EXPECT_EQ(-EINVAL, group_of_cgroup(self->dev, "a", &ask));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, ask.create.why);
	ask.flags = PMCGRP_CREATE_INHERIT;
	EXPECT_EQ(-EINVAL, group_of_cgroup(self->dev, "a", &ask));
	EXPECT_FALSE(ring_ready(self->fd, 8, &ring));
	ask = (struct ask){ .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 1, .attr = self->attr };
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, setup_ring(fd, PMCGRP_RING_COMPACT,
				      PERF_SAMPLE_TIME | PERF_SAMPLE_CGROUP, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_SAMPLE_TYPE, setup.why);
	close(fd);
}

/* Its tasks, and those below it, have what groups of each of them have; nobody else has any. */
TEST_F(cgroup, has_what_its_tasks_have)
{
	static const char *const name[TASKS] = { "a", "a/b", "a", "d" };
	struct group_values all, alone;
	uint64_t sum[HARDWARE + 1] = {};
	int group[TASKS], i, k;
	pid_t pid[TASKS];
	int status;

	for (i = 0; i < TASKS; i++) {
		pid[i] = worker(self->go, name[i], i);
		ASSERT_GT(pid[i], 0);
		group[i] = group_of_task(self->dev, pid[i], self->nr, self->attr, 0);
		ASSERT_GE(group[i], 0);
	}
	ASSERT_EQ(TASKS, write(self->go[1], "xxxx", TASKS));
	for (i = 0; i < TASKS; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		ASSERT_EQ(0, status);
	}
	for (i = 0; i < TASKS; i++) {
		ASSERT_TRUE(group_values(group[i], self->nr, &alone));
		for (k = 0; k < self->nr && strcmp(name[i], "d"); k++)
			sum[k] += alone.m[k].value;
		close(group[i]);
	}
	ASSERT_TRUE(group_values(self->fd, self->nr, &all));
	for (k = 0; k < self->nr; k++)
		EXPECT_EQ(sum[k], all.m[k].value) {
			TH_LOG("member %d", k);
		}
	EXPECT_EQ(all.enabled, all.running);
}

/* Nobody reads meanwhile, and nobody else runs. */
TEST_F(cgroup, moved_while_it_runs)
{
	struct group_values v, w;

	touch_pages(50);
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	EXPECT_EQ(0, v.m[FAULTS].value);
	EXPECT_EQ(0, v.enabled);
	ASSERT_TRUE(cgroup_move("a/b", getpid()));
	touch_pages(100);
	ASSERT_TRUE(cgroup_move("a", getpid()));
	touch_pages(100);
	ASSERT_TRUE(cgroup_move("d", getpid()));
	touch_pages(100);
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	EXPECT_GE(v.m[FAULTS].value, 200);
	EXPECT_LE(v.m[FAULTS].value, 220);
	EXPECT_GT(v.enabled, 0);
	/* Without tasks, and without the cgroup, it keeps its counts. */
	ASSERT_TRUE(cgroup_remove("a/b"));
	ASSERT_TRUE(cgroup_remove("a"));
	touch_pages(10);
	ASSERT_TRUE(group_values(self->fd, self->nr, &w));
	EXPECT_TRUE(group_same(&v, &w, self->nr));
	/* Another one of the same name is another one. */
	ASSERT_NE(0, cgroup_make("a"));
	ASSERT_TRUE(cgroup_move("a", getpid()));
	touch_pages(10);
	ASSERT_TRUE(group_values(self->fd, self->nr, &w));
	EXPECT_TRUE(group_same(&v, &w, self->nr));
}

/* Enabled, disabled and reset while its tasks run, and while they do not. */
TEST_F(cgroup, controlled)
{
	struct group_values v, w;

	ASSERT_TRUE(cgroup_move("a", getpid()));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	touch_pages(30);
	ASSERT_TRUE(group_values(self->fd, self->nr, &w));
	EXPECT_TRUE(group_same(&v, &w, self->nr));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	touch_pages(30);
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	EXPECT_GE(v.m[FAULTS].value, 30);
	EXPECT_LE(v.m[FAULTS].value, 40);
	ASSERT_TRUE(cgroup_move("", getpid()));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	EXPECT_EQ(0, v.m[FAULTS].value);
	touch_pages(30);
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	EXPECT_EQ(0, v.m[FAULTS].value);
}

/* A CPU goes and comes back while a task of the cgroup runs there. */
TEST_F(cgroup, hotplug)
{
	struct group_values v;
	int cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1, round;
	pid_t pid;

	if (!cpu)
		SKIP(return, "needs two CPUs");
	pid = spinner(-1);
	ASSERT_GT(pid, 0);
	ASSERT_TRUE(cgroup_move("a", pid));
	for (round = 0; round < 5; round++) {
		ASSERT_TRUE(set_online(cpu, false));
		sleep_ns(20 * NSEC_PER_MSEC);
		ASSERT_TRUE(set_online(cpu, true));
		sleep_ns(20 * NSEC_PER_MSEC);
	}
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	EXPECT_GT(v.enabled, 0);
	EXPECT_TRUE(end_child(pid));
	run_on(cpu);
	ASSERT_TRUE(cgroup_move("a", getpid()));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_RESET, 0));
	touch_pages(50);
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	EXPECT_GE(v.m[FAULTS].value, 50);
}

/* Counts by key of a cgroup's tasks alone. */
TEST_F(cgroup, by_process)
{
	struct group_values v;
	struct table t = {};
	struct told all;
	pid_t pid[2];
	int status;

	ASSERT_EQ(0, table_make(self->fd, PMCGRP_KEY_PROCESS, 64, &t));
	pid[0] = worker(self->go, "a", 1);
	pid[1] = worker(self->go, "d", 1);
	ASSERT_EQ(2, write(self->go[1], "xx", 2));
	ASSERT_EQ(pid[0], waitpid(pid[0], &status, 0));
	ASSERT_EQ(pid[1], waitpid(pid[1], &status, 0));
	ASSERT_EQ(0, table_flush(&t, 0));
	EXPECT_GE(table_of(&t, self->nr, pid[0]).value[FAULTS], 20);
	EXPECT_EQ(0, table_of(&t, self->nr, pid[1]).slots);
	all = table_sum(&t, self->nr, NULL, NULL);
	ASSERT_TRUE(group_values(self->fd, self->nr, &v));
	EXPECT_EQ(v.m[FAULTS].value, all.value[FAULTS]);
	EXPECT_EQ(v.enabled, all.enabled);
	EXPECT_TRUE(table_adds_up(&t, self->nr));
	table_unmap(&t);
}

/* Calls of others are neither counted nor missed. */
TEST_F(cgroup, spans)
{
	struct pmcgrp_span_add add;
	struct section section;
	int i;

	if (span_ask(self->fd, CALLED_FUNCTION, NULL, 0, &add) == -EOPNOTSUPP)
		SKIP(return, "the kernel has no kretprobes");
	ASSERT_EQ(0, add.why);
	for (i = 0; i < 10; i++)
		getppid();
	ASSERT_TRUE(find_span(self->dev, self->fd, CALLED_FUNCTION, &section));
	EXPECT_EQ(0, section.info.count + missed(&section));
	ASSERT_TRUE(cgroup_move("a/b", getpid()));
	for (i = 0; i < 10; i++)
		getppid();
	ASSERT_TRUE(cgroup_move("", getpid()));
	ASSERT_TRUE(find_span(self->dev, self->fd, CALLED_FUNCTION, &section));
	EXPECT_LE(10, section.info.count);
	EXPECT_EQ(0, section.info.missed[PMCGRP_MISSED_OFF]);
}

#define MANY	300

/* Many groups of two cgroups: those of one count while its tasks run, the others do not. */
TEST_F(cgroup, many)
{
	struct ask ask = { .nr = self->nr, .attr = self->attr };
	struct group_values v, other;
	int fd[MANY], i;

	if (self->nr == HARDWARE)
		SKIP(return, "groups of software events have a limit");
	for (i = 0; i < MANY; i++) {
		fd[i] = group_of_cgroup(self->dev, i % 2 ? "a" : "d", &ask);
		ASSERT_GE(fd[i], 0);
	}
	ASSERT_TRUE(cgroup_move("a", getpid()));
	touch_pages(100);
	ASSERT_TRUE(cgroup_move("", getpid()));
	ASSERT_TRUE(group_values(fd[1], self->nr, &v));
	EXPECT_GE(v.m[FAULTS].value, 100);
	for (i = 3; i < MANY; i += 2) {
		ASSERT_TRUE(group_values(fd[i], self->nr, &other));
		EXPECT_EQ(v.m[FAULTS].value, other.m[FAULTS].value);
	}
	for (i = 0; i < MANY; i += 2) {
		ASSERT_TRUE(group_values(fd[i], self->nr, &other));
		EXPECT_EQ(0, other.m[FAULTS].value);
	}
	for (i = 0; i < MANY; i++)
		close(fd[i]);
}

#define CPUS	8

/* A group of all CPUs whose samples have the cgroup. */
struct sampled {
	int fd, cpus;
	struct ring ring[CPUS];
	uint64_t id[TASKS];
	pid_t pid[TASKS];
	unsigned int samples[TASKS], switches[TASKS], wrong;
};

static bool sampled_start(struct sampled *s, int dev, struct perf_event_attr *attr, unsigned int nr,
			  uint64_t more)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr, .attr = attr,
			   .flags = PMCGRP_CREATE_DISABLED };
	struct perf_event_attr by = every(50000, sw(PERF_COUNT_SW_CPU_CLOCK));
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;

	s->fd = ask_group(dev, &ask);
	if (s->fd < 0 || setup_ring(s->fd, PMCGRP_RING_BY_TASK,
				    SAMPLE_TYPE | PERF_SAMPLE_CGROUP | more, 0, &setup))
		return false;
	/* By an interrupt that may be an NMI. */
	if (nr > HARDWARE)
		by = every(5000, attr[HARDWARE]);
	for (; s->cpus < CPUS; s->cpus++)
		if (ring_map_at(s->fd, PMCGRP_RING_OFFSET(s->cpus), 128, PROT_READ | PROT_WRITE,
				&s->ring[s->cpus]))
			break;
	return s->cpus && !add_trigger(s->fd, &by, &add) &&
	       !ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void sampled_see(struct sampled *s, const union record *record)
{
	uint64_t cgroup = record->words[record->header.size / 8 - 1];
	int i;

	for (i = 0; i < TASKS; i++) {
		if (record->sample.pid != s->pid[i])
			continue;
		s->wrong += cgroup != s->id[i];
		s->samples[i]++;
		s->switches[i] += !!(record->header.misc & PMCGRP_RECORD_MISC_SWITCH);
	}
}

static void sampled_end(struct sampled *s)
{
	union record record;
	int cpu, got;

	ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
	for (cpu = 0; cpu < s->cpus; cpu++) {
		while ((got = ring_next(&s->ring[cpu], &record)) > 0)
			if (record.header.type == PERF_RECORD_SAMPLE)
				sampled_see(s, &record);
		s->wrong += got < 0;
		ring_unmap(&s->ring[cpu]);
	}
	close(s->fd);
}

static uint64_t id_of(const char *name)
{
	char path[128];
	struct stat st;

	cgroup_path(path, sizeof(path), name, "");
	return stat(path, &st) ? 0 : st.st_ino;
}

/* Samples, and records at switches, have the cgroup of their task; also behind a call chain. */
TEST_F(cgroup, in_samples)
{
	static const char *const name[TASKS] = { "a", "a/b", "d", "" };
	struct sampled s;
	int i, round, status;

	for (round = 0; round < 2; round++) {
		memset(&s, 0, sizeof(s));
		ASSERT_TRUE(sampled_start(&s, self->dev, self->attr, self->nr,
					  round ? PERF_SAMPLE_CALLCHAIN : 0));
		for (i = 0; i < TASKS; i++) {
			s.pid[i] = worker(self->go, name[i], i);
			ASSERT_GT(s.pid[i], 0);
			s.id[i] = id_of(name[i]);
			ASSERT_NE(0, s.id[i]);
		}
		/* Without what they did before they were moved. */
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
		for (i = 0; i < s.cpus; i++)
			s.ring[i].page->data_tail = ring_head(&s.ring[i]);
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(TASKS, write(self->go[1], "xxxx", TASKS));
		for (i = 0; i < TASKS; i++) {
			ASSERT_EQ(s.pid[i], waitpid(s.pid[i], &status, 0));
			ASSERT_EQ(0, status);
		}
		sampled_end(&s);
		EXPECT_EQ(0, s.wrong);
		for (i = 0; i < TASKS; i++) {
			EXPECT_GT(s.samples[i], deterministic() ? 1 : 0) {
				TH_LOG("task %d in '%s'", i, name[i]);
			}
			EXPECT_GT(s.switches[i], 0);
			if (self->nr > HARDWARE)
				EXPECT_GT(s.samples[i], s.switches[i]);
		}
	}
}

TEST_HARNESS_MAIN
