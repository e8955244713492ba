/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of stat. */
#ifndef STAT_OPTIONS_H
#define STAT_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

struct stat_options {
	const char **events;	/* the arguments of -e, in order */
	unsigned int nr_events;
	pid_t pid;		/* 0: none given */
	int cpu;		/* -1: none given */
	unsigned int repeat;
	bool csv;
	const char *separator;
	bool json;
	const char *output;	/* NULL: stderr */
	bool append;
	bool big_num;
	bool perf;		/* --perf */
	bool fallback;
	bool verbose;
	char **command;		/* ends with NULL; NULL: none given */
};

/*
 * stat_options_parse - understand argv
 *
 * Returns 1 if stat shall run, else the negative of the exit status to end with:
 * 0 after --help, -EXIT_TOOL after an error that was reported.
 */
int stat_options_parse(struct stat_options *options, int argc, char **argv);

void stat_options_free(struct stat_options *options);

#endif
