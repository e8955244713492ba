// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * pmcgrp span: what happens in functions of the kernel and of programs, or from one tracepoint to
 * another one.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/cgroup.h"
#include "args/cli.h"
#include "counters/ended.h"
#include "counters/counter_set.h"
#include "counters/holder.h"
#include "counters/lacks.h"
#include "counters/regroup.h"
#include "counters/uncore.h"
#include "counters/workload.h"
#include "event/near.h"
#include "function.h"
#include "span_options.h"
#include "point_pair.h"
#include "recording.h"
#include "section/section_run.h"
#include "user_function.h"

static const char default_events[] = "{cycles,instructions}";

struct span_run {
	struct span_options options;
	struct pmcgrp *h;
	struct aggr aggr;
	struct counter_set set;		/* one group, of one target or more */
	struct cgroup_dirs cgroups;	/* of -G */
	struct workload workload;
	uint64_t *ids;			/* of the spans */
	struct user_function *users;	/* for each of options.functions; path: NULL: the kernel's */
	struct section_run show;
	struct span_recording recording;	/* of --record */
	int status;			/* of the command */
};

/* ---- Events ---- */

static int say_event_error(const char *text, int ret, const struct pmcgrp_events_error *error)
{
	if (ret != -EINVAL)
		return cli_say_errno("cannot set up the events", -ret);
	cli_say("-e: %s", error->text);
	cli_point(text, error->column);
	return EXIT_TOOL;
}

static int add_all(const struct span_options *o, struct pmcgrp_events *events)
{
	const char *text = default_events;
	unsigned int i, nr = o->nr_events ? o->nr_events : 1;
	struct pmcgrp_events_error error;
	int ret;

	for (i = 0; i < nr; i++) {
		if (o->nr_events)
			text = o->events[i];
		ret = pmcgrp_events_add(events, text, 0, &error);
		if (ret < 0)
			return say_event_error(text, ret, &error);
	}
	if (pmcgrp_events_nr(events) <= PMCGRP_SECTION_MEMBERS_MAX)
		return 0;
	cli_say("-e: the group of a span has %d events at most", PMCGRP_SECTION_MEMBERS_MAX);
	return EXIT_TOOL;
}

static int events_init(struct span_run *run)
{
	struct pmcgrp_events *events;
	int ret = pmcgrp_events_new(&events);

	if (ret < 0)
		return cli_say_errno("cannot set up the events", -ret);
	ret = add_all(&run->options, events);
	if (!ret) {
		ret = counter_set_init(&run->set, events, &run->aggr);
		if (ret < 0)
			ret = cli_say_errno("cannot set up the events", -ret);
	}
	pmcgrp_events_free(events);
	if (ret)
		return ret;
	if (uncore_first(&run->set)) {
		cli_say("-e: %s is counted of a part of the machine, where nobody can say what is a "
			"call's: leave it out",
			uncore_first(&run->set)->name);
		return EXIT_TOOL;
	}
	regroup_join(&run->set);
	return 0;
}

/* ---- The group and its spans ---- */

static bool counts_command(const struct span_options *o)
{
	return o->command && !o->pids.nr && !o->tids.nr && !o->all_cpus && !o->has_cpus &&
	       !o->cgroups;
}

/* Those that have a group each: cgroups by their descriptors, processes, threads; or none. */
static struct args_ids targets_of(const struct span_run *run)
{
	const struct span_options *o = &run->options;

	if (run->cgroups.nr)
		return (struct args_ids){ .id = run->cgroups.fds, .nr = run->cgroups.nr };
	return o->pids.nr ? o->pids : o->tids;
}

static void target_init(struct counter_target *target, const struct span_run *run)
{
	const struct span_options *o = &run->options;
	const struct args_ids ids = targets_of(run);

	*target = (struct counter_target){ .type = PMCGRP_TARGET_TASK };
	if (o->has_cpus) {
		target->type = PMCGRP_TARGET_CPUS;
		target->cpus = o->cpus;
	} else if (ids.nr) {
		if (o->cgroups)
			target->type = PMCGRP_TARGET_CGROUP;
		else if (o->pids.nr)
			target->type = PMCGRP_TARGET_PROCESS;
		target->id = ids.id[0];
		target->more = ids.id + 1;
		target->nr_more = ids.nr - 1;
	} else if (o->all_cpus) {
		target->type = PMCGRP_TARGET_ALL_CPUS;
	} else {
		target->id = run->workload.pid;
		target->flags = PMCGRP_CREATE_ENABLE_ON_EXEC;
		if (!o->no_inherit)
			target->flags |= PMCGRP_CREATE_INHERIT;
	}
	if (o->background)
		target->flags |= PMCGRP_CREATE_BACKGROUND;
}

static int say_failure(const struct span_run *run, int err)
{
	const char *text = pmcgrp_strerror(run->h);

	cli_say("%s", text[0] ? text : strerror(err));
	return EXIT_TOOL;
}

static int group_open(struct span_run *run)
{
	struct counter_target target;
	int ret;

	target_init(&target, run);
	ret = counter_set_open(&run->set, run->h, &target,
			       run->options.nr_events ? lacks_note : lacks_note_unnamed);
	if (run->options.nr_events)
		lacks_say();
	else
		lacks_forget();
	if (ret < 0)
		return say_failure(run, -ret);
	if (counter_set_supported(&run->set))
		return 0;
	cli_say("this machine supports none of the events: \"pmcgrp list\" lists what it has");
	return EXIT_TOOL;
}

/* What the kernel is asked for. @pair is that of tracepoints, which @spec then points to. */
static void spec_init(struct pmcgrp_span_spec *spec, struct point_pair *pair,
		      const struct user_function *user, const char *point)
{
	if (user->path) {
		spec->kind = PMCGRP_SECTION_USER_FUNCTION;
		spec->begin = user->path;
		spec->offset = user->exits.begin;
		spec->exits = user->exits.exit;
		spec->nr_exits = user->exits.nr;
		return;
	}
	spec->kind = PMCGRP_SECTION_FUNCTION;
	spec->begin = point;
	if (!point_is_pair(point) || point_parse(pair, point))
		return;
	spec->kind = PMCGRP_SECTION_TRACEPOINTS;
	spec->begin = pair->begin.name;
	spec->end = pair->end.name;
	spec->key = pair->key;
	spec->begin_arg = pair->begin_arg;
	spec->end_arg = pair->end_arg;
	spec->arg_size = pair->arg_size;
}

/* BEGIN/END, or the function; cut so that @of is whole. */
static void name_span(char *name, size_t size, const struct pmcgrp_span_spec *spec,
		      const struct user_function *user, const char *of)
{
	const char *begin = user->path ? user->label : spec->begin;
	char both[2 * POINT_NAME + 1];

	snprintf(both, sizeof(both), "%s%s%s", begin, spec->end ? "/" : "",
		 spec->end ? spec->end : "");
	snprintf(name, size, "%.*s%s", (int)(size - 1 - strlen(of)), both, of);
}

static int say_refused(const struct span_run *run, const struct pmcgrp_span_spec *spec,
		       const struct point_pair *pair, int err)
{
	char text[NEAR_TEXT] = "";
	const char *more = text;

	if (spec->kind == PMCGRP_SECTION_FUNCTION)
		more = function_why_refused(&function_files, spec->begin);
	else if (spec->kind == PMCGRP_SECTION_TRACEPOINTS && err == ENOENT)
		point_near(point_list, pair, text, sizeof(text));
	cli_say("%s%s", pmcgrp_strerror(run->h), more);
	return EXIT_TOOL;
}

/* A group of span's. */
struct span_target {
	struct pmcgrp_group *group;
	unsigned int index;
	const char *of;		/* what tells it from others, behind a name; "": it is alone */
};

static int add_span(struct span_run *run, const struct span_target *target, unsigned int i)
{
	const struct user_function *user = &run->users[i];
	const char *point = run->options.functions[i];
	char name[PMCGRP_SECTION_NAME_MAX];
	struct pmcgrp_span_spec spec = {
		.max_active = (unsigned int)run->options.max_active,
		.name = name,
		.by = run->options.by.is && !run->options.by.cpus ? &run->options.by.key : NULL,
	};
	struct point_pair pair;
	int ret;

	spec.histograms = spec.by && run->options.by.histograms;
	spec_init(&spec, &pair, user, point);
	name_span(name, sizeof(name), &spec, user, "");
	if (run->options.record)
		span_recording_spec(&run->recording, &spec, target->index, i, name);
	name_span(name, sizeof(name), &spec, user, target->of);
	ret = pmcgrp_group_add_span(run->h, target->group, &spec, &run->ids[run->show.nr_ids]);
	if (ret < 0)
		return say_refused(run, &spec, &pair, -ret);
	run->show.nr_ids++;
	return 0;
}

static int add_spans(struct span_run *run, const struct span_target *target)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < run->options.nr_functions && !ret; i++)
		ret = add_span(run, target, i);
	return ret;
}

/* The end of its name, which tells it from its neighbours. */
static void cgroup_suffix(char *of, size_t size, const char *name)
{
	size_t len = strlen(name), room = size - 2, i;

	of[0] = ':';
	name += len > room ? len - room : 0;
	/* The module takes names of printable characters, without blanks. */
	for (i = 0; name[i]; i++)
		of[i + 1] = name[i] > ' ' && name[i] < 0x7f ? name[i] : '?';
	of[i + 1] = '\0';
}

/* Each of several cgroups, processes or threads has a group, and spans of its own. */
static int spans_open(struct span_run *run)
{
	const struct counter_group *group = &run->set.groups[0];
	const struct span_options *o = &run->options;
	const struct args_ids ids = targets_of(run);
	unsigned int i, nr = group->nr_more + 1;
	char of[24] = "";
	struct span_target target = { .of = of };
	int ret = 0;

	run->ids = calloc((size_t)nr * o->nr_functions, sizeof(*run->ids));
	if (!run->ids)
		return cli_say_errno("cannot set up the spans", ENOMEM);
	run->show.ids = run->ids;
	for (i = 0; i < nr && !ret; i++) {
		if (nr > 1 && o->cgroups)
			cgroup_suffix(of, sizeof(of), run->cgroups.names[i]);
		else if (nr > 1)
			snprintf(of, sizeof(of), ":%d", ids.id[i]);
		target.group = i ? group->more[i - 1] : group->group;
		target.index = i;
		ret = add_spans(run, &target);
	}
	return ret;
}

/* ---- Counting ---- */

static int start(struct span_run *run)
{
	const struct span_options *o = &run->options;
	int ret = counts_command(o) ? 0 : counter_set_enable(&run->set);

	if (ret < 0)
		return cli_say_errno("cannot start the counters", -ret);
	run->show.start = clock_now();
	if (!o->command)
		return 0;
	ret = workload_start(&run->workload);
	if (!ret)
		return 0;
	cli_say("%s: %s", o->command[0], strerror(-ret));
	return ret == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static void waiter_set_up(struct waiter *waiter, const struct span_run *run)
{
	const struct span_options *o = &run->options;
	const struct args_ids *ids = o->pids.nr ? &o->pids : &o->tids;

	if (o->command) {
		waiter_init(waiter, run->workload.pid, true);
	} else if (ids->nr) {
		waiter_init(waiter, ids->id[0], false);
		waiter_add(waiter, ids->id + 1, ids->nr - 1);
	} else {
		waiter_init(waiter, 0, false);
	}
}

/* Until the command has ended, or those who are counted, or a signal comes. */
static int count(struct span_run *run)
{
	struct waiter waiter;
	int ret = 0, err = 0;

	waiter_set_up(&waiter, run);
	if (run->show.options.interval)
		ret = section_run_intervals(&run->show, &waiter);
	else if (run->options.record)
		record_loop(&run->recording.run, &waiter);
	else
		waiter_wait(&waiter, WAIT_FOREVER, !waiter.child);
	waiter_free(&waiter);
	if (run->workload.pid) {
		if (run->show.options.interval_count)
			workload_signal(&run->workload, SIGTERM);
		workload_wait(&run->workload);
		run->status = workload_exit_status(&run->workload);
	}
	if (ret || run->show.options.interval)
		return ret;
	/* The group is stopped by that: the table is of the same calls. */
	if (run->options.record)
		err = span_recording_end(&run->recording);
	ret = section_run_take(&run->show);
	if (!ret)
		ret = section_run_print(&run->show);
	return ret ? ret : err;
}

static int output_open(struct span_run *run)
{
	const char *name = run->options.output;

	run->show.file = stderr;
	run->show.file_name = name ? name : "stderr";
	if (!name)
		return 0;
	run->show.file = fopen(name, "we");
	return run->show.file ? 0 : cli_say_errno(name, errno);
}

static int check_point(const char *point, bool force, struct user_function *user)
{
	struct point_pair pair;

	if (user_function_is(point))
		return user_function_find(point, force, user);
	if (!point_is_pair(point))
		return function_check(&function_files, point);
	return point_parse(&pair, point) ? EXIT_TOOL : point_check(point_list, &pair);
}

static int check_functions(struct span_run *run)
{
	const struct span_options *o = &run->options;
	unsigned int i;
	int ret = 0;

	run->users = calloc(o->nr_functions, sizeof(*run->users));
	if (!run->users)
		return cli_say_errno("cannot set up the spans", ENOMEM);
	for (i = 0; i < o->nr_functions && !ret; i++)
		ret = check_point(o->functions[i], o->force, &run->users[i]);
	return ret;
}

static int set_up(struct span_run *run)
{
	const struct span_options *o = &run->options;
	int ret = check_functions(run);

	if (!ret)
		ret = events_init(run);
	if (!ret && pmcgrp_open(&run->h, 0) < 0) {
		cli_say("%s", pmcgrp_strerror(NULL));
		ret = EXIT_TOOL;
	}
	if (!ret)
		ret = output_open(run);
	if (ret)
		return ret;
	run->show.h = run->h;
	run->show.options = o->show;
	run->show.options.histogram |= o->nr_functions == 1 && !o->show.interval && !o->by.is;
	if (o->by.is)
		run->show.by = &o->by;
	signals_init();
	if (o->command) {
		ret = workload_prepare(&run->workload, o->command);
		if (ret < 0)
			return cli_say_errno("cannot start the command", -ret);
	}
	ret = o->cgroups ? cgroup_dirs_open(&run->cgroups, "-G", o->cgroups) : 0;
	if (!ret)
		ret = group_open(run);
	if (!ret && o->record)
		ret = span_recording_groups(&run->recording, run->h, &run->set);
	if (!ret)
		ret = spans_open(run);
	if (!ret && o->record)
		ret = span_recording_open(&run->recording, &run->set,
					  counts_command(o) ? run->workload.pid : 0);
	/* For the first interval to begin with nothing. */
	if (!ret && run->show.options.interval)
		ret = section_run_take(&run->show);
	return ret;
}

static void run_free(struct span_run *run)
{
	unsigned int i;

	for (i = 0; run->users && i < run->options.nr_functions; i++)
		user_function_free(&run->users[i]);
	free(run->users);
	workload_cancel(&run->workload);
	cgroup_dirs_close(&run->cgroups);
	section_run_free(&run->show);
	if (run->options.record)
		span_recording_free(&run->recording);
	if (run->show.file && run->show.file != stderr)
		fclose(run->show.file);
	counter_set_close(&run->set);
	counter_set_free(&run->set);
	pmcgrp_close(run->h);
	free(run->ids);
	span_options_free(&run->options);
}

int span_main(int argc, char **argv)
{
	static struct span_run run;
	int ret;

	cli_begin("span");
	ret = span_options_parse(&run.options, argc, argv);
	if (ret <= 0) {
		span_options_free(&run.options);
		return -ret;
	}
	ret = ended_leave_out("/proc", &run.options.pids, &run.options.tids);
	if (!ret && run.options.record)
		ret = span_recording_init(&run.recording, &run.options, argc, argv);
	if (!ret)
		ret = set_up(&run);
	if (!ret)
		ret = start(&run);
	if (!ret)
		ret = count(&run);
	if (!ret)
		ret = run.status;
	run_free(&run);
	return ret;
}
