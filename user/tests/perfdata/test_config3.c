// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What of an attr is in a perf.data file: all that says what was counted.  config3 makes attrs as
 * large as those of Linux 6.3, and only then: an older perf refuses these.
 */
#include "test.h"

#include "perfdata/format.h"
#include "perfdata/reader.h"
#include "perfdata/head.h"

#define TYPE 4242	/* no PMU's */

static const struct record_event trigger = {
	.name = "probe",
	.attr.type = 8,
	.attr.config1 = 0x7f00dead0000,
	.name_only = true,
};

static const uint64_t ids[] = { 1, 2, 3 };

/* Two members, one with config3 or none. */
static void file_make(struct perfdata_head *head, uint64_t config3)
{
	struct record_event members[] = {
		{ .name = "first", .attr.type = TYPE, .attr.config = 1, .attr.config1 = 2,
		  .attr.config2 = 3 },
		{ .name = "second", .attr.type = TYPE, .attr.config = 4 },
	};
	const struct record_desc desc = {
		.ids = ids,
		.nr_groups = 1,
		.triggers = &trigger,
		.nr_triggers = 1,
		.members = members,
		.nr_members = ARRAY_SIZE(members),
		.format = { RECORD_SAMPLE_TYPE, RECORD_READ_FORMAT, true },
		.nr_rings = 1,
	};

	attr_config3_set(&members[1].wide, config3);
	assert_int_equal(perfdata_head_make(head, &desc), 0);
}

static void check_file(uint64_t config3, uint32_t size, const char *second)
{
	const struct perf_event_attr *attr;
	struct perfdata_header header;
	struct perfdata_reader reader;
	struct perfdata_head head;
	unsigned int i;

	file_make(&head, config3);
	memcpy(&header, head.bytes, sizeof(header));
	assert_int_equal(header.attr_size, size + sizeof(struct perfdata_section));
	/* Without the table at the end, so that the names are made of the attrs. */
	assert_int_equal(perfdata_read_bytes(&reader, head.bytes, head.len), 0);
	assert_int_equal(reader.nr_events, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(reader.events[i].attr.size, size);
	/* What a probe refers to is no more. */
	attr = &reader.events[0].attr;
	assert_true(attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY);
	assert_true(!attr->config1 && !attr_config3(attr));
	attr = &reader.events[1].attr;
	assert_true(attr->type == TYPE && attr->config == 1 && attr->config1 == 2);
	assert_true(attr->config2 == 3 && !attr_config3(attr));
	assert_string_equal(reader.events[1].name,
			    "type4242/config=0x1,config1=0x2,config2=0x3/");
	assert_true(attr_config3(&reader.events[2].attr) == config3);
	assert_string_equal(reader.events[2].name, second);
	perfdata_read_close(&reader);
	perfdata_head_free(&head);
}

static void written(void **state)
{
	(void)state;
	check_file(0, PERF_ATTR_SIZE_VER5, "type4242/config=0x4/");
	check_file(0x500000009, PERF_ATTR_SIZE_VER8, "type4242/config=0x4,config3=0x500000009/");
}

/* An event of which a file has so much. */
static void check_size(size_t size, const char *name)
{
	unsigned char bytes[sizeof(struct perfdata_header) + 256] = { 0 };
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
		.attr_size = size + sizeof(struct perfdata_section),
		.attrs = { sizeof(header), size + sizeof(struct perfdata_section) },
	};
	struct perfdata_reader reader;
	union attr_wide wide;

	memset(&wide, 0, sizeof(wide));
	wide.attr = (struct perf_event_attr){ .type = TYPE, .size = (uint32_t)size, .config = 1 };
	attr_config3_set(&wide, 7);
	header.data.offset = header.attrs.offset + header.attrs.size;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), wide.bytes, size < sizeof(wide) ? size : sizeof(wide));
	assert_int_equal(perfdata_read_bytes(&reader, bytes, header.data.offset), 0);
	assert_int_equal(reader.nr_events, 1);
	assert_string_equal(reader.events[0].name, name);
	perfdata_read_close(&reader);
}

/* A newer kernel's attr has more behind it, an older one's ends before it. */
static void read_sizes(void **state)
{
	(void)state;
	check_size(PERF_ATTR_SIZE_VER0, "type4242/config=0x1/");
	check_size(PERF_ATTR_SIZE_VER7, "type4242/config=0x1/");
	check_size(PERF_ATTR_SIZE_VER8, "type4242/config=0x1,config3=0x7/");
	check_size(PERF_ATTR_SIZE_VER8 + 64, "type4242/config=0x1,config3=0x7/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written),
		cmocka_unit_test(read_sizes),
	};

	return cmocka_run_group_tests_name("config3", tests, NULL, NULL);
}
