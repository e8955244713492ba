/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list in contexts of several tasks, which is lazy: its set of a CPU is made as the context comes
 * in there for the first time.  The list is enabled, perhaps gets all its sets, is disabled, enabled
 * and disabled again, and freed.  Meanwhile the context comes in and goes out on one CPU.
 *
 * Once the list has been enabled, its set comes in with the context, and once it has been disabled,
 * no more.  No switch accesses a list that has been freed.
 *
 * NO_COME_BARRIER	follow/contexts.c: pmcgrp_contexts_come(): between the CPU and the lists
 * NO_LISTS_BARRIER	follow/contexts.c: pmcgrp_contexts_set_enabled(): between the list and the CPUs
 * NO_COME_LOCK		follow/contexts.c: pmcgrp_contexts_come(): under the context's lock
 * NO_ENABLE_CHECK	follow/contexts.c: enable_on(): is the set enabled already?
 * NO_CALL_CHECK	follow/contexts.c: contexts_call_here(): is the context in here?
 * NO_CALL_AGAIN	follow/contexts.c: call_on(): again where it has come in or gone out
 * NO_MAKE_FIRST	follow/contexts.c: pmcgrp_contexts_make_sets(): before the list is not lazy
 */
#define NR_CPUS		2	/* the last one controls */
#define NR_VARS		2
#define LISTED		0	/* in pmcgrp_contexts.lists */
#define COME		1	/* the CPU is in pmcgrp_contexts.come */
#include "memory.pml"

#define NOWHERE		2
#define CONTROL		1
#define SWITCHES	3

#define ENABLE_HERE	1
#define DISABLE_HERE	2

byte switches;
bool lock;		/* pmcgrp_context.lock */
byte ctx_cpu = NOWHERE;	/* pmcgrp_context.cpu */
bool has_come;
byte listed;		/* the set is in pmcgrp_context.active: so often */
bool call_done;
bool counts, gone, freed;	/* promised */

#define MAY_ACCESS(where)	(ctx_cpu == where && (where != NOWHERE || lock))

inline enable_on(where)
{
	assert(MAY_ACCESS(where));
	if
#ifdef NO_ENABLE_CHECK
	:: true -> listed++
#else
	:: !listed -> listed++
	:: else
#endif
	fi
}

inline disable_on(where)
{
	assert(MAY_ACCESS(where));
	listed = 0
}

/* pmcgrp_contexts_come() */
inline come()
{
	has_come = true;
	STORE(0, COME, true);
#ifndef NO_COME_BARRIER
	BARRIER(0);
#endif
#ifndef NO_COME_LOCK
	LOCK(lock);
#endif
	if
	:: LOAD(0, LISTED) ->
		assert(!freed);
		enable_on(NOWHERE)
	:: else
	fi;
#ifndef NO_COME_LOCK
	UNLOCK(0, lock)
#endif
}

active proctype cpu()
{
end:
	do
	/* A task of the list is switched to: pmcgrp_binding_in() */
	:: ctx_cpu != 0 && switches < SWITCHES ->
		switches++;
		if
		:: !has_come -> come()
		:: else
		fi;
		LOCK(lock);
		ctx_cpu = 0;
		UNLOCK(0, lock)
	/* ... and from: pmcgrp_context_out() */
	:: ctx_cpu == 0 ->
		LOCK(lock);
		ctx_cpu = NOWHERE;
		UNLOCK(0, lock)
	:: call[0] ->
		if
#ifdef NO_CALL_CHECK
		:: true ->
#else
		:: ctx_cpu == 0 ->
#endif
			if
			:: call[0] == ENABLE_HERE -> enable_on(0)
			:: else -> disable_on(0)
			fi;
			call_done = true
		:: else
		fi;
		CALL_END(0)
	:: atomic { counts && ctx_cpu == 0 -> assert(listed) }
	:: atomic { gone -> assert(!listed) }
	:: atomic { listed -> assert(listed == 1 && !freed) }
	od
}

bool on, all_made, makes;
byte rounds;

/* pmcgrp_contexts_set_enabled(); or of an enabled list pmcgrp_contexts_make_sets() */
active proctype control()
{
	do
	:: rounds < 2 ->
		if
		:: !on -> on = true
		:: on && !all_made -> makes = true; all_made = true
		:: on -> on = false; rounds++
		fi;
		if
		:: makes ->
#ifdef NO_MAKE_FIRST
			STORE(CONTROL, LISTED, false)
#endif
		:: !makes ->
			atomic {
				counts = false;
				gone = false
			}
			if
			:: !all_made -> STORE(CONTROL, LISTED, on)
			:: all_made
			fi
		fi;
#ifndef NO_LISTS_BARRIER
		BARRIER(CONTROL);
#endif
		/* call_on(), where the context has been in, or on all CPUs */
		call_done = !all_made && !LOAD(CONTROL, COME);
		do
		:: !call_done ->
			LOCK(lock);
			if
			:: ctx_cpu == NOWHERE ->
				if
				:: on -> enable_on(NOWHERE)
				:: !on -> disable_on(NOWHERE)
				fi;
				call_done = true
			:: else
			fi;
			UNLOCK(CONTROL, lock);
			if
			:: !call_done -> CALL(CONTROL, 0, (on -> ENABLE_HERE : DISABLE_HERE))
			:: else
			fi;
#ifdef NO_CALL_AGAIN
			break
#endif
		:: call_done -> break
		od;
		if
		:: makes ->
			makes = false;
			STORE(CONTROL, LISTED, false)
		:: !makes ->
			atomic {
				counts = on;
				gone = !on
			}
		fi
	:: rounds == 2 -> break
	od;
	freed = true
}
