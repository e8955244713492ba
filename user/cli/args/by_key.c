// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <string.h>

#include "args.h"
#include "by_key.h"

const char *const by_key_names[BY_KEY_TYPES] = {
	[PMCGRP_KEY_CGROUP] = "cgroup",
	[PMCGRP_KEY_PROCESS] = "process",
	[PMCGRP_KEY_THREAD] = "thread",
	[PMCGRP_KEY_COMMAND] = "command",
};

static int parse_depth(struct pmcgrp_key_options *key, const char *text)
{
	int depth = 0, ret;

	key->type = PMCGRP_KEY_CGROUP;
	if (!*text)
		return 1;
	ret = args_number(&depth, text + 1, "--by cgroup:DEPTH",
			  "how deep cgroups are told apart: the root has 0", 0, 0);
	/* The library takes 0 as PMCGRP_KEYS_LEAF. */
	key->depth = depth ? (uint32_t)depth : PMCGRP_KEYS_ROOT;
	return ret;
}

int by_key_parse(struct pmcgrp_key_options *key, const char *text)
{
	size_t i;

	*key = (struct pmcgrp_key_options){ .depth = PMCGRP_KEYS_LEAF };
	if (!strncmp(text, "cgroup", 6) && (!text[6] || text[6] == ':'))
		return parse_depth(key, text + 6);
	for (i = PMCGRP_KEY_PROCESS; i < BY_KEY_TYPES; i++) {
		if (!strcmp(by_key_names[i], text)) {
			key->type = (enum pmcgrp_key_type)i;
			return 1;
		}
	}
	return 0;
}
