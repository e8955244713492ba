/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* --switch-output-event: an event on which another file begins. */
#ifndef RECORD_TURN_EVENT_H
#define RECORD_TURN_EVENT_H

#include <stdbool.h>
#include <sys/types.h>

struct record_run;

/* record_turn_event_init - from its name; returns 0, or EXIT_TOOL after an error that was reported */
int record_turn_event_init(struct record_run *r);

/*
 * record_turn_event_open - begin to wait for it, of those that are recorded
 * @child: the command, or 0: others are recorded
 *
 * Returns as record_turn_event_init().
 */
int record_turn_event_open(struct record_run *r, pid_t child);

/* Whether it has come since the last time, however often. */
bool record_turn_event_came(struct record_run *r);

/* Whether a descriptor is one of the event's. */
bool record_turn_event_has(const struct record_run *r, int fd);

#endif
