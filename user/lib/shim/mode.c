// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What the environment asks for.  It is read anew each time, in one pass: a program can change it. */
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "shim.h"

#define PREFIX "PMCGRP_PRELOAD"

static void take(struct shim_mode *mode, const char *rest)
{
	if (!strcmp(rest, "=off"))
		mode->off = true;
	else if (!strcmp(rest, "=strict"))
		mode->strict = true;
	else if (!strncmp(rest, "_VERBOSE=", 9))
		mode->verbose = rest[9] && strcmp(rest + 9, "0") != 0;
	else if (!strncmp(rest, "_LOG=", 5) && rest[5])
		mode->log = rest + 5;
}

void shim_mode(struct shim_mode *mode)
{
	char **line;

	*mode = (struct shim_mode){ 0 };
	if (!environ || getauxval(AT_SECURE))
		return;
	for (line = environ; *line; line++)
		if (**line == PREFIX[0] && !strncmp(*line, PREFIX, sizeof(PREFIX) - 1))
			take(mode, *line + sizeof(PREFIX) - 1);
}
