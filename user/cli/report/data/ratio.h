/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Ratios of two members: those that perf stat knows, and those that are asked for. */
#ifndef REPORT_RATIO_H
#define REPORT_RATIO_H

#include "rep_data.h"

struct rep_ratio {
	char *name;		/* "instructions/cycles", or what it was called */
	char *unit;		/* "insn per cycle"; "" for one that was asked for */
	unsigned int event;
	unsigned int of;
	double scale;		/* 100 for a percentage */
};

struct rep_ratios {
	struct rep_ratio *rows;
	size_t nr;
	size_t room;
	char error[200];	/* what is wrong with one, as a sentence */
};

/*
 * rep_ratios_find - every ratio of perf stat's whose two events are members of one group
 *
 * Returns 0, or -ENOMEM.
 */
int rep_ratios_find(struct rep_ratios *list, const struct rep_data *data);

/*
 * rep_ratios_add - one more, written as EVENT/EVENT or NAME=EVENT/EVENT
 *
 * Returns 0, -EINVAL with @list->error filled in, or -ENOMEM.
 */
int rep_ratios_add(struct rep_ratios *list, const struct rep_data *data, const char *text);

void rep_ratios_free(struct rep_ratios *list);

#endif
