// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdbool.h>

#include "event_table.h"
#include "table_map.h"
#include "table_match.h"

/* It becomes part of a path, which must stay in the folder. */
static bool is_model(const char *name)
{
	return *name && *name != '/' && strlen(name) <= 128 && !strstr(name, "..") &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-./")];
}

char *table_map_find(char *text, const char *path, const char *cpuid, struct failure *failure,
		     int *err)
{
	unsigned int number = 0;
	char *line, *model;

	while ((line = strsep(&text, "\n"))) {
		number++;
		if (!*line)
			continue;
		model = strchr(line, '\t');
		if (model)
			*model++ = '\0';
		if (!model || !is_model(model) || !table_pattern_ok(line)) {
			begin(failure, PMCGRP_WHY_NONE, -1, -1);
			say(failure, "%s line %u: not a pattern of CPUs, a tab and a model", path,
			    number);
			*err = -EINVAL;
			return NULL;
		}
		if (event_cpuid_matches(line, cpuid))
			return model;
	}
	begin(failure, PMCGRP_WHY_NONE, -1, -1);
	say(failure, "perf's tables have no model for the CPU %s: it has no metrics, and its events no "
		     "names but those of the kernel; \"make events install\" in the sources of pmcgrp "
		     "gets the newest tables", cpuid);
	*err = -ENODEV;
	return NULL;
}
