/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* span --record: each span with what it has counted, in a perf.data file (perfdata/spans.h). */
#ifndef SPAN_RECORDING_H
#define SPAN_RECORDING_H

#include "record/record_run.h"

struct span_options;

/*
 * struct span_recording - a recording whose groups are span's own
 * @run: of record, which does all that has nothing to do with spans
 * @names: of the spans, as events of the file
 */
struct span_recording {
	struct record_run run;
	char (*names)[PMCGRP_SECTION_NAME_MAX];
};

/*
 * Each returns 0, or EXIT_TOOL after an error that was reported; span_recording_free() in any case.
 */

/* span_recording_init - @argv: of span, for the file */
int span_recording_init(struct span_recording *recording, const struct span_options *options,
			int argc, char **argv);

/*
 * span_recording_groups - give groups rings, before they have spans
 * @set: whose only group, and those for further targets, they are
 */
int span_recording_groups(struct span_recording *recording, struct pmcgrp *h,
			  const struct counter_set *set);

/* span_recording_spec - let a span be recorded; @name: the same for each group; @i: of @function */
void span_recording_spec(struct span_recording *recording, struct pmcgrp_span_spec *spec,
			 unsigned int group, unsigned int function, const char *name);

/* span_recording_open - maps the rings and begins the file, with all spans; @child: or 0 */
int span_recording_open(struct span_recording *recording, const struct counter_set *set,
			pid_t child);

/* span_recording_end - completes the file, and says what is missing in it */
int span_recording_end(struct span_recording *recording);

void span_recording_free(struct span_recording *recording);

#endif
