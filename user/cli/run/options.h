/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Options of `pmcgrp run`. */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include <stdbool.h>

struct run_options {
	bool verbose;
	bool strict;
	const char *log;	/* a file, or NULL */
	char **command;
};

/* 1 if a command shall run, else the negative of the exit status. */
int run_options_parse(struct run_options *o, int argc, char **argv);

#endif
