// SPDX-License-Identifier: GPL-2.0-only
/* What it costs to make a group and close it again. */
#include "bench.h"
#include <dirent.h>
#include <pthread.h>

#define WARM	500
#define COLD	50

static const struct whom me;

static bool perf_once(void)
{
	struct perf_group group;

	if (!perf_group_open(&group, members[0], NR, &me))
		return false;
	perf_group_close(&group);
	return true;
}

/* The least that both need: one perf event without a counter. */
static bool floor_once(void)
{
	struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);

	return !close(perf_open(&dummy, 0, -1, -1));
}

static bool pmcgrp_once(void)
{
	int fd = group_open(members[0], NR, &me);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* One after the other, in one task. */
static struct cost again_and_again(bool (*once)(void), long times)
{
	return once() ? PER_GOOD_TIME(times, once()) : NO_COST;
}

/* A holder whose group has the same events, and never runs meanwhile. */
static bool open_close_warm(struct result *r)
{
	pid_t holder = sleeper();
	int fd;

	r->floor = again_and_again(floor_once, WARM);
	r->perf = again_and_again(perf_once, WARM);
	fd = group_open(members[0], NR, &(struct whom){ .pid = holder });
	if (fd < 0)
		return false;
	r->pmcgrp = again_and_again(pmcgrp_once, WARM);
	close(fd);
	end_child(holder);
	return measured(r->perf) && measured(r->pmcgrp);
}

/*
 * perf's own events, while there is nobody's group, and one of a task that does not run meanwhile.
 */
static bool open_close_bystander(struct result *r)
{
	pid_t holder;
	int fd;

	r->perf = again_and_again(perf_once, WARM);
	holder = sleeper();
	fd = group_open(members[1], NR, &(struct whom){ .pid = holder });
	if (fd < 0)
		return false;
	r->pmcgrp = again_and_again(perf_once, WARM);
	close(fd);
	end_child(holder);
	return measured(r->perf) && measured(r->pmcgrp);
}

/*
 * What the first one costs a task: the median over some tasks, one after the other. What one
 * leaves to be freed after a grace period of RCU is freed before the next one comes; now and
 * then one of them pays for it nevertheless.
 */
static struct cost first_of_tasks(bool (*once)(void))
{
	struct cost *cost = shared_memory(COLD * sizeof(*cost));
	struct stamp start;
	int i, status;
	pid_t pid;

	if (!cost)
		return NO_COST;
	for (i = 0; i < COLD; i++) {
		sleep_ns(50 * NSEC_PER_MSEC);
		pid = fork();
		if (!pid) {
			/* What it shares with its parent is mapped and copied before, not while. */
			mlockall(MCL_CURRENT);
			/* and its clock is there */
			start = stamp_now();
			start = stamp_now();
			status = once();
			cost[i] = cost_since(&start);
			_exit(!status);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return NO_COST;
	}
	return cost_median(cost, COLD);
}

static bool open_close_cold(struct result *r)
{
	r->floor = first_of_tasks(floor_once);
	r->perf = first_of_tasks(perf_once);
	r->pmcgrp = first_of_tasks(pmcgrp_once);
	return measured(r->perf) && measured(r->pmcgrp);
}

/* ---- A group of a task that sleeps, whose events no other group counts ---- */

static struct whom other;

static bool perf_once_other(void)
{
	struct perf_group group;

	if (!perf_group_open(&group, members[0], NR, &other))
		return false;
	perf_group_close(&group);
	return true;
}

static bool pmcgrp_once_other(void)
{
	int fd = group_open(members[0], NR, &other);

	return fd >= 0 && !close(fd);
}

static bool floor_once_other(void)
{
	const struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	int fd = perf_open(&dummy, other.pid, -1, -1);

	return fd >= 0 && !close(fd);
}

static bool nothing_once(void)
{
	return true;
}

/* Interrupts of one CPU by another one, to call a function. */
static double ipis_now(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[1024], *at, *end;
	double sum = 0, nr;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		at = strchr(line, ':');
		if (!at || !strstr(line, "Function call interrupts"))
			continue;
		for (at++; nr = strtod(at, &end), end != at; at = end)
			sum += nr;
	}
	fclose(f);
	return sum;
}

/* Now and then, so that what is left for later is done before the next one. */
static bool now_and_then(bool (*once)(void))
{
	bool good = true;
	int i;

	for (i = 0; i < COLD; i++) {
		good &= once();
		sleep_ns(50 * NSEC_PER_MSEC);
	}
	return good;
}

/* What all CPUs execute for one, at once and afterwards; all are idle otherwise. */
static struct cost cost_for_all(bool (*once)(void))
{
	struct stamp start;
	struct cost cost;
	bool good;

	sleep(1);
	good = once();
	start = stamp_now();
	good &= now_and_then(once);
	cost = cost_executed(&start);
	return good && measured(cost) ? cost_of_each(cost, COLD) : NO_COST;
}

/* What the first CPU executes for one: the caller is there (main()). */
static struct cost cost_for_caller(bool (*once)(void))
{
	struct cost cost = NO_COST;
	struct stamp start;
	bool good;

	sleep(1);
	good = once();
	start = stamp_now();
	good &= now_and_then(once);
	if (good && start.accesses.insns_first) {
		cost = cost_since(&start);
		cost.insns = accesses_now().insns_first - start.accesses.insns_first;
		cost = cost_of_each(cost, COLD);
	}
	return cost;
}

/* How often one CPU interrupts another one for it. */
static struct cost ipis_for_all(bool (*once)(void))
{
	struct stamp start;
	struct cost cost;
	double before;
	bool good;

	sleep(1);
	good = once();
	before = ipis_now();
	start = stamp_now();
	good &= now_and_then(once);
	cost = cost_since(&start);
	cost.insns = ipis_now() - before;
	return good && before >= 0 ? cost_of_each(cost, COLD) : NO_COST;
}

static bool task_each(struct result *r, struct cost (*cost)(bool (*once)(void)))
{
	other.pid = sleeper();
	r->base = cost(nothing_once);
	r->floor = cost(floor_once_other);
	r->perf = cost(perf_once_other);
	r->pmcgrp = cost(pmcgrp_once_other);
	end_child(other.pid);
	if (!measured(r->base) || !measured(r->floor) || !measured(r->perf) ||
	    !measured(r->pmcgrp))
		return false;
	r->floor = cost_less(r->floor, r->base);
	r->perf = cost_less(r->perf, r->base);
	r->pmcgrp = cost_less(r->pmcgrp, r->base);
	return true;
}

static bool open_close_task(struct result *r)
{
	return task_each(r, cost_for_all);
}

static bool open_close_caller(struct result *r)
{
	return task_each(r, cost_for_caller);
}

static bool open_close_task_ipis(struct result *r)
{
	return task_each(r, ipis_for_all);
}

/* ---- The same, opened as by perf_event_open(2): one event after the other ---- */

static bool shim_once_other(void)
{
	struct perf_group group;

	if (!shim_group_open(&group, members[0], NR, other.pid))
		return false;
	perf_group_close(&group);
	return true;
}

static bool open_close_shim(struct result *r)
{
	other.pid = sleeper();
	r->perf = again_and_again(perf_once_other, WARM);
	sleep(1); /* what perf leaves to be freed is freed */
	r->pmcgrp = again_and_again(shim_once_other, WARM);
	end_child(other.pid);
	return measured(r->perf) && measured(r->pmcgrp);
}

/* ---- Groups whose events nobody else counts, one after the other ---- */

#define CREATED	32

/* What the caller executes to make one; all are closed afterwards. */
static struct cost cost_of_making(enum by by, const struct whom *whom)
{
	struct perf_event_attr attr[NR];
	struct stamp start;
	struct cost cost;
	int k, i;

	sleep(1);
	start = stamp_now();
	for (k = 0; k < CREATED; k++) {
		for (i = 0; i < NR; i++)
			attr[i] = another(members[0][i], k + 1);
		if (!group_begin(by, k, attr, NR, whom))
			break;
	}
	cost = cost_since(&start);
	if (start.accesses.insns_first)
		cost.insns = accesses_now().insns_first - start.accesses.insns_first;
	cost = k == CREATED ? cost_of_each(cost, CREATED) : NO_COST;
	while (k--)
		group_end(by, k);
	return cost;
}

/* While there is another group, of a task that does not run: the first one costs more. */
static bool create(struct result *r, bool inherit)
{
	struct whom whom = { .pid = sleeper(), .inherit = inherit };
	int fd = group_open(members[1], NR, &whom);

	r->perf = cost_of_making(BY_PERF, &whom);
	r->pmcgrp = cost_of_making(BY_PMCGRP, &whom);
	close(fd);
	end_child(whom.pid);
	sleep(2); /* its events are kept for a second */
	return measured(r->perf) && measured(r->pmcgrp);
}

static bool create_task(struct result *r)
{
	return create(r, false);
}

static bool create_inherited(struct result *r)
{
	return create(r, true);
}

/* ---- A process ---- */

#define THREADS	1000

static void *thread(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

/* In the child. */
static void process_run(struct process *p, int threads)
{
	pthread_attr_t attr;
	pthread_t t;
	char c = 0;
	int i;

	if (read(p->go[0], &c, 1) != 1)
		_exit(1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	/* Stacks side by side are one mapping: a process has 65,530 at most. */
	pthread_attr_setguardsize(&attr, 0);
	for (i = 1; i < threads; i++)
		if (pthread_create(&t, &attr, thread, NULL))
			_exit(1);
	if (write(p->ready[1], &c, 1) == 1)
		thread(NULL);
	_exit(1);
}

bool process_start(struct process *p, int threads)
{
	if (pipe(p->go) || pipe(p->ready))
		return cannot("pipe(): %s", strerror(errno));
	p->pid = fork();
	if (!p->pid)
		process_run(p, threads);
	close(p->go[0]);
	close(p->ready[1]);
	return p->pid > 0;
}

bool process_go(struct process *p)
{
	char c = 0;
	bool good = write(p->go[1], &c, 1) == 1 && read(p->ready[0], &c, 1) == 1;

	close(p->go[1]);
	close(p->ready[0]);
	return good;
}

pid_t process(int threads)
{
	struct process p;

	return process_start(&p, threads) && process_go(&p) ? p.pid : -1;
}

static struct perf_group perf_threads[THREADS_MOST];

int perf_process_open(pid_t pid)
{
	struct whom whom = { .inherit = false };
	struct dirent *entry;
	char path[64];
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && nr < THREADS_MOST && (entry = readdir(dir))) {
		whom.pid = atoi(entry->d_name);
		if (!whom.pid)
			continue;
		if (!perf_group_open(&perf_threads[nr], members[0], NR, &whom))
			break;
		nr++;
	}
	if (dir)
		closedir(dir);
	return nr;
}

void perf_process_close(int nr)
{
	while (nr--)
		perf_group_close(&perf_threads[nr]);
}

static bool process_1000(struct result *r)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .nr = NR, .attr = members[0] };
	bool good;
	int nr, fd;

	ask.target_id = process(THREADS);
	if (ask.target_id < 0)
		return false;
	r->perf = PER_TIME(1, nr = perf_process_open(ask.target_id));
	good = nr == THREADS;
	perf_process_close(nr);
	/* What is to be freed is freed before the other side comes. */
	sleep(1);
	r->pmcgrp = PER_TIME(1, fd = ask_group(dev, &ask));
	close(fd);
	end_child(ask.target_id);
	/* Nor do rows that come later pay for it. */
	sleep(1);
	return good && fd >= 0;
}

#define ONE_DUMMY	"one perf event that needs no counter"

const struct row open_rows[] = {
	{ "open_close.warm.4hw", "instructions", ONE_DUMMY, 1, 0.30, open_close_warm },
	{ "open_close.cold.4hw", "instructions", ONE_DUMMY, 1, 0.80, open_close_cold },
	{ "open_close.task.1cpu", "instructions", ONE_DUMMY, 1, 1.00, open_close_task },
	{ "open_close.task.8cpus", "instructions", ONE_DUMMY, 8, 1.00, open_close_task },
	{ "open_close.caller.1cpu", "instructions", ONE_DUMMY, 1, 1.00, open_close_caller },
	{ "open_close.caller.8cpus", "instructions", ONE_DUMMY, 8, 1.00, open_close_caller },
	{ "bystander.open_close", "instructions", "nobody has groups", 1, 1.01,
	  open_close_bystander },
	{ "ipis.open_close.8cpus", "interrupts", ONE_DUMMY, 8, 1.00, open_close_task_ipis },
	{ "open_close.shim.4hw", "instructions", NULL, 1, 1.00, open_close_shim },
	{ "create.task.1cpu", "instructions", NULL, 1, 1.00, create_task },
	{ "create.task.64cpus", "instructions", NULL, 64, 1.00, create_task },
	{ "create.inherited.1cpu", "instructions", NULL, 1, 2.00, create_inherited },
	{ "create.inherited.64cpus", "instructions", NULL, 64, 2.00, create_inherited },
	{ "process.1000", "instructions", NULL, 1, 1.00, process_1000 },
	{}
};
