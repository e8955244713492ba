/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the files of record share. */
#ifndef RECORD_RUN_H
#define RECORD_RUN_H

#include "counters/aggr.h"
#include "counters/control.h"
#include "counters/counter_set.h"
#include "counters/side.h"
#include "drain.h"
#include "event/trigger.h"
#include "files.h"
#include "record_options.h"

struct waiter;

struct record_run {
	struct record_options options;
	int argc;			/* of all of pmcgrp, for the file */
	char **argv;
	struct aggr aggr;		/* one line: of the set */
	struct counter_set set;		/* what is in a group */
	bool fell_back;			/* to software events */
	struct pmcgrp_group **groups;	/* of these: one, or one for each process or thread */
	unsigned int nr_groups;
	int ready;			/* an epoll of them */
	unsigned int nr_waited;		/* how many are in it */
	struct trigger triggers[PMCGRP_TRIGGERS_MAX];
	unsigned int nr_triggers;
	struct pmcgrp *h;
	bool of_spans;			/* by pmcgrp span --record, which has made the groups */
	struct pmcgrp_rings *rings;
	struct record_event trigger_events[PMCGRP_TRIGGERS_MAX];
	struct record_event members[PMCGRP_MEMBERS_MAX];
	uint64_t *ids;			/* of both, for each group */
	struct record_desc desc;	/* of these */
	struct record_cgroups *cgroups;	/* of --all-cgroups and -G */
	struct record_sink *sink;
	struct record_files files;
	struct side_rings side;
	struct trigger turn_trigger;	/* on which another file begins */
	struct side_rings turn_rings;	/* with its samples */
	struct record_counts counts;
	struct control control;
	int control_waited;		/* its descriptor in @ready; -1: none */
	bool commanded;			/* on or off by --control, whatever --delay says */
	bool stop;			/* by --control */
	bool dumping;			/* with --overwrite: the rings are being read */
	bool failed;			/* the file takes no more */
	int status;			/* the command's */
};

/* Each returns 0, or the exit status after a failure that was reported. */

/* The group of -e, and the triggers, from their names. */
int record_events_init(struct record_run *r);

/*
 * Software events in place of the default events, of which the machine has none. Returns EXIT_TOOL
 * without a report if the events were chosen with -e, or are those of software already.
 */
int record_events_fall_back(struct record_run *r);

/* Makes the groups with their rings and triggers, disabled; @child: the command, or 0. */
int record_groups_open(struct record_run *r, pid_t child);

/* The parts of it that spans need as well, whose groups are others'. */
int record_ring_set(const struct record_run *r, struct pmcgrp_group *group);
void record_member_init(struct record_event *member, const struct counter_set *set, unsigned int i);
int record_ready_init(struct record_run *r);
void record_desc_init(struct record_run *r, unsigned int nr_members);

/* The cgroups of --all-cgroups and -G. */
int record_cgroups_init(struct record_run *r);

void record_groups_close(struct record_run *r);

/* These return 0 or a negative errno. A thread that has ended is no failure. */
int record_groups_enable(struct record_run *r);
int record_groups_disable(struct record_run *r);
int record_groups_pause(struct record_run *r, bool paused);

/* Says why there was no sample, while the groups are still there. */
void record_say_empty(const struct record_run *r);

/* Forgets the threads that have ended, which are ready for ever; returns whether that is all. */
bool record_groups_ended(struct record_run *r);

/* Maps the rings of the groups; returns 0, or the exit status after a failure that was reported. */
int record_rings_map(struct record_run *r);

/* How many rings there may come to be. */
unsigned int record_rings_max(const struct record_run *r);

/* Whether CPUs that come online have rings as well. */
bool record_has_all_cpus(const struct record_run *r);

/* Takes commands from then on, if an option wants it. */
int record_control_open(struct record_run *r);

/* Carries out those that have come, after the rings were emptied; returns 0 or a negative errno. */
int record_commands(struct record_run *r);

/*
 * record_loop - empty the rings into the file, from when counting begins
 *
 * Until the target ends, a signal comes that is not the command's, or the time is over: true.
 */
bool record_loop(struct record_run *r, struct waiter *waiter);

/* record_finish - stop, take what is still in the rings, and say what is missing */
int record_finish(struct record_run *r);

/* Records, from start to end. */
int record_from_start(struct record_run *r);

#endif
