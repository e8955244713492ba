/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * How sentences about failures are made. %m stands for errno's text; unlike strerror() it
 * is safe with threads.
 */
#ifndef PMCGRP_FAILURE_H
#define PMCGRP_FAILURE_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

static inline void begin(struct failure *f, enum pmcgrp_why why, int member, int cpu)
{
	f->why = why;
	f->member = member;
	f->cpu = cpu;
	f->text[0] = '\0';
}

/* Adds to the sentence; what does not fit is cut off. */
static inline void __attribute__((format(printf, 2, 3)))
say(struct failure *f, const char *format, ...)
{
	size_t used = strlen(f->text);
	va_list args;

	va_start(args, format);
	vsnprintf(f->text + used, sizeof(f->text) - used, format, args);
	va_end(args);
}

/* As %m, for an errno that is kept elsewhere. */
static inline void say_errno(struct failure *f, int err)
{
	errno = err;
	say(f, "%m");
}

/* The reasons of PMCGRP_IOC_CREATE; of a spec's one event where others have the same. */
void failure_say_why(struct failure *f, const struct pmcgrp_spec *spec,
		     const struct pmcgrp_create *create, int err);

#endif
