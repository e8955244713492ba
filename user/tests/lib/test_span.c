// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Spans as the library asks for them, by an ioctl(2) that is this file's own. */
#include "test.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"
#include "rights.h"

#define FD 1000		/* no descriptor of this process */

/* What the module was asked for, and what it answers. */
static struct {
	enum pmcgrp_why why;
	int err;
	struct pmcgrp_span_add asked;
	unsigned int calls;
} module;

/* In place of libc's, for everything in this program. */
int ioctl(int fd, unsigned long request, ...)
{
	struct pmcgrp_span_add *add;
	va_list args;

	va_start(args, request);
	add = va_arg(args, struct pmcgrp_span_add *);
	va_end(args);
	assert_int_equal(fd, FD);
	assert_int_equal(request, PMCGRP_IOC_SPAN);
	module.calls++;
	module.asked = *add;
	add->why = module.why;
	if (module.err) {
		errno = module.err;
		return -1;
	}
	add->id = 7;
	add->record_id = 78;
	return 0;
}

static struct pmcgrp handle = { .backend = PMCGRP_BACKEND_DEVICE };
static struct pmcgrp_group group = { .backend = PMCGRP_BACKEND_DEVICE, .fd = FD };

static void asked(void **state)
{
	const char *name = "reads";
	struct pmcgrp_span_spec spec = {
		.kind = PMCGRP_SECTION_FUNCTION,
		.begin = "vfs_read",
		.max_active = 5,
		.name = name,
	};
	uint64_t id = 0;

	(void)state;
	memset(&module, 0, sizeof(module));
	assert_int_equal(pmcgrp_group_add_span(&handle, &group, &spec, &id), 0);
	assert_int_equal(id, 7);
	assert_int_equal(module.asked.size, sizeof(module.asked));
	assert_int_equal(module.asked.kind, PMCGRP_SECTION_FUNCTION);
	assert_int_equal(module.asked.max_active, 5);
	assert_string_equal((const char *)(uintptr_t)module.asked.begin, "vfs_read");
	assert_true(module.asked.name == (uintptr_t)name);
	spec.name = NULL;
	spec.max_active = 0;
	assert_int_equal(pmcgrp_group_add_span(&handle, &group, &spec, NULL), 0);
	assert_int_equal(module.asked.name, 0);
	assert_int_equal(module.asked.max_active, 0);
}

static void asked_of_tracepoints(void **state)
{
	const struct pmcgrp_span_spec spec = {
		.kind = PMCGRP_SECTION_TRACEPOINTS,
		.begin = "sched_waking",
		.end = "sched_switch",
		.key = PMCGRP_SPAN_KEY_ARG,
		.begin_arg = 1,
		.end_arg = 500,
		.arg_size = 8,
	};

	(void)state;
	memset(&module, 0, sizeof(module));
	assert_int_equal(pmcgrp_group_add_span(&handle, &group, &spec, NULL), 0);
	assert_int_equal(module.asked.kind, PMCGRP_SECTION_TRACEPOINTS);
	assert_string_equal((const char *)(uintptr_t)module.asked.end, "sched_switch");
	assert_int_equal(module.asked.key, PMCGRP_SPAN_KEY_ARG);
	assert_int_equal(module.asked.begin_arg, 1);
	assert_int_equal(module.asked.end_arg, 255);
	assert_int_equal(module.asked.arg_size, 8);
	assert_int_equal(module.asked.__reserved | module.asked.__reserved2, 0);
}

static void asked_by_key(void **state)
{
	const uint64_t cgroup = 77;
	const struct pmcgrp_key_options by = {
		.type = PMCGRP_KEY_COMMAND,
		.depth = 3,	/* of no use to commands, nor to a list */
		.cgroups = &cgroup,
		.nr_cgroups = 1,
		.slots = 300,
	};
	struct pmcgrp_span_spec spec = { .kind = PMCGRP_SECTION_FUNCTION, .begin = "f", .by = &by };
	uint64_t record_id = 0;

	(void)state;
	memset(&module, 0, sizeof(module));
	assert_int_equal(pmcgrp_group_add_span(&handle, &group, &spec, NULL), 0);
	assert_int_equal(module.asked.by, 1 + PMCGRP_KEY_COMMAND);
	assert_int_equal(module.asked.depth, PMCGRP_KEYS_LEAF);
	assert_true(module.asked.cgroups == (uintptr_t)&cgroup);
	assert_int_equal(module.asked.nr_cgroups, 1);
	assert_int_equal(module.asked.slots, 300);
	assert_int_equal(module.asked.flags, 0);
	spec.histograms = true;
	assert_int_equal(pmcgrp_group_add_span(&handle, &group, &spec, NULL), 0);
	assert_int_equal(module.asked.flags, PMCGRP_SPAN_HISTOGRAMS);
	spec.histograms = false;
	spec.by = NULL;
	spec.record = true;
	spec.record_id = &record_id;
	assert_int_equal(pmcgrp_group_add_span(&handle, &group, &spec, NULL), 0);
	assert_int_equal(module.asked.by | module.asked.depth | module.asked.slots, 0);
	assert_true(!module.asked.cgroups && !module.asked.nr_cgroups);
	assert_int_equal(module.asked.flags, PMCGRP_SPAN_RECORD);
	assert_int_equal(record_id, 78);
}

static const struct {
	enum pmcgrp_why why;
	int err;
	const char *says;
} rows[] = {
	{ PMCGRP_WHY_PERMISSION, EACCES, "CAP_PERFMON" },
	{ PMCGRP_WHY_NOMEM, ENOMEM, "no memory for 20000 calls" },
	{ PMCGRP_WHY_SPAN_KIND, EINVAL, "at most 16384" },
	{ PMCGRP_WHY_SPAN_NAME, EINVAL, "512 characters" },
	{ PMCGRP_WHY_SPAN_GROUP, EOPNOTSUPP, "more than 8 members" },
	{ PMCGRP_WHY_SPANS_MAX, ENOSPC, "64 spans already" },
	{ PMCGRP_WHY_SPAN_UNKNOWN, ENOENT, "no such function" },
	{ PMCGRP_WHY_SPAN_REFUSED, EINVAL, "be probed: Invalid argument" },
	{ PMCGRP_WHY_SPAN_UNSUPPORTED, EOPNOTSUPP, "built with CONFIG_KRETPROBES" },
	{ PMCGRP_WHY_SPAN_KEY, EINVAL, "from 0 to 4" },
	{ PMCGRP_WHY_SPANS_ROOM, ENOSPC, "20000 more calls" },
	{ PMCGRP_WHY_MEMORY_MAX, ENOSPC, "rings_max_mb): end some" },
	{ PMCGRP_WHY_MEMLOCK, EPERM, "RLIMIT_MEMLOCK): end some" },
	{ PMCGRP_WHY_SPAN_FILE, ENOENT, "probed: No such file" },
	{ PMCGRP_WHY_SPAN_BY, EINVAL, "at most 16384 slots" },
	{ PMCGRP_WHY_SPAN_RING, EINVAL, "PERF_SAMPLE_RAW: give it that first" },
	{ PMCGRP_WHY_NO_CGROUPS, EOPNOTSUPP, "built without them" },
	{ PMCGRP_WHY_NONE, ENOTTY, "older than this library" },
	{ PMCGRP_WHY_RESERVED, EINVAL, "refused it: Invalid argument (reason 2" },
	{ PMCGRP_WHY_NONE, EFAULT, "refused it: Bad address" },
};

static const struct pmcgrp_span_spec f = { .kind = PMCGRP_SECTION_FUNCTION, .begin = "f" };
static const struct pmcgrp_span_spec many = {
	.kind = PMCGRP_SECTION_FUNCTION,
	.begin = "f",
	.max_active = 20000,
};

static void refused(void **state)
{
	const char *text;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		module.why = rows[i].why;
		module.err = rows[i].err;
		assert_row(i, pmcgrp_group_add_span(&handle, &group, &many, NULL) ==
				      -rows[i].err);
		text = pmcgrp_strerror(&handle);
		assert_row(i, !strncmp(text, "span f: ", 8));
		if (!strstr(text, rows[i].says))
			fail_msg("'%s' lacks '%s'", text, rows[i].says);
		assert_row(i, pmcgrp_error_why(&handle) == rows[i].why);
	}
}

/* Confidentiality alone keeps root from spans, too. */
static void locked(void **state)
{
	static const char *const modes[] = { "none [integrity] confidentiality\n",
					     "none integrity [confidentiality]\n" };
	const char *saved = rights_lockdown_file;
	char path[] = "/tmp/span.XXXXXX";
	unsigned int i;
	int fd;

	(void)state;
	fd = mkstemp(path);
	assert_true(fd >= 0);
	rights_lockdown_file = path;
	module.why = PMCGRP_WHY_PERMISSION;
	module.err = EACCES;
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		assert_int_equal(pwrite(fd, modes[i], strlen(modes[i]), 0), strlen(modes[i]));
		assert_row(i, pmcgrp_group_add_span(&handle, &group, &many, NULL) == -EACCES);
		assert_row(i, !strstr(pmcgrp_strerror(&handle), "lockdown is on (confidentiality") == !i);
	}
	rights_lockdown_file = saved;
	close(fd);
	unlink(path);
}

/* Nothing is asked of the module. */
static void no_group(void **state)
{
	struct pmcgrp_group perf = { .backend = PMCGRP_BACKEND_PERF };

	(void)state;
	module.calls = 0;
	assert_int_equal(pmcgrp_group_add_span(NULL, &group, &f, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_add_span(&handle, NULL, &f, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_add_span(&handle, &group, NULL, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_add_span(&handle, &group, &(struct pmcgrp_span_spec){ 0 }, NULL),
			 -EINVAL);
	assert_int_equal(pmcgrp_group_add_span(&handle, &perf, &f, NULL), -EOPNOTSUPP);
	assert_non_null(strstr(pmcgrp_strerror(&handle), "load the module"));
	assert_int_equal(module.calls, 0);
}

/* ---- Records ---- */

/* A sample with PERF_SAMPLE_ID and PERF_SAMPLE_RAW alone, of so many members. */
static size_t make_record(unsigned char *bytes, uint32_t nr)
{
	const struct pmcgrp_span_sample head = { .section = 3, .begin = 100, .duration = 20, .nr = nr,
						 .value_offset = sizeof(head) };
	uint32_t raw_size = (uint32_t)(sizeof(head) + nr * sizeof(uint64_t) + 4), i;
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE };
	uint64_t id = 77, value;
	size_t at = sizeof(header) + sizeof(id);

	header.size = (uint16_t)(at + sizeof(raw_size) + raw_size);
	memset(bytes, 0, header.size);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &id, sizeof(id));
	memcpy(bytes + at, &raw_size, sizeof(raw_size));
	at += sizeof(raw_size);
	memcpy(bytes + at, &head, sizeof(head));
	at += sizeof(head);
	for (i = 0; i < nr; i++, at += sizeof(value)) {
		value = 1000 + i;
		memcpy(bytes + at, &value, sizeof(value));
	}
	return header.size;
}

static const struct pmcgrp_record_format raw_format = {
	.sample_type = PERF_SAMPLE_ID | PERF_SAMPLE_RAW,
};

static void record_of_span(void **state)
{
	struct pmcgrp_span_values span;
	struct pmcgrp_record record;
	unsigned char bytes[512];
	uint32_t nr, i;
	size_t size;

	(void)state;
	for (nr = 1; nr <= PMCGRP_SECTION_MEMBERS_MAX; nr++) {
		size = make_record(bytes, nr);
		assert_int_equal(pmcgrp_record_decode(&record, bytes, size, &raw_format), 0);
		assert_true(record.has & PERF_SAMPLE_RAW);
		assert_int_equal(record.id, 77);
		assert_int_equal(record.body_size, 0);
		assert_int_equal(pmcgrp_record_span(&record, &span), 0);
		assert_int_equal(span.id, 3);
		assert_int_equal(span.begin, 100);
		assert_int_equal(span.duration, 20);
		assert_int_equal(span.nr, nr);
		for (i = 0; i < nr; i++)
			assert_int_equal(span.value[i], 1000 + i);
	}
}

/* Of no span, and what cannot be. */
static void record_of_others(void **state)
{
	const size_t raw = sizeof(struct perf_event_header) + sizeof(uint64_t);
	struct pmcgrp_record_format format = { .sample_type = PERF_SAMPLE_ID };
	struct pmcgrp_span_values span;
	struct pmcgrp_record record;
	unsigned char bytes[512];
	size_t size = make_record(bytes, 2);
	uint32_t value = 4;

	(void)state;
	assert_int_equal(pmcgrp_record_decode(&record, bytes, size, &format), 0);
	assert_int_equal(pmcgrp_record_span(&record, &span), -ENOENT);
	assert_int_equal(pmcgrp_record_span(NULL, &span), -EINVAL);
	assert_int_equal(pmcgrp_record_span(&record, NULL), -EINVAL);
	memcpy(bytes + raw, &value, sizeof(value));
	assert_int_equal(pmcgrp_record_decode(&record, bytes, size, &raw_format), 0);
	assert_int_equal(record.raw_size, 4);
	assert_int_equal(pmcgrp_record_span(&record, &span), -ENOENT);
	value = 20;
	memcpy(bytes + raw, &value, sizeof(value));
	assert_int_equal(pmcgrp_record_decode(&record, bytes, size, &raw_format), 0);
	assert_int_equal(pmcgrp_record_span(&record, &span), -EBADMSG);
	/* more members than there are values */
	size = make_record(bytes, 2);
	value = 3;
	memcpy(bytes + raw + 4 + offsetof(struct pmcgrp_span_sample, nr), &value, sizeof(value));
	assert_int_equal(pmcgrp_record_decode(&record, bytes, size, &raw_format), 0);
	assert_int_equal(pmcgrp_record_span(&record, &span), -EBADMSG);
	assert_int_equal(span.nr, 0);
	/* more raw data than the record has */
	value = 500;
	memcpy(bytes + raw, &value, sizeof(value));
	assert_int_equal(pmcgrp_record_decode(&record, bytes, size, &raw_format), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked),
		cmocka_unit_test(asked_of_tracepoints),
		cmocka_unit_test(asked_by_key),
		cmocka_unit_test(refused),
		cmocka_unit_test(locked),
		cmocka_unit_test(no_group),
		cmocka_unit_test(record_of_span),
		cmocka_unit_test(record_of_others),
	};

	return cmocka_run_group_tests_name("span", tests, NULL, NULL);
}
