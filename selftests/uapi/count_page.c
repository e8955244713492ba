// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count pages: mmap() of a leader and of members, read as <linux/perf_event.h> says beside struct
 * perf_event_mmap_page, compared with read(), and with the page of perf's own event.
 *
 * needs: timeout=300
 */
#include "pmcgrp_after.h"
#include "pmcgrp_keys.h"
#include "pmcgrp_leader.h"
#include <poll.h>
#include <sys/syscall.h>
#include "pmcgrp_user_page.h"
#include "kselftest_harness.h"

#define NR	3
#define PAGES	20
#define ROUNDS	20000U

/* cap_user_time, _zero, _short: perf's page says what the clock is while nothing is enabled, too. */
#define CAP_USER_TIMES	(7ULL << 3)

typedef volatile struct perf_event_mmap_page count_page;

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static count_page *map(int fd)
{
	void *page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

static void unmap(count_page *page)
{
	munmap((void *)page, page_size());
}

struct page_values {
	struct own_values v;
	uint32_t index;
	bool has_time;
};

/* The loop of that comment. */
static struct page_values page_read(count_page *page)
{
	uint64_t clock, rest, delta;
	struct page_values p;
	unsigned int shift;
	uint32_t seq;
	int64_t pmc;

	do {
		seq = page->lock;
		user_barrier();
		p.v.enabled = page->time_enabled;
		p.v.running = page->time_running;
		p.index = page->index;
		p.v.value = page->offset;
		p.has_time = page->cap_user_time;
		if (p.has_time) {
			clock = user_clock();
			rest = clock & ((1ULL << page->time_shift) - 1);
			delta = page->time_offset + (clock >> page->time_shift) * page->time_mult +
				(rest * page->time_mult >> page->time_shift);
			p.v.enabled += delta;
			if (p.index)
				p.v.running += delta;
		}
		if (page->cap_user_rdpmc && p.index) {
			shift = 64 - page->pmc_width;
			pmc = (int64_t)(user_counter(p.index - 1) << shift);
			p.v.value += pmc >> shift;
		}
		user_barrier();
	} while (page->lock != seq);
	return p;
}

static struct own_values fd_read(int fd)
{
	struct own_values v = { 0 };

	if (read(fd, &v, sizeof(v)) != sizeof(v))
		v.value = UINT64_MAX;
	return v;
}

/* What counts nothing shows just what read() gives. */
static bool page_is_still(count_page *page, int fd)
{
	struct own_values v = fd_read(fd);
	struct page_values p = page_read(page);

	if (!p.index && !p.has_time && p.v.value == v.value && p.v.enabled == v.enabled &&
	    p.v.running == v.running)
		return true;
	printf("# index %u, %llu enabled %llu running %llu; read() %llu, %llu, %llu\n", p.index,
	       (unsigned long long)p.v.value, (unsigned long long)p.v.enabled,
	       (unsigned long long)p.v.running, (unsigned long long)v.value,
	       (unsigned long long)v.enabled, (unsigned long long)v.running);
	return false;
}

static void touch(unsigned int pages)
{
	volatile char *mem = fresh_pages(pages);
	unsigned int i;

	for (i = 0; mem && i < pages; i++)
		mem[i * page_size()] = 1;
	munmap((void *)mem, pages * page_size());
}

struct group {
	int fd[NR];
	count_page *page[NR];
};

static int leader_of(int dev, const struct perf_event_attr *attr, pid_t pid, uint64_t flags)
{
	struct ask ask = { .target_id = pid, .nr = 1, .attr = attr, .read_format = OWN_FORMAT,
			   .flags = PMCGRP_CREATE_LEADER | flags };

	return ask_group(dev, &ask);
}

static int member_of(int leader, const struct perf_event_attr *attr)
{
	struct pmcgrp_add add;

	return ask_member(leader, attr, 0, OWN_FORMAT, &add);
}

static bool open_group(int dev, struct group *g, const struct perf_event_attr *attr, pid_t pid,
		       uint64_t flags)
{
	unsigned int i;
	bool all = true;

	for (i = 0; i < NR; i++) {
		g->fd[i] = i ? member_of(g->fd[0], &attr[i]) : leader_of(dev, attr, pid, flags);
		g->page[i] = g->fd[i] < 0 ? NULL : map(g->fd[i]);
		all = all && g->page[i];
	}
	return all;
}

static void close_group(struct group *g)
{
	unsigned int i;

	for (i = 0; i < NR; i++) {
		if (g->page[i])
			unmap(g->page[i]);
		close(g->fd[i]);
	}
}

static bool group_is_still(const struct group *g, unsigned int from)
{
	unsigned int i;
	bool still = true;

	for (i = from; i < NR; i++)
		still = page_is_still(g->page[i], g->fd[i]) && still;
	return still;
}

FIXTURE(page)
{
	int dev;
	struct perf_event_attr soft[NR];
};

FIXTURE_SETUP(page)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->soft[0] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->soft[1] = sw(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	self->soft[2] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
}

FIXTURE_TEARDOWN(page)
{
	close(self->dev);
}

static int map_error(int fd, unsigned int pages, int flags, off_t offset)
{
	void *page = mmap(NULL, pages * page_size(), PROT_READ | PROT_WRITE, flags, fd, offset);

	if (page == MAP_FAILED)
		return errno;
	munmap(page, pages * page_size());
	return 0;
}

/* Each answer is perf's. */
TEST_F(page, what_can_be_mapped)
{
	static const struct {
		unsigned int pages;
		int flags;
		off_t offset;
	} row[] = {
		{ 1, MAP_PRIVATE, 0 }, { 3, MAP_SHARED, 0 },   { 4, MAP_SHARED, 0 },
		{ 3, MAP_SHARED, 0 },  { 5, MAP_SHARED, 0 },   { 1, MAP_SHARED, 0 },
		{ 1, MAP_SHARED, 1 },
	};
	struct perf_event_attr inherits = self->soft[0];
	int fd[3], i, k;

	fd[0] = perf_open(self->soft, 0, -1, -1);
	fd[1] = leader_of(self->dev, self->soft, 0, 0);
	fd[2] = member_of(fd[1], &self->soft[1]);
	for (i = 0; i < ARRAY_SIZE(row); i++)
		for (k = 1; k < 3; k++)
			EXPECT_EQ(map_error(fd[0], row[i].pages, row[i].flags,
					    row[i].offset * page_size()),
				  map_error(fd[k], row[i].pages, row[i].flags,
					    row[i].offset * page_size()))
	TH_LOG("row %d, descriptor %d", i, k);
	for (k = 0; k < 3; k++)
		close(fd[k]);
	inherits.inherit = 1;
	fd[0] = perf_open(&inherits, 0, -1, -1);
	fd[1] = leader_of(self->dev, self->soft, 0, PMCGRP_CREATE_INHERIT);
	EXPECT_EQ(EINVAL, map_error(fd[0], 1, MAP_SHARED, 0));
	EXPECT_EQ(EINVAL, map_error(fd[1], 1, MAP_SHARED, 0));
	close(fd[0]);
	close(fd[1]);
}

/* What perf's page says of itself, this says, too. */
TEST_F(page, like_perfs)
{
	struct perf_event_attr attr = self->soft[0];
	count_page *page[2];
	int fd[2];

	attr.disabled = 1;
	fd[0] = perf_open(&attr, 0, -1, -1);
	fd[1] = leader_of(self->dev, self->soft, 0, PMCGRP_CREATE_DISABLED);
	page[0] = map(fd[0]);
	page[1] = map(fd[1]);
	ASSERT_NE(NULL, page[0]);
	ASSERT_NE(NULL, page[1]);
	EXPECT_EQ(page[0]->version, page[1]->version);
	EXPECT_EQ(page[0]->compat_version, page[1]->compat_version);
	EXPECT_EQ(page[0]->capabilities & ~CAP_USER_TIMES, page[1]->capabilities & ~CAP_USER_TIMES);
	EXPECT_EQ(page[0]->index, page[1]->index);
	EXPECT_EQ(page[0]->offset, page[1]->offset);
	EXPECT_EQ(page[0]->size, page[1]->size);
	EXPECT_EQ(page[0]->data_head, page[1]->data_head);
	EXPECT_EQ(page[0]->data_offset, page[1]->data_offset);
	EXPECT_EQ(page[0]->data_size, page[1]->data_size);
	unmap(page[0]);
	unmap(page[1]);
	close(fd[0]);
	close(fd[1]);
}

static bool control(const struct group *g, unsigned int i, unsigned long request, bool whole)
{
	return !ioctl(g->fd[i], request, whole ? PERF_IOC_FLAG_GROUP : 0);
}

TEST_F(page, of_what_is_off)
{
	struct group g;

	ASSERT_TRUE(open_group(self->dev, &g, self->soft, 0, PMCGRP_CREATE_DISABLED));
	EXPECT_TRUE(group_is_still(&g, 0));
	EXPECT_TRUE(control(&g, 0, PERF_EVENT_IOC_ENABLE, false));
	touch(PAGES);
	EXPECT_TRUE(control(&g, 1, PERF_EVENT_IOC_DISABLE, false));
	EXPECT_TRUE(page_is_still(g.page[1], g.fd[1]));
	EXPECT_LE(PAGES, page_read(g.page[1]).v.value);
	touch(PAGES);
	EXPECT_TRUE(page_is_still(g.page[1], g.fd[1]));
	EXPECT_TRUE(control(&g, 0, PERF_EVENT_IOC_DISABLE, false));
	EXPECT_TRUE(group_is_still(&g, 0));
	EXPECT_LE(2 * PAGES, page_read(g.page[0]).v.value);
	EXPECT_TRUE(control(&g, 1, PERF_EVENT_IOC_RESET, false));
	EXPECT_TRUE(group_is_still(&g, 0));
	EXPECT_EQ(0, page_read(g.page[1]).v.value);
	EXPECT_LE(2 * PAGES, page_read(g.page[0]).v.value);
	EXPECT_TRUE(control(&g, 2, PERF_EVENT_IOC_RESET, true));
	EXPECT_TRUE(group_is_still(&g, 0));
	EXPECT_EQ(0, page_read(g.page[0]).v.value);
	EXPECT_TRUE(control(&g, 0, PERF_EVENT_IOC_ENABLE, true));
	EXPECT_EQ(0, page_read(g.page[2]).v.value);
	touch(PAGES);
	EXPECT_TRUE(control(&g, 0, PERF_EVENT_IOC_DISABLE, true));
	EXPECT_TRUE(group_is_still(&g, 0));
	EXPECT_LE(PAGES, page_read(g.page[1]).v.value);
	close_group(&g);
}

/* Members come and go: what is mapped stays right. */
TEST_F(page, while_members_change)
{
	struct perf_event_attr more[] = { hw(PERF_COUNT_HW_CPU_CYCLES), sw(PERF_COUNT_SW_CPU_MIGRATIONS),
					  self->soft[1] };
	struct group g;
	int fd, i;

	ASSERT_TRUE(open_group(self->dev, &g, self->soft, 0, 0));
	touch(PAGES);
	EXPECT_TRUE(control(&g, 0, PERF_EVENT_IOC_DISABLE, true));
	for (i = have_cycles() ? 0 : 1; i < 2 * ARRAY_SIZE(more); i++) {
		fd = member_of(g.fd[0], &more[i % ARRAY_SIZE(more)]);
		EXPECT_LE(0, fd);
		EXPECT_TRUE(group_is_still(&g, 0));
		close(fd);
		EXPECT_TRUE(group_is_still(&g, 0));
	}
	EXPECT_LE(PAGES, page_read(g.page[0]).v.value);
	/* A mapping keeps the leader, as it keeps perf's; then members go on alone. */
	close(g.fd[0]);
	EXPECT_TRUE(control(&g, 1, PERF_EVENT_IOC_ENABLE, false));
	touch(PAGES);
	EXPECT_TRUE(control(&g, 1, PERF_EVENT_IOC_DISABLE, false));
	EXPECT_TRUE(page_is_still(g.page[1], g.fd[1]));
	unmap(g.page[0]);
	g.page[0] = NULL;
	g.fd[0] = -1;
	EXPECT_TRUE(control(&g, 1, PERF_EVENT_IOC_ENABLE, false));
	touch(PAGES);
	EXPECT_TRUE(control(&g, 1, PERF_EVENT_IOC_DISABLE, false));
	EXPECT_TRUE(control(&g, 2, PERF_EVENT_IOC_DISABLE, false));
	EXPECT_TRUE(group_is_still(&g, 1));
	EXPECT_LE(2 * PAGES, page_read(g.page[1]).v.value);
	close_group(&g);
}

/* Another task's: what it had counted when it left its CPU; then, what it has counted in all. */
TEST_F(page, of_another_task)
{
	int go, status, fd;
	count_page *page;
	pid_t pid = exec_child(&go);
	struct ask ask = { .target_id = pid, .nr = 1, .attr = self->soft,
			   .read_format = OWN_FORMAT,
			   .flags = PMCGRP_CREATE_LEADER | PMCGRP_CREATE_DISABLED |
				    PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_UNTIL_EXIT };

	ASSERT_LT(0, pid);
	fd = ask_group(self->dev, &ask);
	if (fd == -EOPNOTSUPP) {
		ask.flags &= ~PMCGRP_CREATE_UNTIL_EXIT;
		fd = ask_group(self->dev, &ask);
	}
	ASSERT_LE(0, fd);
	page = map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_TRUE(page_is_still(page, fd));
	EXPECT_TRUE(exec_go(pid, go));
	waitpid(pid, &status, 0);
	EXPECT_TRUE(page_is_still(page, fd));
	EXPECT_LT(0, page_read(page).v.value);
	unmap(page);
	close(fd);
}

static int revents(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	return poll(&p, 1, timeout_ms) < 0 ? -errno : p.revents;
}

/* poll(): hung up without a mapping; with one it waits for the end of the task. */
TEST_F(page, polled)
{
	pid_t pid = waiter();
	count_page *page[NR];
	int fd[NR], i;

	fd[0] = perf_open(self->soft, pid, -1, -1);
	fd[1] = leader_of(self->dev, self->soft, pid, 0);
	fd[2] = member_of(fd[1], &self->soft[1]);
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(POLLHUP, revents(fd[i], 0));
		page[i] = map(fd[i]);
		ASSERT_NE(NULL, page[i]);
		EXPECT_EQ(0, revents(fd[i], 0));
		unmap(page[i]);
		EXPECT_EQ(POLLHUP, revents(fd[i], 0));
		page[i] = map(fd[i]);
		ASSERT_NE(NULL, page[i]);
		EXPECT_EQ(0, revents(fd[i], 100));
	}
	kill(pid, SIGKILL);
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(POLLHUP, revents(fd[i], 20000));
		EXPECT_EQ(POLLHUP, revents(fd[i], 0));
		unmap(page[i]);
		close(fd[i]);
	}
	EXPECT_TRUE(end_child(pid));
}

/* A CPU does not end. */
TEST_F(page, polled_of_a_cpu)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .nr = 1, .attr = self->soft,
			   .read_format = OWN_FORMAT, .flags = PMCGRP_CREATE_LEADER };
	int fd[2] = { perf_open(self->soft, -1, 0, -1), ask_group(self->dev, &ask) }, i;
	count_page *page;

	for (i = 0; i < 2; i++) {
		page = map(fd[i]);
		ASSERT_NE(NULL, page);
		EXPECT_EQ(0, revents(fd[i], 100));
		unmap(page);
		close(fd[i]);
	}
}

/* A child has no mapping, and its parent's group does not count it. */
TEST_F(page, of_the_parent)
{
	unsigned char there;
	struct group g;
	int status;
	pid_t pid;

	ASSERT_TRUE(open_group(self->dev, &g, self->soft, 0, 0));
	pid = fork();
	if (!pid) {
		touch(PAGES);
		_exit(!mincore((void *)g.page[0], page_size(), &there) || errno != ENOMEM ||
		      ioctl(g.fd[0], PERF_EVENT_IOC_DISABLE, 0));
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_TRUE(group_is_still(&g, 0));
	close_group(&g);
}

TEST_F(page, of_a_cpu)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .nr = 1, .attr = self->soft,
			   .read_format = OWN_FORMAT, .flags = PMCGRP_CREATE_LEADER };
	count_page *page;
	int fd, pinned;

	for (pinned = 0; pinned < 2; pinned++) {
		ask.flags = PMCGRP_CREATE_LEADER | (pinned ? PMCGRP_CREATE_PINNED : 0);
		fd = ask_group(self->dev, &ask);
		ASSERT_LE(0, fd);
		page = map(fd);
		ASSERT_NE(NULL, page);
		EXPECT_TRUE(run_on(0));
		touch(PAGES);
		EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_TRUE(page_is_still(page, fd));
		EXPECT_LE(PAGES, page_read(page).v.value);
		unmap(page);
		close(fd);
	}
}

/* A descriptor for reading only opens no counters. */
TEST_F(page, for_reading_only)
{
	int fd = leader_of(self->dev, self->soft, 0, 0);
	int reader = ioctl(fd, PMCGRP_IOC_READER, 0);

	ASSERT_LE(0, reader);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page_size(), PROT_READ, MAP_SHARED, reader, 0));
	EXPECT_EQ(EBADF, errno);
	close(reader);
	close(fd);
}

/* ---- Registers ---- */

/* Whether perf's own page of an event that counts has an index. */
static bool perf_has_index(const struct perf_event_attr *attr)
{
	int fd = perf_open(attr, 0, -1, -1);
	count_page *page = map(fd);
	bool has = page && page->cap_user_rdpmc && page->index;

	if (page)
		unmap(page);
	close(fd);
	return has;
}

static void hard_members(struct perf_event_attr *attr)
{
	attr[0] = hw(PERF_COUNT_HW_CPU_CYCLES);
	attr[1] = hw(PERF_COUNT_HW_INSTRUCTIONS);
	attr[2] = sw(PERF_COUNT_SW_PAGE_FAULTS);
}

/* By the page, between two reads by read(); -1: it is not between them. */
static int between(const struct group *g, unsigned int i)
{
	struct own_values a = fd_read(g->fd[i]), b;
	struct page_values p = page_read(g->page[i]);

	b = fd_read(g->fd[i]);
	if (!p.index)
		return 0;
	if (p.v.value >= a.value && p.v.value <= b.value && p.v.enabled + 2000 >= a.enabled &&
	    p.v.enabled <= b.enabled + 2000)
		return 1;
	printf("# member %u: %llu at %llu, read() %llu at %llu and %llu at %llu\n", i,
	       (unsigned long long)p.v.value, (unsigned long long)p.v.enabled,
	       (unsigned long long)a.value, (unsigned long long)a.enabled,
	       (unsigned long long)b.value, (unsigned long long)b.enabled);
	return -1;
}

/* Something that may have counters moved, or does not. */
static void disturb(struct rng *r, struct group *g, int *rival)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);

	switch (below(r, 16)) {
	case 0:
		sched_yield();
		break;
	case 1:
		sleep_ns(100000);
		break;
	case 2:
		if (*rival >= 0) {
			close(*rival);
			*rival = -1;
			break;
		}
		attr.pinned = chance(r, 50);
		*rival = perf_open(&attr, chance(r, 50) ? 0 : -1, -1, -1);
		if (*rival < 0)
			*rival = perf_open(&attr, -1, 0, -1);
		break;
	case 3:
		control(g, below(r, NR), PERF_EVENT_IOC_RESET, chance(r, 50));
		break;
	case 4:
		control(g, 1, PERF_EVENT_IOC_DISABLE, false);
		touch(1);
		control(g, 1, PERF_EVENT_IOC_ENABLE, false);
		break;
	case 5:
		control(g, 0, PERF_EVENT_IOC_DISABLE, false);
		control(g, 0, PERF_EVENT_IOC_ENABLE, false);
		break;
	default:
		loop(1 + below(r, 1000));
	}
}

/*
 * A task reads itself, whatever happens meanwhile: each value lies between those of read() before
 * and after it.  Where perf's page has an index, so has this one, nearly always.
 */
TEST_F_TIMEOUT(page, by_registers, 120)
{
	unsigned int rounds = rounds_of(ROUNDS, ROUNDS / 10), i, direct = 0, wrong = 0;
	struct rng r = { 1 };
	struct perf_event_attr attr[NR];
	struct group g;
	int rival = -1, how;
	bool has;

	hard_members(attr);
	if (!have_cycles() || !have_instructions())
		SKIP(return, "needs a PMU");
	user_allow(1);
	has = perf_has_index(attr);
	ASSERT_TRUE(open_group(self->dev, &g, attr, 0, 0));
	EXPECT_EQ(has, g.page[0]->cap_user_rdpmc && g.page[0]->index);
	EXPECT_EQ(0, g.page[2]->index);
	for (i = 0; i < rounds; i++) {
		disturb(&r, &g, &rival);
		how = between(&g, i % 2);
		direct += how == 1;
		wrong += how < 0;
	}
	tell_count("reads by registers", direct, "of all of them");
	EXPECT_EQ(0, wrong);
	EXPECT_LE(g.page[0]->cap_user_rdpmc ? rounds / 10 * 9 : 0, direct);
	EXPECT_GE(g.page[0]->cap_user_rdpmc ? rounds : 0, direct);
	if (rival >= 0)
		close(rival);
	control(&g, 0, PERF_EVENT_IOC_DISABLE, true);
	EXPECT_TRUE(group_is_still(&g, 0));
	close_group(&g);
}

/*
 * perf core refuses the sentry of a task that has ended, when it has half made it. Nothing stays of
 * that: neither references of the module nor an entry in a list of perf core's.
 */
TEST_F(page, of_a_task_that_has_ended)
{
	struct perf_event_attr attr[NR];
	long refs = module_refs();
	count_page *page;
	struct group g;
	unsigned int i;
	pid_t child;
	int fd;

	hard_members(attr);
	if (!have_cycles() || !have_instructions())
		SKIP(return, "needs a PMU");
	user_allow(1);
	for (i = 0; i < 100; i++) {
		child = waiter();
		fd = leader_of(self->dev, attr, child, 0);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(end_child(child));
		page = map(fd);
		ASSERT_NE(NULL, page);
		EXPECT_EQ(0, page->index);
		/* Beside one of a task that lives. */
		ASSERT_TRUE(open_group(self->dev, &g, attr, 0, 0));
		close_group(&g);
		unmap(page);
		close(fd);
	}
	EXPECT_TRUE(refs_return_to(refs));
	EXPECT_EQ(refs, module_refs());
}

static int open_of_cgroup(const char *name)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);
	char path[128];
	int dir, fd;

	cgroup_path(path, sizeof(path), name, "");
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = syscall(SYS_perf_event_open, &attr, dir, 0, -1, PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
	close(dir);
	return fd;
}

/*
 * From the first event of a cgroup on this CPU on, perf core may move counters while a task goes
 * on: when the task changes its cgroup.  Then there is no register in a page.
 */
TEST_F(page, beside_the_first_event_of_a_cgroup)
{
	static const char *const name[] = { "count_page", "" };
	struct perf_event_attr attr[NR];
	struct group g;
	int fd, i;

	hard_members(attr);
	if (!have_cycles() || !have_instructions())
		SKIP(return, "needs a PMU");
	user_allow(1);
	if (!perf_has_index(attr))
		SKIP(return, "no registers in pages here");
	if (!cgroups_mount() || !file_write(CGROUPS "/cgroup.subtree_control", "+pids") ||
	    !cgroup_make(name[0]))
		SKIP(return, "no cgroup2");
	ASSERT_TRUE(run_on(0));
	ASSERT_TRUE(open_group(self->dev, &g, attr, 0, 0));
	EXPECT_NE(0, g.page[0]->index);
	fd = open_of_cgroup(name[0]);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, g.page[0]->index);
	EXPECT_EQ(0, g.page[1]->index);
	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(cgroup_move(name[i % 2], getpid()));
		EXPECT_EQ(0, between(&g, i % 2));
	}
	close(fd);
	sleep_ns(NSEC_PER_MSEC);
	EXPECT_EQ(1, between(&g, 0));
	close_group(&g);
	EXPECT_TRUE(cgroup_remove(name[0]));
}

TEST_HARNESS_MAIN
