/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What was lost or missed, and for how long triggers were stopped. */
#ifndef REPORT_LOSSES_H
#define REPORT_LOSSES_H

#include "map.h"
#include "perfdata/reader.h"

struct rep_data;
struct rep_stop;

/* Which triggers are stopped now. All zero at first. */
struct rep_losses {
	struct rep_stop *stops;
	size_t nr;
	size_t room;
	struct rep_map map;
};

/*
 * rep_losses_take - a PERF_RECORD_LOST, _LOST_SAMPLES, _THROTTLE or _UNTHROTTLE
 *
 * Returns 0, or -ENOMEM.
 */
int rep_losses_take(struct rep_losses *losses, struct rep_data *data,
		    const struct perfdata_record *record);

/* What is stopped still goes on to be so until @time, the last record's. */
void rep_losses_end(struct rep_losses *losses, struct rep_data *data, uint64_t time);

void rep_losses_free(struct rep_losses *losses);

#endif
