// SPDX-License-Identifier: GPL-2.0-only
/* Module parameters, init and exit, and the device that groups are made through. */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include "hotplug.h"
#include "suspend.h"
#include "abi/abi.h"
#include "arbiter/reserve.h"
#include "counter/carrier.h"
#include "counter/counter_pmu.h"
#include "counter/guard.h"
#include "counter/pool.h"
#include "counter/pool_tasks.h"
#include "counter/way.h"
#include "follow/carried.h"
#include "follow/exit_probe.h"
#include "follow/follow.h"
#include "follow/fork_work.h"
#include "follow/latch.h"
#include "follow/task_record.h"
#include "follow/task_table.h"
#include "follow/tick.h"
#include "group/group.h"
#include "platform/account.h"
#include "platform/charge.h"
#include "platform/counter_reg.h"
#include "sample/count_page.h"
#include "sample/sample.h"
#include "sample/sentry.h"
#include "sched/guest.h"
#include "sched/newcomer.h"
#include "sched/pinned_room.h"
#include "sched/rotate.h"
#include "sched/sched.h"
#include "sched/turn.h"
#include "span/kernel_group.h"

#define MUX_INTERVAL_MS_MAX 1000
/* Largest size for which a ring ends before the next one's offset (PMCGRP_RING_OFFSET()). */
#define RINGS_MAX_MB 4095

static unsigned int mux_interval_ms = 4;
module_param(mux_interval_ms, uint, 0444);
MODULE_PARM_DESC(mux_interval_ms,
		 "multiplexing interval on a full PMU, in milliseconds (1 to 1000, default 4)");

static unsigned int groups_max = 16384;
module_param(groups_max, uint, 0444);
MODULE_PARM_DESC(groups_max, "maximum number of groups of each user (default 16384)");

static unsigned int counters_max = 65536;
module_param(counters_max, uint, 0444);
MODULE_PARM_DESC(counters_max,
		 "maximum number of counters of each user, one per event and CPU (default 65536)");

static bool register_read = true;
module_param(register_read, bool, 0444);
MODULE_PARM_DESC(register_read,
		 "read counters from their registers on PMUs whose driver is known (default Y)");

static unsigned int rings_max_mb = UINT_MAX; /* not given */
module_param(rings_max_mb, uint, 0444);
MODULE_PARM_DESC(rings_max_mb,
		 "maximum memory of each user's groups, rings, tables and spans, in MiB (default 256, or 8 for each CPU if that is more)");

static unsigned int rings_user_kb = 512 + PAGE_SIZE / 1024;
module_param(rings_user_kb, uint, 0444);
MODULE_PARM_DESC(rings_user_kb,
		 "memory of a user's rings, tables and spans without RLIMIT_MEMLOCK, in KiB for each possible CPU (default 512 and a page)");

static int device_open(struct inode *inode, struct file *file)
{
	if (!perfmon_capable())
		return -EACCES;
	/* replaces the miscdevice that misc_open() has set */
	file->private_data = pmcgrp_opener_create();
	if (!file->private_data)
		return -ENOMEM;
	pmcgrp_events_keep();
	return 0;
}

static int device_release(struct inode *inode, struct file *file)
{
	if (pmcgrp_events_unkeep())
		pmcgrp_way_release();
	pmcgrp_opener_put(file->private_data);
	return 0;
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = pmcgrp_device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "pmcgrp",
	.fops = &device_fops,
	.mode = 0600,
};

static int __init pmcgrp_init(void)
{
	int err;

	if (!mux_interval_ms || mux_interval_ms > MUX_INTERVAL_MS_MAX) {
		pr_err("pmcgrp: mux_interval_ms=%u is not in 1..%u\n", mux_interval_ms,
		       MUX_INTERVAL_MS_MAX);
		return -EINVAL;
	}
	/* What most of it is for grows with the number of CPUs. */
	if (rings_max_mb == UINT_MAX)
		rings_max_mb = clamp(8 * num_possible_cpus(), 256U, (unsigned int)RINGS_MAX_MB);
	if (rings_max_mb > RINGS_MAX_MB) {
		pr_err("pmcgrp: rings_max_mb=%u is above %u\n", rings_max_mb, RINGS_MAX_MB);
		return -EINVAL;
	}
	pmcgrp_sched_init(mux_interval_ms);
	pmcgrp_tick_init();
	pmcgrp_groups_init(groups_max);
	pmcgrp_counter_reg_init(register_read);
	pmcgrp_pools_init(counters_max, &pmcgrp_follow_ops);
	/* after pmcgrp_pools_init(): pmcgrp_nr_cpus */
	pmcgrp_pool_tasks_init(pmcgrp_fork_work_init());
	pmcgrp_sentry_init();
	pmcgrp_count_page_init();
	pmcgrp_carried_init();
	pmcgrp_latch_init();
	pmcgrp_pinned_room_init();
	pmcgrp_turn_init();
	pmcgrp_charge_init(rings_user_kb, rings_max_mb);
	err = pmcgrp_follow_init();
	if (err)
		goto exit_follow;
	err = pmcgrp_sample_init();
	if (err)
		goto exit_follow;
	err = pmcgrp_reserve_init(pmcgrp_rotate_fill);
	if (err)
		goto exit_sample;
	err = pmcgrp_carrier_init();
	if (err)
		goto exit_reserve;
	err = pmcgrp_counter_pmu_init(pmcgrp_hotplug_leave_pmu);
	if (err)
		goto exit_carrier;
	err = pmcgrp_hotplug_init();
	if (err)
		goto exit_counter_pmu;
	pmcgrp_suspend_init();
	err = pmcgrp_kernel_groups_init();
	if (err)
		goto exit_suspend;
	pmcgrp_newcomer_init(pmcgrp_sample_is_trigger);
	pmcgrp_guest_init();
	err = misc_register(&device);
	if (err)
		goto exit_newcomer;
	return 0;

exit_newcomer:
	pmcgrp_guest_exit();
	pmcgrp_newcomer_exit();
	pmcgrp_kernel_groups_exit();
exit_suspend:
	pmcgrp_suspend_exit();
	pmcgrp_hotplug_exit();
exit_counter_pmu:
	pmcgrp_counter_pmu_exit();
exit_carrier:
	pmcgrp_carrier_exit();
exit_reserve:
	pmcgrp_reserve_exit();
exit_sample:
	pmcgrp_sample_exit();
exit_follow:
	pmcgrp_follow_exit();
	return err;
}

static void __exit pmcgrp_exit(void)
{
	misc_deregister(&device);
	pmcgrp_kernel_groups_exit();
	pmcgrp_suspend_exit();
	pmcgrp_hotplug_exit();
	pmcgrp_guard_exit();
	pmcgrp_way_exit();
	pmcgrp_carrier_exit();
	pmcgrp_reserve_exit();
	pmcgrp_events_exit();
	pmcgrp_pools_exit();
	pmcgrp_counter_pmu_exit();
	pmcgrp_exit_probe_exit();
	pmcgrp_follow_exit();
	pmcgrp_guest_exit();
	pmcgrp_newcomer_exit();
	pmcgrp_fork_work_exit();
	pmcgrp_pool_tasks_exit();
	pmcgrp_task_records_exit();
	pmcgrp_task_table_exit();
	pmcgrp_count_page_exit();
	rcu_barrier(); /* rings */
	pmcgrp_accounts_exit();
	pmcgrp_sample_exit();
}

module_init(pmcgrp_init);
module_exit(pmcgrp_exit);
MODULE_DESCRIPTION("Counter groups: hardware events of a task or CPU, counted and read as one");
MODULE_AUTHOR("The pmcgrp developers");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
