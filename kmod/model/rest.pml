/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of a context rests and comes back, on the CPU where the context is in, and is disabled as it
 * rests.  Its time enabled is read from another CPU.
 *
 * A read shows the time of an instant after its call and before its return.
 *
 * A tick of the clock takes longer than a store takes to become visible: that the set rests may be
 * seen late, and its time enabled is behind by as much then.
 *
 * NO_END_RELEASE	follow/rest.c: end_rest(): the time enabled before set->resting
 * NO_STOP_RELEASE	follow/rest.c: pmcgrp_rest_stop(): the time enabled before set->resting
 * NO_RESTING_ACQUIRE	abi/read.c: fast_read_away(): the time enabled after set->resting
 */
#define NR_CPUS		2	/* the last one reads */
#define NR_VARS		3
#define SET_CPU		0	/* 1, or 0: in nowhere */
#define RESTING		1
#define ENABLED		2
#include "memory.pml"

#define READER		1
#define TICKS		3

#define READ_THERE	1
#define REFRESH_HERE	2
#define DISABLE_HERE	3

byte time;		/* for which the context has been in with the set enabled */
bool disabled;
bool is_in, resting;	/* as the CPU sees it */
byte since, rested;
byte value;
bool read;

inline catch_up()
{
	STORE(0, ENABLED, LOAD(0, ENABLED) + time - rested);
	rested = time
}

active proctype cpu()
{
end:
	do
	:: atomic { (is_in || resting) && !waiting[0] && time < TICKS -> time++ }
	/* begin_rest(), or the context goes out */
	:: is_in ->
		STORE(0, ENABLED, LOAD(0, ENABLED) + time - since);
		rested = time;
		is_in = false;
		STORE_RELEASE(0, SET_CPU, 0);
		if
		:: true ->
			resting = true;
			STORE(0, RESTING, true)
		:: true
		fi
	/* end_rest() */
	:: resting ->
		STORE(0, SET_CPU, 1);
		BARRIER(0);
		is_in = true;
		since = time;
		catch_up();
		resting = false;
#ifdef NO_END_RELEASE
		STORE(0, RESTING, false)
#else
		STORE_RELEASE(0, RESTING, false)
#endif
	/* pmcgrp_context_in() */
	:: !disabled && !is_in && !resting ->
		STORE(0, SET_CPU, 1);
		BARRIER(0);
		is_in = true;
		since = time
	:: call[0] == READ_THERE ->
		if
		:: is_in ->
			value = LOAD(0, ENABLED) + time - since;
			read = true
		:: else
		fi;
		CALL_END(0)
	/* refresh_here() */
	:: call[0] == REFRESH_HERE ->
		if
		:: is_in ->
			STORE(0, ENABLED, LOAD(0, ENABLED) + time - since);
			since = time
		:: resting -> catch_up()
		:: else
		fi;
		value = LOAD(0, ENABLED);
		CALL_END(0)
	/* pmcgrp_context_disable_here() */
	:: call[0] == DISABLE_HERE ->
		if
		:: is_in ->
			STORE(0, ENABLED, LOAD(0, ENABLED) + time - since);
			is_in = false;
			STORE_RELEASE(0, SET_CPU, 0)
		:: resting ->
			catch_up();
			resting = false;
#ifdef NO_STOP_RELEASE
			STORE(0, RESTING, false)
#else
			STORE_RELEASE(0, RESTING, false)
#endif
		:: else
		fi;
		disabled = true;
		CALL_END(0)
	od
}

active proctype control()
{
	atomic { !call[0] -> call[0] = DISABLE_HERE }
}

byte at, least;

/* read_fast() */
active proctype reader()
{
	least = time;
	at = LOAD(READER, SET_CPU);
	if
	:: at -> CALL(READER, 0, READ_THERE)
	:: else ->
#ifdef NO_RESTING_ACQUIRE
		value = LOAD(READER, ENABLED);
#endif
		if
		:: LOAD(READER, RESTING)
		:: else ->
#ifndef NO_RESTING_ACQUIRE
			value = LOAD(READER, ENABLED);
#endif
			read = true
		fi
	fi;
	if
	:: read
	:: else -> CALL(READER, 0, REFRESH_HERE)
	fi;
	assert(least <= value && value <= time)
}
