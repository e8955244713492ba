// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Cgroups by id and path, in folders that stand for theirs. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cgroups.h"

static char dir[] = "/tmp/pmcgrp cgroups XXXXXX";
static char mountinfo[256];

static void run(const char *command)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "cd '%s' && %s", dir, command);
	assert_int_equal(system(whole), 0);
}

/* A mount in a folder of @dir, beside others. The blank is written as the kernel does. */
static void mounts_are(const char *before, const char *folder, const char *rest)
{
	char escaped[256], *out = escaped;
	const char *in;
	FILE *file;

	for (in = dir; *in; in++)
		out += sprintf(out, "%.*s", *in == ' ' ? 4 : 1, *in == ' ' ? "\\040" : in);
	file = fopen(mountinfo, "w");
	fputs("21 1 0:20 / /proc rw - proc proc rw\n", file);
	fprintf(file, "%s30 21 0:26 / %s/%s rw,nosuid %s\n", before, escaped, folder, rest);
	fclose(file);
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/pmcgrp cgroups XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(mountinfo, sizeof(mountinfo), "%s/mountinfo", dir);
	run("mkdir -p two/a/b two/z 'two/a c' && touch two/cgroup.procs two/a/cgroup.procs");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	run("rm -rf \"$PWD\"");
	return 0;
}

static uint64_t inode(const char *path)
{
	char whole[512];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s/two%s", dir, path);
	assert_int_equal(stat(whole, &st), 0);
	return st.st_ino;
}

static void both_ways(void **state)
{
	static const char *const paths[] = { "/", "/a", "/a c", "/a/b", "/z" };
	struct pmcgrp_cgroups *c;
	char whole[512];
	bool removed = true;
	uint64_t id;
	size_t i;

	(void)state;
	mounts_are("", "two", "shared:4 - cgroup2 cgroup2 rw");
	assert_int_equal(cgroups_open(&c, mountinfo, false), 0);
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_string_equal(pmcgrp_cgroups_at(c, i), paths[i]);
		assert_row(i, !pmcgrp_cgroups_id(c, paths[i], &id) && id == inode(paths[i]));
		assert_row(i, !pmcgrp_cgroups_id(c, paths[i] + 1, &id) && id == inode(paths[i]));
		assert_string_equal(pmcgrp_cgroups_path(c, id, &removed), paths[i]);
		assert_row(i, !removed);
		snprintf(whole, sizeof(whole), "%s%s", pmcgrp_cgroups_root(c), paths[i]);
		assert_row(i, !pmcgrp_cgroups_id(c, whole, &id) && id == inode(paths[i]));
	}
	assert_null(pmcgrp_cgroups_at(c, i));
	assert_int_equal(pmcgrp_cgroups_id(c, "a/none", &id), -ENOENT);
	assert_int_equal(pmcgrp_cgroups_id(c, "cgroup.procs", &id), -ENOENT);
	assert_int_equal(pmcgrp_cgroups_id(c, "cgroup.procs/x", &id), -ENOENT);
	assert_null(pmcgrp_cgroups_path(c, 1, NULL));
	pmcgrp_cgroups_free(c);
}

static void come_and_go(void **state)
{
	struct pmcgrp_cgroups *c;
	bool removed;
	uint64_t z;

	(void)state;
	mounts_are("", "two", "- cgroup2 cgroup2 rw");
	assert_int_equal(cgroups_open(&c, mountinfo, false), 0);
	z = inode("/z");
	run("mkdir two/a/new && rmdir two/z");
	assert_null(pmcgrp_cgroups_path(c, inode("/a/new"), NULL));
	assert_int_equal(pmcgrp_cgroups_update(c, false), 0);
	assert_string_equal(pmcgrp_cgroups_path(c, inode("/a/new"), &removed), "/a/new");
	assert_false(removed);
	assert_string_equal(pmcgrp_cgroups_path(c, z, &removed), "/z");
	assert_true(removed);
	assert_string_equal(pmcgrp_cgroups_at(c, 4), "/a/new");
	assert_null(pmcgrp_cgroups_at(c, 5));
	assert_int_equal(pmcgrp_cgroups_update(c, true), 0);
	assert_null(pmcgrp_cgroups_path(c, z, NULL));
	run("rm -r two");
	assert_int_equal(pmcgrp_cgroups_update(c, false), -ENOENT);
	pmcgrp_cgroups_free(c);
	pmcgrp_cgroups_free(NULL);
}

/* The hierarchy of version 1 that has perf_event comes before that of version 2. */
static void which_mount(void **state)
{
	struct pmcgrp_cgroups *c;

	(void)state;
	mounts_are("29 21 0:25 / /elsewhere rw - cgroup2 cgroup2 rw\n"
		   "28 21 0:25 / /cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
		   "two", "shared:9 - cgroup cgroup rw,perf_event");
	assert_int_equal(cgroups_open(&c, mountinfo, false), 0);
	assert_non_null(strstr(pmcgrp_cgroups_root(c), " cgroups "));
	pmcgrp_cgroups_free(c);
	mounts_are("nonsense\n - \n30 - cgroup2 a b\n", "two", "- cgroup cgroup rw,cpu");
	assert_int_equal(cgroups_open(&c, mountinfo, false), -ENOENT);
	assert_null(c);
	mounts_are("", "none", "- cgroup2 cgroup2 rw");
	assert_int_equal(cgroups_open(&c, mountinfo, false), -ENOENT);
	assert_int_equal(cgroups_open(&c, "/no/such/file", false), -ENOENT);
	assert_int_equal(pmcgrp_cgroups_new(NULL), -EINVAL);
	assert_int_equal(pmcgrp_cgroups_new_unified(NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(come_and_go, setup, teardown),
		cmocka_unit_test_setup_teardown(which_mount, setup, teardown),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
