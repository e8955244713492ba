/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_POOL_H
#define PMCGRP_POOL_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct pmcgrp_counter;
struct pmcgrp_shared_event;
struct pmcgrp_hardware_ops;

extern atomic_t pmcgrp_nr_small_pools;

void pmcgrp_pools_init(unsigned int counters_max, const struct pmcgrp_hardware_ops *ops);
void pmcgrp_pools_exit(void);

void pmcgrp_pool_init(struct pmcgrp_shared_event *ev);
void pmcgrp_pool_end(struct pmcgrp_shared_event *ev);
int pmcgrp_pool_want(struct pmcgrp_shared_event *ev, unsigned int nr);
void pmcgrp_pool_unwant(struct pmcgrp_shared_event *ev, unsigned int nr);
bool pmcgrp_pool_is_behind(const struct pmcgrp_shared_event *ev);
void pmcgrp_pools_want_more(unsigned int nr);
void pmcgrp_pools_fill(void);
int pmcgrp_pool_reserve(struct pmcgrp_shared_event *ev);
struct pmcgrp_counter *pmcgrp_pool_counter_here(struct pmcgrp_shared_event *ev);
void pmcgrp_pool_give_back_slow(struct pmcgrp_counter *const *counter, unsigned int nr, bool grow);
void pmcgrp_pools_take_from(int cpu);
struct pmcgrp_counter *pmcgrp_pool_bind(struct pmcgrp_shared_event *ev, int cpu, u64 generation,
					bool for_cpus);
void pmcgrp_pool_unbind(struct pmcgrp_counter *counter);

/**
 * pmcgrp_pool_give_back - a set leaves this CPU: give back the counters that others may need
 * @counter: the set's counters
 * @nr: number of all of them
 *
 * Where each CPU can have a counter of each event nothing is given back.
 *
 * Context: interrupts off, in a recursion section; perf core's locks may be held.
 */
static inline void pmcgrp_pool_give_back(struct pmcgrp_counter *const *counter,
					 unsigned int nr)
{
	if (unlikely(atomic_read(&pmcgrp_nr_small_pools)))
		pmcgrp_pool_give_back_slow(counter, nr, true);
}

#endif /* PMCGRP_POOL_H */
