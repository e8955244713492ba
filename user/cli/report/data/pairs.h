/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which two triggers are the entry and the return of a function: by their names, or as asked for. */
#ifndef REPORT_PAIRS_H
#define REPORT_PAIRS_H

#include "perfdata/reader.h"

/* Events of the file, by their indices. */
struct rep_pair {
	unsigned int entry;
	unsigned int ret;
};

/* All zero at first. */
struct rep_pairs {
	struct rep_pair *rows;
	size_t nr;
	size_t room;
	char error[200];	/* what is wrong with one, as a sentence */
};

/*
 * rep_pairs_find - kprobe:F and kretprobe:F, uprobe:F and uretprobe:F, F and F__return, as
 *	perf-probe(1) has them, sys_enter and sys_exit
 *
 * Returns 0, or -ENOMEM.
 */
int rep_pairs_find(struct rep_pairs *pairs, const struct perfdata_reader *reader);

/*
 * rep_pairs_add - one more, written as ENTRY,RETURN
 *
 * Returns 0, -EINVAL with @pairs->error filled in, or -ENOMEM.
 */
int rep_pairs_add(struct rep_pairs *pairs, const struct perfdata_reader *reader, const char *text);

void rep_pairs_free(struct rep_pairs *pairs);

#endif
