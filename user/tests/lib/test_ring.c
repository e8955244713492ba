// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* One ring, forward and backward: wrap-around, records over the end, sizes that cannot be. */
#include "test.h"

#include <unistd.h>

#include "fake_ring.h"

#define SIZE 1024

#define assert_next(ring, number)	assert_next_of(ring, number, __LINE__)

/* A record of @words words behind its header, each its number. */
static struct fake_record *make(uint64_t number, size_t words)
{
	static struct fake_record r;
	size_t i;

	fake_begin(&r, 1000, 0);
	for (i = 0; i < words; i++)
		fake_add(&r, number);
	return &r;
}

static bool put(struct fake_ring *fake, uint64_t number, size_t words)
{
	struct fake_record *r = make(number, words);

	return fake_ring_write(fake, r->bytes, r->len);
}

static void put_backward(struct fake_ring *fake, uint64_t number, size_t words)
{
	struct fake_record *r = make(number, words);

	fake_ring_write_backward(fake, r->bytes, r->len);
}

static bool is_number(const struct perf_event_header *record, uint64_t number)
{
	const uint64_t *words = (const uint64_t *)(record + 1);
	size_t i, nr = (record->size - sizeof(*record)) / 8;

	for (i = 0; i < nr; i++) {
		if (words[i] != number)
			return false;
	}
	return nr > 0;
}

static const struct perf_event_header *assert_next_of(struct pmcgrp_ring *ring, uint64_t number,
						      int line)
{
	const struct perf_event_header *record = NULL;
	int ret = pmcgrp_ring_next(ring, &record);

	if (ret != 1 || !is_number(record, number))
		fail_msg("line %d: %d, not record %llu", line, ret, (unsigned long long)number);
	return record;
}

static void assert_end(struct pmcgrp_ring *ring)
{
	const struct perf_event_header *record;

	assert_int_equal(pmcgrp_ring_next(ring, &record), 0);
}

static struct pmcgrp_ring *ring_over(struct fake_ring *fake, unsigned int flags)
{
	struct pmcgrp_ring *ring;

	assert_int_equal(pmcgrp_ring_open(&ring, fake->page, fake->len, flags), 0);
	return ring;
}

/* Every length of record at every place of the ring, over many rounds. */
static void forward(void **state)
{
	uint64_t written = 0, read = 0;
	struct pmcgrp_ring *ring;
	struct fake_ring fake;
	unsigned int i, in_place = 0, copied = 0;

	(void)state;
	fake_ring_init(&fake, SIZE);
	ring = ring_over(&fake, 0);
	assert_int_equal(pmcgrp_ring_fd(ring), -1);
	assert_end(ring);
	for (i = 0; i < 5000; i++) {
		while (put(&fake, written, 1 + written % 17))
			written++;
		while (read < written - i % 3) {
			const unsigned char *at = (const void *)assert_next(ring, read++);

			if (at >= fake.data && at < fake.data + SIZE)
				in_place++;
			else
				copied++;
		}
		pmcgrp_ring_consume(ring);
		assert_true(fake.page->data_head - fake.page->data_tail < SIZE);
	}
	/* At most one in a round of the ring. */
	assert_true(copied > 0 && copied <= fake.page->data_head / SIZE);
	assert_int_equal(in_place + copied, read);
	pmcgrp_ring_close(ring);
	fake_ring_free(&fake);
}

/* What was given stays as it is until it is consumed, the copy as well. */
static void lasts_until_consumed(void **state)
{
	const struct perf_event_header *records[8];
	struct pmcgrp_ring *ring;
	struct fake_ring fake;
	uint64_t i;

	(void)state;
	fake_ring_init(&fake, SIZE);
	fake.page->data_head = SIZE - 8 * 30;
	fake.page->data_tail = fake.page->data_head;
	ring = ring_over(&fake, 0);
	for (i = 0; i < 8; i++)
		assert_true(put(&fake, i, 15));
	assert_false(put(&fake, i, 1));
	for (i = 0; i < 8; i++)
		records[i] = assert_next(ring, i);
	assert_end(ring);
	assert_false(put(&fake, 99, 1));
	for (i = 0; i < 8; i++)
		assert_true(is_number(records[i], i));
	pmcgrp_ring_consume(ring);
	assert_int_equal(fake.page->data_tail, fake.page->data_head);
	assert_true(put(&fake, 9, 1));
	assert_next(ring, 9);
	pmcgrp_ring_close(ring);
	fake_ring_free(&fake);
}

/* What is not asked for is not consumed. */
static void consumes_what_was_given(void **state)
{
	struct pmcgrp_ring *ring;
	struct fake_ring fake;

	(void)state;
	fake_ring_init(&fake, SIZE);
	ring = ring_over(&fake, 0);
	put(&fake, 1, 1);
	put(&fake, 2, 1);
	assert_next(ring, 1);
	pmcgrp_ring_consume(ring);
	assert_int_equal(fake.page->data_tail, 16);
	pmcgrp_ring_close(ring);
	/* The next reader begins where this one has ended. */
	ring = ring_over(&fake, 0);
	assert_next(ring, 2);
	assert_end(ring);
	pmcgrp_ring_close(ring);
	fake_ring_free(&fake);
}

/* Newest over oldest; read from the oldest that is whole, and each once. */
static void backward(void **state)
{
	uint64_t number = 0, overwritten = 0, first, left, i, round;
	struct pmcgrp_ring *ring;
	struct fake_ring fake;

	(void)state;
	fake_ring_init(&fake, SIZE);
	ring = ring_over(&fake, PMCGRP_MAP_BACKWARD);
	assert_end(ring);
	pmcgrp_ring_consume(ring);
	for (round = 0; round < 300; round++) {
		uint64_t from = number, sizes[400];

		for (i = 0; i < round; i++, number++) {
			sizes[i] = 1 + number % 13;
			put_backward(&fake, number, sizes[i]);
		}
		/* As many of the newest as are whole in the ring. */
		for (left = SIZE, first = number; first > from; first--) {
			if (8 * (1 + sizes[first - 1 - from]) > left)
				break;
			left -= 8 * (1 + sizes[first - 1 - from]);
		}
		for (i = from; i < first; i++)
			overwritten += 8 * (1 + sizes[i - from]);
		for (i = first; i < number; i++)
			assert_next(ring, i);
		assert_end(ring);
		assert_true(pmcgrp_ring_overwritten(ring) == overwritten);
		pmcgrp_ring_consume(ring);
		assert_true(pmcgrp_ring_overwritten(ring) == overwritten);
		assert_int_equal(fake.page->data_tail, 0);
	}
	pmcgrp_ring_close(ring);
	fake_ring_free(&fake);
}

static void backward_holds_still(void **state)
{
	struct pmcgrp_ring *ring;
	struct fake_ring fake;

	(void)state;
	fake_ring_init(&fake, SIZE);
	ring = ring_over(&fake, PMCGRP_MAP_BACKWARD);
	put_backward(&fake, 1, 3);
	put_backward(&fake, 2, 3);
	assert_next(ring, 1);
	put_backward(&fake, 3, 3);
	assert_next(ring, 2);
	assert_end(ring);
	pmcgrp_ring_consume(ring);
	assert_next(ring, 3);
	assert_end(ring);
	pmcgrp_ring_close(ring);
	fake_ring_free(&fake);
}

static const uint16_t bad_sizes[] = { 0, 1, 7, 9, 12, 24, 32, 1024, 1032, 65528, 65535 };

/* The second record's size is bad: the first is given, then an error, until it is skipped. */
static void bad_size(void **state)
{
	const struct perf_event_header *record;
	struct pmcgrp_ring *ring;
	struct fake_ring fake;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad_sizes); i++) {
		fake_ring_init(&fake, SIZE);
		fake.page->data_head = SIZE - 24;
		fake.page->data_tail = fake.page->data_head;
		ring = ring_over(&fake, 0);
		put(&fake, 1, 1);
		put(&fake, 2, 1);
		((struct perf_event_header *)(fake.data + SIZE - 8))->size = bad_sizes[i];
		assert_next(ring, 1);
		assert_row(i, pmcgrp_ring_next(ring, &record) == -EBADMSG);
		assert_row(i, pmcgrp_ring_next(ring, &record) == -EBADMSG);
		pmcgrp_ring_consume(ring);
		assert_row(i, fake.page->data_tail == fake.page->data_head);
		put(&fake, 3, 1);
		assert_next(ring, 3);
		assert_end(ring);
		pmcgrp_ring_close(ring);
		fake_ring_free(&fake);
	}
}

static void bad_size_backward(void **state)
{
	const struct perf_event_header *record;
	struct pmcgrp_ring *ring;
	struct fake_ring fake;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad_sizes); i++) {
		fake_ring_init(&fake, SIZE);
		ring = ring_over(&fake, PMCGRP_MAP_BACKWARD);
		put_backward(&fake, 1, 1);
		put_backward(&fake, 2, 1);
		((struct perf_event_header *)(fake.data + SIZE - 16))->size = bad_sizes[i];
		assert_row(i, pmcgrp_ring_next(ring, &record) == -EBADMSG);
		pmcgrp_ring_consume(ring);
		put_backward(&fake, 3, 1);
		assert_next(ring, 3);
		assert_end(ring);
		pmcgrp_ring_close(ring);
		fake_ring_free(&fake);
	}
}

/* Positions that no kernel has. */
static void bad_positions(void **state)
{
	static const struct {
		uint64_t head, tail;
	} rows[] = {
		{ SIZE + 8, 0 },
		{ 0, 8 },
		{ 8, 4 },
		{ 12, 0 },
		{ UINT64_MAX, 0 },
		{ 4, 4 },
		{ 1ULL << 63, 0 },
	};
	const struct perf_event_header *record;
	struct pmcgrp_ring *ring;
	struct fake_ring fake;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_ring_init(&fake, SIZE);
		fake.page->data_head = rows[i].head;
		fake.page->data_tail = rows[i].tail;
		ring = ring_over(&fake, 0);
		assert_row(i, pmcgrp_ring_next(ring, &record) < 1);
		pmcgrp_ring_close(ring);
		ring = ring_over(&fake, PMCGRP_MAP_BACKWARD);
		assert_row(i, pmcgrp_ring_next(ring, &record) == -EBADMSG || !rows[i].head);
		pmcgrp_ring_close(ring);
		fake_ring_free(&fake);
	}
}

static void bad_pages(void **state)
{
	static const struct {
		uint64_t offset, size;
	} rows[] = {
		{ FAKE_PAGE, 0 },
		{ FAKE_PAGE, 1000 },
		{ FAKE_PAGE, 2 * SIZE },
		{ 0, SIZE },
		{ FAKE_PAGE + 8, SIZE },
		{ UINT64_MAX - 7, SIZE },
		{ 8, 8 },
		{ FAKE_PAGE + 4, 8 },
		{ FAKE_PAGE, 1ULL << 63 },
		{ FAKE_PAGE, 4 },
	};
	struct pmcgrp_ring *ring;
	struct fake_ring fake;
	size_t i;

	(void)state;
	fake_ring_init(&fake, SIZE);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fake.page->data_offset = rows[i].offset;
		fake.page->data_size = rows[i].size;
		assert_row(i, pmcgrp_ring_open(&ring, fake.page, fake.len, 0) == -EBADMSG);
		assert_row(i, !ring);
	}
	assert_int_equal(pmcgrp_ring_open(NULL, fake.page, fake.len, 0), -EINVAL);
	assert_int_equal(pmcgrp_ring_open(&ring, NULL, fake.len, 0), -EINVAL);
	assert_int_equal(pmcgrp_ring_open(&ring, fake.page, 64, 0), -EINVAL);
	assert_int_equal(pmcgrp_ring_open(&ring, fake.page, fake.len, 2), -EINVAL);
	assert_int_equal(pmcgrp_ring_map(&ring, 0, 0, 3, 0), -EINVAL);
	assert_int_equal(pmcgrp_ring_map(&ring, 0, 0, 0, 0), -EINVAL);
	assert_int_equal(pmcgrp_ring_map(&ring, 0, 0, (size_t)1 << 63, 0), -EINVAL);
	assert_int_equal(pmcgrp_ring_map(&ring, -1, 0, 1, 0), -EBADF);
	assert_int_equal(pmcgrp_ring_map(&ring, 0, UINT64_MAX, 1, 0), -EINVAL);
	pmcgrp_ring_close(NULL);
	fake_ring_free(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forward),
		cmocka_unit_test(lasts_until_consumed),
		cmocka_unit_test(consumes_what_was_given),
		cmocka_unit_test(backward),
		cmocka_unit_test(backward_holds_still),
		cmocka_unit_test(bad_size),
		cmocka_unit_test(bad_size_backward),
		cmocka_unit_test(bad_positions),
		cmocka_unit_test(bad_pages),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
