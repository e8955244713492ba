// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hotplug state of each CPU, and whether look-ups of its counters are still valid.
 */
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include "platform/cpu_state.h"

DEFINE_PER_CPU(struct pmcgrp_cpu_state, pmcgrp_cpu_states);
unsigned int pmcgrp_nr_cpus __read_mostly;

/**
 * pmcgrp_cpu_state_init - initialise the state of all CPUs, and pmcgrp_nr_cpus; once, before any
 *	counter exists
 */
void pmcgrp_cpu_state_init(void)
{
	int cpu;

	pmcgrp_nr_cpus = num_possible_cpus();
	for_each_possible_cpu(cpu)
		per_cpu(pmcgrp_cpu_states.lookups, cpu) = 1;
}

/**
 * pmcgrp_cpu_set_online - begin a new generation of this CPU
 * @online: whether it has come online, or goes offline
 *
 * Events in the context of a CPU do not outlive this: counters that are such events are not used
 * any more.
 *
 * Context: interrupts off.
 */
void pmcgrp_cpu_set_online(bool online)
{
	struct pmcgrp_cpu_state *state = this_cpu_ptr(&pmcgrp_cpu_states);

	lockdep_assert_irqs_disabled();
	WRITE_ONCE(state->generation, state->generation + 1);
	WRITE_ONCE(state->online, online);
	pmcgrp_lookups_end();
}
