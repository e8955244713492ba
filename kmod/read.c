// SPDX-License-Identifier: GPL-2.0-only
/*
 * read(): a group in perf's read_format, byte for byte as perf_event_open(2)
 * documents it and kernel/events/core.c (perf_read_group(), perf_read_one())
 * writes it.
 */
#include <linux/mutex.h>
#include <linux/uaccess.h>
#include "group.h"
#include "read.h"

/* nr, time_enabled, time_running, and { value, id, lost } for each member */
#define READ_WORDS_MAX	(3 + 3 * PMCGRP_MEMBERS_MAX)

static unsigned int put_times(u64 *out, const struct pmcgrp_group *group)
{
	unsigned int n = 0;

	if (group->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		out[n++] = group->snap.enabled;
	if (group->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		out[n++] = group->snap.running;
	return n;
}

static u64 member_count(const struct pmcgrp_group *group, unsigned int i)
{
	const struct pmcgrp_member_state *member = &group->member[i];

	return group->snap.count[member->event] - member->offset;
}

static unsigned int put_id_lost(u64 *out, const struct pmcgrp_group *group, unsigned int i)
{
	unsigned int n = 0;

	if (group->read_format & PERF_FORMAT_ID)
		out[n++] = group->member[i].id;
	if (group->read_format & PERF_FORMAT_LOST)
		out[n++] = 0;	/* members take no samples, so none are lost */
	return n;
}

static unsigned int put_group(u64 *out, const struct pmcgrp_group *group)
{
	unsigned int i, n = 0;

	out[n++] = group->nr;
	n += put_times(out + n, group);
	for (i = 0; i < group->nr; i++) {
		out[n++] = member_count(group, i);
		n += put_id_lost(out + n, group, i);
	}
	return n;
}

static unsigned int put_one(u64 *out, const struct pmcgrp_group *group)
{
	unsigned int n = 0;

	out[n++] = member_count(group, 0);
	n += put_times(out + n, group);
	n += put_id_lost(out + n, group, 0);
	return n;
}

static size_t read_size(const struct pmcgrp_group *group)
{
	unsigned int each = 1, n = 0;

	if (group->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		n++;
	if (group->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		n++;
	if (group->read_format & PERF_FORMAT_ID)
		each++;
	if (group->read_format & PERF_FORMAT_LOST)
		each++;
	if (group->read_format & PERF_FORMAT_GROUP)
		n += 1 + each * group->nr;
	else
		n += each;
	return n * sizeof(u64);
}

/**
 * pmcgrp_group_read - read() of a group
 * @group: the group; takes its mutex
 * @buf: user space's buffer
 * @count: its size in bytes
 *
 * Context: may sleep.
 * Return: the bytes written; 0 for a pinned group in error; -ENOSPC if @count is
 * too small (the counts go on), -EFAULT.
 */
ssize_t pmcgrp_group_read(struct pmcgrp_group *group, char __user *buf, size_t count)
{
	u64 out[READ_WORDS_MAX];
	size_t size = read_size(group);
	unsigned int n;

	if (READ_ONCE(group->ride->error))
		return 0;
	if (count < size)
		return -ENOSPC;

	mutex_lock(&group->mutex);
	pmcgrp_group_refresh(group);
	if (group->read_format & PERF_FORMAT_GROUP)
		n = put_group(out, group);
	else
		n = put_one(out, group);
	mutex_unlock(&group->mutex);

	if (WARN_ON_ONCE(n * sizeof(u64) != size))
		return -EIO;
	return copy_to_user(buf, out, size) ? -EFAULT : size;
}
