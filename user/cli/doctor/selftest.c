// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Known work, counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "judge.h"

void doctor_selftest_run(struct doctor *d)
{
	d->work = malloc(sizeof(*d->work));
	d->work_err = d->work ? work_run(d->work, d->dev, d->pmus, d->nr_pmus) : -ENOMEM;
}

void doctor_selftest(struct doctor *d)
{
	struct findings *f = &d->findings;

	f->section = SECTION_SELFTEST;
	if (d->work_err) {
		findings_add(f, DOCTOR_UNKNOWN, "counted with", "nothing: %s",
			     strerror(-d->work_err));
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
	work_judge(f, d->work);
}
