// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What a group shall be: a description that is filled in step by step. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

int pmcgrp_spec_new(struct pmcgrp_spec **out)
{
	struct pmcgrp_spec *spec;

	if (!out)
		return -EINVAL;
	spec = calloc(1, sizeof(*spec));
	*out = spec;
	if (!spec)
		return -ENOMEM;
	spec->target_type = PMCGRP_TARGET_TASK;
	spec->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			    PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return 0;
}

void pmcgrp_spec_free(struct pmcgrp_spec *spec)
{
	unsigned int i;

	if (!spec)
		return;
	for (i = 0; i < spec->nr; i++) {
		free(spec->members[i].attr);
		free(spec->members[i].name);
	}
	free(spec);
}

int pmcgrp_spec_set_task(struct pmcgrp_spec *spec, pid_t tid)
{
	if (!spec || tid < 0)
		return -EINVAL;
	spec->target_type = PMCGRP_TARGET_TASK;
	spec->target_id = tid;
	return 0;
}

int pmcgrp_spec_set_process(struct pmcgrp_spec *spec, pid_t pid)
{
	if (!spec || pid < 0)
		return -EINVAL;
	spec->target_type = PMCGRP_TARGET_PROCESS;
	spec->target_id = pid;
	return 0;
}

int pmcgrp_spec_set_cpu(struct pmcgrp_spec *spec, int cpu)
{
	if (!spec || cpu < 0)
		return -EINVAL;
	spec->target_type = PMCGRP_TARGET_CPU;
	spec->target_id = cpu;
	return 0;
}

int pmcgrp_spec_set_cpus(struct pmcgrp_spec *spec, const struct pmcgrp_cpus *cpus)
{
	if (!spec || !cpus || !pmcgrp_cpus_nr(cpus))
		return -EINVAL;
	spec->target_type = PMCGRP_TARGET_CPUS;
	spec->target_id = 0;
	spec->cpus = *cpus;
	return 0;
}

int pmcgrp_spec_set_all_cpus(struct pmcgrp_spec *spec)
{
	if (!spec)
		return -EINVAL;
	spec->target_type = PMCGRP_TARGET_ALL_CPUS;
	spec->target_id = 0;
	return 0;
}

int pmcgrp_spec_set_cgroup(struct pmcgrp_spec *spec, int fd)
{
	if (!spec || fd < 0)
		return -EINVAL;
	spec->target_type = PMCGRP_TARGET_CGROUP;
	spec->target_id = fd;
	return 0;
}

int pmcgrp_spec_set_flags(struct pmcgrp_spec *spec, uint64_t flags)
{
	if (!spec)
		return -EINVAL;
	spec->flags = flags;
	return 0;
}

int pmcgrp_spec_set_read_format(struct pmcgrp_spec *spec, uint64_t read_format)
{
	if (!spec)
		return -EINVAL;
	spec->read_format = read_format;
	return 0;
}

int pmcgrp_spec_add_sized(struct pmcgrp_spec *spec, const struct perf_event_attr *attr,
			  size_t attr_size, const char *name)
{
	struct spec_member *m;
	size_t size;

	if (!spec || !attr || attr_size < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	size = attr->size ? attr->size : attr_size;
	if (size < PERF_ATTR_SIZE_VER0 || size > attr_size)
		return -EINVAL;
	if (size > ATTR_SIZE_MAX)
		return -E2BIG;
	if (spec->nr == PMCGRP_MEMBERS_MAX)
		return -ENOSPC;
	m = &spec->members[spec->nr];
	/* Never below the size that this library was compiled with: its code names fields. */
	m->attr = calloc(1, size < sizeof(*m->attr) ? sizeof(*m->attr) : size);
	if (!m->attr)
		return -ENOMEM;
	memcpy(m->attr, attr, size);
	m->attr->size = (uint32_t)size;
	m->name = NULL;
	if (name) {
		m->name = strdup(name);
		if (!m->name) {
			free(m->attr);
			return -ENOMEM;
		}
	}
	return (int)spec->nr++;
}

unsigned int pmcgrp_spec_nr(const struct pmcgrp_spec *spec)
{
	return spec->nr;
}
