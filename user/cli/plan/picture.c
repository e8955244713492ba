// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Counters by time, for a terminal. */
#include <string.h>

#include "picture.h"
#include "table.h"

#define SHOWN_MAX 32	/* intervals */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

char plan_letter(int row)
{
	if (row == PMCGRP_PLAN_WATCHDOG)
		return '*';
	if (row < 0)
		return '.';
	return letters[(size_t)row % (sizeof(letters) - 1)];
}

bool plan_has_counter(const struct pmcgrp_plan_pmu *pmu, const struct pmcgrp_plan *plan,
		      unsigned int bit)
{
	unsigned int i;

	if (bit < pmu->nr_gp)
		return true;
	if (bit >= PMCGRP_PLAN_FIXED && bit < PMCGRP_PLAN_FIXED + pmu->nr_fixed &&
	    pmu->style == PMCGRP_PLAN_X86)
		return true;
	for (i = 0; i < plan->nr_slices; i++)
		if (plan->slices[i].row[bit] != PMCGRP_PLAN_FREE)
			return true;
	return false;
}

unsigned int plan_shown(const struct pmcgrp_plan *plan)
{
	return plan->nr_slices < SHOWN_MAX ? plan->nr_slices : SHOWN_MAX;
}

static void print_legend(FILE *out, const struct pmcgrp_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++)
		if (plan->rows[i].nr_counters)
			fprintf(out, "    %c  %s\n", plan_letter((int)i), plan->rows[i].event->name);
	if (plan->watchdog >= 0)
		fprintf(out, "    *  the NMI watchdog\n");
}

void plan_picture(FILE *out, const struct pmcgrp_plan *plan, const struct pmcgrp_plan_pmu *pmu,
		  uint64_t mux_us)
{
	unsigned int bit, i, nr = plan_shown(plan);
	char name[16];

	fprintf(out, "\n  Counters by time: a column is %g ms", (double)mux_us / 1000);
	if (plan->cycle)
		fprintf(out, ", and from the %u. on %u repeat", plan->before + 1, plan->cycle);
	fprintf(out, "\n\n");
	for (bit = 0; bit < 64; bit++) {
		if (!plan_has_counter(pmu, plan, bit))
			continue;
		pmcgrp_plan_counter(name, sizeof(name), bit);
		fprintf(out, "    %-8s ", name);
		for (i = 0; i < nr; i++)
			fprintf(out, " %c", plan_letter(plan->slices[i].row[bit]));
		fputc('\n', out);
	}
	fputc('\n', out);
	print_legend(out, plan);
}
