// SPDX-License-Identifier: GPL-2.0-only
/*
 * An example of pmcgrp's API for kernel modules: how many cycles and instructions the critical
 * section of a lock takes, and a softirq.
 *
 * A thread takes the lock some hundred times a second, and raises a tasklet, which runs as a
 * softirq.  `pmcgrp section`, or ioctl PMCGRP_IOC_SECTION_NEXT, tells what both have counted.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/pmcgrp.h>
#include <linux/spinlock.h>

static struct pmcgrp_kernel_group *group;
static struct pmcgrp_section *lock_section, *softirq_section;
static struct task_struct *thread;

static DEFINE_SPINLOCK(sample_lock);
static u64 protected_by_lock;

static void sample_softirq(struct tasklet_struct *tasklet)
{
	struct pmcgrp_section_mark mark;
	unsigned int i;

	pmcgrp_section_begin(softirq_section, &mark);
	for (i = 0; i < 100; i++)
		READ_ONCE(protected_by_lock);
	pmcgrp_section_end(softirq_section, &mark);
}

static DECLARE_TASKLET(sample_tasklet, sample_softirq);

static void take_lock(void)
{
	struct pmcgrp_section_mark mark;
	unsigned int i;

	spin_lock(&sample_lock);
	pmcgrp_section_begin(lock_section, &mark);
	for (i = 0; i < 10; i++)
		WRITE_ONCE(protected_by_lock, protected_by_lock + 1);
	pmcgrp_section_end(lock_section, &mark);
	spin_unlock(&sample_lock);
}

static int sample_thread(void *unused)
{
	while (!kthread_should_stop()) {
		take_lock();
		tasklet_schedule(&sample_tasklet);
		usleep_range(1000, 2000);
	}
	return 0;
}

static int make_group(void)
{
	static const struct perf_event_attr member[] = {
		{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES },
		{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS },
	};
	const struct pmcgrp_kernel_attr attr = {
		.name = "sample",
		.owner = THIS_MODULE,
		.member = member,
		.nr = ARRAY_SIZE(member),
		.cpu = -1,
	};
	u32 why;

	group = pmcgrp_kernel_group_create(&attr, &why);
	if (!IS_ERR(group))
		return 0;
	pr_err("pmcgrp_sample: no group: error %ld, reason %u\n", PTR_ERR(group), why);
	return PTR_ERR(group);
}

static int __init sample_init(void)
{
	int err = make_group();

	if (err)
		return err;
	lock_section = pmcgrp_section_create(group, "sample_lock");
	err = PTR_ERR_OR_ZERO(lock_section);
	if (err)
		goto destroy_group;
	softirq_section = pmcgrp_section_create(group, "sample_softirq");
	err = PTR_ERR_OR_ZERO(softirq_section);
	if (err)
		goto destroy_lock;
	thread = kthread_run(sample_thread, NULL, "pmcgrp_sample");
	err = PTR_ERR_OR_ZERO(thread);
	if (err)
		goto destroy_softirq;
	return 0;

destroy_softirq:
	pmcgrp_section_destroy(softirq_section);
destroy_lock:
	pmcgrp_section_destroy(lock_section);
destroy_group:
	pmcgrp_kernel_group_destroy(group);
	return err;
}

static void __exit sample_exit(void)
{
	kthread_stop(thread);
	tasklet_kill(&sample_tasklet);
	pmcgrp_section_destroy(softirq_section);
	pmcgrp_section_destroy(lock_section);
	pmcgrp_kernel_group_destroy(group);
}

module_init(sample_init);
module_exit(sample_exit);
MODULE_DESCRIPTION("An example of pmcgrp's API: sections of a lock and of a softirq");
MODULE_AUTHOR("The pmcgrp developers");
MODULE_LICENSE("GPL");
