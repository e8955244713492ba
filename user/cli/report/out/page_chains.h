/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The call chains of a page, as JSON in it. */
#ifndef REPORT_PAGE_CHAINS_H
#define REPORT_PAGE_CHAINS_H

#include <stdio.h>

#include "report/data/summary.h"

#define REP_PAGE_SMALL 0.0001	/* of each member, and of the samples */

/*
 * rep_page_chains - an object in which no tag can begin, with
 *	names: texts
 *	depth, name, kind: of each function of the tree, in preorder; the root's depth is 0; the name
 *		is an index; kind: 0: a name of a thread and the like, 1: user space, 2: the kernel
 *	members: objects of name, clock (its counts are ns), self: what each function has counted
 *		without its callees; behind the group's members the samples
 *	ratios: objects of name, unit, event, of (members), scale
 *	small, merged: what is below this part of every member is merged to "[small]", so many functions
 *	notes: what is to be said of them
 * @small: REP_PAGE_SMALL
 *
 * Returns 0, or -ENOMEM.
 */
int rep_page_chains(FILE *file, const struct rep_summary *summary, double small);

#endif
