/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of top. */
#ifndef TOP_OPTIONS_H
#define TOP_OPTIONS_H

#include "stat/options.h"

struct top_options {
	int delay;		/* ms between refreshes */
	int iterations;		/* 0: until q */
};

/*
 * top_options_parse - understand argv
 * @stat: events, targets, and what to count with, as stat has them
 *
 * Returns 1 if top shall run, else the negative of the exit status to end with.
 */
int top_options_parse(struct top_options *options, struct stat_options *stat, int argc,
		      char **argv);

#endif
