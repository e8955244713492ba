// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Regions in several threads, in the child of a fork(), and reports while threads are at work. */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "regions_here.h"

#define THREADS 4

static int teardown(void **state)
{
	(void)state;
	pmcgrp_regions_stop();
	return 0;
}

static void *work(void *arg)
{
	unsigned int i, nr = *(const unsigned int *)arg;

	for (i = 0; i < 10; i++) {
		pmcgrp_region_begin("work");
		fault(nr);
		pmcgrp_region_end("work");
	}
	return NULL;
}

static void run_threads(unsigned int nr, void *(*function)(void *arg), unsigned int *args)
{
	pthread_t threads[THREADS];
	unsigned int i;

	for (i = 0; i < nr; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, function, &args[i]), 0);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static void each_for_itself(void **state)
{
	unsigned int faults[THREADS] = { 5, 6, 7, 8 }, faults_of[16] = { 0 }, i, nr = 0;
	struct region_set set;
	struct region_row row;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	run_threads(THREADS, work, faults);
	row = row_of("work");
	assert_int_equal(row.calls, 10 * THREADS);
	assert_int_equal(row.counted, 10 * THREADS);
	assert_int_equal(row.nr_threads, THREADS);
	assert_in_range(row.values[1].sum, 10 * (5 + 6 + 7 + 8), 11 * (5 + 6 + 7 + 8));
	assert_int_equal(row.values[1].min, 5);
	assert_faults(row.values[1].max, 8);
	assert_none_missed(&row);
	set = collect();
	assert_int_equal(set.nr_threads, THREADS);
	for (i = 0; i < set.nr_rows; i++) {
		if (strcmp(set.rows[i].name, "work"))
			continue;
		nr++;
		assert_true(set.rows[i].tid > 0 && set.rows[i].nr_threads == 1);
		faults_of[set.rows[i].values[1].min % 16]++;
	}
	assert_int_equal(nr, THREADS);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(faults_of[faults[i]], 1);
	region_set_free(&set);
}

static void *leave_open(void *arg)
{
	(void)arg;
	pmcgrp_region_begin("left open");
	pmcgrp_region_begin("within");
	return NULL;
}

static void *end_only(void *arg)
{
	(void)arg;
	pmcgrp_region_end("elsewhere");
	return NULL;
}

static void ends_elsewhere(void **state)
{
	struct region_row row;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	run_threads(1, leave_open, (unsigned int[]){ 0 });
	row = row_of("left open");
	assert_missed(&row, PMCGRP_REGION_OPEN, 1);
	row = row_of("within");
	assert_missed(&row, PMCGRP_REGION_OPEN, 1);
	pmcgrp_region_begin("elsewhere");
	run_threads(1, end_only, (unsigned int[]){ 0 });
	row = row_of("elsewhere");
	assert_int_equal(row.calls, 1);
	assert_int_equal(row.counted, 0);
	assert_int_equal(row.missed[PMCGRP_REGION_NO_BEGIN], 1);
	assert_int_equal(row.missed[PMCGRP_REGION_OPEN], 1);
	pmcgrp_region_end("elsewhere");
	assert_int_equal(row_of("elsewhere").counted, 1);
}

/* More than are kept apart: nothing is lost. */
static void many_threads(void **state)
{
	unsigned int i, faults[] = { 1 };
	const unsigned int nr = 1100;
	struct region_set set;
	struct region_row row;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	for (i = 0; i < nr; i++)
		run_threads(1, work, faults);
	row = row_of("work");
	assert_int_equal(row.counted, 10 * nr);
	assert_int_equal(row.nr_threads, nr);
	assert_int_equal(row.values[1].min, 1);
	assert_in_range(row.values[1].sum, 10 * nr, 11 * nr);
	set = collect();
	assert_true(set.nr_threads <= 1024);
	region_set_free(&set);
}

/* ---- fork() ---- */

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* What the parent has counted is not the child's, and what is open is not counted here. */
static void child(void)
{
	struct region_row row;
	int i;

	/* The first ones copy what is written to. */
	for (i = 0; i < 3; i++) {
		pmcgrp_region_begin("work");
		fault(3);
		pmcgrp_region_end("work");
	}
	pmcgrp_region_end("open");
	row = row_of("work");
	if (row.calls != 3 || row.counted != 3 || row.values[1].min != 3)
		exit(1);
	row = row_of("open");
	if (row.calls || row.counted || row.missed[PMCGRP_REGION_FORKED] != 1)
		exit(2);
	row = row_of("around");
	if (row.missed[PMCGRP_REGION_FORKED] != 1)
		exit(3);
	exit(0);
}

static void forks(void **state)
{
	unsigned int faults[] = { 1 };
	struct region_row row;
	pid_t pid;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	run_threads(1, work, faults);
	pmcgrp_region_begin("around");
	pmcgrp_region_begin("open");
	pid = fork();
	if (!pid)
		child();
	assert_int_equal(status_of(pid), 0);
	pmcgrp_region_end("open");
	pmcgrp_region_end("around");
	row = row_of("open");
	assert_int_equal(row.counted, 1);
	assert_none_missed(&row);
	row = row_of("work");
	assert_int_equal(row.counted, 10);
}

/* ---- Reports meanwhile ---- */

static unsigned int stop_them;

static void *hammer(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop_them, __ATOMIC_RELAXED)) {
		pmcgrp_region_begin("outer");
		pmcgrp_region_begin("hammer");
		pmcgrp_region_end("hammer");
		pmcgrp_region_end("outer");
	}
	return NULL;
}

/* Of one instant: no call is counted in part. */
static void check_rows(void)
{
	struct region_set set = collect();
	unsigned int i;

	assert_int_equal(set.refused[REGION_REFUSED_THREADS], 0);
	for (i = 0; i < set.nr_rows; i++) {
		const struct region_row *row = &set.rows[i];

		assert_int_equal(row->calls, row->counted + row->missed[PMCGRP_REGION_OPEN]);
		assert_true(row->values[0].self <= row->values[0].sum);
		assert_true(row->values[0].max <= row->values[0].sum);
		assert_true(!row->counted || row->values[0].min <= row->values[0].max);
	}
	region_set_free(&set);
}

static void reports_meanwhile(void **state)
{
	pthread_t threads[THREADS];
	char *text = NULL;
	size_t size = 0;
	FILE *file;
	int i;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	stop_them = 0;
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hammer, NULL), 0);
	while (!row_of("hammer").counted)
		usleep(1000);
	for (i = 0; i < 100; i++)
		check_rows();
	file = open_memstream(&text, &size);
	assert_int_equal(pmcgrp_regions_report(file), 0);
	fclose(file);
	assert_non_null(strstr(text, "region hammer: "));
	assert_non_null(strstr(text, "An empty region counts: "));
	free(text);
	/* Their groups are closed while they go on. */
	assert_int_equal(pmcgrp_regions_stop(), 0);
	for (i = 0; i < 20; i++) {
		listen_to(i % 2 ? EVENTS : "{page-faults:u,task-clock:u}");
		usleep(1000);
		assert_int_equal(pmcgrp_regions_stop(), 0);
	}
	__atomic_store_n(&stop_them, 1, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- Signal handlers ---- */

static unsigned int handled;

static void handler(int signal)
{
	(void)signal;
	handled++;
	pmcgrp_region_begin("handled");
	pmcgrp_region_end("handled");
}

/* Each call of a handler is counted, or refused as it has interrupted another one. */
static void in_handlers(void **state)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { 0 };
	struct sigaction action = { .sa_handler = handler };
	unsigned int looped = 0;
	struct region_set set;
	struct region_row row;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	handler(0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < 300) {
		pmcgrp_region_begin("looped");
		pmcgrp_region_end("looped");
		looped++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	set = collect();
	row = row_of("looped");
	assert_int_equal(row.calls, looped);
	assert_int_equal(row.counted, looped);
	assert_none_missed(&row);
	row = row_of("handled");
	assert_int_equal(row.calls, row.counted);
	assert_none_missed(&row);
	assert_int_equal(2 * row.counted + set.refused[REGION_REFUSED_INTERRUPTED], 2 * handled);
	region_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_for_itself, teardown),
		cmocka_unit_test_teardown(ends_elsewhere, teardown),
		cmocka_unit_test_teardown(many_threads, teardown),
		cmocka_unit_test_teardown(forks, teardown),
		cmocka_unit_test_teardown(reports_meanwhile, teardown),
		cmocka_unit_test_teardown(in_handlers, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
