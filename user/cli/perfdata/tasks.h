/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What a perf.data file says of the threads in it: their names, and what is mapped where. */
#ifndef PERFDATA_TASKS_H
#define PERFDATA_TASKS_H

#include <stdbool.h>
#include <stdio.h>

#include "pmcgrp.h"

struct perfdata_task {
	uint64_t key;			/* of a thread or process; 0: free */
	uint64_t name;			/* hash of the name that the file has */
	uint32_t round;			/* when it was looked up, or PERFDATA_TASK_LEARNT */
};

#define PERFDATA_TASK_LEARNT UINT32_MAX

/* Those that were told of; all zero at first. */
struct perfdata_tasks {
	struct perfdata_task *at;	/* a table, of a power of two */
	size_t max;
	size_t nr;
	uint32_t round;
	bool namespaces;		/* records of these as well */
	bool no_buildid;		/* maps without */
};

/* Whether there is nothing to be told of a record's thread. */
bool perfdata_tasks_know(const struct perfdata_tasks *tasks, const struct pmcgrp_record *record);

/*
 * perfdata_tasks_tell - the records to be written before a record of a thread
 * @out: where to; nothing for one that is known
 * @record: whose pid, tid, time and cpu they get
 * @id: what they have as PERF_SAMPLE_IDENTIFIER
 *
 * Returns 0 or -ENOMEM.
 */
int perfdata_tasks_tell(struct perfdata_tasks *tasks, FILE *out,
			const struct pmcgrp_record *record, uint64_t id);

/* perfdata_tasks_learn - the kernel itself tells of a thread, all that there will be */
void perfdata_tasks_learn(struct perfdata_tasks *tasks, uint32_t tid);

/* perfdata_tasks_forget - a thread that has ended is a new one if it is seen again */
void perfdata_tasks_forget(struct perfdata_tasks *tasks, uint32_t pid, uint32_t tid, bool process);

/* From then on names are looked up anew, once each: a thread may be another program by now. */
void perfdata_tasks_doubt(struct perfdata_tasks *tasks);

void perfdata_tasks_free(struct perfdata_tasks *tasks);

/* Whether a thread has been told of. */
bool perfdata_tasks_has(const struct perfdata_tasks *tasks, uint32_t tid);

/* perfdata_namespaces_tell - a PERF_RECORD_NAMESPACES of a thread, as /proc has them now */
void perfdata_namespaces_tell(FILE *out, const struct pmcgrp_record *record, uint64_t id);

/* perfdata_cgroup_tell - a PERF_RECORD_CGROUP of a sample's cgroup */
void perfdata_cgroup_tell(FILE *out, const char *path, const struct pmcgrp_record *record,
			  uint64_t id);

/* perfdata_comm_tell - a PERF_RECORD_COMM from before all samples */
void perfdata_comm_tell(FILE *out, const char *name, uint32_t pid, uint32_t tid, uint64_t id);

/* The kernel's own text, if /proc/kallsyms tells where it is, with the kernel's build-id. */
void perfdata_kernel_tell(const struct perfdata_tasks *tasks, FILE *out, uint64_t id);

#endif
