/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * pmcgrp_regions.h - count regions of a program, by name
 *
 *	#include <pmcgrp_regions.h>
 *
 *	pmcgrp_region_begin("solve");
 *	solve();
 *	pmcgrp_region_end("solve");
 *
 *	pmcgrp stat --regions -e cycles,instructions -- ./program
 *
 * For C99 and later, and C++11 and later; pmcgrp_regions.hpp has a class, pmcgrp_regions.f90 a
 * module for Fortran.  A program that nobody listens to pays a load and a branch for each call.
 *
 * Who listens: the environment variable PMCGRP_REGIONS, which "pmcgrp stat --regions" sets, or
 * pmcgrp_regions_start().  Then each thread counts itself by a group of its own, from its first
 * region on.  The counters are read by the thread's own instructions where the administrator
 * allows it (pmcgrp_group_read_user()), else by a system call.
 *
 * Nesting: regions of a thread nest.  The end of a region is in the thread of its beginning, before
 * the end of the region around it.  What does not nest is an error that is counted and reported,
 * and none of the sums.  A thread has up to %PMCGRP_REGION_DEPTH_MAX open regions.
 *
 * Recursion: of a region within itself only the outermost is in the sums; calls has all levels.  A
 * region directly within itself is not read, and may be of any depth.
 *
 * Signals: a handler may begin and end a region if the thread has begun it before.  What
 * interrupts a call of this header is not counted, and reported.  longjmp() out of a region, or C++
 * exceptions past it, leave it open: use the class.
 *
 * fork(): the child starts anew, with groups of its own and no counts; regions that were open are
 * errors there.  Children of _Fork(), vfork() and clone(2) must not use regions.  exec() and
 * _exit() leave no report.
 *
 * Programs that close all descriptors close the groups, too; do so before the first region.
 */
#ifndef PMCGRP_REGIONS_H
#define PMCGRP_REGIONS_H

#include <stdio.h>

#include <pmcgrp.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The longest name has one byte less; longer ones are refused. */
#define PMCGRP_REGION_NAME_MAX	128

/* How many regions a process can have; and how many are open in a thread at once. */
#define PMCGRP_REGIONS_MAX	1024
#define PMCGRP_REGION_DEPTH_MAX	64

/**
 * enum pmcgrp_region_missed - why a call of a region is not in its sums
 * @PMCGRP_REGION_PARTLY: the group had its counters for a part of the time only
 * @PMCGRP_REGION_UNCOUNTED: the thread has no group, or it could not be read
 * @PMCGRP_REGION_MISMATCHED: a region around it ended first, or its own end came before one within
 * @PMCGRP_REGION_NO_BEGIN: an end without a beginning in that thread
 * @PMCGRP_REGION_TOO_DEEP: too many open regions
 * @PMCGRP_REGION_OPEN: not ended when its thread or the program ended, or by the time of a report
 * @PMCGRP_REGION_FORKED: begun before a fork() that made this process
 */
enum pmcgrp_region_missed {
	PMCGRP_REGION_PARTLY,
	PMCGRP_REGION_UNCOUNTED,
	PMCGRP_REGION_MISMATCHED,
	PMCGRP_REGION_NO_BEGIN,
	PMCGRP_REGION_TOO_DEEP,
	PMCGRP_REGION_OPEN,
	PMCGRP_REGION_FORKED,
	PMCGRP_REGION_REASONS,
};

/** pmcgrp_region_missed_name - a reason in a word: "partly", "no-begin", ...; "unknown" */
const char *pmcgrp_region_missed_name(enum pmcgrp_region_missed reason);

/** pmcgrp_region_missed_text - a reason in a few words for people, without a full stop */
const char *pmcgrp_region_missed_text(enum pmcgrp_region_missed reason);

struct pmcgrp_region;

/* Not 0 while somebody listens. To be read only. */
extern int pmcgrp_regions_on;

/**
 * pmcgrp_region_find - the region of a name, which is made if there is none
 * @name: up to %PMCGRP_REGION_NAME_MAX - 1 printable characters of ASCII; copied
 *
 * For hot code: a handle saves the search for the name.  It is valid until the program ends, in all
 * threads, whether somebody listens or not.
 *
 * Returns the region, or NULL: the name is empty, too long or has other characters, there are
 * %PMCGRP_REGIONS_MAX regions, or there is no memory.  pmcgrp_region_enter() and _leave() take
 * NULL, and the report says how often.
 */
struct pmcgrp_region *pmcgrp_region_find(const char *name);

/*
 * The same four calls while somebody listens; if not, they do nothing. Not to be called directly.
 */
void pmcgrp_region_begin_on(const char *name);
void pmcgrp_region_end_on(const char *name);
void pmcgrp_region_enter_on(struct pmcgrp_region *region);
void pmcgrp_region_leave_on(struct pmcgrp_region *region);

/* For Fortran: names of @len bytes, and blanks at their end are not part of them. */
void pmcgrp_region_begin_n(const char *name, size_t len);
void pmcgrp_region_end_n(const char *name, size_t len);
struct pmcgrp_region *pmcgrp_region_find_n(const char *name, size_t len);

/** pmcgrp_region_begin - a region begins in this thread */
static inline void pmcgrp_region_begin(const char *name)
{
	if (__builtin_expect(pmcgrp_regions_on, 0))
		pmcgrp_region_begin_on(name);
}

/** pmcgrp_region_end - the innermost open region ends; @name is to be its name */
static inline void pmcgrp_region_end(const char *name)
{
	if (__builtin_expect(pmcgrp_regions_on, 0))
		pmcgrp_region_end_on(name);
}

/** pmcgrp_region_enter - pmcgrp_region_begin() of a region from pmcgrp_region_find() */
static inline void pmcgrp_region_enter(struct pmcgrp_region *region)
{
	if (__builtin_expect(pmcgrp_regions_on, 0))
		pmcgrp_region_enter_on(region);
}

/** pmcgrp_region_leave - pmcgrp_region_end() of a region from pmcgrp_region_find() */
static inline void pmcgrp_region_leave(struct pmcgrp_region *region)
{
	if (__builtin_expect(pmcgrp_regions_on, 0))
		pmcgrp_region_leave_on(region);
}

/**
 * pmcgrp_regions_start - listen from now on
 * @events: what each thread counts, in one group: as pmcgrp_events_parse() takes it, several groups
 *	are put together; NULL or "": those of cycles, instructions, branches and branch-misses that
 *	can be counted here, or task-clock and page-faults where none can
 * @flags: PMCGRP_OPEN_*, as pmcgrp_open()
 * @error: filled in on failure; may be NULL
 *
 * What an earlier start has counted is forgotten.  Regions that are open now are not counted.
 *
 * Returns 0, or a negative errno:
 *  -EBUSY: somebody listens already, or pmcgrp_regions_stop() has not returned 0 yet
 *  -EINVAL: @events is malformed, or not known
 *  -ENOMEM
 *  as pmcgrp_open() has it
 * Whether the group can be counted is seen at the first region of each thread; a report says so.
 */
int pmcgrp_regions_start(const char *events, unsigned int flags,
			 struct pmcgrp_events_error *error);

/**
 * pmcgrp_regions_stop - do not listen any more
 *
 * The threads' groups are closed.  Reports show what was counted until pmcgrp_regions_start().
 *
 * Returns 0, -EINVAL (nobody listens), or -EBUSY: a thread did not come out of a call within a
 * second; its group stays.
 */
int pmcgrp_regions_stop(void);

/**
 * pmcgrp_regions_report - print what was counted so far
 * @file: where to; NULL: stderr
 *
 * All threads are shown as they were at one instant: one that begins or ends a region then waits.
 *
 * Returns 0, or a negative errno: -ENODATA: nobody has listened; -ENOMEM; or as writing to @file.
 */
int pmcgrp_regions_report(FILE *file);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
