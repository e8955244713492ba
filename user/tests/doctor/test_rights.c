// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What doctor says of the module, of rights, and of those who have counters. */
#include "test.h"

#include "fixture.h"

static void put_rights(const struct fixture *x, const char *caps, const char *paranoid,
		       const char *kptr)
{
	char text[256];

	snprintf(text, sizeof(text), "Name:\tpmcgrp\nUid:\t1000\t1001\t1001\t1001\nCapEff:\t%s\n",
		 caps);
	put(x, "/proc/self/status", text);
	put(x, "/proc/sys/kernel/perf_event_paranoid", paranoid);
	put(x, "/proc/sys/kernel/kptr_restrict", kptr);
	put(x, "/proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	put(x, "/proc/sys/kernel/perf_cpu_time_max_percent", "25\n");
	put(x, "/proc/sys/kernel/perf_event_mlock_kb", "516\n");
	put(x, "/proc/self/limits",
	    "Limit                     Soft Limit           Hard Limit           Units     \n"
	    "Max locked memory         8388608              8388608              bytes     \n");
}

static void a_user(void **state)
{
	static const struct {
		const char *paranoid;
		enum verdict verdict;
		const char *text;
	} levels[] = {
		{ "3\n", DOCTOR_WARNING, "3: perf_event_open(2) is closed" },
		{ "2\n", DOCTOR_WARNING, "2: perf_event_open(2) counts user mode of own tasks" },
		{ "1\n", DOCTOR_WARNING, "1: perf_event_open(2) counts own tasks, but no CPUs" },
		{ "0\n", DOCTOR_OK, "0: perf_event_open(2) counts all but" },
		{ "-1\n", DOCTOR_OK, "-1: perf_event_open(2)" },
		{ "many\n", DOCTOR_UNKNOWN, "no number" },
	};
	struct fixture x;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		fixture_begin(&x, "x86_64", "6.12.0");
		put_rights(&x, "0000000000000000", levels[i].paranoid, "1\n");
		doctor_rights(&x.d);
		expect_finding(&x, "user", DOCTOR_OK, "1001");
		expect_finding(&x, "CAP_PERFMON", DOCTOR_WARNING, "not effective");
		expect_advice(&x, "CAP_PERFMON", "setcap cap_perfmon=ep");
		expect_finding(&x, "CAP_SYS_ADMIN", DOCTOR_WARNING, "not effective");
		expect_finding(&x, "perf_event_paranoid", levels[i].verdict, levels[i].text);
		expect_finding(&x, "kptr_restrict", DOCTOR_WARNING, "1: addresses of kernel");
		expect_finding(&x, "max_sample_rate", DOCTOR_OK, "100000 a second");
		expect_finding(&x, "cpu_time_max", DOCTOR_OK, "lowers the rate above beyond it");
		expect_finding(&x, "mlock_kb", DOCTOR_OK, "516 KiB");
		expect_finding(&x, "RLIMIT_MEMLOCK", DOCTOR_OK, "8192 KiB");
		fixture_end(&x);
	}
}

static void capabilities(void **state)
{
	static const struct {
		const char *caps, *kptr;
		enum verdict perfmon, admin, names;
	} rows[] = {
		/* CAP_PERFMON alone; with CAP_SYSLOG; CAP_SYS_ADMIN, which is no CAP_SYSLOG; all */
		{ "0000004000000000", "1\n", DOCTOR_OK, DOCTOR_WARNING, DOCTOR_WARNING },
		{ "0000004400000000", "1\n", DOCTOR_OK, DOCTOR_WARNING, DOCTOR_OK },
		{ "0000000000200000", "1\n", DOCTOR_OK, DOCTOR_OK, DOCTOR_WARNING },
		{ "000001ffffffffff", "1\n", DOCTOR_OK, DOCTOR_OK, DOCTOR_OK },
		{ "000001ffffffffff", "2\n", DOCTOR_OK, DOCTOR_OK, DOCTOR_WARNING },
		/* At 0 perf_event_paranoid decides: here it is 2 */
		{ "0000004000000000", "0\n", DOCTOR_OK, DOCTOR_WARNING, DOCTOR_WARNING },
	};
	const struct finding *names;
	struct fixture x;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_begin(&x, "x86_64", "6.12.0");
		put_rights(&x, rows[i].caps, "2\n", rows[i].kptr);
		doctor_rights(&x.d);
		expect_finding(&x, "CAP_PERFMON", rows[i].perfmon, "effective");
		expect_finding(&x, "CAP_SYS_ADMIN", rows[i].admin, "effective");
		expect_finding(&x, "perf_event_paranoid", DOCTOR_OK, "2: not for this process");
		names = nth(&x, "kptr_restrict", 0);
		assert_row(i, names && names->verdict == rows[i].names);
		fixture_end(&x);
	}
	fixture_begin(&x, "x86_64", "6.12.0");
	put_rights(&x, "0", "1\n", "0\n");
	put(&x, "/proc/sys/kernel/perf_event_max_sample_rate", "3000\n");
	put(&x, "/proc/sys/kernel/perf_cpu_time_max_percent", "0\n");
	put(&x, "/proc/self/limits", "Max locked memory         unlimited unlimited bytes\n");
	doctor_rights(&x.d);
	expect_finding(&x, "kptr_restrict", DOCTOR_OK, "have their names");
	expect_finding(&x, "max_sample_rate", DOCTOR_WARNING, "3000 a second");
	expect_finding(&x, "cpu_time_max", DOCTOR_OK, "never lowers");
	expect_finding(&x, "RLIMIT_MEMLOCK", DOCTOR_OK, "unlimited");
	fixture_end(&x);
}

static void no_proc(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.0");
	doctor_rights(&x.d);
	doctor_holders(&x.d);
	expect_finding(&x, "CAP_PERFMON", DOCTOR_UNKNOWN, "does not tell");
	expect_finding(&x, "perf_event_paranoid", DOCTOR_UNKNOWN, "No such file");
	expect_finding(&x, "RLIMIT_MEMLOCK", DOCTOR_UNKNOWN, "does not tell");
	expect_finding(&x, "descriptors", DOCTOR_UNKNOWN, "/proc: No such file");
	fixture_end(&x);
}

/* ---- The module ---- */

static void missing(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.1");
	doctor_module(&x.d);
	expect_finding(&x, "loaded", DOCTOR_PROBLEM, "no");
	expect_advice(&x, "loaded", "build and load it");
	expect_finding(&x, "modprobe", DOCTOR_WARNING, "/lib/modules/6.12.1/modules.dep");
	expect_finding(&x, "DKMS", DOCTOR_OK, "does not know");
	expect_finding(&x, "kernel headers", DOCTOR_WARNING, "/lib/modules/6.12.1/build");
	fixture_end(&x);

	/* Installed for this kernel: modprobe is all that is to be done. */
	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/lib/modules/6.12.1/modules.dep",
	    "kernel/x/notpmcgrp.ko: a.ko\nkernel/pmcgrp.koala: \nupdates/dkms/pmcgrp.ko.xz:\n");
	put(&x, "/lib/modules/6.12.1/build/Makefile", "");
	put(&x, "/var/lib/dkms/pmcgrp/0.1.0/6.12.1/x86_64/module/pmcgrp.ko.xz", "");
	put(&x, "/var/lib/dkms/pmcgrp/0.1.0/6.1.0-9/x86_64/module/pmcgrp.ko.xz", "");
	put_link(&x, "/var/lib/dkms/pmcgrp/0.1.0/source", "/usr/src/pmcgrp-0.1.0");
	doctor_module(&x.d);
	expect_advice(&x, "loaded", "modprobe pmcgrp");
	expect_finding(&x, "modprobe", DOCTOR_OK, "would load updates/dkms/pmcgrp.ko.xz");
	expect_finding(&x, "DKMS", DOCTOR_OK, "0.1.0 built for 6.1.0-9, 6.12.1");
	expect_finding(&x, "kernel headers", DOCTOR_OK, "/lib/modules/6.12.1/build");
	fixture_end(&x);

	/* For another kernel only, and a version that was never built. */
	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/var/lib/dkms/pmcgrp/0.1.0/6.1.0-9/x86_64/module/pmcgrp.ko", "");
	put(&x, "/var/lib/dkms/pmcgrp/0.2.0/build/make.log", "");
	doctor_module(&x.d);
	expect_finding(&x, "DKMS", DOCTOR_WARNING, "0.1.0 built for 6.1.0-9; 0.2.0 not built");
	expect_advice(&x, "DKMS", "dkms autoinstall -k 6.12.1");
	fixture_end(&x);

	/* What was installed for this kernel only says why it is no more. */
	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/var/lib/dkms/pmcgrp/0.1.0/6.1.0-9/x86_64/module/pmcgrp.ko", "");
	put(&x, "/var/lib/dkms/pmcgrp/0.1.0/6.12.1/x86_64/module/pmcgrp.ko", "");
	put(&x, "/var/lib/dkms/pmcgrp/0.1.0/6.12.1/x86_64/unfit", "pmcgrp cannot be built\n");
	doctor_module(&x.d);
	expect_finding(&x, "DKMS", DOCTOR_WARNING, "0.1.0 built for 6.1.0-9, cannot be built for 6.12.1");
	expect_advice(&x, "DKMS", "/var/lib/dkms/pmcgrp/*/6.12.1/*/unfit");
	fixture_end(&x);
}

static void put_module(const struct fixture *x)
{
	put(x, "/sys/module/pmcgrp/version", "0.1.0\n");
	put(x, "/sys/module/pmcgrp/refcnt", "2\n");
	put(x, "/sys/module/pmcgrp/taint", "OE\n");
	put(x, "/sys/module/pmcgrp/parameters/mux_interval_ms", "4\n");
	put(x, "/sys/module/pmcgrp/parameters/groups_max", "4096\n");
	put(x, "/dev/pmcgrp", "");
}

static void loaded(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.1");
	put_module(&x);
	x.d.dev_err = -EACCES;
	x.d.dev_says = "not permitted to open /dev/pmcgrp: do this";
	doctor_module(&x.d);
	expect_finding(&x, "loaded", DOCTOR_OK,
		       "yes, taints the kernel (O: built outside the kernel's tree, E: without");
	expect_finding(&x, "references", DOCTOR_OK, "2: open devices (none by this process)");
	expect_finding(&x, "version", DOCTOR_OK, pmcgrp_version());
	expect_finding(&x, "device", DOCTOR_OK, "/dev/pmcgrp, mode 0644");
	expect_finding(&x, "access", DOCTOR_PROBLEM, "Permission denied");
	expect_advice(&x, "access", "not permitted to open /dev/pmcgrp: do this");
	expect_finding(&x, "parameters", DOCTOR_OK, "groups_max=4096, mux_interval_ms=4");
	fixture_end(&x);
}

static void versions(void **state)
{
	static const struct {
		unsigned int abi;
		const char *release;
		enum verdict verdict;
		const char *text;
	} rows[] = {
		{ PMCGRP_ABI_VERSION, NULL, DOCTOR_OK, "module and tool" },
		{ PMCGRP_ABI_VERSION, "0.0.9", DOCTOR_WARNING, "module 0.0.9, this tool" },
		{ PMCGRP_ABI_VERSION + 1, "9.0.0", DOCTOR_PROBLEM, "module 9.0.0 has ABI" },
	};
	struct fixture x;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_begin(&x, "x86_64", "6.12.1");
		put_module(&x);
		x.d.has_query = true;
		x.d.query.abi_version = rows[i].abi;
		strcpy(x.d.query.release, rows[i].release ? rows[i].release : pmcgrp_version());
		doctor_module(&x.d);
		expect_finding(&x, "version", rows[i].verdict, rows[i].text);
		fixture_end(&x);
	}
	/* It cannot be asked: the kernel says its version. And there is no device. */
	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/sys/module/pmcgrp/version", "0.0.1\n");
	doctor_module(&x.d);
	expect_finding(&x, "loaded", DOCTOR_OK, "yes");
	expect_finding(&x, "version", DOCTOR_WARNING, "module 0.0.1, this tool");
	expect_finding(&x, "device", DOCTOR_PROBLEM, "No such file");
	assert_null(nth(&x, "references", 0));
	assert_null(nth(&x, "parameters", 0));
	fixture_end(&x);
}

/* ---- Who has counters ---- */

static void watchdog(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.0");
	put_intel(&x);
	put(&x, "/proc/sys/kernel/nmi_watchdog", "1\n");
	doctor_core_pmus(&x.d);
	doctor_holders(&x.d);
	expect_finding(&x, "NMI watchdog", DOCTOR_WARNING, "on: it is likely to have a counter");
	expect_advice(&x, "NMI watchdog", "nmi_watchdog=0");
	expect_finding(&x, "descriptors", DOCTOR_OK, "no process has any");
	findings_free(&x.d.findings);
	put(&x, "/proc/sys/kernel/nmi_watchdog", "0\n");
	doctor_holders(&x.d);
	expect_finding(&x, "NMI watchdog", DOCTOR_OK, "off");
	findings_free(&x.d.findings);
	/* Without a PMU it has none. */
	put(&x, "/proc/sys/kernel/nmi_watchdog", "1\n");
	x.d.nr_pmus = 0;
	doctor_holders(&x.d);
	expect_finding(&x, "NMI watchdog", DOCTOR_OK, "on, without a counter");
	fixture_end(&x);
}

static void put_user(const struct fixture *x, int pid, const char *comm, unsigned int perf,
		     unsigned int groups)
{
	char path[64];
	unsigned int i;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	put(x, path, comm);
	for (i = 0; i < perf + groups; i++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%u", pid, i);
		put_link(x, path, i < perf ? "anon_inode:[perf_event]" : "anon_inode:[pmcgrp]");
	}
	snprintf(path, sizeof(path), "/proc/%d/fd/%u", pid, i);
	put_link(x, path, "anon_inode:[perf_event]s");
}

static void descriptors(void **state)
{
	struct fixture x;
	int pid;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.0");
	put_user(&x, 12, "sh\n", 0, 0);
	put_user(&x, 34, "per\033f\n", 3, 0);
	put_user(&x, 56, "stat\n", 0, 1);
	doctor_perf_users(&x.d);
	expect_finding(&x, "descriptors", DOCTOR_WARNING,
		       "per\\x1bf (PID 34): 3 perf events; stat (PID 56): 1 of pmcgrp's");
	assert_int_equal(value_of(&x, "descriptors", "processes"), 2);
	assert_int_equal(value_of(&x, "descriptors", "perf-events"), 3);
	findings_free(&x.d.findings);

	/* The first ones in a line; all with --verbose. */
	for (pid = 101; pid <= 106; pid++)
		put_user(&x, pid, "many\n", 1, 2);
	doctor_perf_users(&x.d);
	expect_finding(&x, "descriptors", DOCTOR_WARNING,
		       "many (PID 101): 1 perf events, 2 of pmcgrp's");
	expect_finding(&x, "descriptors", DOCTOR_WARNING, "; and 3 more");
	assert_null(nth(&x, "descriptors", 1));
	expect_advice(&x, "descriptors", "--verbose");
	findings_free(&x.d.findings);
	x.d.verbose = true;
	doctor_perf_users(&x.d);
	expect_nth(&x, "descriptors", 3, DOCTOR_WARNING, "stat (PID 56): 1 of pmcgrp's");
	assert_null(nth(&x, "descriptors", 4));
	fixture_end(&x);
}

/* Root can open any folder: it is another user who sees that one cannot be looked at. */
static void hidden(void **state)
{
	char path[64];
	struct fixture x;

	(void)state;
	if (!getuid())
		assert_int_equal(seteuid(65534), 0);
	fixture_begin(&x, "x86_64", "6.12.0");
	put_user(&x, 12, "sh\n", 2, 0);
	snprintf(path, sizeof(path), "%s/proc/12/fd", x.root);
	assert_int_equal(chmod(path, 0), 0);
	doctor_perf_users(&x.d);
	expect_finding(&x, "descriptors", DOCTOR_UNKNOWN, "1 may not be");
	expect_advice(&x, "descriptors", "run as root");
	assert_int_equal(chmod(path, 0700), 0);
	fixture_end(&x);
	assert_int_equal(seteuid(getuid()), 0);
}

static void user_access(void **state)
{
	static const struct {
		const char *machine, *path, *text, *what;
		enum verdict verdict;
		const char *found;
	} rows[] = {
		{ "x86_64", DOCTOR_PMUS "/cpu/rdpmc", "1\n", "rdpmc", DOCTOR_OK,
		  "1: tasks with events of their own may" },
		{ "x86_64", DOCTOR_PMUS "/cpu/rdpmc", "2\n", "rdpmc", DOCTOR_OK,
		  "2: all tasks may" },
		{ "x86_64", DOCTOR_PMUS "/cpu/rdpmc", "0\n", "rdpmc", DOCTOR_WARNING, "may not" },
		{ "x86_64", DOCTOR_PMUS "/cpu/rdpmc", "?\n", "rdpmc", DOCTOR_UNKNOWN, "Invalid" },
		{ "aarch64", "/proc/sys/kernel/perf_user_access", "1\n", "perf_user_access",
		  DOCTOR_OK, "1: programs may read" },
		{ "aarch64", "/proc/sys/kernel/perf_user_access", "0\n", "perf_user_access",
		  DOCTOR_WARNING, "0: programs may not" },
		{ "aarch64", "/proc/other", "0\n", "perf_user_access", DOCTOR_UNKNOWN, "No such" },
		{ "riscv64", "/proc/other", "0\n", "user access", DOCTOR_OK,
		  "has none on riscv64" },
	};
	struct fixture x;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_begin(&x, rows[i].machine, "6.12.0");
		put_intel(&x);
		put(&x, rows[i].path, rows[i].text);
		doctor_core_pmus(&x.d);
		doctor_user_read(&x.d);
		expect_finding(&x, rows[i].what, rows[i].verdict, rows[i].found);
		fixture_end(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user),
		cmocka_unit_test(capabilities),
		cmocka_unit_test(no_proc),
		cmocka_unit_test(missing),
		cmocka_unit_test(loaded),
		cmocka_unit_test(versions),
		cmocka_unit_test(watchdog),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(hidden),
		cmocka_unit_test(user_access),
	};

	return cmocka_run_group_tests_name("doctor_rights", tests, NULL, NULL);
}
