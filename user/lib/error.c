// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Failures as sentences: what was wrong, with which member, what to do. */
#include <errno.h>
#include <string.h>

#include "attr_check.h"
#include "failure.h"
#include "rights.h"
#include "uncore.h"

/* A member that was given no name. */
static void say_code(struct failure *f, unsigned int i, const struct perf_event_attr *attr)
{
	char name[128];

	pmcgrp_event_name(attr, name, sizeof(name));
	say(f, "member %u (%s): ", i, name);
}

static void say_member(struct failure *f, const struct pmcgrp_spec *spec, unsigned int i)
{
	const struct spec_member *m;

	if (i >= spec->nr)
		return;
	m = &spec->members[i];
	if (m->name)
		say(f, "member %u (%s): ", i, m->name);
	else
		say_code(f, i, m->attr);
}

static void say_cpus(struct failure *f, const struct pmcgrp_cpus *cpus)
{
	char list[64];
	size_t len = pmcgrp_cpus_format(cpus, list, sizeof(list));

	say(f, "%s%s", list, len >= sizeof(list) ? "..." : "");
}

/* Of a target of several CPUs, the one to blame if it is known. */
static void say_target(struct failure *f, const struct pmcgrp_spec *spec)
{
	switch (spec->target_type) {
	case PMCGRP_TARGET_CPU:
		say(f, "CPU %d", spec->target_id);
		break;
	case PMCGRP_TARGET_CPUS:
	case PMCGRP_TARGET_ALL_CPUS:
		if (f->cpu >= 0) {
			say(f, "CPU %d", f->cpu);
		} else if (spec->target_type == PMCGRP_TARGET_ALL_CPUS) {
			say(f, "the set of all CPUs");
		} else {
			say(f, "the set of CPUs ");
			say_cpus(f, &spec->cpus);
		}
		break;
	case PMCGRP_TARGET_CGROUP:
		say(f, "the cgroup of descriptor %d", spec->target_id);
		break;
	case PMCGRP_TARGET_PROCESS:
		if (spec->target_id)
			say(f, "process %d", spec->target_id);
		else
			say(f, "the calling process");
		break;
	default:
		if (spec->target_id)
			say(f, "thread %d", spec->target_id);
		else
			say(f, "the calling thread");
	}
}

static void say_cgroup(struct failure *f, const struct pmcgrp_spec *spec)
{
	say(f, "descriptor %d is not that of a directory of cgroups of version 2, which are mounted at "
	       "/sys/fs/cgroup as a rule", spec->target_id);
}

/* The library refuses a descriptor that cannot be; so it is the type that is unknown. */
static void say_no_target(struct failure *f, const struct pmcgrp_spec *spec)
{
	say_target(f, spec);
	if (spec->target_type == PMCGRP_TARGET_CGROUP)
		say(f, " is no target for the loaded module: it is older than this library; use a "
		       "module and a library of the same release");
	else
		say(f, " is not a target that can exist on this machine");
}

/* Which CPU of the set cannot be, where /sys says so. */
static void say_impossible(struct failure *f, const struct pmcgrp_spec *spec)
{
	struct pmcgrp_cpus possible;
	int cpu;

	if (cpus_read(&possible, CPU_FOLDER "/possible") < 0)
		return;
	for (cpu = pmcgrp_cpus_next(&spec->cpus, 0); cpu >= 0;
	     cpu = pmcgrp_cpus_next(&spec->cpus, cpu + 1)) {
		if (pmcgrp_cpus_test(&possible, cpu))
			continue;
		say(f, ": there is no CPU %d; there can be ", cpu);
		say_cpus(f, &possible);
		f->cpu = cpu;
		return;
	}
}

int failure_plain(struct failure *f, int err, enum pmcgrp_why why, const char *text)
{
	begin(f, why, -1, -1);
	say(f, "%s: ", text);
	say_errno(f, err);
	return -err;
}

int failure_open(struct failure *f, const char *path, int err)
{
	begin(f, PMCGRP_WHY_NONE, -1, -1);
	switch (err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		say(f, "cannot open %s: ", path);
		say_errno(f, err);
		say(f, "; the module pmcgrp is not loaded: load it as root with "
		       "\"modprobe pmcgrp\", or \"make load\" in the source tree");
		if (rights_lockdown())
			say(f, " (kernel lockdown is on (%s): only signed modules are loaded; "
			       "\"pmcgrp doctor\" has more)",
			    rights_lockdown());
		break;
	case EACCES:
	case EPERM:
		f->why = PMCGRP_WHY_PERMISSION;
		rights_say_device(f, path, rights_perfmon());
		break;
	case EMFILE:
		say(f, "cannot open %s: this process has too many files open; close some, or raise "
		       "the limit with \"ulimit -n\"", path);
		break;
	default:
		say(f, "cannot open %s: ", path);
		say_errno(f, err);
	}
	return -err;
}

int failure_next(struct failure *f, int err)
{
	begin(f, PMCGRP_WHY_NONE, -1, -1);
	switch (err) {
	case EACCES:
	case EPERM:
		f->why = PMCGRP_WHY_PERMISSION;
		say(f, "not permitted to list the groups of others: run as root, or with "
		       "CAP_SYS_ADMIN (CAP_PERFMON alone lets you make groups, not see "
		       "everybody's)");
		break;
	case ENOTTY:
		say(f, "the loaded module cannot list groups: it is older than this library; use "
		       "a module and a library of the same release");
		break;
	default:
		say(f, "cannot list the groups: ");
		say_errno(f, err);
	}
	return -err;
}

int failure_abi(struct failure *f, const char *path, unsigned int abi_version)
{
	begin(f, PMCGRP_WHY_NONE, -1, -1);
	if (abi_version)
		say(f, "the loaded module speaks ABI %u, this library ABI %u: ", abi_version,
		    PMCGRP_ABI_VERSION);
	else
		say(f, "%s does not answer as pmcgrp's device does: ", path);
	say(f, "use a module and a library of the same release");
	return -EPROTONOSUPPORT;
}

/* Why the module has put a member's attr down, and what to do. */
static void say_attr(struct failure *f, enum pmcgrp_why why, const struct perf_event_attr *attr)
{
	char fields[128];

	switch (why) {
	case PMCGRP_WHY_ATTR_POINTER:
		say(f, "the kernel cannot read its attr");
		break;
	case PMCGRP_WHY_ATTR_SIZE:
		say(f, "attr.size is not the size of a perf_event_attr: set it to sizeof(attr), or "
		       "to 0");
		break;
	case PMCGRP_WHY_ATTR_UNKNOWN:
		say(f, "its attr uses fields that are newer than the running kernel");
		break;
	case PMCGRP_WHY_ATTR_FIELD:
		fields[0] = '\0';
		if (attr)
			attr_fields(attr, fields, sizeof(fields));
		say(f, "its attr sets %s, and a member's attr says what to count: type, size, config*, "
		       "exclude_*; pinned, disabled, enable_on_exec, inherit and read_format are the "
		       "group's (PMCGRP_CREATE_*, pmcgrp_spec_set_read_format()), and there is no "
		       "sampling", fields[0] ? fields : "a field that does not");
		break;
	default:
		say(f, "the struct pmcgrp_member is malformed");
	}
}

static void say_event_unknown(struct failure *f)
{
	say(f, "no PMU of this machine knows the event; \"pmcgrp list --probe\" says what can be counted "
	       "here");
}

static void say_permission(struct failure *f)
{
	/* Whoever has the capability is told what else there is. */
	if (!rights_perfmon() || !rights_locked())
		say(f, "not permitted: run as root, or with CAP_PERFMON");
	else
		say(f, "not permitted");
	rights_say_lockdown(f);
}

/* Those that a hardware PMU must have a counter for. */
static unsigned int nr_hardware(const struct pmcgrp_spec *spec, unsigned int before)
{
	unsigned int i, nr = 0;

	for (i = 0; i < before; i++) {
		uint32_t type = spec->members[i].attr->type;

		nr += type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT;
	}
	return nr;
}

static void say_too_large(struct failure *f, const struct pmcgrp_spec *spec)
{
	unsigned int fit = f->member < 0 ? 0 : nr_hardware(spec, (unsigned int)f->member);

	if (f->member < 0)
		say(f, "the group needs more counters than the PMU has");
	else if (!fit)
		say(f, "the PMU has no counter for it, even with nothing else to count");
	else
		say(f, "one hardware event too many: the PMU has counters for the %u before it, "
		       "and none for this one as well, even with nothing else to count", fit);
	say(f, "; leave it out, or make two groups, which are then multiplexed");
}

void failure_say_why(struct failure *f, const struct pmcgrp_spec *spec,
		     const struct pmcgrp_create *create, int err)
{
	switch ((enum pmcgrp_why)create->why) {
	case PMCGRP_WHY_FLAGS:
		say(f, "the group's flags 0x%llx have a bit that is unknown, or that does not go "
		       "with its target (enable_on_exec, inherit and until_exit need a task or a process)",
		    (unsigned long long)spec->flags);
		if (spec->flags & PMCGRP_CREATE_BACKGROUND)
			say(f, "; background does not go with pinned, leader and user_read, and needs "
			       "/dev/pmcgrp of this release");
		break;
	case PMCGRP_WHY_BACKGROUND:
		if (err == EOPNOTSUPP)
			say(f, "PMCGRP_CREATE_BACKGROUND: this kernel has no kprobe where perf core "
			       "schedules events in (CONFIG_KPROBES), so that others would find no "
			       "room beside the group");
		else
			say(f, "PMCGRP_CREATE_BACKGROUND: an event takes registers that other CPUs of "
			       "the core share: it would be in their way; leave it out");
		break;
	case PMCGRP_WHY_UNTIL_EXIT:
		say(f, "PMCGRP_CREATE_UNTIL_EXIT: this kernel has no kprobe at "
		       "perf_event_exit_task(), which tells where perf events of a task end: count "
		       "tasks until their last switch, without that flag");
		break;
	case PMCGRP_WHY_TARGET:
		say_no_target(f, spec);
		break;
	case PMCGRP_WHY_READ_FORMAT:
		say(f, "read_format 0x%llx has a bit that is unknown",
		    (unsigned long long)spec->read_format);
		break;
	case PMCGRP_WHY_NR_MEMBERS:
		say(f, "a group has 1 to %d members, not %u", PMCGRP_MEMBERS_MAX, spec->nr);
		break;
	case PMCGRP_WHY_MEMBER:
	case PMCGRP_WHY_ATTR_POINTER:
	case PMCGRP_WHY_ATTR_SIZE:
	case PMCGRP_WHY_ATTR_UNKNOWN:
	case PMCGRP_WHY_ATTR_FIELD:
		say_attr(f, create->why, spec->members[f->member < 0 ? 0 : f->member].attr);
		break;
	case PMCGRP_WHY_PRECISE:
		say(f, "precise_ip (PEBS, IBS; an event's :p) is a way of sampling, and a count has "
		       "nothing of it: leave it out");
		break;
	case PMCGRP_WHY_BRANCHES:
		say(f, "it records branches (LBR, BRS, BTS), which are no count: leave out "
		       "branch_sample_type, or use perf record -b");
		break;
	case PMCGRP_WHY_SAMPLES:
		say(f, "its PMU takes samples or traces (AMD IBS, Intel PT and BTS, Arm SPE) and "
		       "has no count to be read: use perf record");
		break;
	case PMCGRP_WHY_USER_READ_TASK:
		say(f, "bit 1 of its config1 (rdpmc) asks for user access, which no group of CPUs has: "
		       "clear it; a task reads its own group in user space with "
		       "PMCGRP_CREATE_USER_READ");
		break;
	case PMCGRP_WHY_TOPDOWN:
		say(f, "a topdown metric is counted beside its leader slots in a group of perf's "
		       "alone: use perf stat, or the events that it is made of (slots, and "
		       "topdown events without a metric, can be members)");
		break;
	case PMCGRP_WHY_EXCLUDE_GUEST:
		if (create->fail_member < spec->nr &&
		    spec->members[create->fail_member].attr->exclude_guest)
			say(f, "exclude_guest (an event's :H) cannot be set here: the kernel may lend "
			       "the PMU to KVM guests, and allows no kprobe where it does; leave it out");
		else
			say(f, "a KVM guest has the PMU to itself while it runs (a mediated vPMU): "
			       "events have to leave guests out; set exclude_guest, or write :H "
			       "behind the event");
		break;
	case PMCGRP_WHY_EVENT_UNKNOWN:
		say_event_unknown(f);
		break;
	case PMCGRP_WHY_EVENT_KIND:
		say(f, "this kind of event cannot be counted in a group: it is a breakpoint, of "
		       "an exclusive PMU, or a probe (make it in tracefs and count its "
		       "tracepoint)");
		break;
	case PMCGRP_WHY_UNCORE_TASK:
	case PMCGRP_WHY_UNCORE_MIXED:
	case PMCGRP_WHY_UNCORE_CPU:
		uncore_say(f, create->why, f->member >= 0 ? spec->members[f->member].attr : NULL);
		break;
	case PMCGRP_WHY_TASK_GONE:
		say_target(f, spec);
		say(f, " does not exist, or is exiting");
		break;
	case PMCGRP_WHY_CPU_OFFLINE:
		say_target(f, spec);
		say(f, " is offline");
		break;
	case PMCGRP_WHY_PMU:
		say(f, "the PMU refused the event: ");
		say_errno(f, err);
		if (err == EBUSY || err == ENOSPC)
			say(f, "; somebody else may hold the counter: the NMI watchdog does on "
			       "x86 (sysctl kernel.nmi_watchdog=0)");
		if (err == EPERM || err == EACCES)
			rights_say_lockdown(f);
		break;
	case PMCGRP_WHY_PERMISSION:
		say_permission(f);
		break;
	case PMCGRP_WHY_NOMEM:
		say(f, "the kernel has no memory for it");
		break;
	case PMCGRP_WHY_GROUPS_MAX:
		say(f, "this user has as many groups as one may: close some, or load the module "
		       "with a larger groups_max");
		break;
	case PMCGRP_WHY_COUNTERS_MAX:
		say(f, "the groups of this user hold as many counters as they may, one for "
		       "each event and CPU: close some groups, or load the module with a larger "
		       "counters_max");
		break;
	case PMCGRP_WHY_CPUS:
		say_target(f, spec);
		say(f, " cannot be counted on this machine");
		say_impossible(f, spec);
		break;
	case PMCGRP_WHY_CGROUP:
		say_cgroup(f, spec);
		break;
	case PMCGRP_WHY_SWITCH_MAX:
		say(f, "a context switch would have more than %d groups of these tasks to visit: close some, put "
		       "more events into one group, create inherited ones before the tasks have children, "
		       "or count by key, whose cost does not grow (pmcgrp stat --by)",
		    PMCGRP_SWITCH_MAX);
		break;
	case PMCGRP_WHY_MEMORY_MAX:
		say(f, "%s: close some of them, or load the module with a larger rings_max_mb",
		    pmcgrp_why_text(create->why));
		break;
	case PMCGRP_WHY_NO_CGROUPS:
		say(f, "%s", pmcgrp_why_text(create->why));
		break;
	case PMCGRP_WHY_TOO_LARGE:
		say_too_large(f, spec);
		break;
	case PMCGRP_WHY_BUSY_PMCGRP:
		say(f, "%s; \"pmcgrp info\" shows whose, or wait until they are closed",
		    pmcgrp_why_text(create->why));
		break;
	case PMCGRP_WHY_BUSY_PERF:
		say(f, "%s; end the programs that count with perf_event_open, or make a smaller "
		       "group", pmcgrp_why_text(create->why));
		break;
	case PMCGRP_WHY_NONE:
	case PMCGRP_WHY_RESERVED:
	default:
		say(f, "the module refused the group: ");
		say_errno(f, err);
		if (err == EMFILE)
			say(f, "; close some files, or raise the limit with \"ulimit -n\"");
		if (create->why)
			say(f, " (reason %u of enum pmcgrp_why, <linux/pmcgrp.h>)", create->why);
	}
}

int failure_create(struct failure *f, const struct pmcgrp_spec *spec,
		   const struct pmcgrp_create *create, int err)
{
	int member = -1, cpu = -1;

	/* Without a reason the module may not have got as far as writing these. */
	if (create->why) {
		if (create->fail_member < spec->nr)
			member = (int)create->fail_member;
		cpu = create->fail_cpu;
	}
	begin(f, create->why, member, cpu);
	if (member >= 0)
		say_member(f, spec, member);
	failure_say_why(f, spec, create, err);
	/* Which CPU was tried says nothing of a task. */
	if (cpu >= 0 && (create->why == PMCGRP_WHY_PMU ||
			 (create->why == PMCGRP_WHY_TOO_LARGE && targets_cpus(spec->target_type))))
		say(f, " (on CPU %d)", cpu);
	return -err;
}

/* @spec has the new member alone. */
int failure_add(struct failure *f, const struct pmcgrp_spec *spec, const struct pmcgrp_add *add,
		int err)
{
	const struct pmcgrp_create create = { .why = add->why };

	begin(f, add->why, -1, add->why ? add->fail_cpu : -1);
	if (spec->members[0].name)
		say(f, "new member %s: ", spec->members[0].name);
	switch (add->why) {
	case PMCGRP_WHY_FLAGS:
		say(f, "the group was made without PMCGRP_CREATE_LEADER");
		break;
	case PMCGRP_WHY_NR_MEMBERS:
		say(f, "the group has %d members already", PMCGRP_MEMBERS_MAX);
		break;
	case PMCGRP_WHY_CPU_OFFLINE:
		say(f, "the group's CPUs are offline");
		break;
	case PMCGRP_WHY_READ_FORMAT:
		say(f, "read_format 0x%llx has a bit that is unknown",
		    (unsigned long long)add->read_format);
		break;
	default:
		failure_say_why(f, spec, &create, err);
	}
	return -err;
}

/* perf_event_open(2) gives an errno alone; what it can mean here is less than it could. */
static enum pmcgrp_why perf_why(const struct pmcgrp_spec *spec, int err)
{
	/* ENOENT: the directory has no state of the controller (css_tryget_online_from_dir()). */
	if (spec->target_type == PMCGRP_TARGET_CGROUP && (err == EBADF || err == ENOENT))
		return PMCGRP_WHY_CGROUP;
	switch (err) {
	case ENOENT:
		return PMCGRP_WHY_EVENT_UNKNOWN;
	case EOPNOTSUPP:
		return PMCGRP_WHY_EVENT_KIND;
	case ESRCH:
		return PMCGRP_WHY_TASK_GONE;
	case EACCES:
	case EPERM:
		return PMCGRP_WHY_PERMISSION;
	case E2BIG:
		return PMCGRP_WHY_ATTR_UNKNOWN;
	case ENOMEM:
		return PMCGRP_WHY_NOMEM;
	case ENODEV:
		if (targets_cpus(spec->target_type))
			return PMCGRP_WHY_CPU_OFFLINE;
		return PMCGRP_WHY_EVENT_UNKNOWN;
	default:
		return PMCGRP_WHY_PMU;
	}
}

/* EINVAL has many reasons; those that are likely, given what was asked for. */
static void say_perf_invalid(struct failure *f, const struct pmcgrp_spec *spec)
{
	if (targets_cpus(spec->target_type)) {
		say(f, "; CPU %d may not exist, or the PMU may not have room for the group",
		    f->cpu);
		return;
	}
	say(f, "; the PMU may not have room for the group, or the attr asks for something that "
	       "this kernel does not know");
	if (spec->flags & PMCGRP_CREATE_INHERIT)
		say(f, " (inherited events can be read as a group from Linux 4.13 on)");
	else if (spec->target_type == PMCGRP_TARGET_PROCESS)
		say(f, " (threads can be counted without child processes from Linux 5.13 on)");
}

int failure_threads(struct failure *f, const struct pmcgrp_spec *spec, int err)
{
	begin(f, err == ESRCH ? PMCGRP_WHY_TASK_GONE : PMCGRP_WHY_PMU, -1, -1);
	say_target(f, spec);
	if (err == ESRCH) {
		say(f, " does not exist, or is exiting");
	} else if (err == EAGAIN) {
		say(f, " makes threads faster than perf_event_open can follow: some would not be "
		       "counted; the module counts them all");
	} else {
		say(f, ": cannot list its threads in /proc: ");
		say_errno(f, err);
	}
	return -err;
}

int failure_perf(struct failure *f, const struct pmcgrp_spec *spec, unsigned int member, int cpu,
		 int err)
{
	enum pmcgrp_why why = perf_why(spec, err);

	begin(f, why, (int)member, cpu);
	say_member(f, spec, member);
	switch (why) {
	case PMCGRP_WHY_EVENT_UNKNOWN:
		say_event_unknown(f);
		break;
	case PMCGRP_WHY_EVENT_KIND:
		say(f, "the PMU cannot count this event, or not in this way");
		break;
	case PMCGRP_WHY_TASK_GONE:
		say_target(f, spec);
		say(f, " does not exist, or is exiting");
		break;
	case PMCGRP_WHY_CPU_OFFLINE:
		say_target(f, spec);
		say(f, " is offline, or the event does not exist on it");
		break;
	case PMCGRP_WHY_PERMISSION:
		if (rights_perfmon() && rights_locked()) {
			say(f, "not permitted");
			rights_say_lockdown(f);
			break;
		}
		rights_say_perf(f, rights_paranoid());
		break;
	case PMCGRP_WHY_ATTR_UNKNOWN:
		say_attr(f, why, spec->members[member].attr);
		break;
	case PMCGRP_WHY_NOMEM:
		say(f, "the kernel has no memory for it");
		break;
	case PMCGRP_WHY_CGROUP:
		say_cgroup(f, spec);
		if (err == ENOENT)
			say(f, ", or perf events have no state there: write to cgroup.subtree_control "
			       "of the root");
		break;
	default:
		say(f, "perf_event_open: ");
		say_errno(f, err);
		if (err == EINVAL)
			say_perf_invalid(f, spec);
		else if (err == EMFILE)
			say(f, "; perf needs a descriptor for each event on each CPU or thread: raise "
			       "the limit with \"ulimit -n\"");
	}
	return -err;
}
