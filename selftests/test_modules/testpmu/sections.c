// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/pmcgrp_test/sections: how long functions of a module take that run with
 * interrupts off.  Write their names, separated by blanks, e.g. "pmcgrp:pmcgrp_tick_work"; nothing
 * ends it.  Read: for each, how often it has run since then, and the longest time in nanoseconds.
 * Functions that the compiler has taken into others are not found: ENOENT.
 *
 * Context: files: task, may sleep.  The probes run in any context with interrupts off.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "testpmu.h"

#define SECTIONS_MAX	8
#define NAME_SIZE	64

/**
 * struct section - one function
 * @probe: its probe
 * @name: its name, with the module's; empty: none
 * @times: how often it has run; @longest is written where interrupts are off, of one CPU at a time
 *	as the tests have it
 * @longest: longest time in nanoseconds
 */
struct section {
	struct kretprobe probe;
	char name[NAME_SIZE];
	unsigned long times;
	u64 longest;
};

static struct section sections[SECTIONS_MAX];
static DEFINE_MUTEX(lock); /* registration */

static int section_begin(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	*(u64 *)instance->data = local_clock();
	return 0;
}

static int section_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct section *section = container_of(get_kretprobe(instance), struct section, probe);
	u64 took = local_clock() - *(u64 *)instance->data;

	section->times++;
	if (took > section->longest)
		section->longest = took;
	return 0;
}

static void sections_remove(void)
{
	int i;

	for (i = 0; i < SECTIONS_MAX && sections[i].name[0]; i++) {
		unregister_kretprobe(&sections[i].probe);
		sections[i].name[0] = '\0';
	}
}

static int section_add(struct section *section, const char *name)
{
	int err;

	if (strscpy(section->name, name, NAME_SIZE) < 0)
		return -EINVAL;
	section->times = 0;
	section->longest = 0;
	section->probe = (struct kretprobe){
		.kp.symbol_name = section->name,
		.entry_handler = section_begin,
		.handler = section_end,
		.data_size = sizeof(u64),
		.maxactive = 2 * num_possible_cpus(),
	};
	err = register_kretprobe(&section->probe);
	if (err)
		section->name[0] = '\0';
	return err;
}

static ssize_t sections_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char *names, *at, *name;
	int i = 0, err = 0;

	names = memdup_user_nul(buf, count);
	if (IS_ERR(names))
		return PTR_ERR(names);
	at = strim(names);
	mutex_lock(&lock);
	sections_remove();
	while (!err && (name = strsep(&at, " ")))
		if (*name)
			err = i < SECTIONS_MAX ? section_add(&sections[i++], name) : -E2BIG;
	mutex_unlock(&lock);
	kfree(names);
	return err ? err : count;
}

static int sections_show(struct seq_file *seq, void *unused)
{
	int i;

	mutex_lock(&lock);
	for (i = 0; i < SECTIONS_MAX && sections[i].name[0]; i++)
		seq_printf(seq, "%s %lu %llu\n", sections[i].name, READ_ONCE(sections[i].times),
			   READ_ONCE(sections[i].longest));
	mutex_unlock(&lock);
	return 0;
}

static int sections_open(struct inode *inode, struct file *file)
{
	return single_open(file, sections_show, NULL);
}

static const struct file_operations sections_fops = {
	.owner	 = THIS_MODULE,
	.open	 = sections_open,
	.read	 = seq_read,
	.write	 = sections_write,
	.llseek	 = seq_lseek,
	.release = single_release,
};

/**
 * tpmu_sections_init - make the file
 * @dir: the folder in debugfs
 */
void tpmu_sections_init(struct dentry *dir)
{
	debugfs_create_file("sections", 0600, dir, NULL, &sections_fops);
}

/**
 * tpmu_sections_exit - remove all probes, after the file
 */
void tpmu_sections_exit(void)
{
	sections_remove();
}
