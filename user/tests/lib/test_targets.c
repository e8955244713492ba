// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Processes, children and CPUs with the perf backend. Page faults of a thread or
 * child in its own pages are exact, wherever it runs.
 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

#define PAGES	 50
#define THREADS	 5

struct fixture {
	struct pmcgrp *h;
	struct pmcgrp_spec *spec;
};

static int setup(void **state)
{
	struct perf_event_attr faults = { .type = PERF_TYPE_SOFTWARE,
					  .config = PERF_COUNT_SW_PAGE_FAULTS_MIN };
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_TASK_CLOCK };
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (pmcgrp_open(&x->h, PMCGRP_OPEN_PERF) < 0 || pmcgrp_spec_new(&x->spec) < 0)
		return -1;
	pmcgrp_spec_add(x->spec, &clock, "task-clock");
	pmcgrp_spec_add(x->spec, &faults, "minor-faults");
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	pmcgrp_spec_free(x->spec);
	pmcgrp_close(x->h);
	free(x);
	return 0;
}

static struct pmcgrp_group *create(struct fixture *x)
{
	struct pmcgrp_group *group;
	int ret = pmcgrp_group_create(x->h, x->spec, &group);

	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS) {
		print_message("# skipped: %s\n", pmcgrp_strerror(x->h));
		skip();
	}
	if (ret)
		fail_msg("%s", pmcgrp_strerror(x->h));
	return group;
}

struct values {
	uint64_t clock, faults, enabled, running;
};

static struct values take(const struct pmcgrp_view *view)
{
	struct values v = { .clock = pmcgrp_view_value(view, 0),
			    .faults = pmcgrp_view_value(view, 1) };

	assert_int_equal(pmcgrp_view_nr(view), 2);
	pmcgrp_view_time_enabled(view, &v.enabled);
	pmcgrp_view_time_running(view, &v.running);
	return v;
}

static struct values values(struct pmcgrp_group *group)
{
	uint64_t buf[16], format = pmcgrp_group_read_format(group);
	ssize_t len = pmcgrp_group_read(group, buf, sizeof(buf));
	struct pmcgrp_view view;

	assert_int_equal(len, pmcgrp_read_size(format, 2));
	assert_int_equal(pmcgrp_view_init(&view, buf, (size_t)len, format), 0);
	assert_int_equal(pmcgrp_view_id(&view, 0), pmcgrp_group_id(group, 0));
	assert_int_equal(pmcgrp_view_id(&view, 1), pmcgrp_group_id(group, 1));
	return take(&view);
}

static volatile char *pages_new(void)
{
	size_t size = (size_t)PAGES * (size_t)sysconf(_SC_PAGESIZE);
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	madvise(pages, size, MADV_NOHUGEPAGE);
	return pages;
}

static void touch(volatile char *pages)
{
	long i, size = sysconf(_SC_PAGESIZE);

	for (i = 0; i < PAGES; i++)
		pages[i * size] = 1;
	munmap((void *)pages, (size_t)(PAGES * size));
}

static pthread_barrier_t there, go;

static void *early(void *pages)
{
	pthread_barrier_wait(&there);
	pthread_barrier_wait(&go);
	touch(pages);
	return NULL;
}

static void *late(void *pages)
{
	touch(pages);
	return NULL;
}

/* Threads that were there and threads that come: what they fault, by rusage too. */
static uint64_t faults_of_threads(struct fixture *x, uint64_t *by_rusage)
{
	pthread_t threads[2 * THREADS];
	struct pmcgrp_group *group;
	struct rusage before, after;
	struct values v, w;
	size_t i;

	pthread_barrier_init(&there, NULL, THREADS + 1);
	pthread_barrier_init(&go, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, early, (void *)pages_new());
	pthread_barrier_wait(&there);
	group = create(x);
	w = values(group);	/* what it touches itself is touched */
	getrusage(RUSAGE_SELF, &after);
	getrusage(RUSAGE_SELF, &before);
	v = values(group);
	pthread_barrier_wait(&go);
	for (i = THREADS; i < 2 * THREADS; i++)
		pthread_create(&threads[i], NULL, late, (void *)pages_new());
	for (i = 0; i < 2 * THREADS; i++)
		pthread_join(threads[i], NULL);
	w = values(group);
	getrusage(RUSAGE_SELF, &after);
	*by_rusage = (uint64_t)(after.ru_minflt - before.ru_minflt);
	pmcgrp_group_close(group);
	return w.faults - v.faults;
}

static void process(void **state)
{
	struct fixture *x = *state;
	uint64_t faults, by_rusage;

	pmcgrp_spec_set_process(x->spec, 0);
	faults = faults_of_threads(x, &by_rusage);
	assert_true(faults >= 2 * THREADS * PAGES);
	assert_int_equal(faults, by_rusage);
	/* The number of the process, with children to come as well. */
	pmcgrp_spec_set_process(x->spec, getpid());
	pmcgrp_spec_set_flags(x->spec, PMCGRP_CREATE_INHERIT);
	faults = faults_of_threads(x, &by_rusage);
	assert_int_equal(faults, by_rusage);
}

static void thread_alone(void **state)
{
	struct fixture *x = *state;
	uint64_t by_rusage;

	/* This one makes threads and waits for them, and touches no page of theirs. */
	assert_true(faults_of_threads(x, &by_rusage) < THREADS * PAGES);
	assert_true(by_rusage >= 2 * THREADS * PAGES);
}

/* A child faults in its pages, and is reaped. */
static void child_touches(void)
{
	volatile char *pages = pages_new();
	pid_t pid = fork();
	int status;

	if (!pid) {
		touch(pages);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void children(void **state)
{
	static const struct {
		bool process;
		uint64_t flags;
		bool counted;
	} rows[] = {
		{ false, PMCGRP_CREATE_INHERIT, true },
		{ true, PMCGRP_CREATE_INHERIT, true },
		{ true, 0, false },
		{ false, 0, false },
	};
	struct fixture *x = *state;
	struct pmcgrp_group *group;
	struct values v, w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].process)
			pmcgrp_spec_set_process(x->spec, 0);
		else
			pmcgrp_spec_set_task(x->spec, 0);
		pmcgrp_spec_set_flags(x->spec, rows[i].flags);
		group = create(x);
		/* A first child leaves the parent with pages to copy; then there is nothing new. */
		child_touches();
		v = values(group);
		child_touches();
		w = values(group);
		/* Beside the pages themselves parent and child copy some of each other's. */
		assert_row(i, rows[i].counted == (w.faults - v.faults >= PAGES));
		assert_row(i, w.enabled == w.running);
		pmcgrp_group_close(group);
	}
}

/* Values alone, and values and times: what ended children have counted, too. */
static void resets(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_group *group;
	struct values v, w;
	uint64_t flags;

	for (flags = 0; flags <= PMCGRP_CREATE_INHERIT; flags += PMCGRP_CREATE_INHERIT) {
		pmcgrp_spec_set_flags(x->spec, PMCGRP_CREATE_DISABLED | flags);
		group = create(x);
		assert_int_equal(pmcgrp_group_enable(group), 0);
		child_touches();
		touch(pages_new());
		assert_int_equal(pmcgrp_group_disable(group), 0);
		v = values(group);
		assert_true(v.faults >= PAGES && v.enabled > 0);
		assert_int_equal(pmcgrp_group_reset(group), 0);
		w = values(group);
		assert_int_equal(w.faults, 0);
		assert_int_equal(w.clock, 0);
		assert_int_equal(w.enabled, v.enabled);
		assert_int_equal(pmcgrp_group_reset_times(group), 0);
		w = values(group);
		assert_int_equal(w.faults + w.clock + w.enabled + w.running, 0);
		/* And from there it goes on. */
		assert_int_equal(pmcgrp_group_enable(group), 0);
		touch(pages_new());
		assert_int_equal(pmcgrp_group_disable(group), 0);
		w = values(group);
		assert_true(w.faults >= PAGES && w.faults < 2 * PAGES);
		assert_true(w.enabled > 0);
		assert_int_equal(w.enabled, w.running);
		pmcgrp_group_close(group);
	}
}

/* The parts are exactly the whole, and are the CPUs that were asked for. */
static void check_cpus(struct pmcgrp_group *group, const struct pmcgrp_cpus *expected)
{
	uint64_t format = pmcgrp_group_read_format(group);
	struct values v, w, sum = { 0 };
	struct pmcgrp_view view;
	int cpu, next = -1;
	ssize_t len;
	size_t i;
	void *buf;

	touch(pages_new());
	assert_int_equal(pmcgrp_group_disable(group), 0);
	v = values(group);
	assert_true(v.faults >= PAGES);
	len = pmcgrp_group_read_cpus(group, NULL, 0);
	assert_int_equal(len, pmcgrp_cpus_nr(expected) * (8 + pmcgrp_read_size(format, 2)));
	buf = malloc((size_t)len);
	assert_int_equal(pmcgrp_group_read_cpus(group, buf, (size_t)len - 1), -ENOSPC);
	assert_int_equal(pmcgrp_group_read_cpus(group, buf, (size_t)len), len);
	for (i = 0; (cpu = pmcgrp_view_cpu(&view, buf, (size_t)len, format, i)) >= 0; i++) {
		next = pmcgrp_cpus_next(expected, next + 1);
		assert_int_equal(cpu, next);
		assert_int_equal(pmcgrp_view_id(&view, 1), pmcgrp_group_id(group, 1));
		w = take(&view);
		assert_true(w.enabled > 0);
		sum.clock += w.clock;
		sum.faults += w.faults;
		sum.enabled += w.enabled;
		sum.running += w.running;
	}
	assert_int_equal(cpu, -ENOENT);
	assert_int_equal(i, pmcgrp_cpus_nr(expected));
	assert_memory_equal(&v, &sum, sizeof(sum));
	free(buf);
	pmcgrp_group_close(group);
}

static void cpus(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_cpus online, here = { 0 };
	cpu_set_t before, one;
	int cpu;

	assert_int_equal(pmcgrp_cpus_online(&online), 0);
	pmcgrp_spec_set_all_cpus(x->spec);
	check_cpus(create(x), &online);
	pmcgrp_spec_set_cpus(x->spec, &online);
	check_cpus(create(x), &online);
	/* The last CPU that we may run on: its number is not its place. */
	sched_getaffinity(0, sizeof(before), &before);
	for (cpu = CPU_SETSIZE - 1; !CPU_ISSET(cpu, &before); cpu--)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	pmcgrp_cpus_set(&here, cpu);
	pmcgrp_spec_set_cpus(x->spec, &here);
	check_cpus(create(x), &here);
	pmcgrp_spec_set_cpu(x->spec, cpu);
	check_cpus(create(x), &here);
	sched_setaffinity(0, sizeof(before), &before);
}

static void refused(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_cpus set = { 0 };
	struct pmcgrp_group *group;
	uint64_t word;

	assert_int_equal(pmcgrp_spec_set_cpus(x->spec, &set), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_cpus(x->spec, NULL), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_all_cpus(NULL), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_process(x->spec, -1), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_cgroup(NULL, 0), -EINVAL);
	assert_int_equal(pmcgrp_spec_set_cgroup(x->spec, -1), -EINVAL);

	/* A file that is in no cgroup. */
	assert_int_equal(pmcgrp_spec_set_cgroup(x->spec, open("/dev/null", O_RDONLY)), 0);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -EBADF);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_CGROUP);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "is not that of a directory of cgroups"));
	close(x->spec->target_id);

	pmcgrp_spec_set_all_cpus(x->spec);
	pmcgrp_spec_set_flags(x->spec, PMCGRP_CREATE_INHERIT);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -EINVAL);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_FLAGS);

	pmcgrp_spec_set_flags(x->spec, 0);
	pmcgrp_spec_set_process(x->spec, 1 << 30);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -ESRCH);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "process 1073741824 does not exist"));

	pmcgrp_spec_set_process(x->spec, 0);
	group = create(x);
	assert_int_equal(pmcgrp_group_read_cpus(group, &word, sizeof(word)), -EINVAL);
	pmcgrp_group_close(group);

	pmcgrp_cpus_set(&set, 0);
	pmcgrp_cpus_set(&set, PMCGRP_CPUS_MAX - 1);
	pmcgrp_spec_set_cpus(x->spec, &set);
	assert_true(pmcgrp_group_create(x->h, x->spec, &group) < 0);
	if (pmcgrp_error_why(x->h) != PMCGRP_WHY_PERMISSION)
		assert_int_equal(pmcgrp_error_cpu(x->h), PMCGRP_CPUS_MAX - 1);
}

/* One record for each group, as each alone is read. */
static void many(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_group *groups[3];
	struct pmcgrp_view view;
	uint64_t buf[3 * 16];
	struct values v;
	int64_t size;
	ssize_t len;
	char *at;
	int i;

	for (i = 0; i < 3; i++)
		groups[i] = create(x);
	assert_int_equal(pmcgrp_group_disable(groups[1]), 0);
	v = values(groups[1]);
	len = pmcgrp_groups_read(x->h, groups, 3, buf, sizeof(buf));
	size = (int64_t)pmcgrp_read_size(pmcgrp_group_read_format(groups[0]), 2);
	assert_int_equal(len, 3 * (8 + size));
	for (i = 0, at = (char *)buf; i < 3; i++, at += 8 + size) {
		assert_memory_equal(at, &size, sizeof(size));
		assert_int_equal(pmcgrp_view_init(&view, at + 8, (size_t)size,
						  pmcgrp_group_read_format(groups[i])),
				 0);
		assert_int_equal(pmcgrp_view_id(&view, 0), pmcgrp_group_id(groups[i], 0));
		if (i == 1)
			assert_int_equal(take(&view).enabled, v.enabled);
	}
	assert_int_equal(pmcgrp_groups_read(x->h, groups, 3, buf, (size_t)len), len);
	assert_int_equal(pmcgrp_groups_read(x->h, groups, 3, buf, (size_t)len - 1), -ENOSPC);
	assert_int_equal(pmcgrp_groups_read(x->h, groups, 3, (char *)buf + 1, (size_t)len), -EINVAL);
	assert_int_equal(pmcgrp_groups_read(x->h, groups, 0, buf, 0), 0);
	for (i = 0; i < 3; i++)
		pmcgrp_group_close(groups[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(process, setup, teardown),
		cmocka_unit_test_setup_teardown(thread_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(children, setup, teardown),
		cmocka_unit_test_setup_teardown(resets, setup, teardown),
		cmocka_unit_test_setup_teardown(cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(refused, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
	};

	return cmocka_run_group_tests_name("targets", tests, NULL, NULL);
}
