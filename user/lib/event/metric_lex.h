/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Words of perf's metric expressions. */
#ifndef PMCGRP_EVENT_METRIC_LEX_H
#define PMCGRP_EVENT_METRIC_LEX_H

#include <stddef.h>

/* A sign is its character. */
enum metric_word {
	WORD_END = 0,
	WORD_NUMBER = 256,
	WORD_LITERAL,
	WORD_ID,
	WORD_IF,
	WORD_ELSE,
	WORD_MIN,
	WORD_MAX,
	WORD_RATIO,
	WORD_SOURCE_COUNT,
	WORD_AGGR_NR,
	WORD_HAS_EVENT,
	WORD_CPUID,
	WORD_UNKNOWN,
};

struct metric_lexer {
	const char *text;	/* what is left */
	int word;		/* enum metric_word, or a sign */
	const char *start;	/* of the word */
	size_t len;
	double number;
};

/* Reads the next word. */
void metric_lex(struct metric_lexer *lexer);

#endif
