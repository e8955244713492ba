/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The benchmark: each row is the same work by perf_event_open(2) and by pmcgrp, in one guest
 * in which an instruction takes 2 ns of its clock (-icount shift=1), so a time is a number of
 * instructions, the same in every run.
 */
#ifndef PMCGRP_BENCH_H
#define PMCGRP_BENCH_H

#include "pmcgrp_ring.h"
#include "pmcgrp_mark.h"
#include "accesses.h"
#include <math.h>

#define NR		4		/* members, unless a row says otherwise */
#define NR_MAX		7
/* The general counters: of Skylake's PMU, and of Arm's as QEMU has it. */
#ifdef __x86_64__
#define NR_FIT		4
#else
#define NR_FIT		6
#endif
#define NS_PER_INSN	2
#define MUX_INTERVAL_NS	4000000	/* perf_event_mux_interval_ms, mux_interval_ms */

/* Says why something cannot be measured: false. */
#define cannot(format, ...)	(fprintf(stderr, format "\n", ##__VA_ARGS__), false)

/* What some work costs. */
struct cost {
	double insns;		/* or what the row's unit says; NAN: not measured */
	double reads;		/* of the PMU's registers, by all CPUs */
	double writes;
};

#define NO_COST	((struct cost){ .insns = NAN })

/*
 * What a row has found: of each side what the work costs beyond @base, which is the same
 * work where nothing is counted.  A difference of two large numbers may come out below 0.
 */
struct result {
	struct cost perf;
	struct cost pmcgrp;
	struct cost base;
	struct cost floor;	/* what no implementation can be below */
};

struct row {
	const char *name;
	const char *unit;
	const char *floor_is;	/* in words; NULL: there is none */
	int cpus;		/* as many processors must be there */
	double goal;		/* pmcgrp / perf, or less; 0: none */
	bool (*measure)(struct result *result);
};

extern const struct row read_rows[], user_read_rows[], open_rows[], switch_rows[],
	sleep_rows[], sample_rows[], rotate_rows[], children_rows[], memory_rows[];

extern struct perf_event_attr members[2][NR_MAX];	/* two sets without a common event */

void members_init(void);

/* A beginning: what has been executed and accessed until now. */
struct stamp {
	uint64_t ns;
	struct accesses accesses;
};

static inline struct stamp stamp_now(void)
{
	struct stamp stamp = { 0 };

	if (accesses_known)
		stamp.accesses = accesses_now();
	stamp.ns = now_ns();
	return stamp;
}

static inline bool measured(struct cost cost)
{
	return !isnan(cost.insns);
}

static inline struct cost cost_less(struct cost a, struct cost b)
{
	return (struct cost){ a.insns - b.insns, a.reads - b.reads, a.writes - b.writes };
}

static inline struct cost cost_of_each(struct cost all, double times)
{
	return (struct cost){ all.insns / times, all.reads / times, all.writes / times };
}

/* The one in the middle by instructions; sorts them. */
struct cost cost_median(struct cost *cost, unsigned int nr);

/* Since a stamp, on a machine of one processor, or of which others are idle. */
static inline struct cost cost_since(const struct stamp *start)
{
	struct cost cost = { .insns = (double)(now_ns() - start->ns) / NS_PER_INSN };
	struct accesses now;

	if (accesses_known) {
		now = accesses_now();
		cost.reads = (uint32_t)(now.reads - start->accesses.reads);
		cost.writes = (uint32_t)(now.writes - start->accesses.writes);
	}
	return cost;
}

/*
 * Where CPUs are idle in between, a clock does not tell what they execute: the emulator does.
 * Nor does a perf event: it does not count while perf core has the PMU disabled.
 */
static inline struct cost cost_executed(const struct stamp *start)
{
	struct cost cost = cost_since(start);

	if (!start->accesses.insns) {
		fprintf(stderr, "the emulator does not tell instructions\n");
		return NO_COST;
	}
	cost.insns = accesses_now().insns - start->accesses.insns;
	return cost;
}

/* What a statement costs each time. */
#define PER_TIME(times, statement)			\
({							\
	const long times_ = (times);			\
	struct stamp start_ = stamp_now();		\
	long time_;					\
							\
	for (time_ = 0; time_ < times_; time_++)	\
		statement;				\
	cost_of_each(cost_since(&start_), times_);	\
})

/* The same of a statement that returns whether it has succeeded; NO_COST unless it always has. */
#define PER_GOOD_TIME(times, statement)				\
({								\
	bool good_ = true;					\
	struct cost cost_ = PER_TIME(times, good_ &= (statement));	\
								\
	good_ ? cost_ : NO_COST;				\
})

/* The k-th copy of a raw event: another one to perf core and pmcgrp, the same to the PMU. */
static inline struct perf_event_attr another(struct perf_event_attr attr, unsigned int k)
{
	attr.config += (uint64_t)k << (RAW_COPY_SHIFT + 4);
	return attr;
}

/* The target of a perf or pmcgrp group, and how it counts. */
struct whom {
	pid_t pid;		/* 0: the caller; -1: all that runs on cpu */
	int cpu;
	bool all;		/* CPUs; to perf, on machines with one, cpu */
	bool inherit;
	bool process;		/* all threads of pid; to perf, which has no such groups, pid */
	int cgroup;		/* instead, if not 0: descriptor of a cgroup, of which cpu is counted */
	bool disabled;
	bool background;	/* perf has no such groups */
};

extern int dev;			/* the device; opened by main() */

/* A perf group: fd[0] leads. */
struct perf_group {
	int fd[NR_MAX];
	unsigned int nr;
};

/*
 * Each opens a group of the first @nr of a set with read_format FORMAT. On failure they
 * print why and return false, or a negative number.
 */
bool perf_group_open(struct perf_group *group, const struct perf_event_attr *attr,
		     unsigned int nr, const struct whom *whom);
void perf_group_close(struct perf_group *group);
/* The same of a task, each event by pmcgrp_perf_event_open(). */
bool shim_group_open(struct perf_group *group, const struct perf_event_attr *attr, unsigned int nr,
		     pid_t pid);
int group_open(const struct perf_event_attr *attr, unsigned int nr, const struct whom *whom);

/* One side's work: opens and closes by perf_event_open(2), or by pmcgrp. */
enum by {
	BY_PERF,
	BY_PMCGRP,
};

#define CURVES_TO	4096	/* groups or tasks, at the end of a curve */
#define GROUPS_MOST	(2 * CURVES_TO + 2)	/* of each side at a time */

/* One of them: opens it as group k of its side; then its leader's or its own descriptor. */
bool group_begin(enum by by, int k, const struct perf_event_attr *attr, unsigned int nr,
		 const struct whom *whom);
void group_end(enum by by, int k);
int group_fd(enum by by, int k);

/* What each of several groups counts. */
struct group_set {
	const struct perf_event_attr *attr;
	unsigned int nr;
	bool different;		/* no two groups count the same event: copies of these */
	bool choice;		/* each group counts another choice of these */
};

/* Calls cost() while a task has @nr groups, those from 0 on. */
struct cost with_groups(enum by by, int nr, const struct group_set *set, const struct whom *whom,
			struct cost (*cost)(enum by by, int nr));

/* The same with hardware events, no two groups with the same one. */
struct cost with_different_groups(enum by by, int nr, const struct whom *whom,
				  struct cost (*cost)(enum by by, int nr));

/* A child that sleeps until end_child(). */
pid_t sleeper(void);

#define THREADS_MOST	CURVES_TO

/* A child that makes so many threads, which sleep until end_child(), once it is told to. */
struct process {
	pid_t pid;
	int go[2], ready[2];
};

bool process_start(struct process *p, int threads);
bool process_go(struct process *p);

/* The same at once; or -1. */
pid_t process(int threads);

/* As `perf stat -p` does it: a group for each thread.  Returns how many there are. */
int perf_process_open(pid_t pid);
void perf_process_close(int nr);

/* Two tasks on one CPU that hand a byte to and fro: this one and a child. */
struct pair {
	pid_t child;
	int to, from;
};

bool pair_start(struct pair *p);
void pair_end(struct pair *p);
struct cost cost_of_switch(struct pair *p);	/* or NO_COST */

/* The same by a pair of which this task alone may have groups, for with_groups(). */
struct cost cost_of_switch_alone(enum by by, int nr);

/* A switch between two tasks with so many groups (scale_targets.c). */
struct cost process_switch_same(enum by by, int nr);
struct cost process_switch_same_both(enum by by, int nr);
struct cost process_switch_different(enum by by, int nr);
struct cost process_switch_different_both(enum by by, int nr);
struct cost inherited_switch_same_both(enum by by, int nr);
struct cost inherited_switch_different_both(enum by by, int nr);
struct cost process_section_different_both(enum by by, int nr);
struct cost inherited_section_different_both(enum by by, int nr);
struct cost cgroup_switch_different_both(enum by by, int nr);
struct cost cgroup_switch_others(enum by by, int nr);
struct cost tasks_switch_others(enum by by, int nr);

/* The longest run with interrupts off between the two (section.c). */
bool sections_begin(enum by by);
struct cost sections_end(void);

/* The points of all curves for which this machine has the processors, a line each. */
bool measure_curves(long cpus, char **names);

/* Whether a row or curve is among those that are named, by patterns; all are if none is. */
bool wanted(const char *name, char **names);

/* Commands for a tool to watch. */
void work(uint64_t instructions);
void sleep_each_ms(long times);

/* Runs a command and says how many instructions this CPU executed: "counted <number>". */
bool count_command(char **argv);

#endif /* PMCGRP_BENCH_H */
