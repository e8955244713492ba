// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "event/near.h"

/* A number from @min to @max, and nothing after it; else @min - 1. */
static int number(const char *text, int min, int max)
{
	char *end;
	long value;

	/* strtol() takes signs and blanks, too. */
	if (!isdigit((unsigned char)*text) && (*text != '-' || min >= 0))
		return min - 1;
	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < min || value > max)
		return min - 1;
	return (int)value;
}

int args_wrong(const char *text)
{
	cli_say("%s", text);
	return -EXIT_TOOL;
}

int args_number(int *value, const char *text, const char *option, const char *what, int min, int max)
{
	int taken = number(text, min, max ? max : INT_MAX);

	if (taken < min) {
		cli_say("%s wants %s, not '%s'", option, what, text);
		return -EXIT_TOOL;
	}
	*value = taken;
	return 1;
}

int args_take_pages(void *at, const char *text)
{
	int *pages = at, ret;

	ret = args_number(pages, text, "-m", "a number of pages, a power of two", 1, 0);

	if (ret == 1 && *pages > ARGS_PAGES_MAX) {
		cli_say("-m: a ring has %d pages at most", ARGS_PAGES_MAX);
		return -EXIT_TOOL;
	}
	if (ret == 1 && (*pages & (*pages - 1)))
		return args_wrong("-m wants a number of pages that is a power of two, as 128");
	return ret;
}

int args_choice_wrong(const char *option, const char *names, const char *value)
{
	const char *last = strrchr(names, ',');
	char list[256] = "", near[NEAR_TEXT];
	const char *at, *between;
	size_t len, used = 0;

	for (at = names; *at && used < sizeof(list); at += len + !!at[len]) {
		len = strcspn(at, ",");
		between = at - 1 == last ? " or " : ", ";
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.*s",
					 at == names ? "" : between, (int)len, at);
	}
	cli_say("%s wants %s, not '%s'%s", option, list, value,
		near_in_list(value, names, near, sizeof(near)));
	return -EXIT_TOOL;
}

int args_take_separator(void *at, const char *text)
{
	const char **separator = at;

	if (!*text)
		return args_wrong("-x wants a separator, for example -x ,");
	*separator = strcmp(text, "\\t") ? text : "\t";
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

static int ids_add(struct args_ids *ids, int id)
{
	unsigned int i;
	int *more;

	/* The same one twice would be counted twice. */
	for (i = 0; i < ids->nr; i++) {
		if (ids->id[i] == id)
			return 1;
	}
	more = reallocarray(ids->id, ids->nr + 1, sizeof(*more));
	if (!more)
		return args_wrong("out of memory");
	ids->id = more;
	more[ids->nr++] = id;
	return 1;
}

int args_ids(struct args_ids *ids, const char *list, const char *option)
{
	char *text = strdup(list), *at = text, *one;
	int id, ret = text ? 1 : args_wrong("out of memory");

	while (ret > 0 && (one = strsep(&at, ","))) {
		id = number(one, 1, INT_MAX);
		if (id > 0) {
			ret = ids_add(ids, id);
			continue;
		}
		cli_say("%s wants numbers of processes or threads, separated by commas: '%s' is none",
			option, one);
		cli_point(list, (size_t)(one - text));
		ret = -EXIT_TOOL;
	}
	free(text);
	return ret;
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
