/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which of the rights to count a process lacks. */
#ifndef PMCGRP_RIGHTS_H
#define PMCGRP_RIGHTS_H

#include "failure.h"

#define RIGHTS_PARANOID_UNKNOWN (-100)

/* Whether CAP_PERFMON or CAP_SYS_ADMIN is effective, in whatever user namespace. */
bool rights_perfmon(void);

/* kernel.perf_event_paranoid; RIGHTS_PARANOID_UNKNOWN: it cannot be read. */
int rights_paranoid(void);

/*
 * Where the kernel says whether it is locked down, against root as well: "none [integrity]
 * confidentiality". Tests have another file.
 */
extern const char *rights_lockdown_file;

/* rights_lockdown_of - what is chosen in such a text, which is changed; NULL: nothing is in brackets */
const char *rights_lockdown_of(char *text);

/* rights_lockdown - "integrity", "confidentiality" or what else is chosen there; NULL: nothing is */
const char *rights_lockdown(void);

/* rights_locked - whether it keeps root from counters and tracefs: below that it is about modules */
bool rights_locked(void);

/* rights_say_lockdown - the end of a sentence about an EPERM, if that may be the reason */
void rights_say_lockdown(struct failure *f);

/*
 * rights_say_device - what open() of the device wants and this process lacks, and how it gets it
 * @perfmon: of rights_perfmon()
 */
void rights_say_device(struct failure *f, const char *path, bool perfmon);

/* The same of perf_event_open(2). @paranoid: of rights_paranoid() */
void rights_say_perf(struct failure *f, int paranoid);

#endif
