// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Records: every combination of sample_type, each length that is too short, deltas. */
#include "test.h"

#include "fake_ring.h"
#include "ring_state.h"

#define IP 0x1010101010101010ULL
#define PID 0x11U
#define TID 0x22U
#define TIME 0x3030303030303030ULL
#define ADDR 0x4040404040404040ULL
#define ID 0x5050505050505050ULL
#define STREAM_ID 0x6060606060606060ULL
#define CPU 0x77U
#define PERIOD 0x8080808080808080ULL
#define CGROUP 0x9090909090909090ULL
#define NR 3
#define CHAIN 2	/* words */

static const uint64_t all_bits[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
	PERF_SAMPLE_PERIOD, PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_CGROUP
};

static uint64_t type_of(unsigned int combination)
{
	uint64_t type = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_bits); i++)
		type |= combination >> i & 1 ? all_bits[i] : 0;
	return type;
}

static void add_read(struct fake_record *r, uint64_t format)
{
	size_t i, nr = format & PERF_FORMAT_GROUP ? NR : 1;

	if (format & PERF_FORMAT_GROUP)
		fake_add(r, nr);
	else
		fake_add(r, 1000);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		fake_add(r, 7);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		fake_add(r, 6);
	for (i = 0; i < nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			fake_add(r, 1000 + i);
		if (format & PERF_FORMAT_ID)
			fake_add(r, 2000 + i);
		if (format & PMCGRP_FORMAT_LOST)
			fake_add(r, 3000 + i);
	}
}

static void make_sample(struct fake_record *r, const struct pmcgrp_record_format *format)
{
	uint64_t type = format->sample_type;

	fake_begin(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	if (type & PERF_SAMPLE_IDENTIFIER)
		fake_add(r, ID);
	if (type & PERF_SAMPLE_IP)
		fake_add(r, IP);
	if (type & PERF_SAMPLE_TID)
		fake_add_two(r, PID, TID);
	if (type & PERF_SAMPLE_TIME)
		fake_add(r, TIME);
	if (type & PERF_SAMPLE_ADDR)
		fake_add(r, ADDR);
	if (type & PERF_SAMPLE_ID)
		fake_add(r, ID);
	if (type & PERF_SAMPLE_STREAM_ID)
		fake_add(r, STREAM_ID);
	if (type & PERF_SAMPLE_CPU)
		fake_add_two(r, CPU, 0);
	if (type & PERF_SAMPLE_PERIOD)
		fake_add(r, PERIOD);
	if (type & PERF_SAMPLE_READ)
		add_read(r, format->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		fake_add(r, CHAIN);
		fake_add(r, PERF_CONTEXT_USER);
		fake_add(r, IP);
	}
	if (type & PERF_SAMPLE_CGROUP)
		fake_add(r, CGROUP);
}

static void add_sample_id(struct fake_record *r, uint64_t type)
{
	if (type & PERF_SAMPLE_TID)
		fake_add_two(r, PID, TID);
	if (type & PERF_SAMPLE_TIME)
		fake_add(r, TIME);
	if (type & PERF_SAMPLE_ID)
		fake_add(r, ID);
	if (type & PERF_SAMPLE_STREAM_ID)
		fake_add(r, STREAM_ID);
	if (type & PERF_SAMPLE_CPU)
		fake_add_two(r, CPU, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		fake_add(r, ID);
}

static void check_fields(const struct pmcgrp_record *record, uint64_t type)
{
	assert_int_equal(record->has, type);
	assert_int_equal(record->ip, type & PERF_SAMPLE_IP ? IP : 0);
	assert_int_equal(record->pid, type & PERF_SAMPLE_TID ? PID : 0);
	assert_int_equal(record->tid, type & PERF_SAMPLE_TID ? TID : 0);
	assert_int_equal(record->time, type & PERF_SAMPLE_TIME ? TIME : 0);
	assert_int_equal(record->addr, type & PERF_SAMPLE_ADDR ? ADDR : 0);
	assert_int_equal(record->id,
			 type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? ID : 0);
	assert_int_equal(record->stream_id, type & PERF_SAMPLE_STREAM_ID ? STREAM_ID : 0);
	assert_int_equal(record->cpu, type & PERF_SAMPLE_CPU ? CPU : 0);
	assert_int_equal(record->period, type & PERF_SAMPLE_PERIOD ? PERIOD : 0);
	assert_int_equal(record->cgroup, type & PERF_SAMPLE_CGROUP ? CGROUP : 0);
}

static void check_chain(const struct pmcgrp_record *record)
{
	if (!(record->has & PERF_SAMPLE_CALLCHAIN)) {
		assert_true(!record->chain && !record->nr_chain);
		return;
	}
	assert_int_equal(record->nr_chain, CHAIN);
	assert_int_equal(pmcgrp_record_chain(record, 0), PERF_CONTEXT_USER);
	assert_int_equal(pmcgrp_record_chain(record, 1), IP);
}

static void check_time(const struct fake_record *r, const struct pmcgrp_record_format *format,
		       const struct pmcgrp_record *record)
{
	uint64_t time = 0;

	assert_int_equal(record_time(&r->header, format, &time),
			 !!(record->has & PERF_SAMPLE_TIME));
	assert_int_equal(time, record->time);
}

/* Each shorter length is refused: of the bytes, and of the record. */
static void check_cuts(const struct fake_record *r, const struct pmcgrp_record_format *format)
{
	struct pmcgrp_record record;
	size_t cut;

	for (cut = 0; cut < r->len; cut++) {
		struct fake_record *exact = malloc(cut + !cut);

		memcpy(exact, r->bytes, cut);
		assert_int_equal(pmcgrp_record_decode(&record, exact, cut, format), -EBADMSG);
		assert_int_equal(record.size, 0);
		if (cut >= 8)
			((struct perf_event_header *)exact)->size = (uint16_t)cut;
		assert_int_equal(pmcgrp_record_decode(&record, exact, cut, format), -EBADMSG);
		free(exact);
	}
}

static void samples(void **state)
{
	static struct fake_record r;
	unsigned int combination, read_format;
	struct pmcgrp_record record;
	size_t nr;

	(void)state;
	for (combination = 0; combination < 1U << ARRAY_SIZE(all_bits); combination++) {
		for (read_format = 0; read_format < 32; read_format++) {
			struct pmcgrp_record_format format = {
				.sample_type = type_of(combination),
				.read_format = read_format,
			};
			bool read = format.sample_type & PERF_SAMPLE_READ;

			make_sample(&r, &format);
			assert_int_equal(pmcgrp_record_decode(&record, r.bytes, r.len, &format), 0);
			check_fields(&record, format.sample_type);
			check_chain(&record);
			assert_int_equal(record.body_size, 0);
			assert_int_equal(pmcgrp_record_is_sample(&record), read);
			assert_int_equal(pmcgrp_view_value(&record.read, 0), read ? 1000 : 0);
			nr = read_format & PERF_FORMAT_GROUP ? NR : 1;
			assert_int_equal(pmcgrp_view_nr(&record.read), read ? nr : 0);
			check_time(&r, &format, &record);
			if (read_format == 31 && r.len > 8)
				check_cuts(&r, &format);
			if (!read)
				break;
		}
	}
}

/* What a sample of perf's has beside: left as it is. */
static void sample_with_more(void **state)
{
	const struct pmcgrp_record_format format = {
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT,
		.read_format = PERF_FORMAT_GROUP,
	};
	static struct fake_record r;
	struct pmcgrp_record record;

	(void)state;
	make_sample(&r, &format);
	fake_add(&r, 1);
	fake_add(&r, IP);
	assert_int_equal(pmcgrp_record_decode(&record, r.bytes, r.len + 100, &format), 0);
	assert_int_equal(record.body_size, 16);
	assert_ptr_equal(record.body, r.bytes + r.len - 16);
	assert_int_equal(pmcgrp_view_value(&record.read, 2), 1002);
}

/* More words than the record has: also so many that their size is none. */
static void chain_too_long(void **state)
{
	static const uint64_t numbers[] = { 2, 3, 1ULL << 61, (1ULL << 61) + 1, UINT64_MAX };
	const struct pmcgrp_record_format format = { .sample_type = PERF_SAMPLE_CALLCHAIN };
	static struct fake_record r;
	struct pmcgrp_record record;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		fake_begin(&r, PERF_RECORD_SAMPLE, 0);
		fake_add(&r, numbers[i]);
		fake_add(&r, IP);
		assert_row(i, pmcgrp_record_decode(&record, r.bytes, r.len, &format) == -EBADMSG);
		assert_row(i, !record.size);
	}
}

static const struct {
	uint32_t type;
	size_t words;
	uint64_t own;		/* what its body has beside the sample_id */
	const char *name;
} others[] = {
	{ PERF_RECORD_LOST, 2, PERF_SAMPLE_ID, "lost" },
	{ PERF_RECORD_LOST_SAMPLES, 1, 0, "lost-samples" },
	{ PERF_RECORD_THROTTLE, 3, PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID,
	  "throttle" },
	{ PERF_RECORD_UNTHROTTLE, 3, PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID,
	  "unthrottle" },
	{ PERF_RECORD_SWITCH, 0, 0, "other" },
};

static void make_other(struct fake_record *r, size_t row, const struct pmcgrp_record_format *format)
{
	static const uint64_t words[][3] = {
		{ ID, 42 },
		{ 42 },
		{ TIME, ID, STREAM_ID },
		{ TIME, ID, STREAM_ID },
		{ 0 },
	};
	size_t i;

	fake_begin(r, others[row].type, 0);
	for (i = 0; i < others[row].words; i++)
		fake_add(r, words[row][i]);
	if (format->sample_id_all)
		add_sample_id(r, format->sample_type);
}

static void records_with_sample_id(void **state)
{
	static struct fake_record r;
	unsigned int combination;
	struct pmcgrp_record record;
	size_t row;

	(void)state;
	for (combination = 0; combination < 2U << ARRAY_SIZE(all_bits); combination++) {
		struct pmcgrp_record_format format = {
			.sample_type = type_of(combination / 2),
			.sample_id_all = combination & 1,
		};
		uint64_t type = format.sample_id_all ? format.sample_type : 0;

		type &= ~(uint64_t)(PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD |
				    PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
				    PERF_SAMPLE_CGROUP);
		for (row = 0; row < ARRAY_SIZE(others); row++) {
			make_other(&r, row, &format);
			assert_int_equal(pmcgrp_record_decode(&record, r.bytes, r.len, &format), 0);
			check_fields(&record, type | others[row].own);
			assert_row(row, record.lost == (row < 2 ? 42 : 0));
			assert_row(row, !record.body_size);
			assert_row(row, !pmcgrp_record_is_sample(&record));
			assert_string_equal(pmcgrp_record_name(record.type), others[row].name);
			if (type & PERF_SAMPLE_TIME)
				check_time(&r, &format, &record);
			check_cuts(&r, &format);
		}
	}
	assert_string_equal(pmcgrp_record_name(12345), "other");
	assert_string_equal(pmcgrp_record_name(PERF_RECORD_SAMPLE), "sample");
}

static void make_compact(struct fake_record *r, uint64_t time, uint16_t flags, size_t nr)
{
	struct pmcgrp_compact compact = {
		.type = PMCGRP_RECORD_COMPACT,
		.size = (uint16_t)(sizeof(compact) + 8 * nr),
		.time = time,
		.tid = TID,
		.trigger = 5,
		.flags = flags,
	};
	size_t i;

	memcpy(r->bytes, &compact, sizeof(compact));
	r->len = sizeof(compact);
	for (i = 0; i < nr; i++)
		fake_add(r, 1000 + i);
}

static void compact(void **state)
{
	const struct pmcgrp_record_format format = {
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = true,
	};
	static struct fake_record r;
	struct pmcgrp_record record;
	uint64_t ns;
	size_t nr;

	(void)state;
	for (nr = 0; nr <= 64; nr++) {
		make_compact(&r, TIME, PMCGRP_COMPACT_GAP, nr);
		assert_int_equal(pmcgrp_record_decode(&record, r.bytes, r.len, &format), 0);
		assert_int_equal(record.time, TIME);
		assert_int_equal(record.tid, TID);
		assert_int_equal(record.pid, ~0U);
		assert_int_equal(record.trigger, 5);
		assert_int_equal(record.flags, PMCGRP_COMPACT_GAP);
		assert_true(pmcgrp_record_is_sample(&record));
		assert_int_equal(pmcgrp_view_nr(&record.read), nr);
		assert_int_equal(pmcgrp_view_value(&record.read, nr - 1), nr ? 1000 + nr - 1 : 0);
		assert_int_equal(pmcgrp_view_id(&record.read, 0), 0);
		assert_false(pmcgrp_view_time_enabled(&record.read, &ns));
		check_time(&r, &format, &record);
	}
	make_compact(&r, TIME, 0, 0);
	check_cuts(&r, &format);
	assert_string_equal(pmcgrp_record_name(PMCGRP_RECORD_COMPACT), "sample");
}

static void bad_arguments(void **state)
{
	struct pmcgrp_record_format format = { .sample_type = PERF_SAMPLE_READ,
					       .read_format = 1 << 5 };
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 8 };
	struct pmcgrp_record record;

	(void)state;
	assert_int_equal(pmcgrp_record_decode(NULL, &header, 8, &format), -EINVAL);
	assert_int_equal(pmcgrp_record_decode(&record, NULL, 8, &format), -EINVAL);
	assert_int_equal(pmcgrp_record_decode(&record, &header, 8, NULL), -EINVAL);
	assert_int_equal(pmcgrp_record_decode(&record, &header, 8, &format), -EINVAL);
	format.read_format = 0;
	assert_int_equal(pmcgrp_record_decode(&record, &header, 8, &format), -EBADMSG);
}

/* ---- Deltas ---- */

static void snapshot(struct pmcgrp_record *record, uint64_t time, uint64_t enabled,
		     uint64_t running, uint64_t value, uint64_t id)
{
	const struct pmcgrp_record_format format = {
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	static struct fake_record r;

	fake_begin(&r, PERF_RECORD_SAMPLE, 0);
	fake_add(&r, time);
	fake_add(&r, 2);
	fake_add(&r, enabled);
	fake_add(&r, running);
	fake_add(&r, value);
	fake_add(&r, id);
	fake_add(&r, 2 * value);
	fake_add(&r, id + 1);
	assert_int_equal(pmcgrp_record_decode(record, r.bytes, r.len, &format), 0);
}

static void deltas(void **state)
{
	struct pmcgrp_record lost = { .type = PERF_RECORD_LOST, .lost = 3 };
	struct pmcgrp_record throttle = { .type = PERF_RECORD_THROTTLE };
	struct pmcgrp_delta d = { 0 };
	struct pmcgrp_record record;

	(void)state;
	snapshot(&record, 1000, 500, 500, 10, 7);
	assert_false(pmcgrp_delta_update(&d, &record));
	assert_int_equal(d.nr, 2);
	assert_int_equal(d.value[0] + d.time + d.enabled + d.lost, 0);
	assert_false(d.waited);

	snapshot(&record, 1100, 600, 600, 15, 7);
	assert_true(pmcgrp_delta_update(&d, &record));
	assert_int_equal(d.time, 100);
	assert_int_equal(d.enabled, 100);
	assert_int_equal(d.value[0], 5);
	assert_int_equal(d.value[1], 10);
	assert_false(d.waited || d.throttled);

	assert_false(pmcgrp_delta_update(&d, &lost));
	assert_false(pmcgrp_delta_update(&d, &lost));
	assert_false(pmcgrp_delta_update(&d, &throttle));
	assert_int_equal(d.lost, 0);
	snapshot(&record, 1300, 800, 700, 16, 7);
	assert_true(pmcgrp_delta_update(&d, &record));
	assert_int_equal(d.lost, 6);
	assert_true(d.waited && d.throttled);
	assert_int_equal(d.running, 100);

	/* Another group's: nothing to compare with. */
	snapshot(&record, 1400, 900, 900, 16, 70);
	assert_false(pmcgrp_delta_update(&d, &record));
	assert_int_equal(d.lost, 0);
	assert_int_equal(d.value[0] + d.time, 0);
	snapshot(&record, 1500, 1000, 1000, 16, 70);
	assert_true(pmcgrp_delta_update(&d, &record));
	assert_false(d.waited || d.throttled);
}

static void delta_of_compact(void **state)
{
	const struct pmcgrp_record_format format = { 0 };
	static struct fake_record r;
	struct pmcgrp_delta d = { 0 };
	struct pmcgrp_record record;

	(void)state;
	make_compact(&r, 100, 0, 64);
	pmcgrp_record_decode(&record, r.bytes, r.len, &format);
	assert_false(pmcgrp_delta_update(&d, &record));
	make_compact(&r, 130, PMCGRP_COMPACT_GAP, 64);
	r.words[3] += 9;
	pmcgrp_record_decode(&record, r.bytes, r.len, &format);
	assert_true(pmcgrp_delta_update(&d, &record));
	assert_true(d.waited);
	assert_int_equal(d.time, 30);
	assert_int_equal(d.value[0], 9);
	assert_int_equal(d.value[63], 0);
	/* More than a group can have: those that it can. */
	make_compact(&r, 130, 0, 100);
	pmcgrp_record_decode(&record, r.bytes, r.len, &format);
	assert_true(pmcgrp_delta_update(&d, &record));
	assert_int_equal(d.nr, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples),
		cmocka_unit_test(sample_with_more),
		cmocka_unit_test(chain_too_long),
		cmocka_unit_test(records_with_sample_id),
		cmocka_unit_test(compact),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(deltas),
		cmocka_unit_test(delta_of_compact),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
