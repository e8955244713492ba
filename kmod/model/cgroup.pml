/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task is moved to another cgroup twice, while it is switched to and from on two CPUs.
 *
 * Once the calls that the moves have made have ended, the CPU where the task runs has seen its
 * cgroup.
 *
 * NO_ATTACH_BARRIER	follow/cgroup.c: on_attach(): between the cgroup, and the task's CPU and whether
 *			a call is pending
 * NO_MOVED_BARRIER	follow/cgroup.c: moved_here(): between the end of the pending call and the
 *			cgroup
 * NO_SWITCH_BARRIER	follow/cgroup.c: on_attach(): pairs with the kernel's smp_mb__after_spinlock(),
 *			between the task's CPU and its cgroup
 */
#define NR_CPUS		3	/* the last one moves the task */
#define NR_VARS		4
#define CGROUP		0
#define TASK_CPU	1
#define PENDING		2	/* CSD_FLAG_LOCK of the CPU's call, and the next one's */
#include "memory.pml"

#define NOWHERE		2
#define MOVER		2
#define SWITCHES	4
#define MOVES		2

byte task = NOWHERE;	/* where the scheduler runs it */
byte switches;
bool queued[2];		/* the call is in the CPU's queue */
byte seen[2];		/* pmcgrp_cpu.cgroup_id */
bool done;

active [2] proctype cpu()
{
	byte c = _pid - NR_CPUS;
end:
	do
	/* The CPU that the task comes to sets task_cpu() itself, with its run-queue lock held. */
	:: atomic { task == NOWHERE && switches < SWITCHES -> task = c; switches++ };
		STORE(c, TASK_CPU, c);
#ifndef NO_SWITCH_BARRIER
		BARRIER(c);
#endif
		seen[c] = LOAD(c, CGROUP)
	:: task == c ->
		seen[c] = 0;
		atomic { waiting[c] == 0 -> task = NOWHERE }
	/* An asynchronous call can be made again before its function begins. */
	:: queued[c] ->
		queued[c] = false;
		STORE_RELEASE(c, PENDING + c, false);
#ifndef NO_MOVED_BARRIER
		BARRIER(c);
#endif
		if
		:: task == c -> seen[c] = LOAD(c, CGROUP)
		:: else
		fi
	:: atomic { task == c && done && !queued[0] && !queued[1] -> assert(seen[c] == MOVES) }
	od
}

active proctype mover()
{
	byte n, at;

	do
	:: n == MOVES -> break
	:: n < MOVES ->
		n++;
		STORE(MOVER, CGROUP, n);
#ifndef NO_ATTACH_BARRIER
		BARRIER(MOVER);
#endif
		at = LOAD(MOVER, TASK_CPU);
		/* smp_call_function_single_async() */
		if
		:: LOAD(MOVER, PENDING + at)
		:: else ->
			STORE(MOVER, PENDING + at, true);
			atomic { waiting[MOVER] == 0 -> queued[at] = true }
		fi
	od;
	atomic { waiting[MOVER] == 0 -> done = true }
}
