// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Waiting: for an end, a signal, a descriptor or a time, whichever comes first. */
#include "test.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/workload.h"

#define MS_NS		1000000
#define SHORT_NS	(20 * MS_NS)
#define HANG_NS		(60000LL * MS_NS)	/* on the busiest machine */

static void wait_for_exit(pid_t pid, int expected)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected);
}

static void time_comes(void **state)
{
	int64_t until = clock_now() + SHORT_NS;
	struct waiter waiter;

	(void)state;
	waiter_init(&waiter, 0, false);
	assert_int_equal(waiter_wait(&waiter, until, true), WAIT_TIME);
	assert_true(clock_now() >= until);
	/* One that has passed already. */
	assert_int_equal(waiter_wait(&waiter, until, true), WAIT_TIME);
	waiter_free(&waiter);
}

/* With a descriptor that shows the end, and without. */
static void end_comes(void **state)
{
	struct waiter waiter;
	int without, ends[2];
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	for (without = 0; without <= 1; without++) {
		pid = fork();
		if (!pid)
			_exit(read(ends[0], &c, 1) == 1 ? 7 : 1);
		waiter_init(&waiter, pid, true);
		if (without)
			waiter_free(&waiter);
		assert_int_equal(waiter_wait(&waiter, clock_now(), false), WAIT_TIME);
		assert_int_equal(write(ends[1], "x", 1), 1);
		assert_int_equal(waiter_wait(&waiter, WAIT_FOREVER, false), WAIT_END);
		/* It goes before a time that has passed. */
		assert_int_equal(waiter_wait(&waiter, 0, false), WAIT_END);
		waiter_free(&waiter);
		wait_for_exit(pid, 7);
	}
	close(ends[0]);
	close(ends[1]);
}

static void descriptor_is_ready(void **state)
{
	struct waiter waiter;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	waiter_init(&waiter, 0, false);
	waiter.ready = ends[0];
	assert_int_equal(waiter_wait(&waiter, clock_now() + SHORT_NS, true), WAIT_TIME);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(waiter_wait(&waiter, WAIT_FOREVER, true), WAIT_READY);
	waiter_free(&waiter);
	close(ends[0]);
	close(ends[1]);
}

static _Noreturn void signalled(bool stoppable, enum wait_result expected)
{
	int64_t until = clock_now() + (expected == WAIT_TIME ? 5 * SHORT_NS : HANG_NS);
	struct waiter waiter;
	enum wait_result result;

	signals_init();
	waiter_init(&waiter, 0, false);
	raise(SIGSTOP);
	result = waiter_wait(&waiter, until, stoppable);
	_exit(result != expected);
}

/* A child that stopped right before it waits. */
static pid_t stopped_child(bool stoppable, bool traced, enum wait_result expected)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(2);
		signalled(stoppable, expected);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	return WIFSTOPPED(status) ? pid : -1;
}

static void signal_comes(void **state)
{
	pid_t pid;

	(void)state;
	/* Before the wait, */
	pid = stopped_child(true, false, WAIT_SIGNAL);
	kill(pid, SIGTERM);
	kill(pid, SIGCONT);
	wait_for_exit(pid, 0);
	/* meanwhile, */
	pid = stopped_child(true, false, WAIT_SIGNAL);
	kill(pid, SIGCONT);
	usleep(SHORT_NS / 1000);
	kill(pid, SIGTERM);
	wait_for_exit(pid, 0);
	/* and where it ends nothing. */
	pid = stopped_child(false, false, WAIT_TIME);
	kill(pid, SIGCONT);
	usleep(SHORT_NS / 1000);
	kill(pid, SIGTERM);
	wait_for_exit(pid, 0);
}

/* What the kernel says of it: R, S, t and so on. */
static char state_of(pid_t pid)
{
	char path[32], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state;
}

/* One instruction; false: it is the one that sleeps. */
static bool step(pid_t pid)
{
	int status, looks;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	for (looks = 0; !waitpid(pid, &status, WNOHANG); looks++)
		if (looks < 100)
			sched_yield();
		else if (state_of(pid) == 'S')
			return false;
	return WIFSTOPPED(status);
}

/* At each instruction from before the wait to its sleep: none is slept through. */
static void signal_at_any_moment(void **state)
{
	bool asleep = false;
	int steps, i;
	pid_t pid;

	(void)state;
	for (steps = 0; !asleep; steps++) {
		pid = stopped_child(true, true, WAIT_SIGNAL);
		if (pid < 0)
			skip();	/* no ptrace(2) here */
		for (i = 0; i < steps && !asleep; i++)
			asleep = !step(pid);
		if (asleep) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			break;
		}
		assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, (void *)(long)SIGTERM), 0);
		wait_for_exit(pid, 0);
	}
	assert_true(steps > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_comes),
		cmocka_unit_test(end_comes),
		cmocka_unit_test(descriptor_is_ready),
		cmocka_unit_test(signal_comes),
		cmocka_unit_test(signal_at_any_moment),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
