/* SPDX-License-Identifier: GPL-2.0-only */
/* Count pages (struct perf_event_mmap_page) of members of groups with a leader. */
#ifndef PMCGRP_COUNT_PAGE_H
#define PMCGRP_COUNT_PAGE_H

#include <linux/completion.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "sample/user_read.h"

struct pmcgrp_evlist_hooks;
struct pmcgrp_group;
struct pmcgrp_member_fd;
struct vm_area_struct;

/**
 * struct pmcgrp_count_pages - what the count pages of a group share
 * @group: the group.  Constant.
 * @clock: the clock that user space reads.  Constant.
 * @work: makes the sentry, and then writes the pages now and then
 * @watched: that has been tried; @work only
 * @ready: @work has done so
 */
struct pmcgrp_count_pages {
	struct pmcgrp_group *group;
	struct pmcgrp_user_clock clock;
	struct delayed_work work;
	bool watched;
	struct completion ready;
};

/* count_page.c */
extern const struct pmcgrp_evlist_hooks pmcgrp_count_page_hooks;

void pmcgrp_count_page_publish(struct pmcgrp_group *group);
void pmcgrp_count_page_renew_soon(void);
void pmcgrp_count_page_init(void);
void pmcgrp_count_page_exit(void);

/* count_page_map.c */
int pmcgrp_count_page_mmap(struct pmcgrp_member_fd *mfd, struct vm_area_struct *vma);
void pmcgrp_count_page_free(struct pmcgrp_member_fd *mfd);

#endif /* PMCGRP_COUNT_PAGE_H */
