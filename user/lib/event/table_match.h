/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Patterns of perf's tables. */
#ifndef PMCGRP_EVENT_TABLE_MATCH_H
#define PMCGRP_EVENT_TABLE_MATCH_H

#include <stdbool.h>

/* A pattern of tables is no longer. */
#define TABLE_PATTERN_MAX 255

/* Whether a text is the MIDR of a CPU: "0x00000000410fd0c0". */
bool table_is_midr(const char *text);

/*
 * Whether matching by this pattern takes a time and a memory that are small: what could multiply
 * itself is not taken, and no table has it.
 */
bool table_pattern_ok(const char *pattern);

#endif
