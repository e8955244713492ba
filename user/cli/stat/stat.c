// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp stat: count while something runs, then print. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "args/cli.h"
#include "core_pmu.h"
#include "counters/reason.h"
#include "stat_run.h"

/* ---- Set-up ---- */

/*
 * perf_event_open(2) takes a descriptor for each event on each CPU or thread; and --per-thread has
 * a group for each.
 */
static void descriptors_raise(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int backend_open(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	unsigned int flags = 0;
	int ret;

	if (o->fallback)
		flags |= PMCGRP_OPEN_FALLBACK;
	if (o->perf)
		flags |= PMCGRP_OPEN_PERF;
	ret = pmcgrp_open(&st->h, flags);
	if (ret < 0) {
		cli_say("%s", pmcgrp_strerror(NULL));
		cli_say("--perf counts with perf_event_open(2) instead; --fallback does so where "
			"the module is not loaded");
		return EXIT_TOOL;
	}
	if (stat_by_key(o) && pmcgrp_backend(st->h) == PMCGRP_BACKEND_PERF) {
		cli_say("--fallback: the module pmcgrp is not loaded, and perf_event_open(2) has no "
			"counts by key: leave out --by, -G or --for-each-cgroup, or load the module");
		return EXIT_TOOL;
	}
	if (o->fallback && !o->perf && pmcgrp_backend(st->h) == PMCGRP_BACKEND_PERF)
		cli_say("the module pmcgrp is not loaded: counting with perf_event_open(2)");
	else if (o->verbose)
		cli_say("counting with %s", pmcgrp_backend_name(st->h));
	return 0;
}

static void print_cpus(FILE *text, const struct pmcgrp_cpus *cpus)
{
	char list[256];
	size_t len = pmcgrp_cpus_format(cpus, list, sizeof(list));

	fprintf(text, "CPU%s %s%s", pmcgrp_cpus_nr(cpus) > 1 ? "s" : "", list,
		len >= sizeof(list) ? ",..." : "");
}

/* "process 4711", "threads 4711, 4712" */
static void print_ids(FILE *text, const char *what, const struct args_ids *ids)
{
	const char *plural = ids->nr == 1 ? "" : strcmp(what, "process") ? "s" : "es";
	unsigned int i;

	fprintf(text, "%s%s", what, plural);
	for (i = 0; i < ids->nr; i++)
		fprintf(text, "%s %d", i ? "," : "", ids->id[i]);
}

static int subject_init(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	size_t size = 0;
	FILE *text = open_memstream(&st->subject, &size);
	int i;

	if (!text)
		return cli_say_errno("cannot set up the report", errno);
	if (st->uncore == STAT_UNCORE_ALL)
		fputs("all CPUs, during ", text);
	if (o->has_cpus) {
		print_cpus(text, &o->cpus);
	} else if (o->all_cpus) {
		fputs(o->aggr == AGGR_THREAD ? "all threads" : "all CPUs", text);
	} else if (stat_counts_tasks(o)) {
		print_ids(text, o->pids.nr ? "process" : "thread",
			  o->pids.nr ? &o->pids : &o->tids);
	} else {
		fputc('\'', text);
		for (i = 0; o->command[i]; i++)
			fprintf(text, "%s%s", i ? " " : "", o->command[i]);
		fputc('\'', text);
	}
	if (st->uncore == STAT_UNCORE_SOME)
		fputs(", and of all CPUs for uncore events", text);
	if (fclose(text))
		return cli_say_errno("cannot set up the report", errno);
	return 0;
}

/* ---- What is said at the end ---- */

/*
 * Of a value that is scaled up more than a thousand times, what was not counted says more than
 * what was.
 */
#define SHARE_LEAST	0.001

static const char *advice_of(const struct counter_set *set, const struct counter_group *group,
			     const char *reason)
{
	if (set->counters[group->first].planned)
		return "; \"pmcgrp plan\" shows what fits together";
	return reason ? reason_advice(group->why) : "";
}

/* Of groups that had nothing to show in all that was printed, or hardly anything. */
static void starved_note(const struct counter_set *set, bool intervals)
{
	double share;
	unsigned int i;

	for (i = 0; i < set->nr_groups; i++) {
		const struct counter_group *group = &set->groups[i];
		const char *reason = reason_of_group(set, group);

		share = intervals ? 0.0 : counter_group_share(set, i);	/* the last one's alone */
		if (share > 0.0 && share < SHARE_LEAST)
			cli_say("the %sgroup of %u with %s was on the PMU for only %.4f %% of its "
				"time: its values are scaled up %.0f times",
				group->pinned ? "pinned " : "", group->nr,
				set->counters[group->first].name, 100.0 * share, 1.0 / share);
		if (!counter_group_starved(set, i))
			continue;
		cli_say("the %sgroup of %u with %s was never on the PMU: %s%s",
			group->pinned ? "pinned " : "", group->nr,
			set->counters[group->first].name,
			reason ? reason : "it has more hardware events than there are counters, or "
					  "others hold them",
			advice_of(set, group, reason));
	}
}

/*
 * Of default events that are not supported there is no reason in the table. People are told of a
 * machine without a PMU, as virtual machines often are.
 */
static void no_pmu_note(const struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct core_pmu pmus[CORE_PMUS_MAX];

	if (o->nr_events || o->detailed || o->verbose || o->quiet || o->separator || o->json)
		return;
	if (counter_set_supported(&st->set) == st->set.nr || core_pmus_find(pmus, ""))
		return;
	cli_say("this machine has no PMU of the cores, and so no hardware events; a virtual machine "
		"gets one from its hypervisor (\"pmcgrp doctor\" says more)");
}

static int print_rest(struct stat_run *st)
{
	int ret = stat_intervals_done(st) ? 0 : stat_write(st);

	if (!ret && st->options.summary)
		ret = stat_write_total(st);
	if (!ret)
		ret = stat_flush(st);
	if (st->rings.lost)
		cli_say("%llu times a CPU's values were not taken at the end of an interval, and are "
			"in one after it: its clock came late or was throttled, or its ring was full; "
			"from then on each interval was read",
			(unsigned long long)st->rings.lost);
	starved_note(&st->set, st->intervals > 0);
	no_pmu_note(st);
	return ret;
}

void stat_free(struct stat_run *st)
{
	if (st->file && st->file != stderr)
		fclose(st->file);
	stat_keys_free(st);
	pmcgrp_close(st->h);
	counter_set_free(&st->set);
	aggr_free(&st->aggr);
	stat_regions_end(st);
	free(st->subject);
	free(st->runs);
	free(st->threads.id);
	control_close(&st->control);
	table_metrics_free(&st->metrics);
	smi_freeze_restore(&st->smi);
	stat_options_free(&st->options);
}

int stat_setup(struct stat_run *st)
{
	int ret = stat_events_init(st);

	/* Without events nothing counts. */
	if (!ret && !st->options.null_run)
		ret = backend_open(st);
	if (!ret && st->h && pmcgrp_backend(st->h) == PMCGRP_BACKEND_PERF)
		ret = stat_uncore_by_pmu(st);
	if (!ret && st->options.smi_cost)
		ret = smi_freeze_on(&st->smi);
	if (!ret)
		ret = subject_init(st);
	if (!ret && st->h && (pmcgrp_backend(st->h) == PMCGRP_BACKEND_PERF || st->threads.nr))
		descriptors_raise();
	return ret;
}

int stat_main(int argc, char **argv)
{
	static struct stat_run st;
	int ret;

	cli_begin("stat");
	ret = stat_options_parse(&st.options, argc, argv);
	if (ret <= 0) {
		stat_options_free(&st.options);
		return -ret;
	}
	ret = stat_setup(&st);
	if (!ret && st.options.control)
		ret = control_open(&st.control, st.options.control);
	if (!ret && st.options.regions)
		ret = stat_regions_begin(&st);
	if (!ret)
		ret = stat_output_open(&st);
	if (!ret)
		ret = stat_count(&st);
	if (!ret)
		ret = print_rest(&st);
	if (!ret && st.options.regions)
		ret = stat_regions_print(&st);
	if (!ret)
		ret = st.status;
	stat_free(&st);
	return ret;
}
