/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TASKS_H
#define PMCGRP_TASKS_H

#include "set/follower.h"

/* A task with what it creates; the threads of a process. */
extern const struct pmcgrp_follower pmcgrp_tasks_created, pmcgrp_tasks_of_process;

#endif /* PMCGRP_TASKS_H */
