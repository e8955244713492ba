// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Units, pods and jobs from the paths of cgroups, as systemd, the kubelet and slurmd make them. */
#include "test.h"

#include "export/cgroup_name.h"

#define UID "0f1e2d3c-1111-2222-3333-444455556666"

static const struct {
	const char *path;
	const char *name[CGROUP_PARTS];
	const char *of[CGROUP_PARTS]; /* its own path */
} rows[] = {
	{ "/", { "", "", "" }, { "", "", "" } },
	{ "/init.scope", { "init.scope", "", "" }, { "/init.scope", "", "" } },
	{ "/system.slice/ssh.service", { "ssh.service", "", "" }, { "/system.slice/ssh.service", "", "" } },
	{ "/system.slice/ssh.service/a/b", { "ssh.service", "", "" }, { "/system.slice/ssh.service", "", "" } },
	{ "/user.slice/user-0.slice/user@0.service/app.slice/x.service",
	  { "x.service", "", "" },
	  { "/user.slice/user-0.slice/user@0.service/app.slice/x.service", "", "" } },
	{ "/system.slice", { "", "", "" }, { "", "", "" } },
	{ "/.service", { "", "", "" }, { "", "", "" } },
	{ "/kubepods/burstable/pod" UID "/1234", { "", UID, "" }, { "", "/kubepods/burstable/pod" UID, "" } },
	{ "/kubepods.slice/kubepods-burstable.slice/"
	  "kubepods-burstable-pod0f1e2d3c_1111_2222_3333_444455556666.slice/cri-containerd-12.scope",
	  { "cri-containerd-12.scope", UID, "" },
	  { "/kubepods.slice/kubepods-burstable.slice/"
	    "kubepods-burstable-pod0f1e2d3c_1111_2222_3333_444455556666.slice/cri-containerd-12.scope",
	    "/kubepods.slice/kubepods-burstable.slice/"
	    "kubepods-burstable-pod0f1e2d3c_1111_2222_3333_444455556666.slice",
	    "" } },
	{ "/kubepods/pod0123456789abcdef0123456789abcdef", { "", "0123456789abcdef0123456789abcdef", "" }, { "", "/kubepods/pod0123456789abcdef0123456789abcdef", "" } },
	{ "/podman/podX", { "", "", "" }, { "", "", "" } },
	{ "/kubepods.slice", { "", "", "" }, { "", "", "" } },
	{ "/k.slice", { "", "", "" }, { "", "", "" } },
	{ "/system.slice/slurmstepd.scope/job_123/step_0/user/task_0",
	  { "slurmstepd.scope", "", "123" },
	  { "/system.slice/slurmstepd.scope", "", "/system.slice/slurmstepd.scope/job_123" } },
	{ "/job_12x", { "", "", "" }, { "", "", "" } },
	{ "/job_", { "", "", "" }, { "", "", "" } },
};

static void paths(void **state)
{
	char name[CGROUP_NAME_SIZE];
	unsigned int part;
	size_t i, len;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (part = 0; part < CGROUP_PARTS; part++) {
			len = cgroup_name((enum cgroup_part)part, rows[i].path, name);
			assert_row(i, !strcmp(name, rows[i].name[part]));
			assert_row(i, len == strlen(rows[i].of[part]));
			assert_row(i, !strncmp(rows[i].path, rows[i].of[part], len));
		}
	}
}

static void long_names(void **state)
{
	char path[600] = "/", name[CGROUP_NAME_SIZE];

	(void)state;
	memset(path + 1, 'a', 247);
	strcpy(path + 248, ".service");
	assert_int_equal(cgroup_name(CGROUP_UNIT, path, name), strlen(path));
	memset(path + 1, 'a', 500);
	strcpy(path + 501, ".service");
	assert_int_equal(cgroup_name(CGROUP_UNIT, path, name), 0);
	assert_string_equal(name, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests_name("cgroup_name", tests, NULL, NULL);
}
