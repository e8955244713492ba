// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go offline and come back: counts are kept and counting goes on.
 *
 * needs: timeout=1200
 */
#include "pmcgrp_rate.h"
#include "pmcgrp_ring.h"
#include <sys/prctl.h>
#include "kselftest_harness.h"

#define NR		MIXED
#define CPUS_MAX	8
#define LOADS		3	/* groups on each CPU, more than fit its PMU */
#define SEED		20260101
#define STORM		120	/* times that a CPU goes or comes under load */
#define STORM_SLOW	40
/*
 * Cycles from one interrupt of a trigger to the next. With -icount, where processors run one at a
 * time, a CPU goes in 4 s of the guest's under such, by perf alone as well, and in 11 at a fifth.
 */
#define PERIOD		1000000
#define CYCLES		2	/* off and on */

FIXTURE(hotplug)
{
	int dev;
	int cpus;
	int cpu;	/* the last one */
	struct perf_event_attr attr[NR];
	struct rates rates;
};

FIXTURE_SETUP(hotplug)
{
	self->rates.rate = -1;
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_CONF);
	self->cpu = self->cpus - 1;
	if (!self->cpu || !set_online(self->cpu, true))
		SKIP(return, "needs a second CPU that can be taken offline");
	mixed_members(self->attr);
}

FIXTURE_TEARDOWN(hotplug)
{
	int i;

	for (i = 1; i < self->cpus; i++)
		set_online(i, true);
	rates_restore(&self->rates);
	close(self->dev);
}

TEST_F(hotplug, creating_on_an_offline_cpu)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .target_id = self->cpu,
			   .nr = NR, .attr = self->attr };
	int fd;

	ASSERT_TRUE(set_online(self->cpu, false));
	EXPECT_EQ(-ENODEV, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_CPU_OFFLINE, ask.create.why);
	EXPECT_EQ(self->cpu, ask.create.fail_cpu);
	EXPECT_EQ(PMCGRP_NO_MEMBER, ask.create.fail_member);
	ASSERT_TRUE(set_online(self->cpu, true));
	fd = ask_group(self->dev, &ask);
	EXPECT_GE(fd, 0);
	close(fd);
}

TEST_F_TIMEOUT(hotplug, a_cpu_s_group_keeps_its_counts_and_goes_on, 120)
{
	struct group_values v, off, w;
	int fd, i;

	fd = group_of_cpu(self->dev, self->cpu, NR, self->attr);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 3; i++) {
		sleep_ns(20 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, NR, &v));
		EXPECT_GT(v.running, 0);
		ASSERT_TRUE(set_online(self->cpu, false));
		ASSERT_TRUE(group_values(fd, NR, &off));
		EXPECT_GE(off.m[0].value, v.m[0].value);
		EXPECT_GE(off.running, v.running);
		sleep_ns(20 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, NR, &w));
		EXPECT_TRUE(group_same(&off, &w, NR));
		/* control without a CPU does no harm */
		EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_TRUE(set_online(self->cpu, true));
		EXPECT_TRUE(group_goes_on(fd, NR, &off));
	}
	/* disabled while offline: remains disabled */
	ASSERT_TRUE(set_online(self->cpu, false));
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(set_online(self->cpu, true));
	sleep_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	sleep_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_TRUE(group_same(&v, &w, NR));
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(group_goes_on(fd, NR, &w));
	close(fd);
}

/* How many groups share the counter of a group's first member; 0 while its CPU is offline. */
static uint32_t sharers(struct __test_metadata *_metadata, int fd)
{
	struct pmcgrp_info_cpu cpu[NR];
	struct pmcgrp_info info;

	EXPECT_EQ(0, group_info(fd, 0, &info, cpu, NR));
	return info.nr_cpus ? cpu[0].groups : 0;
}

/* Groups of a CPU with the same events share a list: each goes on by itself. */
TEST_F_TIMEOUT(hotplug, a_cpu_s_groups_that_share_a_list, 120)
{
	struct group_values v, w;
	int fd[2], i, k;

	for (k = 0; k < 2; k++) {
		fd[k] = group_of_cpu(self->dev, self->cpu, NR, self->attr);
		ASSERT_GE(fd[k], 0);
		sleep_ns(10 * NSEC_PER_MSEC);
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(2, sharers(_metadata, fd[0]));
		ASSERT_TRUE(set_online(self->cpu, false));
		EXPECT_EQ(-ENODEV, group_of_cpu(self->dev, self->cpu, NR, self->attr));
		ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
		ASSERT_TRUE(group_values(fd[0], NR, &v));
		ASSERT_TRUE(group_values(fd[1], NR, &w));
		EXPECT_LT(0, v.running);
		EXPECT_EQ(0, w.running);
		EXPECT_EQ(0, w.m[0].value);
		ASSERT_TRUE(set_online(self->cpu, true));
		EXPECT_TRUE(group_goes_on(fd[0], NR, &v));
		EXPECT_TRUE(group_goes_on(fd[1], NR, &w));
	}
	/* one is closed while there is no CPU, and another one comes */
	ASSERT_TRUE(set_online(self->cpu, false));
	close(fd[0]);
	ASSERT_TRUE(set_online(self->cpu, true));
	EXPECT_TRUE(group_goes_on(fd[1], NR, &w));
	EXPECT_EQ(1, sharers(_metadata, fd[1]));
	fd[0] = group_of_cpu(self->dev, self->cpu, NR, self->attr);
	ASSERT_GE(fd[0], 0);
	EXPECT_EQ(2, sharers(_metadata, fd[0]));
	close(fd[0]);
	EXPECT_EQ(1, sharers(_metadata, fd[1]));
	close(fd[1]);
}

/* A task's group made while the CPU was away counts there when it is back. */
TEST_F_TIMEOUT(hotplug, a_task_s_group_follows_to_a_cpu_that_was_away, 120)
{
	struct group_values v = {};
	cpu_set_t set;
	pid_t pid;
	int fd;

	ASSERT_TRUE(set_online(self->cpu, false));
	pid = spinner(-1);
	ASSERT_GT(pid, 0);
	fd = group_of_task(self->dev, pid, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	EXPECT_TRUE(group_goes_on(fd, NR, &v));
	ASSERT_TRUE(set_online(self->cpu, true));
	CPU_ZERO(&set);
	CPU_SET(self->cpu, &set);
	ASSERT_EQ(0, sched_setaffinity(pid, sizeof(set), &set));
	sleep_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_TRUE(group_goes_on(fd, NR, &v));
	ASSERT_TRUE(end_child(pid));
	close(fd);
}

static bool tracing_write(const char *file, const char *text)
{
	char path[128];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/%s", file);
	fd = open(path, O_WRONLY | O_APPEND);
	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

/* How often a probe of tracefs was hit, on all CPUs; -1: there is none. */
static long probe_hits(const char *name)
{
	FILE *f = fopen("/sys/kernel/tracing/kprobe_profile", "r");
	char line[256], found[64];
	long hits, result = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " %63s %ld", found, &hits) == 2 && !strcmp(found, name))
			result = hits;
	if (f)
		fclose(f);
	return result;
}

/* Kernel code makes so many events while a CPU, where a task spins, goes and comes. */
static long events_made(struct __test_metadata *_metadata, int cpu, int fd, unsigned int nr)
{
	struct group_values v = {};
	long before = probe_hits("pmcgrp_made");

	EXPECT_TRUE(set_online(cpu, false));
	sleep_ns(100 * NSEC_PER_MSEC);
	EXPECT_TRUE(set_online(cpu, true));
	sleep_ns(100 * NSEC_PER_MSEC);
	if (fd >= 0 && group_values(fd, nr, &v))
		EXPECT_TRUE(group_goes_on(fd, nr, &v));
	return probe_hits("pmcgrp_made") - before;
}

/* Let a task run on each CPU for a while, several times. */
static bool visit_all_cpus(pid_t pid)
{
	int cpu, times, cpus = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t set, all;

	if (sched_getaffinity(pid, sizeof(all), &all))
		return false;
	for (times = 0; times < 3; times++)
		for (cpu = 0; cpu < cpus; cpu++) {
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			if (CPU_ISSET(cpu, &all) && sched_setaffinity(pid, sizeof(set), &set))
				return false;
			sleep_ns(20 * NSEC_PER_MSEC);
		}
	return !sched_setaffinity(pid, sizeof(all), &all);
}

/* The counters of a task's group stay; two events tell of pinned perf events (guard.c). */
TEST_F_TIMEOUT(hotplug, no_counter_of_a_task_is_made_anew, 120)
{
	static const int more[NR] = { PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
				      PERF_COUNT_SW_CPU_MIGRATIONS };
	struct perf_event_attr attr[2 * NR];
	long without, with;
	cpu_set_t set;
	pid_t pid;
	int fd, i;

	if (!tracing_write("kprobe_events", "p:pmcgrp_made perf_event_create_kernel_counter\n"))
		SKIP(return, "no probes in tracefs");
	ASSERT_TRUE(tracing_write("events/kprobes/pmcgrp_made/enable", "1"));
	without = events_made(_metadata, self->cpu, -1, 0);
	pid = spinner(-1);
	ASSERT_GT(pid, 0);
	for (i = 0; i < NR; i++) {
		attr[i] = self->attr[i];
		attr[NR + i] = sw(more[i]);
	}
	fd = group_of_task(self->dev, pid, 2 * NR, attr, 0);
	ASSERT_GE(fd, 0);
	/*
	 * A task that moves has more counters made, until each CPU has one (kmod/counter/pool.c).
	 */
	ASSERT_TRUE(visit_all_cpus(pid));
	with = events_made(_metadata, self->cpu, fd, 2 * NR);
	TH_LOG("%ld events made without a group, %ld with one of %d members", without, with,
	       2 * NR);
	EXPECT_LE(with, without + 2);
	/* and they count there again */
	CPU_ZERO(&set);
	CPU_SET(self->cpu, &set);
	ASSERT_EQ(0, sched_setaffinity(pid, sizeof(set), &set));
	EXPECT_LE(0, events_made(_metadata, self->cpu, fd, 2 * NR));
	ASSERT_TRUE(end_child(pid));
	close(fd);
	EXPECT_TRUE(tracing_write("events/kprobes/pmcgrp_made/enable", "0"));
	EXPECT_TRUE(tracing_write("kprobe_events", "-:pmcgrp_made\n"));
}

struct in_order {
	struct group_values last;
	unsigned long wrong;
};

static void see_in_order(const struct sample *s, void *arg)
{
	struct in_order *seen = arg;

	seen->wrong += !group_follows(&seen->last, &s->read, NR);
	seen->last = s->read;
}

/* Samples go on, each after the one before it. */
static void trigger_goes_on(struct __test_metadata *_metadata, int fd, struct ring *ring,
			    struct in_order *seen, struct ring_sum *sum)
{
	unsigned long before = sum->samples;
	uint64_t end = now_ns() + 20 * NSEC_PER_SEC;

	do {
		sleep_ns(5 * NSEC_PER_MSEC);
		ring_drain(ring, sum, see_in_order, seen);
	} while (sum->samples < before + 5 && now_ns() < end);
	ASSERT_LE(before + 5, sum->samples);
}

/*
 * The interrupts of a trigger, NMIs on x86, come while the CPU's counters are taken away and
 * given back. @pid: who spins on that CPU, and is counted unless the CPU is
 */
static void under_a_trigger(struct __test_metadata *_metadata, int dev, int cpu, bool of_cpu,
			    pid_t pid, const struct perf_event_attr *attr)
{
	struct perf_event_attr by = every(PERIOD, cycles_copy(NR));
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;
	struct in_order seen = {};
	struct ring_sum sum = {};
	struct group_values v;
	struct ring ring;
	cpu_set_t set;
	int fd, i;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	fd = of_cpu ? group_of_cpu(dev, cpu, NR, attr) : group_of_task(dev, pid, NR, attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	ASSERT_EQ(0, ring_map_at(fd, of_cpu ? PMCGRP_RING_OFFSET(cpu) : 0, 256,
				 PROT_READ | PROT_WRITE, &ring));
	ASSERT_EQ(0, add_trigger(fd, &by, &add));
	for (i = 0; i < CYCLES; i++) {
		trigger_goes_on(_metadata, fd, &ring, &seen, &sum);
		ASSERT_TRUE(set_online(cpu, false));
		if (!of_cpu)
			trigger_goes_on(_metadata, fd, &ring, &seen, &sum);
		ASSERT_TRUE(set_online(cpu, true));
		ASSERT_EQ(0, sched_setaffinity(pid, sizeof(set), &set));
	}
	trigger_goes_on(_metadata, fd, &ring, &seen, &sum);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, NR, &v));
	ring_drain(&ring, &sum, see_in_order, &seen);
	TH_LOG("%lu samples, %lu missed, %lu lost; %llu periods", sum.samples, sum.missed,
	       sum.lost, (unsigned long long)v.m[0].value / PERIOD);
	EXPECT_EQ(0, seen.wrong);
	EXPECT_TRUE(group_follows(&seen.last, &v, NR));
	EXPECT_EQ(0, sum.others);
	EXPECT_FALSE(sum.broken);
	ring_unmap(&ring);
	close(fd);
}

TEST_F_TIMEOUT(hotplug, under_a_trigger, 300)
{
	pid_t pid;

	if (!have_cycles() || counters() < NR)
		SKIP(return, "needs a PMU");
	self->rates = rates_allow(400000);
	ASSERT_LT(0, self->rates.rate);
	pid = spinner(self->cpu);
	ASSERT_GT(pid, 0);
	under_a_trigger(_metadata, self->dev, self->cpu, true, pid, self->attr);
	under_a_trigger(_metadata, self->dev, self->cpu, false, pid, self->attr);
	ASSERT_TRUE(end_child(pid));
}

/* The load: spinning tasks, bound and not, and groups of tasks and CPUs. */
struct load {
	int dev;
	int cpus;
	int nr;
	int fd[CPUS_MAX * (LOADS + 1) + 2];
	int nr_tasks;
	pid_t pid[CPUS_MAX + 2];
	struct group_values last[CPUS_MAX * (LOADS + 1) + 2];
};

static bool load_task(struct load *load, int cpu, const struct perf_event_attr *attr)
{
	pid_t pid = spinner(cpu);
	int fd = pid < 0 ? -errno : group_of_task(load->dev, pid, NR, attr, 0);

	load->pid[load->nr_tasks++] = pid;
	load->fd[load->nr++] = fd;
	return fd >= 0;
}

static bool load_cpu(struct load *load, int cpu, int number, bool hardware,
		     const struct perf_event_attr *mixed)
{
	struct perf_event_attr attr[NR];
	int i;

	memcpy(attr, mixed, sizeof(attr));
	if (hardware)
		for (i = 0; i < NR; i++)
			attr[i] = cycles_copy(10 + NR * number + i);
	load->fd[load->nr] = group_of_cpu(load->dev, cpu, NR, attr);
	return load->fd[load->nr++] >= 0;
}

static bool load_start(struct load *load, const struct perf_event_attr *attr)
{
	bool hardware = have_cycles(), ok = true;
	int cpu, i;

	for (cpu = -2; cpu < load->cpus; cpu++)
		ok = ok && load_task(load, cpu, attr);
	for (cpu = 0; cpu < load->cpus; cpu++)
		for (i = 0; i < LOADS; i++)
			ok = ok && load_cpu(load, cpu, i, hardware, attr);
	return ok;
}

/* No value decreases, and running never exceeds enabled. */
static bool load_is_right(struct load *load)
{
	struct group_values v, *last;
	int i, k;

	for (i = 0; i < load->nr; i++) {
		last = &load->last[i];
		if (!group_values(load->fd[i], NR, &v) || v.running > v.enabled ||
		    v.running < last->running || v.enabled < last->enabled)
			return false;
		for (k = 0; k < NR; k++)
			if (v.m[k].value < last->m[k].value)
				return false;
		*last = v;
	}
	return true;
}

struct seen {
	unsigned long rounds;
	unsigned long away;	/* CPUs found offline */
	int err;		/* the last refusal, and why */
	unsigned int why;
};

/* Meanwhile: reads everything, and creates groups on CPUs that may be offline. */
static pid_t bystander(struct load *load, const struct perf_event_attr *attr, struct seen *seen)
{
	struct rng rng = { .state = mix(SEED + 1) };
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .nr = NR, .attr = attr };
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;; seen->rounds++) {
		if (!load_is_right(load))
			_exit(1);
		ask.target_id = below(&rng, load->cpus);
		fd = ask_group(load->dev, &ask);
		if (fd < 0) {
			seen->away++;
			seen->err = -fd;
			seen->why = ask.create.why;
			if (fd != -ENODEV || ask.create.why != PMCGRP_WHY_CPU_OFFLINE)
				_exit(2);
		}
		if (fd >= 0 && !group_sane(fd, NR))
			_exit(3);
		if (fd >= 0)
			close(fd);
	}
}

/* Every CPU but the first goes and comes, in an order that is the same each time. */
TEST_F_TIMEOUT(hotplug, storm, 1200)
{
	int toggles = slow_kernel() ? STORM_SLOW : STORM, gone = 0, status, cpu, i;
	bool online[CPUS_MAX] = { [0 ... CPUS_MAX - 1] = true };
	struct load load = { .dev = self->dev, .cpus = self->cpus };
	struct rng rng = { .state = mix(SEED) };
	struct seen *seen = shared_memory(sizeof(*seen));
	pid_t pid;

	ASSERT_NE(NULL, seen);
	ASSERT_LE(self->cpus, CPUS_MAX);
	ASSERT_TRUE(load_start(&load, self->attr));
	pid = bystander(&load, self->attr, seen);
	ASSERT_GT(pid, 0);
	for (i = 0; i < toggles; i++) {
		cpu = 1 + below(&rng, self->cpus - 1);
		online[cpu] = !online[cpu];
		ASSERT_TRUE(set_online(cpu, online[cpu]));
		gone += !online[cpu];
		ASSERT_TRUE(load_is_right(&load)) {
			TH_LOG("after CPU %d went %s", cpu, online[cpu] ? "on" : "off");
		}
	}
	for (i = 1; i < self->cpus; i++)
		ASSERT_TRUE(set_online(i, true));
	ASSERT_EQ(0, waitpid(pid, &status, WNOHANG)) {
		TH_LOG("the bystander ended with %#x; last refused: %s, reason %u", status,
		       strerror(seen->err), seen->why);
	}
	ASSERT_TRUE(end_child(pid));
	ASSERT_TRUE(load_is_right(&load));
	for (i = 0; i < load.nr; i++)
		EXPECT_TRUE(group_goes_on(load.fd[i], NR, &load.last[i]));
	TH_LOG("%d CPUs, %d groups, seed %d; a bystander went round %lu times, to %lu absent CPUs",
	       self->cpus, load.nr, SEED, seen->rounds, seen->away);
	EXPECT_GT(seen->rounds, 0);
	tell_count("hotplug", gone, "cycles");
	for (i = 0; i < load.nr_tasks; i++)
		ASSERT_TRUE(end_child(load.pid[i]));
}

TEST_HARNESS_MAIN
