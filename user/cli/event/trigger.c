// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Triggers from their names. A probe is made by the PMU kprobe or uprobe, whose number and bit
 * for return probes are in sysfs, and ends with its trigger.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trigger.h"

/* Shorter ones perf makes as long as this. */
#define CLOCK_MIN_NS 10000

static int __attribute__((format(printf, 3, 4)))
fail(struct pmcgrp_events_error *error, size_t column, const char *format, ...)
{
	va_list args;

	error->column = column;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -EINVAL;
}

static int name_set(struct trigger *trigger, const char *name)
{
	trigger->name = strdup(name);
	return trigger->name ? 0 : -ENOMEM;
}

/* ---- Events by name ---- */

static int event_copy(struct trigger *trigger, const struct pmcgrp_events *events, size_t at,
		      struct pmcgrp_events_error *error)
{
	const struct pmcgrp_event *event = pmcgrp_events_at(events, 0);

	if (event->flags & PMCGRP_EVENT_UNCORE)
		return fail(error, at, "%.64s is counted of a part of the machine, and its PMU makes no "
			    "samples: \"pmcgrp stat -a -I 100\" prints it at intervals", event->name);
	if (pmcgrp_events_nr(events) != 1)
		return fail(error, at, "one event at a time: give the option once for each");
	if (pmcgrp_events_group(events, 0)->flags & PMCGRP_EVENT_GROUP_PINNED)
		return fail(error, at, "D is for the group: a trigger always has its counter");
	attr_widen(&trigger->wide, event->attr);
	return name_set(trigger, event->name);
}

/* One event, @at in the argument. */
static int event_take(struct trigger *trigger, const char *text, size_t at,
		      struct pmcgrp_events_error *error)
{
	struct pmcgrp_events *events;
	int ret;

	ret = pmcgrp_events_parse(&events, text + at, 0, error);
	if (ret == -EINVAL)
		error->column += at;
	if (ret < 0)
		return ret;
	ret = event_copy(trigger, events, at, error);
	pmcgrp_events_free(events);
	return ret;
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* ---- Every ---- */

/* A unit of time in ns; 0: none. */
static uint64_t unit_of(const char *text)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(text, units[i].name))
			return units[i].ns;
	}
	return 0;
}

static int every_time(struct trigger *trigger, const char *text, uint64_t ns, bool cpus,
		      struct pmcgrp_events_error *error)
{
	char name[64];

	if (ns < CLOCK_MIN_NS)
		return fail(error, 0, "the kernel's clocks have steps of 10us and more");
	trigger->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(trigger->attr),
		.config = cpus ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = ns,
	};
	snprintf(name, sizeof(name), "every:%s", text);
	return name_set(trigger, name);
}

/* As "every:1000000:instructions". */
static int name_every(struct trigger *trigger, unsigned long long number)
{
	char *name;

	if (asprintf(&name, "every:%llu:%s", number, trigger->name) < 0)
		return -ENOMEM;
	free(trigger->name);
	trigger->name = name;
	return 0;
}

int trigger_every(struct trigger *trigger, const char *text, bool cpus, struct pmcgrp_events_error *error)
{
	static const char wanted[] =
		"this is neither a time, as 100us, nor a number of events, as 1000000:instructions";
	unsigned long long number;
	char *end;
	int ret;

	memset(trigger, 0, sizeof(*trigger));
	errno = 0;
	number = strtoull(text, &end, 10);
	/* The kernel takes the highest bit of a period for a sign. */
	if (*text < '0' || *text > '9')
		return fail(error, 0, "%s", wanted);
	if (errno || number > INT64_MAX || !number)
		return fail(error, 0, "that is not a number from 1 to %lld", (long long)INT64_MAX);
	if (*end != ':') {
		if (!unit_of(end))
			return fail(error, (size_t)(end - text), "%s", wanted);
		if (number > INT64_MAX / unit_of(end))
			return fail(error, 0, "that is longer than the kernel can count");
		return every_time(trigger, text, number * unit_of(end), cpus, error);
	}
	ret = event_take(trigger, text, (size_t)(end + 1 - text), error);
	if (!ret && is_clock(&trigger->attr))
		ret = fail(error, 0, "of a clock give the time, as --every 100us");
	if (ret) {
		trigger_free(trigger);
		return ret;
	}
	trigger->attr.sample_period = number;
	return name_every(trigger, number);
}

/* ---- On ---- */

/* An event of PMU kprobe or uprobe: it is what its folder says, but for what it probes. */
static int probe_pmu(struct trigger *trigger, const char *pmu, bool is_return,
		     struct pmcgrp_events_error *error)
{
	char text[32];
	int ret;

	snprintf(text, sizeof(text), "%s//", pmu);
	ret = event_take(trigger, text, 0, error);
	if (ret == -EINVAL)
		return fail(error, 0, "this kernel has no PMU %s: make the probe in tracefs, and "
			    "give --on its tracepoint", pmu);
	if (!ret && is_return) {
		trigger_free(trigger);
		snprintf(text, sizeof(text), "%s/retprobe/", pmu);
		ret = event_take(trigger, text, 0, error);
		if (ret == -EINVAL || (!ret && !trigger->attr.config))
			ret = fail(error, 0, "this kernel's PMU %s has no return probes", pmu);
	}
	if (ret)
		return ret;
	free(trigger->name);
	trigger->name = NULL;
	trigger->attr.sample_period = 1;
	trigger->probe = true;
	return 0;
}

/* A number to the end of the text. */
static bool offset_of(const char *text, uint64_t *offset)
{
	char *end;

	errno = 0;
	*offset = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* SYMBOL, SYMBOL+OFFSET or an address. */
static int kprobe(struct trigger *trigger, const char *text, size_t at, struct pmcgrp_events_error *error)
{
	uint64_t offset = 0;
	char *plus;

	if (!text[at])
		return fail(error, at, "the name of a kernel function is missing here");
	if (offset_of(text + at, &offset)) {
		trigger->attr.kprobe_addr = offset;
		return 0;
	}
	trigger->text = strdup(text + at);
	if (!trigger->text)
		return -ENOMEM;
	plus = strchr(trigger->text, '+');
	if (plus && !offset_of(plus + 1, &offset))
		return fail(error, at + (size_t)(plus + 1 - trigger->text),
			    "an offset is a number, as 16 or 0x10");
	if (plus)
		*plus = '\0';
	trigger->attr.kprobe_func = (uintptr_t)trigger->text;
	trigger->attr.probe_offset = offset;
	return 0;
}

/* FILE:OFFSET, where FILE can have colons of its own. */
static int uprobe(struct trigger *trigger, const char *text, size_t at, struct pmcgrp_events_error *error)
{
	uint64_t offset;
	char *colon;

	trigger->text = strdup(text + at);
	if (!trigger->text)
		return -ENOMEM;
	colon = strrchr(trigger->text, ':');
	if (!colon || colon == trigger->text || !offset_of(colon + 1, &offset))
		return fail(error, at, "an uprobe is FILE:OFFSET, with the offset in the file as a "
			    "number: \"nm -D FILE\" shows those of its functions");
	*colon = '\0';
	trigger->attr.uprobe_path = (uintptr_t)trigger->text;
	trigger->attr.probe_offset = offset;
	return 0;
}

static const struct {
	const char *prefix;
	const char *pmu;
	bool is_return;
	int (*take)(struct trigger *trigger, const char *text, size_t at,
		    struct pmcgrp_events_error *error);
} probes[] = {
	{ "kprobe:", "kprobe", false, kprobe },
	{ "kretprobe:", "kprobe", true, kprobe },
	{ "uprobe:", "uprobe", false, uprobe },
	{ "uretprobe:", "uprobe", true, uprobe },
};

static int on_event(struct trigger *trigger, const char *text, struct pmcgrp_events_error *error)
{
	int ret = event_take(trigger, text, 0, error);

	if (ret)
		return ret;
	if (is_clock(&trigger->attr))
		return fail(error, 0, "of a clock give the time, as --every 100us");
	if (trigger->attr.type != PERF_TYPE_SOFTWARE && trigger->attr.type != PERF_TYPE_TRACEPOINT)
		return fail(error, 0, "each one of them is too many: --every 1000000:%.32s takes a "
			    "sample after so many", text);
	trigger->attr.sample_period = 1;
	return 0;
}

static int on(struct trigger *trigger, const char *text, struct pmcgrp_events_error *error)
{
	size_t i, len;
	int ret;

	for (i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		len = strlen(probes[i].prefix);
		if (strncmp(text, probes[i].prefix, len))
			continue;
		ret = probe_pmu(trigger, probes[i].pmu, probes[i].is_return, error);
		if (!ret)
			ret = probes[i].take(trigger, text, len, error);
		return ret ? ret : name_set(trigger, text);
	}
	return on_event(trigger, text, error);
}

int trigger_on(struct trigger *trigger, const char *text, struct pmcgrp_events_error *error)
{
	int ret;

	memset(trigger, 0, sizeof(*trigger));
	ret = on(trigger, text, error);
	if (ret)
		trigger_free(trigger);
	return ret;
}

void trigger_free(struct trigger *trigger)
{
	free(trigger->name);
	free(trigger->text);
	memset(trigger, 0, sizeof(*trigger));
}
