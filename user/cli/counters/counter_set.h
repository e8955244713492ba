/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The events that stat counts, in groups, and what they came to. */
#ifndef COUNTER_SET_H
#define COUNTER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggr.h"
#include "pmcgrp.h"
#include "say/stats.h"

/* One event of the command line. */
struct counter {
	char *name;			/* as shown, with modifiers */
	struct perf_event_attr *attr;	/* attr->size bytes */
	unsigned int group;		/* index of its group */
	bool supported;
	char *unit;			/* of its counts times @scale; or "" */
	double scale;
	bool snapshot;			/* its value is a state, and no count */
	bool per_pkg;			/* one CPU of each package counts all of it */
	unsigned int sum;		/* index of the counter whose row it is added to, or its own */
	unsigned int first_box;		/* index of the first of those that its name stands for */
	unsigned int nr_boxes;		/* how many are added to this one; 0: it has no row */
	char *planned;			/* why it is never on the PMU (set_plan.h); or NULL */
	/* Of an event of an uncore PMU, else NULL (uncore.h). */
	char *pmu;
	struct pmcgrp_cpus *cpus;	/* those that count it */
	struct pmcgrp_cpus *skipped;	/* those of them that are not added */
	unsigned short *moved_to;	/* by CPU: who counts for it now, + 1; 0: itself; NULL: all do */
};

/* What a read gives of an event. Times in ns. */
struct reading {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* What an event has come to on one line of the output. */
struct counts {
	/* Over the runs, or of the last interval alone. */
	struct stats value;		/* scaled; only of runs in which it was counted */
	struct stats enabled;
	struct stats running;
	struct reading now;		/* sum over the line's CPUs */
	struct reading before;		/* the same, of the read before */
	struct reading box;		/* the last one, until it is added to the sum of the boxes */
	bool fresh;			/* it is not added yet */
	unsigned int nr;		/* how many counts @now is the sum of: of CPUs, or of tasks */
	bool seen;			/* there was a CPU of the line to be read */
	bool waited;			/* was ever enabled */
	bool ran;			/* was ever on the PMU */
	char *reason;			/* why it is not counted, if that was asked and is known */
};

struct counter_group {
	unsigned int first;		/* its counters: first to first + nr - 1 */
	unsigned int nr;
	bool pinned;
	bool weak;			/* it may be broken up if it does not fit */
	bool failed;			/* pinned, and could not be put on the PMU */
	unsigned int pass;		/* in which it is counted: set_plan_passes() */
	enum pmcgrp_why why;		/* behind the last reason of its counters */
	struct pmcgrp_group *group;	/* NULL between runs, or if nothing is supported */
	struct pmcgrp_group **more;	/* the same events of the target's further tasks, or NULL */
	unsigned int nr_more;
	unsigned int counter_of[PMCGRP_MEMBERS_MAX];	/* by index of member */
	unsigned char *buf;		/* for a read */
	size_t buf_size;
};

struct counter_set {
	struct counter *counters;
	unsigned int nr;
	struct counter_group *groups;
	unsigned int nr_groups;
	struct aggr *aggr;
	struct counts *counts;		/* nr for each of nr_lines */
	unsigned int nr_lines;		/* those of aggr that have counts */
	uint64_t blocked_by;		/* the group that was asked for last, to explain; or 0 */
	char holder[200];		/* and whose it is */
	unsigned int pass;		/* whose groups counter_set_open() makes */
	bool unscaled;			/* values of shared counters stay as they are */
	const unsigned int *line_of;	/* the only line of each counter; or NULL; not its own */
};

/* Whom to count, and how it starts. */
struct counter_target {
	enum pmcgrp_target_type type;
	int id;				/* thread, process, or descriptor of a cgroup */
	const int *more;		/* further ones: added up, or each a line of AGGR_THREAD */
	unsigned int nr_more;
	bool may_end;			/* one of these that has gone is left out */
	struct pmcgrp_cpus cpus;
	uint64_t flags;			/* PMCGRP_CREATE_* beside those of the events */
	uint64_t read_format;		/* PERF_FORMAT_*; 0: the library's choice */
};

static inline bool counter_target_is_cpus(const struct counter_target *target)
{
	return target->type == PMCGRP_TARGET_CPUS || target->type == PMCGRP_TARGET_ALL_CPUS;
}

/*
 * counter_set_init - counters for a list of events
 * @aggr: the lines; not the set's, and to live as long. The set has room for the
 *	counts on those that it has; further ones come with counter_set_read().
 *
 * Returns 0 or -ENOMEM.
 */
int counter_set_init(struct counter_set *set, const struct pmcgrp_events *events,
		     struct aggr *aggr);

void counter_set_free(struct counter_set *set);

/*
 * Called for each event that turns out to be unsupported, with the reason, or to be counted
 * otherwise than asked for (@counter->supported), with a sentence that says how.
 */
typedef void (*counter_note_fn)(const struct counter *counter, const char *why);

/*
 * counter_set_open - make the groups of set->pass, disabled
 *
 * An event that the machine lacks leaves its group and is marked unsupported;
 * the others stay. A weak group that does not fit becomes several. Any other failure undoes everything, and pmcgrp_strerror(h)
 * says why. Returns 0 or a negative errno.
 */
int counter_set_open(struct counter_set *set, struct pmcgrp *h,
		     const struct counter_target *target, counter_note_fn note);

int counter_set_enable(struct counter_set *set);
int counter_set_enable_uncore(struct counter_set *set);	/* the groups that execve() cannot enable */
int counter_set_disable(struct counter_set *set);

/*
 * counter_set_control - enable or disable the groups that have an event of this name
 *
 * Each as a whole. Returns how many there are, or a negative errno.
 */
int counter_set_control(struct counter_set *set, const char *name, bool enable);

/*
 * counter_set_read - add what was counted since the last read to the statistics
 *
 * One read for each group. Returns 0 or a negative errno.
 */
int counter_set_read(struct counter_set *set);

/*
 * The same with what others have read: counter_set_add() with each group's values on each CPU, between
 * counter_set_begin() and counter_set_end(). One that is left out has counted nothing more.
 *
 * counter_set_add() returns 0 or a negative errno.
 */
void counter_set_begin(struct counter_set *set);
int counter_set_add(struct counter_set *set, unsigned int group, int cpu,
		    const struct pmcgrp_view *view);
void counter_set_end(struct counter_set *set);

/* counter_set_add_key - the same with what a key of a group has come to, on a line */
void counter_set_add_key(struct counter_set *set, unsigned int group, unsigned int line,
			 const struct pmcgrp_key_counts *key);

/* counter_group_fetch - read into what each line has now. Returns 0 or a negative errno. */
int counter_group_fetch(struct counter_set *set, struct counter_group *group);

/*
 * counter_set_explain - ask why counters have nothing to show
 * @fetch: read first; without, the last counter_set_read() says which these are
 *
 * To be asked while the groups are enabled: then it is known of each CPU. The reasons
 * go to the counts; with perf_event_open(2) they follow from the times alone. Returns 0 or a
 * negative errno.
 */
int counter_set_explain(struct counter_set *set, struct pmcgrp *h, bool fetch);

/*
 * counter_set_explain_lines - the same of lines that are named, after counter_set_end()
 * @idle: the reason of a line of which nothing has run
 */
int counter_set_explain_lines(struct counter_set *set, struct pmcgrp *h, const char *idle);

/* Forgets the statistics, as a new interval begins. */
void counter_set_clear(struct counter_set *set);

/* Makes room for the counts on lines that the aggregation has found. Returns 0 or -ENOMEM. */
int counter_lines_grow(struct counter_set *set);

/* What an event has come to on a line. */
static inline struct counts *counter_counts(const struct counter_set *set, unsigned int line,
					    unsigned int counter)
{
	return &set->counts[(size_t)line * set->nr + counter];
}

/*
 * counts_take - add a reading whose value is scaled already
 *
 * A run in which it never ran says nothing about the value, and least of all that it was 0.
 */
void counts_take(struct counts *counts, struct reading reading, double value);

/*
 * counts_update - add a run's or interval's reading to the statistics
 *
 * Scaled to what it would have been, had the group been on the PMU all the time.
 */
void counts_update(struct counts *counts, struct reading reading);

/* The same without the scaling. */
void counts_update_unscaled(struct counts *counts, struct reading reading);

/* Makes the statistics those of all that was counted since the groups were made. */
void counter_set_total(struct counter_set *set);

/* Ends the groups; the counters and their statistics stay. */
void counter_set_close(struct counter_set *set);

/* How many of the counters the machine supports. */
unsigned int counter_set_supported(const struct counter_set *set);

/* Whether there is a value to show. */
static inline bool counts_counted(const struct counts *counts)
{
	return counts->value.n > 0;
}

/* The time it was on the PMU, as a percentage of the time that it should have been. */
double counts_running_percent(const struct counts *counts);

/*
 * Whether the group should have counted, and was never on the PMU: it does not
 * fit, or others hold the counters.
 */
bool counter_group_starved(const struct counter_set *set, unsigned int group);

/* The part of the time that it should have been on the PMU for which it was. 0: it should not. */
double counter_group_share(const struct counter_set *set, unsigned int group);

/* Whether it is this event, whatever the modifiers. */
static inline bool counter_is(const struct counter *counter, uint32_t type, uint64_t config)
{
	return counter->attr->type == type && counter->attr->config == config;
}

/* Whether its values are ns, to be shown in ms. */
static inline bool counter_is_clock(const struct counter *counter)
{
	return counter_is(counter, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK) ||
	       counter_is(counter, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

#endif
