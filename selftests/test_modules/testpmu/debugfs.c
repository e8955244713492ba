// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/pmcgrp_test, root's:
 *
 *  ticks	write "N" or "N CPU": all CPUs' counters, or that one's, count N times
 *		their events' rates; when write() returns they have
 *  uncore_ticks  write "N" or "N PACKAGE": the boxes of all packages, or of that one, count as much
 *  state	who is on which counter, boxes of uncore PMUs included
 *  adds	calls of pmu->add() so far, those that fail included
 *  faults	what the PMU had to complain about: name, how often in earnest, how
 *		often because misuse asked for it
 *  misuse	write a fault's name: misuse the PMU in that way.  EPROTO if it did not
 *		complain, ENOENT for a name that cannot be provoked, ENODEV where it
 *		takes a second CPU.  With "uncore " before the name: an uncore PMU
 *  sections	how long functions of pmcgrp's take (sections.c)
 *  no_entry	new tasks that pmcgrp cannot follow (no_entry.c)
 *
 * Context: task, may sleep; what concerns a CPU is done there with interrupts off, by
 * smp_call_function_single() and on_each_cpu().
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include "testpmu.h"

static struct dentry *dir;

static void tick_here(void *info)
{
	const unsigned int *ticks = info;
	int i;

	for (i = 0; i < TPMU_NR; i++)
		if (tpmus[i].cpu)
			tpmu_tick_here(&tpmus[i], *ticks);
}

/* A line from user space, without its end. */
static int copy_line(char *line, size_t size, const char __user *buf, size_t count)
{
	if (count >= size)
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = '\0';
	strim(line);
	return 0;
}

static ssize_t ticks_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	unsigned int ticks, cpu;
	char line[32];
	int err, n;

	err = copy_line(line, sizeof(line), buf, count);
	if (err)
		return err;
	n = sscanf(line, "%u %u", &ticks, &cpu);
	if (n < 1 || ticks > TPMU_TICKS_MAX || (n == 2 && cpu >= nr_cpu_ids))
		return -EINVAL;
	if (n == 2) {
		err = smp_call_function_single(cpu, tick_here, &ticks, 1);
		return err ? err : count;
	}
	on_each_cpu(tick_here, &ticks, 1);
	return count;
}

static const struct file_operations ticks_fops = {
	.owner	= THIS_MODULE,
	.open	= nonseekable_open,
	.write	= ticks_write,
};

static ssize_t uncore_ticks_write(struct file *file, const char __user *buf, size_t count,
				  loff_t *pos)
{
	unsigned int ticks, package;
	char line[32];
	int err, n;

	err = copy_line(line, sizeof(line), buf, count);
	if (err)
		return err;
	n = sscanf(line, "%u %u", &ticks, &package);
	if (n < 1 || ticks > TPMU_TICKS_MAX || (n == 2 && package >= nr_cpu_ids))
		return -EINVAL;
	tpmu_uncore_tick(n == 2 ? (int)package : -1, ticks);
	return count;
}

static const struct file_operations uncore_ticks_fops = {
	.owner	= THIS_MODULE,
	.open	= nonseekable_open,
	.write	= uncore_ticks_write,
};

static ssize_t misuse_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char name[32];
	int err;

	err = copy_line(name, sizeof(name), buf, count);
	if (!err)
		err = tpmu_misuse(name);
	return err ? err : count;
}

static const struct file_operations misuse_fops = {
	.owner	= THIS_MODULE,
	.open	= nonseekable_open,
	.write	= misuse_write,
};

static int faults_show(struct seq_file *seq, void *unused)
{
	int i;

	for (i = 0; i < TPMU_FAULTS; i++)
		seq_printf(seq, "%s %llu %llu\n", tpmu_fault_name(i), tpmu_fault_count(i, false),
			   tpmu_fault_count(i, true));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(faults);

/**
 * struct view - a CPU's part of a PMU at one instant
 * @tpmu: in: which PMU
 * @nr: events that are on
 * @disabled: the counters stand still
 * @moves: how often an event that was on was given another counter
 * @event: for each event, what it is and where
 */
struct view {
	struct tpmu	*tpmu;
	unsigned int	nr;
	bool		disabled;
	u64		moves;
	struct {
		u64	config;
		u64	mask;
		int	counter;
		int	state;
	} event[TPMU_EVENTS_MAX];
};

static void view_here(void *info)
{
	struct view *view = info;
	const struct tpmu_cpu *cpu = this_cpu_ptr(view->tpmu->cpu);
	unsigned int i;

	view->nr = cpu->nr;
	view->disabled = cpu->disabled;
	view->moves = cpu->moves;
	for (i = 0; i < cpu->nr; i++) {
		view->event[i].config = cpu->event[i]->attr.config;
		view->event[i].mask = tpmu_event_mask(cpu->event[i]);
		view->event[i].counter = cpu->event[i]->hw.idx;
		view->event[i].state = cpu->event[i]->hw.state;
	}
}

static void view_show(struct seq_file *seq, const struct view *view, int cpu)
{
	unsigned int i;

	seq_printf(seq, "%s cpu %d: %u on, %s, %llu moves\n", view->tpmu->name, cpu, view->nr,
		   view->disabled ? "held" : "counting", view->moves);
	for (i = 0; i < view->nr; i++)
		seq_printf(seq, "%s cpu %d counter %d: event %llu rate %llu mask 0x%llx%s\n",
			   view->tpmu->name, cpu, view->event[i].counter,
			   view->event[i].config >> 32, view->event[i].config & U32_MAX,
			   view->event[i].mask,
			   view->event[i].state & PERF_HES_STOPPED ? " stopped" : "");
}

static int state_show(struct seq_file *seq, void *unused)
{
	struct view *view = kzalloc(sizeof(*view), GFP_KERNEL);
	int cpu, i;

	if (!view)
		return -ENOMEM;
	for (i = 0; i < TPMU_NR; i++) {
		view->tpmu = &tpmus[i];
		for_each_possible_cpu(cpu)
			if (view->tpmu->cpu && tpmu_counts_on(&view->tpmu->pmu, cpu) &&
			    !smp_call_function_single(cpu, view_here, view, 1))
				view_show(seq, view, cpu);
	}
	kfree(view);
	tpmu_uncore_show(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

/**
 * tpmu_debugfs_init - once the PMUs are there
 *
 * Return: 0 or an errno: without debugfs the PMUs are of no use.
 */
int tpmu_debugfs_init(void)
{
	dir = debugfs_create_dir("pmcgrp_test", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_atomic_t("adds", 0400, dir, &tpmu_adds);
	debugfs_create_file("ticks", 0200, dir, NULL, &ticks_fops);
	debugfs_create_file("uncore_ticks", 0200, dir, NULL, &uncore_ticks_fops);
	debugfs_create_file("misuse", 0200, dir, NULL, &misuse_fops);
	debugfs_create_file("faults", 0400, dir, NULL, &faults_fops);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	tpmu_sections_init(dir);
	tpmu_no_entry_init(dir);
	return 0;
}

/**
 * tpmu_debugfs_exit - before the PMUs are removed; waits for all users of the files
 */
void tpmu_debugfs_exit(void)
{
	debugfs_remove(dir);
	tpmu_sections_exit();
	tpmu_no_entry_exit();
}
