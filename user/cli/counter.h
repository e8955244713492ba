/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The events that stat counts, in groups, and what they came to. */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event_list.h"
#include "pmcgrp.h"
#include "stats.h"

/* One event of the command line. */
struct counter {
	char *name;			/* as shown, with modifiers */
	struct perf_event_attr attr;
	unsigned int group;		/* index of its group */
	bool supported;
	/* Over the runs. Times in ns. */
	struct stats value;		/* scaled; only of runs in which it was counted */
	struct stats enabled;
	struct stats running;
};

struct counter_group {
	unsigned int first;		/* its counters: first to first + nr - 1 */
	unsigned int nr;
	bool pinned;
	bool failed;			/* pinned, and could not be put on the PMU */
	struct pmcgrp_group *group;	/* NULL between runs, or if nothing is supported */
	unsigned int counter_of[PMCGRP_MEMBERS_MAX];	/* by index of member */
};

struct counter_set {
	struct counter *counters;
	unsigned int nr;
	struct counter_group *groups;
	unsigned int nr_groups;
};

/* Whom to count, and how it starts. */
struct counter_target {
	bool by_cpu;
	int id;				/* thread, or CPU */
	bool enable_on_exec;
};

/*
 * counter_set_init - counters for a list of events, names looked up
 *
 * Returns 0, or a negative errno: -ENOENT with @error filled in and @bad the
 * index of the item whose name is not known, or -ENOMEM.
 */
int counter_set_init(struct counter_set *set, const struct event_list *list,
		     struct event_error *error, size_t *bad);

void counter_set_free(struct counter_set *set);

/* Called for each event that turns out to be unsupported, with the reason. */
typedef void (*counter_note_fn)(const struct counter *counter, const char *why);

/*
 * counter_set_open - make the groups, disabled
 *
 * An event that the machine lacks leaves its group and is marked unsupported;
 * the others stay. Any other failure undoes everything, and pmcgrp_strerror(h)
 * says why. Returns 0 or a negative errno.
 */
int counter_set_open(struct counter_set *set, struct pmcgrp *h,
		     const struct counter_target *target, counter_note_fn note);

int counter_set_enable(struct counter_set *set);
int counter_set_disable(struct counter_set *set);

/* Adds this run's values to the statistics. Returns 0 or a negative errno. */
int counter_set_read(struct counter_set *set);

/*
 * counter_update - add a run's value to the statistics
 *
 * Scaled to what it would have been, had the group been on the PMU all the time.
 */
void counter_update(struct counter *counter, uint64_t value, uint64_t enabled, uint64_t running);

/* Ends the groups; the counters and their statistics stay. */
void counter_set_close(struct counter_set *set);

/* How many of the counters the machine supports. */
unsigned int counter_set_supported(const struct counter_set *set);

/* Whether there is a value to show. */
bool counter_counted(const struct counter *counter);

/* The time it was on the PMU, as a percentage of the time that it should have been. */
double counter_running_percent(const struct counter *counter);

/*
 * Whether the group should have counted, and was never on the PMU: it does not
 * fit, or others hold the counters.
 */
bool counter_group_starved(const struct counter_set *set, unsigned int group);

/* Whether it is this event, whatever the modifiers. */
bool counter_is(const struct counter *counter, uint32_t type, uint64_t config);

/* Whether its values are ns, to be shown in ms. */
bool counter_is_clock(const struct counter *counter);

#endif
