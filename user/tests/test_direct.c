// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Direct reading where it cannot be: the page is found, its reason told, and the read falls
 * back. (What is read where it can be is measured and checked in guests: selftests/bench.)
 */
#include "test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#define FULL (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	      PERF_FORMAT_TOTAL_TIME_RUNNING)

static const uint64_t words[] = { 1, 10, 10, 42, 7 };

static struct pmcgrp_group *group_of_fd(int fd, uint64_t flags, uint64_t read_format)
{
	struct pmcgrp_group *group = calloc(1, sizeof(*group));

	assert_non_null(group);
	group->backend = PMCGRP_BACKEND_DEVICE;
	group->nr = 1;
	group->flags = flags;
	group->read_format = read_format;
	group->page_read_size = SIZE_MAX;
	group->full_read_size = SIZE_MAX;
	group->fd = fd;
	direct_map(group);
	return group;
}

/* A group whose descriptor gives a read at offset 0 and has a page where the module has it. */
static struct pmcgrp_group *group_with(const struct pmcgrp_direct *page, uint64_t flags,
				       uint64_t read_format)
{
	int fd = memfd_create("group", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, words, sizeof(words), 0), sizeof(words));
	assert_int_equal(pwrite(fd, page, sizeof(*page), PMCGRP_DIRECT_OFFSET), sizeof(*page));
	return group_of_fd(fd, flags, read_format);
}

static void check_read(struct pmcgrp_group *group)
{
	uint64_t out[8] = { 0 };

	lseek(group->fd, 0, SEEK_SET);
	assert_int_equal(pmcgrp_read_direct(group, out, sizeof(words)), sizeof(words));
	assert_memory_equal(out, words, sizeof(words));
}

static const struct {
	uint64_t flags, read_format;
	struct pmcgrp_direct page;
	enum pmcgrp_why why;
	bool mapped;
} rows[] = {
	{ 0, FULL, { .nr = 1 }, PMCGRP_WHY_FLAGS, false },
	{ PMCGRP_CREATE_DIRECT, FULL, { .nr = 1 }, PMCGRP_WHY_NONE, true },
	{ PMCGRP_CREATE_DIRECT, PERF_FORMAT_GROUP, { .nr = 1 }, PMCGRP_WHY_NONE, true },
	{ PMCGRP_CREATE_DIRECT, FULL, { .why = PMCGRP_WHY_USER_ACCESS }, PMCGRP_WHY_USER_ACCESS,
	  true },
	{ PMCGRP_CREATE_DIRECT, FULL, { .why = PMCGRP_WHY_NOT_DIRECT }, PMCGRP_WHY_NOT_DIRECT,
	  true },
	{ PMCGRP_CREATE_DIRECT, 0, { .nr = 1 }, PMCGRP_WHY_READ_FORMAT, false },
	{ PMCGRP_CREATE_DIRECT, FULL | PMCGRP_FORMAT_LOST, { .nr = 1 }, PMCGRP_WHY_READ_FORMAT,
	  false },
#if !defined(__aarch64__) && !defined(__x86_64__)
	/* Whatever a page may say, here nobody can. */
	{ PMCGRP_CREATE_DIRECT, FULL, { .nr = 1, .until = UINT64_MAX }, PMCGRP_WHY_NONE, true },
#endif
};

static void falls_back(void **state)
{
	struct pmcgrp_group *group;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		group = group_with(&rows[i].page, rows[i].flags, rows[i].read_format);
		assert_row(i, !!group->page == rows[i].mapped);
		assert_row(i, pmcgrp_group_direct_why(group) == rows[i].why);
		check_read(group);
		pmcgrp_group_close(group);
	}
}

static void small_buffer(void **state)
{
	struct pmcgrp_direct page = { .nr = 1, .until = UINT64_MAX };
	struct pmcgrp_group *group = group_with(&page, PMCGRP_CREATE_DIRECT, FULL);
	uint64_t out[2] = { 0 };

	(void)state;
	/* It is the kernel's to say what is wrong; this file gives what fits. */
	lseek(group->fd, 0, SEEK_SET);
	assert_int_equal(pmcgrp_read_direct(group, out, 8), 8);
	assert_int_equal(out[0], words[0]);
	assert_int_equal(out[1], 0);
	pmcgrp_group_close(group);
}

/* A module that knows the flag but has no page for us. */
static void no_page(void **state)
{
	struct pmcgrp_group *group;
	uint64_t out[8] = { 0 };
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	group = group_of_fd(fds[0], PMCGRP_CREATE_DIRECT, FULL);
	assert_null(group->page);
	assert_int_equal(pmcgrp_group_direct_why(group), PMCGRP_WHY_NOMEM);
	assert_int_equal(write(fds[1], words, sizeof(words)), sizeof(words));
	assert_int_equal(pmcgrp_read_direct(group, out, sizeof(out)), sizeof(words));
	assert_memory_equal(out, words, sizeof(words));
	close(fds[1]);
	pmcgrp_group_close(group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(falls_back),
		cmocka_unit_test(small_buffer),
		cmocka_unit_test(no_page),
	};

	return cmocka_run_group_tests_name("direct", tests, NULL, NULL);
}
