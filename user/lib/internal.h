/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the files of the library share; nothing here is exported. */
#ifndef PMCGRP_INTERNAL_H
#define PMCGRP_INTERNAL_H

#include <pthread.h>

#include "cpus.h"
#include "pmcgrp.h"

#define PMCGRP_DEVICE "/dev/pmcgrp"

/* The largest attr that the kernel reads (perf_copy_attr()). */
#define ATTR_SIZE_MAX 4096

struct failure {
	enum pmcgrp_why why;
	int member;		/* index, or -1 */
	int cpu;		/* or -1 */
	char text[512];
};

struct pmcgrp {
	enum pmcgrp_backend backend;
	int dev;		/* descriptor of the device; -1 with perf */
	struct failure failure;
};

struct spec_member {
	struct perf_event_attr *attr;	/* attr->size bytes, at least sizeof(*attr) */
	char *name;			/* or NULL */
};

struct pmcgrp_spec {
	enum pmcgrp_target_type target_type;
	int target_id;
	struct pmcgrp_cpus cpus;	/* of PMCGRP_TARGET_CPUS */
	uint64_t flags;
	uint64_t read_format;
	unsigned int nr;
	struct spec_member members[PMCGRP_MEMBERS_MAX];
};

/* nr, time_enabled, time_running, and { value, id, lost } for each member */
#define READ_WORDS_MAX (3 + 3 * PMCGRP_MEMBERS_MAX)

/* Where a part of a perf group counts: a thread on any CPU, or a CPU. */
struct place {
	pid_t tid;		/* or -1; of a cgroup its descriptor */
	int cpu;		/* or -1 */
};

/* What perf has counted there: a group of its own. */
struct perf_part {
	struct place place;
	int fds[PMCGRP_MEMBERS_MAX];	/* the leader first */
	uint64_t *base;			/* words of a read that a reset has zeroed, or NULL */
};

struct trigger {
	uint64_t id;
	unsigned int index;
	char *name;
};

/* pmcgrp_group_read_user() of some groups. */
typedef ssize_t user_reader(struct pmcgrp_group *group, void *buf, size_t len);

struct pmcgrp_group {
	enum pmcgrp_backend backend;
	enum pmcgrp_target_type target_type;
	struct pmcgrp_cpus cpus;	/* of targets that are named CPUs */
	uint64_t flags;
	uint64_t read_format;
	unsigned int nr;
	uint64_t ids[PMCGRP_MEMBERS_MAX];
	char *names[PMCGRP_MEMBERS_MAX];
	int fd;				/* of the module */
	unsigned int ring_flags;	/* PMCGRP_RING_* */
	uint64_t sample_type;
	const struct pmcgrp_user_page *page;	/* or NULL, for user_read_why */
	size_t page_read_size;		/* what a read of it gives, in bytes */
	user_reader *read_user;	/* pmcgrp_group_read() without a page */
	enum pmcgrp_why user_read_why;
	unsigned int nr_triggers;
	struct trigger triggers[PMCGRP_TRIGGERS_MAX];
	/* Of the perf backend. */
	pthread_mutex_t mutex;		/* protects every base */
	unsigned int nr_parts;
	struct perf_part *parts;
};

/* Whether the group counts several tasks, and so has a ring for each CPU. */
static inline bool counts_tasks(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_PROCESS || group->flags & PMCGRP_CREATE_INHERIT;
}

static inline bool targets_cpus(enum pmcgrp_target_type type)
{
	return type == PMCGRP_TARGET_CPU || type == PMCGRP_TARGET_CPUS ||
	       type == PMCGRP_TARGET_ALL_CPUS || type == PMCGRP_TARGET_CGROUP;
}

/*
 * Each writes the failure's sentence and returns -err. To be called with the
 * errno of the failing call, before anything can change it.
 */
int failure_open(struct failure *f, const char *path, int err);
int failure_abi(struct failure *f, const char *path, unsigned int abi_version);
int failure_plain(struct failure *f, int err, enum pmcgrp_why why, const char *text);
int failure_create(struct failure *f, const struct pmcgrp_spec *spec,
		   const struct pmcgrp_create *create, int err);
int failure_add(struct failure *f, const struct pmcgrp_spec *spec, const struct pmcgrp_add *add,
		int err);
int failure_ring(struct failure *f, const struct pmcgrp_ring_setup *setup, int err);
int failure_keys(struct failure *f, const struct pmcgrp_keys *keys, int err);
int failure_trigger(struct failure *f, const struct pmcgrp_spec *spec,
		    const struct pmcgrp_trigger_add *add, int err);
int failure_perf(struct failure *f, const struct pmcgrp_spec *spec, unsigned int member, int cpu,
		 int err);
int failure_threads(struct failure *f, const struct pmcgrp_spec *spec, int err);
int failure_next(struct failure *f, int err);

/* A member's name, or where it has none that of its event; NULL: no memory. */
char *member_name(const struct spec_member *m);

/* pmcgrp_why_text() with the NMI watchdog's switch elsewhere, for tests. */
const char *why_text(enum pmcgrp_why why, const char *watchdog);

/* Where the names of events are found. */
struct event_folders {
	const char *devices;		/* a folder for each PMU */
	const char *tracing[2];		/* tracefs' events; the first that has the id */
};

/* pmcgrp_event_name() and pmcgrp_event_pmu() with the folders elsewhere, for tests. */
size_t event_name(const struct perf_event_attr *attr, const struct event_folders *folders,
		  char *buf, size_t size);
size_t event_pmu(const struct perf_event_attr *attr, const struct event_folders *folders, int cpu,
		 char *buf, size_t size);

/* Each opens the group's descriptors and fills in its ids; on failure none is open. */
int device_create(struct pmcgrp *h, const struct pmcgrp_spec *spec, struct pmcgrp_group *group);
int perf_create(struct pmcgrp *h, const struct pmcgrp_spec *spec, struct pmcgrp_group *group);

/* read() of a group of the module's. */
ssize_t device_read(struct pmcgrp_group *group, void *buf, size_t len);

/* What group.c does with the module's descriptor, for the parts of a perf group. */
void perf_close(struct pmcgrp_group *group);
int perf_control(struct pmcgrp_group *group, unsigned long request);
int perf_reset(struct pmcgrp_group *group, bool times);
ssize_t perf_read(struct pmcgrp_group *group, void *buf, size_t len);
ssize_t perf_read_cpus(struct pmcgrp_group *group, void *buf, size_t len);

/* Map the page of a group of the module's that has one, as far as can be. */
void user_read_map(struct pmcgrp_group *group);
void user_read_unmap(struct pmcgrp_group *group);

/* pmcgrp_open() with the device elsewhere, for tests. */
int handle_open(struct pmcgrp **out, const char *path, unsigned int flags);

#endif
