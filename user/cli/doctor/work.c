// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * This thread does the work. It enables and reads both sides around it, and by the kernel's own
 * numbers (getrusage(2), clocks) before and after each of these steps it knows how much can be in a
 * count, however often the thread is preempted.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sections.h"
#include "work.h"

#define READ_WORDS 32

struct side {
	struct pmcgrp *h;
	struct pmcgrp_group *group;	/* NULL: does not count */
	int member[NR_WORK_EVENTS];	/* or -1 */
};

/* ---- Each kind of work ---- */

#if defined(__x86_64__)
#define LOOP_INSTRUCTIONS 2
#define LOOP(n) __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc")
#elif defined(__aarch64__)
#define LOOP_INSTRUCTIONS 2
#define LOOP(n) __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc")
#else
#define LOOP_INSTRUCTIONS 0
#define LOOP(n)						\
	do {						\
		__asm__ volatile("" : "+r"(n));		\
	} while (--(n))
#endif

/* What the kinds of work need, made before anything counts. */
struct bench {
	int to_child[2], from_child[2];
	pid_t child;
	char *pages;
	size_t page;
};

static int work_loop(uint64_t loops)
{
	LOOP(loops);
	return 0;
}

/* Both ends are on one CPU: each time that this one waits, the other one needs the CPU. */
static int work_ping(const struct bench *bench)
{
	unsigned int i;
	char c = 0;

	for (i = 0; i < WORK_PINGS; i++) {
		if (write(bench->to_child[1], &c, 1) != 1 || read(bench->from_child[0], &c, 1) != 1)
			return -EIO;
	}
	return 0;
}

static int work_pages(const struct bench *bench)
{
	unsigned int i;

	for (i = 0; i < WORK_PAGES; i++)
		*(volatile char *)(bench->pages + i * bench->page) = 1;
	return 0;
}

static int work_do(enum work_kind kind, const struct bench *bench)
{
	switch (kind) {
	case WORK_LOOP:
	case WORK_LOOP_TWICE:
		/* Both by the same instructions: their difference is what the loop has alone. */
		return work_loop((uint64_t)WORK_LOOPS << (kind == WORK_LOOP_TWICE));
	case WORK_PING:
		return bench->child > 0 ? work_ping(bench) : -ECHILD;
	case WORK_PAGE:
		return bench->pages ? work_pages(bench) : -ENOMEM;
	default:
		return -EINVAL;
	}
}

static void child_main(const struct bench *bench)
{
	char c;

	close(bench->to_child[1]);
	close(bench->from_child[0]);
	while (read(bench->to_child[0], &c, 1) == 1 && write(bench->from_child[1], &c, 1) == 1)
		;
	_exit(0);
}

static void bench_init(struct bench *bench)
{
	size_t size;

	*bench = (struct bench){ .to_child = { -1, -1 }, .from_child = { -1, -1 }, .child = -1,
				 .page = (size_t)sysconf(_SC_PAGESIZE) };
	if (!pipe(bench->to_child) && !pipe(bench->from_child))
		bench->child = fork();
	if (!bench->child)
		child_main(bench);
	/*
	 * If the child is killed, this thread reads the end of the file. It can still write: it has
	 * both ends of that pipe, so that no signal ends it.
	 */
	if (bench->child > 0) {
		close(bench->from_child[1]);
		bench->from_child[1] = -1;
	}
	/* A huge page would be one fault for many. */
	size = WORK_PAGES * bench->page;
	bench->pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bench->pages == MAP_FAILED)
		bench->pages = NULL;
	else
		madvise(bench->pages, size, MADV_NOHUGEPAGE);
}

static void bench_end(struct bench *bench)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (bench->to_child[i] >= 0)
			close(bench->to_child[i]);
		if (bench->from_child[i] >= 0)
			close(bench->from_child[i]);
	}
	if (bench->child > 0)
		waitpid(bench->child, NULL, 0);
	if (bench->pages)
		munmap(bench->pages, WORK_PAGES * bench->page);
}

/* ---- The two sides ---- */

/* Those that need no right to count the kernel exclude it, but for what happens there only. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool kernel;
} events[] = {
	[WORK_INSTRUCTIONS] = { "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
				false },
	[WORK_SWITCHES] = { "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
			    true },
	[WORK_FAULTS] = { "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false },
	[WORK_CLOCK] = { "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false },
};

uint32_t work_pmu_type(const struct core_pmu *pmus, unsigned int nr, int cpu)
{
	unsigned int i;

	for (i = 0; nr > 1 && i < nr; i++) {
		if (pmcgrp_cpus_test(&pmus[i].cpus, cpu))
			return pmus[i].type;
	}
	return 0;
}

/* @type: of work_pmu_type() */
static int spec_add(struct pmcgrp_spec *spec, enum work_event event, uint32_t type)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = events[event].type,
					.config = events[event].config,
					.exclude_kernel = !events[event].kernel,
					.exclude_hv = !events[event].kernel };

	if (attr.type == PERF_TYPE_HARDWARE)
		attr.config |= (uint64_t)type << PERF_PMU_TYPE_SHIFT;
	return pmcgrp_spec_add(spec, &attr, events[event].name);
}

/* In a few words, if there are some. */
static const char *refusal(const struct pmcgrp *h)
{
	enum pmcgrp_why why = pmcgrp_error_why(h);

	return why ? pmcgrp_why_text(why) : pmcgrp_strerror(h);
}

/* What is left of the events cannot be counted, for the same reason. */
static void give_up(struct work *work, enum work_side s, const char *why)
{
	enum work_event event;

	for (event = 0; event < NR_WORK_EVENTS; event++) {
		if (!work->has[s][event])
			continue;
		work->has[s][event] = false;
		snprintf(work->why_not[s][event], sizeof(work->why_not[s][event]), "%s", why);
	}
}

/* One group of all events; without those that are refused by themselves. */
static void side_open(struct side *side, struct work *work, enum work_side s, uint32_t type)
{
	bool *has = work->has[s];
	struct pmcgrp_spec *spec;
	enum work_event event;
	int ret, bad, i;

	for (event = 0; event < NR_WORK_EVENTS; event++)
		has[event] = true;
	for (;;) {
		ret = pmcgrp_spec_new(&spec);
		if (ret) {
			give_up(work, s, strerror(-ret));
			return;
		}
		pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED);
		for (event = 0, i = 0; event < NR_WORK_EVENTS && ret >= 0; event++) {
			side->member[event] = has[event] ? i++ : -1;
			if (has[event])
				ret = spec_add(spec, event, type);
		}
		if (ret >= 0)
			ret = pmcgrp_group_create(side->h, spec, &side->group);
		pmcgrp_spec_free(spec);
		if (ret >= 0)
			return;
		bad = pmcgrp_error_member(side->h);
		for (event = 0; event < NR_WORK_EVENTS && side->member[event] != bad; event++)
			;
		if (bad < 0 || event == NR_WORK_EVENTS || i == 1) {
			give_up(work, s, refusal(side->h));
			return;
		}
		has[event] = false;
		snprintf(work->why_not[s][event], sizeof(work->why_not[s][event]), "%s",
			 refusal(side->h));
	}
}

/* What the group has counted so far, and whether it has been on the PMU for all of it. */
static int side_read(const struct side *side, uint64_t *value, uint64_t *away)
{
	uint64_t buf[READ_WORDS], enabled = 0, running = 0;
	struct pmcgrp_view view;
	enum work_event event;
	ssize_t len, at;

	len = pmcgrp_group_read(side->group, buf, sizeof(buf));
	if (len < 0)
		return (int)len;
	len = pmcgrp_view_init(&view, buf, (size_t)len, pmcgrp_group_read_format(side->group));
	if (len < 0)
		return (int)len;
	pmcgrp_view_time_enabled(&view, &enabled);
	pmcgrp_view_time_running(&view, &running);
	*away = enabled - running;
	for (event = 0; event < NR_WORK_EVENTS; event++) {
		if (side->member[event] < 0)
			continue;
		at = pmcgrp_view_find_id(&view, pmcgrp_group_id(side->group,
								(unsigned int)side->member[event]));
		value[event] = at < 0 ? 0 : pmcgrp_view_value(&view, (size_t)at);
	}
	return 0;
}

/* Why it was not on the PMU, as far as the module remembers. */
static enum pmcgrp_why side_why(const struct side *side)
{
	enum pmcgrp_why why = PMCGRP_WHY_NONE;
	const struct pmcgrp_info_cpu *cpu;
	struct pmcgrp_info *info;
	uint32_t i;

	if (pmcgrp_group_info(side->group, &info))
		return why;
	why = info->why;
	for (i = 0; !why && (cpu = pmcgrp_info_cpu(info, i)); i++)
		why = cpu->why;
	pmcgrp_info_free(info);
	return why;
}

/* ---- Counting ---- */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	/* Not by the vDSO: how many instructions that takes depends on the time. */
	syscall(SYS_clock_gettime, clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void mark(struct work_mark *mark)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	mark->switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
	mark->faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt);
	mark->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	mark->wall_ns = clock_ns(CLOCK_MONOTONIC);
}

static int enable(const struct side *side)
{
	return side->group ? pmcgrp_group_enable(side->group) : 0;
}

static int disable(const struct side *side)
{
	return side->group ? pmcgrp_group_disable(side->group) : 0;
}

static int count(struct work_count *c, enum work_kind kind, const struct side *sides,
		 const struct bench *bench)
{
	uint64_t before[NR_WORK_SIDES][NR_WORK_EVENTS] = { 0 }, away[2][NR_WORK_SIDES] = { 0 };
	enum work_event event;
	enum work_side s;
	int ret = 0, done;

	for (s = 0; s < NR_WORK_SIDES && !ret; s++) {
		if (sides[s].group)
			ret = side_read(&sides[s], before[s], &away[0][s]);
	}
	if (ret)
		return ret;
	mark(&c->mark[0]);
	ret |= enable(&sides[WORK_PMCGRP]);
	mark(&c->mark[1]);
	ret |= enable(&sides[WORK_PERF]);
	mark(&c->mark[2]);
	done = work_do(kind, bench);
	mark(&c->mark[3]);
	ret |= disable(&sides[WORK_PERF]);
	mark(&c->mark[4]);
	ret |= disable(&sides[WORK_PMCGRP]);
	mark(&c->mark[5]);
	if (ret || done)
		return ret ? -EIO : done;
	for (s = 0; s < NR_WORK_SIDES && !ret; s++) {
		if (!sides[s].group)
			continue;
		ret = side_read(&sides[s], c->value[s], &away[1][s]);
		for (event = 0; event < NR_WORK_EVENTS; event++)
			c->value[s][event] -= before[s][event];
		c->waited[s] = away[1][s] > away[0][s];
	}
	if (c->waited[WORK_PMCGRP])
		c->why = side_why(&sides[WORK_PMCGRP]);
	return ret;
}

/* Once for nothing, so that all code and memory that it takes are there. */
static void count_all(struct work *work, const struct side *sides, const struct bench *bench)
{
	enum work_kind kind;

	work->err[WORK_LOOP] = count(&work->count[WORK_LOOP], WORK_LOOP, sides, bench);
	memset(&work->count[WORK_LOOP], 0, sizeof(work->count[WORK_LOOP]));
	for (kind = 0; kind < NR_WORK_KINDS; kind++)
		work->err[kind] = count(&work->count[kind], kind, sides, bench);
}

/* To one CPU, for the child as well. */
static bool stay_here(cpu_set_t *before)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(*before), before))
		return false;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

int work_run(struct work *work, struct pmcgrp *device, const struct core_pmu *pmus,
	     unsigned int nr_pmus)
{
	struct side sides[NR_WORK_SIDES] = { [WORK_PMCGRP] = { .h = device } };
	struct bench bench;
	cpu_set_t before;
	enum work_side s;
	uint32_t type;
	bool stays;
	int ret;

	memset(work, 0, sizeof(*work));
	work->loop_instructions = LOOP_INSTRUCTIONS;
	ret = pmcgrp_open(&sides[WORK_PERF].h, PMCGRP_OPEN_PERF);
	if (ret)
		return ret;
	stays = stay_here(&before);
	type = work_pmu_type(pmus, nr_pmus, sched_getcpu());
	/* Before there are groups: the child has none of their descriptors. */
	bench_init(&bench);
	for (s = 0; s < NR_WORK_SIDES; s++) {
		work->tried[s] = sides[s].h;
		if (sides[s].h)
			side_open(&sides[s], work, s, type);
	}
	count_all(work, sides, &bench);
	if (!stays)
		work->err[WORK_PING] = -EPERM;
	for (s = 0; s < NR_WORK_SIDES; s++)
		pmcgrp_group_close(sides[s].group);
	bench_end(&bench);
	if (stays)
		sched_setaffinity(0, sizeof(before), &before);
	pmcgrp_close(sides[WORK_PERF].h);
	return 0;
}
