// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/pmcgrp_test/no_entry: memory runs out in fork().  Write N: the next N times
 * that pmcgrp wants a record for a new task (kmod/follow/task_record.c) it gets none.  Read: how
 * many of them are left.
 *
 * Memory that runs out there by itself takes a parent that lets no worker run, and a failure of the
 * allocator's in just that call.
 *
 * Context: the file: task, may sleep.  The probe: fork(), preemption off.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include "testpmu.h"

static atomic_t left = ATOMIC_INIT(0);
static LLIST_HEAD(taken); /* entries that pmcgrp did not get: their memory is the node's */
static DEFINE_MUTEX(lock); /* @registered */
static bool registered;

static int entry_taken(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct llist_node *entry = (void *)regs_return_value(regs);

	if (!entry || atomic_dec_if_positive(&left) < 0)
		return 0;
	llist_add(entry, &taken);
	regs_set_return_value(regs, 0);
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "pmcgrp:pmcgrp_task_record_take",
	.handler = entry_taken,
};

static void free_taken(void)
{
	struct llist_node *entry, *next;

	llist_for_each_safe(entry, next, llist_del_all(&taken))
		kfree(entry);
}

static int left_set(void *unused, u64 nr)
{
	int err = 0;

	mutex_lock(&lock);
	free_taken();
	if (!registered)
		err = register_kretprobe(&probe);
	registered |= !err;
	if (!err)
		atomic_set(&left, nr);
	mutex_unlock(&lock);
	return err;
}

static int left_get(void *unused, u64 *nr)
{
	*nr = atomic_read(&left);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(left_fops, left_get, left_set, "%llu\n");

/**
 * tpmu_no_entry_init - make the file
 * @dir: the folder in debugfs
 */
void tpmu_no_entry_init(struct dentry *dir)
{
	debugfs_create_file_unsafe("no_entry", 0600, dir, NULL, &left_fops);
}

/**
 * tpmu_no_entry_exit - remove the probe, after the file
 */
void tpmu_no_entry_exit(void)
{
	if (registered)
		unregister_kretprobe(&probe);
	free_taken();
}
