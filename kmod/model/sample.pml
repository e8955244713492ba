/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of a group are taken without a lock, where its set is in.  The group is reset, or enabled
 * again, while other groups have the list count.
 *
 * A sample that finds the group enabled has the values at the reset complete, and the newest.
 *
 * NO_ENABLED_RELEASE	group/control.c: control_go_on(), as shared_reset(): the values before group->enabled
 * NO_ENABLED_ACQUIRE	group/group.h: pmcgrp_group_is_enabled(): the values after group->enabled
 * NO_IN_BARRIER	sched/sched.c: pmcgrp_sched_in(): between set->cpu and group->enabled
 * NO_BROADCAST		group/evlist_control.c: pmcgrp_evlist_refresh_sets(): a sample that is being
 *			taken ends before its CPU accounts
 * SPARE_SAMPLES_BARRIER	group/control.c: no_samples(): between group->enabled and set->cpu.
 *			evlist_collect_cpus() has one, too.
 * SPARE_COLLECT_BARRIER	group/evlist_control.c: evlist_collect_cpus(): no_samples() has one here.
 */
#define NR_CPUS		3	/* the last one controls */
#define NR_VARS		3
#define SET_CPU		0	/* CPU + 1, or 0: in nowhere */
#define ENABLED		1	/* 0: it is; memory is zeroed */
#define ZERO		2
#include "memory.pml"

#define NOWHERE		2
#define CONTROL		2
#define SWITCHES	4

#define ACCOUNT_HERE	1

byte task = NOWHERE;	/* where the scheduler runs it */
byte switches;
byte zero;		/* pmcgrp_group.zero as it is */
bool changing;		/* it is not complete */

active [2] proctype cpu()
{
	byte c = _pid - NR_CPUS;
	byte has;
end:
	do
	:: atomic { task == NOWHERE && switches < SWITCHES -> task = c; switches++ };
		STORE(c, SET_CPU, c + 1);
#ifndef NO_IN_BARRIER
		BARRIER(c);
#endif
		skip
	:: task == c ->
		STORE_RELEASE(c, SET_CPU, 0);
		atomic { waiting[c] == 0 -> task = NOWHERE }
	/* record(): the CPU does nothing else meanwhile */
	:: task == c ->
#ifdef NO_ENABLED_ACQUIRE
		has = LOAD(c, ZERO);
#endif
		if
		:: LOAD(c, ENABLED)
		:: else ->
#ifndef NO_ENABLED_ACQUIRE
			has = LOAD(c, ZERO);
#endif
			assert(!changing && has == zero)
		fi;
		has = 0
	:: call[c] == ACCOUNT_HERE -> CALL_END(c)
	od
}

byte at;

inline reset()
{
	STORE(CONTROL, ENABLED, 1);
#ifndef SPARE_SAMPLES_BARRIER
	BARRIER(CONTROL);
#endif
#ifndef SPARE_COLLECT_BARRIER
	BARRIER(CONTROL);
#endif
	at = LOAD(CONTROL, SET_CPU);
	if
#ifndef NO_BROADCAST
	:: at -> CALL(CONTROL, at - 1, ACCOUNT_HERE)
#endif
	:: else
	fi;
	changing = true;
	STORE(CONTROL, ZERO, zero + 1);
	atomic {
		zero++;
		changing = false
	}
#ifdef NO_ENABLED_RELEASE
	STORE(CONTROL, ENABLED, 0)
#else
	STORE_RELEASE(CONTROL, ENABLED, 0)
#endif
}

active proctype control()
{
	reset();
	reset()
}
