// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <linux/perf_event.h>

#include "pmu_given.h"

int pmus_open_given(struct pmus *pmus, const struct pmu_given *given)
{
	*pmus = (struct pmus){ .folder = "", .given = given, .nr = 1, .nr_core = 1 };
	pmus->at = calloc(1, sizeof(*pmus->at));
	if (!pmus->at)
		return -ENOMEM;
	*pmus->at = (struct pmu){ .name = strdup(given->name), .type = PERF_TYPE_RAW, .core = true };
	if (pmus->at->name)
		return 0;
	free(pmus->at);
	*pmus = (struct pmus){ 0 };
	return -ENOMEM;
}

const char *pmu_given_format(const struct pmu_given *given, const char *term)
{
	const struct pmu_text *at;

	for (at = given->formats; at->name && strcmp(at->name, term); at++)
		;
	return at->text;
}

void pmu_given_formats_list(const struct pmu_given *given, char *buf, size_t size)
{
	const struct pmu_text *at;
	size_t used = 0;

	buf[0] = '\0';
	for (at = given->formats; at->name && used < size; at++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", at->name);
	if (used >= size && size > 4)
		memcpy(buf + size - 4, "...", 4);
}

int pmu_given_alias(const struct pmu_given *given, const char *name, struct pmu_alias *alias)
{
	const struct pmu_text *at;

	*alias = (struct pmu_alias){ .scale = 1.0 };
	for (at = given->events; at->name; at++) {
		if (strcasecmp(at->name, name))
			continue;
		if (strlen(at->text) >= sizeof(alias->terms))
			return -EINVAL;
		strcpy(alias->terms, at->text);
		return 0;
	}
	return -ENOENT;
}

int pmu_given_each_alias(const struct pmu_given *given, const struct pmu *pmu,
			 int (*each)(void *ctx, const struct pmu *pmu, const char *name), void *ctx)
{
	const struct pmu_text *at;
	int ret = 0;

	for (at = given->events; at->name && !ret; at++)
		ret = each(ctx, pmu, at->name);
	return ret;
}
