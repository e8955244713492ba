/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list's only set is read from a third CPU, while it is scheduled in and out on two CPUs and
 * counts.  Two counts that are always equal stand for all of them.
 *
 * A read shows all counts of one instant, after its call and before its return.
 *
 * NO_COLLECT_ACQUIRE	group/evlist_control.c: evlist_collect_cpus(): the sums after set->cpu
 * NO_ONLY_ACQUIRE	group/evlist_control.c: refresh_only(): the sums after set->cpu
 * NO_FAST_ACQUIRE	abi/read.c: read_fast(): the sums after set->cpu
 * NO_ONLY_AGAIN	group/evlist_control.c: refresh_only(): again if the set has moved
 * NO_RETRY		set/evset.c: pmcgrp_evset_copy(): again if the sums have changed
 * NO_ACCOUNT_FIRST	sched/sched.c: pmcgrp_sched_out(): the sums are complete before set->cpu
 * SPARE_OUT_RELEASE	sched/sched.c: pmcgrp_sched_out(), as pmcgrp_handover(): the sums
 *			before set->cpu.  write_seqcount_end() has a barrier behind the sums.
 */
#define NR_CPUS		3	/* the last one reads */
#define NR_VARS		4
#define SET_CPU		0	/* CPU + 1, or 0: in nowhere */
#define SEQ		1
#define SUM		2
#define SUM_TOO		3
#include "memory.pml"

#define NOWHERE		2
#define READER		2
#define SWITCHES	2
#define EVENTS		2

#define ACCOUNT_HERE	1
#define REFRESH_HERE	2
#define READ_THERE	3

byte task = NOWHERE;	/* where the scheduler runs it */
byte switches;
bool in[2];		/* pmcgrp_evcpu.in */
byte base[2];
byte total;		/* what the hardware has counted */

/* What the call of a CPU returns. */
byte value, value_too;
bool read;

/* pmcgrp_evset_account(), pmcgrp_evset_del(): the set's seqcount has one writer */
inline account(c)
{
	STORE(c, SEQ, LOAD(c, SEQ) + 1);
	BARRIER(c);
	STORE(c, SUM, LOAD(c, SUM) + total - base[c]);
	STORE(c, SUM_TOO, LOAD(c, SUM_TOO) + total - base[c]);
	base[c] = total;
	BARRIER(c);
	STORE(c, SEQ, LOAD(c, SEQ) + 1)
}

active [2] proctype cpu()
{
	byte c = _pid - NR_CPUS;
end:
	do
	:: atomic { task == NOWHERE && switches < SWITCHES -> task = c; switches++ };
		STORE(c, SET_CPU, c + 1);
		BARRIER(c);
		base[c] = total;
		in[c] = true
	:: atomic { task == c && in[c] && total < EVENTS -> total++ }
	:: task == c ->
#ifndef NO_ACCOUNT_FIRST
		account(c);
		in[c] = false;
#endif
#ifdef SPARE_OUT_RELEASE
		STORE(c, SET_CPU, 0);
#else
		STORE_RELEASE(c, SET_CPU, 0);
#endif
#ifdef NO_ACCOUNT_FIRST
		account(c);
		in[c] = false;
#endif
		atomic { waiting[c] == 0 -> task = NOWHERE }
	:: call[c] == ACCOUNT_HERE ->
		if
		:: in[c] -> account(c)
		:: else
		fi;
		CALL_END(c)
	:: call[c] == REFRESH_HERE ->
		if
		:: in[c] ->
			account(c);
			value = LOAD(c, SUM);
			value_too = LOAD(c, SUM_TOO);
			read = true
		:: else
		fi;
		CALL_END(c)
	:: call[c] == READ_THERE ->
		if
		:: in[c] ->
			value = LOAD(c, SUM) + total - base[c];
			value_too = LOAD(c, SUM_TOO) + total - base[c];
			read = true
		:: else
		fi;
		CALL_END(c)
	od
}

byte at, seq, least;

/* pmcgrp_evset_copy() */
inline copy()
{
	do
	:: seq = LOAD(READER, SEQ);
		value = LOAD(READER, SUM);
		value_too = LOAD(READER, SUM_TOO);
#ifdef NO_RETRY
		break
#else
		if
		:: !(seq & 1) && LOAD(READER, SEQ) == seq -> break
		:: else
		fi
#endif
	od
}

/* pmcgrp_evlist_refresh_sets() */
inline refresh_sets()
{
#ifdef NO_COLLECT_ACQUIRE
	copy();
#endif
	at = LOAD(READER, SET_CPU);
	if
	:: at ->
		CALL(READER, at - 1, ACCOUNT_HERE);
		copy()
	:: else ->
#ifndef NO_COLLECT_ACQUIRE
		copy()
#endif
	fi
}

inline refresh_only()
{
	do
	:: read -> break
	:: else ->
#ifdef NO_ONLY_ACQUIRE
		copy();
#endif
		at = LOAD(READER, SET_CPU);
		if
		:: at ->
			CALL(READER, at - 1, REFRESH_HERE);
#ifdef NO_ONLY_AGAIN
			break
#endif
		:: else ->
#ifndef NO_ONLY_ACQUIRE
			copy();
#endif
			read = true
		fi
	od
}

/* If it cannot read the set, it does all of the above. */
inline read_fast()
{
#ifdef NO_FAST_ACQUIRE
	copy();
#endif
	at = LOAD(READER, SET_CPU);
	if
	:: at -> CALL(READER, at - 1, READ_THERE)
	:: else ->
#ifndef NO_FAST_ACQUIRE
		copy();
#endif
		read = true
	fi
}

active proctype reader()
{
	least = total;
	if
	:: true -> refresh_sets()
	:: true -> refresh_only()
	:: true ->
		read_fast();
		if
		:: read
		:: else -> refresh_only()
		fi
	fi;
	atomic {
		assert(value == value_too);
		assert(least <= value && value <= total)
	}
}
