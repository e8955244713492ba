/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef PERFDATA_READ_PIPE_H
#define PERFDATA_READ_PIPE_H

#include "reader.h"

/*
 * perfdata_pipe_read - events and features of what was written to a pipe
 *
 * Returns 0; -EINVAL for an event that is damaged; or -ENOMEM.
 */
int perfdata_pipe_read(struct perfdata_reader *reader);

/* perfdata_pipe_names - names that records tell by id, which are known by then. 0, or -ENOMEM. */
int perfdata_pipe_names(struct perfdata_reader *reader);

#endif
