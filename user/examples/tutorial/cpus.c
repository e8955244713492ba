// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Step 6 of user/doc/tutorial.md: one group counts the whole machine. One call reads the sum,
 * another one each CPU.
 */
#include <stdlib.h>

#include <pmcgrp.h>

#include "work.h"

static void print(const char *what, const struct pmcgrp_view *view)
{
	printf("%-8s %12" PRIu64 " cycles %12" PRIu64 " instructions\n", what,
	       pmcgrp_view_value(view, 0), pmcgrp_view_value(view, 1));
}

int main(void)
{
	struct pmcgrp_spec *spec;
	struct pmcgrp_group *group;
	struct pmcgrp_view view;
	struct pmcgrp *h;
	uint64_t format, sum[16], *cpus;
	char name[16];
	ssize_t len;
	size_t i;
	int cpu;

	if (pmcgrp_open(&h, 0) < 0)
		errx(1, "%s", pmcgrp_strerror(NULL));
	if (pmcgrp_spec_new(&spec) < 0)
		errx(1, "out of memory");
	pmcgrp_spec_set_all_cpus(spec);
	if (pmcgrp_group_open(h, "{cycles,instructions}", spec, &group) < 0)
		errx(1, "%s", pmcgrp_strerror(h));
	format = pmcgrp_group_read_format(group);

	work();
	pmcgrp_group_disable(group);

	len = pmcgrp_group_read(group, sum, sizeof(sum));
	if (len < 0 || pmcgrp_view_init(&view, sum, len, format) < 0)
		errx(1, "cannot read the group");
	print("machine", &view);

	len = pmcgrp_group_read_cpus(group, NULL, 0);
	cpus = len > 0 ? malloc(len) : NULL;
	if (!cpus)
		errx(1, "cannot have memory for the CPUs");
	len = pmcgrp_group_read_cpus(group, cpus, len);
	for (i = 0; (cpu = pmcgrp_view_cpu(&view, cpus, len < 0 ? 0 : len, format, i)) >= 0; i++) {
		snprintf(name, sizeof(name), "CPU %d", cpu);
		print(name, &view);
	}
	free(cpus);
	pmcgrp_group_close(group);
	pmcgrp_spec_free(spec);
	pmcgrp_close(h);
	return 0;
}
