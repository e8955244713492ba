/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of top. */
#ifndef TOP_OPTIONS_H
#define TOP_OPTIONS_H

#include "stat/stat_options.h"
#include "view.h"

enum top_colour {
	TOP_COLOUR_AUTO,
	TOP_COLOUR_NEVER,
	TOP_COLOUR_ALWAYS,
};

struct top_options {
	int delay;		/* ms between refreshes */
	int iterations;		/* 0: until q */
	enum top_by by;
	bool matrix;
	const char *sort;	/* NULL: as the view has it */
	bool reverse;
	int lines;		/* 0: no limit */
	const char *filter;	/* NULL: none */
	const char *cgroup;	/* NULL: none */
	int pages;		/* of each ring */
	enum top_colour colour;
	bool json;
	bool batch;
};

/* What --help prints. */
extern const char top_help[];

/*
 * top_options_parse - understand argv
 * @stat: events, targets, and what to count with, as stat has them
 *
 * Returns 1 if top shall run, else the negative of the exit status to end with.
 */
int top_options_parse(struct top_options *options, struct stat_options *stat, int argc,
		      char **argv);

/*
 * top_options_refuse_by - why rows of this kind cannot be with these targets; NULL: they can
 *
 * The same for keys that ask for them.
 */
const char *top_options_refuse_by(const struct top_options *options,
				  const struct stat_options *stat, enum top_by by);

#endif
