// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Known work, counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sections.h"
#include "judge.h"

#define TRIES 3

static bool has_waited(const struct work *work)
{
	unsigned int i;

	for (i = 0; i < NR_WORK_KINDS; i++) {
		if (work->count[i].waited[WORK_PMCGRP])
			return true;
	}
	return false;
}

/*
 * Where perf events have waited a moment ago, as those of a doctor before this one, perf gets the
 * slice that they waited for when perf events come next.  So what had to wait is done once more.
 */
void doctor_selftest_run(struct doctor *d)
{
	unsigned int tries = TRIES;

	d->work = malloc(sizeof(*d->work));
	d->work_err = d->work ? 0 : -ENOMEM;
	do {
		if (!d->work_err)
			d->work_err = work_run(d->work, d->dev, d->pmus, d->nr_pmus);
	} while (--tries && !d->work_err && has_waited(d->work));
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
