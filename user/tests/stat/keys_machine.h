/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A machine with cgroups that are folders, and what a stand-in for the module has counted by key there. */
#ifndef KEYS_MACHINE_H
#define KEYS_MACHINE_H

#include "event/uncore_machine.h"
#include "tool.h"

#define FAKE_KEYS "env FAKE_SYS=%s LD_PRELOAD=${T%%/*}/fake_module.so " \
		  "ASAN_OPTIONS=verify_asan_link_order=0 $T %s"

static inline struct result run_fake(const char *args)
{
	char line[1024];

	snprintf(line, sizeof(line), FAKE_KEYS, fake_root, args);
	return run(line);
}

static inline int keys_machine(void **state)
{
	static const char *const cgroups[] = { "cg/a", "cg/a/b", "cg/web-1", "cg/web-2" };
	char text[256];
	size_t i;

	if (intel_server(state))
		return -1;
	for (i = 0; i < ARRAY_SIZE(cgroups); i++)
		put_as("", "%s/cgroup.procs", cgroups[i]);
	snprintf(text, sizeof(text), "30 21 0:26 / %s/cg rw - cgroup2 cgroup2 rw\n", fake_root);
	put("mountinfo", text);
	return 0;
}

static inline unsigned long long id_of(const char *cgroup)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/cg/%s", fake_root, cgroup);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static inline void processes_are(void)
{
	put("keys", "0 100 5000 1000000 1000 sort\n1 100 5000 500000 500 sort\n"
		    "0 200 6000 2000000 4000 cat,x\n1 0 0 3000000 7 swapper\n"
		    "1 300 7000 100000 3 true\n0 400 8000 100000 2 true\n"
		    "1 18446744073709551615 0 100000 30000 out\n");
}

static inline void cgroups_are(void)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "0 %llu 0 1000000 1000 sort\n1 %llu 0 500000 500 sort\n0 %llu 0 2000000 4000 cat\n"
		 "1 0 0 3000000 7 swapper\n1 999999999 0 100000 3 true\n"
		 "1 18446744073709551615 0 100000 30000 out\n",
		 id_of("a"), id_of("a/b"), id_of("web-1"));
	put("keys", text);
}

#endif
