// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench [-a PATH] ...: accesses are told by this file on the host (accesses.c).
 * bench [-l] [ROW...]: measures the rows named, or all that this machine has processors for.
 * bench -c: measures the points of the curves that it has processors for.
 * bench -x COMMAND...: counts the instructions and accesses of a command; bench -w N is such a
 * one, of N instructions, and bench -s N sleeps N times, each until the next millisecond.
 * A line for each on stdout, for `run`:
 *
 *	row {"name":..., "perf":..., "pmcgrp":..., "base":..., "floor":..., "unit":...}
 *
 * and, where the emulator tells accesses, "perf_reads", "perf_writes" and pmcgrp's.
 *
 * The exit status is 1 if one could not be measured.
 */
#include "bench.h"
#include <fnmatch.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

int dev;
bool accesses_known;
struct perf_event_attr members[2][NR_MAX];

static const struct row *const all[] = {
	read_rows, direct_rows, open_rows, switch_rows, sleep_rows, sample_rows, turn_rows
};

bool perf_group_open(struct perf_group *group, const struct perf_event_attr *attr,
		     unsigned int nr, const struct whom *whom)
{
	struct perf_event_attr a;
	unsigned int i;

	group->nr = 0;
	for (i = 0; i < nr; i++) {
		a = attr[i];
		a.read_format = FORMAT;
		a.inherit = whom->inherit;
		a.disabled = whom->disabled && !i;
		group->fd[i] = perf_open(&a, whom->pid, whom->pid == -1 ? whom->cpu : -1,
					 i ? group->fd[0] : -1);
		if (group->fd[i] < 0) {
			perf_group_close(group);
			return cannot("perf_event_open(): %s", strerror(-group->fd[i]));
		}
		group->nr++;
	}
	return true;
}

void perf_group_close(struct perf_group *group)
{
	while (group->nr)
		close(group->fd[--group->nr]);
}

int group_open(const struct perf_event_attr *attr, unsigned int nr, const struct whom *whom)
{
	struct ask ask = {
		.target_type = whom->pid == -1 ? PMCGRP_TARGET_CPU : PMCGRP_TARGET_TASK,
		.target_id = whom->pid == -1 ? whom->cpu : whom->pid,
		.flags = (whom->inherit ? PMCGRP_CREATE_INHERIT : 0) |
			 (whom->disabled ? PMCGRP_CREATE_DISABLED : 0),
		.nr = nr,
		.attr = attr,
	};
	int fd = ask_group(dev, &ask);

	if (fd < 0)
		fprintf(stderr, "PMCGRP_IOC_CREATE: %s, why %u\n", strerror(-fd), ask.create.why);
	return fd;
}

static int by_insns(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	return (x->insns > y->insns) - (x->insns < y->insns);
}

struct cost cost_median(struct cost *cost, unsigned int nr)
{
	qsort(cost, nr, sizeof(*cost), by_insns);
	return cost[nr / 2];
}

static void print_number(const char *key, double value)
{
	if (value >= 0)
		printf(",\"%s\":%.2f", key, value);
}

/* Differences of what varies may be below 0: that is none. */
static void print_accesses(const char *side, struct cost cost)
{
	if (accesses_known)
		printf(",\"%s_reads\":%.2f,\"%s_writes\":%.2f", side,
		       cost.reads > 0 ? cost.reads : 0, side,
		       cost.writes > 0 ? cost.writes : 0);
}

static bool measure(const struct row *row)
{
	struct result r = { NO_COST, NO_COST, NO_COST, NO_COST };

	if (!row->measure(&r)) {
		fprintf(stderr, "%s: not measured\n", row->name);
		return false;
	}
	printf("row {\"name\":\"%s\",\"unit\":\"%s\"", row->name, row->unit);
	print_number("perf", r.perf.insns);
	print_number("pmcgrp", r.pmcgrp.insns);
	print_accesses("perf", r.perf);
	print_accesses("pmcgrp", r.pmcgrp);
	print_number("base", r.base.insns);
	print_number("floor", r.floor.insns);
	print_number("goal", row->goal);
	if (row->floor_is)
		printf(",\"floor_is\":\"%s\"", row->floor_is);
	printf("}\n");
	fflush(stdout);
	return true;
}

static bool wanted(const struct row *row, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!fnmatch(*names, row->name, 0))
			return true;
	return false;
}

#ifdef __x86_64__

/*
 * Intel: events that general counters count, each of them on any, and no other ones, so that NR
 * of them have room beside the NMI watchdog.  Branches, mispredicted ones, LLC references and
 * misses; uops issued and retired, L1D, L2.  From the fifth on the same once more.
 */
static struct perf_event_attr member(unsigned int set, unsigned int i)
{
	static const uint64_t config[2][NR] = {
		{ 0x00c4, 0x00c5, 0x4f2e, 0x412e },
		{ 0x010e, 0x02c2, 0x0151, 0x3f24 },
	};

	return another(event(PERF_TYPE_RAW, config[set][i % NR]), i / NR);
}

#else

/* Arm: half cycles, half instructions. */
static struct perf_event_attr member(unsigned int set, unsigned int i)
{
	return raw_copy(i % 2 ? ARM_INST_RETIRED : ARM_CPU_CYCLES, set * NR_MAX + i);
}

#endif

/* Two sets of NR_MAX events, of which the PMU has room for one. */
static void members_init(void)
{
	unsigned int set, i;

	for (set = 0; set < 2; set++)
		for (i = 0; i < NR_MAX; i++)
			members[set][i] = member(set, i);
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	bool list, curves, good = true;
	const char *path = NULL;
	const struct row *row;
	unsigned int i;

	if (argc > 2 && !strcmp(argv[1], "-a")) {
		path = argv[2];
		argv += 2;
		argc -= 2;
	}
	accesses_known = accesses_open(path);
	if (path && !accesses_known)
		return !!cannot("%s: no plugin keeps that", path);
	list = argc > 1 && !strcmp(argv[1], "-l");
	curves = argc > 1 && !strcmp(argv[1], "-c");
	if (argc > 2 && !strcmp(argv[1], "-w")) {
		work(strtoull(argv[2], NULL, 0));
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "-s")) {
		sleep_each_ms(strtol(argv[2], NULL, 0));
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "-x"))
		return !count_command(argv + 2);
	members_init();
	if (!list) {
		dev = open(DEVICE, O_RDWR | O_CLOEXEC);
		if (dev < 0 || !have_instructions() || !run_on(0))
			return !!cannot("needs " DEVICE " and a PMU that counts instructions");
	}
	if (curves)
		return !measure_curves(cpus);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		for (row = all[i]; row->name; row++) {
			if (list)
				printf("%s %d\n", row->name, row->cpus);
			else if (wanted(row, argv + 1) && cpus == row->cpus)
				good &= measure(row);
		}
	return !good;
}
