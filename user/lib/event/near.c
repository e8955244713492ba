// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "near.h"

static bool same(char a, char b)
{
	a = a == '_' ? '-' : (char)tolower((unsigned char)a);
	b = b == '_' ? '-' : (char)tolower((unsigned char)b);
	return a == b;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Row by row: from the first characters of @a to each beginning of @b. Two rows back is enough. */
unsigned int near_distance(const char *a, const char *b)
{
	unsigned int rows[3][NEAR_LENGTH + 1], *row, *above, *top;
	size_t i, k, nr_a = strlen(a), nr_b = strlen(b);

	if (nr_a > NEAR_LENGTH || nr_b > NEAR_LENGTH)
		return NEAR_LENGTH;
	for (k = 0; k <= nr_b; k++)
		rows[0][k] = (unsigned int)k;
	for (i = 1; i <= nr_a; i++) {
		row = rows[i % 3];
		above = rows[(i - 1) % 3];
		top = rows[(i + 1) % 3];
		row[0] = (unsigned int)i;
		for (k = 1; k <= nr_b; k++) {
			row[k] = least(least(above[k], row[k - 1]) + 1,
				       above[k - 1] + !same(a[i - 1], b[k - 1]));
			if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
				row[k] = least(row[k], top[k - 2] + 1);
		}
	}
	return rows[nr_a % 3][nr_b];
}

void near_begin(struct near *near, const char *word)
{
	*near = (struct near){ .word = word };
}

/* Of a short name one character may be wrong, of a longer one some more. */
static unsigned int most(const char *word)
{
	return (unsigned int)strlen(word) / 4 + 1;
}

/* Which characters there are: a bit for each, letters of both cases and '_' with '-' alike. */
static uint64_t characters(const char *text, size_t len)
{
	uint64_t all = 0;

	while (len--) {
		char c = text[len] == '_' ? '-' : text[len];

		all |= 1ULL << (tolower((unsigned char)c) & 63);
	}
	return all;
}

/*
 * Whether a name cannot be close: each change makes it one character longer at the most, and brings
 * or takes one.  The distance itself takes some thousand instructions, and a kernel has 150,000
 * names of functions.
 */
static bool is_far(const struct near *near, const char *name, size_t len)
{
	size_t own = strlen(near->word);
	int changes = (int)most(near->word);
	uint64_t a, b;

	if (len > own + (size_t)changes || own > len + (size_t)changes)
		return true;
	a = characters(near->word, own);
	b = characters(name, len);
	return __builtin_popcountll(a & ~b) > changes || __builtin_popcountll(b & ~a) > changes;
}

static void offer(struct near *near, const char *name, size_t len, const char *shown)
{
	unsigned int distance, i;
	char copy[NEAR_LENGTH];

	if (!len || len >= sizeof(copy) || is_far(near, name, len))
		return;
	memcpy(copy, name, len);
	copy[len] = '\0';
	distance = near_distance(near->word, copy);
	/* As many as it has characters make any name of any other. */
	if (distance > most(near->word) || distance >= strlen(near->word) || distance >= len)
		return;
	if (!shown)
		shown = copy;
	for (i = 0; i < near->nr; i++) {
		if (!strcasecmp(near->at[i].name, shown))
			return;
	}
	for (i = near->nr; i > 0 && near->at[i - 1].distance > distance; i--) {
		if (i < NEAR_MAX)
			near->at[i] = near->at[i - 1];
	}
	if (i == NEAR_MAX)
		return;
	snprintf(near->at[i].name, sizeof(near->at[i].name), "%s", shown);
	near->at[i].distance = distance;
	near->nr += near->nr < NEAR_MAX;
}

void near_offer(struct near *near, const char *name)
{
	if (name)
		offer(near, name, strlen(name), NULL);
}

void near_offer_as(struct near *near, const char *name, const char *shown)
{
	offer(near, name, strlen(name), shown);
}

void near_offer_list(struct near *near, const char *list)
{
	size_t len;

	for (; *list; list += len + !!list[len]) {
		len = strcspn(list, ",; ");
		offer(near, list, len, NULL);
	}
}

/* Beside a name with one wrong character those with three are none that was meant. */
static unsigned int worth_it(const struct near *near)
{
	unsigned int nr = 0;

	while (nr < near->nr && near->at[nr].distance <= near->at[0].distance + 1)
		nr++;
	return nr;
}

const char *near_text_as(const struct near *near, const char *before, char *text, size_t size)
{
	unsigned int i, nr = worth_it(near);
	const char *between = ": did you mean ";
	size_t used;

	text[0] = '\0';
	for (i = 0; i < nr; i++) {
		used = strlen(text);
		snprintf(text + used, size - used, "%s'%s%s'%s", between, before,
			 near->at[i].name, i + 1 == nr ? "?" : "");
		between = i + 2 == nr ? " or " : ", ";
	}
	return text;
}

const char *near_text(const struct near *near, char *text, size_t size)
{
	return near_text_as(near, "", text, size);
}

const char *near_in_list(const char *word, const char *list, char *text, size_t size)
{
	struct near near;

	near_begin(&near, word);
	near_offer_list(&near, list);
	return near_text(&near, text, size);
}
