// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What doctor says of a machine, its kernel's configuration and its limits. */
#include "test.h"

#include <zlib.h>

#include "doctor/config_text.h"
#include "fixture.h"

static void intel(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.1-amd64");
	put_intel(&x);
	put(&x, "/sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
	put(&x, "/sys/class/dmi/id/product_name", "OptiPlex\n");
	doctor_core_pmus(&x.d);
	doctor_machine(&x.d);
	doctor_limits(&x.d);
	expect_finding(&x, "kernel", DOCTOR_OK, "Linux 6.12.1-amd64, #1 SMP");
	expect_finding(&x, "architecture", DOCTOR_OK, "x86_64");
	expect_finding(&x, "processor", DOCTOR_OK,
		       "GenuineIntel-6-5E-3: Intel(R) Core(TM) i7-6700");
	expect_finding(&x, "CPUs", DOCTOR_OK, "8 online (0-7)");
	assert_int_equal(value_of(&x, "CPUs", "online"), 8);
	expect_finding(&x, "hypervisor", DOCTOR_OK, "none is seen");
	expect_finding(&x, "limits", DOCTOR_OK, "none of the 9");
	fixture_end(&x);
}

static void virtual_amd(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.16.0");
	put_intel(&x);
	put(&x, "/proc/cpuinfo",
	    "vendor_id\t: AuthenticAMD\ncpu family\t: 23\nmodel\t\t: 49\n"
	    "model name\t: AMD EPYC 7R32\nstepping\t: 0\nflags\t\t: fpu hypervisor perfctr_core\n");
	put(&x, "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	put(&x, "/sys/class/dmi/id/product_name", "c5a.large\n");
	put(&x, DOCTOR_PMUS "/ibs_op/type", "9\n");
	doctor_core_pmus(&x.d);
	doctor_machine(&x.d);
	doctor_limits(&x.d);
	expect_finding(&x, "processor", DOCTOR_OK, "AuthenticAMD-23-31-0: AMD EPYC 7R32");
	expect_finding(&x, "hypervisor", DOCTOR_OK, "yes, Amazon EC2 (c5a.large)");
	expect_finding(&x, "no global stop", DOCTOR_WARNING, "no register that stops all counters");
	assert_null(nth(&x, "user reads", 0));
	expect_finding(&x, "IBS", DOCTOR_WARNING, "refused as members");
	assert_null(nth(&x, "limits", 0));
	assert_null(nth(&x, "SMT", 0));
	fixture_end(&x);

	/* Zen 4 has that register. */
	fixture_begin(&x, "x86_64", "6.16.9");
	put_intel(&x);
	put(&x, "/proc/cpuinfo", "vendor_id\t: AuthenticAMD\nflags\t\t: fpu perfmon_v2\n");
	doctor_core_pmus(&x.d);
	doctor_limits(&x.d);
	expect_finding(&x, "limits", DOCTOR_OK, "none");
	fixture_end(&x);
}

/* Microsoft makes computers, and a hypervisor: the product's name tells. */
static void hypervisors(void **state)
{
	static const struct {
		const char *vendor, *product, *type, *flags, *found;
	} rows[] = {
		{ "QEMU", "Standard PC", NULL, "fpu", "yes, QEMU (Standard PC)" },
		{ "Microsoft Corporation", "Surface", NULL, "fpu", "none is seen" },
		{ "Microsoft Corporation", "Virtual Machine", NULL, "fpu", "yes, Microsoft" },
		{ NULL, NULL, "xen", "fpu", "yes, xen:" },
		{ NULL, NULL, NULL, "fpu hypervisor sse", "yes: counters are what" },
		{ NULL, NULL, NULL, "fpu hypervisors", "none is seen" },
	};
	char flags[64];
	struct fixture x;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_begin(&x, "x86_64", "6.12.0");
		snprintf(flags, sizeof(flags), "flags\t\t: %s\n", rows[i].flags);
		put(&x, "/proc/cpuinfo", flags);
		if (rows[i].vendor)
			put(&x, "/sys/class/dmi/id/sys_vendor", rows[i].vendor);
		if (rows[i].product)
			put(&x, "/sys/class/dmi/id/product_name", rows[i].product);
		if (rows[i].type)
			put(&x, "/sys/hypervisor/type", rows[i].type);
		doctor_machine(&x.d);
		expect_finding(&x, "hypervisor", DOCTOR_OK, rows[i].found);
		fixture_end(&x);
	}
}

static void arm64_of_two_kinds(void **state)
{
	char path[128];
	struct fixture x;
	int cpu;

	(void)state;
	fixture_begin(&x, "aarch64", "6.1.0-9-arm64");
	put(&x, "/sys/devices/system/cpu/online", "0-5\n");
	for (cpu = 0; cpu < 6; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
		put(&x, path, cpu < 4 ? "0x00000000410fd034\n" : "0x00000000410fd082\n");
	}
	put(&x, DOCTOR_PMUS "/armv8_cortex_a72/type", "9\n");
	put(&x, DOCTOR_PMUS "/armv8_cortex_a72/cpus", "4-5\n");
	put(&x, DOCTOR_PMUS "/armv8_cortex_a53/type", "8\n");
	put(&x, DOCTOR_PMUS "/armv8_cortex_a53/cpus", "0-3\n");
	doctor_core_pmus(&x.d);
	assert_int_equal(x.d.nr_pmus, 2);
	assert_string_equal(x.d.pmus[0].name, "armv8_cortex_a53");
	doctor_machine(&x.d);
	doctor_pmus(&x.d);
	doctor_limits(&x.d);
	expect_finding(&x, "processor", DOCTOR_OK,
		       "MIDR 0x00000000410fd034 (4), MIDR 0x00000000410fd082 (2)");
	expect_finding(&x, "armv8_cortex_a53", DOCTOR_OK, "type 8, CPUs 0-3");
	expect_finding(&x, "armv8_cortex_a72", DOCTOR_OK, "type 9, CPUs 4-5");
	expect_finding(&x, "hybrid", DOCTOR_WARNING, "each kind of core has a PMU of its own");
	expect_finding(&x, "before Linux 6.2", DOCTOR_WARNING, "perf core schedules");
	expect_finding(&x, "user reads", DOCTOR_WARNING, "Arm's PMUv3 can from Linux 6.2 on");
	fixture_end(&x);
}

static void nothing_to_be_seen(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "riscv64", "5.10.0");
	doctor_core_pmus(&x.d);
	doctor_machine(&x.d);
	doctor_pmus(&x.d);
	doctor_user_read(&x.d);
	doctor_limits(&x.d);
	expect_finding(&x, "kernel", DOCTOR_PROBLEM, "Linux 5.10.0 is too old");
	expect_finding(&x, "architecture", DOCTOR_WARNING, "riscv64");
	expect_finding(&x, "processor", DOCTOR_UNKNOWN, "in no file");
	expect_finding(&x, "CPUs", DOCTOR_UNKNOWN, "No such file");
	expect_finding(&x, "core PMU", DOCTOR_WARNING, "none");
	expect_finding(&x, "PMUs", DOCTOR_UNKNOWN, "No such file");
	expect_finding(&x, "user access", DOCTOR_OK, "no counters to read");
	expect_finding(&x, "limits", DOCTOR_OK, "none");
	fixture_end(&x);

	fixture_begin(&x, "x86_64", "mainline");
	put(&x, "/sys/devices/system/cpu/online", "0-x\n");
	doctor_machine(&x.d);
	expect_finding(&x, "kernel", DOCTOR_UNKNOWN, "mainline");
	expect_finding(&x, "processor", DOCTOR_UNKNOWN, "in no file");
	expect_finding(&x, "CPUs", DOCTOR_UNKNOWN, "Invalid argument");
	fixture_end(&x);
}

static void hybrid_x86(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.19.2");
	put_intel(&x);
	put(&x, "/sys/devices/system/cpu/smt/active", "1\n");
	put(&x, DOCTOR_PMUS "/cpu_core/type", "4\n");
	put(&x, DOCTOR_PMUS "/cpu_core/cpus", "0-3\n");
	put(&x, DOCTOR_PMUS "/cpu_core/events/topdown-retiring", "event=0x00,umask=0x80\n");
	put(&x, DOCTOR_PMUS "/cpu_atom/type", "10\n");
	put(&x, DOCTOR_PMUS "/cpu_atom/cpus", "4-7\n");
	put(&x, DOCTOR_PMUS "/cpu_core/rdpmc", "0\n");
	put(&x, DOCTOR_PMUS "/cpu_atom/rdpmc", "0\n");
	/* A hybrid machine has no PMU of that name. */
	put(&x, DOCTOR_PMUS "/cpu/type", "none\n");
	doctor_core_pmus(&x.d);
	assert_int_equal(x.d.nr_pmus, 2);
	doctor_pmus(&x.d);
	doctor_user_read(&x.d);
	doctor_limits(&x.d);
	expect_finding(&x, "cpu_atom", DOCTOR_OK, "type 10, CPUs 4-7");
	expect_finding(&x, "cpu_core", DOCTOR_OK, "type 4, CPUs 0-3");
	expect_finding(&x, "others", DOCTOR_OK, "cpu, software, uncore_imc");
	expect_finding(&x, "rdpmc", DOCTOR_WARNING, "0: programs may not");
	expect_advice(&x, "rdpmc", "/cpu_atom/rdpmc");
	expect_finding(&x, "hybrid", DOCTOR_WARNING, "each kind of core");
	expect_finding(&x, "topdown", DOCTOR_WARNING, "refused as members");
	expect_finding(&x, "SMT", DOCTOR_WARNING, "two threads of a core");
	expect_finding(&x, "exclude_guest", DOCTOR_WARNING, "mediated vPMU");
	fixture_end(&x);
}

static void each_pmu(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.0");
	put_intel(&x);
	x.d.verbose = true;
	doctor_core_pmus(&x.d);
	doctor_pmus(&x.d);
	expect_finding(&x, "software", DOCTOR_OK, "type 1");
	expect_finding(&x, "uncore_imc", DOCTOR_OK,
		       "type 12, outside the CPUs: counted with -a, on CPUs 0");
	assert_null(nth(&x, "others", 0));
	/* Fixtures have no counters. */
	assert_null(nth(&x, "counters", 0));
	fixture_end(&x);
}

/* ---- Configuration ---- */

#define CONFIG "CONFIG_PERF_EVENTS=y\nCONFIG_TRACEPOINTS=y\nCONFIG_MODULES=y\n" \
	       "CONFIG_EVENT_TRACING=y\n# CONFIG_KPROBE_EVENTS is not set\nCONFIG_UPROBE_EVENTS=y\n"

static void configuration(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/boot/config-6.12.1", CONFIG "CONFIG_TRIM_UNUSED_KSYMS=y\nCONFIG_PREEMPT_RT=y");
	put(&x, "/sys/module/module/parameters/sig_enforce", "Y\n");
	put(&x, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	doctor_config(&x.d);
	expect_finding(&x, "configuration", DOCTOR_OK, "/boot/config-6.12.1");
	expect_finding(&x, "PERF_EVENTS", DOCTOR_OK, "y");
	expect_finding(&x, "KPROBE_EVENTS", DOCTOR_WARNING,
		       "not set: no probes of kernel functions");
	expect_finding(&x, "TRIM_UNUSED_KSYMS", DOCTOR_WARNING, "may be missing");
	expect_advice(&x, "TRIM_UNUSED_KSYMS", "kmod/needs /lib/modules/6.12.1/build");
	expect_finding(&x, "PREEMPT_RT", DOCTOR_OK, "y");
	expect_finding(&x, "module signatures", DOCTOR_WARNING, "are enforced");
	expect_finding(&x, "lockdown", DOCTOR_WARNING, "integrity: modules need a signature");
	assert_null(nth(&x, "ARM_PMU", 0));
	fixture_end(&x);

	fixture_begin(&x, "aarch64", "6.12.1");
	put(&x, "/lib/modules/6.12.1/config", "CONFIG_PERF_EVENTS=n\nCONFIG_MODULES_TREE=y\n");
	put(&x, "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	put(&x, "/sys/module/module/parameters/sig_enforce", "N\n");
	doctor_config(&x.d);
	expect_finding(&x, "PERF_EVENTS", DOCTOR_PROBLEM, "cannot be built");
	expect_finding(&x, "MODULES", DOCTOR_PROBLEM, "loads no modules");
	expect_finding(&x, "ARM_PMU", DOCTOR_WARNING, "no hardware events");
	expect_finding(&x, "lockdown", DOCTOR_WARNING, "tracefs is closed");
	expect_finding(&x, "module signatures", DOCTOR_OK, "are not enforced");
	fixture_end(&x);
}

#define EFIVARS "/sys/firmware/efi/efivars/"
#define SHIM "-605dab50-e046-4300-abb6-3dd810dd8b23"
#define DKMS_KEY "/var/lib/dkms/mok.pub"
#define UBUNTU_KEY "/var/lib/shim-signed/mok/MOK.der"

/* The key that DKMS signs with, once the kernel wants signatures. */
static void key_of_dkms(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	doctor_config(&x.d);
	expect_finding(&x, "key of DKMS", DOCTOR_WARNING, "there is none");
	expect_advice(&x, "key of DKMS", "install openssl");
	fixture_end(&x);

	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put(&x, UBUNTU_KEY, "certificate");
	put(&x, EFIVARS "MokListRT" SHIM, "another certificat");
	doctor_config(&x.d);
	expect_finding(&x, "key of DKMS", DOCTOR_WARNING, UBUNTU_KEY " is not enrolled");
	expect_advice(&x, "key of DKMS", "mokutil --import " UBUNTU_KEY);
	fixture_end(&x);

	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/sys/module/module/parameters/sig_enforce", "Y\n");
	put(&x, UBUNTU_KEY, "of Ubuntu");
	put(&x, DKMS_KEY, "certificate");
	put(&x, EFIVARS "MokNew" SHIM, "one certificate and others");
	doctor_config(&x.d);
	expect_finding(&x, "key of DKMS", DOCTOR_WARNING, DKMS_KEY " waits to be enrolled");
	expect_advice(&x, "key of DKMS", "reboot");
	fixture_end(&x);

	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/sys/module/module/parameters/sig_enforce", "Y\n");
	put(&x, DKMS_KEY, "certificate");
	put(&x, EFIVARS "MokListRT" SHIM, "one certificate and others");
	doctor_config(&x.d);
	expect_finding(&x, "key of DKMS", DOCTOR_OK, DKMS_KEY " is enrolled");
	fixture_end(&x);

	/* Nothing of it where no signature is wanted. */
	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/sys/module/module/parameters/sig_enforce", "N\n");
	put(&x, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	doctor_config(&x.d);
	assert_null(nth(&x, "key of DKMS", 0));
	fixture_end(&x);
}

/* Signs of options, where there is no text. */
static void no_configuration(void **state)
{
	struct fixture x;

	(void)state;
	fixture_begin(&x, "aarch64", "6.12.1");
	put(&x, "/proc/sys/kernel/perf_event_paranoid", "2\n");
	put(&x, DOCTOR_PMUS "/tracepoint/type", "2\n");
	put(&x, "/sys/kernel/realtime", "1\n");
	put(&x, "/sys/kernel/security/lockdown", "?\n");
	doctor_config(&x.d);
	expect_finding(&x, "configuration", DOCTOR_UNKNOWN, "neither /proc/config.gz nor");
	expect_finding(&x, "PERF_EVENTS", DOCTOR_OK,
		       "there is /proc/sys/kernel/perf_event_paranoid");
	expect_finding(&x, "TRACEPOINTS", DOCTOR_OK, "/tracepoint");
	expect_finding(&x, "MODULES", DOCTOR_UNKNOWN, "there is no /proc/modules");
	expect_advice(&x, "MODULES", "the kernel loads no modules");
	expect_finding(&x, "ARM_PMU", DOCTOR_UNKNOWN, "there is no PMU of the cores");
	expect_finding(&x, "PREEMPT_RT", DOCTOR_OK, "y");
	expect_finding(&x, "lockdown", DOCTOR_UNKNOWN, "no mode in brackets");
	fixture_end(&x);
}

static void compressed(void **state)
{
	char path[64];
	struct fixture x;
	gzFile file;

	(void)state;
	fixture_begin(&x, "x86_64", "6.12.1");
	put(&x, "/proc/config.gz", "");
	snprintf(path, sizeof(path), "%s/proc/config.gz", x.root);
	file = gzopen(path, "wbe");
	assert_non_null(file);
	assert_true(gzputs(file, CONFIG) > 0);
	assert_int_equal(gzclose(file), Z_OK);
	doctor_config(&x.d);
	expect_finding(&x, "configuration", DOCTOR_OK, "/proc/config.gz");
	expect_finding(&x, "UPROBE_EVENTS", DOCTOR_OK, "y");
	findings_free(&x.d.findings);

	/* Its end is missing; there is no other. */
	assert_int_equal(truncate(path, 40), 0);
	doctor_config(&x.d);
	expect_finding(&x, "configuration", DOCTOR_UNKNOWN,
		       "/proc/config.gz: not what gzip writes");
	expect_advice(&x, "configuration", "as root");
	fixture_end(&x);
}

static void values(void **state)
{
	static const char text[] = "CONFIG_A=y\n#CONFIG_B=y\nCONFIG_AB=m\nCONFIG_E=\nCONFIG_N=n\n"
				   "CONFIG_S=\"x y\"";
	char value[8];

	(void)state;
	assert_true(config_text_value(text, "A", value, sizeof(value)));
	assert_string_equal(value, "y");
	assert_true(config_text_value(text, "AB", value, sizeof(value)));
	assert_string_equal(value, "m");
	assert_true(config_text_value(text, "S", value, sizeof(value)));
	assert_string_equal(value, "\"x y\"");
	assert_false(config_text_value(text, "B", value, sizeof(value)));
	assert_false(config_text_value(text, "E", value, sizeof(value)));
	assert_false(config_text_value(text, "N", value, sizeof(value)));
	assert_false(config_text_value("", "A", value, sizeof(value)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intel),
		cmocka_unit_test(virtual_amd),
		cmocka_unit_test(hypervisors),
		cmocka_unit_test(arm64_of_two_kinds),
		cmocka_unit_test(nothing_to_be_seen),
		cmocka_unit_test(hybrid_x86),
		cmocka_unit_test(each_pmu),
		cmocka_unit_test(configuration),
		cmocka_unit_test(key_of_dkms),
		cmocka_unit_test(no_configuration),
		cmocka_unit_test(compressed),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests_name("doctor_machine", tests, NULL, NULL);
}
