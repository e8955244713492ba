/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* From an event as it was written to the events that it stands for. */
#ifndef PMCGRP_EVENT_CODES_H
#define PMCGRP_EVENT_CODES_H

#include "event_code.h"

/**
 * struct event_codes - what a name stands for
 * @shown: a name of its own for each, or NULL: that which was written
 *
 * A name may stand for an event of each of several PMUs, and a glob for several tracepoints.
 */
struct event_codes {
	struct event_code *at;
	char **shown;
	size_t nr;
};

/*
 * event_resolve - look up an event
 * @flags: PMCGRP_EVENTS_*
 *
 * Return: 0, then there is at least one, and event_codes_free() frees them; -EINVAL with @error
 * filled in; or -ENOMEM.
 */
int event_resolve(struct event_machine *machine, const struct event_node *node, unsigned int flags,
		  struct event_codes *codes, struct pmcgrp_events_error *error);

void event_codes_free(struct event_codes *codes);

#endif
