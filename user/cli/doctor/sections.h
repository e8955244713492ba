/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The sections of doctor. Each looks at files beneath a root and at what the device has said, and
 * adds its findings. None fails: what cannot be seen is a finding as well.
 */
#ifndef DOCTOR_SECTIONS_H
#define DOCTOR_SECTIONS_H

#include "core_pmu.h"
#include "findings.h"

#define DOCTOR_PMUS CORE_PMUS_FOLDER

struct work;

struct doctor {
	const char *root;		/* in front of each path; "" for this machine */
	const char *machine;		/* as uname -m has it: x86_64, aarch64, ... */
	const char *release;		/* as uname -r */
	const char *kernel_version;	/* as uname -v */
	bool verbose;
	bool live;			/* events may be opened: it is this machine */

	/* Of the module. */
	struct pmcgrp *dev;		/* NULL: cannot be opened */
	int dev_err;			/* negative errno of that */
	const char *dev_says;		/* and the library's sentence */
	bool has_query;
	struct pmcgrp_query query;

	/* Of doctor_selftest_run(); for free(). */
	struct work *work;
	int work_err;

	/* Of doctor_core_pmus(). */
	struct core_pmu pmus[CORE_PMUS_MAX];
	unsigned int nr_pmus;

	struct findings findings;
};

/* major * 1000 + minor; 0: cannot be told */
unsigned int doctor_kernel(const struct doctor *d);

static inline bool doctor_is_x86(const struct doctor *d)
{
	return d->machine[0] == 'x' || d->machine[0] == 'i';
}

static inline bool doctor_is_arm64(const struct doctor *d)
{
	return d->machine[0] == 'a' && d->machine[1] == 'a';
}

/* Whether the processor's flags in /proc/cpuinfo have this one; x86 alone has them. */
bool doctor_cpu_has(const struct doctor *d, const char *flag);

/* Whether the kernel is built with PREEMPT_RT. */
bool doctor_is_rt(const struct doctor *d);

/* Finds the core PMUs, before the sections that need them. */
void doctor_core_pmus(struct doctor *d);

void doctor_machine(struct doctor *d);
void doctor_config(struct doctor *d);
void doctor_signing(struct doctor *d);
void doctor_module(struct doctor *d);
void doctor_module_missing(struct doctor *d);
void doctor_rights(struct doctor *d);
void doctor_pmus(struct doctor *d);
void doctor_passes(struct doctor *d);
void doctor_holders(struct doctor *d);
void doctor_perf_users(struct doctor *d);
void doctor_user_read(struct doctor *d);
void doctor_limits(struct doctor *d);

/*
 * doctor_selftest_run - count known work; doctor_selftest() then says what came of it
 *
 * To be called before doctor_pmus(): a PMU that is filled has its users take turns for a while.
 */
void doctor_selftest_run(struct doctor *d);
void doctor_selftest(struct doctor *d);

#endif
