// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The cgroups of samples: their paths, which are wanted, and of which a file has been told. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cgroups.h"
#include "perfdata/cgroups.h"

static char dir[64];

static void run(const char *command)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "cd %s && %s", dir, command);
	assert_int_equal(system(whole), 0);
}

static uint64_t inode(const char *path)
{
	char whole[128];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s/%s", dir, path);
	assert_int_equal(stat(whole, &st), 0);
	return st.st_ino;
}

static int setup(void **state)
{
	struct pmcgrp_cgroups *known;
	char mounts[128];
	FILE *file;

	strcpy(dir, "/tmp/pmcgrp-cgroups-XXXXXX");
	assert_non_null(mkdtemp(dir));
	run("mkdir -p a/b ab");
	snprintf(mounts, sizeof(mounts), "%s.mounts", dir);
	file = fopen(mounts, "w");
	fprintf(file, "30 21 0:26 / %s rw - cgroup2 cgroup2 rw\n", dir);
	fclose(file);
	assert_int_equal(cgroups_open(&known, mounts, false), 0);
	assert_int_equal(record_cgroups_new((struct record_cgroups **)state, known), 0);
	return unlink(mounts);
}

static int teardown(void **state)
{
	record_cgroups_free(*state);
	run("rm -rf \"$PWD\"");
	return 0;
}

static void paths(void **state)
{
	struct record_cgroups *c = *state;
	uint64_t later;

	assert_string_equal(record_cgroups_path(c, inode("")), "/");
	assert_string_equal(record_cgroups_path(c, inode("a/b")), "/a/b");
	assert_null(record_cgroups_path(c, 999999999));
	/* One that is made meanwhile is found, though not at once. */
	run("mkdir later");
	later = inode("later");
	assert_null(record_cgroups_path(c, later));
	usleep(110000);
	assert_string_equal(record_cgroups_path(c, later), "/later");
	/* One that is removed keeps its path, */
	run("rmdir later");
	usleep(110000);
	assert_null(record_cgroups_path(c, 999999999));
	assert_string_equal(record_cgroups_path(c, later), "/later");
	/* and so does one that the kernel has told of. */
	assert_int_equal(record_cgroups_learn(c, 999999999, "/gone"), 0);
	assert_string_equal(record_cgroups_path(c, 999999999), "/gone");
}

static void wanted(void **state)
{
	struct record_cgroups *c = *state;

	assert_true(record_cgroups_wanted(c, 999999999));
	assert_int_equal(record_cgroups_want(c, "/a"), 0);
	assert_true(record_cgroups_wanted(c, inode("a")));
	assert_true(record_cgroups_wanted(c, inode("a/b")));
	assert_false(record_cgroups_wanted(c, inode("ab")));
	assert_false(record_cgroups_wanted(c, inode("")));
	assert_false(record_cgroups_wanted(c, 999999999));
	/* Its path is known later. */
	assert_int_equal(record_cgroups_learn(c, 999999999, "/a/new"), 0);
	assert_true(record_cgroups_wanted(c, 999999999));
}

static void the_root(void **state)
{
	struct record_cgroups *c = *state;

	assert_int_equal(record_cgroups_want(c, "/"), 0);
	assert_true(record_cgroups_wanted(c, inode("")));
	assert_true(record_cgroups_wanted(c, inode("a/b")));
	assert_false(record_cgroups_wanted(c, 999999999));
}

/* Once in each file. */
static void news(void **state)
{
	struct record_cgroups *c = *state;
	uint64_t a = inode("a"), b = inode("a/b");

	assert_string_equal(record_cgroups_news(c, a), "/a");
	assert_null(record_cgroups_news(c, a));
	assert_string_equal(record_cgroups_news(c, b), "/a/b");
	assert_null(record_cgroups_news(c, 999999999));
	record_cgroups_begin(c);
	assert_string_equal(record_cgroups_news(c, a), "/a");
	assert_null(record_cgroups_news(c, a));
}

/* More than there is room for at first, in no order. */
static void many(void **state)
{
	struct record_cgroups *c = *state;
	char path[32];
	uint64_t i;

	for (i = 1; i <= 1000; i++) {
		snprintf(path, sizeof(path), "/%d", (int)(i * 7919 % 1009));
		assert_int_equal(record_cgroups_learn(c, 1ULL << 40 | i * 7919 % 1009, path), 0);
	}
	for (i = 1; i <= 1000; i++) {
		snprintf(path, sizeof(path), "/%d", (int)(i * 7919 % 1009));
		assert_string_equal(record_cgroups_path(c, 1ULL << 40 | i * 7919 % 1009), path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(paths, setup, teardown),
		cmocka_unit_test_setup_teardown(wanted, setup, teardown),
		cmocka_unit_test_setup_teardown(the_root, setup, teardown),
		cmocka_unit_test_setup_teardown(news, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
	};

	return cmocka_run_group_tests_name("recorded cgroups", tests, NULL, NULL);
}
