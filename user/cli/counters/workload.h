/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A command that waits at the start line, so that it can be counted from its exec on. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct workload {
	pid_t pid;		/* 0: none */
	int socket;		/* to the child; closed by its exec */
	int status;		/* as wait(2) gives it */
	struct rusage usage;
};

/*
 * workload_prepare - fork a child that waits for workload_start()
 *
 * Returns 0 or a negative errno.
 */
int workload_prepare(struct workload *workload, char **argv);

/*
 * workload_start - let it execute the command
 *
 * Returns 0 once the exec is done, or the negative errno with which it failed;
 * the child has then ended and is waited for.
 */
int workload_start(struct workload *workload);

/* Waits for its end, and takes down status and usage. */
void workload_wait(struct workload *workload);

/* Ends a child that was not started. */
void workload_cancel(struct workload *workload);

/* The exit status that a shell would show: 128 + signal for one killed. */
int workload_exit_status(const struct workload *workload);

/* Ends the command with a signal, and leaves its end to workload_wait(). */
void workload_signal(const struct workload *workload, int signal);

/* What to wait for: a child, another thread or process, or nothing. */
struct waiter {
	pid_t pid;		/* 0: no process */
	bool child;
	int fd;			/* shows the end; -1 where that has to be looked for */
	int ready;		/* the caller's: POLLIN and such end the wait, too; -1: none */
	pid_t *more;		/* who is waited for after @pid */
	unsigned int nr_more;
};

enum wait_result {
	WAIT_END,		/* it has ended */
	WAIT_SIGNAL,		/* SIGINT, SIGTERM or SIGHUP came */
	WAIT_READY,		/* the descriptor has something */
	WAIT_TIME,		/* the time has come */
};

/* For a point in time that never comes. */
#define WAIT_FOREVER INT64_MAX

void waiter_init(struct waiter *waiter, pid_t pid, bool child);
void waiter_free(struct waiter *waiter);

/* waiter_add - wait for the end of these as well; without memory not for them */
void waiter_add(struct waiter *waiter, const int *pids, unsigned int nr);

/*
 * waiter_wait - wait for the first of these
 * @until: on CLOCK_MONOTONIC, in ns, or WAIT_FOREVER
 * @stoppable: whether a signal ends it, too; else it is passed on, and that is all
 *
 * An end that has come already is found before a time that has passed.
 */
enum wait_result waiter_wait(struct waiter *waiter, int64_t until, bool stoppable);

/* CLOCK_MONOTONIC in ns. */
int64_t clock_now(void);

/*
 * signals_init - from now on SIGINT, SIGTERM and SIGHUP do not end this process;
 * they end waiter_wait(), and go on to the workload unless the terminal has sent
 * them there, too
 */
void signals_init(void);

/* Whether one of them has come. */
bool signals_stop(void);

#endif
