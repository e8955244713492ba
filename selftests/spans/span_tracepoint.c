// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans from one tracepoint to another one: of the kernel, and of the module
 * test_modules/kernel_api/points.c.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_span_kernel.h"
#include <pthread.h>
#include <sys/syscall.h>

#define BEGIN	"pmcgrp_testapi_begin"
#define END	"pmcgrp_testapi_end"

/* What the module's tracepoints have: begin(unsigned int id, unsigned long key), end(key, id). */
enum {
	BEGIN_ID,
	BEGIN_KEY,
};

enum {
	END_KEY,
	END_ID,
};

static uint64_t in_bucket_of_least(const struct pmcgrp_section_stat *stat)
{
	return stat->bucket[stat->min ? 64 - __builtin_clzll(stat->min) : 0];
}

static struct pmcgrp_span_add points(const char *begin, const char *end, uint32_t key)
{
	return (struct pmcgrp_span_add){
		.size = sizeof(struct pmcgrp_span_add),
		.kind = PMCGRP_SECTION_TRACEPOINTS,
		.begin = (uintptr_t)begin,
		.end = (uintptr_t)end,
		.key = key,
	};
}

static struct pmcgrp_span_add by_arg(const char *begin, const char *end, unsigned int begin_arg,
				     unsigned int end_arg, unsigned int size)
{
	struct pmcgrp_span_add add = points(begin, end, PMCGRP_SPAN_KEY_ARG);

	add.begin_arg = begin_arg;
	add.end_arg = end_arg;
	add.arg_size = size;
	return add;
}

static struct pmcgrp_span_add by_key(void)
{
	return by_arg(BEGIN, END, BEGIN_KEY, END_KEY, 8);
}

/* Returns 0 or -errno; @add has what the module says. */
static int ask_span(int group, struct pmcgrp_span_add *add)
{
	return ioctl(group, PMCGRP_IOC_SPAN, add) ? -errno : 0;
}

/* A span of these arguments is there.  They are taken as they are. */
static int span_on(int group, struct pmcgrp_span_add add)
{
	return ask_span(group, &add);
}

/* All that has begun, if each is counted, missed, or still in flight. */
static uint64_t begun(const struct section *section)
{
	return section->info.count + missed(section) + section->info.in_flight;
}

/* Each key, in groups of each target: passes of known work count the same. */
TEST_F_TIMEOUT(span, counts_are_exact, 300)
{
	const struct pmcgrp_span_add keys[] = {
		points(BEGIN, END, PMCGRP_SPAN_KEY_TASK),
		points(BEGIN, END, PMCGRP_SPAN_KEY_CPU),
		by_key(),
		by_arg(BEGIN, END, BEGIN_ID, END_ID, 4),
	};
	unsigned int times = deterministic() ? 20000 : 1000, i, t, k;
	struct section *section = &self->section;
	uint64_t least[2];
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++)
		for (k = 0; k < ARRAY_SIZE(keys); k++) {
			for (i = 0; i < 2; i++) {
				group = group_like(self->dev, targets[t], self->attr);
				ASSERT_GE(group, 0);
				ASSERT_EQ(0, span_on(group, keys[k]));
				ASSERT_EQ(0, api("points irqsoff %u %u", times, 100 << i));
				ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
				close(group);
				EXPECT_EQ(times, section->info.count) {
					TH_LOG("a group of %s, key %u", targets[t], k);
				}
				EXPECT_EQ(0, missed(section));
				EXPECT_EQ(0, section->info.in_flight);
				EXPECT_EQ(PMCGRP_SECTION_TRACEPOINTS, section->info.kind);
				if (self->instructions && deterministic()) {
					EXPECT_EQ(section->stat[1].min, section->stat[1].max);
					EXPECT_EQ(times * section->stat[1].min,
						  section->stat[1].sum);
				}
				least[i] = section->stat[1].min;
			}
			if (!self->instructions)
				continue;
			/* the loop is of whole instructions for an iteration, or for two */
			EXPECT_EQ(0, (least[1] - least[0]) % 50);
			TH_LOG("of %s, key %u: %llu instructions an iteration, %llu of the span",
			       targets[t], k, (unsigned long long)(least[1] - least[0]) / 100,
			       (unsigned long long)(2 * least[0] - least[1]));
		}
}

/* The upper half of an argument of 4 bytes is undefined: as one of 8 it finds nothing. */
TEST_F(span, arguments_have_a_size)
{
	struct section *section = &self->section;
	int group = group_like(self->dev, "cpu", self->attr);

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_on(group, by_arg(BEGIN, END, BEGIN_KEY, END_ID, 4)));
	ASSERT_EQ(0, api("points irqsoff 100 10"));
	ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
	EXPECT_EQ(100, section->info.count);
	close(group);
	/* another argument is another key: what begins does not end */
	group = group_like(self->dev, "cpu", self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_on(group, by_arg(BEGIN, END, BEGIN_KEY, END_ID, 8)));
	ASSERT_EQ(0, api("points irqsoff 100 10"));
	ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
	EXPECT_EQ(0, section->info.count);
	EXPECT_EQ(100, begun(section));
	close(group);
}

/* System calls: of a task, its process and its CPU. */
TEST_F_TIMEOUT(span, system_calls, 300)
{
	unsigned int times = deterministic() ? 100000 : 1000, i, t;
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	uint64_t switches, moved;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		switches = switches_so_far();
		add = points("sys_enter", "sys_exit", PMCGRP_SPAN_KEY_TASK);
		ASSERT_EQ(0, ask_span(group, &add));
		for (i = 0; i < times; i++)
			syscall(SYS_getppid);
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
		switches = switches_so_far() - switches;
		ASSERT_TRUE(find_span(self->dev, group, "sys_enter", section));
		close(group);
		/* one is missed if the task is switched from in it, as PREEMPT_RT does */
		moved = section->info.missed[PMCGRP_MISSED_MOVED];
		if (t < 2)
			EXPECT_GE(switches, moved);
		/* that of ioctl(), in which the group is disabled, is missed */
		EXPECT_LE(times, section->info.count + moved) {
			TH_LOG("a group of %s", targets[t]);
		}
		if (t < 2)
			EXPECT_EQ(1, section->info.missed[PMCGRP_MISSED_OFF]);
		if (self->instructions && deterministic())
			EXPECT_LE(times - times / 500, in_bucket_of_least(&section->stat[1]));
		TH_LOG("of %s: %llu counted, %llu moved, %llu off, %llu in flight; %llu to %llu",
		       targets[t], (unsigned long long)section->info.count,
		       (unsigned long long)moved,
		       (unsigned long long)section->info.missed[PMCGRP_MISSED_OFF],
		       (unsigned long long)section->info.in_flight,
		       (unsigned long long)section->stat[1].min,
		       (unsigned long long)section->stat[1].max);
		/* this task alone: nothing but the calls, and the clock's interrupts in some */
		if (t < 1) {
			EXPECT_EQ(times, section->info.count);
			EXPECT_EQ(1, missed(section));
		}
	}
}

/* Between two ticks of the clock each is as long as any other. */
TEST_F(span, system_calls_are_exact)
{
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	const unsigned int calls = 100;
	unsigned int i, t, round;
	int group;

	if (!self->instructions || !deterministic())
		SKIP(return, "needs a hardware PMU and a deterministic guest");
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		for (round = 0; round < 10; round++) {
			group = group_like(self->dev, targets[t], self->attr);
			ASSERT_GE(group, 0);
			add = points("sys_enter", "sys_exit", PMCGRP_SPAN_KEY_TASK);
			/* rounds wait for ticks: begin each at another place between two */
			spin_ns(round * NSEC_PER_MSEC * 3 / 10);
			ASSERT_EQ(0, ask_span(group, &add));
			for (i = 0; i < calls; i++)
				syscall(SYS_getppid);
			ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
			ASSERT_TRUE(find_span(self->dev, group, "sys_enter", section));
			close(group);
			EXPECT_EQ(calls, section->info.count);
			if (section->stat[1].min == section->stat[1].max)
				break;
		}
		EXPECT_GT(10, round) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(calls * section->stat[1].min, section->stat[1].sum);
	}
}

/* The kernel's own pairs, on the CPU. */
TEST_F(span, interrupts)
{
	static const struct {
		const char *begin, *end;
		uint32_t key;
	} pairs[] = {
		{ "irq_handler_entry", "irq_handler_exit", PMCGRP_SPAN_KEY_CPU },
		{ "softirq_entry", "softirq_exit", PMCGRP_SPAN_KEY_CPU },
		{ "hrtimer_expire_entry", "hrtimer_expire_exit", PMCGRP_SPAN_KEY_ARG },
		{ "timer_expire_entry", "timer_expire_exit", PMCGRP_SPAN_KEY_ARG },
		{ "workqueue_execute_start", "workqueue_execute_end", PMCGRP_SPAN_KEY_ARG },
	};
	int group = group_like(self->dev, "all", self->attr);
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	uint64_t all = 0;
	unsigned int i;

	ASSERT_GE(group, 0);
	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		add = points(pairs[i].begin, pairs[i].end, pairs[i].key);
		if (pairs[i].key == PMCGRP_SPAN_KEY_ARG)
			add.arg_size = 8;
		ASSERT_EQ(0, ask_span(group, &add)) {
			TH_LOG("%s", pairs[i].begin);
		}
	}
	for (i = 0; i < 50; i++)
		sleep_ns(NSEC_PER_MSEC);
	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		ASSERT_TRUE(find_span(self->dev, group, pairs[i].begin, section));
		TH_LOG("%s: %llu counted, %llu missed, %llu in flight", pairs[i].begin,
		       (unsigned long long)section->info.count,
		       (unsigned long long)missed(section),
		       (unsigned long long)section->info.in_flight);
		all += section->info.count;
		/* our own sleeps */
		if (!strcmp(pairs[i].begin, "hrtimer_expire_entry"))
			EXPECT_LE(50, section->info.count);
	}
	/* and each sleep ends in a softirq, a timer or an interrupt, now and then */
	EXPECT_LT(50, all);
	close(group);
}

/* One that begins again before its end is missed, and the later one counts. */
TEST_F(span, the_same_key_again)
{
	struct section *section = &self->section;
	int group = group_like(self->dev, "task", self->attr);

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_on(group, by_key()));
	ASSERT_EQ(0, api("begin 5 1"));
	ASSERT_EQ(0, api("begin 5 1"));
	ASSERT_EQ(0, api("begin 5 1"));
	ASSERT_EQ(0, api("end 5 1"));
	/* nothing to end */
	ASSERT_EQ(0, api("end 5 1"));
	ASSERT_EQ(0, api("end 6 1"));
	ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
	EXPECT_EQ(1, section->info.count);
	EXPECT_EQ(2, section->info.missed[PMCGRP_MISSED_AGAIN]);
	EXPECT_EQ(2, missed(section));
	EXPECT_EQ(0, section->info.in_flight);
	close(group);
}

/* Many in flight at once: nothing is lost silently, and there is room for what was asked for. */
TEST_F(span, the_limit)
{
	static const unsigned int asked[] = { 1, 5, 64, 1000, 0 };
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	unsigned int i, nr;
	int group;

	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		group = group_like(self->dev, "task", self->attr);
		ASSERT_GE(group, 0);
		add = by_key();
		add.max_active = asked[i];
		ASSERT_EQ(0, ask_span(group, &add));
		EXPECT_LE(asked[i] ?: 64, add.max_active);
		ASSERT_GE(2 * (asked[i] ?: 64), add.max_active);
		/* as many as there is room for find it, but for one bucket of 4,000 */
		nr = add.max_active;
		ASSERT_EQ(0, api("begin 1 %u", nr));
		ASSERT_EQ(0, api("end 1 %u", nr));
		ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
		EXPECT_EQ(nr, section->info.count + missed(section));
		EXPECT_EQ(missed(section), section->info.missed[PMCGRP_MISSED_LIMIT]);
		EXPECT_LE(nr - nr / 50, section->info.count);
		EXPECT_EQ(0, section->info.in_flight);
		/* ten times as many do not: the youngest are there */
		ASSERT_EQ(0, api("begin 1 %u", 10 * nr));
		ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
		EXPECT_EQ(11 * nr, begun(section));
		EXPECT_EQ(missed(section), section->info.missed[PMCGRP_MISSED_LIMIT]);
		EXPECT_LE(nr, section->info.in_flight);
		EXPECT_GE(4 * nr, section->info.in_flight);
		ASSERT_EQ(0, api("end 1 %u", 10 * nr));
		ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
		EXPECT_EQ(11 * nr, section->info.count + missed(section));
		EXPECT_EQ(0, section->info.in_flight);
		close(group);
	}
}

/* Of its own, as vfork() returns twice. */
static __attribute__((noinline)) bool task_comes_and_goes(void)
{
	pid_t pid = vfork();

	if (!pid)
		syscall(SYS_exit_group, 0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static uint64_t begun_now(int dev, int group, struct section *section)
{
	return find_span(dev, group, "sys_enter", section) ? begun(section) : 0;
}

/* exit_group() does not return: what it has begun is in flight, and gives its place to others. */
TEST_F_TIMEOUT(span, tasks_that_exit, 300)
{
	struct section *section = &self->section;
	struct pmcgrp_span_add add = points("sys_enter", "sys_exit", PMCGRP_SPAN_KEY_TASK);
	int group = group_like(self->dev, "all", self->attr), i, tasks = 5000;
	uint64_t before, asking, gone;

	ASSERT_GE(group, 0);
	add.max_active = 64;
	ASSERT_EQ(0, ask_span(group, &add));
	before = begun_now(self->dev, group, section);
	asking = begun_now(self->dev, group, section) - before;
	before += asking;
	for (i = 0; i < tasks; i++) {
		ASSERT_TRUE(task_comes_and_goes());
		syscall(SYS_getppid);
	}
	before = begun_now(self->dev, group, section) - before - asking;
	TH_LOG("%llu counted, %llu again, %llu limit, %llu moved, %llu in flight",
	       (unsigned long long)section->info.count,
	       (unsigned long long)section->info.missed[PMCGRP_MISSED_AGAIN],
	       (unsigned long long)section->info.missed[PMCGRP_MISSED_LIMIT],
	       (unsigned long long)section->info.missed[PMCGRP_MISSED_MOVED],
	       (unsigned long long)section->info.in_flight);
	/* vfork(), exit_group(), wait4(), getppid(): none is lost */
	EXPECT_LE(4 * tasks, before);
	if (deterministic())
		EXPECT_EQ(4 * tasks, before);
	/* what begins now is counted: the table is not full of those that have gone */
	EXPECT_LE(deterministic() ? tasks : tasks * 9 / 10, section->info.count);
	EXPECT_GE(4 * add.max_active, section->info.in_flight);
	gone = section->info.missed[PMCGRP_MISSED_AGAIN] + section->info.in_flight;
	gone += section->info.missed[PMCGRP_MISSED_LIMIT];
	EXPECT_LE(tasks, gone);
	close(group);
}

/* While the group is disabled nothing concerns it; one in which it is disabled is missed. */
TEST_F(span, a_disabled_group)
{
	struct section *section = &self->section;
	unsigned int t;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_on(group, by_key()));
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, api("points irqsoff 10 10"));
		ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
		EXPECT_EQ(0, begun(section));
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, api("points irqsoff 10 10"));
		ASSERT_EQ(0, api("begin 3 2"));
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, api("end 3 1"));
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, api("end 4 1"));
		ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
		EXPECT_EQ(10, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(2, section->info.missed[PMCGRP_MISSED_OFF]);
		EXPECT_EQ(2, missed(section));
		EXPECT_EQ(0, section->info.in_flight);
		close(group);
	}
}

/* Other tasks' are neither counted nor missed by a group of tasks, whatever the key. */
TEST_F(span, those_of_others)
{
	static const bool concerns[] = { false, false, true, true };
	unsigned int t;
	int group, status;
	pid_t pid;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_on(group, by_key()));
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			_exit(api("points irqsoff 100 10") ? 1 : 0);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		ASSERT_TRUE(find_span(self->dev, group, BEGIN, &self->section));
		EXPECT_EQ(concerns[t] ? 100 : 0, self->section.info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(0, missed(&self->section));
		close(group);
	}
}

/* Interrupts, and on x86 NMIs. */
TEST_F(span, every_context)
{
	static const char *const contexts[] = { "task", "irqsoff", "hardirq", "softirq",
						"overflow" };
	struct section *section = &self->section;
	unsigned int i;
	int group;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (i == 4 && !self->instructions)
			continue;
		group = group_like(self->dev, "all", self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_on(group, by_key()));
		ASSERT_EQ(0, api("points %s 100 10", contexts[i]));
		ASSERT_TRUE(find_span(self->dev, group, BEGIN, section));
		close(group);
		TH_LOG("%s: %llu counted, %llu missed", contexts[i],
		       (unsigned long long)section->info.count,
		       (unsigned long long)missed(section));
		EXPECT_EQ(100, begun(section));
		if (i > 0 && i < 4)
			EXPECT_EQ(100, section->info.count);
	}
}

/* Tracepoints in our own way, in perf core's and where sets change hands: no harm is done. */
/* With lockdep: those that each lock has, or each change of what can interrupt. */
static bool is_of_locks(const char *point)
{
	return !strcmp(point, "lock_acquire") || !strcmp(point, "irq_disable") ||
	       !strcmp(point, "preempt_disable") || !strcmp(point, "rcu_utilization");
}

TEST_F_TIMEOUT(span, tracepoints_in_the_way, 300)
{
	static const char *const pairs[][2] = {
		{ "sched_switch", "sched_switch" },
		{ "sched_waking", "sched_switch" },
		{ "sched_wakeup", "sched_switch" },
		{ "lock_acquire", "lock_release" },
		{ "contention_begin", "contention_end" },
		{ "rcu_utilization", "rcu_utilization" },
		{ "irq_disable", "irq_enable" },
		{ "preempt_disable", "preempt_enable" },
		{ "write_msr", "read_msr" },
		{ "rdpmc", "rdpmc" },
		{ "nmi_handler", "nmi_handler" },
		{ "console", "console" },
		{ "kmalloc", "kfree" },
		{ "mm_page_alloc", "mm_page_free" },
		{ "sys_enter", "sys_exit" },
		{ "irq_work_entry", "irq_work_exit" },
		{ "hrtimer_start", "hrtimer_cancel" },
		{ "task_newtask", "sched_process_exit" },
		{ "cgroup_attach_task", "cgroup_attach_task" },
	};
	static const char *const of[] = { "all", "process", "task" };
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	int group[ARRAY_SIZE(of)], status;
	bool lockdep = !access("/proc/lockdep", F_OK);
	unsigned int i, g, nr = 0, rounds = lockdep ? 1 : 20;
	uint64_t all = 0;
	pid_t pid;

	for (g = 0; g < ARRAY_SIZE(of); g++) {
		group[g] = group_like(self->dev, of[g], self->attr);
		ASSERT_GE(group[g], 0);
		for (i = 0; i < ARRAY_SIZE(pairs); i++) {
			add = points(pairs[i][0], pairs[i][1], PMCGRP_SPAN_KEY_CPU);
			/* one span is enough: nine on each lock take minutes */
			if (lockdep && is_of_locks(pairs[i][0])) {
				nr += !g && !ask_span(group[g], &add);
				continue;
			}
			nr += !ask_span(group[g], &add);
			add = points(pairs[i][0], pairs[i][1], PMCGRP_SPAN_KEY_TASK);
			nr += !ask_span(group[g], &add);
			add = by_arg(pairs[i][0], pairs[i][1], 0, 2, 8);
			nr += !ask_span(group[g], &add);
		}
		ASSERT_EQ(0, span_on(group[g], by_key()));
	}
	EXPECT_LE(60, nr);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, api("points task 10 10"));
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		sleep_ns(NSEC_PER_MSEC);
	}
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		if (find_span(self->dev, group[0], pairs[i][0], section)) {
			all += section->info.count;
			TH_LOG("%s/%s on a CPU: %llu counted, %llu missed, %llu in flight",
			       pairs[i][0], pairs[i][1],
			       (unsigned long long)section->info.count,
			       (unsigned long long)missed(section),
			       (unsigned long long)section->info.in_flight);
		}
	EXPECT_LT(0, all);
	for (g = 0; g < ARRAY_SIZE(of); g++) {
		ASSERT_TRUE(find_span(self->dev, group[g], BEGIN, section));
		EXPECT_EQ(10 * rounds, begun(section)) {
			TH_LOG("a group of %s", of[g]);
		}
		close(group[g]);
	}
}

static void *hit(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		syscall(SYS_getppid);
	return NULL;
}

/* Groups come and go, and are read, while their tracepoints are hit on all CPUs. */
TEST_F_TIMEOUT(span, closed_while_hit, 300)
{
	struct pmcgrp_span_add add;
	pthread_t thread[3];
	bool stop = false;
	unsigned int i, t;
	uint64_t all = 0;
	int group;

	/* threads may run on any CPU */
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		stay_on(1);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, hit, &stop));
	stay_on(0);
	for (i = 0; i < 40; i++) {
		t = i % ARRAY_SIZE(targets);
		group = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		add = points("sys_enter", "sys_exit",
			     i & 4 ? PMCGRP_SPAN_KEY_CPU : PMCGRP_SPAN_KEY_TASK);
		ASSERT_EQ(0, ask_span(group, &add));
		add = points("sched_switch", "sched_switch", PMCGRP_SPAN_KEY_CPU);
		ASSERT_EQ(0, ask_span(group, &add));
		sleep_ns(2 * NSEC_PER_MSEC);
		ASSERT_TRUE(find_span(self->dev, group, "sys_enter", &self->section));
		all += begun(&self->section);
		close(group);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	EXPECT_LT(100, all);
}

/* A module is held while a span has its tracepoints, and no longer. */
TEST_F(span, the_module_of_a_tracepoint)
{
	int group = group_like(self->dev, "all", self->attr);

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_on(group, by_key()));
	EXPECT_NE(0, module_unload_name("pmcgrp_testapi"));
	close(group);
	group = group_like(self->dev, "all", self->attr);
	ASSERT_GE(group, 0);
	EXPECT_EQ(-ENOENT, span_on(group, points(BEGIN, "pmcgrp_none", PMCGRP_SPAN_KEY_TASK)));
	ASSERT_EQ(0, testapi_unload());
	EXPECT_EQ(-ENOENT, span_on(group, by_key()));
	ASSERT_EQ(0, testapi_load());
	EXPECT_EQ(0, span_on(group, by_key()));
	close(group);
}

TEST_F(span, names_that_are_refused)
{
	static const char *const unknown[][2] = {
		{ "pmcgrp_none", END },
		{ BEGIN, "pmcgrp_none" },
		{ "sched:sched_switch", END },
		{ "sys_enter_read", "sys_exit_read" },
	};
	int group = group_like(self->dev, "task", self->attr);
	struct pmcgrp_span_add add;
	unsigned int i;

	ASSERT_GE(group, 0);
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		add = points(unknown[i][0], unknown[i][1], PMCGRP_SPAN_KEY_TASK);
		EXPECT_EQ(-ENOENT, ask_span(group, &add)) {
			TH_LOG("%s", unknown[i][0]);
		}
		EXPECT_EQ(PMCGRP_WHY_SPAN_UNKNOWN, add.why);
		EXPECT_EQ(0, add.id);
	}
	add = points(BEGIN, NULL, PMCGRP_SPAN_KEY_TASK);
	EXPECT_EQ(-EINVAL, ask_span(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	add = points(BEGIN, "", PMCGRP_SPAN_KEY_TASK);
	EXPECT_EQ(-EINVAL, ask_span(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	add = points(BEGIN, (void *)1, PMCGRP_SPAN_KEY_TASK);
	EXPECT_EQ(-EFAULT, ask_span(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_FALSE(find_section(self->dev, BEGIN, &self->section));
	close(group);
}

TEST_F(span, keys_that_are_refused)
{
	const struct pmcgrp_span_add good = by_key();
	struct pmcgrp_span_add bad[8];
	int group = group_like(self->dev, "task", self->attr);
	unsigned int i;

	ASSERT_GE(group, 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].key = PMCGRP_SPAN_KEY_ARG + 1;
	bad[1].begin_arg = PMCGRP_SPAN_ARGS_MAX;
	bad[2].end_arg = 255;
	bad[3].arg_size = 3;
	bad[4].arg_size = 0;
	bad[5].key = PMCGRP_SPAN_KEY_TASK;
	bad[6].offset = 8;
	bad[7].kind = PMCGRP_SECTION_FUNCTION;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, ask_span(group, &bad[i])) {
			TH_LOG("%u", i);
		}
		EXPECT_EQ(PMCGRP_WHY_SPAN_KEY, bad[i].why);
	}
	bad[0] = good;
	bad[0].max_active = PMCGRP_SPAN_ACTIVE_MAX + 1;
	EXPECT_EQ(-EINVAL, ask_span(group, &bad[0]));
	EXPECT_EQ(PMCGRP_WHY_SPAN_KIND, bad[0].why);
	/* the last argument that can be one */
	EXPECT_EQ(0, span_on(group, by_arg(BEGIN, END, PMCGRP_SPAN_ARGS_MAX - 1, END_KEY, 8)));
	close(group);
}

/* Instructions for a thousand pairs with a span of a group with these members; 0: none there. */
static uint64_t cost_of_span(int dev, const struct perf_event_attr *attr, unsigned int nr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr, .attr = attr };
	int group = ask_group(dev, &ask);
	struct section section;
	uint64_t cost = 0;

	if (group < 0)
		return 0;
	if (span_on(group, by_key()) || api("pairs bare 1000") || answer(&cost, 1) != 1 ||
	    !find_span(dev, group, BEGIN, &section) || section.info.count != 1000)
		cost = 0;
	close(group);
	return cost;
}

/* The cost of a pair, beside probes that read each member by perf at both ends (see span.c). */
TEST_F_TIMEOUT(span, cost, 120)
{
	struct perf_event_attr attr[4] = { self->attr[0], self->attr[1],
					   hw(PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
					   hw(PERF_COUNT_HW_BRANCH_MISSES) };
	uint64_t none, two, four, perf, readings;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("pairs bare 1000"));
	ASSERT_EQ(1, answer(&none, 1));
	two = cost_of_span(self->dev, attr, 2);
	ASSERT_LT(0, two);
	four = cost_of_span(self->dev, attr, 4);
	if (!four) {
		attr[2] = event(PERF_TYPE_RAW, 8);
		attr[3] = event(PERF_TYPE_RAW, 11);
		four = cost_of_span(self->dev, attr, 4);
	}
	ASSERT_LT(0, four);
	ASSERT_EQ(0, api("pairs perf 1000"));
	ASSERT_EQ(1, answer(&perf, 1));
	ASSERT_EQ(0, api("cost perf 1000"));
	ASSERT_EQ(1, answer(&readings, 1));
	TH_LOG("two members: a span %llu instructions, tracepoints with perf's readings %llu",
	       (unsigned long long)(two - none) / 1000, (unsigned long long)(perf - none) / 1000);
	TH_LOG("four members: a span %llu instructions, tracepoints with perf's readings %llu",
	       (unsigned long long)(four - none) / 1000,
	       (unsigned long long)(perf - none + readings) / 1000);
	/* for two it is about the same, as the table costs what two readings do */
	EXPECT_LT(four, perf + readings);
}

TEST_HARNESS_MAIN
