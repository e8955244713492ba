/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of report. */
#ifndef REP_OPTIONS_H
#define REP_OPTIONS_H

#include "report/data/rep_data.h"

#define REP_COLUMNS_SVG 1000
#define REP_COLUMNS_HTML 4000
#define REP_COLUMNS_MAX 100000

struct rep_options {
	const char *input;
	struct rep_filter filter;
	const char **ratios;	/* the arguments of --ratio, in order */
	unsigned int nr_ratios;
	const char **between;	/* those of --between */
	unsigned int nr_between;
	const char *separator;	/* of CSV; NULL: none */
	bool json;
	bool folded;		/* stacks, one a line */
	const char *member;	/* of --folded; NULL: the first */
	const char *output;	/* NULL: stdout */
	const char *svg;
	const char *html;
	const char *flame;
	const char *perfetto;
	unsigned int columns;	/* 0: as many as suit the picture */
};

/*
 * rep_options_parse - understand argv
 *
 * Returns 1 if report shall run, else the negative of the exit status to end with:
 * 0 after --help, -EXIT_TOOL after an error that was reported.
 */
int rep_options_parse(struct rep_options *options, int argc, char **argv);

/* What --help prints. */
extern const char rep_help[];

void rep_options_free(struct rep_options *options);

#endif
