/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* KVM guests that have the PMU to themselves while they run: events then leave guests out, ":H". */
#ifndef GUEST_H
#define GUEST_H

#include "counter_set.h"

/*
 * guest_exclude - after a failure: let all hardware events of a set leave guests out
 * @note: as of counter_set_open(); called once, with a sentence on what is counted
 *
 * The kernel refuses others while there is a guest with a mediated vPMU (from Linux 6.19 on).  As
 * perf, whose events leave guests out anyway (event_attr_init()).
 *
 * Return: 1: something has changed, try again; 0: not; -ENOMEM.
 */
int guest_exclude(struct counter_set *set, struct pmcgrp *h, counter_note_fn note);

#endif
