// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Terms of an event:
 *
 *	terms = term { "," term }
 *	term  = name [ "=" value ]
 *	value = a number, decimal or 0x; a word; "'" any text but a quote "'"
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_syntax.h"

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.*?:[]!@"

int event_fail(struct pmcgrp_events_error *error, size_t column, const char *format, ...)
{
	va_list args;

	error->column = column;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -EINVAL;
}

/**
 * struct terms_parser - the state of event_terms_parse()
 * @start: of the terms
 * @column: of @start in the whole text
 */
struct terms_parser {
	const char *start;
	const char *at;
	const char *end;
	size_t column;
	struct pmcgrp_events_error *error;
};

static size_t column_of(const struct terms_parser *p)
{
	return p->column + (size_t)(p->at - p->start);
}

static void skip_blanks(struct terms_parser *p)
{
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
}

/* The length of the word at @p->at. */
static size_t word_length(const struct terms_parser *p)
{
	const char *c = p->at;

	while (c < p->end && strchr(WORD, *c))
		c++;
	return (size_t)(c - p->at);
}

/* A number takes all of a word: 0x10, 16.  Return 1 if the word is not one. */
static int number_of(struct terms_parser *p, size_t len, uint64_t *number)
{
	bool hex = len > 2 && p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
	size_t i;

	for (i = hex ? 2 : 0; i < len; i++) {
		if (!(hex ? isxdigit((unsigned char)p->at[i]) : isdigit((unsigned char)p->at[i])))
			return 1;
	}
	errno = 0;
	*number = strtoull(p->at, NULL, hex ? 16 : 10);
	if (errno)
		return event_fail(p->error, column_of(p), "this number needs more than 64 bits");
	return 0;
}

static int quoted_parse(struct terms_parser *p, struct event_term *term)
{
	const char *end = memchr(p->at + 1, '\'', (size_t)(p->end - p->at - 1));

	if (!end)
		return event_fail(p->error, column_of(p), "this quote is not closed");
	term->text = strndup(p->at + 1, (size_t)(end - p->at - 1));
	p->at = end + 1;
	return term->text ? 0 : -ENOMEM;
}

static int value_parse(struct terms_parser *p, struct event_term *term)
{
	size_t len;
	int ret;

	term->has_value = true;
	term->value_column = column_of(p);
	if (p->at < p->end && *p->at == '\'')
		return quoted_parse(p, term);
	len = word_length(p);
	if (!len)
		return event_fail(p->error, column_of(p), "the value of term '%s' is missing here",
				  term->name);
	ret = number_of(p, len, &term->number);
	if (ret < 0)
		return ret;
	if (ret) {
		term->text = strndup(p->at, len);
		if (!term->text)
			return -ENOMEM;
	}
	p->at += len;
	return 0;
}

static int term_parse(struct terms_parser *p, struct event_term *term)
{
	size_t len;
	int ret = 0;

	skip_blanks(p);
	len = word_length(p);
	if (!len)
		return event_fail(p->error, column_of(p), "a term's name is missing here");
	term->column = column_of(p);
	term->value_column = term->column;
	term->number = 1;
	term->name = strndup(p->at, len);
	if (!term->name)
		return -ENOMEM;
	p->at += len;
	skip_blanks(p);
	if (p->at < p->end && *p->at == '=') {
		p->at++;
		skip_blanks(p);
		ret = value_parse(p, term);
		skip_blanks(p);
	}
	if (!ret && p->at < p->end && *p->at != ',')
		return event_fail(p->error, column_of(p),
				  "terms are separated by commas, and '%c' is in none", *p->at);
	return ret;
}

int event_terms_parse(struct event_terms *terms, const char *text, const char *end, size_t column,
		      struct pmcgrp_events_error *error)
{
	struct terms_parser p = {
		.start = text,
		.at = text,
		.end = end ? end : text + strlen(text),
		.column = column,
		.error = error,
	};
	struct event_term *at;
	int ret;

	*terms = (struct event_terms){ 0 };
	do {
		at = reallocarray(terms->at, terms->nr + 1, sizeof(*at));
		if (!at) {
			event_terms_free(terms);
			return -ENOMEM;
		}
		terms->at = at;
		at[terms->nr] = (struct event_term){ 0 };
		ret = term_parse(&p, &at[terms->nr++]);
		if (ret < 0) {
			event_terms_free(terms);
			return ret;
		}
	} while (p.at < p.end && p.at++);
	return 0;
}

void event_terms_free(struct event_terms *terms)
{
	while (terms->nr) {
		terms->nr--;
		free(terms->at[terms->nr].name);
		free(terms->at[terms->nr].text);
	}
	free(terms->at);
	terms->at = NULL;
}
