// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Infos as the library fetches them, from an ioctl(2) that is this file's own. */
#include "test.h"

#include <sys/ioctl.h>

#include "groups/info_set.h"
#include "internal.h"

#define DEV 1000		/* no descriptor of this process */
#define GROUP 1001
#define ID (1ULL << 40)

/* What the module would know, and how it behaves. */
static struct {
	uint32_t nr_members;
	uint32_t nr_cpus;
	uint32_t grows;		/* how often there is more when it is asked again */
	int err;		/* fails with this */
	bool lies;		/* ENOSPC, although there is room; or none, where there is not */
	unsigned int nr_groups;
	unsigned int calls;
} module;

static int refuse(int err)
{
	errno = err;
	return -1;
}

static int answer(struct pmcgrp_info *info, uint64_t id)
{
	struct pmcgrp_info_member *members = (void *)(uintptr_t)info->members;
	struct pmcgrp_info_cpu *cpus = (void *)(uintptr_t)info->cpus;
	uint32_t i, room_members = info->nr_members, room_cpus = info->nr_cpus;

	info->id = id;
	info->nr_members = module.nr_members;
	info->nr_cpus = module.nr_cpus;
	if (room_members < module.nr_members || room_cpus < module.nr_cpus) {
		if (module.grows) {
			module.grows--;
			module.nr_cpus += 100;
		}
		return module.lies ? 0 : refuse(ENOSPC);
	}
	if (module.lies)
		return refuse(ENOSPC);
	for (i = 0; i < module.nr_members; i++)
		members[i] = (struct pmcgrp_info_member){ .id = id + i, .type = PERF_TYPE_RAW,
							  .config = i };
	for (i = 0; i < module.nr_cpus; i++)
		cpus[i] = (struct pmcgrp_info_cpu){ .cpu = (int)i, .counter = -1 };
	return 0;
}

/* In place of libc's, for everything in this program. */
int ioctl(int fd, unsigned long request, ...)
{
	struct pmcgrp_info *info;
	unsigned int nr;
	va_list args;

	va_start(args, request);
	info = va_arg(args, struct pmcgrp_info *);
	va_end(args);
	module.calls++;
	if (module.err)
		return refuse(module.err);
	if (info->size != sizeof(*info) || info->flags ||
	    info->member_size != sizeof(struct pmcgrp_info_member) ||
	    info->cpu_size != sizeof(struct pmcgrp_info_cpu))
		return refuse(EINVAL);
	if (fd == GROUP && request == PMCGRP_IOC_INFO)
		return info->id ? refuse(EINVAL) : answer(info, ID);
	if (fd != DEV || request != PMCGRP_IOC_INFO_NEXT)
		return refuse(ENOTTY);
	for (nr = 0; nr < module.nr_groups; nr++) {
		if (info->id <= ID + 100 * nr)
			return answer(info, ID + 100 * nr);
	}
	return refuse(ENOENT);
}

static void module_is(uint32_t nr_members, uint32_t nr_cpus)
{
	memset(&module, 0, sizeof(module));
	module.nr_members = nr_members;
	module.nr_cpus = nr_cpus;
	module.nr_groups = 3;
}

/* Every array is as large as it must be, also if it has grown meanwhile. */
static void sizes(void **state)
{
	static const struct {
		uint32_t nr_members, nr_cpus, grows, calls;
	} rows[] = {
		{ 1, 1, 0, 1 },
		{ 0, 0, 0, 1 },
		{ 64, 1, 0, 2 },
		{ 2, 1000, 0, 2 },
		{ 64, 64 * 512, 0, 2 },
		{ 2, 1000, 5, 7 },
	};
	struct pmcgrp_info *info;
	uint32_t k;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		module_is(rows[i].nr_members, rows[i].nr_cpus);
		module.grows = rows[i].grows;
		assert_row(i, !pmcgrp_info_fd(GROUP, &info));
		assert_row(i, module.calls == rows[i].calls);
		assert_row(i, info->id == ID);
		assert_row(i, info->nr_members == rows[i].nr_members);
		assert_row(i, info->nr_cpus == rows[i].nr_cpus + 100 * rows[i].grows);
		assert_row(i, !pmcgrp_info_member(info, info->nr_members));
		assert_row(i, !pmcgrp_info_cpu(info, info->nr_cpus));
		assert_row(i, !pmcgrp_info_member(info, UINT32_MAX));
		for (k = 0; k < info->nr_members; k++)
			assert_row(i, pmcgrp_info_member(info, k)->id == ID + k);
		for (k = 0; k < info->nr_cpus; k++)
			assert_row(i, pmcgrp_info_cpu(info, k)->cpu == (int)k);
		pmcgrp_info_free(info);
	}
	pmcgrp_info_free(NULL);
}

static void failures(void **state)
{
	struct pmcgrp_group group = { .backend = PMCGRP_BACKEND_PERF, .fd = GROUP };
	struct pmcgrp_info *info = (void *)1;

	(void)state;
	module_is(1, 1);
	assert_int_equal(pmcgrp_group_info(&group, &info), -EOPNOTSUPP);
	assert_null(info);
	assert_int_equal(module.calls, 0);
	group.backend = PMCGRP_BACKEND_DEVICE;
	assert_int_equal(pmcgrp_group_info(&group, &info), 0);
	pmcgrp_info_free(info);
	module.err = ENOTTY;
	assert_int_equal(pmcgrp_group_info(&group, &info), -ENOTTY);
	assert_null(info);
	/* A module that does not keep to the ABI is asked no more than is of use. */
	module_is(1, 1);
	module.lies = true;
	assert_int_equal(pmcgrp_info_fd(GROUP, &info), -EPROTO);
	assert_int_equal(module.calls, 1);
	module_is(1, 1000);
	module.lies = true;
	assert_int_equal(pmcgrp_info_fd(GROUP, &info), -EPROTO);
	assert_null(info);
	assert_int_equal(pmcgrp_info_fd(GROUP, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_info(NULL, &info), -EINVAL);
	assert_int_equal(pmcgrp_group_info(&group, NULL), -EINVAL);
}

static void walk(void **state)
{
	struct pmcgrp h = { .backend = PMCGRP_BACKEND_DEVICE, .dev = DEV };
	struct info_set set = { 0 };
	struct pmcgrp_info *info;

	(void)state;
	module_is(2, 200);
	assert_int_equal(info_set_take(&set, &h), 0);
	assert_int_equal(set.nr, 3);
	assert_int_equal(set.groups[2].info->id, ID + 200);
	assert_string_equal(set.groups[2].names[1], "r1");
	assert_ptr_equal(info_set_find(&set, ID + 101), &set.groups[1]);
	assert_null(info_set_find(&set, ID + 102));
	assert_null(info_set_find(&set, 0));
	info_set_free(&set);
	assert_int_equal(pmcgrp_info_next(&h, ID + 201, &info), -ENOENT);
	assert_null(info);
	assert_string_equal(pmcgrp_strerror(&h), "");
	module.nr_groups = 0;
	assert_int_equal(info_set_take(&set, &h), 0);
	assert_int_equal(set.nr, 0);
	info_set_free(&set);
}

static void refused(void **state)
{
	static const struct {
		int err;
		enum pmcgrp_why why;
		const char *says;
	} rows[] = {
		{ EACCES, PMCGRP_WHY_PERMISSION, "run as root, or with CAP_SYS_ADMIN" },
		{ ENOTTY, PMCGRP_WHY_NONE, "older than this library" },
		{ EIO, PMCGRP_WHY_NONE, "cannot list the groups: Input/output error" },
	};
	struct pmcgrp h = { .backend = PMCGRP_BACKEND_DEVICE, .dev = DEV };
	struct info_set set = { 0 };
	struct pmcgrp_info *info;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		module_is(1, 1);
		module.err = rows[i].err;
		assert_row(i, info_set_take(&set, &h) == -rows[i].err);
		assert_row(i, strstr(pmcgrp_strerror(&h), rows[i].says));
		assert_row(i, pmcgrp_error_why(&h) == rows[i].why);
		info_set_free(&set);
	}
	h.backend = PMCGRP_BACKEND_PERF;
	assert_int_equal(pmcgrp_info_next(&h, 0, &info), -EOPNOTSUPP);
	assert_non_null(strstr(pmcgrp_strerror(&h), "perf_event_open cannot list"));
	assert_int_equal(pmcgrp_info_next(&h, 0, NULL), -EINVAL);
	assert_int_equal(pmcgrp_info_next(NULL, 0, &info), -EINVAL);
}

/* As the kernel has made it of such an attr. */
static void attrs(void **state)
{
	struct perf_event_attr attr, expected = {
		.type = PERF_TYPE_RAW,
		.size = PERF_ATTR_SIZE_VER1,
		.config = 0x1a8,
		.config1 = 2,
		.config2 = 3,
		.exclude_kernel = 1,
		.exclude_guest = 1,
	};
	struct pmcgrp_info_member member = { .type = PERF_TYPE_RAW, .config = 0x1a8, .config1 = 2,
					     .config2 = 3 };

	(void)state;
	memcpy(&member.bits, (char *)&expected + 40, sizeof(member.bits));
	memset(&attr, 0xff, sizeof(attr));
	pmcgrp_info_attr(&member, &attr);
	assert_memory_equal(&attr, &expected, PERF_ATTR_SIZE_VER1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(failures),
		cmocka_unit_test(walk),
		cmocka_unit_test(refused),
		cmocka_unit_test(attrs),
	};

	return cmocka_run_group_tests_name("info", tests, NULL, NULL);
}
