/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Options that several commands have: what each is called, and what it takes. @s is the structure of
 * a command's options. Members have the same names for all. @in: prefix of the member, as `show.`;
 * empty if it is in @s itself.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "option.h"

/* What is counted. */
#define OPTION_EVENT(s, in) OPTION_LIST("event", 'e', s, in, events)
#define OPTION_MODES(s)										\
	OPTION_SWITCH("all-user", 0, s, all_user),						\
	OPTION_SWITCH("all-kernel", 0, s, all_kernel)
#define OPTION_METRICS_FILE(s) OPTION_LIST("metrics-file", 0, s, , metric_files)

/* Of whom. */
#define OPTION_CPU(s, in)									\
	{ .name = "cpu", .letter = 'C', .has_arg = required_argument, .kind = OPTION_IS_CPUS,	\
	  .at = OPTION_AT(s, in cpus, struct pmcgrp_cpus),					\
	  .also = OPTION_AT(s, in has_cpus, bool) }
#define OPTION_TARGETS(s, in)									\
	OPTION_SWITCH("all-cpus", 'a', s, in all_cpus),						\
	OPTION_CPU(s, in),									\
	OPTION_IDS("pid", 'p', s, in pids),							\
	OPTION_IDS("tid", 't', s, in tids)
#define OPTION_CGROUP(s) OPTION_LIST("cgroup", 'G', s, , cgroups)
#define OPTION_NO_INHERIT(s, in) OPTION_SWITCH("no-inherit", 'i', s, in no_inherit)

/* Of what the hardware has: only what nobody else wants. */
#define OPTION_BACKGROUND(s, in) OPTION_SWITCH("background", 0, s, in background)

/* When. */
#define OPTION_TIMEOUT(s) OPTION_NUMBER("timeout", 0, s, timeout, 1, 0, "milliseconds, 1 or more")
#define OPTION_INTERVALS(s, in)									\
	OPTION_NUMBER("interval-print", 'I', s, in interval, 1, 0, "milliseconds, 1 or more"),	\
	OPTION_NUMBER("interval-count", 0, s, in interval_count, 1, 0,				\
		      "a number of intervals, 1 or more")

/* With what. */
#define OPTION_PERF(s, in) OPTION_SWITCH("perf", 0, s, in perf)
#define OPTION_FALLBACK(s, in) OPTION_SWITCH("fallback", 0, s, in fallback)
#define OPTION_MMAP_PAGES(s, in) OPTION_ARGUMENT("mmap-pages", 'm', s, in pages, args_take_pages)

/* How and where it is printed. */
#define OPTION_JSON(s, in) OPTION_SWITCH("json", 'j', s, in json)
#define OPTION_SEPARATOR(s, in)									\
	OPTION_ARGUMENT("field-separator", 'x', s, in separator, args_take_separator)
#define OPTION_OUTPUT(s) OPTION_TEXT("output", 'o', s, output)
#define OPTION_NAMES(s) OPTION_SWITCH("names", 'N', s, names)
#define OPTION_VERBOSE(s) OPTION_SWITCH("verbose", 'v', s, verbose)

#endif
