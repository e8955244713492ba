/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Arguments of options, as several commands take them. */
#ifndef ARGS_H
#define ARGS_H

#include <stdbool.h>

#include "pmcgrp.h"

/* Each returns 1, or -EXIT_TOOL after an error that was reported. */

/* args_wrong - reports an error; returns -EXIT_TOOL */
int args_wrong(const char *text);

/* args_number - a number for an option, from @min to @max (0: any); @what says what it is */
int args_number(int *value, const char *text, const char *option, const char *what, int min, int max);

/* Pages of a ring: by default, and at most, so that bytes can be said in 32 bits. */
#define ARGS_PAGES 128
#define ARGS_PAGES_MAX (1 << 15)

/* args_take_pages - pages of a ring, an int, after -m */
int args_take_pages(void *pages, const char *text);

/* args_take_separator - that of CSV, a string, after -x: any text, or \t */
int args_take_separator(void *separator, const char *text);

/* args_append - one string more in a list, which is for free() */
int args_append(const char ***list, unsigned int *nr, const char *text);

/* Numbers of processes or threads. */
struct args_ids {
	int *id;	/* for free() */
	unsigned int nr;
};

/* args_ids - the numbers after -p or -t, separated by commas: more of them */
int args_ids(struct args_ids *ids, const char *list, const char *option);

/* args_cpus - the list after -C; @has_cpus: whether it was one */
int args_cpus(struct pmcgrp_cpus *cpus, bool *has_cpus, const char *list);

/*
 * args_choice_wrong - an option's value is none of its names, which commas separate
 *
 * Says which there are, and which is close.  Returns -EXIT_TOOL.
 */
int args_choice_wrong(const char *option, const char *names, const char *value);

#endif
