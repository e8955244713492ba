/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the files of the library share; nothing here is exported. */
#ifndef PMCGRP_INTERNAL_H
#define PMCGRP_INTERNAL_H

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
	uint64_t flags;
	uint64_t read_format;
	unsigned int nr;
	struct spec_member members[PMCGRP_MEMBERS_MAX];
};

/*
 * Both backends answer read() and perf's ioctls on fds[0], so that a group needs
 * to know of its backend only while it is made.
 */
struct pmcgrp_group {
	uint64_t read_format;
	unsigned int nr;
	unsigned int nr_fds;
	int fds[PMCGRP_MEMBERS_MAX];
	uint64_t ids[PMCGRP_MEMBERS_MAX];
};

/*
 * Each writes the failure's sentence and returns -err. To be called with the
 * errno of the failing call, before anything can change it.
 */
int failure_open(struct failure *f, const char *path, int err);
int failure_abi(struct failure *f, const char *path, unsigned int abi_version);
int failure_plain(struct failure *f, int err, enum pmcgrp_why why, const char *text);
int failure_create(struct failure *f, const struct pmcgrp_spec *spec,
		   const struct pmcgrp_create *create, int err);
int failure_perf(struct failure *f, const struct pmcgrp_spec *spec, unsigned int member, int err);

/* Each fills the group's fds and ids; on failure it leaves none open. */
int device_create(struct pmcgrp *h, const struct pmcgrp_spec *spec, struct pmcgrp_group *group);
int perf_create(struct pmcgrp *h, const struct pmcgrp_spec *spec, struct pmcgrp_group *group);

/* pmcgrp_open() with the device elsewhere, for tests. */
int handle_open(struct pmcgrp **out, const char *path, unsigned int flags);

#endif
