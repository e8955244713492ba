// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Sections as the library fetches them, from an ioctl(2) that is this file's own. */
#include "test.h"

#include <sys/ioctl.h>

#include "internal.h"

#define DEV 1000		/* no descriptor of this process */
#define GROUP 77

/* What the module would know, and how it behaves. */
static struct {
	uint32_t nr_members;
	uint32_t grows;		/* members more each time that it is asked */
	int err;		/* fails with this */
	bool no_end;		/* the name fills its field */
	unsigned int nr_sections;
	unsigned int calls;
} module;

static int refuse(int err)
{
	errno = err;
	return -1;
}

static void answer(struct pmcgrp_section_info *info, uint64_t id)
{
	struct pmcgrp_section_stat *stat = (void *)(uintptr_t)info->stats;
	uint32_t i;

	info->id = id;
	info->group = GROUP;
	info->count = 5 * id;
	info->missed[PMCGRP_MISSED_OFF] = id;
	info->nr_members = module.nr_members;
	module.nr_members += module.grows;
	if (module.no_end)
		memset(info->name, 'x', sizeof(info->name));
	else
		strcpy(info->name, "lock");
	for (i = 0; i < info->nr_stats && i <= info->nr_members; i++)
		stat[i] = (struct pmcgrp_section_stat){ .type = i, .sum = 10 * id + i,
							.bucket[64] = i };
}

/* In place of libc's, for everything in this program. Ids of sections are 10, 20 and so on. */
int ioctl(int fd, unsigned long request, ...)
{
	struct pmcgrp_section_info *info;
	va_list args;
	uint64_t id;

	va_start(args, request);
	info = va_arg(args, struct pmcgrp_section_info *);
	va_end(args);
	module.calls++;
	if (module.err)
		return refuse(module.err);
	if (fd != DEV || request != PMCGRP_IOC_SECTION_NEXT)
		return refuse(ENOTTY);
	if (info->size != sizeof(*info) || info->flags || info->count || info->name[0] ||
	    info->stat_size != sizeof(struct pmcgrp_section_stat))
		return refuse(EINVAL);
	id = info->id > 10 ? (info->id + 9) / 10 * 10 : 10;
	if (id / 10 > module.nr_sections)
		return refuse(ENOENT);
	answer(info, id);
	return 0;
}

static struct pmcgrp handle = { .backend = PMCGRP_BACKEND_DEVICE, .dev = DEV };

static void module_is(uint32_t nr_members, unsigned int nr_sections)
{
	memset(&module, 0, sizeof(module));
	module.nr_members = nr_members;
	module.nr_sections = nr_sections;
}

static void walk(void **state)
{
	struct pmcgrp_section_info *section;
	uint64_t id = 0;
	unsigned int nr;

	(void)state;
	module_is(2, 3);
	for (nr = 1; !pmcgrp_section_next(&handle, id, &section); nr++) {
		assert_int_equal(section->id, 10 * nr);
		assert_int_equal(section->group, GROUP);
		assert_int_equal(section->count, 50 * nr);
		assert_int_equal(section->missed[PMCGRP_MISSED_OFF], 10 * nr);
		assert_string_equal(section->name, "lock");
		assert_int_equal(pmcgrp_section_stat(section, 0)->sum, 100 * nr);
		assert_int_equal(pmcgrp_section_stat(section, 2)->sum, 100 * nr + 2);
		assert_int_equal(pmcgrp_section_stat(section, 2)->bucket[64], 2);
		assert_null(pmcgrp_section_stat(section, 3));
		assert_null(pmcgrp_section_stat(section, UINT32_MAX));
		id = section->id + 1;
		pmcgrp_section_free(section);
	}
	assert_int_equal(nr, 4);
	assert_int_equal(pmcgrp_section_next(&handle, id, &section), -ENOENT);
	assert_null(section);
	pmcgrp_section_free(NULL);
}

/* There is room for each member, however many there are when the module is asked again. */
static void room(void **state)
{
	static const struct {
		uint32_t nr_members, grows, calls;
		int ret;
	} rows[] = {
		{ 0, 0, 1, 0 },
		{ 8, 0, 1, 0 },
		{ 9, 0, 2, 0 },
		{ 64, 0, 2, 0 },
		{ 9, 1, 57, -EPROTO },
		{ 65, 0, 1, -EPROTO },
		{ UINT32_MAX, 0, 1, -EPROTO },
	};
	struct pmcgrp_section_info *section;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		module_is(rows[i].nr_members, 1);
		module.grows = rows[i].grows;
		section = (void *)1;
		assert_row(i, pmcgrp_section_next(&handle, 0, &section) == rows[i].ret);
		assert_row(i, module.calls == rows[i].calls);
		assert_row(i, !section == !!rows[i].ret);
		if (rows[i].ret) {
			assert_row(i, strstr(pmcgrp_strerror(&handle), "cannot list the sections"));
			continue;
		}
		assert_row(i, section->nr_members == rows[i].nr_members);
		assert_row(i, pmcgrp_section_stat(section, rows[i].nr_members)->type ==
				      rows[i].nr_members);
		assert_row(i, !pmcgrp_section_stat(section, rows[i].nr_members + 1));
		pmcgrp_section_free(section);
	}
}

static void names_end(void **state)
{
	struct pmcgrp_section_info *section;

	(void)state;
	module_is(1, 1);
	module.no_end = true;
	assert_int_equal(pmcgrp_section_next(&handle, 0, &section), 0);
	assert_int_equal(strlen(section->name), PMCGRP_SECTION_NAME_MAX - 1);
	pmcgrp_section_free(section);
}

static void refused(void **state)
{
	static const struct {
		int err;
		const char *says;
	} rows[] = {
		{ ENOTTY, "knows no sections: it is older than this library" },
		{ EIO, "cannot list the sections: Input/output error" },
	};
	struct pmcgrp perf = { .backend = PMCGRP_BACKEND_PERF, .dev = -1 };
	struct pmcgrp_section_info *section;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		module_is(1, 1);
		module.err = rows[i].err;
		section = (void *)1;
		assert_row(i, pmcgrp_section_next(&handle, 0, &section) == -rows[i].err);
		assert_row(i, !section);
		assert_row(i, strstr(pmcgrp_strerror(&handle), rows[i].says));
	}
	module_is(1, 1);
	assert_int_equal(pmcgrp_section_next(&perf, 0, &section), -EOPNOTSUPP);
	assert_non_null(strstr(pmcgrp_strerror(&perf), "no sections of kernel modules"));
	assert_int_equal(pmcgrp_section_next(&perf, 0, NULL), -EINVAL);
	assert_int_equal(pmcgrp_section_next(NULL, 0, &section), -EINVAL);
	assert_int_equal(module.calls, 0);
}

static void reasons(void **state)
{
	unsigned int i, k;

	(void)state;
	assert_string_equal(pmcgrp_missed_name(PMCGRP_MISSED_BUSY), "busy");
	assert_string_equal(pmcgrp_missed_name(PMCGRP_MISSED_OFF), "off");
	assert_string_equal(pmcgrp_missed_name(PMCGRP_MISSED_MOVED), "moved");
	assert_string_equal(pmcgrp_missed_name(PMCGRP_MISSED_LIMIT), "limit");
	assert_string_equal(pmcgrp_missed_name(PMCGRP_MISSED_GONE + 1), "unknown");
	assert_string_equal(pmcgrp_missed_name(UINT32_MAX), "unknown");
	for (i = 0; i <= PMCGRP_MISSED_GONE + 1; i++) {
		assert_true(strlen(pmcgrp_missed_text(i)) > 10);
		for (k = 0; k < i; k++)
			assert_string_not_equal(pmcgrp_missed_text(i), pmcgrp_missed_text(k));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walk),
		cmocka_unit_test(room),
		cmocka_unit_test(names_end),
		cmocka_unit_test(refused),
		cmocka_unit_test(reasons),
	};

	return cmocka_run_group_tests_name("section", tests, NULL, NULL);
}
