/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set is scheduled in and out on two CPUs with its task, while its list is enabled, watched and
 * disabled.  execve() enables it once, whenever.
 *
 * One CPU counts at a time.  Once pmcgrp_evlist_activate() has returned, the set counts wherever it
 * is in.  Once pmcgrp_evlist_deactivate() has returned, it counts nowhere.
 *
 * NO_IN_BARRIER	sched/sched.c: pmcgrp_sched_in(): between set->cpu and evlist->active
 * NO_COLLECT_BARRIER	group/evlist_control.c: evlist_collect_cpus(): between evlist->active and set->cpu
 * NO_ACTIVE_FIRST	group/evlist_control.c: pmcgrp_evlist_activate(): active before the broadcast
 * NO_AGAIN		group/evlist_control.c: pmcgrp_evlist_deactivate(): again after execve()
 * NO_OUT_ON_CPU	sched/sched.c: pmcgrp_sched_out(): the set is disabled before it leaves its CPU
 */
#define NR_CPUS		3	/* the last one controls */
#define NR_VARS		3
#define SET_CPU		0	/* CPU + 1, or 0: in nowhere */
#define ACTIVE		1
#define WATCHED		2
#include "memory.pml"

#define NOWHERE		2
#define CONTROL		2
#define SWITCHES	4

#define START_HERE	1
#define STOP_HERE	2
#define WATCH_HERE	3

byte task = NOWHERE;	/* where the scheduler runs it; its locks order what CPUs do for it */
byte switches;
bool in[2];		/* pmcgrp_evcpu.in */
bool is_in[2];		/* pmcgrp_evset.is_in, as this CPU sees it */
bool watched[2];		/* pmcgrp_evset.watch_node */
bool fired, firing;	/* evlist->latch_fired; it is being done */

/* What has been promised. */
bool counts, counts_not, is_watched, done;

inline enable(c)
{
	atomic {
		assert(!is_in[1 - c]);
		is_in[c] = true
	}
}

active [2] proctype cpu()
{
	byte c = _pid - NR_CPUS;
end:
	do
	/* pmcgrp_sched_in() */
	:: atomic { task == NOWHERE && switches < SWITCHES -> task = c; switches++ };
		STORE(c, SET_CPU, c + 1);
		in[c] = true;
#ifndef NO_IN_BARRIER
		BARRIER(c);
#endif
		if
		:: LOAD(c, WATCHED) -> watched[c] = true
		:: else
		fi;
		if
		:: LOAD(c, ACTIVE) -> enable(c)
		:: else
		fi
	/* pmcgrp_sched_out() */
	:: task == c ->
#ifndef NO_OUT_ON_CPU
		is_in[c] = false;
#endif
		watched[c] = false;
		in[c] = false;
		STORE_RELEASE(c, SET_CPU, 0);
		atomic { waiting[c] == 0 -> task = NOWHERE };
#ifdef NO_OUT_ON_CPU
		is_in[c] = false
#endif
	:: call[c] == START_HERE ->
		if
		:: in[c] -> enable(c)
		:: else
		fi;
		CALL_END(c)
	:: call[c] == STOP_HERE ->
		if
		:: in[c] -> is_in[c] = false
		:: else
		fi;
		CALL_END(c)
	:: call[c] == WATCH_HERE ->
		if
		:: in[c] -> watched[c] = true
		:: else
		fi;
		CALL_END(c)
	/* latch_add(): the target is here */
	:: atomic { task == c && !fired -> fired = true; firing = true; counts_not = false };
		STORE(c, ACTIVE, 1);
		enable(c);
		atomic { waiting[c] == 0 -> firing = false }
	:: atomic { task == c && counts -> assert(is_in[c]) }
	:: atomic { task == c && counts_not -> assert(!is_in[c]) }
	:: atomic { task == c && is_watched -> assert(watched[c]) }
	:: atomic { task == c && done && !firing -> assert(is_in[c] == memory[ACTIVE]) }
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

inline activate()
{
#ifdef NO_ACTIVE_FIRST
	broadcast(START_HERE);
	STORE(CONTROL, ACTIVE, 1);
#else
	STORE(CONTROL, ACTIVE, 1);
	broadcast(START_HERE);
#endif
	counts = true
}

inline deactivate()
{
	counts = false;
	do
	:: STORE(CONTROL, ACTIVE, 0);
		broadcast(STOP_HERE);
#ifdef NO_AGAIN
		break
#else
		if
		:: LOAD(CONTROL, ACTIVE)
		:: atomic { !LOAD(CONTROL, ACTIVE) -> counts_not = !firing; break }
		fi
#endif
	od
}

active proctype control()
{
	activate();
	STORE(CONTROL, WATCHED, 1);
	broadcast(WATCH_HERE);
	is_watched = true;
	deactivate();
	if
	:: true
	:: counts_not = false;
		activate()
	fi;
	BARRIER(CONTROL);
	done = true
}
