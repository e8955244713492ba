/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SLEEPER_H
#define PMCGRP_SLEEPER_H

#include <linux/perf_event.h>

struct pmcgrp_shared_event;

void pmcgrp_perf_event_note_pmu(const struct pmcgrp_shared_event *ev, struct perf_event *event);
struct perf_event *pmcgrp_perf_event_of_cpu(const struct pmcgrp_shared_event *ev, int cpu);
struct perf_event *pmcgrp_perf_event_of_sleeper(const struct pmcgrp_shared_event *ev, int cpu);
void pmcgrp_perf_event_leave_sleeper(struct perf_event *event);
void pmcgrp_sleeper_exit(void);

#endif /* PMCGRP_SLEEPER_H */
