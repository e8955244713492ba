// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What is known not to work, or not so well, on some kernels and processors. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"
#include "sections.h"

struct limit {
	const char *what;
	bool (*applies)(const struct doctor *d);
	const char *text;
	const char *advice;
};

static bool exists(const struct doctor *d, const char *path)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s%s", d->root, path);
	return !access(whole, F_OK);
}

static bool is_vendor(const struct doctor *d, const char *name)
{
	char vendor[64];

	sysfile_value(d->root, "/proc/cpuinfo", "vendor_id", vendor, sizeof(vendor));
	return !strcmp(vendor, name);
}

/* A kernel whose version cannot be read is not older or newer than any. */
static bool older(const struct doctor *d, unsigned int version)
{
	return doctor_kernel(d) && doctor_kernel(d) < version;
}

static bool newer(const struct doctor *d, unsigned int version)
{
	return doctor_kernel(d) >= version;
}

static bool has_pmu(const struct doctor *d)
{
	return d->nr_pmus;
}

static bool no_user_read(const struct doctor *d)
{
	if (!has_pmu(d))
		return false;
	return doctor_is_arm64(d) && older(d, 6002);
}

static bool lends_to_guests(const struct doctor *d)
{
	return has_pmu(d) && doctor_is_x86(d) && newer(d, 6019);
}

static bool old_order(const struct doctor *d)
{
	return has_pmu(d) && older(d, 6002);
}

static bool realtime_slices(const struct doctor *d)
{
	return has_pmu(d) && doctor_is_rt(d);
}

/* AMD's have a register that stops all counters since PerfMonV2; the kernel names its flag so. */
static bool stops_one_by_one(const struct doctor *d)
{
	if (!has_pmu(d))
		return false;
	if (is_vendor(d, "AuthenticAMD") || is_vendor(d, "HygonGenuine"))
		return !doctor_cpu_has(d, "perfmon_v2");
	return is_vendor(d, "GenuineIntel") && !doctor_cpu_has(d, "arch_perfmon");
}

static bool shares_with_sibling(const struct doctor *d)
{
	long long active;

	return has_pmu(d) && is_vendor(d, "GenuineIntel") &&
	       !sysfile_number(d->root, "/sys/devices/system/cpu/smt/active", &active) && active;
}

static bool hybrid(const struct doctor *d)
{
	return d->nr_pmus > 1;
}

static bool topdown(const struct doctor *d)
{
	char path[160];
	unsigned int i;

	for (i = 0; i < d->nr_pmus; i++) {
		snprintf(path, sizeof(path), DOCTOR_PMUS "/%s/events/topdown-retiring",
			 d->pmus[i].name);
		if (exists(d, path))
			return true;
	}
	return false;
}

static bool ibs(const struct doctor *d)
{
	return exists(d, DOCTOR_PMUS "/ibs_op");
}

static const struct limit limits[] = {
	/* user/doc/porting.md; kmod/compat.h: pmcgrp_core_has_one_context() */
	{ "user reads", no_user_read,
	  "counters cannot be read from user space with this kernel: Arm's PMUv3 can from Linux "
	  "6.2 on",
	  "nothing: the library makes system calls instead" },
	/* user/doc/limits.md; kmod/compat.h: pmcgrp_core_lends_to_guests() */
	{ "exclude_guest", lends_to_guests,
	  "where the kernel has a mediated vPMU, guests with such a PMU and events that do not "
	  "exclude guests (:H) exclude each other",
	  "write :H behind hardware events that are to be on while guests start" },
	/* user/doc/limits.md */
	{ "before Linux 6.2", old_order,
	  "perf core schedules a task's hardware events before pmcgrp's groups of that task, and "
	  "pinned perf events may fail at a switch while groups have all counters",
	  "use a newer kernel, or no perf events beside groups" },
	/* user/doc/limits.md */
	{ "PREEMPT_RT", realtime_slices,
	  "where groups of a CPU and perf events of the CPU take turns, up to a tenth of the time "
	  "is lost between them",
	  "keep groups small enough for the free counters" },
	/* user/doc/limits.md; kmod/platform/core_pmu.c: pmcgrp_pmu_stops_at_once() */
	{ "no global stop", stops_one_by_one,
	  "this PMU has no register that stops all counters: members differ by some ten "
	  "instructions each time that it is stopped, as in perf's groups",
	  "do not compare members of very short sections to the last instruction" },
	/* kmod/platform/core_pmu.c: pmcgrp_pmu_is_shared(), pmcgrp_event_takes_shared() */
	{ "SMT", shares_with_sibling,
	  "two threads of a core may share registers that some events need (offcore, memory): a "
	  "group may wait for what the other thread counts",
	  "nothing for other events; for these count on one thread of each core" },
	/* user/doc/limits.md: hybrid machines */
	{ "hybrid", hybrid,
	  "each kind of core has a PMU of its own: an event of one is not counted on the others, "
	  "and a group of tasks has a counter of each event on every CPU",
	  "name the PMU in the event (cpu_core/.../), or pin what is measured to one kind" },
	/* user/doc/limits.md: PMCGRP_WHY_TOPDOWN */
	{ "topdown", topdown,
	  "topdown metrics are refused as members; slots is none of these",
	  "count topdown-* with perf stat" },
	/* user/doc/limits.md: PMCGRP_WHY_SAMPLES */
	{ "IBS", ibs,
	  "events of ibs_op and ibs_fetch have samples and no counts: refused as members",
	  "sample them with perf record" },
};

void doctor_limits(struct doctor *d)
{
	size_t i, nr = sizeof(limits) / sizeof(limits[0]), found = 0;
	struct findings *f = &d->findings;

	f->section = SECTION_LIMITS;
	for (i = 0; i < nr; i++) {
		if (!limits[i].applies(d))
			continue;
		found++;
		findings_add(f, DOCTOR_WARNING, limits[i].what, "%s", limits[i].text);
		findings_advise(f, "%s", limits[i].advice);
	}
	if (!found)
		findings_add(f, DOCTOR_OK, "limits", "none of the %zu that are looked for", nr);
}
