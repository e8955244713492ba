/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* top with a stand-in for the module: fake_tasks.c. */
#ifndef FAKE_TASKS_H
#define FAKE_TASKS_H

#define FAKE_TASKS "env LD_PRELOAD=${T%/*}/fake_tasks.so ASAN_OPTIONS=verify_asan_link_order=0 $T top"

#endif
