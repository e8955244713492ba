// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcgrp_perf_event_open() compared with perf_event_open(2) where much happens at once: ten thousand
 * descriptors, fork() while other threads open, handlers of signals that open as well, execve() with
 * descriptors kept.
 *
 * needs: timeout=300
 */
#include "pmcgrp_shim.h"
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include "kselftest_harness.h"

static void touch_page(void)
{
	volatile char *page = fresh_pages(1);

	*page = 1;
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/* ---- Ten thousand descriptors ---- */

#define MANY	10000
#define IN_GROUP	4

static void ten_thousand(struct side *s)
{
	struct rlimit old, limit = { .rlim_cur = MANY + 100, .rlim_max = MANY + 100 };
	struct perf_event_attr attr = faults();
	static int fd[MANY];
	unsigned int i, wrong = 0;
	uint64_t value;

	getrlimit(RLIMIT_NOFILE, &old);
	note(s, "setrlimit", 0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < MANY; i++) {
		fd[i] = open_quietly(s, &attr, 0, -1, i % IN_GROUP ? fd[i / IN_GROUP * IN_GROUP] : -1,
				     PERF_FLAG_FD_CLOEXEC);
		if (fd[i] < 0)
			break;
	}
	note(s, "opened", i, i < MANY ? fd[i] : 0);
	/* One of them counts, and no other one. */
	ioctl(fd[MANY / 2], PERF_EVENT_IOC_ENABLE, 0);
	touch_page();
	ioctl(fd[MANY / 2], PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < MANY; i += IN_GROUP)
		wrong += read(fd[i], &value, sizeof(value)) != sizeof(value) || (value && i != MANY / 2);
	note(s, "wrong", 0, wrong);
	close_them(fd, MANY);
	setrlimit(RLIMIT_NOFILE, &old);
}

/* ---- fork() while other threads open ---- */

#define THREADS	3
#define ROUNDS	100
#define FORKS	40

/* A group of two that counts what its thread does; what goes wrong is counted. */
static long count_once(const struct side *s)
{
	struct perf_event_attr attr = faults(), member = faults();
	uint64_t value[2] = {};
	long wrong = 0;
	int fd[2];

	member.disabled = 0;
	fd[0] = open_quietly(s, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	fd[1] = open_quietly(s, &member, 0, -1, fd[0], PERF_FLAG_FD_CLOEXEC);
	wrong += fd[0] < 0 || fd[1] < 0;
	wrong += ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0) != 0;
	touch_page();
	wrong += ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0) != 0;
	wrong += read(fd[0], &value[0], sizeof(value[0])) != sizeof(value[0]);
	wrong += read(fd[1], &value[1], sizeof(value[1])) != sizeof(value[1]);
	wrong += !value[0] || value[0] != value[1];
	close_them(fd, 2);
	return wrong;
}

static void *counter(void *arg)
{
	long wrong = 0;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		wrong += count_once(arg);
	return (void *)wrong;
}

static void forks(struct side *s)
{
	pthread_t thread[THREADS];
	int i, status, wrong = 0;
	void *bad;

	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, counter, s);
	for (i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(count_once(s) != 0);
		wrong += waitpid(pid, &status, 0) != pid || status;
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &bad);
		note(s, "wrong in a thread", i, (long)bad);
	}
	note(s, "wrong in a child", 0, wrong);
}

/* ---- Signals in the midst ---- */

#define SIGNALS	200

static const struct side *side_of_handler;
static volatile long wrong_in_handler, handled;

static void open_in_handler(int signal)
{
	int err = errno;

	wrong_in_handler += count_once(side_of_handler);
	handled++;
	errno = err;
}

static void signals(struct side *s)
{
	struct sigaction act = { .sa_handler = open_in_handler, .sa_flags = SA_RESTART }, old;
	struct itimerval often = { .it_value.tv_usec = 500, .it_interval.tv_usec = 500 }, off = {};
	unsigned long i, wrong = 0;

	side_of_handler = s;
	wrong_in_handler = 0;
	handled = 0;
	sigaction(SIGALRM, &act, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	/* Values of the two meet: the handler's faults are those of its thread. */
	for (i = 0; handled < SIGNALS && i < 1000000; i++)
		wrong += count_once(s);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &old, NULL);
	note(s, "handled", 0, handled >= SIGNALS);
	note(s, "wrong", 0, wrong);
	note(s, "wrong in the handler", 0, wrong_in_handler);
}

/* ---- execve() with descriptors kept ---- */

/* In the next program: a group's leader and member, by the environment. */
static __attribute__((constructor)) void after_exec(void)
{
	const char *text = getenv("SHIM_KEPT");
	struct perf_event_attr attr = faults();
	struct side s = {};
	uint64_t value[2] = {};
	int fd[3], native;

	if (!text || sscanf(text, "%d %d %d", &native, &fd[0], &fd[1]) != 3)
		return;
	s.native = native;
	fd[2] = open_quietly(&s, &attr, 0, -1, fd[0], PERF_FLAG_FD_CLOEXEC);
	if (fd[2] < 0)
		_exit(10);
	touch_page();
	if (ioctl(fd[1], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP))
		_exit(11);
	if (read(fd[0], &value[0], 8) != 8 || read(fd[1], &value[1], 8) != 8)
		_exit(12);
	_exit(value[0] && value[0] == value[1] ? 0 : 13);
}

static void exec_kept(struct side *s)
{
	struct perf_event_attr attr = faults(), member = faults();
	char text[64], *args[] = { "perf_shim_stress", NULL };
	int fd[2], status = -1;
	pid_t pid = fork();

	if (!pid) {
		member.disabled = 0;
		fd[0] = open_quietly(s, &attr, 0, -1, -1, 0);
		fd[1] = open_quietly(s, &member, 0, -1, fd[0], 0);
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		snprintf(text, sizeof(text), "%d %d %d", s->native, fd[0], fd[1]);
		setenv("SHIM_KEPT", text, 1);
		execv("/proc/self/exe", args);
		_exit(20);
	}
	waitpid(pid, &status, 0);
	note(s, "status", 0, status);
	note(s, "is 0", 0, !status);
}

static const struct shim_case all[] = {
	{ "ten thousand", ten_thousand, MANY, 0 },
	{ "forks", forks, 2 * (THREADS * ROUNDS + FORKS), 0 },
	{ "signals", signals, 2 * SIGNALS, 0 },
	{ "exec, kept", exec_kept, 3, 0 },
};

FIXTURE(stress)
{
	unsigned int before;	/* descriptors */
};

FIXTURE_SETUP(stress)
{
	self->before = descriptors();
}

FIXTURE_TEARDOWN(stress)
{
	EXPECT_EQ(descriptors(), self->before);
}

TEST_F_TIMEOUT(stress, same_as_perf, 300)
{
	unsigned int i;

	for (i = 0; i < COUNT(all); i++)
		EXPECT_TRUE(same(&all[i]));
}

TEST_HARNESS_MAIN
