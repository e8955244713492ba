// SPDX-License-Identifier: GPL-2.0-only
/* read() gives perf's read_format in every combination of its five flags. */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define NR	3
#define WORDS	(3 + 3 * NR)

FIXTURE(read_format)
{
	int dev;
	struct perf_event_attr attr[NR];
};

FIXTURE_SETUP(read_format)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[0] = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[2] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
}

FIXTURE_TEARDOWN(read_format)
{
	close(self->dev);
}

/* A disabled perf group of the same events, to compare layouts with. */
static void perf_group(struct __test_metadata *_metadata, const struct perf_event_attr *attr,
		       uint64_t format, int *fd, uint64_t *id)
{
	struct perf_event_attr a;
	int i;

	for (i = 0; i < NR; i++) {
		a = attr[i];
		a.read_format = format;
		a.disabled = !i;
		fd[i] = perf_open(&a, 0, -1, i ? fd[0] : -1);
		ASSERT_GE(fd[i], 0);
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ID, &id[i]));
	}
}

/*
 * Two disabled groups count nothing, so that all words are zero but nr and the
 * ids: with these exchanged, both reads are the same bytes.
 */
TEST_F(read_format, every_combination_is_perf_s_to_the_byte)
{
	uint64_t ours[WORDS + 1], perfs[WORDS + 1], perf_id[NR], id;
	struct ask ask = { .nr = NR, .attr = self->attr, .flags = PMCGRP_CREATE_DISABLED };
	int fd, perf_fd[NR], i, k;
	ssize_t n, size;

	for (k = 0; k < 32; k++) {
		ask.read_format = k;
		fd = ask_group(self->dev, &ask);
		if (!k) {	/* ask_group() takes 0 for FORMAT */
			close(fd);
			ask.create.read_format = 0;
			fd = ioctl(self->dev, PMCGRP_IOC_CREATE, &ask.create);
		}
		ASSERT_GE(fd, 0);
		perf_group(_metadata, self->attr, k, perf_fd, perf_id);
		memset(ours, 0x5a, sizeof(ours));
		memset(perfs, 0x5a, sizeof(perfs));
		size = read(perf_fd[0], perfs, sizeof(perfs));
		ASSERT_GT(size, 0);

		/* too small by a byte, at all, and just right */
		EXPECT_EQ(-1, read(fd, ours, size - 1));
		EXPECT_EQ(ENOSPC, errno);
		EXPECT_EQ(-1, read(fd, ours, 0));
		EXPECT_EQ(ENOSPC, errno);
		EXPECT_EQ(0x5a5a5a5a5a5a5a5aULL, ours[0]);
		n = read(fd, ours, size);
		EXPECT_EQ(size, n);
		for (i = 0; i < NR; i++) {
			id = ask.member[i].id;
			for (n = 0; n < WORDS; n++)
				if (ours[n] == id)
					ours[n] = perf_id[i];
		}
		EXPECT_EQ(0, memcmp(ours, perfs, sizeof(ours))) {
			TH_LOG("read_format 0x%x", k);
		}
		for (i = NR; i--;)
			close(perf_fd[i]);
		close(fd);
	}
}

TEST_F(read_format, too_small_a_buffer_loses_nothing)
{
	struct group_values v, w;
	volatile char *mem;
	uint64_t one;
	int fd;

	fd = group_of(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	mem = fresh_pages(1);
	ASSERT_NE(NULL, mem);
	ASSERT_TRUE(group_values(fd, NR, &v));
	ASSERT_TRUE(group_values(fd, NR, &v));
	mem[0] = 1;
	EXPECT_EQ(-1, read(fd, &one, sizeof(one)));
	EXPECT_EQ(ENOSPC, errno);
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_EQ(v.m[1].value + 1, w.m[1].value);
}

TEST_F(read_format, bad_buffers)
{
	struct group_values v;
	void *bad = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = group_of(self->dev, NR, self->attr, 0);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-1, syscall(SYS_read, fd, NULL, sizeof(v)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(fd, bad, 4096));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, write(fd, &v, sizeof(v)));
	EXPECT_TRUE(errno == EINVAL || errno == EBADF);
	EXPECT_TRUE(group_values(fd, NR, &v));
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_ID, bad));
	EXPECT_EQ(EFAULT, errno);
}

/* ids: unique, in the order of the members, and PERF_EVENT_IOC_ID is the first's. */
TEST_F(read_format, ids)
{
	struct ask ask[2] = { { .nr = NR, .attr = self->attr }, { .nr = NR, .attr = self->attr } };
	struct group_values v;
	uint64_t id, seen[2 * NR];
	int fd[2], i, j;

	for (i = 0; i < 2; i++) {
		fd[i] = ask_group(self->dev, &ask[i]);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(group_values(fd[i], NR, &v));
		for (j = 0; j < NR; j++) {
			EXPECT_EQ(ask[i].member[j].id, v.m[j].id);
			seen[i * NR + j] = v.m[j].id;
		}
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ID, &id));
		EXPECT_EQ(v.m[0].id, id);
	}
	for (i = 0; i < 2 * NR; i++)
		for (j = 0; j < i; j++)
			EXPECT_NE(seen[j], seen[i]);
}

TEST_HARNESS_MAIN
