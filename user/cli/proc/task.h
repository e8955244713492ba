/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What /proc says of a thread. */
#ifndef TASK_H
#define TASK_H

#include <stddef.h>

/* TASK_COMM_LEN: a name's bytes and its end. */
#define TASK_COMM_SIZE 16

/*
 * task_comm - a thread's name, which may have any bytes
 * @proc: "/proc", or a test's own
 * @comm: TASK_COMM_SIZE bytes
 *
 * Returns its length; 0: there is no such thread.
 */
size_t task_comm(const char *proc, int tid, char *comm);

/* task_state - the letter of /proc/TID/stat; 0: there is no such thread */
char task_state(const char *proc, int tid);

#endif
