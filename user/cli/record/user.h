/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* -u: the processes of a user. */
#ifndef RECORD_USER_H
#define RECORD_USER_H

#include "args/args.h"

/*
 * user_processes - the processes that a user has now, except for our own
 * @pids: gets them
 * @user: a name of /etc/passwd, or a number
 *
 * Returns 0, or EXIT_TOOL after an error that was reported: also if there is none.
 */
int user_processes(struct args_ids *pids, const char *user);

#endif
