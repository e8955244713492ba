/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CPU_STATE_H
#define PMCGRP_CPU_STATE_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct pmcgrp_cpu_state - what may have changed on a CPU since a look-up; written on that CPU
 * @lookups: changes when a counter may have left the CPU, or the CPU's hotplug state has changed:
 *	an evcpu that was filled before is filled again (evcpu.c).  Never 0.  Interrupts off.
 * @generation: changes when the CPU goes online or offline; read anywhere
 * @online: the CPU is between its online and offline callbacks; read anywhere
 */
struct pmcgrp_cpu_state {
	u64 lookups;
	u64 generation;
	bool online;
};

DECLARE_PER_CPU(struct pmcgrp_cpu_state, pmcgrp_cpu_states);

/* num_possible_cpus(), which older kernels count at each call; constant after init */
extern unsigned int pmcgrp_nr_cpus;

void pmcgrp_cpu_state_init(void);
void pmcgrp_cpu_set_online(bool online);

/* The state of this CPU as far as look-ups of counters go; interrupts off. */
static inline u64 pmcgrp_lookups_here(void)
{
	return __this_cpu_read(pmcgrp_cpu_states.lookups);
}

/* All evcpus of counters of this CPU are filled again before they are used; interrupts off. */
static inline void pmcgrp_lookups_end(void)
{
	__this_cpu_inc(pmcgrp_cpu_states.lookups);
}

/**
 * pmcgrp_cpu_generation - get a number that changes when a CPU goes online or offline
 * @cpu: the CPU
 */
static inline u64 pmcgrp_cpu_generation(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_cpu_states, cpu)->generation);
}

/**
 * pmcgrp_cpu_is_online - whether a CPU may have counters
 * @cpu: the CPU; the answer may be outdated unless it is the caller's
 */
static inline bool pmcgrp_cpu_is_online(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_cpu_states, cpu)->online);
}

/* The same for this CPU; interrupts off. */
static inline bool pmcgrp_this_cpu_is_online(void)
{
	return __this_cpu_read(pmcgrp_cpu_states.online);
}

#endif /* PMCGRP_CPU_STATE_H */
