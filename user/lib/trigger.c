// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What makes samples: the group's ring, its triggers, and samples on request. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "internal.h"

static const char no_rings[] =
	"a group of perf_event_open has no ring of samples: load the module, or open a sampling "
	"event yourself and read its ring with pmcgrp_ring_map()";

static int set_ring(struct pmcgrp *h, struct pmcgrp_group *group, struct pmcgrp_ring_setup *setup)
{
	if (!h || !group)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE, no_rings);
	if (ioctl(group->fd, PMCGRP_IOC_RING, setup) < 0)
		return failure_ring(&h->failure, setup, errno);
	group->ring_flags = setup->flags;
	group->sample_type = setup->sample_type;
	return 0;
}

int pmcgrp_group_set_ring(struct pmcgrp *h, struct pmcgrp_group *group, unsigned int flags,
			  uint64_t sample_type, uint32_t wakeup)
{
	struct pmcgrp_ring_setup setup = {
		.size = sizeof(setup),
		.flags = flags,
		.sample_type = sample_type,
		.wakeup = wakeup,
	};

	return set_ring(h, group, &setup);
}

int pmcgrp_group_set_ring_clock(struct pmcgrp *h, struct pmcgrp_group *group, unsigned int flags,
				uint64_t sample_type, uint32_t wakeup, clockid_t clockid)
{
	struct pmcgrp_ring_setup setup = {
		.size = sizeof(setup),
		.flags = flags | PMCGRP_RING_USE_CLOCKID,
		.sample_type = sample_type,
		.wakeup = wakeup,
		.clockid = clockid,
	};

	return set_ring(h, group, &setup);
}

int pmcgrp_group_add_trigger_sized(struct pmcgrp *h, struct pmcgrp_group *group,
				   const struct perf_event_attr *attr, size_t attr_size,
				   const char *name)
{
	struct pmcgrp_trigger_add add = { .size = sizeof(add) };
	struct trigger *trigger;
	struct pmcgrp_spec *spec;
	int ret;

	if (!h || !group)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE, no_rings);
	ret = pmcgrp_spec_new(&spec);
	if (ret < 0)
		return failure_plain(&h->failure, ENOMEM, PMCGRP_WHY_NOMEM, "out of memory");
	ret = pmcgrp_spec_add_sized(spec, attr, attr_size, name);
	if (ret < 0) {
		failure_plain(&h->failure, -ret, PMCGRP_WHY_ATTR_SIZE,
			      "there is no attr, or its size makes no sense");
	} else {
		add.attr = (uintptr_t)spec->members[0].attr;
		ret = ioctl(group->fd, PMCGRP_IOC_TRIGGER, &add);
		if (ret < 0)
			ret = failure_trigger(&h->failure, spec, &add, errno);
		else
			ret = (int)add.index;
	}
	/* Without memory for its name it has none. */
	if (ret > 0 && group->nr_triggers < PMCGRP_TRIGGERS_MAX) {
		trigger = &group->triggers[group->nr_triggers++];
		trigger->id = add.id;
		trigger->index = add.index;
		trigger->name = member_name(&spec->members[0]);
	}
	pmcgrp_spec_free(spec);
	return ret;
}

int pmcgrp_group_sample(struct pmcgrp_group *group, uint64_t addr)
{
	int ret;

	if (!group || addr > ULONG_MAX)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return -EOPNOTSUPP;
	ret = ioctl(group->fd, PMCGRP_IOC_SAMPLE, (unsigned long)addr);
	return ret < 0 ? -errno : ret;
}

int pmcgrp_group_pause_rings(struct pmcgrp_group *group, bool pause)
{
	if (!group)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return -EOPNOTSUPP;
	return ioctl(group->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause ? 1UL : 0UL) < 0 ? -errno : 0;
}

/* ---- What records refer to ---- */

const char *pmcgrp_group_name(const struct pmcgrp_group *group, unsigned int i)
{
	return i < group->nr && group->names[i] ? group->names[i] : "";
}

void pmcgrp_group_record_format(const struct pmcgrp_group *group,
				struct pmcgrp_record_format *format)
{
	*format = (struct pmcgrp_record_format){
		.sample_type = group->sample_type,
		.read_format = group->read_format,
		.sample_id_all = true,
	};
}

static const struct trigger *trigger_of(const struct pmcgrp_group *group,
					const struct pmcgrp_record *record)
{
	bool has_id = record->has & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);
	const struct trigger *trigger;
	unsigned int i;

	for (i = 0; i < group->nr_triggers; i++) {
		trigger = &group->triggers[i];
		if (record->type == PMCGRP_RECORD_COMPACT ? trigger->index == record->trigger :
							    has_id && trigger->id == record->id)
			return trigger;
	}
	return NULL;
}

int pmcgrp_group_trigger(const struct pmcgrp_group *group, const struct pmcgrp_record *record)
{
	const struct trigger *trigger = trigger_of(group, record);

	if (trigger)
		return (int)trigger->index;
	if (record->type == PMCGRP_RECORD_COMPACT)
		return record->trigger ? -ENOENT : 0;
	if (!(record->has & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)))
		return -ENOENT;
	return record->id == group->ids[0] ? 0 : -ENOENT;
}

const char *pmcgrp_group_trigger_name(const struct pmcgrp_group *group, int index)
{
	unsigned int i;

	for (i = 0; i < group->nr_triggers; i++) {
		if ((int)group->triggers[i].index == index)
			return group->triggers[i].name ? group->triggers[i].name : "";
	}
	return "";
}

uint64_t pmcgrp_group_trigger_id(const struct pmcgrp_group *group, int index)
{
	unsigned int i;

	for (i = 0; i < group->nr_triggers; i++) {
		if ((int)group->triggers[i].index == index)
			return group->triggers[i].id;
	}
	return 0;
}
