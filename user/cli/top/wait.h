/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What top waits for: time, keys, rings that fill, and signals. */
#ifndef TOP_WAIT_H
#define TOP_WAIT_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct top_wait {
	struct pollfd *fds;	/* the first is the keyboard, or -1 */
	unsigned int nr;
	sigset_t mask;		/* while it waits */
};

enum top_event {
	TOP_EVENT_TIME,		/* the time has come */
	TOP_EVENT_KEY,
	TOP_EVENT_RINGS,
	TOP_EVENT_SIGNAL,	/* one that does not end top: the screen is to be looked at */
	TOP_EVENT_END,		/* a signal that does, or the terminal is gone */
};

/*
 * top_wait_init - from now on signals come only while top waits
 * @keyboard: whether keys are waited for, too
 *
 * To be called before the terminal is taken over: what ncurses does about SIGTSTP, SIGCONT and
 * SIGWINCH is then done while nothing else is. Returns 0 or -ENOMEM.
 */
int top_wait_init(struct top_wait *wait, bool keyboard);
void top_wait_free(struct top_wait *wait);

/* top_wait_ring - the rings of one group more, by its descriptor; returns 0 or -ENOMEM */
int top_wait_ring(struct top_wait *wait, int fd);

/* top_wait_no_rings - none any more */
void top_wait_no_rings(struct top_wait *wait);

/* top_wait - until then, on CLOCK_MONOTONIC in ns, or the first event */
enum top_event top_wait(struct top_wait *wait, int64_t until);

#endif
