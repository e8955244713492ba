/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tool_record.c records: a program that includes this does one of these things and ends,
 * in place of its main(), where its environment has WORK.
 */
#ifndef TOOL_RECORD_WORK_H
#define TOOL_RECORD_WORK_H

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include "kselftest.h"
#include "pmcgrp_test.h"

#define CALLS	100
#define PAGES	100
#define CROWD	3
#define THREADS	4
#define CHILDREN	5

/* A call that nothing else here makes; each enters the kernel, by another system call. */
static __attribute__((noipa)) void own_function(void)
{
	syscall(SYS_getpgid, 0);
}

/* Where it is in the file: the program is static, and its first segment begins there. */
static inline uint64_t own_offset(void)
{
	extern const char __executable_start[];

	return (uint64_t)(uintptr_t)own_function - (uint64_t)(uintptr_t)__executable_start;
}

static void calls(int nr)
{
	while (nr-- > 0)
		own_function();
}

static void work_calls(void)
{
	calls(CALLS);
}

/* Its recorder is stopped meanwhile. */
static void work_stop(void)
{
	kill(getppid(), SIGSTOP);
	calls(CALLS);
	kill(getppid(), SIGCONT);
}

/* For a disk that is too small; then it says that it has come to its end. */
static void work_many(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		calls(CALLS);
		sleep_ns(10 * NSEC_PER_MSEC);
	}
	close(open("/tmp/tool_record/ended", O_CREAT | O_WRONLY, 0600));
}

/* CALLS on CPU 0, twice as many on CPU 1 ... */
static void work_cpus(void)
{
	long cpu, nr = sysconf(_SC_NPROCESSORS_ONLN);

	for (cpu = 0; cpu < nr; cpu++) {
		run_on(cpu);
		calls((cpu + 1) * CALLS);
	}
}

static void spin(unsigned long nr)
{
	volatile unsigned long n = nr;

	while (n--)
		;
}

static void work_spin(void)
{
	spin(20000000);
}

static void work_forever(void)
{
	for (;;)
		spin(1000000);
}

/* Threads that wait for a file, of which each makes CALLS more than the one before. */
static void *wait_and_call(void *nr)
{
	while (access("/tmp/tool_record/go", F_OK))
		sleep_ns(NSEC_PER_MSEC);
	calls((long)nr * CALLS);
	return NULL;
}

static void work_crowd(void)
{
	pthread_t thread[CROWD];
	long i;

	for (i = 0; i < CROWD; i++)
		if (pthread_create(&thread[i], NULL, wait_and_call, (void *)(i + 1)))
			_exit(1);
	for (i = 0; i < CROWD; i++)
		pthread_join(thread[i], NULL);
}

static void *many_calls(void *nr)
{
	calls((long)nr * CALLS);
	return NULL;
}

/* Threads and children; the k-th of them makes k times CALLS. */
static void work_family(void)
{
	pthread_t thread[THREADS];
	long k;

	for (k = 0; k < THREADS; k++)
		if (pthread_create(&thread[k], NULL, many_calls, (void *)(k + 1)))
			_exit(1);
	for (k = 0; k < CHILDREN; k++) {
		if (fork())
			continue;
		many_calls((void *)(THREADS + k + 1));
		_exit(0);
	}
	for (k = 0; k < THREADS; k++)
		pthread_join(thread[k], NULL);
	while (wait(NULL) > 0)
		;
}

static void work_short(void)
{
	long nr = atol(getenv("CHILDREN_NR"));

	while (nr-- > 0) {
		if (!fork()) {
			calls(1);
			_exit(0);
		}
		wait(NULL);
	}
}

static void *forever(void *arg)
{
	work_forever();
	return arg;
}

static void work_threads(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, forever, NULL))
		work_forever();
}

static void work_touch(void)
{
	long i, size = sysconf(_SC_PAGESIZE), nr = atol(getenv("PAGES"));
	volatile char *pages = fresh_pages(PAGES);

	for (i = 0; i < nr && pages; i++)
		pages[i * size] = 1;
}

static void work_exit(void)
{
	_exit(7);
}

/* Before main(): the harness is not to know. */
__attribute__((constructor)) static void worker(void)
{
	static const struct {
		const char *name;
		void (*work)(void);
	} works[] = {
		{ "calls", work_calls },
		{ "stop", work_stop },
		{ "many", work_many },
		{ "cpus", work_cpus },
		{ "spin", work_spin },
		{ "forever", work_forever },
		{ "threads", work_threads },
		{ "crowd", work_crowd },
		{ "family", work_family },
		{ "short", work_short },
		{ "touch", work_touch },
		{ "exit", work_exit },
	};
	const char *name = getenv("WORK");
	size_t i;

	for (i = 0; name && i < ARRAY_SIZE(works); i++)
		if (!strcmp(name, works[i].name)) {
			works[i].work();
			_exit(0);
		}
}

#endif /* TOOL_RECORD_WORK_H */
