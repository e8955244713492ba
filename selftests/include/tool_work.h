/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tool_targets.c counts: a program that includes this makes calls of getsid(2)
 * and ends, in place of its main(), where its environment has WORK.
 */
#ifndef TOOL_WORK_H
#define TOOL_WORK_H

#include <pthread.h>
#include <sched.h>
#include "kselftest.h"
#include "pmcgrp_test.h"

#define CALLS		1000
#define THREADS		3
#define PAGES		100

static void *calls(void *nr)
{
	long i;

	for (i = 0; i < (long)nr; i++)
		getsid(0);
	return NULL;
}

static void in_threads(pthread_t *thread, void *(*work)(void *), void *arg)
{
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, arg))
			_exit(1);
}

static void join(pthread_t *thread)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void in_child(void (*work)(void))
{
	pid_t pid = fork();

	if (!pid) {
		work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void grandchild(void)
{
	calls((void *)CALLS);
}

static void child(void)
{
	calls((void *)CALLS);
	in_child(grandchild);
}

/* A thread, THREADS more, a child and its child: THREADS + 3 times CALLS. */
static void work_family(void)
{
	pthread_t thread[THREADS];

	calls((void *)CALLS);
	in_threads(thread, calls, (void *)CALLS);
	join(thread);
	in_child(child);
}

/* CALLS on CPU 0, twice as many on CPU 1 ... */
static void work_cpus(void)
{
	long cpu, nr = sysconf(_SC_NPROCESSORS_ONLN);

	for (cpu = 0; cpu < nr; cpu++) {
		run_on(cpu);
		calls((void *)((cpu + 1) * CALLS));
	}
}

/* Spread over some time, for intervals to find some of it each. */
static void work_slowly(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		calls((void *)(CALLS / 10));
		sleep_ns(20 * NSEC_PER_MSEC);
	}
}

/* The same, while the tool is stopped for a second. */
static void work_unwatched(void)
{
	kill(getppid(), SIGSTOP);
	work_slowly();
	sleep_ns(NSEC_PER_SEC);
	kill(getppid(), SIGCONT);
	sleep_ns(100 * NSEC_PER_MSEC);
}

static void work_forever(void)
{
	for (;;) {
		calls((void *)CALLS);
		sleep_ns(NSEC_PER_MSEC);
	}
}

static void touch_pages(void)
{
	long i, size = sysconf(_SC_PAGESIZE), nr = atol(getenv("PAGES"));
	volatile char *pages = fresh_pages(PAGES);

	for (i = 0; i < nr && pages; i++)
		pages[i * size] = 1;
}

static void work_pages(void)
{
	touch_pages();
	in_child(touch_pages);
}

/* A process of THREADS + 1 that waits for "go", then does what a family does. */
static int go[2], ended[2];
static pthread_barrier_t all_go;

static void *wait_and_call(void *nr)
{
	pthread_barrier_wait(&all_go);
	return calls(nr);
}

static void server(void)
{
	pthread_t thread[THREADS];
	char c = 'x';

	pthread_barrier_init(&all_go, NULL, THREADS + 1);
	in_threads(thread, wait_and_call, (void *)CALLS);
	if (write(ended[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
		_exit(1);
	pthread_barrier_wait(&all_go);
	work_family();
	join(thread);
	if (write(ended[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
		_exit(1);
	_exit(0);
}

/* The command during which the server is counted: writes "go" and waits. */
static void work_trigger(void)
{
	int fd[2];
	char c = 'x';

	if (sscanf(getenv("PIPES"), "%d %d", &fd[0], &fd[1]) != 2 ||
	    write(fd[0], &c, 1) != 1 || read(fd[1], &c, 1) != 1)
		_exit(1);
}

/* Brings the last CPU online, and calls there until the module surely counts it. */
static void work_online(void)
{
	int i, last = sysconf(_SC_NPROCESSORS_CONF) - 1;

	if (!file_write(getenv("ONLINE"), "1"))
		_exit(1);
	run_on(last);
	for (i = 0; i < 100; i++) {
		calls((void *)CALLS);
		sleep_ns(20 * NSEC_PER_MSEC);
	}
}

/* Before main(): the harness is not to know. */
__attribute__((constructor)) static void worker(void)
{
	static const struct {
		const char *name;
		void (*work)(void);
	} works[] = {
		{ "family", work_family },
		{ "cpus", work_cpus },
		{ "slowly", work_slowly },
		{ "unwatched", work_unwatched },
		{ "forever", work_forever },
		{ "pages", work_pages },
		{ "trigger", work_trigger },
		{ "online", work_online },
		{ "nothing", NULL },
	};
	const char *name = getenv("WORK");
	size_t i;

	for (i = 0; name && i < ARRAY_SIZE(works); i++)
		if (!strcmp(name, works[i].name)) {
			if (works[i].work)
				works[i].work();
			_exit(0);
		}
}

#endif /* TOOL_WORK_H */
