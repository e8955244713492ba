/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a list change while it is frozen.  Its set is scheduled in and out on two CPUs, or
 * takes over the counters of another task's set.
 *
 * No set is enabled while events change.  One that is enabled has the events as they are now.  Who
 * hands over counters has those of the same events.  Once pmcgrp_evlist_thaw() has returned, the
 * set counts wherever it is in.
 *
 * NO_IN_BARRIER	sched/sched.c: pmcgrp_sched_in(): between set->cpu and evlist->frozen
 * NO_COLLECT_BARRIER	group/evlist_control.c: evlist_collect_cpus(): between evlist->frozen and set->cpu
 * NO_FREEZE_FIRST	group/evlist_control.c: pmcgrp_evlist_freeze(): frozen before the broadcast
 * NO_THAW_FIRST	group/evlist_control.c: pmcgrp_evlist_thaw(): thawed before the broadcast
 * NO_THAW_RELEASE	group/evlist_control.c: pmcgrp_evlist_thaw(): the events before evlist->frozen
 * NO_FROZEN_ACQUIRE	sched/sched.c: sched_enable(): the events after evlist->frozen
 * NO_OVER_BARRIER	sched/handover.c: pmcgrp_handover(): between set->cpu and evlist->frozen
 * NO_OVER_ACQUIRE	sched/handover.c: is_plain(): the events after evlist->frozen
 * NO_OVER_ORDER	sched/handover.c: pmcgrp_handover(): the counters after the barrier
 */
#define NR_CPUS		3	/* the last one controls */
#define NR_VARS		3
#define SET_CPU		0	/* CPU + 1, or 0: in nowhere */
#define FROZEN		1
#define EVENTS		2	/* which ones; 0: those of the other task's set */
#include "memory.pml"

#define NOWHERE		2
#define CONTROL		2
#define SWITCHES	5

#define STOP_HERE	1
#define THAW_HERE	2

byte task = NOWHERE;	/* where the scheduler runs it */
byte switches;
bool in[2];		/* pmcgrp_evcpu.in */
bool is_in[2];		/* pmcgrp_evset.is_in */
byte has[2];		/* the events whose counters it has */

byte now;		/* the events as they are */
bool changing;		/* they are not complete */
bool counts;		/* promised */

/* sched_enable() */
inline enable(c)
{
#ifdef NO_FROZEN_ACQUIRE
	has[c] = LOAD(c, EVENTS);
#endif
	if
	:: is_in[c] || LOAD(c, FROZEN)
	:: else ->
#ifndef NO_FROZEN_ACQUIRE
		has[c] = LOAD(c, EVENTS);
#endif
		atomic {
			assert(!is_in[1 - c] && !changing);
			assert(has[c] == now);
			is_in[c] = true
		}
	fi
}

/* pmcgrp_handover() */
inline hand_over(c)
{
#if defined(NO_OVER_ORDER)
	has[c] = LOAD(c, EVENTS);
#endif
	STORE(c, SET_CPU, c + 1);
#ifndef NO_OVER_BARRIER
	BARRIER(c);
#endif
#if defined(NO_OVER_ACQUIRE)
	has[c] = LOAD(c, EVENTS);
#endif
	if
	:: LOAD(c, FROZEN) -> STORE(c, SET_CPU, 0)
	:: else ->
#if !defined(NO_OVER_ACQUIRE) && !defined(NO_OVER_ORDER)
		has[c] = LOAD(c, EVENTS);
#endif
		if
		:: has[c] -> STORE(c, SET_CPU, 0)
		:: !has[c] ->
			atomic {
				assert(!is_in[1 - c] && !changing);
				assert(has[c] == now);
				is_in[c] = true
			}
			in[c] = true
		fi
	fi
}

active [2] proctype cpu()
{
	byte c = _pid - NR_CPUS;
end:
	do
	:: atomic { task == NOWHERE && switches < SWITCHES -> task = c; switches++ };
		if
		:: true
		:: hand_over(c)
		fi;
		/* pmcgrp_sched_in() */
		if
		:: in[c]
		:: else ->
			STORE(c, SET_CPU, c + 1);
			in[c] = true;
#ifndef NO_IN_BARRIER
			BARRIER(c);
#endif
			enable(c)
		fi
	/* pmcgrp_sched_out() */
	:: task == c ->
		is_in[c] = false;
		in[c] = false;
		STORE_RELEASE(c, SET_CPU, 0);
		atomic { waiting[c] == 0 -> task = NOWHERE }
	:: call[c] == STOP_HERE ->
		if
		:: in[c] -> is_in[c] = false
		:: else
		fi;
		CALL_END(c)
	:: call[c] == THAW_HERE ->
		if
		:: in[c] -> enable(c)
		:: else
		fi;
		CALL_END(c)
	:: atomic { task == c && counts -> assert(is_in[c]) }
	od
}

byte at;	/* the CPU of evlist->scratch_cpus, + 1 */

inline broadcast(func)
{
	/* evlist_collect_cpus() */
#ifndef NO_COLLECT_BARRIER
	BARRIER(CONTROL);
#endif
	at = LOAD(CONTROL, SET_CPU);
	if
	:: at -> CALL(CONTROL, at - 1, func)
	:: else
	fi
}

inline freeze()
{
#ifdef NO_FREEZE_FIRST
	broadcast(STOP_HERE);
	STORE(CONTROL, FROZEN, true);
#else
	STORE(CONTROL, FROZEN, true);
	broadcast(STOP_HERE);
#endif
}

inline thaw()
{
#ifdef NO_THAW_FIRST
	broadcast(THAW_HERE);
#endif
#ifdef NO_THAW_RELEASE
	STORE(CONTROL, FROZEN, false);
#else
	STORE_RELEASE(CONTROL, FROZEN, false);
#endif
#ifndef NO_THAW_FIRST
	broadcast(THAW_HERE);
#endif
}

inline change()
{
	counts = false;
	freeze();
	atomic {
		assert(!is_in[0] && !is_in[1]);
		changing = true
	}
	STORE(CONTROL, EVENTS, !now);
	atomic {
		now = !now;
		changing = false
	}
	thaw();
	counts = true
}

active proctype control()
{
	change();
	change()
}
