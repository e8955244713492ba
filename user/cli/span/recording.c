// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "span_options.h"
#include "perfdata/spans.h"
#include "recording.h"
#include "record/side.h"

/* The first member, which the kernel has no id for. */
#define TIME_ID UINT64_MAX

/* What record's command line would have been. */
static void options_init(struct record_options *to, const struct span_options *o)
{
	*to = (struct record_options){
		.all_cpus = o->all_cpus,
		.has_cpus = o->has_cpus,
		.cpus = o->cpus,
		/* A thread's group is of nobody else. */
		.no_inherit = o->no_inherit || o->tids.nr,
		.background = o->background,
		.pids = o->pids,
		.tids = o->tids,
		.pages = o->pages ? o->pages : ARGS_PAGES,
		.output = o->record,
		.format = FORMAT_PERF,
		.all_cgroups = o->by.is && !o->by.cpus && o->by.key.type == PMCGRP_KEY_CGROUP,
		.command = o->command,
	};
}

int span_recording_init(struct span_recording *recording, const struct span_options *options,
			int argc, char **argv)
{
	struct record_run *r = &recording->run;

	*recording = (struct span_recording){
		.run = { .files = RECORD_FILES_NONE, .control_waited = -1, .ready = -1,
			 .of_spans = true },
	};
	options_init(&r->options, options);
	/* With "pmcgrp" before it. */
	r->argc = argc + 1;
	r->argv = argv - 1;
	r->nr_triggers = options->nr_functions;
	recording->names = calloc(options->nr_functions, sizeof(*recording->names));
	if (!recording->names)
		return cli_say_errno("--record", ENOMEM);
	return record_cgroups_init(r);
}

/* The ids of a group: of spans, of the time, of its members. */
static size_t ids_of(const struct record_run *r)
{
	return r->nr_triggers + 1 + pmcgrp_group_nr(r->groups[0]);
}

static int groups_init(struct record_run *r, const struct counter_set *set)
{
	const struct counter_group *group = &set->groups[0];
	unsigned int i, k, nr = group->nr_more + 1;
	uint64_t *ids;

	r->groups = calloc(nr, sizeof(struct pmcgrp_group *));
	if (!r->groups)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		r->groups[i] = i ? group->more[i - 1] : group->group;
	r->nr_groups = nr;
	ids = calloc(nr * ids_of(r), sizeof(*ids));
	r->ids = ids;
	for (i = 0; ids && i < nr; i++, ids += ids_of(r)) {
		ids[r->nr_triggers] = TIME_ID;
		for (k = 0; k < pmcgrp_group_nr(r->groups[i]); k++)
			ids[r->nr_triggers + 1 + k] = pmcgrp_group_id(r->groups[i], k);
	}
	return ids ? 0 : -ENOMEM;
}

int span_recording_groups(struct span_recording *recording, struct pmcgrp *h,
			  const struct counter_set *set)
{
	struct record_run *r = &recording->run;
	unsigned int i;
	int ret = groups_init(r, set);

	if (ret < 0)
		return cli_say_errno("--record", -ret);
	r->h = h;
	for (i = 0; i < r->nr_groups && !ret; i++)
		ret = record_ring_set(r, r->groups[i]);
	return ret;
}

void span_recording_spec(struct span_recording *recording, struct pmcgrp_span_spec *spec,
			 unsigned int group, unsigned int function, const char *name)
{
	struct record_run *r = &recording->run;

	snprintf(recording->names[function], sizeof(*recording->names), "%s", name);
	/* Its attr says nothing: it goes by its name. */
	r->trigger_events[function] = (struct record_event){ .name = recording->names[function],
							      .name_only = true };
	spec->record = true;
	spec->record_id = &r->ids[group * ids_of(r) + function];
}

static int desc_init(struct record_run *r, const struct counter_set *set)
{
	unsigned int i, nr = pmcgrp_group_nr(r->groups[0]);
	int ret;

	r->members[0] = (struct record_event){ .name = "time", .name_only = true };
	for (i = 0; i < nr; i++)
		record_member_init(&r->members[1 + i], set, i);
	record_desc_init(r, 1 + nr);
	r->desc.format.read_format = RECORD_READ_FORMAT;
	ret = record_spans_new(&r->desc.spans, &r->desc);
	return ret < 0 ? cli_say_errno("--record", -ret) : 0;
}

int span_recording_open(struct span_recording *recording, const struct counter_set *set,
			pid_t child)
{
	struct record_run *r = &recording->run;
	int ret = record_rings_map(r);

	if (!ret)
		ret = record_ready_init(r);
	if (!ret)
		ret = desc_init(r, set);
	if (!ret)
		ret = record_file_open(r);
	return ret ? ret : record_side_open(r, child);
}

int span_recording_end(struct span_recording *recording)
{
	struct record_run *r = &recording->run;
	int ret = record_finish(r), err = -record_file_end(r);

	if (err && !r->failed && !ret)
		ret = cli_say_errno(r->options.output, err);
	return r->failed ? EXIT_TOOL : ret;
}

void span_recording_free(struct span_recording *recording)
{
	struct record_run *r = &recording->run;

	/* One that has not come to its end. */
	if (r->sink)
		record_file_end(r);
	side_close(&r->side);
	/* These are closed by whom they belong to. */
	r->nr_groups = 0;
	record_groups_close(r);
	record_spans_free(r->desc.spans);
	record_cgroups_free(r->cgroups);
	record_file_close(&r->files);
	free(recording->names);
}
