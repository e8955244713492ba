// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <string.h>

#include "say/name.h"
#include "table.h"

#define STATUS_WIDTH	19
#define NAME_WIDTH	32
#define REASON_WIDTH	76

/* "multiplexed 66.67 %" */
static void print_status(FILE *out, const struct pmcgrp_plan_row *row)
{
	char text[32];

	switch (row->status) {
	case PMCGRP_PLAN_COUNTED:
		snprintf(text, sizeof(text), "counted");
		break;
	case PMCGRP_PLAN_MULTIPLEXED:
		snprintf(text, sizeof(text), "multiplexed %.2f %%", row->share);
		break;
	case PMCGRP_PLAN_NOT_COUNTED:
		snprintf(text, sizeof(text), "not counted");
		break;
	case PMCGRP_PLAN_NOT_SUPPORTED:
		snprintf(text, sizeof(text), "not supported");
		break;
	}
	fprintf(out, "  %-*s  ", STATUS_WIDTH, text);
}

static void print_name(FILE *out, const struct pmcgrp_plan *plan, unsigned int i,
		       const struct pmcgrp_plan_group *groups)
{
	const struct pmcgrp_plan_row *row = &plan->rows[i];
	const struct pmcgrp_plan_group *group = &groups[row->group];
	bool first = !i || plan->rows[i - 1].group != row->group;
	bool last = i + 1 == plan->nr || plan->rows[i + 1].group != row->group;
	const char *brace = first ? "{" : " ";
	char text[256];

	snprintf(text, sizeof(text), "%s%.200s%s%s", group->nr == 1 ? "" : brace, row->event->name, group->nr > 1 && last ? "}" : "",
		 group->pinned && last && !strchr(row->event->name, ':') ? ":D" : "");
	name_left(out, NAME_WIDTH, text);
}

static void print_counters(FILE *out, const struct pmcgrp_plan_row *row)
{
	char name[16];
	unsigned int i;

	for (i = 0; i < row->nr_counters; i++) {
		pmcgrp_plan_counter(name, sizeof(name), row->counters[i]);
		fprintf(out, " %s", name);
	}
}

/* Whether a reason is that of the row before it, but for the names of the competitors. */
static bool is_same(const char *reason, const char *before)
{
	const char *end = strrchr(reason, ':');
	size_t len = end ? (size_t)(end - reason) : strlen(reason);

	return !strncmp(reason, before, len) && (before[len] == ':' || !before[len]);
}

/* Broken at blanks. */
static void print_reason(FILE *out, const char *reason)
{
	size_t len, cut;

	while (*reason) {
		len = strlen(reason);
		cut = len;
		if (len > REASON_WIDTH)
			for (cut = REASON_WIDTH; cut > 1 && reason[cut] != ' '; cut--)
				;
		fprintf(out, "  %*s  %.*s\n", STATUS_WIDTH, "", (int)cut, reason);
		reason += cut;
		reason += strspn(reason, " ");
	}
}

void plan_table(FILE *out, const struct pmcgrp_plan *plan, const struct pmcgrp_plan_group *groups)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		print_status(out, &plan->rows[i]);
		print_name(out, plan, i, groups);
		print_counters(out, &plan->rows[i]);
		fputc('\n', out);
		if (!i || !is_same(plan->rows[i].reason, plan->rows[i - 1].reason))
			print_reason(out, plan->rows[i].reason);
	}
}
