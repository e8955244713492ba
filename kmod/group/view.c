// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a caller may see of others: one rule for all ioctls on the device that report groups,
 * sections or spans which are named by a number.
 *
 * CAP_SYS_ADMIN sees all.  Who has opened the device sees what was made by that descriptor, as long
 * as it has CAP_PERFMON.  The caller counts, not the descriptor: it may have been handed on, by one
 * who has more rights.  So the user who calls has to be the one who has opened it, too.  What a
 * descriptor of a group shows of that group is for whoever holds it.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/uidgid.h>
#include "group/view.h"

/**
 * pmcgrp_view_of - find what the caller may see
 * @view: out: that
 * @device: file of the device, by which it asks
 *
 * Context: may sleep.
 * Return: 0; -EACCES: nothing, or there has been nothing made by that descriptor that it might see.
 */
int pmcgrp_view_of(struct pmcgrp_group_view *view, const struct file *device)
{
	const struct pmcgrp_opener *opener = device->private_data;

	view->only = NULL;
	if (capable(CAP_SYS_ADMIN))
		return 0;
	view->only = opener;
	if (!perfmon_capable() || !uid_eq(device->f_cred->euid, current_euid()) ||
	    !atomic_read(&opener->nr_groups))
		return -EACCES;
	return 0;
}
