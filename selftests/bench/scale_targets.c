// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a context switch grows with the groups of processes, of inherited tasks and of cgroups: all
 * with the same events, or each with others; of one of two tasks that take turns, or of both.  And with the tasks that are counted,
 * none of which runs.
 */
#include "bench.h"
#include "pmcgrp_keys.h"

static bool groups_begin(enum by by, int from, int nr, bool different, const struct whom *whom)
{
	struct perf_event_attr attr[NR];
	int k, i;

	for (k = 0; k < nr; k++) {
		for (i = 0; i < NR; i++)
			attr[i] = different ? another(members[0][i], from + k) : members[0][i];
		if (!group_begin(by, from + k, attr, NR, whom)) {
			while (k--)
				group_end(by, from + k);
			return false;
		}
	}
	return true;
}

static void groups_end(enum by by, int from, int nr)
{
	while (nr--)
		group_end(by, from + nr);
}

/* What a switch costs, or for how long interrupts are off while two tasks take turns and run. */
typedef struct cost (*of_pair_t)(enum by by, struct pair *p);

static struct cost a_switch(enum by by, struct pair *p)
{
	return cost_of_switch(p);
}

static struct cost a_section(enum by by, struct pair *p)
{
	if (!sections_begin(by))
		return NO_COST;
	loop(50000000);
	cost_of_switch(p);
	return sections_end();
}

static struct cost pair_with(of_pair_t cost_of, enum by by, int nr, const struct whom *like,
			     bool different, bool both)
{
	struct whom whom = *like;
	struct cost cost = NO_COST;
	struct pair p;

	if (!pair_start(&p))
		return NO_COST;
	whom.pid = getpid();
	if (groups_begin(by, 0, nr, different, &whom)) {
		whom.pid = p.child;
		if (!both) {
			cost = cost_of(by, &p);
		} else if (groups_begin(by, nr, nr, different, &whom)) {
			cost = cost_of(by, &p);
			groups_end(by, nr, nr);
		}
		groups_end(by, 0, nr);
	}
	pair_end(&p);
	return cost;
}

static const struct whom a_process = { .process = true };
static const struct whom inherited = { .inherit = true };

struct cost process_switch_same(enum by by, int nr)
{
	return pair_with(a_switch, by, nr, &a_process, false, false);
}

struct cost process_switch_same_both(enum by by, int nr)
{
	return pair_with(a_switch, by, nr, &a_process, false, true);
}

struct cost process_switch_different(enum by by, int nr)
{
	return pair_with(a_switch, by, nr, &a_process, true, false);
}

struct cost process_switch_different_both(enum by by, int nr)
{
	return pair_with(a_switch, by, nr, &a_process, true, true);
}

struct cost inherited_switch_same_both(enum by by, int nr)
{
	return pair_with(a_switch, by, nr, &inherited, false, true);
}

struct cost inherited_switch_different_both(enum by by, int nr)
{
	return pair_with(a_switch, by, nr, &inherited, true, true);
}

struct cost process_section_different_both(enum by by, int nr)
{
	return pair_with(a_section, by, nr, &a_process, true, true);
}

struct cost inherited_section_different_both(enum by by, int nr)
{
	return pair_with(a_section, by, nr, &inherited, true, true);
}

static int cgroup_open(const char *name)
{
	char path[64];

	if (!cgroup_make(name))
		return -1;
	cgroup_path(path, sizeof(path), name, "");
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Two tasks in cgroups x and y; groups are of these, or of z and y. */
static struct cost switch_of_cgroups(enum by by, int nr, bool both)
{
	struct whom first, second;
	struct cost cost = NO_COST;
	struct pair p;

	/* perf_event_open() knows no cgroup before (kernel/cgroup/cgroup.c: implicit_on_dfl). */
	if (!cgroups_mount() || !file_write(CGROUPS "/cgroup.subtree_control", "+pids") ||
	    !cgroup_make("x") || !pair_start(&p))
		return NO_COST;
	first = (struct whom){ .cgroup = cgroup_open(both ? "x" : "z") };
	second = (struct whom){ .cgroup = cgroup_open("y") };
	if (cgroup_move("x", getpid()) && cgroup_move(both ? "y" : "x", p.child) &&
	    groups_begin(by, 0, nr, true, &first)) {
		if (groups_begin(by, nr, nr, true, &second)) {
			cost = cost_of_switch(&p);
			groups_end(by, nr, nr);
		}
		groups_end(by, 0, nr);
	}
	cgroup_move("", getpid());
	cgroup_move("", p.child);
	pair_end(&p);
	close(first.cgroup);
	close(second.cgroup);
	cgroup_remove("x");
	cgroup_remove("y");
	cgroup_remove("z");
	return cost;
}

struct cost cgroup_switch_different_both(enum by by, int nr)
{
	return switch_of_cgroups(by, nr, true);
}

/* None of the groups counts either task. */
struct cost cgroup_switch_others(enum by by, int nr)
{
	return switch_of_cgroups(by, nr, false);
}

#define PAIRS	8

/*
 * Of pairs of tasks that nobody counts, all of which exist at the same time: what a look-up of one
 * task finds depends on where it is in memory.
 */
static struct cost switch_of_pairs(void)
{
	struct cost cost, all = { .insns = 0 };
	struct pair pair[PAIRS];
	int i, k;

	for (k = 0; k < PAIRS && pair_start(&pair[k]); k++)
		;
	for (i = 0; i < k; i++) {
		cost = cost_of_switch(&pair[i]);
		all.insns += cost.insns;
	}
	/* The last one first: it has the pipes of those before it. */
	while (i--)
		pair_end(&pair[i]);
	return k == PAIRS ? cost_of_each(all, PAIRS) : NO_COST;
}

/* One of perf's events has as many copies as there are tasks. */
struct cost tasks_switch_others(enum by by, int nr)
{
	struct whom whom = { .inherit = true };
	struct cost cost = NO_COST;
	struct process p;

	if (!file_write("/proc/sys/kernel/pid_max", "131072") ||
	    !file_write("/proc/sys/kernel/threads-max", "131072") || !process_start(&p, nr))
		return NO_COST;
	whom.pid = p.pid;
	if (group_begin(by, 0, members[0], 1, &whom)) {
		if (process_go(&p)) {
			/* What follows the making of the last of them is over. */
			sleep(1);
			cost = switch_of_pairs();
		}
		group_end(by, 0);
	}
	end_child(p.pid);
	sleep(1);
	return cost;
}
