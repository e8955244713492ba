// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a region of LIKWID's marker API costs, in nanoseconds of an empty one (likwid-test).
 *
 * LIKWID's markers read counters that likwid-perfctr has started. This program does both: first it
 * starts them, by LIKWID's library, then it runs itself with what likwid-perfctr leaves in the
 * environment. argv[1]: the events; argv[2]: how the program is run, for execl(3) with "sh -c".
 */
#define LIKWID_PERFMON
#include <likwid-marker.h>
#include <likwid.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REGION "empty"
#define TIMES 2000

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The least of many: a tick can be in one. */
static long long cost(int with_region)
{
	long long least = -1, ns;
	int i;

	for (i = 0; i < TIMES; i++) {
		ns = now();
		if (with_region) {
			LIKWID_MARKER_START(REGION);
			LIKWID_MARKER_STOP(REGION);
		}
		ns = now() - ns;
		if (least < 0 || ns < least)
			least = ns;
	}
	return least;
}

static int measure(void)
{
	double events[8] = { 0 }, time = 0;
	int nr = 8, count = 0;

	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_MARKER_REGISTER(REGION);
	printf("cost %lld\n", cost(1) - cost(0));
	LIKWID_MARKER_GET(REGION, &nr, events, &time, &count);
	printf("counted %d of %d\n", count, TIMES);
	LIKWID_MARKER_CLOSE;
	return count != TIMES;
}

static int give_up(const char *what)
{
	fprintf(stderr, "likwid: %s failed\n", what);
	return 1;
}

int main(int argc, char **argv)
{
	int cpu = 0, group, status = 1;

	if (argc < 2)
		return measure();
	if (argc != 3 || topology_init())
		return give_up("the topology");
	numa_init();
	affinity_init();
	timer_init();
	HPMmode(ACCESSMODE_DIRECT);
	if (perfmon_init(1, &cpu))
		return give_up("access to the counters");
	group = perfmon_addEventSet(argv[1]);
	if (group < 0 || perfmon_setupCounters(group) || perfmon_startCounters())
		return give_up("the start of the counters");
	if (!fork()) {
		setenv("LIKWID_MODE", "0", 1);
		setenv("LIKWID_EVENTS", argv[1], 1);
		setenv("LIKWID_THREADS", "0", 1);
		setenv("LIKWID_FILEPATH", "/tmp/likwid.out", 1);
		/* The counters are in use: by this program. */
		setenv("LIKWID_FORCE", "1", 1);
		execl("/bin/sh", "sh", "-c", argv[2], NULL);
		_exit(127);
	}
	wait(&status);
	perfmon_stopCounters();
	perfmon_finalize();
	return status != 0;
}
