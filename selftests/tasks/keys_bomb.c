// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by key while 100,000 processes come and go: the table stays as large as it is, a reader
 * misses nothing, and without one all that found no slot is in slot 0.
 *
 * Twice 100,000 processes.
 * needs: timeout=7200 more=*
 */
#include "pmcgrp_keys.h"
#include "pmcgrp_keys_reader.h"
#include <sys/wait.h>
#include "kselftest_harness.h"

#define SLOTS		4096
#define PROCESSES	100000
#define BATCH		100	/* each is one process that lives as long as the others begin */
#define READ_EVERY	200	/* processes: twice as many are at most in slots not yet read */
#define GROWTH_KB	1024	/* of the kernel's memory, which is everyone's */
#define QUARANTINE	32	/* KASAN keeps what has been freed, up to this part of the memory */

enum {
	FAULTS,
	SWITCHES,
	HARDWARE
};

FIXTURE(keys_bomb)
{
	int dev, fd;
	unsigned int nr, processes;
	struct perf_event_attr attr[HARDWARE + 1];
	struct table t;
};

/* What the kernel has allocated and cannot give back, in kB. */
static long memory_of_kernel(void)
{
	long sum = 0, kb;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SUnreclaim: %ld", &kb) == 1 ||
		    sscanf(line, "VmallocUsed: %ld", &kb) == 1 ||
		    sscanf(line, "Percpu: %ld", &kb) == 1)
			sum += kb;
	if (file)
		fclose(file);
	return sum;
}

/*
 * How much more of it may be in use.  What processes have freed is in KASAN's quarantine
 * (mm/kasan/quarantine.c: QUARANTINE_FRACTION): 4 kB of each.
 */
static long growth_kb(void)
{
	return slow_kernel() ? sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) >> 10) / QUARANTINE :
			       GROWTH_KB;
}

FIXTURE_SETUP(keys_bomb)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .attr = self->attr,
			   .flags = PMCGRP_CREATE_DISABLED };

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[FAULTS] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[SWITCHES] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->nr = HARDWARE;
	if (have_instructions()) {
		self->attr[self->nr] = instructions_copy(0);
		self->attr[self->nr++].exclude_kernel = 1;
	}
	self->processes = slow_kernel() ? PROCESSES / 100 : PROCESSES;
	ask.nr = self->nr;
	self->fd = ask_group(self->dev, &ask);
	ASSERT_GE(self->fd, 0);
	memset(&self->t, 0, sizeof(self->t));
	ASSERT_EQ(0, table_make(self->fd, PMCGRP_KEY_PROCESS, SLOTS, &self->t));
	ASSERT_EQ(SLOTS, self->t.arg.slots);
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
}

FIXTURE_TEARDOWN(keys_bomb)
{
	table_unmap(&self->t);
	close(self->fd);
	close(self->dev);
}

/* One process that has memory of its own, and the others, which run as it waits. */
static bool batch(void)
{
	pid_t pid = fork(), child;
	int i, status;

	if (!pid) {
		for (i = 1; i < BATCH; i++) {
			child = vfork();
			if (!child)
				_exit(0);
			if (child < 0 || waitpid(child, &status, 0) != child || status)
				_exit(1);
		}
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static bool is_read(int fd, const struct told *all, unsigned int nr)
{
	struct group_values v;
	unsigned int k;

	if (!group_values(fd, nr, &v) || v.enabled != all->enabled)
		return false;
	for (k = 0; k < nr; k++)
		if (v.m[k].value != all->value[k])
			return false;
	return true;
}

static uint64_t used(const struct table *t)
{
	uint64_t sum = 0;
	unsigned int n;

	for (n = 0; n < t->arg.nr_cpus; n++)
		sum += table_block(t, n)->used;
	return sum;
}

static void tell(const char *what, unsigned int processes, uint64_t since,
		 const struct table *t, long grown)
{
	printf("# %u processes %s: %llu s, table %llu kB, %llu of %u slots, memory %+ld kB\n",
	       processes, what, (unsigned long long)((now_ns() - since) / NSEC_PER_SEC),
	       (unsigned long long)(t->arg.map_size >> 10), (unsigned long long)used(t),
	       t->arg.nr_cpus * t->arg.slots, grown);
}

TEST_F_TIMEOUT(keys_bomb, with_a_reader, 7200)
{
	uint64_t since = now_ns(), overflow;
	struct reader r;
	long before = 0;
	unsigned int i;

	ASSERT_TRUE(reader_make(&r, &self->t));
	for (i = BATCH; i <= self->processes; i += BATCH) {
		ASSERT_TRUE(batch());
		if (i % READ_EVERY == 0)
			ASSERT_TRUE(reader_read(&r, &self->t, self->nr, PMCGRP_KEYS_READ));
		/* By then all that is made once is there. */
		if (i == self->processes / 10)
			before = memory_of_kernel();
	}
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(reader_read(&r, &self->t, self->nr, PMCGRP_KEYS_READ));
	before = memory_of_kernel() - before;
	EXPECT_EQ(0, blocks_overflows(&self->t));
	overflow = 0;
	for (i = 0; i < reader_slots(&self->t); i += SLOTS + 1)
		overflow += r.last[i].time_enabled;
	EXPECT_EQ(0, overflow);
	EXPECT_GE(r.processes, self->processes);
	EXPECT_TRUE(reader_end(&r, &self->t, self->nr));
	EXPECT_LE(used(&self->t), self->t.arg.nr_cpus * SLOTS);
	EXPECT_LT(before, growth_kb());
	tell("with a reader", self->processes, since, &self->t, before);
}

TEST_F_TIMEOUT(keys_bomb, without_a_reader, 7200)
{
	uint64_t since = now_ns(), stays;
	struct told all;
	long before = 0;
	unsigned int i;

	for (i = BATCH; i <= self->processes; i += BATCH) {
		ASSERT_TRUE(batch());
		if (i == self->processes / 10)
			before = memory_of_kernel();
	}
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, table_flush(&self->t, 0));
	before = memory_of_kernel() - before;
	/* Slot 0 and the others are all that was counted. */
	EXPECT_TRUE(table_adds_up(&self->t, self->nr));
	all = table_sum(&self->t, self->nr, NULL, NULL);
	EXPECT_TRUE(is_read(self->fd, &all, self->nr));
	stays = table_of(&self->t, self->nr, PMCGRP_KEY_OTHER).stays;
	EXPECT_EQ(stays, blocks_overflows(&self->t));
	/* Each that found no slot is told there, and there are no more slots than these. */
	EXPECT_GE(stays + used(&self->t), self->processes);
	EXPECT_LE(used(&self->t), self->t.arg.nr_cpus * SLOTS);
	EXPECT_LT(before, growth_kb());
	tell("without a reader", self->processes, since, &self->t, before);
	printf("# %llu times a process found no slot\n", (unsigned long long)stays);
}

TEST_HARNESS_MAIN
