// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * One socket pair carries both messages: from the parent a byte, "go"; from the
 * child an errno if exec fails. A successful exec closes the child's end, so that
 * the parent reads end of file.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "args/cli.h"
#include "workload.h"

/* How often to look whether a thread is still there, where it cannot be waited for. */
#define LOOK_NS 20000000

#define SECOND_NS 1000000000

static const int stop_numbers[] = { SIGINT, SIGTERM, SIGHUP };

#define NR_STOPS (sizeof(stop_numbers) / sizeof(stop_numbers[0]))

static volatile sig_atomic_t stop;
static volatile pid_t forward_to;
static volatile struct timespec nap;		/* how long to sleep yet */
static sigset_t stop_signals;
static struct sigaction inherited[NR_STOPS];	/* for the command to have again */

static void nap_none(void)
{
	nap.tv_sec = 0;
	nap.tv_nsec = 0;
}

/*
 * A signal from the terminal (SI_KERNEL) goes to the whole foreground process
 * group and has reached the command already; one from kill(1) has not.
 */
static void on_stop(int signal, siginfo_t *info, void *context)
{
	(void)context;
	stop = signal;
	nap_none();
	if (forward_to > 0 && info->si_code != SI_KERNEL)
		kill(forward_to, signal);
}

/*
 * nohup(1) works by an ignored SIGHUP, and is respected. SIGINT is taken even where
 * it is ignored, as in a script's background jobs: it is how to end the counting.
 */
void signals_init(void)
{
	struct sigaction action = { .sa_sigaction = on_stop, .sa_flags = SA_SIGINFO };
	size_t i;

	sigemptyset(&stop_signals);
	for (i = 0; i < NR_STOPS; i++)
		sigaddset(&stop_signals, stop_numbers[i]);
	action.sa_mask = stop_signals;
	for (i = 0; i < NR_STOPS; i++) {
		sigaction(stop_numbers[i], NULL, &inherited[i]);
		if (stop_numbers[i] != SIGHUP || inherited[i].sa_handler != SIG_IGN)
			sigaction(stop_numbers[i], &action, NULL);
	}
}

bool signals_stop(void)
{
	return stop != 0;
}

static void __attribute__((noreturn)) child(int socket, char **argv, const sigset_t *mask)
{
	size_t i;
	int err;
	char go;

	for (i = 0; i < NR_STOPS; i++)
		sigaction(stop_numbers[i], &inherited[i], NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (recv(socket, &go, 1, 0) != 1)
		_exit(EXIT_TOOL);
	execvp(argv[0], argv);
	err = errno;
	if (send(socket, &err, sizeof(err), MSG_NOSIGNAL) < 0)
		_exit(EXIT_TOOL);
	_exit(EXIT_NOT_FOUND);
}

int workload_prepare(struct workload *workload, char **argv)
{
	sigset_t mask;
	int ends[2], err;

	memset(workload, 0, sizeof(*workload));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	fflush(NULL);
	sigprocmask(SIG_BLOCK, &stop_signals, &mask);
	workload->pid = fork();
	if (!workload->pid) {
		close(ends[0]);
		child(ends[1], argv, &mask);
	}
	err = errno;
	close(ends[1]);
	if (workload->pid < 0) {
		close(ends[0]);
		workload->pid = 0;
	} else {
		workload->socket = ends[0];
		forward_to = workload->pid;
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return workload->pid ? 0 : -err;
}

int workload_start(struct workload *workload)
{
	char go = 1;
	ssize_t ret;
	int err;

	/* A child that is gone already shows in the wait. */
	send(workload->socket, &go, 1, MSG_NOSIGNAL);
	do {
		ret = recv(workload->socket, &err, sizeof(err), MSG_WAITALL);
	} while (ret < 0 && errno == EINTR);
	close(workload->socket);
	if (ret != sizeof(err))
		return 0;
	workload_wait(workload);
	return -err;
}

void workload_wait(struct workload *workload)
{
	siginfo_t info;

	/* First only look: once it is reaped its number may be somebody else's. */
	while (waitid(P_PID, (id_t)workload->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	forward_to = 0;
	while (wait4(workload->pid, &workload->status, 0, &workload->usage) < 0 && errno == EINTR)
		;
	workload->pid = 0;
}

void workload_cancel(struct workload *workload)
{
	if (!workload->pid)
		return;
	close(workload->socket);
	workload_wait(workload);
}

int workload_exit_status(const struct workload *workload)
{
	if (WIFSIGNALED(workload->status))
		return EXIT_SIGNAL + WTERMSIG(workload->status);
	return WEXITSTATUS(workload->status);
}

void workload_signal(const struct workload *workload, int signal)
{
	if (workload->pid)
		kill(workload->pid, signal);
}

/* ---- Waiting ---- */

int64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * SECOND_NS + ts.tv_nsec;
}

/* Only leaders of a process have a descriptor; others are looked at from time to time. */
void waiter_init(struct waiter *waiter, pid_t pid, bool child)
{
	waiter->pid = pid;
	waiter->child = child;
	waiter->fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	waiter->ready = -1;
	waiter->more = NULL;
	waiter->nr_more = 0;
}

void waiter_add(struct waiter *waiter, const int *pids, unsigned int nr)
{
	unsigned int i;

	waiter->more = calloc(nr, sizeof(*waiter->more));
	for (i = 0; waiter->more && i < nr; i++)
		waiter->more[waiter->nr_more++] = pids[i];
}

/* From one that has ended to the next; false: that was the last. */
static bool waiter_next(struct waiter *waiter)
{
	if (!waiter->nr_more)
		return false;
	if (waiter->fd >= 0)
		close(waiter->fd);
	waiter->pid = waiter->more[--waiter->nr_more];
	waiter->fd = (int)syscall(SYS_pidfd_open, waiter->pid, 0);
	return true;
}

void waiter_free(struct waiter *waiter)
{
	if (waiter->fd >= 0)
		close(waiter->fd);
	waiter->fd = -1;
	free(waiter->more);
	waiter->more = NULL;
}

/* Of one without a descriptor. */
static bool has_ended(const struct waiter *waiter)
{
	siginfo_t info = { 0 };

	if (!waiter->pid || waiter->fd >= 0)
		return false;
	if (waiter->child)
		return !waitid(P_PID, (id_t)waiter->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
		       info.si_pid;
	return kill(waiter->pid, 0) < 0 && errno == ESRCH;
}

/* How long to sleep at most, in ns. */
static int64_t time_left(const struct waiter *waiter, int64_t until)
{
	int64_t ns = until - clock_now();

	if (waiter->pid && waiter->fd < 0 && ns > LOOK_NS)
		ns = LOOK_NS;
	return ns > 0 ? ns : 0;
}

/*
 * Looks at the descriptors, and sleeps if there is nothing; returns what ppoll(2) does. Sets
 * @stopped if it did not sleep, for there was a signal before.
 *
 * No signal is slept through: one that comes after the flag is looked at makes nap 0, which the
 * kernel reads at the very last, and one that finds the kernel there ends its sleep. To block
 * signals would be two more system calls, and the C library's ppoll() sleeps for a copy of nap.
 */
static int nap_at(struct pollfd *fds, nfds_t nr, int64_t ns, bool stoppable, bool *stopped)
{
	nap.tv_sec = ns / SECOND_NS;
	nap.tv_nsec = ns % SECOND_NS;
	*stopped = stoppable && stop;
	if (*stopped)
		nap_none();
	return (int)syscall(SYS_ppoll, fds, nr, &nap, NULL, 0);
}

/* One ppoll(2) tells all: it looks at the descriptors once more when the time is over. */
static enum wait_result wait_for_one(const struct waiter *waiter, int64_t until, bool stoppable)
{
	/* ppoll() leaves out a descriptor of -1. */
	struct pollfd fds[] = {
		{ .fd = waiter->fd, .events = POLLIN },
		{ .fd = waiter->ready, .events = POLLIN },
	};
	nfds_t nr = waiter->ready >= 0 ? 2 : 1;
	bool stopped;
	int ready;

	if (has_ended(waiter))
		return WAIT_END;
	for (;;) {
		ready = nap_at(fds, nr, time_left(waiter, until), stoppable, &stopped);
		if ((ready > 0 && fds[0].revents) || has_ended(waiter))
			return WAIT_END;
		if (stopped)
			return WAIT_SIGNAL;
		if (ready > 0)
			return WAIT_READY;
		/* A signal that ended the sleep goes before the time. */
		if (ready < 0 && errno == EINTR)
			continue;
		if (clock_now() >= until)
			return WAIT_TIME;
	}
}

enum wait_result waiter_wait(struct waiter *waiter, int64_t until, bool stoppable)
{
	enum wait_result result;

	do {
		result = wait_for_one(waiter, until, stoppable);
	} while (result == WAIT_END && waiter_next(waiter));
	return result;
}
