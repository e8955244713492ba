// SPDX-License-Identifier: GPL-2.0-only
/* Functions that the selftest span has called, and what a probe of perf's costs on one. */
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include "calls.h"

#define EVENTS_MAX 8

noinline void pmcgrp_testapi_work(unsigned int iterations)
{
	while (iterations--)
		barrier();
}

noinline unsigned int pmcgrp_testapi_recurse(unsigned int depth)
{
	unsigned int below = depth > 1 ? pmcgrp_testapi_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}

noinline void pmcgrp_testapi_sleep(unsigned int ms)
{
	msleep(ms);
}

static DECLARE_COMPLETION(ended);

noinline int pmcgrp_testapi_never(void *unused)
{
	kthread_complete_and_exit(&ended, 0);
}

static int call_never(void *unused)
{
	return pmcgrp_testapi_never(unused) + 1;
}

int calls_never(void)
{
	struct task_struct *thread;

	reinit_completion(&ended);
	thread = kthread_run(call_never, NULL, "pmcgrp_never");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wait_for_completion(&ended);
	return 0;
}

u64 calls_cost(unsigned int times, u64 (*now)(void))
{
	unsigned long flags;
	u64 begin, end;

	local_irq_save(flags);
	begin = now();
	while (times--)
		pmcgrp_testapi_work(0);
	end = now();
	local_irq_restore(flags);
	return end - begin;
}

/* What a user of perf's kernel API would keep of a call. */
struct readings {
	u64 value[EVENTS_MAX];
};

static struct {
	read_local_t read;
	struct perf_event *const *event;
	unsigned int nr;
	u64 sum[EVENTS_MAX];
	int err;
} perf;

static int perf_read(struct readings *readings)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < perf.nr && !err; i++)
		err = perf.read(perf.event[i], &readings->value[i], NULL, NULL);
	if (err)
		perf.err = err;
	return err;
}

static int perf_on_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return perf_read((struct readings *)instance->data);
}

static int perf_on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct readings *begin = (struct readings *)instance->data;
	struct readings end;
	unsigned int i;

	if (perf_read(&end))
		return 0;
	for (i = 0; i < perf.nr; i++)
		perf.sum[i] += end.value[i] - begin->value[i];
	return 0;
}

int calls_cost_of_perf(unsigned int times, u64 (*now)(void), read_local_t read,
		       struct perf_event *const *event, unsigned int nr, u64 *cost)
{
	struct kretprobe probe = {
		.kp.symbol_name = "pmcgrp_testapi_work",
		.entry_handler = perf_on_call,
		.handler = perf_on_return,
		.data_size = sizeof(struct readings),
	};
	int err;

	perf.read = read;
	perf.event = event;
	perf.nr = nr;
	perf.err = 0;
	err = register_kretprobe(&probe);
	if (err)
		return err;
	*cost = calls_cost(times, now);
	unregister_kretprobe(&probe);
	return perf.err;
}
