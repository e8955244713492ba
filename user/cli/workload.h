/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A command that waits at the start line, so that it can be counted from its exec on. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
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

/*
 * wait_for_end - wait until SIGINT or SIGTERM comes, or the thread @tid ends
 * @tid: the thread, or 0 to wait for a signal alone
 */
void wait_for_end(pid_t tid);

/*
 * signals_init - from now on SIGINT, SIGTERM and SIGHUP do not end this process;
 * they end wait_for_end(), and go on to the workload unless the terminal has sent
 * them there, too
 */
void signals_init(void);

/* Whether one of them has come. */
bool signals_stop(void);

#endif
