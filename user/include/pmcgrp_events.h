/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * pmcgrp_events.h - events by name
 *
 * <pmcgrp.h> includes this file.  The names are perf's: those that perf-list(1) prints, and in
 * addition those of libpfm4.  The grammar is that of perf stat's option -e:
 *
 *	"cycles:u,instructions"			two groups of one event each
 *	"{cycles,instructions}:u"		one group
 *	"cpu/event=0x3c,umask=0x1,name=X/k"	a PMU's terms
 *	"r1a8", "4:0x3c"			raw codes
 *	"sched:sched_switch", "sched:*"		tracepoints
 */
#ifndef PMCGRP_EVENTS_H
#define PMCGRP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct pmcgrp;
struct pmcgrp_spec;
struct pmcgrp_group;
struct pmcgrp_events;

/**
 * struct pmcgrp_events_error - why a text is refused
 * @column: the character that the sentence is about, from 0
 * @text: the sentence
 */
struct pmcgrp_events_error {
	size_t column;
	char text[384];
};

/**
 * enum pmcgrp_events_flags - of pmcgrp_events_add()
 * @PMCGRP_EVENTS_ANY: take what events of a counter group cannot be, as perf does: modifiers p, P,
 *	e, b and R, and terms of samples.  The attr has what of these fits there.
 * @PMCGRP_EVENTS_EXPLAIN: fill in pmcgrp_event.explanation
 */
enum pmcgrp_events_flags {
	PMCGRP_EVENTS_ANY	= 1 << 0,
	PMCGRP_EVENTS_EXPLAIN	= 1 << 1,
};

/**
 * enum pmcgrp_event_flags - of struct pmcgrp_event
 * @PMCGRP_EVENT_SNAPSHOT: its value is a state, such as a temperature, and no count
 * @PMCGRP_EVENT_PER_PKG: one counter in each package counts all of it
 * @PMCGRP_EVENT_CORE: a core PMU counts it: it belongs to tasks and CPUs
 * @PMCGRP_EVENT_UNCORE: a PMU outside the CPUs counts it, once for each package, die or box: it
 *	belongs to groups of CPUs, and is counted on those of @cpus
 */
enum pmcgrp_event_flags {
	PMCGRP_EVENT_SNAPSHOT	= 1 << 0,
	PMCGRP_EVENT_PER_PKG	= 1 << 1,
	PMCGRP_EVENT_CORE	= 1 << 2,
	PMCGRP_EVENT_UNCORE	= 1 << 3,
};

/**
 * struct pmcgrp_event - an event of a list
 * @attr: what to count, for pmcgrp_spec_add(); attr->size bytes
 * @name: as it is shown: as it was written, with the modifiers of its group; if the text stands
 *	for several events, the name of this one, or of the sum of all boxes (see @sum)
 * @pmu: the PMU that counts it, if the text names one or there are several; else NULL
 * @cpus: the CPUs on which that PMU counts, as pmcgrp_cpus_parse() takes them: of an uncore PMU one
 *	for each package or what else it counts; NULL: all
 * @unit: the unit of its counts times @scale, or ""
 * @scale: 1.0 if it has none
 * @group: index of its group
 * @flags: PMCGRP_EVENT_*
 * @column: where it was written, from 0
 * @explanation: with PMCGRP_EVENTS_EXPLAIN, a line for each part of its code: which bits, which value,
 *	and from where; else NULL
 * @sum: a name such as "uncore_imc/event=4/" stands for an event of each box, of one name, whose
 *	counts are summed up: index of the first of them; of other events their own index
 *
 * The library owns it: it lives as long as its list, unchanged.  It may get more fields.
 */
struct pmcgrp_event {
	const struct perf_event_attr *attr;
	const char *name;
	const char *pmu;
	const char *cpus;
	const char *unit;
	double scale;
	unsigned int group;
	unsigned int flags;
	size_t column;
	const char *explanation;
	unsigned int sum;
};

/**
 * enum pmcgrp_event_group_flags - of struct pmcgrp_event_group
 * @PMCGRP_EVENT_GROUP_PINNED: modifier D: make it with PMCGRP_CREATE_PINNED
 * @PMCGRP_EVENT_GROUP_WEAK: modifier W: if the PMU has not enough counters, count its events in
 *	groups of their own
 * @PMCGRP_EVENT_GROUP_EXCLUSIVE: modifier e
 * @PMCGRP_EVENT_GROUP_BRACES: it was written in braces
 * @PMCGRP_EVENT_GROUP_SPLIT: it is a part of what was written in one pair of braces, and lacks an
 *	event of that: their PMUs cannot be in one group
 */
enum pmcgrp_event_group_flags {
	PMCGRP_EVENT_GROUP_PINNED	= 1 << 0,
	PMCGRP_EVENT_GROUP_WEAK		= 1 << 1,
	PMCGRP_EVENT_GROUP_EXCLUSIVE	= 1 << 2,
	PMCGRP_EVENT_GROUP_BRACES	= 1 << 3,
	PMCGRP_EVENT_GROUP_SPLIT	= 1 << 4,
};

/**
 * struct pmcgrp_event_group - a group of a list
 * @name: what stands before its brace, or NULL
 * @pmu: the PMU of its events, if the text stands for groups of several and it has one PMU; else
 *	NULL
 * @first: index of its first event
 * @nr: number of its events, which follow each other
 * @flags: PMCGRP_EVENT_GROUP_*
 *
 * As struct pmcgrp_event.
 */
struct pmcgrp_event_group {
	const char *name;
	const char *pmu;
	unsigned int first;
	unsigned int nr;
	unsigned int flags;
};

/**
 * pmcgrp_events_new - an empty list of events
 * @out: the list; the caller frees it with pmcgrp_events_free()
 *
 * Returns 0, -EINVAL (@out is NULL) or -ENOMEM.
 */
int pmcgrp_events_new(struct pmcgrp_events **out);

/**
 * pmcgrp_events_choose_pmu - of several PMUs that have an event, let names stand for one
 * @events: the list; what is added from now on
 * @pmu: name of a PMU, as "cpu_atom", "uncore_imc_0"; of a core PMU also without "cpu_"; NULL: all
 *
 * A name with terms that is a PMU's own is not affected.
 *
 * Returns 0; -ENODEV: this machine has no such PMU; or -ENOMEM.
 */
int pmcgrp_events_choose_pmu(struct pmcgrp_events *events, const char *pmu);

/** pmcgrp_events_free - free a list (or NULL) and its events */
void pmcgrp_events_free(struct pmcgrp_events *events);

/**
 * pmcgrp_events_add - append the events that a text names
 * @events: the list; pointers to its events that were got before are not valid any more
 * @text: the text
 * @flags: PMCGRP_EVENTS_*
 * @error: filled in with -EINVAL; may be NULL
 *
 * A name that stands for events of several PMUs gives one of each.  Of a group in braces those can
 * be one group that one core PMU counts, with software events and tracepoints; or uncore PMUs that
 * count on the same CPUs, however many boxes these are, up to PMCGRP_MEMBERS_MAX events.  Else there
 * are several groups, with @PMCGRP_EVENT_GROUP_SPLIT if they do not have the same events.
 *
 * Returns 0; or a negative errno, and the list is as it was:
 *  -EINVAL: malformed, or not known on this machine, or not to be had in a counter group
 *  -ENOMEM
 */
int pmcgrp_events_add(struct pmcgrp_events *events, const char *text, unsigned int flags,
		      struct pmcgrp_events_error *error);

/**
 * pmcgrp_events_parse - pmcgrp_events_new() and pmcgrp_events_add()
 * @out: the list; NULL on failure
 *
 * Returns as these.
 */
int pmcgrp_events_parse(struct pmcgrp_events **out, const char *text, unsigned int flags,
			struct pmcgrp_events_error *error);

/** pmcgrp_events_nr - number of events */
unsigned int pmcgrp_events_nr(const struct pmcgrp_events *events);

/** pmcgrp_events_nr_groups - number of groups */
unsigned int pmcgrp_events_nr_groups(const struct pmcgrp_events *events);

/** pmcgrp_events_at - an event, from 0; NULL: there is none */
const struct pmcgrp_event *pmcgrp_events_at(const struct pmcgrp_events *events, unsigned int i);

/** pmcgrp_events_group - a group, from 0; NULL: there is none */
const struct pmcgrp_event_group *pmcgrp_events_group(const struct pmcgrp_events *events,
						     unsigned int i);

/**
 * pmcgrp_spec_add_events - add the events of a group as members
 * @spec: the spec; PMCGRP_CREATE_PINNED is added to its flags if the group says so
 * @events: the list
 * @group: index of the group
 *
 * Returns the index of the first of them, or a negative errno as pmcgrp_spec_add_sized(); then
 * those before the failing one have been added.
 */
int pmcgrp_spec_add_events(struct pmcgrp_spec *spec, const struct pmcgrp_events *events,
			   unsigned int group);

/**
 * pmcgrp_group_open - make a group of events that are named
 * @h: the handle
 * @text: one group: "{cycles,instructions}:u", "cycles,instructions" is two
 * @spec: its target and flags, or NULL: the calling thread.  It may have members, which are the
 *	first ones then; it is not changed.
 * @out: the group, enabled unless @spec says otherwise; the caller ends it with
 *	pmcgrp_group_close().  NULL on failure.
 *
 * Returns 0, or a negative errno; pmcgrp_strerror() says what is wrong, with the character that is
 * to blame:
 *  -EINVAL: @text is malformed, names what is unknown, or more than one group: for these there is
 *	pmcgrp_groups_open()
 *  as pmcgrp_group_create() has it
 */
int pmcgrp_group_open(struct pmcgrp *h, const char *text, const struct pmcgrp_spec *spec,
		      struct pmcgrp_group **out);

/**
 * pmcgrp_groups_open - make all groups that a text names
 * @h: the handle
 * @text: one or more groups: "{cycles,instructions}:u,page-faults" is two
 * @spec: as pmcgrp_group_open(): the target and flags of each, and what each begins with
 * @out: the groups, in the order of the text: an array that pmcgrp_groups_close() frees, and
 *	pmcgrp_groups_read() takes.  NULL on failure.
 *
 * All are made, or none.  One after the other is enabled, unless @spec says otherwise.
 *
 * Returns the number of groups, or a negative errno as pmcgrp_group_open().
 */
int pmcgrp_groups_open(struct pmcgrp *h, const char *text, const struct pmcgrp_spec *spec,
		       struct pmcgrp_group ***out);

/** pmcgrp_groups_close - end groups, those that are not NULL, and free their array; NULL: nothing */
void pmcgrp_groups_close(struct pmcgrp_group **groups, unsigned int nr);

/* ---- Which names there are -------------------------------------------- */

/**
 * enum pmcgrp_name_kind - of struct pmcgrp_name, and bits of pmcgrp_names_new()
 * @PMCGRP_NAME_HARDWARE: of the kernel, for all CPUs: cycles
 * @PMCGRP_NAME_SOFTWARE: of the kernel itself: page-faults
 * @PMCGRP_NAME_CACHE: of the kernel, for all CPUs: L1-dcache-load-misses
 * @PMCGRP_NAME_PMU: of a PMU's folder in sysfs
 * @PMCGRP_NAME_TRACEPOINT: of tracefs
 * @PMCGRP_NAME_TABLE: of perf's tables for the CPU of this machine, if these are installed
 */
enum pmcgrp_name_kind {
	PMCGRP_NAME_HARDWARE	= 1 << 0,
	PMCGRP_NAME_SOFTWARE	= 1 << 1,
	PMCGRP_NAME_CACHE	= 1 << 2,
	PMCGRP_NAME_PMU		= 1 << 3,
	PMCGRP_NAME_TRACEPOINT	= 1 << 4,
	PMCGRP_NAME_TABLE	= 1 << 5,
};

/**
 * struct pmcgrp_name - an event that pmcgrp_events_parse() knows
 * @kind: one of PMCGRP_NAME_*
 * @name: the name: "cycles", "power/energy-pkg/", "sched:sched_switch"
 * @alias: another name, or NULL
 * @pmu: the PMU of @PMCGRP_NAME_PMU and @PMCGRP_NAME_TABLE, else NULL.  It may be without a number,
 *	and stand for several: "uncore_cbox"
 * @cpus: of a PMU outside the CPUs those that it counts on, as in struct pmcgrp_event; else NULL
 * @terms: what the name stands for, if there is a @pmu, else NULL
 * @unit: unit of its counts, or ""
 * @desc: what the table says of it, or NULL
 * @topic: what it is about: "cache"; or NULL
 * @counter: the counters that can count it: "0,1,2,3"; or NULL
 * @deprecated: the table says that there is a better one
 *
 * The library owns it.  It may get more fields.
 */
struct pmcgrp_name {
	enum pmcgrp_name_kind kind;
	const char *name;
	const char *alias;
	const char *pmu;
	const char *cpus;
	const char *terms;
	const char *unit;
	const char *desc;
	const char *topic;
	const char *counter;
	bool deprecated;
};

struct pmcgrp_names;

/**
 * pmcgrp_names_new - list the events of this machine by name
 * @out: the list; the caller frees it with pmcgrp_names_free()
 * @kinds: bits of enum pmcgrp_name_kind
 *
 * Whether an event can be counted is not known before it is tried.  Of each kind the names are in
 * the order of perf list.  Tracepoints that this user may not see are left out.
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int pmcgrp_names_new(struct pmcgrp_names **out, unsigned int kinds);

/** pmcgrp_names_free - free a list (or NULL) */
void pmcgrp_names_free(struct pmcgrp_names *names);

/** pmcgrp_names_nr - number of names */
unsigned int pmcgrp_names_nr(const struct pmcgrp_names *names);

/** pmcgrp_names_at - a name, from 0; NULL: there is none */
const struct pmcgrp_name *pmcgrp_names_at(const struct pmcgrp_names *names, unsigned int i);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
