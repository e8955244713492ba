/* SPDX-License-Identifier: GPL-2.0-only */
/* What user space calls: file operations and ioctls. */
#ifndef PMCGRP_ABI_H
#define PMCGRP_ABI_H

#include <linux/bits.h>
#include <linux/fs.h>
#include <linux/time.h>
#include <linux/types.h>
#include "set/evset.h"

struct perf_event_attr;
struct pmcgrp_add;
struct pmcgrp_evlist;
struct pmcgrp_group;
struct pmcgrp_member_fd;
struct pmcgrp_read_cpus;
struct vm_area_struct;

/* A bit for each clock that records can have (pmcgrp_record_time()). */
#define PMCGRP_RING_CLOCKS (BIT(CLOCK_MONOTONIC) | BIT(CLOCK_MONOTONIC_RAW))

/**
 * struct pmcgrp_scan - a reading of the only set of an event list
 * @changes: pmcgrp_evlist.changes at that time
 * @at: the values
 */
struct pmcgrp_scan {
	unsigned int changes;
	struct pmcgrp_values at;
};

/**
 * struct pmcgrp_ioctl - an ioctl whose argument is a struct that begins with its size
 * @cmd: the command; 0: there are no more
 * @size: bytes of the struct
 * @least: bytes of its first published form
 * @makes: it makes something that goes with the group, or is a descriptor
 * @of_group: do it for a group; or NULL
 * @of_device: do it; or NULL
 *
 * Context: may sleep.  Return: as the uapi header says; -EINTR if the caller has been killed.
 */
struct pmcgrp_ioctl {
	unsigned int cmd;
	u16 size;
	u16 least;
	bool makes;
	long (*of_group)(struct pmcgrp_group *group, void *arg);
	long (*of_device)(struct file *device, void *arg);
};

extern const struct file_operations pmcgrp_group_fops;

/* arg.c */
long pmcgrp_ioctl_call(const struct pmcgrp_ioctl *ioctls, struct pmcgrp_group *group,
		       struct file *device, unsigned int cmd, void __user *uarg);
#ifdef CONFIG_COMPAT
long pmcgrp_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
#else
#define pmcgrp_compat_ioctl NULL
#endif
/* add_as_perf.c */
int pmcgrp_add_as_perf(const struct pmcgrp_group *group, struct pmcgrp_add *arg,
		       struct perf_event_attr *attr, u32 *why);
/* as_perf.c */
long pmcgrp_as_perf_ioctl(struct pmcgrp_member_fd *mfd, unsigned int cmd, unsigned long arg);
loff_t pmcgrp_as_perf_llseek(const struct pmcgrp_group *group, struct file *file, loff_t offset,
			     int whence);
/* create.c */
long pmcgrp_create(struct file *device, void *_arg);
/* device.c */
long pmcgrp_device_ioctl(struct file *device, unsigned int cmd, unsigned long arg);
/* holders.c */
long pmcgrp_holders_ioctl(struct file *device, void *_arg);
/* info.c */
long pmcgrp_info_ioctl(struct pmcgrp_group *group, void *arg);
long pmcgrp_info_next_ioctl(struct file *device, void *arg);
/* key_ioctl.c */
long pmcgrp_keys_setup(struct pmcgrp_group *group, void *_arg);
long pmcgrp_keys_flush(struct pmcgrp_group *group, unsigned long flags);
int pmcgrp_keys_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma);
/* member_ioctl.c */
ssize_t pmcgrp_member_fd_read(struct pmcgrp_member_fd *mfd, char __user *buf, size_t count);
struct pmcgrp_member_fd *pmcgrp_member_of_file(const struct file *file);
long pmcgrp_member_ioctl_add(struct pmcgrp_group *group, void *_arg);
long pmcgrp_member_fd_control(struct pmcgrp_member_fd *mfd, unsigned int cmd, unsigned long arg);
/* read.c */
ssize_t pmcgrp_read_group(struct pmcgrp_group *group, char __user *buf, size_t count);
ssize_t pmcgrp_read_group_words(struct pmcgrp_group *group, u64 *out);
ssize_t pmcgrp_read_member(struct pmcgrp_member_fd *mfd, u64 *out, size_t count);
bool pmcgrp_read_scan(const struct pmcgrp_evlist *evlist, struct pmcgrp_scan *scan);
size_t pmcgrp_read_show(const struct pmcgrp_group *group, const struct pmcgrp_scan *scan,
			u64 *out);
int pmcgrp_read_group_cpus(struct pmcgrp_group *group, struct pmcgrp_read_cpus *arg);
/* read_many.c */
long pmcgrp_read_many(struct file *device, void *_arg);
/* read_only.c */
long pmcgrp_read_only_open(struct file *of, const struct pmcgrp_group *group, unsigned long flags);
struct file *pmcgrp_read_only_of(const struct file *file);
long pmcgrp_read_only_refuse(unsigned int cmd, unsigned long arg);
/* ring_ioctl.c */
long pmcgrp_ring_setup(struct pmcgrp_group *group, void *_arg);
long pmcgrp_ring_sample(struct pmcgrp_group *group, unsigned long addr);
long pmcgrp_ring_pause(struct pmcgrp_group *group, bool pause);

#endif /* PMCGRP_ABI_H */
