/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task exits, as a set that counts until then is put into its context and enabled.  The context
 * may be new, or have come in with other sets.
 *
 * Whatever comes first, the set does not count the task after its exit.
 *
 * NO_EXIT_BARRIER	follow/task_context.c: pmcgrp_task_context_exit(): between PF_EXITING and the
 *			look for the context
 * NO_ENABLE_BARRIER	follow/context.c: pmcgrp_context_enable_here(): between the context's place in
 *			the table and PF_EXITING
 * NO_JOIN_FIRST	follow/task_context.c: task_context_join(): nr_until_exit before the
 *			set is enabled
 * NO_CHECK		follow/context.c: pmcgrp_context_enable_here(): is the task exiting?
 * NO_LOCK		follow/task_context.c: pmcgrp_task_context_exit(): a context that is in
 *			nowhere is accessed under its lock
 */
#define NR_CPUS		2	/* the task's, and the one that controls */
#define NR_VARS		3
#define EXITING		0
#define HASHED		1	/* the context is in the table */
#define UNTIL_EXIT	2	/* pmcgrp_task_context.nr_until_exit */
#include "memory.pml"

#define CONTROL		1
#define ENABLE_HERE	1

bool lock;		/* pmcgrp_context.lock */
bool is_in;		/* pmcgrp_context.cpu >= 0 */
bool listed;		/* the set is in a list of the context */
bool done;		/* pmcgrp_context_set_enabled() has done it */
bool touched;		/* the context is being accessed */
bool exited, gone;

/* The context rule; @here: on the CPU where the context is in. */
inline touch(here, value)
{
	atomic {
		assert(is_in == here && !touched);
		touched = true
	}
	atomic {
		assert(is_in == here);
		listed = value;
		touched = false
	}
}

/* pmcgrp_context_enable_here() */
inline enable_here(cpu, here)
{
#ifndef NO_ENABLE_BARRIER
	BARRIER(cpu);
#endif
	if
#ifndef NO_CHECK
	:: LOAD(cpu, EXITING)
#endif
	:: else -> touch(here, true)
	fi;
	done = true
}

active proctype cpu()
{
end:
	do
	:: call[0] == ENABLE_HERE ->
		if
		:: is_in -> enable_here(0, true)
		:: else
		fi;
		CALL_END(0)
	/* kick_here(), with other sets */
	:: LOAD(0, HASHED) && !is_in && !gone ->
		LOCK(lock);
		is_in = true;
		UNLOCK(0, lock)
	/* do_exit(), and with interrupts off perf_event_exit_task() */
	:: !exited ->
		STORE(0, EXITING, true);
#ifndef NO_EXIT_BARRIER
		BARRIER(0);
#endif
		if
		:: LOAD(0, HASHED) && LOAD(0, UNTIL_EXIT) ->
#ifdef NO_LOCK
			touch(is_in, false)
#else
			LOCK(lock);
			if
			:: is_in ->
				UNLOCK(0, lock);
				touch(true, false)
			:: else ->
				touch(false, false);
				UNLOCK(0, lock)
			fi
#endif
		:: else
		fi;
		exited = true
	/* the last switch */
	:: exited && !gone ->
		LOCK(lock);
		is_in = false;
		UNLOCK(0, lock);
		gone = true
	:: atomic { exited -> assert(!listed) }
	:: atomic { done && !exited -> assert(listed || SLOT(0, EXITING) || memory[EXITING]) }
	od
}

bool away;

active proctype control()
{
	/* task_context_join() */
	STORE(CONTROL, HASHED, true);
#ifndef NO_JOIN_FIRST
	STORE(CONTROL, UNTIL_EXIT, true);
#endif
	/* pmcgrp_context_call() */
	do
	:: done -> break
	:: else ->
		LOCK(lock);
		away = !is_in;
		if
		:: away -> enable_here(CONTROL, false)
		:: else
		fi;
		UNLOCK(CONTROL, lock);
		if
		:: !away -> CALL(CONTROL, 0, ENABLE_HERE)
		:: else
		fi
	od;
	skip;
#ifdef NO_JOIN_FIRST
	STORE(CONTROL, UNTIL_EXIT, true)
#endif
}
