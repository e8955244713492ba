/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_KERNEL_COUNTER_H
#define PMCGRP_KERNEL_COUNTER_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct pmcgrp_counter;
struct pmcgrp_shared_event;

/**
 * struct pmcgrp_hardware_ops - what hardware counters ask for (follow.c)
 * @get: one is about to exist; may sleep, pmcgrp_groups_mutex held
 * @put: one exists no more; as @get
 * @leaves_to_guests: whether it leaves a PMU that the kernel lends to a guest (guest.c)
 */
struct pmcgrp_hardware_ops {
	void (*get)(void);
	void (*put)(void);
	bool (*leaves_to_guests)(void);
};

void pmcgrp_kernel_counters_init(unsigned int counters_max, const struct pmcgrp_hardware_ops *ops);
bool pmcgrp_perf_event_is_probe(const struct perf_event *event);
bool pmcgrp_perf_event_can_be_used(const struct perf_event *event, const struct pmu *pmu, int cpu);
struct pmcgrp_counter *pmcgrp_kernel_counter_create(struct pmcgrp_shared_event *ev, int cpu,
						    u64 generation, bool for_cpus);
bool pmcgrp_kernel_counter_asks_user_read(const struct pmcgrp_shared_event *ev, int cpu);
void pmcgrp_kernel_counter_free(struct pmcgrp_counter *counter);
void pmcgrp_kernel_counter_discard(struct pmcgrp_counter *counter);

#endif /* PMCGRP_KERNEL_COUNTER_H */
