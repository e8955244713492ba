/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Tasks that have ended, but have their number until someone waits for them (zombies). They count
 * nothing, and no event can be opened for them. A process is there as long as any of its threads
 * is: its main thread may end first, by pthread_exit(3).
 */
#ifndef ENDED_H
#define ENDED_H

#include <stdbool.h>

#include "args/args.h"

/* @proc: "/proc". One that has no folder there has not ended: there is no such task. */
bool ended_thread(const char *proc, int tid);
bool ended_process(const char *proc, int pid);

/* ended_threads_drop - leave out of a list the threads that have ended, without a word */
void ended_threads_drop(const char *proc, struct args_ids *ids);

/*
 * ended_leave_out - leave out of the processes of -p, or of the threads of -t, those that have ended
 *
 * Says which. Returns 0; or EXIT_TOOL if none is left.
 */
int ended_leave_out(const char *proc, struct args_ids *pids, struct args_ids *tids);

#endif
