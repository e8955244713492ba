// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Failures of rings and triggers, as sentences. */
#include <stdlib.h>

#include "failure.h"

static const char older[] =
	"the loaded module has no rings: it is older than this library; use a module and a "
	"library of the same release";

int failure_ring(struct failure *f, const struct pmcgrp_ring_setup *setup, int err)
{
	begin(f, setup->why, -1, -1);
	switch ((enum pmcgrp_why)setup->why) {
	case PMCGRP_WHY_FLAGS:
		say(f, "the ring's flags 0x%x have a bit that is unknown", setup->flags);
		break;
	case PMCGRP_WHY_SAMPLE_TYPE:
		say(f, "sample_type 0x%llx has a bit that is unknown to samples%s: they have "
		       "IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD, READ, "
		       "CALLCHAIN and CGROUP",
		    (unsigned long long)setup->sample_type,
		    setup->flags & PMCGRP_RING_COMPACT ?
			    ", or that compact ones lack (IP, ADDR, PERIOD, READ, CALLCHAIN and CGROUP)" :
			    "");
		if (setup->sample_type & PERF_SAMPLE_CGROUP)
			say(f, "; a module without CGROUP is older than this library, or of a kernel "
			       "without cgroups (CONFIG_CGROUPS)");
		break;
	case PMCGRP_WHY_CLOCK:
		say(f, "records cannot have the times of clock %d: use CLOCK_MONOTONIC or "
		       "CLOCK_MONOTONIC_RAW, which the kernel can read in any context",
		    setup->clockid);
		break;
	case PMCGRP_WHY_RING_EXISTS:
		say(f, "the group has its ring already: it is set up once");
		break;
	case PMCGRP_WHY_LEADER:
		say(f, "the group was made with PMCGRP_CREATE_LEADER, and its members come and go, "
		       "which records cannot: make one without");
		break;
	case PMCGRP_WHY_UNCORE_RING:
		say(f, "the group counts uncore PMUs, which one CPU of each package reads: it has no "
		       "samples; read it at intervals, as \"pmcgrp stat -I\" does");
		break;
	case PMCGRP_WHY_PERMISSION:
		say(f, "not permitted: a sample_type with addresses (PERF_SAMPLE_IP, _ADDR, _CALLCHAIN) tells "
		       "where the kernel is: run as root, with CAP_SYSLOG, or leave them out");
		break;
	case PMCGRP_WHY_NOMEM:
		say(f, "the kernel has no memory for the ring");
		break;
	default:
		if (err == ENOTTY) {
			say(f, "%s", older);
			break;
		}
		say(f, "the module refused the ring: ");
		say_errno(f, err);
		if (setup->why)
			say(f, " (reason %u of enum pmcgrp_why, <linux/pmcgrp.h>)", setup->why);
	}
	return -err;
}

/* @spec has the trigger alone. */
int failure_trigger(struct failure *f, const struct pmcgrp_spec *spec,
		    const struct pmcgrp_trigger_add *add, int err)
{
	const struct pmcgrp_create create = { .why = add->why };
	char *name = member_name(&spec->members[0]);

	begin(f, add->why, -1, add->why ? add->fail_cpu : -1);
	say(f, "trigger %s: ", name ? name : "");
	free(name);
	switch ((enum pmcgrp_why)add->why) {
	case PMCGRP_WHY_NO_RING:
		say(f, "the group has no ring that its records could go to: "
		       "pmcgrp_group_set_ring() gives it one");
		break;
	case PMCGRP_WHY_PERIOD:
		say(f, "its attr says neither how many events make a sample (sample_period) nor "
		       "how many samples a second there shall be (sample_freq)");
		break;
	case PMCGRP_WHY_TRIGGERS_MAX:
		say(f, "the group has %d triggers already", PMCGRP_TRIGGERS_MAX);
		break;
	case PMCGRP_WHY_BACKGROUND:
		say(f, "the group is a background one, and a sampling event of hardware would take a "
		       "counter from others: sample by a clock (cpu-clock, task-clock) or a tracepoint");
		break;
	case PMCGRP_WHY_EVENT_KIND:
		say(f, "this kind of event cannot cause samples: it is a breakpoint, or of a PMU "
		       "that does not sample; or context-switches, where several tasks are told "
		       "apart: the tracepoint sched:sched_switch can");
		break;
	case PMCGRP_WHY_ATTR_FIELD:
		say(f, "its attr sets a field that says neither what to count nor how often; set "
		       "only type, size, config*, exclude_*, and sample_period, or sample_freq "
		       "with freq");
		break;
	case PMCGRP_WHY_FLAGS:
		say(f, "a flag is unknown");
		break;
	case PMCGRP_WHY_TASK_GONE:
		say(f, "the group's target has exited");
		break;
	case PMCGRP_WHY_CPU_OFFLINE:
		say(f, "the group's CPUs are offline");
		break;
	default:
		if (err == ENOTTY)
			say(f, "%s", older);
		else
			failure_say_why(f, spec, &create, err);
	}
	if (add->why == PMCGRP_WHY_PMU && add->fail_cpu >= 0)
		say(f, " (on CPU %d)", add->fail_cpu);
	return -err;
}
