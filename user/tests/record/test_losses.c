// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What record says of samples that are not in the file: the cause that each kind of record has. */
#include "test.h"

#include "hear.h"

#include "args/cli.h"
#include "record/losses.h"

static const struct {
	struct record_counts counts;
	const char *says[3];
} rows[] = {
	{ { .samples = 10 }, { NULL } },
	{ { .samples = 10, .lost = 5 },
	  { "5 of 15 samples were lost: the rings were full (-m makes them larger)\n" } },
	/* Full rings are not to blame. */
	{ { .samples = 10, .missed = 459 }, { "459 of 469 samples were missed: ", "longer --every" } },
	{ { .samples = 10, .lost = 1, .missed = 2 },
	  { "1 of 13 samples were lost: the rings were full", "2 of 13 samples were missed: " } },
	{ { .throttled = 3 }, { "stopped a trigger 3 times", "perf_event_max_sample_rate" } },
};

static char *said(const struct record_counts *counts)
{
	static char text[4096];
	struct hear h = hear_begin();

	record_losses_say(counts, "samples");
	hear_end(&h, text, sizeof(text));
	return text;
}

static void causes(void **state)
{
	const char *text;
	size_t i, k;

	(void)state;
	cli_begin("record");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		text = said(&rows[i].counts);
		assert_row(i, !rows[i].says[0] == !*text);
		for (k = 0; k < ARRAY_SIZE(rows[i].says) && rows[i].says[k]; k++)
			assert_row(i, strstr(text, rows[i].says[k]));
		assert_row(i, !rows[i].counts.lost == !strstr(text, "-m makes"));
		assert_row(i, !rows[i].counts.missed == !strstr(text, "missed"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(causes),
	};

	return cmocka_run_group_tests_name("record_losses", tests, NULL, NULL);
}
