// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Whether programs may read counters without a system call. */
#include <errno.h>
#include <string.h>

#include "sysfile.h"
#include "sections.h"

#define READ_SIZE 256

static void x86_file(struct doctor *d)
{
	struct findings *f = &d->findings;
	char path[160];
	long long value;
	int err;

	snprintf(path, sizeof(path), DOCTOR_PMUS "/%s/rdpmc", d->pmus[0].name);
	err = sysfile_number(d->root, path, &value);
	if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "rdpmc", "%s: %s", path, strerror(-err));
		findings_advise(f, "look at it as root");
	} else if (!value) {
		findings_add(f, DOCTOR_WARNING, "rdpmc", "0: programs may not read counters");
		findings_advise(f, "echo 1 >%s", path);
	} else {
		findings_add(f, DOCTOR_OK, "rdpmc", "%lld: %s may read counters", value,
			     value == 1 ? "tasks with events of their own" : "all tasks");
	}
	if (!err)
		findings_value(f, "rdpmc", value);
}

static void arm_file(struct doctor *d)
{
	static const char path[] = "/proc/sys/kernel/perf_user_access";
	struct findings *f = &d->findings;
	long long value;
	int err;

	err = sysfile_number(d->root, path, &value);
	if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "perf_user_access", "%s: %s", path, strerror(-err));
		if (err == -ENOENT)
			findings_advise(f, "it takes Linux 5.17 and a driver of Arm's PMUv3");
		else
			findings_advise(f, "look at it as root");
	} else if (!value) {
		findings_add(f, DOCTOR_WARNING, "perf_user_access",
			     "0: programs may not read counters");
		findings_advise(f, "sysctl kernel.perf_user_access=1, if they are to");
	} else {
		findings_add(f, DOCTOR_OK, "perf_user_access", "%lld: programs may read counters",
			     value);
	}
	if (!err)
		findings_value(f, "perf_user_access", value);
}

/* A group of this thread that is to be read so; its page says why not when it has run. */
static int try_group(struct doctor *d, enum pmcgrp_why *why)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS };
	struct pmcgrp_group *group = NULL;
	struct pmcgrp_spec *spec;
	char values[READ_SIZE];
	int ret;

	ret = pmcgrp_spec_new(&spec);
	if (ret)
		return ret;
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_USER_READ);
	ret = pmcgrp_spec_add(spec, &attr, "instructions");
	if (ret >= 0)
		ret = pmcgrp_group_create(d->dev, spec, &group);
	pmcgrp_spec_free(spec);
	if (ret)
		return ret;
	pmcgrp_group_read(group, values, sizeof(values));
	*why = pmcgrp_group_user_read_why(group);
	pmcgrp_group_close(group);
	return 0;
}

static void group(struct doctor *d)
{
	struct findings *f = &d->findings;
	enum pmcgrp_why why;

	if (try_group(d, &why) < 0) {
		findings_add(f, DOCTOR_UNKNOWN, "a group", "%s", pmcgrp_strerror(d->dev));
		findings_advise(f, "see the counters above");
		return;
	}
	if (why)
		findings_add(f, DOCTOR_WARNING, "a group", "is read by system calls: %s",
			     pmcgrp_why_text(why));
	else
		findings_add(f, DOCTOR_OK, "a group", "of instructions of this thread can be read "
			     "without a system call");
	findings_value(f, "why", why);
	if (why == PMCGRP_WHY_USER_READ_DENIED)
		findings_advise(f, "see the line above");
	else if (why)
		findings_advise(f, "nothing is to be done: pmcgrp_group_read_user() makes the call "
				"itself");
}

void doctor_user_read(struct doctor *d)
{
	d->findings.section = SECTION_USER_READ;
	if (!d->nr_pmus) {
		findings_add(&d->findings, DOCTOR_OK, "user access",
			     "there are no counters to read, without a PMU of the cores");
	} else if (doctor_is_x86(d)) {
		x86_file(d);
	} else if (doctor_is_arm64(d)) {
		arm_file(d);
	} else {
		findings_add(&d->findings, DOCTOR_OK, "user access",
			     "pmcgrp has none on %s: groups are read by system calls", d->machine);
	}
	if (d->dev && d->live && d->nr_pmus)
		group(d);
}
