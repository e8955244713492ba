/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Pairs of tracepoints: BEGIN/END[@KEY], with the system of a tracepoint before it or not. */
#ifndef SPAN_POINT_PAIR_H
#define SPAN_POINT_PAIR_H

#include <stdbool.h>
#include <stddef.h>

/* For a name of a tracepoint, of a system, or of both, with its end. */
#define POINT_NAME 128

/* A tracepoint. @system: "": any; else as tracefs has it. */
struct point {
	char system[POINT_NAME];
	char name[POINT_NAME];
};

/**
 * struct point_pair - where a span begins and ends, and which beginning an end is of
 * @begin: where it begins
 * @end: where it ends
 * @key: enum pmcgrp_span_key
 * @begin_arg: of _KEY_ARG: number of the argument of @begin
 * @end_arg: the same of @end
 * @arg_size: of _KEY_ARG: bytes of these; else 0
 */
struct point_pair {
	struct point begin;
	struct point end;
	unsigned int key;
	unsigned int begin_arg;
	unsigned int end_arg;
	unsigned int arg_size;
};

/* Whether a word is meant as a pair, and not as a function or a path. */
bool point_is_pair(const char *word);

/*
 * point_parse - take a word apart
 *
 * Without a key it has that of point_table.c. Returns 0, or EXIT_TOOL after what is wrong was
 * reported.
 */
int point_parse(struct point_pair *pair, const char *word);

/*
 * point_check - whether the kernel has both, as far as a list says
 * @list: file "available_events" of tracefs; one that cannot be read says nothing
 *
 * A tracepoint without a system may be one that tracefs does not have: the module knows.
 * Returns 0, or EXIT_TOOL after what is wrong was reported, with names that are close.
 */
int point_check(const char *list, const struct point_pair *pair);

/* point_near - names that are close to those that the module does not know, or "" */
const char *point_near(const char *list, const struct point_pair *pair, char *text, size_t size);

/* point_default_key - the key of a pair that is well known, as it stands behind '@'; or NULL */
const char *point_default_key(const char *begin, const char *end);

extern const char point_list[];

#endif
