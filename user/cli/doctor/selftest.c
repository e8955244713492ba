// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Known work, counted. */
#include <string.h>

#include "doctor.h"
#include "judge.h"

void doctor_selftest(struct doctor *d)
{
	struct findings *f = &d->findings;
	struct work work;
	int err;

	f->section = SECTION_SELFTEST;
	err = work_run(&work, d->dev);
	if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "counted with", "nothing: %s", strerror(-err));
		findings_advise(f, "try again; see \"ulimit -a\"");
		return;
	}
	if (d->dev)
		findings_add(f, DOCTOR_OK, "counted with", "a group of pmcgrp, and one of "
			     "perf_event_open(2) within its time");
	else
		findings_add(f, DOCTOR_UNKNOWN, "counted with", "perf_event_open(2) alone: the "
			     "module cannot be tested");
	if (!d->dev)
		findings_advise(f, "see what is said of the module above");
	work_judge(f, &work);
}
