// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcgrp_perf_event_open() compared with perf_event_open(2): the errno of all that is wrong with an
 * attr, a target or a group.
 *
 * needs: timeout=300
 */
#include "pmcgrp_shim.h"
#include "kselftest_harness.h"

static int closed_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static pid_t pid_of_nobody(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/* An attr with one thing wrong. */
static void wrong_attr(struct side *s, void (*spoil)(struct perf_event_attr *attr), int group_fd)
{
	struct perf_event_attr attr = faults();
	int fd;

	spoil(&attr);
	fd = open_event(s, &attr, 0, -1, group_fd, 0);
	note(s, "attr.size", 0, attr.size);
	close_them(&fd, 1);
}

#define SPOIL(name, code)                                      \
	static void spoil_##name(struct perf_event_attr *attr) \
	{                                                      \
		code;                                          \
	}

SPOIL(nothing, (void)attr)
SPOIL(size_0, attr->size = 0)
SPOIL(size_63, attr->size = 63)
SPOIL(size_5000, attr->size = 5000)
SPOIL(type, attr->type = 0x7ffffff0)
SPOIL(config, attr->config = 99)
SPOIL(read_format, attr->read_format = 1 << 20)
SPOIL(sample_type, attr->sample_type = 1ULL << 60)
SPOIL(reserved_2, attr->__reserved_2 = 1)
SPOIL(reserved_3, attr->__reserved_3 = 1)
SPOIL(pinned, attr->pinned = 1)
SPOIL(exclusive, attr->exclusive = 1)
SPOIL(inherit, attr->inherit = 1)
SPOIL(inherit_group, attr->inherit = 1; attr->read_format = PERF_FORMAT_GROUP)
SPOIL(inherit_sample_read, attr->inherit = 1; attr->sample_type = PERF_SAMPLE_READ)
SPOIL(frequency, attr->freq = 1; attr->sample_freq = 1 << 30)
SPOIL(period, attr->sample_period = 1ULL << 63)
SPOIL(precise, attr->precise_ip = 3)
SPOIL(branches, attr->branch_sample_type = 1ULL << 40)
SPOIL(clock, attr->use_clockid = 1; attr->clockid = 99)
SPOIL(sigtrap, attr->sigtrap = 1)
SPOIL(remove_on_exec, attr->remove_on_exec = 1)
SPOIL(breakpoint, attr->type = PERF_TYPE_BREAKPOINT)
SPOIL(cache, attr->type = PERF_TYPE_HW_CACHE; attr->config = 0xffffff)

static void (*const spoils[])(struct perf_event_attr *attr) = {
	spoil_nothing,
	spoil_size_0,
	spoil_size_63,
	spoil_size_5000,
	spoil_type,
	spoil_config,
	spoil_read_format,
	spoil_sample_type,
	spoil_reserved_2,
	spoil_reserved_3,
	spoil_pinned,
	spoil_exclusive,
	spoil_inherit,
	spoil_inherit_group,
	spoil_inherit_sample_read,
	spoil_frequency,
	spoil_period,
	spoil_precise,
	spoil_branches,
	spoil_clock,
	spoil_sigtrap,
	spoil_remove_on_exec,
	spoil_breakpoint,
	spoil_cache,
};

static void bad_attrs(struct side *s)
{
	unsigned int i;

	for (i = 0; i < COUNT(spoils); i++)
		wrong_attr(s, spoils[i], -1);
}

/* The same as siblings. */
static void bad_siblings(struct side *s)
{
	int leader = open_own(s, faults(), -1);
	unsigned int i;

	for (i = 0; i < COUNT(spoils); i++) {
		/* These can have the group taken over by perf; converted() has them. */
		if (spoils[i] == spoil_breakpoint || spoils[i] == spoil_remove_on_exec ||
		    spoils[i] == spoil_precise || spoils[i] == spoil_branches)
			continue;
		wrong_attr(s, spoils[i], leader);
	}
	close(leader);
}

static void bad_targets(struct side *s)
{
	static const struct {
		pid_t pid;
		int cpu;
	} target[] = {
		{ -1, -1 }, { -5, -1 },	       { -1, 99999 }, { -1, -2 }, { 0, 99999 },
		{ 0, -2 },  { 0x3ffffff, -1 }, { 0, 0 },      { -1, 0 },
	};
	struct perf_event_attr attr = faults();
	unsigned long flags;
	unsigned int i;
	int fd;

	for (i = 0; i < COUNT(target); i++) {
		fd = open_event(s, &attr, target[i].pid, target[i].cpu, -1, 0);
		close_them(&fd, 1);
	}
	fd = open_event(s, &attr, pid_of_nobody(), -1, -1, 0);
	close_them(&fd, 1);
	for (flags = 1; flags < 1 << 6; flags <<= 1) {
		fd = open_event(s, &attr, 0, -1, -1, flags);
		close_them(&fd, 1);
		fd = open_event(s, &attr, 9999, 0, -1, flags);
		close_them(&fd, 1);
	}
	note(s, "null", 0, open_quietly(s, NULL, 0, -1, -1, 0));
	note(s, "no memory there", 0, open_quietly(s, (void *)8, 0, -1, -1, 0));
}

/* The attr at the end of the memory, and longer than any kernel's. */
static void long_attrs(struct side *s)
{
	long page = sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_event_attr *attr = (void *)mem;
	unsigned int size;
	int fd;

	mprotect(mem + page, page, PROT_NONE);
	for (size = 64; size <= page; size += 8) {
		memset(mem, 0, page);
		*attr = faults();
		attr->size = size;
		fd = open_event(s, attr, 0, -1, -1, 0);
		close_them(&fd, 1);
		if (size > sizeof(*attr)) {
			mem[size - 1] = 1;
			fd = open_event(s, attr, 0, -1, -1, 0);
			note(s, "attr.size", size, attr->size);
			close_them(&fd, 1);
		}
	}
	attr = (void *)(mem + page - PERF_ATTR_SIZE_VER0);
	memset(attr, 0, PERF_ATTR_SIZE_VER0);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_PAGE_FAULTS;
	attr->size = PERF_ATTR_SIZE_VER0;
	fd = open_event(s, attr, 0, -1, -1, 0);
	close_them(&fd, 1);
	attr->size = PERF_ATTR_SIZE_VER0 + 8;
	note(s, "beyond its end", 0, open_quietly(s, attr, 0, -1, -1, 0));
	munmap(mem, 2 * page);
}

static void bad_groups(struct side *s)
{
	struct perf_event_attr attr = faults(), inherits = faults();
	int leader = open_own(s, faults(), -1), member = open_own(s, faults(), leader), fd, pipes[2];
	pid_t child = waiter();

	inherits.inherit = 1;
	if (pipe(pipes))
		return;
	fd = open_event(s, &attr, 0, -1, closed_fd(), 0);
	close_them(&fd, 1);
	fd = open_event(s, &attr, 0, -1, -7, 0);
	close_them(&fd, 1);
	fd = open_event(s, &attr, 0, -1, pipes[0], 0);
	close_them(&fd, 1);
	fd = open_event(s, &attr, 0, -1, 0, 0);
	close_them(&fd, 1);
	fd = open_event(s, &attr, 0, -1, member, 0);
	close_them(&fd, 1);
	fd = open_event(s, &attr, child, -1, leader, 0);
	close_them(&fd, 1);
	fd = open_event(s, &attr, -1, 0, leader, 0);
	close_them(&fd, 1);
	fd = open_event(s, &inherits, 0, -1, leader, 0);
	close_them(&fd, 1);
	/* No cgroup's descriptor, and so no task: what it inherits is not looked at. */
	fd = open_event(s, &inherits, closed_fd(), 0, leader, PERF_FLAG_PID_CGROUP);
	close_them(&fd, 1);
	fd = open_event(s, &attr, 0, -1, leader, PERF_FLAG_FD_NO_GROUP);
	close_them(&fd, 1);
	fd = open_event(s, &attr, gettid(), -1, leader, 0);
	close_them(&fd, 1);
	end_child(child);
	close_them(pipes, 2);
	close(member);
	close(leader);
}

static const struct shim_case all[] = {
	{ "bad attrs", bad_attrs, 3, 0 },
	{ "bad siblings", bad_siblings, 3, 0 },
	{ "bad targets", bad_targets, 2, 0 },
	{ "long attrs", long_attrs, 200, 0 },
	{ "bad groups", bad_groups, 3, 0 },
};

TEST(same_errno)
{
	unsigned int i;

	for (i = 0; i < COUNT(all); i++)
		EXPECT_TRUE(same(&all[i]));
}

TEST_HARNESS_MAIN
