// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCGRP_IOC_READ_MANY: read many groups by one call.
 *
 * Groups that share an event list are read at one instant if they are neighbours: one reading of
 * the list's set is the value of each of them.  Records are collected in kernel memory, and copied
 * to user space as that is full.
 */
#include <linux/build_bug.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "abi/abi.h"
#include "group/group.h"
#include "sample/read_format.h"
#include "set/evlist.h"
#include "set/evset.h"

static_assert(sizeof(struct pmcgrp_read_many) == PMCGRP_READ_MANY_SIZE_VER0);

/* Room for a record: its size, and what read() gives. */
#define RECORD_MAX ((1 + PMCGRP_READ_WORDS_MAX) * sizeof(u64))

/* Most memory for records that are not yet copied to user space. */
#define CHUNK (16 * 1024)

/* Descriptors that are copied from user space at a time. */
#define FDS 64

/**
 * struct many - a call of PMCGRP_IOC_READ_MANY
 * @evlist: event list that @scan was read of, a reference, or NULL
 * @scan: the reading
 * @chunk: records, not yet copied to user space
 * @size: size of @chunk in bytes
 * @used: bytes in @chunk
 * @to: where they go
 * @left: bytes that are left there
 */
struct many {
	struct pmcgrp_evlist *evlist;
	struct pmcgrp_scan scan;
	u64 *chunk;
	size_t size;
	size_t used;
	char __user *to;
	size_t left;
};

static int flush(struct many *many)
{
	if (copy_to_user(many->to, many->chunk, many->used))
		return -EFAULT;
	many->to += many->used;
	many->used = 0;
	return 0;
}

/* The reading is that of another list from now on, or of none. */
static void set_list(struct many *many, struct pmcgrp_evlist *evlist)
{
	if (evlist)
		pmcgrp_evlist_get(evlist);
	if (many->evlist)
		pmcgrp_evlist_put(many->evlist);
	many->evlist = evlist;
}

/* Read a group, by the reading that was taken for its neighbour if that is possible. */
static ssize_t read_group(struct many *many, struct pmcgrp_group *group, u64 *out)
{
	size_t size = 0;

	if (group->member_values)
		return pmcgrp_read_member(&group->leader, out, SIZE_MAX);
	if (group->evlist == many->evlist) {
		size = pmcgrp_read_show(group, &many->scan, out);
		if (size)
			return size;
	}
	if (pmcgrp_read_scan(group->evlist, &many->scan)) {
		set_list(many, group->evlist);
		size = pmcgrp_read_show(group, &many->scan, out);
	} else {
		set_list(many, NULL);
	}
	return size ?: pmcgrp_read_group_words(group, out);
}

static ssize_t read_file(struct many *many, const struct file *file, u64 *out)
{
	struct pmcgrp_member_fd *mfd;

	file = pmcgrp_read_only_of(file) ?: file;
	if (file->f_op == &pmcgrp_group_fops)
		return read_group(many, file->private_data, out);
	mfd = pmcgrp_member_of_file(file);
	return mfd ? pmcgrp_read_member(mfd, out, SIZE_MAX) : -EBADF;
}

/* Add the record of one descriptor. */
static int read_one(struct many *many, int fd)
{
	ssize_t size = -EBADF;
	struct fd found;
	u64 *record;
	int err;

	if (many->used + RECORD_MAX > many->size) {
		err = flush(many);
		if (err)
			return err;
	}
	record = (void *)many->chunk + many->used;
	found = fdget(fd);
	if (fd_file(found)) {
		size = read_file(many, fd_file(found), record + 1);
		fdput(found);
	}
	if (size == -EINTR)
		return -EINTR;
	record[0] = size;
	size = sizeof(u64) + max_t(ssize_t, size, 0);
	if (many->left < size)
		return -ENOSPC;
	many->left -= size;
	many->used += size;
	return 0;
}

/* Read all descriptors. */
static int read_fds(struct many *many, struct pmcgrp_read_many *arg)
{
	s32 __user *from = u64_to_user_ptr(arg->fds);
	unsigned int n, i, done = 0;
	s32 fds[FDS];
	int err = 0;

	for (; !err && done < arg->nr; from += n) {
		n = min_t(u32, arg->nr - done, FDS);
		if (copy_from_user(fds, from, n * sizeof(*fds)))
			err = -EFAULT;
		for (i = 0; !err && i < n; i++) {
			err = read_one(many, fds[i]);
			done += !err;
		}
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	arg->nr = done;
	return flush(many) ?: err;
}

/*
 * PMCGRP_IOC_READ_MANY: a struct pmcgrp_read_many.  Takes mutexes of event lists, one after the
 * other.
 */
long pmcgrp_read_many(struct file *device, void *_arg)
{
	struct pmcgrp_read_many *arg = _arg;
	struct many *many;
	size_t size;
	int err;

	if (arg->flags || arg->__reserved || arg->buf % sizeof(u64))
		return -EINVAL;
	/* No more than what is asked for: kernels may zero all of it. */
	size = min_t(u64, arg->buf_size, CHUNK - RECORD_MAX) + RECORD_MAX;
	many = kmalloc(sizeof(*many) + size, GFP_KERNEL_ACCOUNT);
	if (!many)
		return -ENOMEM;
	many->evlist = NULL;
	many->chunk = (void *)(many + 1);
	many->size = size;
	many->used = 0;
	many->to = u64_to_user_ptr(arg->buf);
	many->left = arg->buf_size;
	err = read_fds(many, arg);
	set_list(many, NULL);
	kfree(many);
	return err;
}
