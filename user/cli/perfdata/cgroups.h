/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The cgroups that samples name by their ids: their paths, which of them a recording is of, and of
 * which the file knows.
 */
#ifndef PERFDATA_CGROUPS_H
#define PERFDATA_CGROUPS_H

#include "pmcgrp.h"

struct record_cgroups;

/*
 * record_cgroups_new - know cgroups
 * @known: those that there are; becomes the struct's, also on failure; or NULL: none are mounted
 *
 * Returns 0 or -ENOMEM.
 */
int record_cgroups_new(struct record_cgroups **out, struct pmcgrp_cgroups *known);
void record_cgroups_free(struct record_cgroups *cgroups);

/* record_cgroups_want - this one and those below it, and no others; returns 0 or -ENOMEM */
int record_cgroups_want(struct record_cgroups *cgroups, const char *path);

/* record_cgroups_learn - the kernel has told of a new one; returns 0 or -ENOMEM */
int record_cgroups_learn(struct record_cgroups *cgroups, uint64_t id, const char *path);

/* record_cgroups_path - the path of one that is there, or was when it was looked for; or NULL */
const char *record_cgroups_path(struct record_cgroups *cgroups, uint64_t id);

/* record_cgroups_wanted - whether it is recorded; one without a path is not, if some are wanted */
bool record_cgroups_wanted(struct record_cgroups *cgroups, uint64_t id);

/* record_cgroups_news - its path, if the file does not know it yet, but from then on; or NULL */
const char *record_cgroups_news(struct record_cgroups *cgroups, uint64_t id);

/* record_cgroups_begin - another file, which knows none */
void record_cgroups_begin(struct record_cgroups *cgroups);

#endif
