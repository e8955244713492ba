/* SPDX-License-Identifier: GPL-2.0-only */
/* Count pages (struct perf_event_mmap_page) of members of groups with a leader. */
#ifndef PMCGRP_COUNT_PAGE_H
#define PMCGRP_COUNT_PAGE_H

#include <linux/completion.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "sample/user_read.h"

struct file;
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
 * @wait: wait queue of poll()
 * @end_work: while somebody polls, looks whether the task has ended
 */
struct pmcgrp_count_pages {
	struct pmcgrp_group *group;
	struct pmcgrp_user_clock clock;
	struct delayed_work work;
	bool watched;
	struct completion ready;
	wait_queue_head_t wait;
	struct delayed_work end_work;
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
__poll_t pmcgrp_count_page_poll(struct pmcgrp_member_fd *mfd, struct file *file, poll_table *wait);

#endif /* PMCGRP_COUNT_PAGE_H */
