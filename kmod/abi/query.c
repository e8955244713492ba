// SPDX-License-Identifier: GPL-2.0-only
/* PMCGRP_IOC_QUERY: what the module can do, and its limits. */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "abi/query.h"
#include "abi/ring_ioctl.h"
#include "arbiter/cpu.h"
#include "counter/key.h"
#include "group/group.h"
#include "platform/uapi_copy.h"
#include "sample/read_format.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "span/span.h"

static_assert(sizeof(struct pmcgrp_query) == PMCGRP_QUERY_SIZE_VER0);

#define FEATURES                                                                   \
	(PMCGRP_FEATURE_INFO | PMCGRP_FEATURE_READ_MANY | PMCGRP_FEATURE_LEADER |  \
	 PMCGRP_FEATURE_RING | PMCGRP_FEATURE_KEYS | PMCGRP_FEATURE_SECTIONS |     \
	 PMCGRP_FEATURE_SPANS | PMCGRP_FEATURE_READER)

static void query_fill(struct pmcgrp_query *query)
{
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
}

/**
 * pmcgrp_query_ioctl - say what the module can do (PMCGRP_IOC_QUERY)
 * @uarg: user pointer to a struct pmcgrp_query
 *
 * Context: may sleep.
 * Return: 0, or -EFAULT, -EINVAL, -E2BIG as the uapi header says.
 */
long pmcgrp_query_ioctl(void __user *uarg)
{
	struct pmcgrp_query arg;
	u32 size;
	int err;

	err = pmcgrp_copy_sized(&arg, sizeof(arg), PMCGRP_QUERY_SIZE_VER0, uarg);
	if (err)
		return err;
	if (arg.flags)
		return -EINVAL;
	size = min_t(u32, arg.size, sizeof(arg));
	query_fill(&arg);
	return copy_to_user(uarg, &arg, size) ? -EFAULT : 0;
}
