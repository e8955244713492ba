// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>
#include <string.h>

#include "kernel.h"
#include "pmcgrp_plan.h"

#define RELEASE 255

bool plan_kernel(unsigned int *kernel, const char *text)
{
	unsigned int a, b, rc = RELEASE;
	bool before = false;
	int len = 0;

	if (*text == '<') {
		text++;
		before = *text != '=';
		text += !before;
	}
	if (sscanf(text, "%3u.%3u%n", &a, &b, &len) != 2 || a < 3 || a > 255 || b > 255)
		return false;
	text += len;
	if (!strncmp(text, "-rc", 3)) {
		len = 0;
		if (sscanf(text, "-rc%3u%n", &rc, &len) != 1 || text[len] || rc >= RELEASE)
			return false;
	} else if (*text && *text != '.' && *text != '-' && *text != '+') {
		return false;
	}
	/* Before a release is before its first candidate. */
	if (before && rc == RELEASE)
		rc = 0;
	*kernel = PMCGRP_PLAN_KERNEL(a, b, rc) - before;
	return true;
}
