/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The benchmark: each row is the same work by perf_event_open(2) and by pmcgrp, in one guest
 * in which an instruction takes 2 ns of its clock (-icount shift=1), so a time is a number of
 * instructions, the same in every run.
 */
#ifndef PMCGRP_BENCH_H
#define PMCGRP_BENCH_H

#include "../pmcgrp_ring.h"
#include "../pmcgrp_mark.h"

#define NR		4		/* members, unless a row says otherwise */
#define NR_MAX		7
#define NS_PER_INSN	2

/*
 * What a row has found: of each side what the work costs beyond @base, which is the same
 * work where nothing is counted; -1: not measured.
 */
struct result {
	double perf;
	double pmcgrp;
	double base;
	double floor;		/* what no implementation can be below */
};

struct row {
	const char *name;
	const char *unit;
	const char *floor_is;	/* in words; NULL: there is none */
	int cpus;		/* as many processors must be there */
	double goal;		/* pmcgrp / perf, or less; 0: none */
	bool (*measure)(struct result *result);
};

extern const struct row read_rows[], direct_rows[], open_rows[], switch_rows[], sample_rows[],
	turn_rows[];

extern int dev;			/* the device */
extern struct perf_event_attr members[2][NR_MAX];	/* two sets without a common event */

/* Instructions since a now_ns() on a machine of one processor, or of which others are idle. */
static inline double insns_since(uint64_t start)
{
	return (double)(now_ns() - start) / NS_PER_INSN;
}

/* The instructions of one turn of a loop over some statement. */
#define PER_TURN(turns, statement)			\
({							\
	const long turns_ = (turns);			\
	uint64_t start_ = now_ns();			\
	long turn_;					\
							\
	for (turn_ = 0; turn_ < turns_; turn_++)	\
		statement;				\
	insns_since(start_) / turns_;			\
})

/* Whom a group of perf's or pmcgrp's counts, and how. */
struct whom {
	pid_t pid;		/* 0: the caller; -1: whatever runs on cpu */
	int cpu;
	bool inherit;
	bool disabled;
};

/* A group of perf's: fd[0] leads. */
struct perf_group {
	int fd[NR_MAX];
	unsigned int nr;
};

/*
 * Each opens a group of the first @nr of a set; false: it could not, which is said. perf's
 * has the read_format FORMAT, pmcgrp's too.
 */
bool perf_group_open(struct perf_group *group, const struct perf_event_attr *attr,
		     unsigned int nr, const struct whom *whom);
void perf_group_close(struct perf_group *group);
int group_open(const struct perf_event_attr *attr, unsigned int nr, const struct whom *whom);

/* Two tasks on one CPU that hand a byte to and fro: this one and a child. */
struct pair {
	pid_t child;
	int to, from;
};

bool pair_start(struct pair *p);
void pair_end(struct pair *p);
double cost_of_switch(struct pair *p);	/* -1: it failed */

/* A child that sleeps until end_child(). */
pid_t sleeper(void);

/* The points of all curves for which this machine has the processors, a line each. */
bool measure_curves(long cpus);

/* Commands for a tool to watch. */
void work(uint64_t instructions);
void sleep_each_ms(long times);

/* Runs a command and says how many instructions this CPU executed: "counted <number>". */
bool count_command(char **argv);

/* Says why a row cannot be measured: false. */
#define cannot(format, ...)	(fprintf(stderr, format "\n", ##__VA_ARGS__), false)

#endif /* PMCGRP_BENCH_H */
