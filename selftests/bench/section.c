// SPDX-License-Identifier: GPL-2.0-only
/*
 * The longest run with interrupts off, by kretprobes (../test_modules/testpmu/sections.c): of perf
 * core, its rotation, and its part of a switch; of pmcgrp the same.
 */
#include "bench.h"

static const char path[] = "/sys/kernel/debug/pmcgrp_test/sections";

bool sections_begin(enum by by)
{
	static const char *const names[] = {
		"perf_mux_hrtimer_handler __perf_event_task_sched_in __perf_event_task_sched_out",
		"pmcgrp:pmcgrp_tick_timer pmcgrp:pmcgrp_tick_work pmcgrp:switch_sets",
	};

	if (file_write(path, names[by]))
		return true;
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return false;
}

struct cost sections_end(void)
{
	unsigned long times, longest, most = 0;
	char name[64];
	FILE *f = fopen(path, "r");

	while (f && fscanf(f, "%63s %lu %lu", name, &times, &longest) == 3)
		most = longest > most ? longest : most;
	if (f)
		fclose(f);
	file_write(path, " ");
	return (struct cost){ .insns = (double)most / NS_PER_INSN };
}
