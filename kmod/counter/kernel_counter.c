// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel counters: make a counter, which is an event of perf core, check it, and free it.
 *
 * perf core visits all events in a CPU's own context whenever it schedules pinned or flexible
 * events there: users of perf who have nothing to do with pmcgrp would pay for each counter.  So
 * counters are events of a task: a kernel thread that sleeps for ever, whose context is never
 * scheduled (sleeper.c).  They are bound to no CPU, and outlive CPU hotplug.
 *
 * An event of a task has a price of its own: while there is one, perf core is called at every
 * context switch of the machine (kernel/events/core.c: account_event(), perf_sched_events).  A
 * group of tasks has carriers that ask for that anyway.  A group of CPUs does not: counters that it
 * is the first to need are in the CPU's context.  That holds for the first few of a CPU, as many as
 * a tool for the whole machine has: perf core visits those of disabled groups, too.  Those of
 * uncore PMUs always are: perf core has no such events of tasks.
 *
 * perf core leaves a counter's event alone, since its state is OFF (kernel/events/core.c:
 * event_sched_in() and merge_sched_in() return at once for PERF_EVENT_STATE_OFF and below).
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "compat.h"
#include "counter/attr.h"
#include "counter/counter.h"
#include "counter/counter_pmu.h"
#include "counter/event.h"
#include "counter/guard.h"
#include "counter/kernel_counter.h"
#include "counter/sleeper.h"
#include "platform/account.h"
#include "platform/core_pmu.h"
#include "platform/counter_reg.h"
#include "platform/cpu_state.h"
#include "platform/uncore_cpus.h"

/* Counters of a CPU that may be in its perf context. */
#define CPU_EVENTS_MAX 8

static DEFINE_PER_CPU(unsigned int, nr_cpu_events); /* pmcgrp_groups_mutex */

static const struct pmcgrp_hardware_ops *hardware_ops; /* constant after init */

/**
 * pmcgrp_kernel_counters_init - set the limit; once, before any counter exists
 * @counters_max: limit on the number of counters and triggers of each user
 * @ops: who is notified of hardware counters
 */
void pmcgrp_kernel_counters_init(unsigned int counters_max, const struct pmcgrp_hardware_ops *ops)
{
	hardware_ops = ops;
	pmcgrp_account_limit(PMCGRP_LIMIT_COUNTERS, counters_max);
}

/**
 * pmcgrp_perf_event_is_probe - check whether an event is of the kprobe or uprobe PMU
 * @event: the event
 *
 * The attr of a probe has a user-space pointer.
 */
bool pmcgrp_perf_event_is_probe(const struct perf_event *event)
{
#ifdef CONFIG_EVENT_TRACING
	return event->tp_event && event->attr.type != PERF_TYPE_TRACEPOINT;
#else
	return false;
#endif
}

/**
 * pmcgrp_perf_event_can_be_used - check whether an event can be a counter or a trigger
 * @event: the event
 * @pmu: its PMU
 * @cpu: the CPU that it was made for, or -1
 *
 * Three kinds of PMU are refused: those that trace instead of counting, those that take one
 * event only, and uncore PMUs, whose events can be counters of groups of CPUs only.
 */
bool pmcgrp_perf_event_can_be_used(const struct perf_event *event, const struct pmu *pmu, int cpu)
{
	return event->cpu == cpu && !pmu->setup_aux &&
	       !(pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE) &&
	       pmu->task_ctx_nr != perf_invalid_context;
}

/*
 * Hash what drivers choose a hardware counter by.  Those of uncore PMUs may have that in other
 * fields: the attr's are in it as well.  Events of cores that are programmed alike are of one kind:
 * of many groups of them few are tried.
 *
 * Kinds are added up (refusal.c: refusal_key(), validate.c: list_kinds()), and values of @config
 * are often close together: a product would give different sets one sum.
 */
static u64 kind_of(const struct perf_event *event, bool uncore)
{
	const struct hw_perf_event *hw = &event->hw;
	const struct perf_event_attr *attr = &event->attr;
	const u64 words[] = { hw->config, hw->config_base, hw->event_base, hw->flags,
			      hw->extra_reg.reg, hw->extra_reg.config, event->pmu->type,
			      uncore ? attr->config : 0, uncore ? attr->config1 : 0 };
	u64 kind = 1; /* none is 0 in a sum */
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		kind = rol64(kind ^ words[i], 25) * GOLDEN_RATIO_64;
	return kind;
}

/* Whether one more counter of a CPU may be in its perf context; if so, it is counted. */
static bool cpu_event_get(int cpu)
{
	unsigned int *nr = per_cpu_ptr(&nr_cpu_events, cpu);

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (*nr >= CPU_EVENTS_MAX)
		return false;
	++*nr;
	return true;
}

static void cpu_event_put(int cpu)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	--*per_cpu_ptr(&nr_cpu_events, cpu);
}

/*
 * Keep perf core from ever scheduling in an event of an uncore PMU: its state is ERROR, not OFF.
 * A driver moves its events to another CPU, when theirs goes offline, and perf core enables those
 * that are OFF then (kernel/events/core.c: perf_pmu_migrate_context(), __perf_pmu_install_event()).
 * That holds the mutexes of both CPUs' contexts.  perf core reads and writes the state under the
 * lock of the context (perf_event_set_state()).  Return false if it has been moved already.
 */
static bool keep_off(struct perf_event *event, int cpu)
{
	struct perf_event_context *ctx = pmcgrp_counter_pmu_lock_ctx(event);

	raw_spin_lock_irq(&ctx->lock);
	if (event->state == PERF_EVENT_STATE_OFF)
		WRITE_ONCE(event->state, PERF_EVENT_STATE_ERROR);
	raw_spin_unlock_irq(&ctx->lock);
	mutex_unlock(&ctx->mutex);
	/* If the driver has chosen another CPU in event_init(), counter_check() says so. */
	return READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR;
}

/* Make an event of a CPU alone. */
static struct perf_event *event_of_cpu(const struct pmcgrp_shared_event *ev, int cpu)
{
	struct perf_event *event = pmcgrp_perf_event_of_cpu(ev, cpu);

	if (IS_ERR(event) || !pmcgrp_counter_pmu_is_uncore(event) || keep_off(event, cpu))
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(-PMCGRP_EELSEWHERE);
}

/* Make an event that the sleeper cannot have, if it is of an uncore PMU. */
static struct perf_event *event_of_uncore(const struct pmcgrp_shared_event *ev, int cpu)
{
	struct perf_event *event = event_of_cpu(ev, cpu);

	if (IS_ERR(event) || pmcgrp_counter_pmu_is_uncore(event))
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(-EINVAL);
}

/* Make the event of a counter: of its CPU alone, or of the sleeper. */
static struct perf_event *counter_event(struct pmcgrp_counter *counter, bool for_cpus)
{
	struct perf_event *event;
	long err;

	counter->is_cpu_event = for_cpus && cpu_event_get(counter->cpu);
	if (counter->is_cpu_event) {
		event = event_of_cpu(counter->ev, counter->cpu);
		counter->is_few = !IS_ERR(event) && !pmcgrp_counter_pmu_is_uncore(event);
		if (!counter->is_few)
			cpu_event_put(counter->cpu);
		return event;
	}
	event = pmcgrp_perf_event_of_sleeper(counter->ev, counter->cpu);
	if (event != ERR_PTR(-EINVAL) && event != ERR_PTR(-EOPNOTSUPP))
		return event;
	/* So it is if the PMU is an uncore one, too (perf_event_alloc(), or its driver). */
	err = PTR_ERR(event);
	event = event_of_uncore(counter->ev, for_cpus ? counter->cpu : raw_smp_processor_id());
	if (IS_ERR(event))
		return ERR_PTR(err);
	counter->is_cpu_event = for_cpus;
	if (for_cpus)
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(-PMCGRP_EUNCORE);
}

static void counter_event_release(struct pmcgrp_counter *counter)
{
	pmcgrp_counter_pmu_put(counter);
	if (!counter->is_cpu_event) {
		pmcgrp_perf_event_leave_sleeper(counter->event);
		return;
	}
	perf_event_release_kernel(counter->event);
	if (counter->is_few)
		cpu_event_put(counter->cpu);
}

/**
 * pmcgrp_kernel_counter_asks_user_read - check whether an event asks for access from user space
 * @ev: the event
 * @cpu: a CPU
 *
 * Arm's driver refuses such an event for a CPU, and accepts it for a task (drivers/perf/
 * arm_pmuv3.c: __armv8_pmuv3_map_event()).  So it is tried as an event of the sleeper.  A counter
 * gives nobody access: the sleeper does not run.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
bool pmcgrp_kernel_counter_asks_user_read(const struct pmcgrp_shared_event *ev, int cpu)
{
	struct perf_event *event;
	bool asks;

	if (!pmcgrp_attr_may_ask_user_read(&ev->key))
		return false;
	event = pmcgrp_perf_event_of_sleeper(ev, cpu);
	if (IS_ERR(event))
		return false;
	asks = event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT;
	pmcgrp_perf_event_leave_sleeper(event);
	return asks;
}

/* Check an event of an uncore PMU, which has to say where it counts. */
static int uncore_check(const struct pmcgrp_counter *counter)
{
	const struct perf_event *event = counter->event;
	int here;

	if (counter->pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE)
		return -EOPNOTSUPP;
	if (event->cpu != counter->cpu)
		return -PMCGRP_EELSEWHERE;
	here = pmcgrp_uncore_counts_on(counter->pmu, event->cpu);
	if (here < 0)
		return here == -ENOMEM ? here : -EOPNOTSUPP;
	return here ? 0 : -PMCGRP_EELSEWHERE;
}

/* Check what perf core has made of an event.  Return 0, or the errno that it cannot be used for. */
static int counter_check(const struct pmcgrp_counter *counter)
{
	const struct perf_event *event = counter->event;
	struct pmu *pmu = counter->pmu;

	lockdep_assert_held(&pmcgrp_pmus_mutex);
	if (pmu == &pmcgrp_no_pmu)
		return -ENODEV;
	/*
	 * The PMU would sample or trace instead of counting: perf_ibs_init() turns counting into
	 * sampling.
	 */
	if (is_sampling_event(counter->event) || pmu->setup_aux)
		return -PMCGRP_ESAMPLES;
	/* It would go on counting in a guest, in a counter that is the guest's. */
	if (pmcgrp_core_lends_to_guests(pmu) && counter->ev->key.exclude_guest &&
	    !hardware_ops->leaves_to_guests())
		return -PMCGRP_EGUEST;
	if (pmcgrp_pmu_is_uncore(pmu))
		return uncore_check(counter);
	/*
	 * The user pointer in a probe's attr is meaningless to other groups, and to the worker
	 * that makes counters for a CPU that comes back.  A probe made in tracefs is an ordinary
	 * tracepoint.
	 */
	if (!pmcgrp_perf_event_can_be_used(event, pmu, counter->cpu) ||
	    pmcgrp_perf_event_is_probe(event) || pmcgrp_pmu_event_is_reloaded(event))
		return -EOPNOTSUPP;
	return 0;
}

/* Note what a counter and its event are, by their PMU. */
static void note_facts(struct pmcgrp_counter *counter)
{
	struct pmcgrp_shared_event *ev = counter->ev;
	struct pmu *pmu = counter->pmu;

	lockdep_assert_held(&pmcgrp_pmus_mutex);
	counter->is_software = pmu->task_ctx_nr == perf_sw_context;
	counter->is_of_core = !counter->is_software && !pmcgrp_pmu_is_uncore(pmu);
	counter->guarded = pmu;
	counter->stops_at_once = pmcgrp_pmu_stops_at_once(pmu);
	counter->has_reg = pmcgrp_reg_has_value(counter->event);
	counter->reg = -1;
	counter->kind = kind_of(counter->event, pmcgrp_pmu_is_uncore(pmu));
	if (ev->pmu && ev->pmu != &pmcgrp_no_pmu)
		return;
	ev->pmu = pmu;
	ev->kind = counter->kind;
	ev->is_software = counter->is_software;
	ev->is_uncore = pmcgrp_pmu_is_uncore(pmu);
	ev->is_of_module = pmu->module;
	ev->takes_shared = pmcgrp_pmu_event_takes_shared(counter->event);
}

/* Check the event of a new counter, and note what it is. */
static int counter_accept(struct pmcgrp_counter *counter)
{
	int err = pmcgrp_counter_pmu_take(counter);

	if (err)
		return err;
	mutex_lock(&pmcgrp_pmus_mutex);
	err = counter_check(counter);
	if (!err)
		note_facts(counter);
	mutex_unlock(&pmcgrp_pmus_mutex);
	return err;
}

/* Whether an event is known not to be counted on a CPU: most CPUs do not count uncore events. */
static bool kernel_counter_is_elsewhere(const struct pmcgrp_shared_event *ev, int cpu)
{
	bool elsewhere;

	if (!ev->is_uncore || cpu < 0)
		return false;
	mutex_lock(&pmcgrp_pmus_mutex);
	elsewhere = ev->pmu != &pmcgrp_no_pmu && !pmcgrp_uncore_counts_on(ev->pmu, cpu);
	mutex_unlock(&pmcgrp_pmus_mutex);
	return elsewhere;
}

/* The first counter of an event is in the event's memory: most events of one task need no other. */
static struct pmcgrp_counter *counter_alloc(struct pmcgrp_shared_event *ev)
{
	struct pmcgrp_counter *counter = &ev->first;

	/* Counters outlive the groups of their user: they are not charged to a memory cgroup. */
	if (counter->ev)
		counter = kzalloc(sizeof(*counter), GFP_KERNEL);
	if (counter)
		counter->ev = ev;
	return counter;
}

static void counter_free(struct pmcgrp_counter *counter)
{
	if (counter == &counter->ev->first)
		*counter = (struct pmcgrp_counter){};
	else
		kfree(counter);
}

/*
 * Whether perf core has refused an event only since there is a guest with a mediated vPMU: with
 * exclude_guest it makes it (kernel/events/core.c: mediated_pmu_account_event()).
 */
static bool guests_have_pmu(const struct pmcgrp_shared_event *ev)
{
	struct perf_event_attr attr = ev->key;
	struct perf_event *event;
	bool have;

	if (attr.exclude_guest || !pmcgrp_core_may_lend())
		return false;
	attr.exclude_guest = 1;
	event = pmcgrp_attr_event_of_cpu(&attr, raw_smp_processor_id());
	if (IS_ERR(event))
		return false;
	have = pmcgrp_core_lends_to_guests(READ_ONCE(event->pmu));
	perf_event_release_kernel(event);
	return have;
}

/**
 * pmcgrp_kernel_counter_create - create a counter
 * @ev: what it counts; the first counter shows its PMU
 * @cpu: the CPU that it is bound to, or -1
 * @generation: pmcgrp_cpu_generation() of @cpu, read before the call
 * @for_cpus: a group of CPUs needs it: it may be an event of @cpu alone
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: the counter, or an ERR_PTR as of pmcgrp_pool_bind().
 */
struct pmcgrp_counter *pmcgrp_kernel_counter_create(struct pmcgrp_shared_event *ev, int cpu,
						    u64 generation, bool for_cpus)
{
	struct pmcgrp_counter *counter;
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	/* perf core says so only of events in the CPU's context. */
	if (for_cpus && !pmcgrp_cpu_is_online(cpu))
		return ERR_PTR(-ENODEV);
	/* Without making an event, whose release takes long. */
	if (kernel_counter_is_elsewhere(ev, cpu))
		return ERR_PTR(-PMCGRP_EELSEWHERE);
	if (!pmcgrp_account_take(ev->account, PMCGRP_LIMIT_COUNTERS, 1))
		return ERR_PTR(-EDQUOT);
	counter = counter_alloc(ev);
	err = -ENOMEM;
	if (!counter)
		goto uncharge;
	counter->cpu = cpu;
	counter->is_bound = cpu >= 0;
	counter->generation = generation;
	INIT_LIST_HEAD(&counter->placed);
	counter->event = counter_event(counter, for_cpus);
	if (IS_ERR(counter->event)) {
		err = PTR_ERR(counter->event);
		if (err == -EINVAL && pmcgrp_attr_is_metric(&ev->key))
			err = -PMCGRP_ETOPDOWN;
		else if (err == -EOPNOTSUPP && guests_have_pmu(ev))
			err = -PMCGRP_EGUEST;
		goto free_counter;
	}
	err = counter_accept(counter);
	if (err)
		goto release_event;
	if (counter->is_bound && counter->is_of_core)
		pmcgrp_guard_get(cpu, counter->guarded, &ev->key);
	if (counter->is_of_core)
		hardware_ops->get();
	list_add(&counter->node, &ev->counters);
	ev->nr_counters++;
	return counter;

release_event:
	counter_event_release(counter);
free_counter:
	counter_free(counter);
uncharge:
	pmcgrp_account_give(ev->account, PMCGRP_LIMIT_COUNTERS, 1);
	return ERR_PTR(err);
}

/* The last counter goes, and with it what kept the PMU. */
static void forget_pmu(struct pmcgrp_shared_event *ev)
{
	mutex_lock(&pmcgrp_pmus_mutex);
	pmcgrp_event_forget_pmu(ev);
	mutex_unlock(&pmcgrp_pmus_mutex);
}

/**
 * pmcgrp_kernel_counter_free - free a counter of an event that no group has
 * @counter: the counter, which no CPU can reach
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_kernel_counter_free(struct pmcgrp_counter *counter)
{
	struct pmcgrp_shared_event *ev = counter->ev;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	WARN_ON_ONCE(counter->users || counter->on);
	list_del(&counter->node);
	if (!--ev->nr_counters)
		forget_pmu(ev);
	if (counter->is_bound && counter->is_of_core)
		pmcgrp_guard_put(counter->cpu, counter->guarded);
	if (counter->is_of_core)
		hardware_ops->put();
	counter_event_release(counter);
	counter_free(counter);
}

/**
 * pmcgrp_kernel_counter_discard - free a counter of an event that a group has, which is charged
 * @counter: the counter, which no CPU can reach, or NULL
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_kernel_counter_discard(struct pmcgrp_counter *counter)
{
	struct pmcgrp_account *account;

	if (!counter)
		return;
	account = counter->ev->account;
	pmcgrp_kernel_counter_free(counter);
	pmcgrp_account_give(account, PMCGRP_LIMIT_COUNTERS, 1);
}
