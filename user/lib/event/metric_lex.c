// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric_lex.h"

#define DIGITS "0123456789"
#define NAME DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_."

static const struct {
	const char *text;
	int word;
} keywords[] = {
	{ "if", WORD_IF },
	{ "else", WORD_ELSE },
	{ "min", WORD_MIN },
	{ "max", WORD_MAX },
	{ "d_ratio", WORD_RATIO },
	{ "source_count", WORD_SOURCE_COUNT },
	{ "aggr_nr", WORD_AGGR_NR },
	{ "has_event", WORD_HAS_EVENT },
	{ "strcmp_cpuid_str", WORD_CPUID },
};

/* The length of a decimal number: digits with a point, and an exponent. */
static size_t number_len(const char *text)
{
	size_t whole = strspn(text, DIGITS), len = whole, exponent;

	if (text[len] == '.')
		len += 1 + strspn(text + len + 1, DIGITS);
	if (!whole && len < 2)
		return 0;
	if (text[len] == 'e') {
		exponent = len + 1 + (text[len + 1] == '-');
		if (strspn(text + exponent, DIGITS))
			len = exponent + strspn(text + exponent, DIGITS);
	}
	return len;
}

/* The length of an event's name, in which some signs need a backslash. */
static size_t id_len(const char *text)
{
	size_t len = 0, more;

	do {
		more = strspn(text + len, NAME ":@?");
		if (text[len + more] == '\\' && text[len + more + 1] &&
		    strchr("-,=", text[len + more + 1]))
			more += 2;
		len += more;
	} while (more);
	return len;
}

static int keyword(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (len == strlen(keywords[i].text) && !strncmp(text, keywords[i].text, len))
			return keywords[i].word;
	return WORD_ID;
}

/* A name may begin with digits: the longer one of the two it is. */
static void lex_name(struct metric_lexer *l)
{
	size_t number = number_len(l->start), id = id_len(l->start);

	if (number && number >= id) {
		l->len = number;
		l->word = WORD_NUMBER;
		l->number = strtod(l->start, NULL);
	} else if (id == 3 && !strncmp(l->start, "NaN", 3)) {
		l->len = id;
		l->word = WORD_NUMBER;
		l->number = NAN;
	} else if (id) {
		l->len = id;
		l->word = keyword(l->start, id);
	} else {
		l->len = 1;
		l->word = strchr("|^&<>-+*/%(),", *l->start) ? *l->start : WORD_UNKNOWN;
	}
}

void metric_lex(struct metric_lexer *l)
{
	l->start = l->text + strspn(l->text, " \t\n");
	if (!*l->start) {
		l->word = WORD_END;
		l->len = 0;
	} else if (*l->start == '#') {
		l->len = 1 + strspn(l->start + 1, NAME "-");
		l->word = l->len > 1 ? WORD_LITERAL : WORD_UNKNOWN;
	} else {
		lex_name(l);
	}
	l->text = l->start + l->len;
}
