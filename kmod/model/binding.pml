/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts of several tasks, which count until do_exit(), are added to a task's binding, and freed.
 * Meanwhile the task is switched to and from on two CPUs, and exits.
 *
 * Once pmcgrp_tasks_add() has returned, the contexts are in wherever the task runs, and nowhere if
 * it has exited.  What a switch finds is complete.  Contexts that have been freed are in nowhere.
 *
 * No barrier follows the load of record->binding: the contexts are found by that pointer.
 *
 * NO_BINDING_RELEASE	follow/task_binding.c: record_bind(): the contexts before record->binding
 * NO_ENTRY_BARRIER	follow/task_binding.c: binding_replace(): between record->binding and PF_EXITING
 * NO_EXIT_BARRIER	follow/task_binding.c: pmcgrp_tasks_exit(): between PF_EXITING and record->binding
 * NO_CHECK		follow/task_binding.c: binding_replace(): is the task exiting?
 * NO_APPLY		follow/task_binding.c: apply_here(): the task may be running
 * NO_REMOVE_FIRST	follow/tasks.c: tasks_drop(): nobody is bound before CPUs are asked
 * NO_OUT_HERE		follow/contexts.c: pmcgrp_contexts_free(): a switch may have brought them in
 */
#define NR_CPUS		3	/* the last one controls */
#define NR_VARS		3
#define EXITING		0
#define BINDING		1	/* of the task's record: 1, or 0 for NULL */
#define CONTEXTS	2	/* of the binding */
#include "memory.pml"

#define NOWHERE		2
#define CONTROL		2
#define SWITCHES	4

#define APPLY_HERE	1
#define OUT_HERE	2

byte task = NOWHERE;	/* where the scheduler runs it */
byte switches;
bool tasks_lock;
bool in[2];		/* pmcgrp_cpu.bound */
bool exited;
bool bound, freed;	/* promised */

/* pmcgrp_task_record_binding(), and what it names comes in or goes out */
inline apply(c)
{
	if
	:: LOAD(c, BINDING) ->
		atomic {
			assert(LOAD(c, CONTEXTS));
			in[c] = true
		}
	:: else -> in[c] = false
	fi
}

active [2] proctype cpu()
{
	byte c = _pid - NR_CPUS;
end:
	do
	:: atomic { task == NOWHERE && switches < SWITCHES -> task = c; switches++ };
		/* smp_mb__after_spinlock() in __schedule() */
		BARRIER(c);
		apply(c)
	:: task == c ->
		in[c] = false;
		atomic { waiting[c] == 0 -> task = NOWHERE }
	:: call[c] == APPLY_HERE ->
		if
		:: task == c -> apply(c)
		:: else
		fi;
		CALL_END(c)
	:: call[c] == OUT_HERE ->
		in[c] = false;
		CALL_END(c)
	/* do_exit(), and with interrupts off perf_event_exit_task() */
	:: task == c && !exited ->
		STORE(c, EXITING, true);
#ifndef NO_EXIT_BARRIER
		BARRIER(c);
#endif
		if
		:: LOAD(c, BINDING) ->
			LOCK(tasks_lock);
			STORE(c, BINDING, 0);
			UNLOCK(c, tasks_lock);
			apply(c)
		:: else
		fi;
		exited = true
	:: atomic { task == c && bound && !exited && !LOAD(c, EXITING) -> assert(in[c]) }
	:: atomic { task == c && bound && exited -> assert(!in[c]) }
	:: atomic { freed -> assert(!in[c]) }
	od
}

inline add()
{
	STORE(CONTROL, CONTEXTS, true);
	/* binding_replace() */
	LOCK(tasks_lock);
#ifdef NO_BINDING_RELEASE
	STORE(CONTROL, BINDING, 1);
#else
	STORE_RELEASE(CONTROL, BINDING, 1);
#endif
#ifndef NO_ENTRY_BARRIER
	BARRIER(CONTROL);
#endif
#ifndef NO_CHECK
	if
	:: LOAD(CONTROL, EXITING) -> STORE(CONTROL, BINDING, 0)
	:: else
	fi;
#endif
	UNLOCK(CONTROL, tasks_lock);
#ifndef NO_APPLY
	CALL(CONTROL, 0, APPLY_HERE);
	CALL(CONTROL, 1, APPLY_HERE);
#endif
	bound = true
}

inline remove()
{
	LOCK(tasks_lock);
	STORE(CONTROL, BINDING, 0);
	UNLOCK(CONTROL, tasks_lock)
}

inline out()
{
#ifndef NO_OUT_HERE
	CALL(CONTROL, 0, OUT_HERE);
	CALL(CONTROL, 1, OUT_HERE)
#else
	skip
#endif
}

active proctype control()
{
	add();
	bound = false;	/* no set is in the contexts any more: pmcgrp_contexts_leave() */
#ifdef NO_REMOVE_FIRST
	out();
	remove();
#else
	remove();
	out();
#endif
	freed = true
}
