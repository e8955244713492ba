// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Compressed records: written and read again, cut anywhere, damaged, and perf's newer kind. */
#include "test.h"

#include "fake_perfdata.h"
#include "perfdata/pack.h"
#include "perfdata/reader.h"

#define ID 0x10000000000ULL
#define SAMPLES 5000

static const struct fake_event events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "tick", ID + 9 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", ID },
};

static void sample(struct fake *f, unsigned int n)
{
	fake_sample(f, &(struct fake_sample){
		.id = ID + 9, .time = 1000 + n, .tid = 42, .cpu = 3, .enabled = 100, .running = 50,
		.nr = 1, .ids = { ID }, .values = { 10ULL * n } });
}

/* Samples alone, one after the other. */
static void plain(struct fake *f)
{
	unsigned int n;

	memset(f, 0, sizeof(*f));
	for (n = 0; n < SAMPLES; n++)
		sample(f, n);
}

/* A file that begins with a sample that is not compressed; @packed goes behind it. */
static void file_of(struct fake *f, const void *packed, size_t size)
{
	fake_begin(f, events, ARRAY_SIZE(events));
	sample(f, 1000000);
	fake_add(f, packed, size);
	sample(f, 2000000);
	fake_end(f);
}

/* Returns how many of the samples that were compressed are there, in their order. */
static unsigned int count(const struct perfdata_reader *reader, uint64_t *offset)
{
	struct perfdata_record record;
	struct perfdata_sample s;
	unsigned int nr = 0;

	*offset = reader->data;
	while (perfdata_read_next(reader, offset, &record)) {
		assert_int_equal(perfdata_read_sample(reader, &record, &s), 0);
		assert_true(record.packed == (s.time < 1000000));
		if (s.time >= 1000000)
			continue;
		assert_true(s.time == 1000 + nr);
		assert_true(pmcgrp_view_value(&s.view, 0) == 10 * nr);
		nr++;
	}
	return nr;
}

/* All of it, twice; also without the last bytes, as after kill -9. */
static void there_and_back(void **state)
{
	const int levels[] = { 1, 3, 19 };
	struct perfdata_reader reader;
	struct perfdata_pack pack;
	struct fake bytes, f;
	uint64_t offset;
	size_t i, len;

	(void)state;
	plain(&bytes);
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		memset(&pack, 0, sizeof(pack));
		assert_int_equal(perfdata_pack_init(&pack, levels[i], bytes.size), 0);
		assert_int_equal(perfdata_pack_begin(&pack), 0);
		assert_int_equal(perfdata_pack(&pack, bytes.bytes, bytes.size, &len), 0);
		assert_true(len < bytes.size / 4 && len <= pack.room - 65536);
		assert_true(pack.from == bytes.size && pack.to == len);
		file_of(&f, pack.buf, len);
		assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
		assert_int_equal(count(&reader, &offset), SAMPLES);
		assert_true(offset == reader.data_end && !reader.cut);
		assert_int_equal(count(&reader, &offset), SAMPLES);
		/* From elsewhere it cannot be read. */
		offset = reader.data + 8;
		assert_false(perfdata_read_next(&reader, &offset, &(struct perfdata_record){ 0 }));
		perfdata_read_close(&reader);
		/* Cut within the second of the records: those of the first are there. */
		f.size = fake_header(&f)->data.offset + 72 + len - 9;
		assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
		assert_true(reader.cut);
		assert_in_range(count(&reader, &offset), SAMPLES / 2, SAMPLES - 1);
		assert_true(offset < reader.data_end);
		perfdata_read_close(&reader);
		fake_free(&f);
		perfdata_pack_free(&pack);
	}
	fake_free(&bytes);
}

/* What cannot be compressed fits into the records, too. */
static void incompressible(void **state)
{
	static unsigned char bytes[300000];
	struct perf_event_header header;
	struct perfdata_pack pack = { 0 };
	uint64_t random = 1;
	size_t i, len, at, nr = 0;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		bytes[i] = (unsigned char)(random >> 56);
	}
	assert_int_equal(perfdata_pack_init(&pack, 1, sizeof(bytes)), 0);
	assert_int_equal(perfdata_pack_begin(&pack), 0);
	assert_int_equal(perfdata_pack(&pack, bytes, sizeof(bytes), &len), 0);
	assert_true(len >= sizeof(bytes) && len <= pack.room - 65536);
	for (at = 0; at < len; at += header.size, nr++) {
		memcpy(&header, pack.buf + at, sizeof(header));
		assert_int_equal(header.type, PERFDATA_COMPRESSED);
		assert_true(header.size > 8 && header.size <= len - at);
	}
	assert_int_equal(nr, (sizeof(bytes) + PERFDATA_PACK_CHUNK - 1) / PERFDATA_PACK_CHUNK);
	perfdata_pack_free(&pack);
}

/* Of one stream, cut into records where it comes: in the midst of a record, of a number. */
static void in_small_pieces(void **state)
{
	static const size_t steps[] = { 1, 7, 100, 4096 };
	struct perfdata_pack pack = { 0 };
	struct perfdata_reader reader;
	struct fake bytes, pieces, f;
	size_t i, at, len, size, part;
	uint64_t offset;

	(void)state;
	plain(&bytes);
	bytes.size -= bytes.size % PERFDATA_PACK_CHUNK;
	assert_int_equal(perfdata_pack_init(&pack, 1, bytes.size), 0);
	assert_int_equal(perfdata_pack_begin(&pack), 0);
	assert_int_equal(perfdata_pack(&pack, bytes.bytes, PERFDATA_PACK_CHUNK, &len), 0);
	for (i = 0; i < 2 * ARRAY_SIZE(steps); i++) {
		bool newer = i >= ARRAY_SIZE(steps);

		memset(&pieces, 0, sizeof(pieces));
		for (at = 8; at < len; at += part) {
			part = steps[i % ARRAY_SIZE(steps)];
			part = part < len - at ? part : len - at;
			size = fake_open(&pieces, newer ? PERFDATA_COMPRESSED2 : PERFDATA_COMPRESSED);
			if (newer)
				fake_u64(&pieces, part);
			fake_add(&pieces, pack.buf + at, part);
			if (newer)
				fake_add(&pieces, "\1\2\3\4\5\6\7", (8 - part % 8) % 8);
			fake_close(&pieces, size);
		}
		file_of(&f, pieces.bytes, pieces.size);
		assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
		assert_int_equal(count(&reader, &offset), PERFDATA_PACK_CHUNK / 80);
		perfdata_read_close(&reader);
		fake_free(&f);
		fake_free(&pieces);
	}
	perfdata_pack_free(&pack);
	fake_free(&bytes);
}

/* Whatever was changed, no more than the rest is missing; it is said where that begins. */
static void damaged(void **state)
{
	struct perfdata_pack pack = { 0 };
	struct perfdata_reader reader;
	struct fake bytes, f;
	uint64_t offset;
	unsigned int nr;
	size_t len, i;

	(void)state;
	plain(&bytes);
	assert_int_equal(perfdata_pack_init(&pack, 1, bytes.size), 0);
	assert_int_equal(perfdata_pack_begin(&pack), 0);
	assert_int_equal(perfdata_pack(&pack, bytes.bytes, bytes.size, &len), 0);
	/* The magic of the frame. */
	pack.buf[9] ^= 1;
	file_of(&f, pack.buf, len);
	assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
	assert_int_equal(count(&reader, &offset), 0);
	assert_true(offset > reader.data && offset < reader.data_end);
	/* Once broken it stays so. */
	i = offset;
	assert_false(perfdata_read_next(&reader, &offset, &(struct perfdata_record){ 0 }));
	assert_true(offset == i);
	perfdata_read_close(&reader);
	fake_free(&f);
	pack.buf[9] ^= 1;
	/* A record of no size among those that were compressed. */
	memset(bytes.bytes + 80 * 100 + 6, 0, 2);
	assert_int_equal(perfdata_pack_begin(&pack), 0);
	assert_int_equal(perfdata_pack(&pack, bytes.bytes, bytes.size, &len), 0);
	file_of(&f, pack.buf, len);
	assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
	nr = count(&reader, &offset);
	assert_int_equal(nr, 100);
	assert_true(offset < reader.data_end);
	perfdata_read_close(&reader);
	fake_free(&f);
	perfdata_pack_free(&pack);
	fake_free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(incompressible),
		cmocka_unit_test(in_small_pieces),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests_name("perfdata_pack", tests, NULL, NULL);
}
