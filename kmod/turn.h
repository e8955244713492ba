/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TURN_H
#define PMCGRP_TURN_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/types.h>
#include "ride.h"

struct pmcgrp_gang;

/* The rides that give up their place at a tick. */
static inline bool pmcgrp_ride_takes_turns(const struct pmcgrp_ride *ride)
{
	return ride->nr_hw && !ride->pinned;
}

struct pmcgrp_ride *pmcgrp_gang_has_turn(struct pmcgrp_gang *gang);
bool pmcgrp_gang_has_pinned(const struct pmcgrp_gang *gang);
const struct pmcgrp_ride *pmcgrp_gang_holder(const struct pmcgrp_gang *gang,
					     const struct pmcgrp_ride *ride);
void pmcgrp_gang_take_off_turns(struct pmcgrp_gang *gang);
void pmcgrp_gang_fill(struct pmcgrp_gang *gang);
void pmcgrp_gang_arm(struct pmcgrp_gang *gang);

void pmcgrp_turn_end(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride);
void pmcgrp_turn_set_waiting(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride, bool waiting);
bool pmcgrp_turn_place(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride);
void pmcgrp_turn_rotate(struct pmcgrp_gang *gang);
void pmcgrp_turn_make_room(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride);
bool pmcgrp_turn_is_crowded(const struct pmcgrp_gang *gang);
enum hrtimer_restart pmcgrp_turn_timer(struct hrtimer *timer);
void pmcgrp_turn_work(struct irq_work *work);

#endif /* PMCGRP_TURN_H */
