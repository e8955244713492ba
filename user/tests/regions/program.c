// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A program with regions, for check-regions: each argument is something that it does. What is in a
 * region touches a number of fresh pages.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmcgrp_regions.h>

static void fault(int nr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *pages = mmap(NULL, nr * page, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (pages == MAP_FAILED)
		exit(1);
	madvise((void *)pages, nr * page, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++)
		pages[i * page] = 1;
	munmap((void *)pages, nr * page);
}

/* The least of these is what it should be; a first one may touch more. */
static void work(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		pmcgrp_region_begin("work");
		fault(10);
		pmcgrp_region_begin("within");
		fault(20);
		pmcgrp_region_end("within");
		pmcgrp_region_end("work");
	}
}

static void *thread(void *arg)
{
	work();
	return arg;
}

static void threads(void)
{
	pthread_t ids[3];
	int i;

	for (i = 0; i < 3; i++) {
		if (pthread_create(&ids[i], NULL, thread, NULL))
			exit(1);
	}
	for (i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
}

static void child(int killed)
{
	pid_t pid = fork();

	if (!pid) {
		work();
		if (killed)
			raise(SIGKILL);
		exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void own_report(void)
{
	struct pmcgrp_events_error error = { 0 };

	if (pmcgrp_regions_start("page-faults:u", PMCGRP_OPEN_PERF, &error)) {
		fprintf(stderr, "start: %s\n", error.text);
		exit(1);
	}
	work();
	if (pmcgrp_regions_stop() || pmcgrp_regions_report(stdout))
		exit(1);
}

static void act(const char *what, char **argv)
{
	if (!strcmp(what, "work"))
		work();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "fork"))
		child(0);
	else if (!strcmp(what, "kill-child"))
		child(1);
	else if (!strcmp(what, "exec"))
		execv(argv[0], (char *[]){ argv[0], (char *)"work", NULL });
	else if (!strcmp(what, "_exit"))
		_exit(0);
	else if (!strcmp(what, "abort"))
		raise(SIGKILL);
	else if (!strcmp(what, "fail"))
		exit(3);
	else if (!strcmp(what, "wrong"))
		pmcgrp_region_end("never begun");
	else if (!strcmp(what, "open"))
		pmcgrp_region_begin("left open");
	else if (!strcmp(what, "chdir") && chdir("/"))
		exit(1);
	else if (!strcmp(what, "own"))
		own_report();
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		act(argv[i], argv);
	return 0;
}
