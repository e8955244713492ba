/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The context of a task: its set is enabled, disabled and enabled again, and the context ends.  The
 * task wakes, sleeps and is preempted, on two CPUs, and executes a set-uid program.  One CPU goes
 * offline.
 *
 * The context rule: who accesses the context is alone with it.  Once task_context_enable()
 * has returned, the context is in wherever the task runs.  A context that has ended is in nowhere,
 * and so is each one on a CPU that is offline.  No switch accesses memory that has been freed.
 *
 * The kernel has a full barrier between task->on_cpu and the task's next change of its state.
 *
 * NO_SWITCH_BARRIER	follow/task_context.c: pmcgrp_task_call(): pairs with the kernel's
 *			smp_mb__after_spinlock(), between the task's state and the context
 * NO_CALL_BARRIER	follow/task_context.c: pmcgrp_task_call(): between the context and the state
 * NO_STATE_FIRST	follow/task_context.c: pmcgrp_task_call(): task->on_cpu after the state
 * NO_ON_CPU		follow/task_context.c: pmcgrp_task_call(): does the task leave its CPU?
 * NO_KICK		follow/task_context.c: task_context_enable(): the task may be running
 * NO_KICK_CURRENT	follow/task_context.c: kick_here(): is it the task that runs here?
 * NO_KICK_ONCE		follow/task_context.c: kick_here(): is the context in already?
 * NO_KICK_ONLINE	follow/task_context.c: kick_here(): is the CPU online?
 * NO_SWITCH_ONLINE	follow/follow.c: __switch_sets(): is the CPU online?
 * NO_ENDED		follow/context.c: pmcgrp_context_claim(): has the context ended?
 * NO_CLAIM_LOCK	follow/context.c: pmcgrp_context_claim(): under the lock
 * NO_RELEASE_LAST	follow/context.c: context_release(): after all accesses
 * NO_CALL_CHECK	follow/context.c: context_call_here(): is the context in here?
 * NO_CALL_AGAIN	follow/context.c: pmcgrp_context_call(): again if the task has moved
 * NO_END_OUT		follow/task_context.c: context_end(): the context may be in
 * NO_EXEC_OUT		follow/task_context.c: pmcgrp_task_context_exec(): the context may be in
 */
#define NR_CPUS		3	/* the last one controls */
#define NR_VARS		5
#define ENABLED		0	/* pmcgrp_context.enabled */
#define UNHASHED	1
#define SLEEPS		2	/* task->__state is not TASK_RUNNING */
#define ON_CPU		3
#define TASK_CPU	4
#include "memory.pml"

#define NOWHERE		2
#define CONTROL		2
#define SWITCHES	3

#define ENABLE_HERE	1
#define DISABLE_HERE	2
#define KICK_HERE	3
#define OUT_HERE	4

/* The task, as the scheduler has it under its locks. */
byte current = NOWHERE;
byte queued = NOWHERE;
bool asleep = true;
byte switches;

bool lock;		/* pmcgrp_context.lock */
byte ctx_cpu = NOWHERE;	/* pmcgrp_context.cpu */
bool ended;
bool in[2];		/* pmcgrp_cpu.ctx */
bool listed;		/* the set is in pmcgrp_context.active */
bool touched;
bool offline;		/* CPU 1 is */
bool irqs_off[2];
bool executed;
bool call_done;
bool leaves;		/* the last set has left the context */

bool counts, gone, freed;	/* promised */

#define IS_ONLINE(c)	(c == 0 || !offline)

/* What kick_here() checks. */
#ifdef NO_KICK_CURRENT
#define IS_CURRENT(c)	true
#else
#define IS_CURRENT(c)	current == c
#endif
#ifdef NO_KICK_ONCE
#define IS_IN(c)	false
#else
#define IS_IN(c)	in[c]
#endif
#ifdef NO_KICK_ONLINE
#define MAY_COME(c)	true
#else
#define MAY_COME(c)	IS_ONLINE(c)
#endif

#ifdef NO_CLAIM_LOCK
#define CLAIM_LOCK(c)	skip
#define CLAIM_UNLOCK(c)	skip
#else
#define CLAIM_LOCK(c)	LOCK(lock)
#define CLAIM_UNLOCK(c)	UNLOCK(c, lock)
#endif

/* Access the context: on the CPU where it is in, or with its lock. */
inline touch(where)
{
	atomic {
		assert(!touched && ctx_cpu == where && (where != NOWHERE || lock));
		touched = true
	}
	atomic {
		assert(ctx_cpu == where);
		touched = false
	}
}

/* pmcgrp_context_claim(), pmcgrp_context_in() */
inline context_in(c)
{
	CLAIM_LOCK(c);
	if
#ifndef NO_ENDED
	:: ended -> CLAIM_UNLOCK(c)
#endif
	:: else ->
		atomic {
			assert(!freed && !touched && ctx_cpu == NOWHERE);
			ctx_cpu = c
		}
		CLAIM_UNLOCK(c);
		in[c] = true;
		touch(c)
	fi
}

/* pmcgrp_context_out(), context_release() */
inline context_out(c)
{
#ifndef NO_RELEASE_LAST
	touch(c);
#endif
	LOCK(lock);
	ctx_cpu = NOWHERE;
	UNLOCK(c, lock);
#ifdef NO_RELEASE_LAST
	touch(c);
#endif
	in[c] = false
}

inline enable_or_disable(where, on)
{
	touch(where);
	listed = on;
	call_done = true
}

active [2] proctype cpu()
{
	byte c = _pid - NR_CPUS;
	bool sleeps;
end:
	do
	/* The task is woken here.  A CPU's own stores are those that others see last. */
	:: atomic { asleep && !LOAD(c, ON_CPU) && switches < SWITCHES -> asleep = false };
		STORE(c, SLEEPS, false);
		STORE(c, TASK_CPU, c);
		queued = c
	/* __schedule(): the task comes */
	:: atomic { queued == c -> queued = NOWHERE; irqs_off[c] = true; switches++ };
#ifndef NO_SWITCH_BARRIER
		BARRIER(c);
#endif
		if
#ifdef NO_SWITCH_ONLINE
		:: !LOAD(c, UNHASHED) && LOAD(c, ENABLED) -> context_in(c)
#else
		:: IS_ONLINE(c) && !LOAD(c, UNHASHED) && LOAD(c, ENABLED) -> context_in(c)
#endif
		:: else
		fi;
		STORE(c, ON_CPU, true);
		atomic { waiting[c] == 0 -> current = c; irqs_off[c] = false }
	/* set_current_state() */
	:: atomic { current == c && !sleeps -> sleeps = true };
		STORE(c, SLEEPS, true)
	/* __schedule(): the task leaves */
	:: atomic { current == c -> irqs_off[c] = true };
		BARRIER(c);
		if
		:: in[c] -> context_out(c)
		:: else
		fi;
		current = NOWHERE;
		STORE_RELEASE(c, ON_CPU, false);
		if
		:: sleeps -> asleep = true; sleeps = false
		:: !sleeps && switches < SWITCHES ->
			if
			:: queued = c
			:: STORE(c, TASK_CPU, 1 - c);
				atomic { waiting[c] == 0 -> queued = 1 - c }
			fi
		:: !sleeps && switches == SWITCHES
		fi;
		irqs_off[c] = false
	/* pmcgrp_task_context_exec() */
	:: atomic { current == c && !executed -> executed = true; irqs_off[c] = true; counts = false };
		if
		:: !LOAD(c, UNHASHED) ->
			LOCK(lock);
			ended = true;
			UNLOCK(c, lock);
#ifndef NO_EXEC_OUT
			if
			:: in[c] -> context_out(c)
			:: else
			fi
#endif
		:: else
		fi;
		irqs_off[c] = false
	/* pmcgrp_sched_offline(), in a thread of its own */
	:: atomic { c == 1 && !offline && current != c && queued != c -> offline = true }
	:: call[c] == ENABLE_HERE || call[c] == DISABLE_HERE ->
		if
#ifdef NO_CALL_CHECK
		:: true -> enable_or_disable(c, call[c] == ENABLE_HERE)
#else
		:: ctx_cpu == c -> enable_or_disable(c, call[c] == ENABLE_HERE)
#endif
		:: else
		fi;
		CALL_END(c)
	:: call[c] == KICK_HERE ->
		irqs_off[c] = true;
		if
		:: IS_CURRENT(c) && !IS_IN(c) && MAY_COME(c) -> context_in(c)
		:: else
		fi;
		irqs_off[c] = false;
		CALL_END(c)
	:: call[c] == OUT_HERE ->
		if
		:: in[c] -> context_out(c)
		:: else
		fi;
		CALL_END(c)
	:: atomic { counts && current == c && IS_ONLINE(c) -> assert(in[c] && listed) }
	:: atomic { current != c && !irqs_off[c] -> assert(!in[c]) }
	:: atomic { !IS_ONLINE(c) -> assert(!in[c]) }
	:: atomic { gone -> assert(!in[c]) }
	:: atomic { executed && !leaves && current == c -> assert(!in[c]) }
	od
}

byte at;

/* pmcgrp_context_call() */
inline context_call(func)
{
	call_done = false;
	do
	:: LOCK(lock);
		at = ctx_cpu;
		if
		:: at == NOWHERE -> enable_or_disable(NOWHERE, func == ENABLE_HERE)
		:: else
		fi;
		UNLOCK(CONTROL, lock);
		if
		:: at != NOWHERE -> CALL(CONTROL, at, func)
		:: else
		fi;
#ifdef NO_CALL_AGAIN
		break
#else
		if
		:: call_done -> break
		:: else
		fi
#endif
	od;
	skip
}

bool state, on_cpu;

/* pmcgrp_task_call() */
inline kick()
{
#ifndef NO_CALL_BARRIER
	BARRIER(CONTROL);
#endif
#ifdef NO_STATE_FIRST
	on_cpu = LOAD(CONTROL, ON_CPU);
	state = LOAD(CONTROL, SLEEPS);
#else
	state = LOAD(CONTROL, SLEEPS);
	on_cpu = LOAD(CONTROL, ON_CPU);
#endif
	if
#ifdef NO_ON_CPU
	:: state
#else
	:: state && !on_cpu
#endif
	:: else ->
		at = LOAD(CONTROL, TASK_CPU);
		CALL(CONTROL, at, KICK_HERE)
	fi
}

inline enable()
{
	context_call(ENABLE_HERE);
	STORE(CONTROL, ENABLED, true);
#ifndef NO_KICK
	kick();
#endif
	atomic { counts = !executed }
}

inline disable()
{
	counts = false;
	context_call(DISABLE_HERE);
	STORE(CONTROL, ENABLED, false)
}

inline context_end()
{
	atomic {
		counts = false;
		leaves = true
	}
	STORE(CONTROL, UNHASHED, true);
	LOCK(lock);
	ended = true;
	at = ctx_cpu;
	UNLOCK(CONTROL, lock);
#ifndef NO_END_OUT
	if
	:: at != NOWHERE -> CALL(CONTROL, at, OUT_HERE)
	:: else
	fi;
#endif
	gone = true;
	/* kfree_rcu() */
	!irqs_off[0];
	!irqs_off[1];
	freed = true
}

active proctype control()
{
	bool again;

	do
	:: true ->
		enable();
		if
		:: again -> break
		:: !again ->
			disable();
			again = true
		fi
	od;
	context_end()
}
