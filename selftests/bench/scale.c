// SPDX-License-Identifier: GPL-2.0-only
/*
 * How costs grow: with the members of a group, the CPUs that it counts, the groups of a task,
 * and the tasks that are monitored. Each point is both sides' cost, in one guest.
 */
#include "bench.h"

#define TIMES	300
#define CPUS	8

static const struct whom me;
static const struct whom cpu0 = { .pid = -1 };
static const struct whom all_cpus = { .pid = -1, .all = true };
static const struct group_set hardware = { .attr = members[0], .nr = NR };
static pid_t tasks[GROUPS_MOST];
static int cpus_group;	/* of pmcgrp, on several CPUs */

static bool begin_and_end(enum by by, int k, const struct perf_event_attr *attr, unsigned int nr,
			  const struct whom *whom)
{
	if (!group_begin(by, k, attr, nr, whom))
		return false;
	group_end(by, k);
	return true;
}

static bool read_once(int fd)
{
	struct group_values v;

	return read(fd, &v, sizeof(v)) > 0;
}

/* ---- Members of one group ---- */

static struct cost members_read(enum by by, int nr)
{
	struct cost cost;

	if (!group_begin(by, 0, members[0], nr, &me))
		return NO_COST;
	cost = PER_GOOD_TIME(TIMES, read_once(group_fd(by, 0)));
	group_end(by, 0);
	return cost;
}

/* Another task has the same events, which keeps them in pmcgrp's event table. */
static struct cost members_open(enum by by, int nr)
{
	const struct whom other = { .pid = sleeper() };
	struct cost cost = NO_COST;

	if (group_begin(by, 0, members[0], nr, &other)) {
		cost = PER_GOOD_TIME(TIMES, begin_and_end(by, 1, members[0], nr, &me));
		group_end(by, 0);
	}
	end_child(other.pid);
	return cost;
}

/* Both sides of a switch monitored. */
static struct cost switch_both(enum by by, int nr)
{
	struct whom other = { .inherit = false };
	struct cost cost = NO_COST;
	struct pair p;

	if (!pair_start(&p))
		return NO_COST;
	other.pid = p.child;
	if (group_begin(by, GROUPS_MOST - 1, members[0], nr, &me)) {
		if (group_begin(by, GROUPS_MOST - 2, members[0], nr, &other)) {
			cost = cost_of_switch(&p);
			group_end(by, GROUPS_MOST - 2);
		}
		group_end(by, GROUPS_MOST - 1);
	}
	pair_end(&p);
	return cost;
}

/* ---- CPUs of one monitor ---- */

static bool cpus_begin(enum by by, int nr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPUS, .cpus = (1ULL << nr) - 1,
			   .nr = NR, .attr = members[0] };
	struct whom whom = { .pid = -1 };

	if (by == BY_PMCGRP) {
		cpus_group = ask_group(dev, &ask);
		return cpus_group >= 0;
	}
	for (; whom.cpu < nr; whom.cpu++)
		if (!group_begin(by, whom.cpu, members[0], NR, &whom))
			return false;
	return true;
}

static void cpus_end(enum by by, int nr)
{
	int cpu;

	if (by == BY_PMCGRP)
		close(cpus_group);
	else
		for (cpu = nr; cpu--;)
			group_end(by, cpu);
}

static bool cpus_read_once(enum by by, int nr)
{
	bool good = true;
	int cpu;

	if (by == BY_PMCGRP)
		return read_once(cpus_group);
	for (cpu = 0; cpu < nr; cpu++)
		good &= read_once(group_fd(by, cpu));
	return good;
}

static struct cost cpus_read(enum by by, int nr)
{
	struct cost cost;

	if (!cpus_begin(by, nr))
		return NO_COST;
	cost = PER_GOOD_TIME(TIMES, cpus_read_once(by, nr));
	cpus_end(by, nr);
	return cost;
}

static bool cpus_once(enum by by, int nr)
{
	if (!cpus_begin(by, nr))
		return false;
	cpus_end(by, nr);
	return true;
}

/* The first monitor of these events on these CPUs. */
static struct cost cpus_open(enum by by, int nr)
{
	return PER_GOOD_TIME(TIMES / 10, cpus_once(by, nr));
}

/* One more. */
static struct cost cpus_open_warm(enum by by, int nr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = NR, .attr = members[0] };
	int fd = ask_group(dev, &ask);
	struct cost cost = fd < 0 ? NO_COST : cpus_open(by, nr);

	close(fd);
	return cost;
}

/* ---- Groups of this task, all with the same members, or each with others ---- */

static struct cost read_first(enum by by, int nr)
{
	return PER_GOOD_TIME(TIMES, read_once(group_fd(by, 0)));
}

static struct cost groups_read(enum by by, int nr)
{
	return with_groups(by, nr, &hardware, &me, read_first);
}

static struct cost groups_switch(enum by by, int nr)
{
	return with_groups(by, nr, &hardware, &me, cost_of_switch_alone);
}

/* Of which neither side can count all at once. */
static struct cost groups_switch_different(enum by by, int nr)
{
	return with_different_groups(by, nr, &me, cost_of_switch_alone);
}

/* Which all fit together: each choice of the events that do. */
static struct cost groups_switch_overlapping(enum by by, int nr)
{
	const struct group_set set = { .attr = members[0], .nr = NR_FIT, .choice = true };

	return with_groups(by, nr, &set, &me, cost_of_switch_alone);
}

/* Any switch on a CPU that has them. */
static struct cost groups_switch_cpu(enum by by, int nr)
{
	return with_different_groups(by, nr, &cpu0, cost_of_switch_alone);
}

/* One more with the same events as the others, or with other ones than any. */
static struct cost open_same(enum by by, int nr)
{
	return PER_GOOD_TIME(TIMES / 10, begin_and_end(by, GROUPS_MOST - 1, members[0], NR, &me));
}

static struct cost open_other(enum by by, int nr)
{
	return PER_GOOD_TIME(TIMES / 10, begin_and_end(by, GROUPS_MOST - 1, members[1], NR, &me));
}

static struct cost groups_open_same(enum by by, int nr)
{
	return with_groups(by, nr - 1, &hardware, &me, open_same);
}

static struct cost groups_open_different(enum by by, int nr)
{
	return with_different_groups(by, nr - 1, &me, open_other);
}

static struct cost longest_section(enum by by, int nr)
{
	if (!sections_begin(by))
		return NO_COST;
	loop(50000000);
	cost_of_switch_alone(by, nr);
	return sections_end();
}

static struct cost groups_section(enum by by, int nr)
{
	return with_different_groups(by, nr, &me, longest_section);
}

static struct cost groups_section_cpu(enum by by, int nr)
{
	return with_different_groups(by, nr, &cpu0, longest_section);
}

/* Software events, of which perf, too, counts all at once. */
static struct cost groups_switch_software(enum by by, int nr)
{
	const struct perf_event_attr software[NR] = {
		sw(PERF_COUNT_SW_PAGE_FAULTS),
		sw(PERF_COUNT_SW_PAGE_FAULTS_MIN),
		sw(PERF_COUNT_SW_CONTEXT_SWITCHES),
		sw(PERF_COUNT_SW_CPU_MIGRATIONS),
	};
	const struct group_set set = { .attr = software, .nr = NR };

	return with_groups(by, nr, &set, &me, cost_of_switch_alone);
}

/*
 * What perf core takes for each event that follows a task and counts nothing: as many as there are
 * pmcgrp groups, each of which has one.
 */
static struct cost groups_switch_floor(enum by by, int nr)
{
	const struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	const struct group_set set = { .attr = &dummy, .nr = 1 };

	return with_groups(by, nr, by == BY_PERF ? &set : &hardware, &me, cost_of_switch_alone);
}

static struct cost cost_of_loop(void)
{
	struct stamp start;

	/* What others have left to be freed is freed before. */
	sleep(1);
	start = stamp_now();
	loop(100000000);
	return cost_since(&start);
}

static struct cost without_groups;

/* An interval of multiplexing.  One group more does not fit the PMU together with the others. */
static struct cost rotate_beside(enum by by, int nr)
{
	struct cost with;

	if (!group_begin(by, GROUPS_MOST - 1, members[1], NR, &cpu0))
		return NO_COST;
	with = cost_of_loop();
	group_end(by, GROUPS_MOST - 1);
	return cost_of_each(cost_less(with, without_groups),
			    with.insns * NS_PER_INSN / MUX_INTERVAL_NS);
}

/* Of a CPU or of all, with the same events: pmcgrp counts these once. */
static struct cost groups_rotate_same_cpu(enum by by, int nr)
{
	without_groups = cost_of_loop();
	return with_groups(by, nr, &hardware, &cpu0, rotate_beside);
}

static struct cost groups_rotate_same_cpus(enum by by, int nr)
{
	without_groups = cost_of_loop();
	return with_groups(by, nr, &hardware, &all_cpus, rotate_beside);
}

/* Returns the smallest share of the time in which one of them counts, in percent. */
static struct cost worst_share(enum by by, int nr)
{
	double share, worst = 100;
	struct group_values v;
	int k;

	loop(100000000);
	for (k = 0; k < nr; k++) {
		if (!group_values(group_fd(by, k), NR, &v))
			return NO_COST;
		share = 100.0 * v.running / v.enabled;
		worst = share < worst ? share : worst;
	}
	return (struct cost){ .insns = worst };
}

static struct cost groups_share(enum by by, int nr)
{
	return with_groups(by, nr, &hardware, &me, worst_share);
}

/* ---- Tasks, a group each ---- */

static struct cost with_tasks(enum by by, int nr, struct cost (*cost)(enum by by, int nr))
{
	struct whom whom = { .inherit = false };
	struct cost found = NO_COST;
	int k;

	for (k = 0; k < nr; k++) {
		tasks[k] = sleeper();
		if (tasks[k] < 0)
			break;
		whom.pid = tasks[k];
		if (!group_begin(by, k, members[0], NR, &whom)) {
			end_child(tasks[k]);
			break;
		}
	}
	if (k == nr)
		found = cost(by, nr);
	while (k--) {
		group_end(by, k);
		end_child(tasks[k]);
	}
	return found;
}

static struct cost tasks_open(enum by by, int nr)
{
	return with_tasks(by, nr - 1, open_same);
}

static struct cost switch_four(enum by by, int nr)
{
	return switch_both(by, NR);
}

static struct cost tasks_switch(enum by by, int nr)
{
	return with_tasks(by, nr - 2, switch_four);
}

/* ---- Threads of a process ---- */

static struct cost threads_open(enum by by, int nr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .nr = NR, .attr = members[0] };
	struct cost cost = NO_COST;
	struct stamp start;
	int found, fd;

	ask.target_id = process(nr);
	if (ask.target_id < 0)
		return NO_COST;
	start = stamp_now();
	if (by == BY_PERF) {
		found = perf_process_open(ask.target_id);
		perf_process_close(found);
	} else {
		fd = ask_group(dev, &ask);
		found = fd < 0 ? 0 : nr;
		close(fd);
	}
	if (found == nr)
		cost = cost_since(&start);
	end_child(ask.target_id);
	/* What is to be freed is freed before the next comes. */
	sleep(1);
	return cost;
}

/* Members (Arm's PMU has a counter for cycles, too), and all choices of NR_FIT events. */
#if NR_FIT == 4
static const int of_a_group[] = { 1, 2, 3, 4, 0 };
static const int choices[] = { 1, 3, 7, 15, 0 };
#else
static const int of_a_group[] = { 1, 2, 3, 4, 5, 6, 7, 0 };
static const int choices[] = { 1, 3, 7, 15, 31, 63, 0 };
#endif
static const int up_to_8[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0 };
static const int two_to_most[] = { 2, 16, 64, 256, 1024, CURVES_TO, 0 };
static const int followed[] = { 40, 400, 4000, 40000, 0 };
static const int up_to_most[] = { 1, 4, 16, 64, 256, 1024, CURVES_TO, 0 };

static const struct curve {
	const char *name;
	const char *with;	/* what there is more and more of */
	const char *unit;
	int cpus;
	const int *at;
	struct cost (*cost)(enum by by, int at);
} curves[] = {
	{ "read", "members", "instructions", 1, of_a_group, members_read },
	{ "open_close", "members", "instructions", 1, of_a_group, members_open },
	{ "switch", "members", "instructions", 1, of_a_group, switch_both },
	{ "read", "CPUs", "instructions", CPUS, up_to_8, cpus_read },
	{ "open_close", "CPUs", "instructions", CPUS, up_to_8, cpus_open },
	{ "open_close.warm", "CPUs", "instructions", CPUS, up_to_8, cpus_open_warm },
	{ "read", "groups", "instructions", 1, up_to_most, groups_read },
	{ "switch", "groups", "instructions", 1, up_to_most, groups_switch },
	{ "switch.software", "groups", "instructions", 1, up_to_most, groups_switch_software },
	{ "switch.different", "groups", "instructions", 1, up_to_most, groups_switch_different },
	{ "switch.overlapping", "groups", "instructions", 1, choices, groups_switch_overlapping },
	{ "switch.cpu", "groups", "instructions", 1, up_to_most, groups_switch_cpu },
	{ "section", "groups", "instructions", 1, up_to_most, groups_section },
	{ "section.cpu", "groups", "instructions", 1, up_to_most, groups_section_cpu },
	{ "open_close.same", "groups", "instructions", 1, up_to_most, groups_open_same },
	{ "open_close.different", "groups", "instructions", 1, up_to_most, groups_open_different },
	{ "open_close", "threads", "instructions", 1, up_to_most, threads_open },
	{ "switch.floor", "groups", "instructions", 1, up_to_most, groups_switch_floor },
	{ "switch.process", "groups", "instructions", 1, up_to_most, process_switch_same },
	{ "switch.process.both", "groups", "instructions", 1, up_to_most,
	  process_switch_same_both },
	{ "switch.process.different", "groups", "instructions", 1, up_to_most,
	  process_switch_different },
	{ "switch.process.different.both", "groups", "instructions", 1, up_to_most,
	  process_switch_different_both },
	{ "switch.inherited.both", "groups", "instructions", 1, up_to_most,
	  inherited_switch_same_both },
	{ "switch.inherited.different.both", "groups", "instructions", 1, up_to_most,
	  inherited_switch_different_both },
	{ "switch.cgroup.different.both", "groups", "instructions", 1, up_to_most,
	  cgroup_switch_different_both },
	{ "switch.cgroup.others", "groups", "instructions", 1, up_to_most, cgroup_switch_others },
	{ "section.process.different.both", "groups", "instructions", 1, up_to_most,
	  process_section_different_both },
	{ "section.inherited.different.both", "groups", "instructions", 1, up_to_most,
	  inherited_section_different_both },
	{ "rotate.same_cpu", "groups", "instructions", 1, up_to_most, groups_rotate_same_cpu },
	{ "rotate.same_cpus", "groups", "instructions", 1, up_to_most, groups_rotate_same_cpus },
	{ "share", "groups", "% of the time", 1, up_to_most, groups_share },
	{ "open_close", "tasks", "instructions", 1, up_to_most, tasks_open },
	{ "switch", "tasks", "instructions", 1, two_to_most, tasks_switch },
	{ "switch.others", "tasks", "instructions", 1, followed, tasks_switch_others },
	{}
};

static bool measure_curve(const struct curve *curve)
{
	struct cost perf, pmcgrp;
	const int *at;

	for (at = curve->at; *at; at++) {
		perf = curve->cost(BY_PERF, *at);
		pmcgrp = curve->cost(BY_PMCGRP, *at);
		if (!measured(perf) || !measured(pmcgrp))
			return cannot("%s with %d %s: not measured", curve->name, *at, curve->with);
		printf("point {\"name\":\"%s\",\"with\":\"%s\",\"unit\":\"%s\",", curve->name,
		       curve->with, curve->unit);
		printf("\"at\":%d,\"perf\":%.2f,\"pmcgrp\":%.2f}\n", *at, perf.insns,
		       pmcgrp.insns);
		fflush(stdout);
	}
	return true;
}

bool measure_curves(long cpus, char **names)
{
	const struct curve *curve;
	bool good = true;

	for (curve = curves; curve->name; curve++)
		if (curve->cpus == cpus && wanted(curve->name, names))
			good &= measure_curve(curve);
	return good;
}
