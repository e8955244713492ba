/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The argument of --by: what counts are told apart by. */
#ifndef BY_KEY_H
#define BY_KEY_H

#include "pmcgrp.h"

/* Types of keys that this tool knows. */
#define BY_KEY_TYPES (PMCGRP_KEY_COMMAND + 1)

/* Their names, by enum pmcgrp_key_type. */
extern const char *const by_key_names[BY_KEY_TYPES];

/* by_key_parse - returns 1, 0 if it is none of them, or -EXIT_TOOL after an error that was reported */
int by_key_parse(struct pmcgrp_key_options *key, const char *text);

#endif
