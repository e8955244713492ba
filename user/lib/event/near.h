/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Names that are close to one that is not known, for "did you mean". */
#ifndef PMCGRP_EVENT_NEAR_H
#define PMCGRP_EVENT_NEAR_H

#include <stddef.h>

/* How many are shown at the most; a longer name is close to none. */
#define NEAR_MAX	3
#define NEAR_LENGTH	64

/* For what near_text() writes. */
#define NEAR_TEXT	(32 + NEAR_MAX * (NEAR_LENGTH + 8))

/**
 * struct near - the closest names so far, best first
 * @word: what was written; near_begin() keeps no copy
 */
struct near {
	const char *word;
	struct {
		char name[NEAR_LENGTH];
		unsigned int distance;
	} at[NEAR_MAX];
	unsigned int nr;
};

void near_begin(struct near *near, const char *word);

/* A name that there is, or NULL. */
void near_offer(struct near *near, const char *name);

/* A name that is shown for another one that may be meant: its beginning. */
void near_offer_as(struct near *near, const char *name, const char *shown);

/* The same for each name of a list with commas, semicolons or blanks. */
void near_offer_list(struct near *near, const char *list);

/*
 * near_text - ": did you mean 'a', 'b' or 'c'?", or "" if no name is close
 *
 * Return: @text
 */
const char *near_text(const struct near *near, char *text, size_t size);

/* The same with what stands before each name: "--" of options. */
const char *near_text_as(const struct near *near, const char *before, char *text, size_t size);

/* All of it for a list that has all names. */
const char *near_in_list(const char *word, const char *list, char *text, size_t size);

/*
 * near_distance - how many characters differ: written wrong, left out, too many, or two in
 *	exchanged places; capitals or not, and '-' is '_'
 *
 * That of Damerau and Levenshtein, where nothing is changed twice.
 */
unsigned int near_distance(const char *a, const char *b);

#endif
