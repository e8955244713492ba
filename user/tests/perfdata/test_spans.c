// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Records of spans as samples of a group, whose values are sums over the spans of a ring. */
#include "test.h"

#include "perfdata/spans.h"

#define TIME_ID		99
#define CGROUP		4711
#define RINGS		2

static const struct record_event names[] = { { .name = "vfs_read" }, { .name = "vfs_write" } };
static const struct record_event members[] = {
	{ .name = "time" }, { .name = "a" }, { .name = "b" },
};
/* Of two groups: their spans', the time's, their members'. */
static const uint64_t ids[] = { 11, 12, TIME_ID, 13, 14, 21, 22, TIME_ID, 23, 24 };

static struct record_desc desc = {
	.triggers = names,
	.nr_triggers = 2,
	.members = members,
	.nr_members = 3,
	.ids = ids,
	.nr_groups = 2,
	.group_rings = 1,
	.nr_rings = RINGS,
};

/* The last record that the sink has got, and how many it has. */
static struct {
	struct record_sink sink;
	struct pmcgrp_record record;
	uint64_t value[3];
	unsigned int nr;
	int ret;
} got;

static int take(struct record_sink *sink, const struct pmcgrp_record *record, const void *bytes,
		const struct pmcgrp_delta *delta)
{
	size_t i;

	assert_ptr_equal(sink, &got.sink);
	assert_non_null(bytes);
	assert_null(delta);
	got.record = *record;
	for (i = 0; i < pmcgrp_view_nr(&record->read) && i < ARRAY_SIZE(got.value); i++)
		got.value[i] = pmcgrp_view_value(&record->read, i);
	got.nr++;
	return got.ret;
}

static int setup(void **state)
{
	memset(&got, 0, sizeof(got));
	got.sink.put = take;
	desc.format.sample_type = RECORD_SPAN_TYPE;
	return record_spans_new((struct record_spans **)state, &desc);
}

static int teardown(void **state)
{
	record_spans_free(*state);
	return 0;
}

/* As the kernel writes it, of @nr members; 0: of no span. */
static int put(struct record_spans *spans, uint32_t ring, uint64_t id, uint32_t nr, uint64_t time)
{
	struct {
		struct perf_event_header header;
		uint64_t id;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint32_t raw_size;
		char raw[sizeof(struct pmcgrp_span_sample) + 3 * sizeof(uint64_t) + 4];
		uint64_t cgroup;
	} bytes = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(bytes) }, .id = id,
		    .pid = 7, .tid = 8, .time = time, .cpu = ring, .raw_size = 4 };
	const struct pmcgrp_span_sample head = { .section = 1, .begin = time - 5, .duration = 5,
						 .nr = nr, .value_offset = sizeof(head) };
	const uint64_t values[3] = { 100, 1000, 10000 }, cgroup = CGROUP;
	struct pmcgrp_record record;
	size_t size = offsetof(typeof(bytes), raw) + 4;

	if (nr) {
		bytes.raw_size = (uint32_t)(sizeof(head) + nr * sizeof(uint64_t) + 4);
		memcpy(bytes.raw, &head, sizeof(head));
		memcpy(bytes.raw + sizeof(head), values, nr * sizeof(uint64_t));
		size = offsetof(typeof(bytes), raw) + bytes.raw_size;
	}
	if (desc.format.sample_type & PERF_SAMPLE_CGROUP) {
		memcpy((char *)&bytes + size, &cgroup, sizeof(cgroup));
		size += sizeof(cgroup);
	}
	bytes.header.size = (uint16_t)size;
	assert_int_equal(pmcgrp_record_decode(&record, &bytes, size, &desc.format), 0);
	record.ring = ring;
	return record_spans_put(spans, &got.sink, &record, &bytes);
}

static void expect_sample(uint64_t id, unsigned int nr, uint64_t spans, const uint64_t *member_ids)
{
	unsigned int i;

	assert_int_equal(got.nr, nr);
	assert_int_equal(got.record.type, PERF_RECORD_SAMPLE);
	assert_int_equal(got.record.id, id);
	assert_int_equal(got.record.pid, 7);
	assert_int_equal(got.record.tid, 8);
	assert_int_equal(got.record.has & RECORD_SAMPLE_TYPE, RECORD_SAMPLE_TYPE);
	assert_int_equal(pmcgrp_view_nr(&got.record.read), 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(pmcgrp_view_id(&got.record.read, i), member_ids[i]);
	assert_int_equal(got.value[0], 5 * spans);
	assert_int_equal(got.value[1], 100 * spans);
	assert_int_equal(got.value[2], 1000 * spans);
}

/* Of both spans of a ring; before the first one there is a sample of nothing. */
static void sums(void **state)
{
	struct record_spans *spans = *state;

	assert_int_equal(put(spans, 0, 11, 2, 1000), 0);
	expect_sample(11, 2, 1, ids + 2);
	assert_int_equal(got.record.misc, 0);
	assert_int_equal(got.record.time, 1000);
	assert_int_equal(got.record.ring, 0);
	assert_int_equal(put(spans, 0, 12, 2, 2000), 0);
	expect_sample(12, 3, 2, ids + 2);
	/* Another ring begins anew. */
	assert_int_equal(put(spans, 1, 21, 2, 3000), 0);
	expect_sample(21, 5, 1, ids + 7);
	assert_int_equal(got.record.cpu, 1);
	assert_int_equal(put(spans, 0, 11, 2, 4000), 0);
	expect_sample(11, 6, 3, ids + 2);
}

static void nothing_at_first(void **state)
{
	struct record_spans *spans = *state;

	/* The sink takes no more after that. */
	got.ret = -ENOSPC;
	assert_int_equal(put(spans, 0, 11, 2, 1000), -ENOSPC);
	expect_sample(TIME_ID, 1, 0, ids + 2);
	assert_int_equal(got.record.time, 1000);
	assert_int_equal(got.record.misc, PMCGRP_RECORD_MISC_SWITCH);
}

static void by_cgroup(void **state)
{
	(void)state;
	record_spans_free(*state);
	desc.format.sample_type |= PERF_SAMPLE_CGROUP;
	assert_int_equal(record_spans_new((struct record_spans **)state, &desc), 0);
	assert_int_equal(put(*state, 0, 11, 2, 1000), 0);
	expect_sample(11, 2, 1, ids + 2);
	assert_true(got.record.has & PERF_SAMPLE_CGROUP);
	assert_int_equal(got.record.cgroup, CGROUP);
}

static void cannot_be(void **state)
{
	struct record_spans *spans = *state;

	assert_int_equal(put(spans, 0, 13, 0, 1000), 0);
	assert_int_equal(got.nr, 0);
	assert_int_equal(put(spans, 0, 11, 1, 1000), -EBADMSG);
	assert_int_equal(put(spans, 0, 11, 3, 1000), -EBADMSG);
	assert_int_equal(put(spans, RINGS, 11, 2, 1000), -EBADMSG);
	assert_int_equal(got.nr, 0);
}

/* As they are. */
static void others(void **state)
{
	const struct perf_event_header bytes = { .type = PERF_RECORD_LOST };
	const struct pmcgrp_record record = { .type = PERF_RECORD_LOST, .lost = 3, .ring = 1 };

	assert_int_equal(record_spans_put(*state, &got.sink, &record, &bytes), 0);
	assert_int_equal(got.nr, 1);
	assert_int_equal(got.record.lost, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_at_first, setup, teardown),
		cmocka_unit_test_setup_teardown(by_cgroup, setup, teardown),
		cmocka_unit_test_setup_teardown(cannot_be, setup, teardown),
		cmocka_unit_test_setup_teardown(others, setup, teardown),
	};

	return cmocka_run_group_tests_name("perfdata_spans", tests, NULL, NULL);
}
