// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench [-a PATH] ...: accesses are told by this file on the host (accesses.c).
 * bench [-l] [ROW...]: measures the rows named, or all that this machine has processors for.
 * bench -c [CURVE...]: measures the points of the curves that it has processors for.
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
#include <sys/resource.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static const struct row *const all[] = {
	read_rows, user_read_rows, open_rows, switch_rows, sleep_rows, sample_rows, rotate_rows,
	children_rows
};

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

bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!fnmatch(*names, name, 0))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const struct rlimit files = { .rlim_cur = 8 * GROUPS_MOST, .rlim_max = 8 * GROUPS_MOST };
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
	if (!accesses_open(path) && path)
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
	if (setrlimit(RLIMIT_NOFILE, &files))
		return !!cannot("RLIMIT_NOFILE: %s", strerror(errno));
	if (curves)
		return !measure_curves(cpus, argv + 2);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		for (row = all[i]; row->name; row++) {
			if (list)
				printf("%s %d\n", row->name, row->cpus);
			else if (wanted(row->name, argv + 1) && cpus == row->cpus)
				good &= measure(row);
		}
	return !good;
}
