// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Step 4 of user/doc/tutorial.md: the group is one object, with one descriptor. Its events are
 * named in the program's argument, as perf stat has them: '{cycles,instructions}:u'.
 */
#include <pmcgrp.h>

#include "work.h"

/* Why it has no counters now, or had none when it was last tried. */
static void print_why(struct pmcgrp_group *group)
{
	struct pmcgrp_info *info;

	if (pmcgrp_group_info(group, &info) < 0)
		return;
	printf("not counted: %s\n", pmcgrp_why_text(info->why));
	pmcgrp_info_free(info);
}

int main(int argc, char **argv)
{
	struct pmcgrp_spec *spec;
	struct pmcgrp_group *group;
	struct pmcgrp_view view;
	struct pmcgrp *h;
	uint64_t buf[64], enabled = 0, running = 0;
	unsigned int i;
	ssize_t len;

	if (argc != 2)
		errx(1, "usage: group '{EVENT,EVENT,...}'");
	if (pmcgrp_open(&h, 0) < 0)
		errx(1, "%s", pmcgrp_strerror(NULL));
	if (pmcgrp_spec_new(&spec) < 0)
		errx(1, "out of memory");
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED);
	if (pmcgrp_group_open(h, argv[1], spec, &group) < 0)
		errx(1, "%s", pmcgrp_strerror(h));

	pmcgrp_group_enable(group);
	work();
	pmcgrp_group_disable(group);

	len = pmcgrp_group_read(group, buf, sizeof(buf));
	if (len < 0 || pmcgrp_view_init(&view, buf, len, pmcgrp_group_read_format(group)) < 0)
		errx(1, "cannot read the group");
	pmcgrp_view_time_enabled(&view, &enabled);
	pmcgrp_view_time_running(&view, &running);
	printf("enabled for %" PRIu64 " ns, counted for %" PRIu64 " ns\n", enabled, running);
	for (i = 0; i < pmcgrp_view_nr(&view); i++)
		printf("%12" PRIu64 " %s\n", pmcgrp_view_value(&view, i),
		       pmcgrp_group_name(group, i));
	if (!running)
		print_why(group);
	pmcgrp_group_close(group);
	pmcgrp_spec_free(spec);
	pmcgrp_close(h);
	return 0;
}
