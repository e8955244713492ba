// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which of the tasks that are named have ended: real ones, of each kind. */
#include "test.h"

#include "hear.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args/cli.h"
#include "counters/ended.h"

#define PROC "/proc"

static void *stay(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* A process whose main thread has ended, and another thread has not. */
static pid_t without_main(void)
{
	pid_t pid = fork();
	pthread_t thread;

	if (!pid) {
		pthread_create(&thread, NULL, stay, NULL);
		pthread_exit(NULL);
	}
	return pid;
}

static pid_t zombie(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid;
}

/* The main thread of a process has ended: alone, or with all others. */
static void wait_ended(pid_t tid, bool all)
{
	siginfo_t info;
	int i;

	assert_true(tid > 0);
	if (all)
		assert_int_equal(waitid(P_PID, (id_t)tid, &info, WEXITED | WNOWAIT), 0);
	/* One that ends before others tells nobody. */
	for (i = 0; i < 20000 && !ended_thread(PROC, tid); i++)
		usleep(1000);
	assert_true(ended_thread(PROC, tid));
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void kinds(void **state)
{
	pid_t z = zombie(), m = without_main(), none;

	(void)state;
	wait_ended(z, true);
	wait_ended(m, false);
	assert_true(ended_process(PROC, z));
	assert_false(ended_process(PROC, m));
	assert_false(ended_thread(PROC, getpid()));
	assert_false(ended_process(PROC, getpid()));
	end(z);
	end(m);
	/* There is none: whoever opens it says so. */
	none = z;
	assert_false(ended_thread(PROC, none));
	assert_false(ended_process(PROC, none));
}

/* The status; stderr goes to @said. */
static int said_of(struct args_ids *pids, struct args_ids *tids, char *said, size_t size)
{
	return hear(ended_leave_out(PROC, pids, tids), said, size);
}

static void lists(void **state)
{
	pid_t z = zombie(), m = without_main();
	int process[] = { z, getpid(), m }, thread[] = { m, z, getpid() }, one[] = { z };
	int both[] = { z, z };
	struct args_ids pids = { process, 3 }, tids = { thread, 3 }, no = { one, 0 };
	char said[1024];

	(void)state;
	cli_begin("stat");
	wait_ended(z, true);
	wait_ended(m, false);
	assert_int_equal(ended_leave_out(PROC, &pids, &no), 0);
	assert_int_equal(pids.nr, 2);
	assert_int_equal(pids.id[0], getpid());
	assert_int_equal(pids.id[1], m);
	ended_threads_drop(PROC, &tids);
	assert_int_equal(tids.nr, 1);
	assert_int_equal(tids.id[0], getpid());
	pids = (struct args_ids){ one, 1 };
	assert_int_equal(ended_leave_out(PROC, &pids, &no), EXIT_TOOL);
	tids = (struct args_ids){ thread, 1 };
	thread[0] = m;
	assert_int_equal(ended_leave_out(PROC, &no, &tids), EXIT_TOOL);
	no.nr = 0;
	assert_int_equal(ended_leave_out(PROC, &no, &no), 0);
	pids = (struct args_ids){ both, 2 };
	assert_int_equal(said_of(&pids, &no, said, sizeof(said)), EXIT_TOOL);
	assert_non_null(strstr(said, ": it is left out\n"));
	assert_non_null(strstr(said, "-p: nothing is left to count\n"));
	end(z);
	end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests_name("ended", tests, NULL, NULL);
}
