// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"

/* A number from @min to INT_MAX, and nothing after it; else @min - 1. */
static int number(const char *text, int min)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < min || value > INT_MAX)
		return min - 1;
	return (int)value;
}

int args_wrong(const char *text)
{
	cli_say("%s", text);
	return -EXIT_TOOL;
}

int args_number(int *value, const char *text, const char *option, const char *what, int min)
{
	int taken = number(text, min);

	if (taken < min) {
		cli_say("%s wants %s, not '%s'", option, what, text);
		return -EXIT_TOOL;
	}
	*value = taken;
	return 1;
}

int args_append(const char ***list, unsigned int *nr, const char *text)
{
	const char **more = reallocarray(*list, *nr + 1, sizeof(*more));

	if (!more)
		return args_wrong("out of memory");
	*list = more;
	more[(*nr)++] = text;
	return 1;
}

int args_id(int *id, const char *text, const char *command, const char *option, const char *what)
{
	if (strchr(text, ',')) {
		cli_say("%s takes one %s: start one \"pmcgrp %s %s\" for each", option, what, command,
			option);
		return -EXIT_TOOL;
	}
	return args_number(id, text, option, "the number of a process or thread", 1);
}

int args_cpus(struct pmcgrp_cpus *cpus, bool *has_cpus, const char *list)
{
	size_t where = 0;
	int ret = pmcgrp_cpus_parse(cpus, list, &where);

	*has_cpus = !ret && pmcgrp_cpus_nr(cpus);
	if (*has_cpus)
		return 1;
	if (ret == -ERANGE)
		cli_say("-C: no machine has such a CPU: their numbers end at %d",
			PMCGRP_CPUS_MAX - 1);
	else
		cli_say("-C wants a list of CPUs such as 0-3,7");
	cli_point(list, where);
	return -EXIT_TOOL;
}
