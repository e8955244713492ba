/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples are written into the ring of a CPU, in tasks and in NMIs that interrupt these anywhere.
 * User space reads the ring, and sleeps in poll().  Records have three words and the ring four: they
 * wrap, and one that is overwritten while it is read is not whole.
 *
 * Each record that is read is whole, and the next one.  Each sample is in a record, lost, or counted
 * as not taken.  The reader does not sleep over a record that is to wake it, nor over a full ring.
 *
 * NO_TRY		sample/sample.c: record(): an NMI in a section takes no sample
 * NO_ENTER		platform/recursion.h: pmcgrp_recursion_enter(): before what is in the section
 * NO_END		platform/recursion.h: pmcgrp_recursion_end(): after what is in the section
 * NO_ROOM_FIRST	sample/ring.h: pmcgrp_ring_has_room(): data_tail is read before the writes
 * NO_TAIL_LAST		sample/ring.h: pmcgrp_ring_has_room(): the reader's barrier before data_tail
 * NO_HEAD_RELEASE	sample/ring.h: pmcgrp_ring_show(): the record before data_head
 * NO_HEAD_ACQUIRE	sample/ring.h: pmcgrp_ring_show(): the reader's barrier after data_head
 * NO_WAKES_RELEASE	sample/ring.c: pmcgrp_ring_wake(): data_head before the number of wake-ups
 * NO_WAKES_ACQUIRE	sample/ring_map.c: pmcgrp_rings_poll(): data_head after the number of wake-ups
 * NO_WAKE_BARRIER	sample/ring.c: pmcgrp_ring_wake(): between the number and who waits
 * NO_POLL_BARRIER	sample/ring_map.c: pmcgrp_rings_poll(): between who waits and the number
 * NO_LOST_WAKE		sample/ring.c: pmcgrp_ring_lost(): wakes the reader of a full ring
 */
#define NR_CPUS		2	/* the writer's and the reader's */
#define NR_VARS		8
#define DATA		0	/* four words */
#define HEAD		4
#define TAIL		5
#define WAKES		6
#define POLLS		7	/* the reader is in the wait queue */
#include "memory.pml"

#define READER		1
#define SIZE		4
#define RECORD		3
#define SAMPLES		3

/* As an NMI sees it on this CPU. */
bool section;		/* pmcgrp_recursion_depth */
byte head;		/* pmcgrp_ring.head */
byte woken;
byte since;		/* pmcgrp_ring.samples */
byte wake_samples;
byte lost, not_taken;

byte samples;		/* overflows */
byte records;
bool lost_unseen;	/* a sample was lost, and no wake-up follows */
bool in_nmi, irqs_off;
bool work;		/* pmcgrp_rings.wake is queued */
bool awake;		/* the reader has been woken */

inline wake()
{
	since = 0;
	woken = head;
	lost_unseen = false;
#ifdef NO_WAKES_RELEASE
	STORE(0, WAKES, LOAD(0, WAKES) + 1);
#else
	STORE_RELEASE(0, WAKES, LOAD(0, WAKES) + 1);
#endif
#ifndef NO_WAKE_BARRIER
	BARRIER(0);
#endif
	if
	:: LOAD(0, POLLS) -> work = true
	:: else
	fi
}

inline write(at, nr)
{
	STORE(0, DATA + at % SIZE, nr);
	STORE(0, DATA + (at + 1) % SIZE, nr);
	STORE(0, DATA + (at + 2) % SIZE, nr)
}

/* record(), and in it pmcgrp_ring_write(), or pmcgrp_ring_reserve() to pmcgrp_ring_commit() */
inline sample(at, nr, tail)
{
#ifdef NO_ENTER
	at = head;
	section = true;
#else
	section = true;
	at = head;
#endif
	nr = records + 1;
#ifdef NO_ROOM_FIRST
	write(at, nr);
#endif
	tail = LOAD(0, TAIL);
	if
	:: at - tail < SIZE && RECORD < SIZE - (at - tail) ->
#ifndef NO_ROOM_FIRST
		write(at, nr);
#endif
#ifdef NO_END
		section = false;
#endif
		head = at + RECORD;
		records = nr;
#ifdef NO_HEAD_RELEASE
		STORE(0, HEAD, head);
#else
		STORE_RELEASE(0, HEAD, head);
#endif
		since++;
		if
		:: since >= wake_samples -> wake()
		:: else
		fi
	:: else ->
		lost++;
		lost_unseen = true;
		/* pmcgrp_ring_lost() */
		if
		:: woken != head ->
#ifndef NO_LOST_WAKE
			wake()
#else
			skip
#endif
		:: else -> lost_unseen = false
		fi
	fi;
	section = false;
	at = 0;
	nr = 0;
	tail = 0
}

active proctype task() provided (!in_nmi)
{
	byte at, nr, tail;

	if
	:: wake_samples = 1
	:: wake_samples = 2
	fi;
end:
	do
	:: atomic { samples < SAMPLES -> samples++; irqs_off = true };
		sample(at, nr, tail);
		irqs_off = false
	od
}

active proctype nmi()
{
	byte at, nr, tail;
end:
	do
	:: atomic { wake_samples && samples < SAMPLES -> samples++; in_nmi = true };
		if
#ifndef NO_TRY
		:: section -> not_taken++
#endif
		:: else -> sample(at, nr, tail)
		fi;
		in_nmi = false
	od
}

/* rings_wake() */
active proctype irq() provided (!in_nmi && !irqs_off)
{
end:
	do
	:: atomic { work -> work = false; awake = true }
	od
}

#define IS_OVER		(samples == SAMPLES && !in_nmi && !irqs_off && !work && !waiting[0])

byte word, word_1, word_2;

inline read_words()
{
	word = LOAD(READER, DATA + tail % SIZE);
	word_1 = LOAD(READER, DATA + (tail + 1) % SIZE);
	word_2 = LOAD(READER, DATA + (tail + 2) % SIZE)
}

inline read_records()
{
	do
	:: now == tail -> break
	:: else ->
#ifdef NO_TAIL_LAST
		STORE(READER, TAIL, tail + RECORD);
#endif
#ifndef NO_HEAD_ACQUIRE
		read_words();
#endif
		atomic {
			assert(word == tail / RECORD + 1 && word == word_1 && word == word_2);
			tail = tail + RECORD;
			word = 0;
			word_1 = 0;
			word_2 = 0
		}
#ifndef NO_TAIL_LAST
		STORE(READER, TAIL, tail);
#endif
#ifdef NO_HEAD_ACQUIRE
		read_words();
#endif
		now = LOAD(READER, HEAD)
	od
}

active proctype reader()
{
	byte tail, now, wakes, seen;

reads:
#ifdef NO_HEAD_ACQUIRE
	read_words();
#endif
#ifndef NO_WAKES_ACQUIRE
	now = LOAD(READER, HEAD);
#endif
	read_records();
	/* poll_wait() */
	awake = false;
	STORE(READER, POLLS, true);
#ifndef NO_POLL_BARRIER
	BARRIER(READER);
#endif
polls:
#ifdef NO_WAKES_ACQUIRE
	now = LOAD(READER, HEAD);
#endif
	wakes = LOAD(READER, WAKES);
	if
	:: wakes != seen ->
		seen = wakes;
		STORE(READER, POLLS, false);
		goto reads
	:: else
	fi;
end:
	if
	:: awake ->
		awake = false;
		goto polls
	:: atomic {
			IS_OVER && !awake ->
			assert(tail == head || (woken != head && !lost_unseen));
			assert(records + lost + not_taken == SAMPLES);
			assert(head == records * RECORD)
		}
	fi
}
