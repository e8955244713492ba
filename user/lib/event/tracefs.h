/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Tracepoints by name, and numbers in files of sysfs and tracefs. */
#ifndef PMCGRP_EVENT_TRACEFS_H
#define PMCGRP_EVENT_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#define TRACEFS_FOLDERS 2

/* Where tracefs' events are on this machine: the first that is there. */
extern const char * const tracefs_events[TRACEFS_FOLDERS];

/* Whether a text may be SYSTEM:EVENT. */
bool tracefs_is_name(const char *text);

/*
 * tracefs_id - look up a tracepoint
 * @events: as tracefs_events
 * @name: SYSTEM:EVENT, as tracefs_is_name() wants it
 *
 * Return: 0; -ENOENT: there is none; -EOPNOTSUPP: it cannot be counted; -EACCES or -EPERM: tracefs
 * is for root alone; another negative errno.
 */
int tracefs_id(const char *const *events, const char *name, uint64_t *id);

/*
 * tracefs_glob - look up all tracepoints that match and can be counted, by name
 * @name: SYSTEM:EVENT, each of them a glob as of fnmatch(3)
 * @take: called with each one's name and id
 *
 * Return: 0; -ENOENT: there is none; -EOPNOTSUPP: none of them can be counted; what @take returned
 * if that was not 0; another negative errno.
 */
int tracefs_glob(const char *const *events, const char *name,
		 int (*take)(void *ctx, const char *name, uint64_t id), void *ctx);

/* Whether there is the system of a name's tracepoint; "": whether there is any. */
bool tracefs_has(const char *const *events, const char *name);

/*
 * Call a function with the name of each system (@name: ""), or of each tracepoint of its system,
 * whether it can be counted or not.  That reads no file.
 */
void tracefs_each(const char *const *events, const char *name,
		  void (*each)(void *ctx, const char *name), void *ctx);

/* The number behind @prefix in a file's first line. Return: 0, or a negative errno. */
int tracefs_number(const char *path, const char *prefix, uint64_t *number);

#endif
