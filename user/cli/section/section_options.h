/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of section. */
#ifndef SECTION_OPTIONS_H
#define SECTION_OPTIONS_H

#include <stdbool.h>

/**
 * struct section_options - the command line
 * @globs: patterns of names; a section is chosen if any of them matches
 * @nr_globs: number of these; 0: all sections
 * @names: names alone, one a line
 * @histogram: pictures of the histograms, too
 * @json: JSON
 * @separator: of CSV; NULL: none
 * @interval: print what was counted every so many milliseconds; 0: once, what was counted in all
 * @interval_count: end after so many intervals; 0: no end
 */
struct section_options {
	char *const *globs;
	unsigned int nr_globs;
	bool names;
	bool histogram;
	bool json;
	const char *separator;
	int interval;
	unsigned int interval_count;
};

/* Returns 1 if section shall run, else the negative of the exit status. */
int section_options_parse(struct section_options *o, int argc, char **argv);

/* section_matches - whether any of the patterns matches a name, or there is none */
bool section_matches(const struct section_options *o, const char *name);

/* section_asks_for_one - whether the command line names one section, without a wildcard */
bool section_asks_for_one(const struct section_options *o);

extern const char section_help[];

#endif
