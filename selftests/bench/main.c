// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench [-a PATH] ...: accesses are told by this file on the host (accesses.c).
 * bench [ROW...]: measures the rows named, or all that this machine has processors for, each in a
 * process of its own: bench -r ROW. bench -l lists them.
 * bench -c [CURVE...]: measures the points of the curves that it has processors for.
 * bench -x COMMAND...: counts the instructions and accesses of a command; bench -w N is such a
 * one, of N instructions, and bench -s N sleeps N times, each until the next millisecond.
 * A line for each on stdout, for `run`:
 *
 *	row {"name":..., "perf":..., "pmcgrp":..., "base":..., "floor":..., "unit":...}
 *
 * and, where the emulator tells accesses, "perf_reads", "perf_writes" and pmcgrp's; or
 *
 *	failed {"name":..., "status":...}
 *
 * for a row that could not be measured. The others go on, and the exit status is 1.
 */
#include "bench.h"
#include <fnmatch.h>
#include <sys/resource.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static const struct row *const all[] = {
	read_rows, user_read_rows, open_rows, switch_rows, sleep_rows, sample_rows, rotate_rows,
	children_rows, memory_rows
};

static void print_number(const char *key, double value)
{
	if (!isnan(value))
		printf(",\"%s\":%.2f", key, value);
}

static void print_accesses(const char *side, struct cost cost)
{
	if (accesses_known)
		printf(",\"%s_reads\":%.2f,\"%s_writes\":%.2f", side, cost.reads, side,
		       cost.writes);
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

/* Until what follows a row has been done: events and probes go a second after their last user. */
#define SETTLE_S 3

/*
 * Measures a row in a process of its own, which begins with no descriptor, page or task of the rows
 * before: what a row finds does not depend on their order.
 */
static bool measure_apart(const struct row *row, const char *path)
{
	char *const told[] = { "bench", "-a", (char *)path, "-r", (char *)row->name, NULL };
	char *const plain[] = { "bench", "-r", (char *)row->name, NULL };
	int status = -1;
	pid_t pid;

	sleep(SETTLE_S);
	pid = fork();
	if (!pid) {
		execv("/proc/self/exe", path ? told : plain);
		_exit(127);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		return true;
	printf("failed {\"name\":\"%s\",\"status\":%d}\n", row->name, status);
	fflush(stdout);
	return false;
}

static bool prepare(void)
{
	const struct rlimit files = { .rlim_cur = 8 * GROUPS_MOST, .rlim_max = 8 * GROUPS_MOST };

	members_init();
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (dev < 0 || !have_instructions() || !run_on(0))
		return cannot("needs " DEVICE " and a PMU that counts instructions");
	if (setrlimit(RLIMIT_NOFILE, &files))
		return cannot("RLIMIT_NOFILE: %s", strerror(errno));
	return true;
}

/* Does something with each row that is named, or all, if this machine has the processors for it. */
static bool each_row(char **names, const char *path, bool (*act)(const struct row *, const char *))
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const struct row *row;
	bool good = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		for (row = all[i]; row->name; row++)
			if (wanted(row->name, names) && cpus == row->cpus)
				good &= act(row, path);
	return good;
}

static bool measure_here(const struct row *row, const char *path)
{
	return measure(row);
}

static void list(void)
{
	const struct row *row;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		for (row = all[i]; row->name; row++)
			printf("%s %d\n", row->name, row->cpus);
}

int main(int argc, char **argv)
{
	const char *path = NULL, *how;

	if (argc > 2 && !strcmp(argv[1], "-a")) {
		path = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (!accesses_open(path) && path)
		return !!cannot("%s: no plugin keeps that", path);
	how = argc > 1 ? argv[1] : "";
	if (argc > 2 && !strcmp(how, "-w")) {
		work(strtoull(argv[2], NULL, 0));
		return 0;
	}
	if (argc > 2 && !strcmp(how, "-s")) {
		sleep_each_ms(strtol(argv[2], NULL, 0));
		return 0;
	}
	if (argc > 2 && !strcmp(how, "-x"))
		return !count_command(argv + 2);
	if (!strcmp(how, "-l")) {
		list();
		return 0;
	}
	if (!strcmp(how, "-c"))
		return !prepare() || !measure_curves(sysconf(_SC_NPROCESSORS_ONLN), argv + 2);
	if (argc > 2 && !strcmp(how, "-r"))
		return !prepare() || !each_row(argv + 2, path, measure_here);
	return !each_row(argv + 1, path, measure_apart);
}
