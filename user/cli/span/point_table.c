// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Pairs of tracepoints that are well known, and what tells one instance from another.
 *
 * Numbers of arguments are those of TP_PROTO() of Linux 6.1, 6.12 and 7.2 (include/trace/events/).
 * What runs to its end where it is, but for interrupts, has its CPU. What may sleep has its task,
 * or the object that it is about.
 */
#include <string.h>

#include "point_pair.h"

/* A star stands for the same text in both. */
static const struct {
	const char *begin;
	const char *end;
	const char *key;
} pairs[] = {
	{ "sys_enter", "sys_exit", "task" },
	{ "irq_handler_entry", "irq_handler_exit", "cpu" },
	{ "softirq_entry", "softirq_exit", "cpu" },
	{ "tasklet_entry", "tasklet_exit", "cpu" },
	{ "ipi_entry", "ipi_exit", "cpu" },
	{ "csd_function_entry", "csd_function_exit", "cpu" },
	/* irq_vectors of x86 */
	{ "local_timer_entry", "local_timer_exit", "cpu" },
	{ "spurious_apic_entry", "spurious_apic_exit", "cpu" },
	{ "error_apic_entry", "error_apic_exit", "cpu" },
	{ "x86_platform_ipi_entry", "x86_platform_ipi_exit", "cpu" },
	{ "irq_work_entry", "irq_work_exit", "cpu" },
	{ "reschedule_entry", "reschedule_exit", "cpu" },
	{ "call_function_entry", "call_function_exit", "cpu" },
	{ "call_function_single_entry", "call_function_single_exit", "cpu" },
	{ "threshold_apic_entry", "threshold_apic_exit", "cpu" },
	{ "deferred_error_apic_entry", "deferred_error_apic_exit", "cpu" },
	{ "thermal_apic_entry", "thermal_apic_exit", "cpu" },
	/* the timer, the work, the request, the task */
	{ "timer_expire_entry", "timer_expire_exit", "arg0" },
	{ "hrtimer_expire_entry", "hrtimer_expire_exit", "arg0" },
	{ "workqueue_execute_start", "workqueue_execute_end", "arg0" },
	{ "sched_kthread_work_execute_start", "sched_kthread_work_execute_end", "arg0" },
	{ "block_rq_issue", "block_rq_complete", "arg0" },
	{ "block_rq_insert", "block_rq_issue", "arg0" },
	{ "scsi_dispatch_cmd_start", "scsi_dispatch_cmd_done", "arg0" },
	{ "sched_waking", "sched_switch", "arg0,arg2" },
	{ "sched_wakeup", "sched_switch", "arg0,arg2" },
	{ "sched_wakeup_new", "sched_switch", "arg0,arg2" },
	/* a wait may be interrupted by another one, which then counts alone */
	{ "contention_begin", "contention_end", "task" },
	{ "mmap_lock_start_locking", "mmap_lock_acquire_returned", "task" },
	{ "mm_*_begin", "mm_*_end", "task" },
	{ "ext4_*_enter", "ext4_*_exit", "task" },
	{ "ext4_*_begin", "ext4_*_end", "task" },
};

/* Whether a pattern matches; if it has a star, then @star and @len are what that stands for. */
static bool matches(const char *pattern, const char *name, const char **star, size_t *len)
{
	const char *at = strchr(pattern, '*');
	size_t before, behind, all = strlen(name);

	*star = "";
	*len = 0;
	if (!at)
		return !strcmp(pattern, name);
	before = (size_t)(at - pattern);
	behind = strlen(at + 1);
	if (all <= before + behind || strncmp(name, pattern, before) ||
	    strcmp(name + all - behind, at + 1))
		return false;
	*star = name + before;
	*len = all - before - behind;
	return true;
}

const char *point_default_key(const char *begin, const char *end)
{
	const char *of_begin, *of_end;
	size_t len, len_end, i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (matches(pairs[i].begin, begin, &of_begin, &len) &&
		    matches(pairs[i].end, end, &of_end, &len_end) && len == len_end &&
		    !strncmp(of_begin, of_end, len))
			return pairs[i].key;
	return NULL;
}
