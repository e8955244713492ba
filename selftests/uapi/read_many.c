// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCGRP_IOC_READ_MANY: one record for each descriptor, which says what read() of it would. Groups
 * with the same events are read at one instant. What is no group, or fails, spoils no other record.
 */
#include "pmcgrp_after.h"
#include "kselftest_harness.h"
#include <sys/resource.h>

#define NR	2
#define GROUPS	300	/* their records do not fit the kernel's memory at once */

struct record {
	int64_t size;
	struct {
		uint64_t nr, enabled, running;
		struct {
			uint64_t value, id;
		} m[NR];
	} v;
};

FIXTURE(read_many)
{
	int dev;
	struct perf_event_attr attr[NR];
	struct record *record;
	long refs;
};

FIXTURE_SETUP(read_many)
{
	struct rlimit limit = { .rlim_cur = 2 * GROUPS, .rlim_max = 2 * GROUPS };

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	self->attr[0] = have_cycles() ? hw(PERF_COUNT_HW_CPU_CYCLES) :
					sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->record = calloc(GROUPS, sizeof(*self->record));
	ASSERT_NE(NULL, self->record);
	self->refs = module_refs();
}

FIXTURE_TEARDOWN(read_many)
{
	free(self->record);
	EXPECT_TRUE(refs_return_to(self->refs));
	close(self->dev);
}

static int many(int dev, const int *fd, unsigned int nr, void *buf, uint64_t size,
		unsigned int *done)
{
	struct pmcgrp_read_many arg = {
		.size = sizeof(arg),
		.fds = (uintptr_t)fd,
		.nr = nr,
		.buf = (uintptr_t)buf,
		.buf_size = size,
	};
	int err = ioctl(dev, PMCGRP_IOC_READ_MANY, &arg) ? -errno : 0;

	*done = arg.nr;
	return err;
}

/* Whether a record is of a group, between two reads of that. */
static bool is_between(const struct group_values *v, const struct record *r,
		       const struct group_values *w)
{
	unsigned int i;

	if (r->size != sizeof(r->v) || r->v.nr != NR || v->enabled > r->v.enabled ||
	    r->v.enabled > w->enabled || v->running > r->v.running || r->v.running > w->running)
		return false;
	for (i = 0; i < NR; i++)
		if (r->v.m[i].id != v->m[i].id || v->m[i].value > r->v.m[i].value ||
		    r->v.m[i].value > w->m[i].value)
			return false;
	return true;
}

/* Of the caller, made one after the other: each shows its own part, at the same instant. */
TEST_F(read_many, groups_that_share)
{
	int fd[GROUPS];
	struct group_values *v = calloc(GROUPS, sizeof(*v)), w;
	uint64_t past[GROUPS];
	unsigned int i, done;

	ASSERT_NE(NULL, v);
	for (i = 0; i < GROUPS; i++) {
		fd[i] = group_of(self->dev, NR, self->attr, 0);
		ASSERT_GE(fd[i], 0);
	}
	/* one has kept its values, one has begun anew */
	ASSERT_EQ(0, ioctl(fd[7], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(fd[9], PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
	for (i = 0; i < GROUPS; i++)
		ASSERT_TRUE(group_values(fd[i], NR, &v[i]));
	ASSERT_EQ(0, many(self->dev, fd, GROUPS, self->record, GROUPS * sizeof(*self->record),
			  &done));
	ASSERT_EQ(GROUPS, done);
	for (i = 0; i < GROUPS; i++) {
		ASSERT_TRUE(group_values(fd[i], NR, &w));
		EXPECT_TRUE(is_between(&v[i], &self->record[i], &w)) {
			TH_LOG("group %u", i);
		}
		past[i] = self->record[i].v.enabled;
	}
	EXPECT_EQ(v[7].enabled, past[7]);
	/* At one instant: the difference of two groups' times is the same in a second reading. */
	ASSERT_EQ(0, many(self->dev, fd, GROUPS, self->record, GROUPS * sizeof(*self->record),
			  &done));
	for (i = 10; i < GROUPS; i++)
		EXPECT_EQ(past[i - 1] - past[i],
			  self->record[i - 1].v.enabled - self->record[i].v.enabled);
	for (i = 0; i < GROUPS; i++)
		close(fd[i]);
	free(v);
}

/* Of other tasks, of a CPU, with other events, with a leader; and what is no group at all. */
TEST_F(read_many, of_all_kinds)
{
	struct perf_event_attr other[NR] = { self->attr[1], self->attr[0] };
	struct group_values v[8], w;
	pid_t pid = spinner(-1);
	int fd[8], i, bad[2], member;
	struct pmcgrp_add add;
	unsigned int done;
	int64_t *at;

	ASSERT_GT(pid, 0);
	fd[0] = group_of(self->dev, NR, self->attr, 0);
	fd[1] = group_of_task(self->dev, pid, NR, self->attr, 0);
	fd[2] = group_of(self->dev, NR, self->attr, PMCGRP_CREATE_INHERIT);
	fd[3] = group_of_cpu(self->dev, 0, NR, self->attr);
	fd[4] = group_of(self->dev, NR, other, 0);
	fd[5] = group_of(self->dev, NR, self->attr, PMCGRP_CREATE_LEADER);
	fd[6] = group_of(self->dev, NR, self->attr, PMCGRP_CREATE_DISABLED);
	fd[7] = group_of_task(self->dev, pid, NR, self->attr, 0);
	for (i = 0; i < 8; i++) {
		ASSERT_GE(fd[i], 0);
		ASSERT_TRUE(group_values(fd[i], NR, &v[i]));
	}
	ASSERT_EQ(0, many(self->dev, fd, 8, self->record, 8 * sizeof(*self->record), &done));
	ASSERT_EQ(8, done);
	for (i = 0; i < 8; i++) {
		ASSERT_TRUE(group_values(fd[i], NR, &w));
		EXPECT_TRUE(is_between(&v[i], &self->record[i], &w)) {
			TH_LOG("group %d", i);
		}
	}
	EXPECT_EQ(0, self->record[6].v.enabled);

	/* a member by itself, and what is none */
	add = (struct pmcgrp_add){ .size = sizeof(add), .attr = (uintptr_t)&other[0] };
	member = ioctl(fd[5], PMCGRP_IOC_ADD, &add);
	ASSERT_GE(member, 0);
	bad[0] = self->dev;
	bad[1] = member;
	ASSERT_EQ(0, many(self->dev, bad, 2, self->record, sizeof(*self->record), &done));
	ASSERT_EQ(2, done);
	at = (int64_t *)self->record;
	EXPECT_EQ(-EBADF, at[0]);
	EXPECT_EQ(sizeof(uint64_t), at[1]);
	bad[0] = -1;
	bad[1] = 2 * GROUPS - 1;
	ASSERT_EQ(0, many(self->dev, bad, 2, self->record, 2 * sizeof(int64_t), &done));
	EXPECT_EQ(-EBADF, at[0]);
	EXPECT_EQ(-EBADF, at[1]);

	close(member);
	for (i = 0; i < 8; i++)
		close(fd[i]);
	ASSERT_TRUE(end_child(pid));
}

TEST_F(read_many, bad_input)
{
	struct pmcgrp_read_many arg = { .size = sizeof(arg) };
	int fd[2] = { group_of(self->dev, NR, self->attr, 0), self->dev };
	void *none = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int done;

	ASSERT_GE(fd[0], 0);
	ASSERT_NE(MAP_FAILED, none);
	/* nothing is asked for */
	EXPECT_EQ(0, many(self->dev, NULL, 0, NULL, 0, &done));
	EXPECT_EQ(0, done);
	/* too small for the second, for the first */
	EXPECT_EQ(-ENOSPC, many(self->dev, fd, 2, self->record, sizeof(*self->record), &done));
	EXPECT_EQ(1, done);
	EXPECT_EQ(sizeof(self->record->v), self->record->size);
	EXPECT_EQ(-ENOSPC, many(self->dev, fd, 1, self->record, sizeof(*self->record) - 1, &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(-ENOSPC, many(self->dev, fd, 1, NULL, 0, &done));
	/* pointers */
	EXPECT_EQ(-EFAULT, many(self->dev, none, 1, self->record, 1000, &done));
	EXPECT_EQ(-EFAULT, many(self->dev, fd, 1, none, 1000, &done));
	EXPECT_EQ(-EINVAL, many(self->dev, fd, 1, (char *)self->record + 4, 1000, &done));
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_READ_MANY, none));
	EXPECT_EQ(EFAULT, errno);
	/* fields */
	arg.flags = 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_READ_MANY, &arg));
	EXPECT_EQ(EINVAL, errno);
	arg.flags = 0;
	arg.__reserved = 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_READ_MANY, &arg));
	EXPECT_EQ(EINVAL, errno);
	arg.__reserved = 0;
	arg.size--;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_READ_MANY, &arg));
	EXPECT_EQ(EINVAL, errno);
	/* not on a group */
	arg.size++;
	EXPECT_EQ(-1, ioctl(fd[0], PMCGRP_IOC_READ_MANY, &arg));
	EXPECT_EQ(ENOTTY, errno);
	munmap(none, 1 << 16);
	close(fd[0]);
}

/* Groups are reset, disabled and enabled by another thread meanwhile: no count goes back. */
TEST_F(read_many, while_they_change)
{
	int *fd = shared_memory(4 * sizeof(*fd));
	unsigned int i, k, done, rounds = slow_kernel() ? 200 : 2000, back = 0;
	uint64_t last[4] = {};
	pid_t child;

	ASSERT_NE(NULL, fd);
	for (i = 0; i < 4; i++) {
		fd[i] = group_of(self->dev, NR, self->attr, 0);
		ASSERT_GE(fd[i], 0);
	}
	child = fork();
	ASSERT_GE(child, 0);
	while (!child) {
		ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
		sched_yield();
		ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
		ioctl(fd[2], PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd[2], PERF_EVENT_IOC_ENABLE, 0);
		sched_yield();
	}
	for (k = 0; k < rounds; k++) {
		ASSERT_EQ(0, many(self->dev, fd, 4, self->record, 4 * sizeof(*self->record),
				  &done));
		for (i = 0; i < 4; i++) {
			ASSERT_EQ(sizeof(self->record->v), self->record[i].size);
			back += self->record[i].v.enabled < last[i] ||
				self->record[i].v.running > self->record[i].v.enabled;
			last[i] = self->record[i].v.enabled;
		}
		sched_yield();
	}
	EXPECT_EQ(0, back);
	ASSERT_TRUE(end_child(child));
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

TEST_HARNESS_MAIN
