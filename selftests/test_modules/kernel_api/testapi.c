// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the selftest kernel_api has done in the kernel, by lines that it writes to
 * /sys/kernel/debug/pmcgrp_testapi:
 *
 *  group TARGET TYPE:CONFIG[:CONFIG1][,...]
 *		make a group; TARGET: all, task (who writes), or the number of a CPU
 *  section	make two sections of the group
 *  loop CONTEXT TIMES ITERATIONS
 *		so many sections around a loop; CONTEXT: task, irqsoff, hardirq, softirq,
 *		overflow (of a hardware event; on x86 an NMI)
 *  nested TIMES ITERATIONS
 *		TIMES sections around ITERATIONS empty ones
 *  switched TIMES
 *		sections that the task sleeps in
 *  moved TIMES	sections that end on another CPU
 *  local CONTEXT
 *		read what this CPU, or the task, has counted
 *  sum		read the sum over all CPUs
 *  cost WAY TIMES
 *		instructions for TIMES section, local, perf: perf_event_read_local() of each member
 *  call CONTEXT TIMES ITERATIONS
 *		so many calls of pmcgrp_testapi_work(ITERATIONS); this and the next need no group
 *  recurse TIMES DEPTH
 *		so many calls of pmcgrp_testapi_recurse(DEPTH)
 *  sleep TIMES MS
 *		so many calls of pmcgrp_testapi_sleep(MS)
 *  never	a kernel thread calls pmcgrp_testapi_never() once
 *  calls WAY TIMES
 *		instructions for TIMES calls of pmcgrp_testapi_work(0): as they are, or perf: with a
 *		kretprobe that reads each member by perf_event_read_local() at both ends
 *  points CONTEXT TIMES ITERATIONS
 *		so often the tracepoint pmcgrp_testapi_begin, pmcgrp_testapi_work(ITERATIONS) and
 *		the tracepoint pmcgrp_testapi_end; this and the next two need no group
 *  begin KEY NR, end KEY NR
 *		one of these tracepoints, of so many keys from KEY on
 *  pairs bare TIMES, pairs perf TIMES
 *		instructions for so many pairs: as they are, or with probes that read each member
 *		by perf_event_read_local()
 *  enable, disable, end
 *
 * A write fails with the errno of what it has done.  A read gives the last numbers.
 *
 * Context: task; one at a time.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pmcgrp.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "calls.h"
#include "kfunc.h"
#include "points.h"

#define LINE_MAX_SIZE	256
#define MEMBERS_MAX	PMCGRP_SECTION_MEMBERS_MAX

static DEFINE_MUTEX(mutex);
static struct pmcgrp_kernel_group *group;
static struct pmcgrp_section *outer, *inner;
static struct perf_event_attr member[MEMBERS_MAX];
static unsigned int nr_members;
static u64 answer[MEMBERS_MAX + 2];	/* counts, enabled, running */
static struct dentry *file;

struct run {
	unsigned int times, iterations;
	int err;
	bool done;
};

static void run_sections(struct run *run)
{
	struct pmcgrp_section_mark mark;
	unsigned int i;

	for (i = 0; i < run->times; i++) {
		pmcgrp_section_begin(outer, &mark);
		pmcgrp_testapi_work(run->iterations);
		pmcgrp_section_end(outer, &mark);
	}
}

static void run_calls(struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->times; i++)
		pmcgrp_testapi_work(run->iterations);
}

static void run_points(struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->times; i++)
		points_pass(((u64)7 << 32) + i, run->iterations);
}

static void read_local(struct run *run)
{
	run->err = pmcgrp_kernel_group_read_local(group, answer, &answer[nr_members],
						  &answer[nr_members + 1]);
}

struct in_context {
	struct irq_work work;
	struct tasklet_struct tasklet;
	struct run *run;
	void (*func)(struct run *run);
};

static struct in_context in_context;

static void context_run(void)
{
	in_context.func(in_context.run);
	/* Pairs with smp_load_acquire() in wait_for(). */
	smp_store_release(&in_context.run->done, true);
}

static void work_here(struct irq_work *work)
{
	context_run();
}

static void tasklet_here(struct tasklet_struct *tasklet)
{
	context_run();
}

static void overflow_here(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	if (!READ_ONCE(in_context.run->done))
		context_run();
}

static void wait_for(const struct run *run)
{
	/* Pairs with smp_store_release() in context_run(). */
	while (!smp_load_acquire(&run->done))
		usleep_range(100, 200);
}

static int call_in_overflow(const struct run *run)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr),
		.sample_period = 100000,
		.pinned = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL,
						 overflow_here, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	/* Cycles are counted while the CPU is not idle. */
	while (!smp_load_acquire(&run->done)) /* as in wait_for() */
		cond_resched();
	perf_event_release_kernel(event);
	return run->err;
}

static int call_in(const char *context, void (*func)(struct run *run), struct run *run)
{
	unsigned long flags;

	in_context.run = run;
	in_context.func = func;
	if (!strcmp(context, "task")) {
		func(run);
		return run->err;
	}
	if (!strcmp(context, "irqsoff")) {
		local_irq_save(flags);
		func(run);
		local_irq_restore(flags);
		return run->err;
	}
	if (!strcmp(context, "hardirq")) {
		in_context.work = IRQ_WORK_INIT_HARD(work_here);
		irq_work_queue(&in_context.work);
	} else if (!strcmp(context, "softirq")) {
		tasklet_setup(&in_context.tasklet, tasklet_here);
		tasklet_schedule(&in_context.tasklet);
	} else if (!strcmp(context, "overflow")) {
		return call_in_overflow(run);
	} else {
		return -EINVAL;
	}
	wait_for(run);
	irq_work_sync(&in_context.work);
	return run->err;
}

static int run_nested(unsigned int times, unsigned int iterations)
{
	struct pmcgrp_section_mark mark, nested;
	unsigned int i, k;

	for (i = 0; i < times; i++) {
		pmcgrp_section_begin(outer, &mark);
		for (k = 0; k < iterations; k++) {
			pmcgrp_section_begin(inner, &nested);
			pmcgrp_section_end(inner, &nested);
		}
		pmcgrp_section_end(outer, &mark);
	}
	return 0;
}

static int run_switched(unsigned int times)
{
	struct pmcgrp_section_mark mark;
	unsigned int i;

	for (i = 0; i < times; i++) {
		pmcgrp_section_begin(outer, &mark);
		usleep_range(100, 200);
		pmcgrp_section_end(outer, &mark);
	}
	return 0;
}

/* By a thread that may run on one other CPU: the writer's own mask is user space's. */
static int moved_on_cpu(void *section)
{
	return pmcgrp_section_end(outer, section);
}

static int run_moved(unsigned int times)
{
	struct pmcgrp_section_mark mark;
	unsigned int i;
	int cpu, err;

	for (i = 0; i < times; i++) {
		pmcgrp_section_begin(outer, &mark);
		cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
		if (cpu >= nr_cpu_ids)
			return -ENODEV;
		err = smp_call_on_cpu(cpu, moved_on_cpu, &mark, false);
		if (err != -ENODATA)
			return err ? err : -EPROTO;
	}
	return 0;
}

static u64 instructions_now(void)
{
	u64 count[MEMBERS_MAX], enabled, running;

	return pmcgrp_kernel_group_read_local(group, count, &enabled, &running) ? 0 : count[0];
}

/* It is exported to nobody: BPF programs call it by a helper.  A probe tells where it is. */
static read_local_t find_perf_event_read_local(void)
{
	struct kprobe probe = { .symbol_name = "perf_event_read_local" };
	read_local_t found = NULL;

	if (!register_kprobe(&probe)) {
		found = (read_local_t)probe.addr;
		unregister_kprobe(&probe);
	}
	return found;
}

/* Two readings of each member, as a section has, by events of perf's. */
static int cost_of_readings(read_local_t read, struct perf_event **event, unsigned int times)
{
	u64 value, begin, end;
	unsigned long flags;
	unsigned int i, k;
	int err = 0;

	local_irq_save(flags);
	begin = instructions_now();
	for (i = 0; i < 2 * times; i++)
		for (k = 0; k < nr_members; k++)
			err = err ?: read(event[k], &value, NULL, NULL);
	end = instructions_now();
	local_irq_restore(flags);
	answer[0] = end - begin;
	return err;
}

/* What reads perf's events. */
enum reader {
	ALONE,
	KRETPROBE,
	TRACEPOINTS,
};

/* By events of perf's on this CPU: readings alone, or by probes. */
static int cost_of_perf(unsigned int times, enum reader reader)
{
	struct perf_event *event[MEMBERS_MAX];
	read_local_t read = find_perf_event_read_local();
	unsigned int nr;
	int err = 0;

	if (!read)
		return -ENOENT;
	for (nr = 0; nr < nr_members; nr++) {
		event[nr] = perf_event_create_kernel_counter(&member[nr], raw_smp_processor_id(),
							     NULL, NULL, NULL);
		if (IS_ERR(event[nr])) {
			err = PTR_ERR(event[nr]);
			break;
		}
	}
	if (!err && reader == TRACEPOINTS)
		err = points_cost_of_perf(times, instructions_now, read, event, nr, answer);
	else if (!err && reader == KRETPROBE)
		err = calls_cost_of_perf(times, instructions_now, read, event, nr, answer);
	else if (!err)
		err = cost_of_readings(read, event, times);
	while (nr)
		perf_event_release_kernel(event[--nr]);
	return err;
}

static int cost_of_calls(const char *way, unsigned int times)
{
	if (!strcmp(way, "perf"))
		return cost_of_perf(times, KRETPROBE);
	answer[0] = calls_cost(times, instructions_now);
	return 0;
}

static int cost_of_points(const char *way, unsigned int times)
{
	if (!strcmp(way, "perf"))
		return cost_of_perf(times, TRACEPOINTS);
	answer[0] = points_cost(times, instructions_now);
	return 0;
}

static int cost(const char *way, unsigned int times)
{
	struct run run = { .times = times };
	unsigned long flags;
	u64 begin, end;
	unsigned int i;

	if (!strcmp(way, "perf"))
		return cost_of_perf(times, ALONE);
	local_irq_save(flags);
	begin = instructions_now();
	if (!strcmp(way, "section"))
		run_sections(&run);
	else
		for (i = 0; i < times; i++)
			read_local(&run);
	end = instructions_now();
	local_irq_restore(flags);
	answer[0] = end - begin;
	return run.err;
}

static void end_all(void)
{
	struct pmcgrp_kernel_group *ended = group;

	if (outer)
		pmcgrp_section_destroy(outer);
	if (inner)
		pmcgrp_section_destroy(inner);
	outer = NULL;
	inner = NULL;
	/* No BPF program finds it any more; the call waits for those who have. */
	WRITE_ONCE(group, NULL);
	if (ended)
		pmcgrp_kernel_group_destroy(ended);
}

static int make_group(const char *target, char *events)
{
	struct pmcgrp_kernel_attr attr = {
		.name = "testapi",
		.owner = THIS_MODULE,
		.member = member,
		.cpu = -1,
	};
	struct pmcgrp_kernel_group *made;
	u64 config, config1;
	char *event;
	u32 type;

	if (group)
		return -EBUSY;
	memset(member, 0, sizeof(member));
	for (nr_members = 0; (event = strsep(&events, ",")); nr_members++) {
		config1 = 0;
		if (nr_members == MEMBERS_MAX ||
		    sscanf(event, "%u:%llx:%llx", &type, &config, &config1) < 2)
			return -EINVAL;
		member[nr_members].type = type;
		member[nr_members].config = config;
		member[nr_members].config1 = config1;
	}
	attr.nr = nr_members;
	if (!strcmp(target, "task"))
		attr.task = current;
	else if (strcmp(target, "all") && kstrtoint(target, 10, &attr.cpu))
		return -EINVAL;
	made = pmcgrp_kernel_group_create(&attr, NULL);
	if (IS_ERR(made))
		return PTR_ERR(made);
	/* Pairs with smp_load_acquire() in read_for_bpf(). */
	smp_store_release(&group, made);
	return 0;
}

static int make_sections(void)
{
	struct pmcgrp_section *made = pmcgrp_section_create(group, "outer");

	if (IS_ERR(made))
		return PTR_ERR(made);
	outer = made;
	made = pmcgrp_section_create(group, "inner");
	if (IS_ERR(made))
		return PTR_ERR(made);
	inner = made;
	return 0;
}

/* A counter that this module has, as the NMI watchdog has one. */
static struct perf_event *held;

static void overflow_nowhere(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
}

static int hold_counter(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr),
		.sample_period = 1ULL << 40,
		.pinned = 1,
	};
	struct perf_event *event;

	if (held)
		return -EBUSY;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, overflow_nowhere, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	held = event;
	return 0;
}

static void drop_counter(void)
{
	if (held)
		perf_event_release_kernel(held);
	held = NULL;
}

/* What needs no group. */
static int do_calls(const char *line)
{
	struct run run = { .times = 0 };
	char context[16];
	unsigned int n, m;
	u64 key;

	if (sscanf(line, "hold %u", &n) == 1)
		return hold_counter(n);
	if (!strcmp(line, "drop")) {
		drop_counter();
		return 0;
	}
	if (sscanf(line, "points %15s %u %u", context, &run.times, &run.iterations) == 3)
		return call_in(context, run_points, &run);
	if (sscanf(line, "begin %llu %u", &key, &n) == 2) {
		points_begin(key, n);
		return 0;
	}
	if (sscanf(line, "end %llu %u", &key, &n) == 2) {
		points_end(key, n);
		return 0;
	}
	if (sscanf(line, "call %15s %u %u", context, &run.times, &run.iterations) == 3)
		return call_in(context, run_calls, &run);
	if (sscanf(line, "recurse %u %u", &n, &m) == 2) {
		while (n--)
			if (pmcgrp_testapi_recurse(m) != m)
				return -EPROTO;
		return 0;
	}
	if (sscanf(line, "sleep %u %u", &n, &m) == 2) {
		while (n--)
			pmcgrp_testapi_sleep(m);
		return 0;
	}
	return strcmp(line, "never") ? -EINVAL : calls_never();
}

static int do_line(char *line)
{
	char word[16] = "", first[16] = "", rest[LINE_MAX_SIZE] = "";
	struct run run = { .times = 0 };
	unsigned int n = 0, m = 0;

	if (sscanf(line, "%15s %15s %255s", word, first, rest) < 1)
		return -EINVAL;
	if (!strcmp(word, "group"))
		return make_group(first, rest);
	if (!strcmp(line, "end")) {
		end_all();
		return 0;
	}
	if (!group)
		return do_calls(line);
	if (!strcmp(word, "section"))
		return outer ? -EBUSY : make_sections();
	if (!strcmp(word, "enable"))
		return pmcgrp_kernel_group_enable(group);
	if (!strcmp(word, "disable"))
		return pmcgrp_kernel_group_disable(group);
	if (!strcmp(word, "local"))
		return call_in(first, read_local, &run);
	if (!strcmp(word, "sum"))
		return pmcgrp_kernel_group_read(group, answer, &answer[nr_members],
						&answer[nr_members + 1]);
	if (!strcmp(word, "cost") && !kstrtouint(rest, 10, &n))
		return cost(first, n);
	if (!strcmp(word, "calls") && !kstrtouint(rest, 10, &n))
		return cost_of_calls(first, n);
	if (!strcmp(word, "pairs") && !kstrtouint(rest, 10, &n))
		return cost_of_points(first, n);
	if (!outer)
		return do_calls(line);
	if (sscanf(line, "loop %15s %u %u", first, &run.times, &run.iterations) == 3)
		return call_in(first, run_sections, &run);
	if (sscanf(line, "nested %u %u", &n, &m) == 2)
		return run_nested(n, m);
	if (sscanf(line, "switched %u", &n) == 1)
		return run_switched(n);
	if (sscanf(line, "moved %u", &n) == 1)
		return run_moved(n);
	return do_calls(line);
}

static ssize_t line_write(struct file *unused, const char __user *buf, size_t count, loff_t *pos)
{
	char line[LINE_MAX_SIZE];
	int err;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = '\0';
	strim(line);
	mutex_lock(&mutex);
	err = do_line(line);
	mutex_unlock(&mutex);
	return err ? err : count;
}

static ssize_t answer_read(struct file *unused, char __user *buf, size_t count, loff_t *pos)
{
	char text[LINE_MAX_SIZE];
	unsigned int i, n = 0;

	mutex_lock(&mutex);
	for (i = 0; i < nr_members + 2; i++)
		n += scnprintf(text + n, sizeof(text) - n, "%llu%c", answer[i],
			       i == nr_members + 1 ? '\n' : ' ');
	mutex_unlock(&mutex);
	return simple_read_from_buffer(buf, count, pos, text, n);
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.read = answer_read,
	.write = line_write,
};

static bool leave_behind;
module_param(leave_behind, bool, 0644);
MODULE_PARM_DESC(leave_behind, "leave the group behind when the module goes, as a module must not");

/* For BPF programs, in any context.  A group of another length is refused. */
static int read_for_bpf(u64 *value, unsigned int nr)
{
	struct pmcgrp_kernel_group *of;
	unsigned long flags;
	int err = -ENOENT;

	local_irq_save(flags);
	/* Pairs with smp_store_release() in make_group(). */
	of = smp_load_acquire(&group);
	if (of && nr != nr_members + 2)
		err = -EINVAL;
	else if (of)
		err = pmcgrp_kernel_group_read_local(of, value, &value[nr - 2], &value[nr - 1]);
	local_irq_restore(flags);
	return err;
}

static int __init testapi_init(void)
{
	kfunc_init(read_for_bpf);
	file = debugfs_create_file("pmcgrp_testapi", 0600, NULL, NULL, &fops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit testapi_exit(void)
{
	debugfs_remove(file);
	drop_counter();
	if (!leave_behind)
		end_all();
}

module_init(testapi_init);
module_exit(testapi_exit);
MODULE_DESCRIPTION("Uses pmcgrp's API as tests say; never for production");
MODULE_AUTHOR("The pmcgrp developers");
MODULE_LICENSE("GPL");
