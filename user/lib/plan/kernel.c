// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Versions of the kernel. */
#include <ctype.h>
#include <stdlib.h>

#include "plan_model.h"

/* What of a version is compared has 8 bits. */
#define PART_MAX 255

/* A number from @least; NULL: there is none. */
static const char *number(const char *text, unsigned long least, unsigned int *value)
{
	unsigned long found;
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return NULL;
	found = strtoul(text, &end, 10);
	if (found < least || found > PART_MAX)
		return NULL;
	*value = (unsigned int)found;
	return end;
}

const char *plan_kernel_parse(const char *text, unsigned int *kernel)
{
	unsigned int major, minor, rest = PART_MAX;
	const char *at = number(text, 1, &major);

	at = at && *at == '.' ? number(at + 1, 0, &minor) : NULL;
	if (at && !strncmp(at, "-rc", 3)) {
		at = number(at + 3, 1, &rest);
	} else if (at && *at == '.' && isdigit((unsigned char)at[1])) {
		at++;
		at += strspn(at, "0123456789");
	}
	if (at)
		*kernel = PMCGRP_PLAN_KERNEL(major, minor, rest);
	return at;
}
