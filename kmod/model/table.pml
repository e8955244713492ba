/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task's record is added to the table of tasks, and removed, while the table is replaced twice and
 * a context switch looks for the task.
 *
 * Once a record has been added a switch that begins finds it.  What it finds has not been freed, and
 * neither has the table that it reads.  A record is in no table twice.
 *
 * NO_ADD_NEXT		follow/task_table.c: pmcgrp_task_record_find_or_add(): to the next table, too
 * NO_REMOVE_NEXT	follow/task_table.c: pmcgrp_task_record_tidy(): from the next table, too
 * NO_REMOVE_CHECK	follow/task_table.c: pmcgrp_task_record_tidy(): is it in the next table?
 * NO_ADD_CHECK		follow/task_table.c: add_to_next(): is it in the next table?
 * NO_LOCK		follow/task_table.c: table_replace(): under the lock, who adds sees one of both
 * NO_GRACE_PERIOD	follow/task_table.c: table_replace(): tables and nodes are still read
 * SPARE_RELEASE	follow/task_table.c: table_replace(): the lock orders what is in the table
 */
#define NR_CPUS		3
#define NR_VARS		3
#define TABLE		0	/* which of two nodes is for the table that is read */
#define NODE		1	/* and the next one: the record is in the table by this node */
#include "memory.pml"

#define SWITCHER	0	/* processors */
#define CONTROL		1
#define WORKER		2

#define SWITCHES	3
#define TABLES		3	/* one after the other */

bool tasks_lock;
bool next;		/* next_table */
byte nr;		/* of the table that is read */
byte newest;		/* pmcgrp_task_record.table */
bool added, removed;	/* promised */
bool freed;		/* the record */
bool reads[2];		/* the switch may read the table of this node */
bool reading;		/* the switch is in an RCU section */
byte section;		/* number of these */

#define NODE_OF(number)	(NODE + (number) % 2)

inline grace_period(c, at)
{
	BARRIER(c);
	at = section;
	!reading || section != at
}

active proctype switcher()
{
	byte n, t;
	bool expected;

	do
	:: n == SWITCHES -> break
	:: n < SWITCHES ->
		n++;
		atomic { reading = true; section++; expected = added };
		/* smp_mb__after_spinlock() in __schedule() */
		BARRIER(SWITCHER);
		t = LOAD(SWITCHER, TABLE);
		reads[t] = true;
		if
		:: LOAD(SWITCHER, NODE + t) -> assert(!freed)
		:: else -> assert(!expected || removed)
		fi;
		reads[t] = false;
		reading = false
	od
}

active proctype control()
{
	byte at;

	LOCK(tasks_lock);
	STORE(CONTROL, NODE_OF(nr), true);
	newest = nr;
#ifndef NO_ADD_NEXT
	if
	:: next ->
		STORE(CONTROL, NODE_OF(nr + 1), true);
		newest = nr + 1
	:: else
	fi;
#endif
	UNLOCK(CONTROL, tasks_lock);
	/* pmcgrp_task_call() */
	BARRIER(CONTROL);
	added = true;

	LOCK(tasks_lock);
	removed = true;
	STORE(CONTROL, NODE_OF(nr), false);
#ifndef NO_REMOVE_NEXT
	if
#ifdef NO_REMOVE_CHECK
	:: next ->
#else
	:: next && newest == nr + 1 ->
#endif
		assert(LOAD(CONTROL, NODE_OF(nr + 1)));
		STORE(CONTROL, NODE_OF(nr + 1), false)
	:: else
	fi;
#endif
	UNLOCK(CONTROL, tasks_lock);
	/* kfree_rcu() */
	grace_period(CONTROL, at);
	freed = true
}

active proctype worker()
{
	byte at;

	do
	:: nr == TABLES - 1 -> break
	:: nr < TABLES - 1 ->
		/* The node that is used again has nothing of the table before. */
		assert(!reads[(nr + 1) % 2]);
		STORE(WORKER, NODE_OF(nr + 1), false);
		LOCK(tasks_lock);
		next = true;
		UNLOCK(WORKER, tasks_lock);
		/* add_to_next() */
		LOCK(tasks_lock);
		if
#ifdef NO_ADD_CHECK
		:: LOAD(WORKER, NODE_OF(nr)) ->
#else
		:: LOAD(WORKER, NODE_OF(nr)) && newest != nr + 1 ->
#endif
			assert(!LOAD(WORKER, NODE_OF(nr + 1)));
			STORE(WORKER, NODE_OF(nr + 1), true);
			newest = nr + 1
		:: else
		fi;
		UNLOCK(WORKER, tasks_lock);
#ifdef NO_LOCK
		next = false;
		STORE_RELEASE(WORKER, TABLE, (nr + 1) % 2);
		nr++;
#else
		LOCK(tasks_lock);
#ifdef SPARE_RELEASE
		STORE(WORKER, TABLE, (nr + 1) % 2);
#else
		STORE_RELEASE(WORKER, TABLE, (nr + 1) % 2);
#endif
		next = false;
		nr++;
		UNLOCK(WORKER, tasks_lock);
#endif
#ifndef NO_GRACE_PERIOD
		grace_period(WORKER, at)
#endif
	od
}
