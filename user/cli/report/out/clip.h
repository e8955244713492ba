/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Where the scale of values ends. A column in a hundred may lie above it if it is more than twice as
 * high as all others: one outlier would make lines of the rest that lie on the axis. page/scale.js has
 * the same rule for the columns that the page shows.
 */
#ifndef REPORT_CLIP_H
#define REPORT_CLIP_H

#include "plot.h"

struct rep_clip {
	double most;		/* of all columns */
	double top;		/* of those that are shown whole */
	unsigned int above;	/* columns that are not; 0: nothing is cut off */
	unsigned int nr;	/* columns with a value */
};

/* Returns 0, or -ENOMEM. */
int rep_clip_take(struct rep_clip *clip, const struct rep_picture *picture,
		  const struct rep_plot *plot);

/* The most of a column of any line; NAN if there is no value. */
double rep_clip_column(const struct rep_plot *plot, unsigned int column);

#endif
