/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* perf's --control: commands that come by a descriptor while something is counted or recorded. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "args/option.h"

#define CONTROL_LINE_MAX 256

struct control {
	bool open;		/* zeroed: it is not, and nothing comes */
	bool own;		/* of FIFOs: to be closed */
	bool ended;		/* its writers have gone */
	int fd;
	int ack;		/* -1: nobody waits for it */
	size_t len;
	char line[CONTROL_LINE_MAX];
	char argument[CONTROL_LINE_MAX];
};

enum control_command {
	CONTROL_NONE,		/* no more for now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_EVLIST,
	CONTROL_SNAPSHOT,
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_UNKNOWN,	/* was reported; not to be answered */
};

/*
 * control_take - take the argument of --control: fd:CTL[,ACK] or fifo:CTL[,ACK]
 *
 * Opens nothing. Returns 1, or -EXIT_TOOL after an error that was reported.
 */
int control_take(void *control, const char *text);

#define OPTION_CONTROL(s) OPTION_ARGUMENT("control", 0, s, control, control_take)

/* control_open - the same, and opens it; returns 0, or EXIT_TOOL after an error that was reported */
int control_open(struct control *control, const char *text);

/* What to poll for POLLIN; -1: nothing, or nothing any more. */
int control_fd(const struct control *control);

/*
 * control_read - the next command, without waiting for one
 *
 * To be called until it returns CONTROL_NONE, for one read may bring several. What follows
 * the word is in control->argument, "" if nothing does. As with perf a command ends with a
 * newline, a zero byte, or what has been written.
 */
enum control_command control_read(struct control *control);

/* control_ack - says that the command is carried out, to who wants to know */
void control_ack(const struct control *control);

void control_close(struct control *control);

#endif
