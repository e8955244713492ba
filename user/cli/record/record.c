// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp record: samples of a group into a file. */
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "counters/ended.h"
#include "record_run.h"
#include "turn_event.h"
#include "user.h"

static int module_open(struct record_run *r)
{
	if (pmcgrp_open(&r->h, 0) < 0) {
		cli_say("%s", pmcgrp_strerror(NULL));
		cli_say("there is no recording without the module: \"perf record -e "
			"'{cycles,instructions}:S'\" comes nearest, and \"pmcgrp report\" reads its "
			"file");
		return EXIT_TOOL;
	}
	return 0;
}

static void record_free(struct record_run *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_triggers; i++)
		trigger_free(&r->triggers[i]);
	trigger_free(&r->turn_trigger);
	counter_set_free(&r->set);
	aggr_free(&r->aggr);
	pmcgrp_close(r->h);
	record_file_close(&r->files);
	record_cgroups_free(r->cgroups);
	control_close(&r->control);
	record_options_free(&r->options);
}

int record_main(int argc, char **argv)
{
	static struct record_run r = { .files = RECORD_FILES_NONE, .control_waited = -1 };
	int ret;

	cli_begin("record");
	ret = record_options_parse(&r.options, argc, argv);
	if (ret <= 0) {
		record_options_free(&r.options);
		return -ret;
	}
	/* With "pmcgrp" before it. */
	r.argc = argc + 1;
	r.argv = argv - 1;
	ret = record_events_init(&r);
	if (!ret)
		ret = record_turn_event_init(&r);
	if (!ret)
		ret = record_cgroups_init(&r);
	if (!ret && r.options.user)
		ret = user_processes(&r.options.pids, r.options.user);
	else if (!ret)
		ret = ended_leave_out("/proc", &r.options.pids, &r.options.tids);
	if (!ret && !r.options.dry_run) {
		ret = module_open(&r);
		if (!ret)
			ret = record_from_start(&r);
	}
	if (!ret)
		ret = r.status;
	record_free(&r);
	return ret;
}
