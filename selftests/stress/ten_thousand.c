// SPDX-License-Identifier: GPL-2.0-only
/*
 * 10,000 groups on each of two processes that take turns on one CPU, no two with the same event: of
 * the processes, or of one task each with what it creates. The machine goes on: a switch takes at
 * most twice what it takes with 4 groups, and nothing is done with interrupts off that grows with
 * them.
 *
 * needs: testpmu=yes module=no timeout=1200 more=*
 */
#include "pmcgrp_module.h"
#include "pmcgrp_testpmu.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define MOST		10000	/* groups of each process */
#define FEW		4
#define MEMBERS		2
#define ROUNDS		2000	/* trips to the other process and back */
#define SECTIONS	TESTPMU "sections"
#define SECTION_MAX	20000	/* instructions with interrupts off; perf core has 660,000 with 4,096 */
#define NS_PER_INSN	2	/* -icount shift=1 */

static int fd[2 * MOST];

FIXTURE(ten_thousand)
{
	int dev;
	pid_t child[2];
	int to[2], from[2]; /* a byte begins the rounds of the first child, and one says that they are done */
};

FIXTURE_VARIANT(ten_thousand)
{
	uint32_t type;
	uint64_t flags;
};

FIXTURE_VARIANT_ADD(ten_thousand, process){
	.type = PMCGRP_TARGET_PROCESS,
};

FIXTURE_VARIANT_ADD(ten_thousand, inherited){
	.type = PMCGRP_TARGET_TASK,
	.flags = PMCGRP_CREATE_INHERIT,
};

/* The first child: begins the rounds when it is told to. */
static void first(int begin, int done, int to, int from)
{
	unsigned int i;
	char c;

	while (read(begin, &c, 1) == 1) {
		for (i = 0; i < ROUNDS; i++)
			if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
				_exit(1);
		if (write(done, &c, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void second(int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1 && write(to, &c, 1) == 1)
		;
	_exit(0);
}

FIXTURE_SETUP(ten_thousand)
{
	const struct rlimit files = { .rlim_cur = 2 * MOST + 64, .rlim_max = 2 * MOST + 64 };
	int there[2], back[2];

	if (!have_cycles())
		SKIP(return, "needs a hardware PMU");
	ASSERT_EQ(0, module_load("groups_max=32768 counters_max=262144"));
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_TRUE(run_on(0));
	ASSERT_EQ(0, pipe(self->to) | pipe(self->from) | pipe(there) | pipe(back));
	self->child[0] = fork();
	if (!self->child[0]) {
		close(self->to[1]);
		first(self->to[0], self->from[1], there[1], back[0]);
	}
	self->child[1] = fork();
	if (!self->child[1]) {
		close(there[1]);
		close(self->to[1]);
		second(there[0], back[1]);
	}
	ASSERT_GT(self->child[0], 0);
	ASSERT_GT(self->child[1], 0);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
}

FIXTURE_TEARDOWN(ten_thousand)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		end_child(self->child[i]);
	close(self->dev);
	for (i = 0; i < 100 && module_unload(); i++)
		sleep_ns(100 * NSEC_PER_MSEC);
	ASSERT_GT(100, i);
}

/* Makes groups @from to @nr - 1 of each process.  Returns 0, or an errno. */
static int groups_open(struct _test_data_ten_thousand *self, uint32_t type, uint64_t flags,
		       unsigned int from, unsigned int nr)
{
	struct perf_event_attr attr[MEMBERS];
	struct ask ask = { .target_type = type, .flags = flags, .nr = MEMBERS, .attr = attr };
	unsigned int k, i;

	for (k = 2 * from; k < 2 * nr; k++) {
		for (i = 0; i < MEMBERS; i++)
			attr[i] = cycles_copy(1 + k * MEMBERS + i);
		ask.target_id = self->child[k & 1];
		fd[k] = ask_group(self->dev, &ask);
		if (fd[k] < 0)
			return fd[k];
	}
	return 0;
}

/* Nanoseconds of the rounds, or 0. */
static uint64_t rounds(struct _test_data_ten_thousand *self)
{
	uint64_t start = now_ns();
	char c = 'x';

	if (write(self->to[1], &c, 1) != 1 || read(self->from[0], &c, 1) != 1)
		return 0;
	return now_ns() - start;
}

/* The longest run of these functions, in instructions. */
static unsigned long longest_section(struct __test_metadata *_metadata)
{
	unsigned long times, ns, most = 0;
	char name[64];
	FILE *f = fopen(SECTIONS, "r");

	while (f && fscanf(f, "%63s %lu %lu", name, &times, &ns) == 3) {
		TH_LOG("%s: %lu times, %lu ns at most", name, times, ns);
		most = ns > most ? ns : most;
	}
	if (f)
		fclose(f);
	return most / NS_PER_INSN;
}

TEST_F_TIMEOUT(ten_thousand, the_machine_goes_on, 1200)
{
	uint64_t few, most;
	struct group_values v;
	unsigned int k;
	int err;

	ASSERT_EQ(0, groups_open(self, variant->type, variant->flags, 0, FEW));
	ASSERT_NE(0, rounds(self));
	few = rounds(self);
	ASSERT_NE(0, few);
	err = groups_open(self, variant->type, variant->flags, FEW, MOST);
	ASSERT_EQ(0, err);
	if (deterministic())
		ASSERT_TRUE(file_write(SECTIONS, "pmcgrp:pmcgrp_tick_timer pmcgrp:pmcgrp_tick_work "
						 "pmcgrp:switch_sets"));
	ASSERT_NE(0, rounds(self));
	if (deterministic()) {
		EXPECT_GT(SECTION_MAX, longest_section(_metadata));
		ASSERT_TRUE(file_write(SECTIONS, " "));
	}
	most = rounds(self);
	ASSERT_NE(0, most);
	TH_LOG("%u trips: with %u groups %llu us, with %u %llu us", ROUNDS, FEW,
	       (unsigned long long)few / 1000, MOST, (unsigned long long)most / 1000);
	if (deterministic())
		EXPECT_GT(2 * few, most);
	for (k = 0; k < 2 * MOST; k++) {
		ASSERT_TRUE(group_values(fd[k], MEMBERS, &v));
		ASSERT_LE(v.running, v.enabled);
		close(fd[k]);
	}
}

TEST_HARNESS_MAIN
