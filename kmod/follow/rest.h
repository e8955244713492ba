/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_REST_H
#define PMCGRP_REST_H

#include <linux/types.h>

struct pmcgrp_cpu;
struct pmcgrp_evset;

/*
 * Sets that wait beside the sets on the PMU: each switch to the task visits them.  Together with
 * the sets that come back (rest.c) they are more than a rotation tries (rotate.c).
 */
#define PMCGRP_WAITING_MOST 4

void pmcgrp_rest_catch_up(struct pmcgrp_evset *set);
void pmcgrp_rest_stop(struct pmcgrp_evset *set);
const struct pmcgrp_evset *pmcgrp_rest_here(const struct pmcgrp_evset *set);
void pmcgrp_rest_at_once(struct pmcgrp_evset *set);
void pmcgrp_rest_end(struct pmcgrp_evset *set);
bool pmcgrp_rest_wake(struct pmcgrp_cpu *pcpu);
void pmcgrp_rest_begin(struct pmcgrp_cpu *pcpu);

#endif /* PMCGRP_REST_H */
