// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Names that are close to one that is not known. */
#include "test.h"

#include "event/near.h"

static void distances(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned int distance;
	} rows[] = {
		{ "", "", 0 },
		{ "", "abc", 3 },
		{ "abc", "", 3 },
		{ "cycles", "CYCLES", 0 },
		{ "branch_misses", "branch-misses", 0 },
		{ "cycels", "cycles", 1 },
		{ "instrutions", "instructions", 1 },
		{ "cyclles", "cycles", 1 },
		{ "cyxles", "cycles", 1 },
		{ "ca", "abc", 3 },
		{ "kitten", "sitting", 3 },
		{ "ab", "ba", 1 },
		{ "abcd", "badc", 2 },
	};
	char longest[NEAR_LENGTH + 1], beyond[NEAR_LENGTH + 2];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, near_distance(rows[i].a, rows[i].b) == rows[i].distance);
		assert_row(i, near_distance(rows[i].b, rows[i].a) == rows[i].distance);
	}
	memset(longest, 'x', sizeof(longest));
	longest[NEAR_LENGTH] = '\0';
	memset(beyond, 'x', sizeof(beyond));
	beyond[NEAR_LENGTH + 1] = '\0';
	assert_int_equal(near_distance(longest, longest), 0);
	assert_int_equal(near_distance(beyond, beyond), NEAR_LENGTH);
}

static void texts(void **state)
{
	static const struct {
		const char *word, *list, *text;
	} rows[] = {
		{ "thred", "event,cpu,thread", ": did you mean 'thread'?" },
		{ "cpu1", "cpu2,cpu3", ": did you mean 'cpu2' or 'cpu3'?" },
		{ "cpu1", "cpu2;cpu3 cpu4,cpu5", ": did you mean 'cpu2', 'cpu3' or 'cpu4'?" },
		/* The best first; one that is much further off is not worth to be named. */
		{ "abcdefgh", "abcdefXY,abcdefgX", ": did you mean 'abcdefgX' or 'abcdefXY'?" },
		{ "abcdefgh", "abcdeXYZ,abcdefgX", ": did you mean 'abcdefgX'?" },
		{ "abcdefgh", "a1cdefgh,b1cdefgh,abc1efgh,abcd1fgh,abcdefgh1",
		  ": did you mean 'a1cdefgh', 'abc1efgh' or 'abcd1fgh'?" },
		{ "CYCLE", "cycles,Cycles", ": did you mean 'cycles'?" },
		{ "xyz", "cycles,instructions", "" },
		{ "a", "b,c", "" },
		{ "", "b,c", "" },
		{ "b", "", "" },
	};
	char text[NEAR_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		near_in_list(rows[i].word, rows[i].list, text, sizeof(text));
		if (strcmp(text, rows[i].text))
			fail_msg("%s: %s", rows[i].word, text);
	}
}

/* Three names as long as they may be have room, and what is longer is close to none. */
static void room(void **state)
{
	char word[NEAR_LENGTH], name[NEAR_LENGTH + 8], text[NEAR_TEXT];
	struct near near;
	char c;

	(void)state;
	memset(word, 'x', sizeof(word));
	word[NEAR_LENGTH - 1] = '\0';
	near_begin(&near, word);
	for (c = 'a'; c < 'f'; c++) {
		strcpy(name, word);
		name[0] = c;
		near_offer(&near, name);
	}
	near_offer(&near, NULL);
	strcat(name, "abc");
	near_offer(&near, name);
	near_text(&near, text, sizeof(text));
	assert_int_equal(near.nr, NEAR_MAX);
	assert_int_equal(text[strlen(text) - 1], '?');
	assert_int_equal(strlen(text), strlen(": did you mean '', '' or ''?") + 3 * strlen(word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(texts),
		cmocka_unit_test(room),
	};

	return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
