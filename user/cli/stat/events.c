// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The events of stat: from -e to counters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>

#include "args/cli.h"
#include "counters/default_events.h"
#include "counters/modes.h"
#include "event/events.h"
#include "event/near.h"
#include "stat_run.h"

/* perf stat's choice, too: a CPU's own clock does not stop when it idles. */
static const char default_cpu_events[] =
	"{cpu-clock,context-switches,cpu-migrations,page-faults},"
	"{cycles,instructions,branches,branch-misses}";

/* --by has a column for each. A CPU's clock gives each key its time there. */
static const char default_key_events[] =
	"{cpu-clock,page-faults,cycles,instructions,branch-misses}";

static int say_event_error(const char *text, int ret, const struct pmcgrp_events_error *error)
{
	if (ret != -EINVAL)
		return cli_say_errno("cannot set up the events", -ret);
	cli_say("-e: %s", error->text);
	cli_point(text, error->column);
	return EXIT_TOOL;
}

static int add(struct pmcgrp_events *events, const char *text)
{
	struct pmcgrp_events_error error;
	int ret = pmcgrp_events_add(events, text, 0, &error);

	return ret < 0 ? say_event_error(text, ret, &error) : 0;
}

/* All of -e as one group: "{a,b}" of "a" and "b". */
static int add_group(struct pmcgrp_events *events, const struct stat_options *o)
{
	char *text = NULL;
	unsigned int i;
	size_t size;
	FILE *out;
	int ret;

	out = open_memstream(&text, &size);
	if (!out)
		return cli_say_errno("cannot set up the events", errno);
	for (i = 0; i < o->nr_events; i++)
		fprintf(out, "%c%s", i ? ',' : '{', o->events[i]);
	fputc('}', out);
	ret = fclose(out) ? cli_say_errno("cannot set up the events", ENOMEM) : add(events, text);
	free(text);
	return ret;
}

/* -T: those of perf stat, where the kernel names them; without the last one where it is not. */
static int add_transaction(struct pmcgrp_events *events)
{
	static const char *const lists[] = {
		"{task-clock,instructions,cycles,cpu/cycles-t/,cpu/tx-start/,cpu/el-start/,cpu/cycles-ct/}",
		"{task-clock,instructions,cycles,cpu/cycles-t/,cpu/tx-start/}",
	};
	size_t i;
	int ret;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		ret = pmcgrp_events_add(events, lists[i], 0, NULL);
		if (ret != -EINVAL)
			return ret < 0 ? cli_say_errno("-T", -ret) : 0;
	}
	cli_say("-T: the PMU of this machine's CPUs has no events of transactions (cpu/tx-start/ and "
		"others in /sys/bus/event_source/devices/cpu/events)");
	return EXIT_TOOL;
}

static int no_pmu(struct pmcgrp_events *events, const char *name)
{
	const struct pmus *pmus = event_machine_pmus(&events->machine);
	char near_names[NEAR_TEXT];
	struct near near;
	size_t i;

	near_begin(&near, name);
	for (i = 0; pmus && i < pmus->nr; i++)
		near_offer(&near, pmus->at[i].name);
	near_text(&near, near_names, sizeof(near_names));
	cli_say("--cputype, --pmu-filter: this machine has no PMU '%s'%s", name,
		near_names[0] ? near_names : ": \"pmcgrp list pmu\" lists them");
	return EXIT_TOOL;
}

static int choose_pmu(struct pmcgrp_events *events, const char *pmu)
{
	int ret = pmcgrp_events_choose_pmu(events, pmu);

	if (ret == -ENODEV)
		return no_pmu(events, pmu);
	return ret < 0 ? cli_say_errno("cannot set up the events", -ret) : 0;
}

static int add_all(struct pmcgrp_events *events, const struct stat_options *o)
{
	bool cpus = stat_counts_cpus(o) && o->aggr != AGGR_THREAD;
	const char *otherwise = cpus ? default_cpu_events : stat_default_events;
	int ret = choose_pmu(events, o->pmu);
	unsigned int i;

	if (!ret && o->one_group)
		ret = add_group(events, o);
	for (i = 0; i < o->nr_events && !ret && !o->one_group; i++)
		ret = add(events, o->events[i]);
	if (!ret && o->transaction)
		ret = add_transaction(events);
	if (!ret && !o->nr_events && !o->nr_metrics && !o->transaction)
		ret = add(events, o->by.is ? default_key_events : otherwise);
	for (i = 0; i < o->detailed && i < STAT_DETAILS && !ret; i++)
		ret = add(events, stat_detailed_events[i]);
	return ret;
}

/* The option that has named a metric. */
static const char *metric_option(const struct stat_options *o, unsigned int i)
{
	/* Its group came last (add_topdown()). */
	if (o->topdown && i + 1 == o->nr_metrics)
		return "--topdown";
	return o->smi_cost && !strcmp(o->metrics[i], "smi") ? "--smi-cost" : "-M";
}

int stat_events_init(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct pmcgrp_events *events;
	unsigned int i;
	int ret;

	if (o->null_run) {
		st->set.aggr = &st->aggr;
		return stat_lines_init(st);
	}
	ret = pmcgrp_events_new(&events);
	if (ret < 0)
		return cli_say_errno("cannot set up the events", -ret);
	ret = add_all(events, o);
	if (!ret)
		stat_uncore_note_split(events);
	st->metrics.system_wide = o->all_cpus;
	st->metrics.files = o->metric_files;
	st->metrics.nr_files = o->nr_metric_files;
	st->metrics.first = pmcgrp_events_nr(events);
	for (i = 0; i < o->nr_metrics && !ret; i++)
		ret = table_metrics_add(&st->metrics, o->metrics[i], metric_option(o, i), events);
	if (!ret)
		ret = stat_uncore_choose(st, events);
	if (!ret)
		ret = stat_lines_init(st);
	if (!ret) {
		ret = counter_set_init(&st->set, events, &st->aggr);
		if (ret < 0)
			ret = cli_say_errno("cannot set up the events", -ret);
	}
	pmcgrp_events_free(events);
	if (!ret)
		ret = stat_uncore_limit(st);
	if (!ret) {
		modes_set(&st->set, o->all_user, o->all_kernel);
		st->set.unscaled = o->no_scale;
	}
	if (!ret && stat_by_key(o))
		ret = stat_keys_init(st);
	return ret;
}
