// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rides: what a carrier has counted.  A ride is in at most one gang at a time;
 * everything that changes it runs on that gang's CPU with interrupts off, so the
 * seqcount has one writer and needs no lock.  The next CPU's writer comes after
 * the scheduler has moved the task, which orders the two.
 *
 * Counts and times are brought up to date in one write section, so a reader sees
 * members and times of one instant or reads again.
 */
#include <linux/lockdep.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <uapi/linux/pmcgrp.h>
#include "ride.h"

/**
 * pmcgrp_ride_create - an empty ride
 * @group: its owner
 * @nr: the most events that it can have
 *
 * Return: the ride, to be freed by kfree() after its carrier is gone, or NULL.
 */
struct pmcgrp_ride *pmcgrp_ride_create(struct pmcgrp_group *group, unsigned int nr)
{
	struct pmcgrp_ride *ride;

	ride = kzalloc(struct_size(ride, tally, nr), GFP_KERNEL_ACCOUNT);
	if (!ride)
		return NULL;
	INIT_LIST_HEAD(&ride->node);
	ride->group = group;
	ride->nr = nr;
	ride->cpu = -1;
	seqcount_init(&ride->seq);
	return ride;
}

static void ride_assert_here(const struct pmcgrp_ride *ride)
{
	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(ride->cpu != smp_processor_id());
}

/* Advance the times; inside the write section. */
static void ride_advance(struct pmcgrp_ride *ride, u64 now)
{
	u64 delta;

	if (ride->fresh) {
		ride->fresh = false;
		ride->since = now;
		return;
	}
	/* local_clock() may step back a little where the TSC is not stable */
	delta = now > ride->since ? now - ride->since : 0;
	ride->since += delta;
	ride->enabled += delta;
	if (ride->on) {
		ride->running += delta;
		ride->vrun += delta;
	}
}

/* Advance the counts; inside the write section. */
static void ride_tally(struct pmcgrp_ride *ride, const struct pmcgrp_instant *at)
{
	unsigned int i;

	for (i = 0; i < ride->nr; i++) {
		ride->tally[i].sum += at->value[i] - ride->tally[i].base;
		ride->tally[i].base = at->value[i];
	}
}

/**
 * pmcgrp_ride_start - the carrier has come in on this CPU
 * @ride: the ride, off the PMU
 *
 * The clock starts when the ride is placed, or at the first update without: one
 * that is placed at once has run for all of the time that it was enabled.
 *
 * Context: this CPU, interrupts off.
 */
void pmcgrp_ride_start(struct pmcgrp_ride *ride)
{
	ride_assert_here(ride);
	ride->fresh = true;
}

/**
 * pmcgrp_ride_vrun - the time on the PMU up to now, for the order of turns
 * @ride: the ride
 *
 * Context: this CPU, interrupts off.
 */
u64 pmcgrp_ride_vrun(const struct pmcgrp_ride *ride)
{
	u64 now;

	ride_assert_here(ride);
	if (!ride->on)
		return ride->vrun;
	now = local_clock();
	return now > ride->since ? ride->vrun + (now - ride->since) : ride->vrun;
}

/**
 * pmcgrp_ride_place - try to put all of a ride's counters on the PMU
 * @ride: the ride, off the PMU, with slots here
 *
 * Context: this CPU, interrupts off.
 * Return: true if it now counts; otherwise nothing has changed.
 */
bool pmcgrp_ride_place(struct pmcgrp_ride *ride)
{
	struct pmcgrp_instant start;
	unsigned int i;

	ride_assert_here(ride);
	if (pmcgrp_slots_place(ride->slot, ride->nr_hw, ride->nr, &start))
		return false;

	write_seqcount_begin(&ride->seq);
	ride_advance(ride, start.now);
	for (i = 0; i < ride->nr; i++)
		ride->tally[i].base = start.value[i];
	ride->on = true;
	write_seqcount_end(&ride->seq);
	return true;
}

/**
 * pmcgrp_ride_take_off - account a ride and take its counters off the PMU
 * @ride: the ride, on the PMU
 *
 * Context: this CPU, interrupts off.
 */
void pmcgrp_ride_take_off(struct pmcgrp_ride *ride)
{
	struct pmcgrp_instant stop;

	ride_assert_here(ride);
	pmcgrp_slots_remove(ride->slot, ride->nr_hw, ride->nr, &stop);

	write_seqcount_begin(&ride->seq);
	ride_advance(ride, stop.now);
	ride_tally(ride, &stop);
	ride->on = false;
	write_seqcount_end(&ride->seq);
}

/**
 * pmcgrp_ride_account - bring a ride's counts and times up to date
 * @ride: the ride, whose carrier is in on this CPU
 *
 * Context: this CPU, interrupts off.
 */
void pmcgrp_ride_account(struct pmcgrp_ride *ride)
{
	struct pmcgrp_instant here;

	ride_assert_here(ride);
	if (ride->on)
		pmcgrp_slots_read(ride->slot, ride->nr, &here);
	else
		here.now = local_clock();

	write_seqcount_begin(&ride->seq);
	ride_advance(ride, here.now);
	if (ride->on)
		ride_tally(ride, &here);
	write_seqcount_end(&ride->seq);
}

/**
 * pmcgrp_ride_snapshot - a consistent copy of what has been accounted
 * @ride: the ride, anywhere
 * @snap: out
 *
 * Context: any but NMI: it could wait for the writer that it interrupted.
 */
void pmcgrp_ride_snapshot(const struct pmcgrp_ride *ride, struct pmcgrp_snapshot *snap)
{
	unsigned int i, seq;

	do {
		seq = read_seqcount_begin(&ride->seq);
		snap->enabled = ride->enabled;
		snap->running = ride->running;
		for (i = 0; i < ride->nr; i++)
			snap->count[i] = ride->tally[i].sum;
	} while (read_seqcount_retry(&ride->seq, seq));
}
