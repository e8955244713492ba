/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* How a stream of snapshots becomes intervals; for data.c alone. */
#ifndef REPORT_STREAM_H
#define REPORT_STREAM_H

#include "data.h"

/* Whether all counts of a sample are of events that the file knows, and there are any. */
bool rep_stream_knows(const struct perfdata_reader *reader, const struct pmcgrp_view *view);

/* A stream that begins with this sample. Returns 0, or -ENOMEM. */
int rep_stream_init(struct rep_stream *stream, const struct perfdata_reader *reader,
		    const struct perfdata_sample *sample);

/* Whether a sample has the stream's members. */
bool rep_stream_fits(const struct rep_stream *stream, const struct perfdata_reader *reader,
		     const struct perfdata_sample *sample);

/*
 * rep_stream_add - the next snapshot
 * @wanted: whether the interval up to it is to be kept
 *
 * Returns 1 if there is one interval more, 0 if not, -ERANGE if there is none as
 * something went backwards (the group was reset), or -ENOMEM.
 */
int rep_stream_add(struct rep_stream *stream, const struct perfdata_sample *sample, bool wanted);

/* @comm: the name of the stream's first thread, or NULL. Returns 0, or -ENOMEM. */
int rep_stream_label(struct rep_stream *stream, const char *comm);

void rep_stream_free(struct rep_stream *stream);

#endif
