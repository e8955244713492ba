// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Reasons and states in words. */
#include <fcntl.h>
#include <unistd.h>

#include "internal.h"

/* The administrator's word. */
#if defined(__x86_64__) || defined(__i386__)
#define USER_ACCESS "/sys/bus/event_source/devices/cpu/rdpmc"
#else
#define USER_ACCESS "sysctl kernel.perf_user_access"
#endif

#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"

static const struct {
	const char *name;
	const char *text;
} reasons[] = {
	[PMCGRP_WHY_NONE] = { "none", "" },
	[PMCGRP_WHY_FLAGS] = { "flags", "a flag is unknown, or not for this target" },
	[PMCGRP_WHY_RESERVED] = { "reserved", "a reserved field is not zero" },
	[PMCGRP_WHY_TARGET] = { "target", "there is no such target" },
	[PMCGRP_WHY_READ_FORMAT] = { "read-format", "read_format has an unknown bit" },
	[PMCGRP_WHY_NR_MEMBERS] = { "nr-members", "it has no members, or too many" },
	[PMCGRP_WHY_MEMBER] = { "member", "the member is malformed" },
	[PMCGRP_WHY_ATTR_POINTER] = { "attr-pointer", "the attr cannot be read" },
	[PMCGRP_WHY_ATTR_SIZE] = { "attr-size", "attr.size makes no sense" },
	[PMCGRP_WHY_ATTR_UNKNOWN] = { "attr-unknown", "the attr is newer than the kernel" },
	[PMCGRP_WHY_ATTR_FIELD] = { "attr-field",
				    "attr sets a field that is not allowed for a member" },
	[PMCGRP_WHY_EVENT_UNKNOWN] = { "event-unknown", "no PMU here knows the event" },
	[PMCGRP_WHY_EVENT_KIND] = { "event-kind", "the event cannot be counted in a group" },
	[PMCGRP_WHY_TASK_GONE] = { "task-gone", "the task has ended" },
	[PMCGRP_WHY_CPU_OFFLINE] = { "cpu-offline", "the CPU is offline" },
	[PMCGRP_WHY_PMU] = { "pmu", "the PMU refused the event" },
	[PMCGRP_WHY_PERMISSION] = { "permission", "not permitted" },
	[PMCGRP_WHY_NOMEM] = { "nomem", "the kernel has no memory for it" },
	[PMCGRP_WHY_GROUPS_MAX] = { "groups-max", "the user has as many groups as may be" },
	[PMCGRP_WHY_COUNTERS_MAX] = { "counters-max", "the user has as many counters as may be" },
	[PMCGRP_WHY_CPUS] = { "cpus", "the CPUs are not of this machine" },
	[PMCGRP_WHY_TOO_LARGE] = { "too-large",
				   "the group needs more counters than the PMU has" },
	[PMCGRP_WHY_BUSY_PMCGRP] = { "busy-pmcgrp", "other pmcgrp groups have the counters" },
	[PMCGRP_WHY_BUSY_PERF] = { "busy-perf", "perf events outside pmcgrp have the counters" },
	[PMCGRP_WHY_SAMPLE_TYPE] = { "sample-type", "sample_type has a bit that is not known, or "
						    "not compact" },
	[PMCGRP_WHY_RING_EXISTS] = { "ring-exists", "the group has a ring already" },
	[PMCGRP_WHY_NO_RING] = { "no-ring", "the group has no ring" },
	[PMCGRP_WHY_LEADER] = { "leader", "the group has a leader" },
	[PMCGRP_WHY_PERIOD] = { "period", "the trigger has neither period nor frequency" },
	[PMCGRP_WHY_TRIGGERS_MAX] = { "triggers-max", "the group has as many triggers as it may" },
	[PMCGRP_WHY_USER_READ_UNSUPPORTED] = { "user-read-unsupported",
		"user space cannot read counters for pmcgrp here: it can with "
		"Arm's PMUv3 from Linux 6.2 on, not PMUv3p9 from 6.13 on, "
		"Intel's and AMD's if the TSC is stable" },
	[PMCGRP_WHY_USER_READ_DENIED] = { "user-read-denied", USER_ACCESS " is 0" },
	[PMCGRP_WHY_USER_READ_EVENT] = { "user-read-event",
					 "user space cannot read the counter of a member" },
	[PMCGRP_WHY_PRECISE] = { "precise", "precise_ip is a way of sampling" },
	[PMCGRP_WHY_BRANCHES] = { "branches", "the event records branches" },
	[PMCGRP_WHY_SAMPLES] = { "samples", "the event has samples or traces, and no count" },
	[PMCGRP_WHY_TOPDOWN] = { "topdown", "a topdown metric is counted in groups of perf's alone" },
	[PMCGRP_WHY_USER_READ_TASK] = { "user-read-task",
		"config1 asks for user access (rdpmc), which is for groups of tasks" },
	[PMCGRP_WHY_EXCLUDE_GUEST] = { "exclude-guest",
				       "KVM guests are lent the PMU: events have to set exclude_guest" },
	[PMCGRP_WHY_UNCORE_TASK] = { "uncore-task",
				     "its PMU counts a part of the machine, and no task: count "
				     "CPUs (-a)" },
	[PMCGRP_WHY_UNCORE_MIXED] = { "uncore-mixed",
				      "a group has events of uncore PMUs alone, or none" },
	[PMCGRP_WHY_UNCORE_CPU] = { "uncore-cpu",
				    "its PMU counts this part of the machine on another CPU" },
	[PMCGRP_WHY_UNCORE_RING] = { "uncore-ring", "groups of uncore PMUs have no ring" },
	[PMCGRP_WHY_KEYS_EXIST] = { "keys-exist", "the group has a table of counts by key already" },
	[PMCGRP_WHY_KEYS_TARGET] = { "keys-target",
				     "counts by key are those of CPUs, or of several tasks" },
	[PMCGRP_WHY_NO_CGROUPS] = { "no-cgroups",
				    "the kernel does not tell perf events of cgroups" },
	[PMCGRP_WHY_CGROUP] = { "cgroup",
				"the descriptor is of no cgroup of version 2, or its group has no such thing" },
	[PMCGRP_WHY_SPAN_KIND] = { "span-kind", "kind or max_active of a span is out of range" },
	[PMCGRP_WHY_SPAN_NAME] = { "span-name", "a name of a span is empty or too long" },
	[PMCGRP_WHY_SPAN_GROUP] = { "span-group", "such a group has no spans" },
	[PMCGRP_WHY_SPANS_MAX] = { "spans-max", "the group has as many spans as it can" },
	[PMCGRP_WHY_SPAN_UNKNOWN] = { "span-unknown", "the kernel has no such function or tracepoint" },
	[PMCGRP_WHY_SPAN_REFUSED] = { "span-refused", "the kernel lets nobody probe the function" },
	[PMCGRP_WHY_SPAN_UNSUPPORTED] = { "span-unsupported", "the kernel has no such probes" },
	[PMCGRP_WHY_SPAN_KEY] = { "span-key", "key or offset of a span is out of range" },
	[PMCGRP_WHY_SPAN_FILE] = { "span-file", "no function of the file can be probed" },
	[PMCGRP_WHY_SPANS_ROOM] = { "spans-room", "the spans of the user together have no more room" },
	[PMCGRP_WHY_SPAN_BY] = { "span-by", "the key of a span, or its depth, list or slots, is out of "
					    "range" },
	[PMCGRP_WHY_SPAN_RING] = { "span-ring", "records of a span need a ring with PERF_SAMPLE_RAW" },
	[PMCGRP_WHY_SPAN_EXITS] = { "span-exits", "the exits of a span are not in order, too many, or not to be "
						  "read" },
	[PMCGRP_WHY_MEMORY_MAX] = { "memory-max", "the user has as much memory in groups, rings, tables and "
						  "spans as may be (rings_max_mb)" },
	[PMCGRP_WHY_SWITCH_MAX] = { "switch-max", "a context switch would have too many groups of processes, "
						  "inherited tasks and cgroups" },
	[PMCGRP_WHY_MEMLOCK] = { "memlock", "the user has as much locked memory in rings, tables and spans "
					    "as may be (rings_user_kb, RLIMIT_MEMLOCK)" },
	[PMCGRP_WHY_UNTIL_EXIT] = { "until-exit", "the kernel does not tell where perf events of a "
						  "task end" },
	[PMCGRP_WHY_CLOCK] = { "clock", "records cannot have the times of this clock" },
	[PMCGRP_WHY_BACKGROUND] = { "background", "a background group would take counters from others" },
	[PMCGRP_WHY_READ_ONLY] = { "read-only", "the descriptor is for reading only" },
};

static const char * const states[] = {
	[PMCGRP_STATE_RUNNING] = "running",
	[PMCGRP_STATE_WAITING] = "waiting",
	[PMCGRP_STATE_UNSCHEDULABLE] = "unschedulable",
	[PMCGRP_STATE_ERROR] = "error",
	[PMCGRP_STATE_DISABLED] = "disabled",
	[PMCGRP_STATE_SCHED_OUT] = "sched-out",
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * The file is there wherever a kernel can look for lockups; only these architectures
 * look for hard ones with a counter.
 */
static bool watchdog_on(const char *path)
{
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char c = '0';

	if (fd < 0)
		return false;
	if (read(fd, &c, 1) != 1)
		c = '0';
	close(fd);
	return c == '1';
#else
	(void)path;
	return false;
#endif
}

const char *why_text(enum pmcgrp_why why, const char *watchdog)
{
	if ((size_t)why >= ARRAY_SIZE(reasons))
		return "a reason that is newer than this library";
	if (why == PMCGRP_WHY_BUSY_PERF && watchdog_on(watchdog))
		return "perf events outside pmcgrp have the counters, the NMI watchdog among them "
		       "(sysctl kernel.nmi_watchdog=0 switches it off)";
	return reasons[why].text;
}

const char *pmcgrp_why_text(enum pmcgrp_why why)
{
	return why_text(why, WATCHDOG);
}

const char *pmcgrp_why_name(enum pmcgrp_why why)
{
	return (size_t)why < ARRAY_SIZE(reasons) ? reasons[why].name : "unknown";
}

const char *pmcgrp_state_name(enum pmcgrp_state state)
{
	return (size_t)state < ARRAY_SIZE(states) ? states[state] : "unknown";
}
