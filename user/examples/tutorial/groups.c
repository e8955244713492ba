// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Step 5 of user/doc/tutorial.md: several groups that do not all fit on the counters take turns,
 * each as a whole. The ratio of two events of one group is exact.
 */
#include <pmcgrp.h>

#include "work.h"

#define GROUPS "{branches,branch-misses,cache-references}:u," \
	       "{branches,branch-misses,cache-misses,L1-dcache-load-misses}:u"

static void print(struct pmcgrp_group *group)
{
	uint64_t buf[64], enabled = 0, running = 0;
	struct pmcgrp_view view;
	unsigned int i;
	ssize_t len;

	len = pmcgrp_group_read(group, buf, sizeof(buf));
	if (len < 0 || pmcgrp_view_init(&view, buf, len, pmcgrp_group_read_format(group)) < 0)
		errx(1, "cannot read the group");
	pmcgrp_view_time_enabled(&view, &enabled);
	pmcgrp_view_time_running(&view, &running);
	if (!running)
		errx(1, "a group was not counted");
	printf("a group, %.1f %% of the time; misses of branches: %.4f\n",
	       100.0 * running / enabled,
	       (double)pmcgrp_view_value(&view, 1) / pmcgrp_view_value(&view, 0));
	for (i = 0; i < pmcgrp_view_nr(&view); i++)
		printf("%12" PRIu64 " %s\n", pmcgrp_view_value(&view, i),
		       pmcgrp_group_name(group, i));
}

int main(void)
{
	struct pmcgrp_group **groups;
	struct pmcgrp *h;
	int nr, i;

	if (pmcgrp_open(&h, 0) < 0)
		errx(1, "%s", pmcgrp_strerror(NULL));
	nr = pmcgrp_groups_open(h, GROUPS, NULL, &groups);
	if (nr < 0)
		errx(1, "%s", pmcgrp_strerror(h));
	work();
	for (i = 0; i < nr; i++)
		pmcgrp_group_disable(groups[i]);
	for (i = 0; i < nr; i++)
		print(groups[i]);
	pmcgrp_groups_close(groups, nr);
	pmcgrp_close(h);
	return 0;
}
