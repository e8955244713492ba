/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What is marked below the plots: a lane of as many columns as they have. */
#ifndef REPORT_LANES_H
#define REPORT_LANES_H

#include "plot.h"

enum rep_lane_kind {
	REP_LANE_TRIGGER,	/* samples of one trigger */
	REP_LANE_SWITCH,	/* samples between two threads */
	REP_LANE_LOST,		/* samples that found no room, or were not taken */
	REP_LANE_THROTTLE,	/* how often a trigger was stopped */
	REP_LANE_OFF,		/* groups that were not on the PMU */
	REP_LANE_GAP,		/* 1: no group has an interval here */
	REP_NR_LANES,
};

/* The names of the kinds in the page. */
extern const char * const rep_lane_names[REP_NR_LANES];

struct rep_lane {
	enum rep_lane_kind kind;
	const char *label;	/* the trigger; else what it is */
	uint64_t total;
	uint64_t *nr;		/* of each column */
};

struct rep_lanes {
	struct rep_lane *rows;
	unsigned int nr;
};

/*
 * rep_lanes_take - the lanes of a picture, those with something in them
 * @picture: with a range of time
 *
 * Returns 0, or -ENOMEM; rep_lanes_free() in any case.
 */
int rep_lanes_take(struct rep_lanes *lanes, const struct rep_picture *picture,
		   const struct rep_data *data);

void rep_lanes_free(struct rep_lanes *lanes);

#endif
