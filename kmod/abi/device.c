// SPDX-License-Identifier: GPL-2.0-only
/* Ioctls on /dev/pmcgrp; PMCGRP_IOC_QUERY: what the module can do, and its limits. */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "abi/abi.h"
#include "arbiter/cpu.h"
#include "counter/key.h"
#include "group/group.h"
#include "sample/read_format.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "span/section.h"
#include "span/span.h"

static_assert(sizeof(struct pmcgrp_query) == PMCGRP_QUERY_SIZE_VER0);

#define FEATURES                                                                   \
	(PMCGRP_FEATURE_INFO | PMCGRP_FEATURE_READ_MANY | PMCGRP_FEATURE_LEADER |  \
	 PMCGRP_FEATURE_RING | PMCGRP_FEATURE_KEYS | PMCGRP_FEATURE_SECTIONS |     \
	 PMCGRP_FEATURE_SPANS | PMCGRP_FEATURE_READER | PMCGRP_FEATURE_HOLDERS)

static long query_ioctl(struct file *device, void *arg)
{
	struct pmcgrp_query *query = arg;

	if (query->flags)
		return -EINVAL;
	*query = (struct pmcgrp_query){
		.size = sizeof(*query),
		.abi_version = PMCGRP_ABI_VERSION,
		.members_max = PMCGRP_MEMBERS_MAX,
		.create_flags = PMCGRP_CREATE_FLAGS,
		.read_formats = PMCGRP_READ_FORMATS,
		.targets = BIT_ULL(PMCGRP_TARGET_TASK) | BIT_ULL(PMCGRP_TARGET_CPU) |
			   BIT_ULL(PMCGRP_TARGET_PROCESS) | BIT_ULL(PMCGRP_TARGET_CPUS) |
			   BIT_ULL(PMCGRP_TARGET_ALL_CPUS) | BIT_ULL(PMCGRP_TARGET_CGROUP),
		.mux_interval_ns = pmcgrp_mux_interval_ns(),
		.sample_types = PMCGRP_SAMPLE_TYPES,
		.ring_flags = PMCGRP_RING_FLAGS,
		.triggers_max = PMCGRP_TRIGGERS_MAX,
		.features = FEATURES,
		.clockids = PMCGRP_RING_CLOCKS,
		.span_kinds = pmcgrp_span_kinds(),
		.span_flags = PMCGRP_SPAN_FLAGS,
		.span_keys = BIT(PMCGRP_SPAN_KEYS) - 1,
		.key_types = pmcgrp_key_types(),
		.spans_max = PMCGRP_SPANS_MAX,
		.span_active_max = PMCGRP_SPAN_ACTIVE_MAX,
		.span_slots_max = PMCGRP_SPAN_SLOTS_MAX,
		.span_exits_max = PMCGRP_SPAN_EXITS_MAX,
		.keys_slots_max = PMCGRP_KEYS_SLOTS_MAX,
		.keys_cgroups_max = PMCGRP_KEYS_CGROUPS_MAX,
		.section_members_max = PMCGRP_SECTION_MEMBERS_MAX,
		.switch_max = PMCGRP_SWITCH_MAX,
	};
	strscpy(query->release, THIS_MODULE->version ?: "", sizeof(query->release));
	return 0;
}

static const struct pmcgrp_ioctl device_ioctls[] = {
	{ PMCGRP_IOC_CREATE, sizeof(struct pmcgrp_create), PMCGRP_CREATE_SIZE_VER0,
	  .of_device = pmcgrp_create, .makes = true },
	{ PMCGRP_IOC_READ_MANY, sizeof(struct pmcgrp_read_many), PMCGRP_READ_MANY_SIZE_VER0,
	  .of_device = pmcgrp_read_many },
	{ PMCGRP_IOC_INFO_NEXT, sizeof(struct pmcgrp_info), PMCGRP_INFO_SIZE_VER0,
	  .of_device = pmcgrp_info_next_ioctl },
	{ PMCGRP_IOC_SECTION_NEXT, sizeof(struct pmcgrp_section_info),
	  PMCGRP_SECTION_INFO_SIZE_VER0, .of_device = pmcgrp_section_next_ioctl },
	{ PMCGRP_IOC_SECTION_KEYS, sizeof(struct pmcgrp_section_keys),
	  PMCGRP_SECTION_KEYS_SIZE_VER0, .of_device = pmcgrp_section_keys },
	{ PMCGRP_IOC_HOLDERS, sizeof(struct pmcgrp_holders), PMCGRP_HOLDERS_SIZE_VER0,
	  .of_device = pmcgrp_holders_ioctl },
	{ PMCGRP_IOC_QUERY, sizeof(struct pmcgrp_query), PMCGRP_QUERY_SIZE_VER0,
	  .of_device = query_ioctl },
	{}
};

/**
 * pmcgrp_device_ioctl - do an ioctl on /dev/pmcgrp
 * @device: file of the device
 * @cmd: PMCGRP_IOC_*
 * @arg: user pointer to the command's struct
 *
 * Context: may sleep.
 * Return: as the uapi header says for @cmd; -ENOTTY for an unknown @cmd.
 */
long pmcgrp_device_ioctl(struct file *device, unsigned int cmd, unsigned long arg)
{
	if (cmd == PMCGRP_IOC_CREATE && !(device->f_mode & FMODE_WRITE))
		return pmcgrp_read_only_refuse(cmd, arg);
	return pmcgrp_ioctl_call(device_ioctls, NULL, device, cmd, (void __user *)arg);
}
