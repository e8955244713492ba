// SPDX-License-Identifier: GPL-2.0-only
/* What a read() of a group costs: of the reader itself, of a task elsewhere, of all CPUs. */
#include "bench.h"

#define READS	10000

static bool all_read(long times, int fd)
{
	struct group_values v;
	long bad = 0;

	while (times--)
		bad += read(fd, &v, sizeof(v)) <= 0;
	return !bad;
}

static struct cost cost_of_read(int fd, long times)
{
	struct stamp start;

	if (!all_read(10, fd))
		return NO_COST;
	start = stamp_now();
	return all_read(times, fd) ? cost_of_each(cost_since(&start), times) : NO_COST;
}

static bool read_both(struct result *r, const struct perf_event_attr *attr, unsigned int nr,
		      const struct whom *whom, long times)
{
	struct perf_group perf;
	int fd;

	if (!perf_group_open(&perf, attr, nr, whom))
		return false;
	r->perf = cost_of_read(perf.fd[0], times);
	perf_group_close(&perf);
	fd = group_open(attr, nr, whom);
	if (fd < 0)
		return false;
	r->pmcgrp = cost_of_read(fd, times);
	close(fd);
	return measured(r->perf) && measured(r->pmcgrp);
}

static bool read_self(struct result *r)
{
	size_t size = offsetof(struct group_values, m[NR]);
	int fd = open("/dev/zero", O_RDONLY);
	struct group_values v;

	r->floor = PER_TIME(READS, read(fd, &v, size));
	close(fd);
	return read_both(r, members[0], NR, &(struct whom){ 0 }, READS);
}

/* ---- A group that was opened as by perf_event_open(2) ---- */

static struct cost cost_of_toggle(int fd, long times)
{
	struct stamp start = stamp_now();
	long i, bad = 0;

	for (i = 0; i < times; i++)
		bad += ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) ||
		       ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	return bad ? NO_COST : cost_of_each(cost_since(&start), times);
}

static bool shim_both(struct result *r, struct cost (*cost)(int fd, long times))
{
	struct perf_group group;

	if (!perf_group_open(&group, members[0], NR, &(struct whom){ 0 }))
		return false;
	r->perf = cost(group.fd[0], READS);
	perf_group_close(&group);
	if (!shim_group_open(&group, members[0], NR, 0))
		return false;
	r->pmcgrp = cost(group.fd[0], READS);
	perf_group_close(&group);
	return measured(r->perf) && measured(r->pmcgrp);
}

static bool read_shim(struct result *r)
{
	return shim_both(r, cost_of_read);
}

static bool toggle_shim(struct result *r)
{
	return shim_both(r, cost_of_toggle);
}

static inline void relax(void)
{
#ifdef __x86_64__
	asm volatile("pause");
#else
	asm volatile("yield");
#endif
}

/*
 * On CPU 1, always running; but QEMU, which runs one CPU at a time, is told with each iteration
 * of the loop to go on with the next one.
 */
static pid_t yielder(void)
{
	pid_t pid = fork();

	if (!pid) {
		run_on(1);
		for (;;)
			relax();
	}
	return pid;
}

static bool read_remote(struct result *r)
{
	struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	pid_t pid = yielder();
	bool good;
	int fd;

	sleep_ns(20 * NSEC_PER_MSEC);
	fd = perf_open(&dummy, pid, -1, -1);
	r->floor = cost_of_read(fd, READS / 10);
	close(fd);
	good = read_both(r, members[0], NR, &(struct whom){ .pid = pid }, READS / 10);
	end_child(pid);
	return good;
}

/* ---- All CPUs ---- */

#define CPUS	8

static bool perf_read_all(const struct perf_group *perf)
{
	struct group_values v;
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		if (!group_values(perf[cpu].fd[0], NR, &v))
			return false;
	return true;
}

static struct cost cost_of_all(const struct perf_event_attr *attr, unsigned int nr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr, .attr = attr };
	int fd = ask_group(dev, &ask);
	struct cost cost = fd < 0 ? NO_COST : cost_of_read(fd, READS / 10);

	close(fd);
	return cost;
}

/*
 * The others are idle: what they execute is what they are asked for. With an event that counts
 * nothing that is to be interrupted, and to say so.
 */
static bool read_all(struct result *r)
{
	const struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	struct perf_group perf[CPUS];
	bool good = true;
	int cpu;

	for (cpu = 0; cpu < CPUS && good; cpu++)
		good = perf_group_open(&perf[cpu], members[0], NR,
				       &(struct whom){ .pid = -1, .cpu = cpu });
	good = good && perf_read_all(perf);
	if (good)
		r->perf = PER_TIME(READS / 10, good &= perf_read_all(perf));
	while (cpu--)
		perf_group_close(&perf[cpu]);
	r->pmcgrp = cost_of_all(members[0], NR);
	r->floor = cost_of_all(&dummy, 1);
	return good && measured(r->pmcgrp) && measured(r->floor);
}

#define MANY	100

/* What 100 groups of this task hold, for each of them: by a read() each, or by one call. */
static struct cost cost_of_many(enum by by, int nr)
{
	static struct {
		int64_t size;
		uint64_t words[3 + 2 * NR];
	} record[MANY];
	struct pmcgrp_read_many arg = { .size = sizeof(arg) };
	struct group_values v;
	struct stamp start;
	int fd[MANY], k, times;
	bool good = true;

	for (k = 0; k < nr; k++)
		fd[k] = group_fd(by, k);
	arg.fds = (uintptr_t)fd;
	arg.buf = (uintptr_t)record;
	arg.buf_size = sizeof(record);
	start = stamp_now();
	for (times = 0; times < READS / MANY; times++) {
		arg.nr = nr;
		if (by == BY_PMCGRP)
			good &= !ioctl(dev, PMCGRP_IOC_READ_MANY, &arg) &&
				(int)arg.nr == nr && record[nr - 1].size > 0;
		for (k = 0; by == BY_PERF && k < nr; k++)
			good &= read(fd[k], &v, sizeof(v)) > 0;
	}
	return good ? cost_of_each(cost_since(&start), times * nr) : NO_COST;
}

static bool read_many(struct result *r)
{
	const struct group_set set = { .attr = members[0], .nr = NR };
	const struct whom me = { .pid = 0 };

	r->perf = with_groups(BY_PERF, MANY, &set, &me, cost_of_many);
	r->pmcgrp = with_groups(BY_PMCGRP, MANY, &set, &me, cost_of_many);
	return measured(r->perf) && measured(r->pmcgrp);
}

const struct row read_rows[] = {
	{ "read.self.4hw", "instructions", "read() of as much from /dev/zero", 1, 0.35, read_self },
	{ "read.shim.4hw", "instructions", NULL, 1, 0.60, read_shim },
	{ "toggle.shim.4hw", "instructions", NULL, 1, 1.00, toggle_shim },
	{ "read.100groups.4hw", "instructions", NULL, 1, 0.10, read_many },
	{ "read.remote.4hw", "instructions", "perf's read() of one event without a counter", 2,
	  0.50, read_remote },
	{ "read.all.8x4hw", "instructions", "the same of one event that counts nothing", 8, 0.40,
	  read_all },
	{}
};
