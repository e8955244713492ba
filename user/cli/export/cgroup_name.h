/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the path of a cgroup says: of which unit, pod or job it is. */
#ifndef CGROUP_NAME_H
#define CGROUP_NAME_H

#include <stddef.h>

/* As long as a file's name can be. */
#define CGROUP_NAME_SIZE 256

enum cgroup_part {
	CGROUP_UNIT, /* of systemd: "ssh.service", the innermost one that is no slice */
	CGROUP_POD,  /* of Kubernetes: its UID, with dashes */
	CGROUP_JOB,  /* of Slurm: its number */
	CGROUP_PARTS,
};

/* What they are called as labels. */
extern const char *const cgroup_part_names[CGROUP_PARTS];

/*
 * cgroup_name - the unit, pod or job of a cgroup
 * @path: "/system.slice/ssh.service"
 * @name: of CGROUP_NAME_SIZE; "" if it is of none
 *
 * Returns how long the path of the unit, pod or job itself is, as the beginning of @path; 0 if it
 * is of none.
 */
size_t cgroup_name(enum cgroup_part part, const char *path, char *name);

#endif
