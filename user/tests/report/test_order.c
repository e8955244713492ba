// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Records in the order of time, whatever order the file has them in, and how many are held back. */
#include "test.h"

#include "report/data/order.h"

#define NR 20000

struct entry {
	uint64_t time;
	uint64_t nr;
};

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* A record whose body is its number, so many times that bodies have all lengths. */
static void put(struct rep_order *order, const struct entry *entry)
{
	struct {
		struct perf_event_header header;
		uint64_t body[64];
	} bytes = { .header = { .type = PERF_RECORD_SAMPLE } };
	size_t i, nr = 1 + entry->nr % 64;
	struct perfdata_record record = {
		.type = PERF_RECORD_SAMPLE, .misc = (uint16_t)nr,
		.body = (const unsigned char *)bytes.body, .size = 8 * nr,
	};

	for (i = 0; i < nr; i++)
		bytes.body[i] = entry->nr;
	assert_int_equal(rep_order_put(order, entry->time, &record), 0);
	/* What was put is its own. */
	memset(&bytes, 0xee, sizeof(bytes));
}

static void check(const struct perfdata_record *record, uint64_t nr)
{
	uint16_t size;
	size_t i;

	assert_int_equal(record->type, PERF_RECORD_SAMPLE);
	assert_int_equal(record->misc, 1 + nr % 64);
	assert_int_equal(record->size, 8 * (1 + nr % 64));
	for (i = 0; i < record->size / 8; i++)
		assert_int_equal(perfdata_u64(record->body + 8 * i), nr);
	/* The header stands in front of the body, as in a file. */
	memcpy(&size, record->body - 2, sizeof(size));
	assert_int_equal(size, 8 + record->size);
}

/* All of @entries; returns how many were held back at most. */
static size_t go_through(const struct entry *entries)
{
	struct entry *sorted = malloc(NR * sizeof(*sorted));
	struct rep_order order = { 0 };
	struct perfdata_record record;
	size_t i, taken = 0, most = 0;
	uint64_t time;

	assert_non_null(sorted);
	memcpy(sorted, entries, NR * sizeof(*sorted));
	qsort(sorted, NR, sizeof(*sorted), compare);
	for (i = 0; i < NR; i++)
		assert_int_equal(rep_order_note(&order, entries[i].time), 0);
	rep_order_noted(&order);
	for (i = 0; i <= NR; i++) {
		if (i < NR)
			put(&order, &entries[i]);
		else
			rep_order_end(&order);
		for (; rep_order_get(&order, &time, &record); taken++) {
			assert_true(time == sorted[taken].time);
			check(&record, sorted[taken].nr);
		}
		if (i + 1 - taken > most)
			most = i + 1 - taken;
	}
	assert_int_equal(taken, NR);
	rep_order_free(&order);
	free(sorted);
	return most;
}

static void orders(void **state)
{
	struct entry *entries = calloc(NR, sizeof(*entries));
	uint64_t seed = 1;
	size_t i;

	(void)state;
	assert_non_null(entries);
	for (i = 0; i < NR; i++)
		entries[i] = (struct entry){ i / 3, i };
	assert_true(go_through(entries) <= 1025);
	/* Rounds of two CPUs with 500 records each: the first one's wait for the other's. */
	for (i = 0; i < NR; i++)
		entries[i].time = i / 1000 * 500 + i % 500;
	assert_true(go_through(entries) <= 3000);
	/* The other way round: all of them wait for the last. */
	for (i = 0; i < NR; i++)
		entries[i].time = NR - i;
	assert_int_equal(go_through(entries), NR - 1);
	/* All at once: they stay as they are. */
	for (i = 0; i < NR; i++)
		entries[i].time = 5;
	go_through(entries);
	for (i = 0; i < NR; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		entries[i].time = i + (seed >> 52);
	}
	assert_true(go_through(entries) < 8000);
	for (i = 0; i < NR; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		entries[i].time = seed;
	}
	go_through(entries);
	free(entries);
}

/* Left before the end: nothing leaks, and it can be begun anew. */
static void left(void **state)
{
	struct rep_order order = { 0 };
	struct perfdata_record record;
	uint64_t i, time;

	(void)state;
	for (i = 0; i < 2000; i++)
		assert_int_equal(rep_order_note(&order, 2000 - i), 0);
	rep_order_noted(&order);
	for (i = 0; i < 2000; i++)
		put(&order, &(struct entry){ 2000 - i, i });
	rep_order_end(&order);
	assert_true(rep_order_get(&order, &time, &record));
	assert_int_equal(time, 1);
	rep_order_free(&order);
	assert_false(rep_order_get(&order, &time, &record));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(left),
	};

	return cmocka_run_group_tests_name("rep_order", tests, NULL, NULL);
}
