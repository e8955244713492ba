// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The option --by: what tells spans apart. */
#include <string.h>

#include "args/args.h"
#include "keys.h"

const char *const section_key_types[PMCGRP_KEY_TYPES] = {
	[PMCGRP_KEY_CGROUP] = "cgroup",
	[PMCGRP_KEY_PROCESS] = "process",
	[PMCGRP_KEY_THREAD] = "thread",
	[PMCGRP_KEY_COMMAND] = "command",
};

static int parse_depth(struct section_by *by, const char *text)
{
	int depth = 0, ret;

	by->key.type = PMCGRP_KEY_CGROUP;
	if (!*text)
		return 1;
	ret = args_number(&depth, text + 1, "--by cgroup:DEPTH",
			  "how deep cgroups are told apart: the root has 0", 0);
	by->key.depth = (uint32_t)depth;
	return ret;
}

int section_by_parse(struct section_by *by, const char *text)
{
	size_t i;

	by->is = true;
	by->cpus = !strcmp(text, "cpu");
	by->key = (struct pmcgrp_key_options){ .depth = PMCGRP_KEYS_LEAF };
	if (by->cpus)
		return 1;
	if (!strncmp(text, "cgroup", 6) && (!text[6] || text[6] == ':'))
		return parse_depth(by, text + 6);
	for (i = PMCGRP_KEY_PROCESS; i < PMCGRP_KEY_TYPES; i++) {
		if (!strcmp(section_key_types[i], text)) {
			by->key.type = (enum pmcgrp_key_type)i;
			return 1;
		}
	}
	return args_choice_wrong("--by", "cgroup,cgroup:DEPTH,process,thread,command,cpu", text);
}
