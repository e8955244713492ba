// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The table of info. CPUs that look the same share a line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "counters/holder.h"
#include "print.h"

#define NAME_WIDTH 28
#define COUNT_WIDTH 18
#define STATE_WIDTH 13
#define CGROUP_SIZE 512

/* What a member does on some CPUs. */
struct line {
	struct pmcgrp_info_cpu like;	/* the first of them */
	bool nowhere;			/* that is cpu -1 */
	struct pmcgrp_cpus cpus;
};

static void print_cpus(FILE *file, const struct pmcgrp_cpus *cpus)
{
	char list[512];
	size_t len = pmcgrp_cpus_format(cpus, list, sizeof(list));

	if (len < sizeof(list))
		fputs(list, file);
	else
		fprintf(file, "%s,... (%u CPUs)", list, pmcgrp_cpus_nr(cpus));
}

/* ---- The head of a group ---- */

static void cpus_of(const struct pmcgrp_info *info, struct pmcgrp_cpus *cpus)
{
	const struct pmcgrp_info_cpu *cpu;
	uint32_t i;

	memset(cpus, 0, sizeof(*cpus));
	for (i = 0; (cpu = pmcgrp_info_cpu(info, i)); i++)
		pmcgrp_cpus_set(cpus, cpu->cpu);
}

static void print_task(FILE *file, const char *what, const struct pmcgrp_info *info)
{
	if (info->target_id)
		fprintf(file, "%s %d", what, info->target_id);
	else
		fprintf(file, "a %s that has ended or has no number here", what);
	fprintf(file, " (%u task%s)", info->nr_targets, info->nr_targets == 1 ? "" : "s");
}

static void print_target(FILE *file, const struct info_set *set, const struct pmcgrp_info *info)
{
	char cgroup[CGROUP_SIZE];
	struct pmcgrp_cpus cpus;

	switch (info->target_type) {
	case PMCGRP_TARGET_TASK:
		print_task(file, "thread", info);
		break;
	case PMCGRP_TARGET_PROCESS:
		print_task(file, "process", info);
		break;
	case PMCGRP_TARGET_CPU:
		fprintf(file, "CPU %d", info->target_id);
		break;
	case PMCGRP_TARGET_CPUS:
		cpus_of(info, &cpus);
		fputs("CPUs ", file);
		print_cpus(file, &cpus);
		break;
	case PMCGRP_TARGET_ALL_CPUS:
		fprintf(file, "all CPUs (%u)", info->nr_targets);
		break;
	case PMCGRP_TARGET_CGROUP:
		info_cgroup_name(set, info, cgroup, sizeof(cgroup));
		fprintf(file, "cgroup %s (on %u CPU%s now)", cgroup, info->nr_targets,
			info->nr_targets == 1 ? "" : "s");
		break;
	default:
		fprintf(file, "target of type %u", info->target_type);
	}
}

/* One word where all CPUs agree, else how many of them run it. */
static void print_state(FILE *file, const struct pmcgrp_info *info)
{
	uint32_t i, nr = 0, running = 0, like = 0;
	const struct pmcgrp_info_cpu *cpu, *first = NULL;

	fputs(info->enabled ? ", enabled" : ", disabled", file);
	for (i = 0; (cpu = pmcgrp_info_cpu(info, i)); i++) {
		if (cpu->member)
			continue;
		if (!first)
			first = cpu;
		nr++;
		running += cpu->state == PMCGRP_STATE_RUNNING;
		like += cpu->state == first->state;
	}
	if (!first || !info->enabled)
		return;
	if (like == nr)
		fprintf(file, ", %s", pmcgrp_state_name(first->state));
	else
		fprintf(file, ", running on %u of %u CPUs", running, nr);
}

static void print_times(FILE *file, const struct pmcgrp_info *info)
{
	double seconds = (double)info->time_enabled / 1e9;

	if (info->time_enabled)
		fprintf(file, ", scheduled %.2f%% of %.3f s",
			100.0 * (double)info->time_running / (double)info->time_enabled, seconds);
}

static void print_holder(FILE *file, const struct info_set *set, uint64_t id)
{
	const struct info_group *group = info_set_find(set, id);
	char text[NAME_COMM_SIZE + 80];

	if (!id)
		return;
	holder_name(group ? group->info : NULL, id, text, sizeof(text));
	fprintf(file, " %s", text);
}

static void print_why(FILE *file, const struct info_set *set, uint32_t why, uint64_t blocked_by)
{
	fputs(pmcgrp_why_text(why), file);
	if (why == PMCGRP_WHY_BUSY_PMCGRP)
		print_holder(file, set, blocked_by);
}

static void print_head(FILE *file, const struct info_set *set, const struct info_group *group)
{
	const struct pmcgrp_info *info = group->info;

	fprintf(file, "group %" PRIu64 " of %s", (uint64_t)info->id, group->comm);
	if (info->owner)
		fprintf(file, " (PID %d)", info->owner);
	fputs(": ", file);
	print_target(file, set, info);
	print_state(file, info);
	print_times(file, info);
	if (info->create_flags & PMCGRP_CREATE_PINNED)
		fputs(", pinned", file);
	if (info->create_flags & PMCGRP_CREATE_BACKGROUND)
		fputs(", background", file);
	if (info->create_flags & PMCGRP_CREATE_INHERIT)
		fputs(", inherit", file);
	if (info->create_flags & PMCGRP_CREATE_UNTIL_EXIT)
		fputs(", until exit", file);
	fputc('\n', file);
	if (info->user_read_why)
		fprintf(file, "  cannot be read from user space: %s\n",
			pmcgrp_why_text(info->user_read_why));
	if (info->why) {
		fputs("  last scheduling failure: ", file);
		print_why(file, set, info->why, info->blocked_by);
		fputc('\n', file);
	}
}

/* ---- Its members ---- */

static bool alike(const struct pmcgrp_info_cpu *a, const struct pmcgrp_info_cpu *b)
{
	return (a->cpu < 0) == (b->cpu < 0) && a->state == b->state && a->why == b->why &&
	       a->counter == b->counter && a->groups == b->groups &&
	       (a->why != PMCGRP_WHY_BUSY_PMCGRP || a->blocked_by == b->blocked_by);
}

/* The lines of member @index, to be freed; -ENOMEM. */
static int fold(const struct pmcgrp_info *info, uint32_t index, struct line **out)
{
	const struct pmcgrp_info_cpu *cpu;
	struct line *lines = NULL, *more;
	int nr = 0, at;
	uint32_t i;

	for (i = 0; (cpu = pmcgrp_info_cpu(info, i)); i++) {
		if (cpu->member != index)
			continue;
		for (at = 0; at < nr && !alike(&lines[at].like, cpu); at++)
			;
		if (at == nr) {
			more = reallocarray(lines, (size_t)nr + 1, sizeof(*lines));
			if (!more) {
				free(lines);
				return -ENOMEM;
			}
			lines = more;
			memset(&lines[nr], 0, sizeof(*lines));
			lines[nr].like = *cpu;
			lines[nr++].nowhere = cpu->cpu < 0;
		}
		pmcgrp_cpus_set(&lines[at].cpus, cpu->cpu);
	}
	*out = lines;
	return nr;
}

static void print_number(FILE *file, int width, bool is, long number)
{
	char text[24] = "-";

	if (is)
		snprintf(text, sizeof(text), "%ld", number);
	fprintf(file, " %*s", width, text);
}

static void print_line(FILE *file, const struct info_set *set, const struct line *line)
{
	const struct pmcgrp_info_cpu *cpu = &line->like;

	fprintf(file, "  %-*s", STATE_WIDTH, pmcgrp_state_name(cpu->state));
	print_number(file, 7, cpu->counter >= 0, cpu->counter);
	print_number(file, 6, cpu->groups, cpu->groups);
	fputs("  ", file);
	if (line->nowhere)
		fputc('-', file);
	else
		print_cpus(file, &line->cpus);
	if (cpu->why) {
		fputs("  # ", file);
		print_why(file, set, cpu->why, cpu->blocked_by);
	}
	fputc('\n', file);
}

static int print_member(FILE *file, const struct info_set *set, const struct info_group *group,
			uint32_t index)
{
	const struct pmcgrp_info_member *member = pmcgrp_info_member(group->info, index);
	struct line *lines;
	int i, nr;

	nr = fold(group->info, index, &lines);
	if (nr < 0)
		return nr;
	fprintf(file, "  %-*s %*" PRIu64, NAME_WIDTH, group->names[index], COUNT_WIDTH,
		(uint64_t)member->count);
	for (i = 0; i < nr; i++) {
		if (i)
			fprintf(file, "%*s", 2 + NAME_WIDTH + 1 + COUNT_WIDTH, "");
		print_line(file, set, &lines[i]);
	}
	if (!nr)
		fputc('\n', file);
	free(lines);
	return 0;
}

static int print_group(FILE *file, const struct info_set *set, const struct info_group *group)
{
	uint32_t i;
	int ret = 0;

	print_head(file, set, group);
	fprintf(file, "  %-*s %*s  %-*s %7s %6s  CPUS\n", NAME_WIDTH, "EVENT", COUNT_WIDTH,
		"COUNT", STATE_WIDTH, "STATE", "COUNTER", "GROUPS");
	for (i = 0; i < group->info->nr_members && !ret; i++)
		ret = print_member(file, set, group, i);
	fputc('\n', file);
	return ret;
}

/* ---- Counters ---- */

static bool same_use(const struct info_use *a, const struct info_use *b)
{
	return a->counter == b->counter && a->groups == b->groups && !strcmp(a->pmu, b->pmu) &&
	       !strcmp(a->event, b->event);
}

/* Prints for the first CPU of several that look the same, and for all of them. */
static void print_uses(FILE *file, const struct info_uses *uses)
{
	const struct info_use *use, *other;
	struct pmcgrp_cpus cpus;
	size_t i, k;

	for (i = 0; i < uses->nr; i++) {
		use = &uses->uses[i];
		for (k = 0; k < i && !same_use(use, &uses->uses[k]); k++)
			;
		if (k < i)
			continue;
		memset(&cpus, 0, sizeof(cpus));
		for (other = use; other < uses->uses + uses->nr; other++) {
			if (same_use(use, other))
				pmcgrp_cpus_set(&cpus, other->cpu);
		}
		fprintf(file, "  %-16s %7d %6u  %-*s ", use->pmu, use->counter, use->groups,
			NAME_WIDTH, use->event);
		print_cpus(file, &cpus);
		fputc('\n', file);
	}
}

static bool perf_same(const struct info_perf *a, const struct info_perf *b)
{
	return a->held == b->held && a->watchdog == b->watchdog && !strcmp(a->pmu, b->pmu);
}

static const char *perf_whose(const struct info_perf *row)
{
	if (!row->watchdog)
		return "of perf events";
	return row->held == 1 ? "of the NMI watchdog" : "of perf events and the NMI watchdog";
}

static void print_perf(FILE *file, const struct info_uses *uses)
{
	const struct info_perf *row, *other;
	struct pmcgrp_cpus cpus;
	size_t i, k;

	for (i = 0; i < uses->nr_perf; i++) {
		row = &uses->perf[i];
		for (k = 0; k < i; k++) {
			other = &uses->perf[k];
			if (perf_same(row, other))
				break;
		}
		if (k < i)
			continue;
		memset(&cpus, 0, sizeof(cpus));
		for (other = row; other < uses->perf + uses->nr_perf; other++) {
			if (perf_same(row, other))
				pmcgrp_cpus_set(&cpus, other->cpu);
		}
		fprintf(file, "  %-16s %7s %6s  %u %-*s ", row->pmu, "perf", "-", row->held,
			NAME_WIDTH - 2, perf_whose(row));
		print_cpus(file, &cpus);
		fputc('\n', file);
	}
}

static bool same_holder(const struct held_counter *a, const struct held_counter *b)
{
	char texts[4][HOLDER_OWNER_SIZE];

	return a->holder.counter == b->holder.counter && !strcmp(a->pmu, b->pmu) &&
	       !strcmp(a->event ? a->event : "", b->event ? b->event : "") &&
	       !strcmp(holder_owner(&a->holder, texts[0], sizeof(texts[0])),
		       holder_owner(&b->holder, texts[1], sizeof(texts[1]))) &&
	       !strcmp(holder_flags(&a->holder, texts[2], sizeof(texts[2])),
		       holder_flags(&b->holder, texts[3], sizeof(texts[3])));
}

static void print_named(FILE *file, const struct held_counter *row, const struct pmcgrp_cpus *cpus)
{
	char owner[HOLDER_OWNER_SIZE], flags[HOLDER_FLAGS_SIZE];

	fprintf(file, "  %-16s", row->pmu);
	print_number(file, 7, row->holder.counter >= 0, row->holder.counter);
	fprintf(file, " %6s  %-*s ", "-", NAME_WIDTH, row->event ? row->event : "-");
	print_cpus(file, cpus);
	fprintf(file, "  # %s: %s\n", holder_owner(&row->holder, owner, sizeof(owner)),
		holder_flags(&row->holder, flags, sizeof(flags)));
}

/* One that has the same counter on several CPUs has one line. */
static void print_holders(FILE *file, const struct info_uses *uses)
{
	const struct held_counters *held = &uses->held;
	const struct held_counter *row, *other;
	struct pmcgrp_cpus cpus;
	size_t i, k;

	for (i = 0; i < held->nr; i++) {
		row = &held->at[i];
		for (k = 0; k < i && !same_holder(row, &held->at[k]); k++)
			;
		if (k < i)
			continue;
		memset(&cpus, 0, sizeof(cpus));
		for (other = row; other < held->at + held->nr; other++) {
			if (same_holder(row, other))
				pmcgrp_cpus_set(&cpus, other->cpu);
		}
		print_named(file, row, &cpus);
	}
	if (uses->held_err)
		fprintf(file, "  whose counters of perf's are cannot be seen: %s\n",
			uses->held_err == -ENOTTY ? "the module is older than this program" :
						    strerror(-uses->held_err));
}

int info_table(FILE *file, const struct info_set *set, const struct info_uses *uses,
	       const struct info_group *only)
{
	unsigned int i;
	int ret;

	if (!set->nr)
		fputs("no groups\n", file);
	for (i = 0; i < set->nr; i++) {
		if (only && only != &set->groups[i])
			continue;
		ret = print_group(file, set, &set->groups[i]);
		if (ret < 0)
			return ret;
	}
	if (!uses->nr && !uses->nr_perf)
		return 0;
	fputs(only ? "counters of this group:\n" : "counters:\n", file);
	fprintf(file, "  %-16s %7s %6s  %-*s CPUS\n", "PMU", "COUNTER", "GROUPS", NAME_WIDTH,
		"EVENT");
	print_uses(file, uses);
	print_perf(file, uses);
	print_holders(file, uses);
	return 0;
}
