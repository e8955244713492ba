// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors for reading only (uapi/linux/pmcgrp.h, DOC: Descriptors for reading only).
 *
 * A reader is a file without FMODE_WRITE, and holds the file of its group or member.  What it may
 * do is done by that one's file operations.  So the VFS knows its rights: no mapping of it can be
 * written to, or be made so.
 */
#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "abi/abi.h"
#include "group/group.h"
#include "sample/ring_map.h"

/**
 * struct reader - a descriptor for reading only
 * @of: the file that it reads, a reference.  Constant.
 * @group: the group of @of; NULL of a member's.  Constant.
 * @seen: the wake-ups of rings that poll() has reported; pmcgrp_ring_buffers.mutex
 */
struct reader {
	struct file *of;
	const struct pmcgrp_group *group;
	int seen;
};

#define REFUSAL(cmd, type)               \
	{                                \
		cmd, offsetof(type, why) \
	}

/* Where an ioctl that is refused says why. */
static const struct {
	unsigned int cmd;
	unsigned int why;
} refusal[] = {
	REFUSAL(PMCGRP_IOC_CREATE, struct pmcgrp_create),
	REFUSAL(PMCGRP_IOC_ADD, struct pmcgrp_add),
	REFUSAL(PMCGRP_IOC_RING, struct pmcgrp_ring_setup),
	REFUSAL(PMCGRP_IOC_TRIGGER, struct pmcgrp_trigger_add),
	REFUSAL(PMCGRP_IOC_KEYS, struct pmcgrp_keys),
	REFUSAL(PMCGRP_IOC_SPAN, struct pmcgrp_span_add),
};

/**
 * pmcgrp_read_only_refuse - refuse an ioctl on a descriptor that is open for reading only
 * @cmd: the command
 * @arg: its argument
 *
 * Context: may sleep.
 * Return: -EBADF, as for a write(); -EFAULT if there is no place for the reason; -ENOTTY if there
 * is no such command.
 */
long pmcgrp_read_only_refuse(unsigned int cmd, unsigned long arg)
{
	unsigned int i;
	u32 size;

	for (i = 0; i < ARRAY_SIZE(refusal); i++) {
		if (cmd != refusal[i].cmd)
			continue;
		if (get_user(size, (u32 __user *)arg))
			return -EFAULT;
		/* Else it is none of these structs. */
		if (size >= refusal[i].why + sizeof(u32) &&
		    put_user(PMCGRP_WHY_READ_ONLY, (u32 __user *)(arg + refusal[i].why)))
			return -EFAULT;
		return -EBADF;
	}
	switch (cmd) {
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
	case PERF_EVENT_IOC_RESET:
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
	case PMCGRP_IOC_SAMPLE:
	case PMCGRP_IOC_KEYS_FLUSH:
	case PMCGRP_IOC_READER:
		return -EBADF;
	default:
		return -ENOTTY;
	}
}

static ssize_t reader_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	const struct reader *reader = file->private_data;

	return reader->of->f_op->read(reader->of, buf, count, pos);
}

static long reader_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct reader *reader = file->private_data;

	switch (cmd) {
	case PERF_EVENT_IOC_ID:
	case PMCGRP_IOC_INFO:
	case PMCGRP_IOC_READ_CPUS:
		return reader->of->f_op->unlocked_ioctl(reader->of, cmd, arg);
	default:
		return pmcgrp_read_only_refuse(cmd, arg);
	}
}

static int reader_mmap(struct file *file, struct vm_area_struct *vma)
{
	const struct reader *reader = file->private_data;

	if (!reader->group)
		return -ENODEV;
	if (vma->vm_pgoff == PMCGRP_USER_PAGE_OFFSET >> PAGE_SHIFT)
		return -EACCES;
	return reader->of->f_op->mmap(reader->of, vma);
}

static __poll_t reader_poll(struct file *file, poll_table *wait)
{
	struct reader *reader = file->private_data;
	struct pmcgrp_ring_buffers *rings;

	/* A member has no ring. */
	if (!reader->group)
		return EPOLLHUP;
	rings = pmcgrp_group_rings(reader->group);
	return rings ? pmcgrp_rings_poll(rings, file, wait, &reader->seen) : EPOLLHUP;
}

static int reader_release(struct inode *inode, struct file *file)
{
	struct reader *reader = file->private_data;

	fput(reader->of);
	kfree(reader);
	return 0;
}

static const struct file_operations reader_fops = {
	.owner = THIS_MODULE,
	.read = reader_read,
	.unlocked_ioctl = reader_ioctl,
	.compat_ioctl = pmcgrp_compat_ioctl,
	.mmap = reader_mmap,
	.poll = reader_poll,
	.release = reader_release,
	.llseek = noop_llseek,
};

/* The file that a descriptor for reading only stands for, which lasts as long as it; or NULL. */
struct file *pmcgrp_read_only_of(const struct file *file)
{
	const struct reader *reader = file->private_data;

	return file->f_op == &reader_fops ? reader->of : NULL;
}

/* PMCGRP_IOC_READER.  @of: file of a group or member; @group: the group, or NULL. */
long pmcgrp_read_only_open(struct file *of, const struct pmcgrp_group *group, unsigned long flags)
{
	struct reader *reader;
	int fd;

	if (flags)
		return -EINVAL;
	reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return -ENOMEM;
	reader->of = get_file(of);
	reader->group = group;
	fd = anon_inode_getfd("[pmcgrp-reader]", &reader_fops, reader, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fput(of);
		kfree(reader);
	}
	return fd;
}
