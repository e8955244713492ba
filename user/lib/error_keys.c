// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Failures of counts by key, as sentences. */
#include "failure.h"

/* Without a reason. */
static void say_plain(struct failure *f, const struct pmcgrp_keys *keys, int err)
{
	switch (err) {
	case ENOTTY:
		say(f, "the loaded module has no counts by key: it is older than this library; use a "
		       "module and a library of the same release");
		break;
	default:
		say(f, "the module refused counts by key: ");
		say_errno(f, err);
		if (keys->why)
			say(f, " (reason %u of enum pmcgrp_why, <linux/pmcgrp.h>)", keys->why);
	}
}

int failure_keys(struct failure *f, const struct pmcgrp_keys *keys, int err)
{
	begin(f, keys->why, -1, -1);
	switch ((enum pmcgrp_why)keys->why) {
	case PMCGRP_WHY_FLAGS:
		say(f, "the options make no sense: a type is unknown, there are more than %u slots for "
		       "each CPU (%u), or cgroups are listed that cannot be, or for another type",
		    PMCGRP_KEYS_SLOTS_MAX, keys->slots);
		break;
	case PMCGRP_WHY_KEYS_EXIST:
		say(f, "the group has its table of counts by key already: it is set up once");
		break;
	case PMCGRP_WHY_RING_EXISTS:
		say(f, "the group has a ring, and so no counts by key: make another group");
		break;
	case PMCGRP_WHY_KEYS_TARGET:
		say(f, "counts by key are those of CPUs, or of several tasks (a process, or a task with "
		       "PMCGRP_CREATE_INHERIT): one task has one key");
		break;
	case PMCGRP_WHY_LEADER:
		say(f, "the group was made with PMCGRP_CREATE_LEADER, and its members come and go, "
		       "which a table cannot: make one without");
		break;
	case PMCGRP_WHY_UNCORE_RING:
	case PMCGRP_WHY_UNCORE_TASK:
		say(f, "the group counts uncore PMUs: what a part of the machine counts is of no "
		       "cgroup and no task");
		break;
	case PMCGRP_WHY_NO_CGROUPS:
		say(f, "the kernel has no cgroups (it was built without "
		       "CONFIG_CGROUPS): counts by process, thread and command are possible");
		break;
	case PMCGRP_WHY_PERMISSION:
		say(f, "not permitted: counts by key tell of other users' tasks: run as root, or with "
		       "CAP_PERFMON");
		break;
	case PMCGRP_WHY_NOMEM:
		say(f, "the kernel has no memory for a table of %u slots for each CPU", keys->slots);
		break;
	case PMCGRP_WHY_MEMLOCK:
		say(f, "a table of %u slots for each CPU is more locked memory than the caller may have: "
		       "take less slots, or see rings_user_kb in pmcgrp(4)", keys->slots);
		break;
	case PMCGRP_WHY_MEMORY_MAX:
		say(f, "a table of %u slots for each CPU is more memory than the groups, rings, tables "
		       "and spans of a user may have: take less slots, or see rings_max_mb in "
		       "pmcgrp(4)", keys->slots);
		break;
	default:
		say_plain(f, keys, err);
	}
	return -err;
}
