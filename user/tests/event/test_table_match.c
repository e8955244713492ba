// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Patterns of perf's tables: of CPUs, PMUs and systems; and what this machine's CPU is called. */
#include "test.h"

#include "event/event_table.h"

static void cpuids(void **state)
{
	static const struct {
		const char *pattern, *cpuid;
		bool matches;
	} rows[] = {
		{ "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-4", true },
		{ "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-5", false },
		{ "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55", false },
		{ "GenuineIntel-6-(4E|5E)", "GenuineIntel-6-5E-3", true },
		{ "GenuineIntel-6-(4E|5E)", "GenuineIntel-6-5E", true },
		{ "GenuineIntel-6-(4E|5E)", "GenuineIntel-6-5", false },
		{ "GenuineIntel-6-5", "GenuineIntel-6-5E-3", false },
		{ "AuthenticAMD-23-[[:xdigit:]]+", "AuthenticAMD-23-31-0", true },
		{ "AuthenticAMD-23-[[:xdigit:]]+", "AuthenticAMD-25-31-0", false },
		{ "0x00000000410fd0c0", "0x00000000410fd0c0", true },
		{ "0x00000000410fd0c0", "0x00000000413fd0c1", true },	/* r3p1 */
		{ "0x410fd0c0", "0x00000000410fd0c1", true },
		{ "0x00000000410fd0c0", "0x00000000410fd0d0", false },
		{ "0x00000000411fd0c1", "0x00000000410fd0cf", false },
		{ "0x00000000411fd0c1", "0x00000000411fd0c0", false },
		{ "0x00000000411fd0c1", "0x00000000412fd0c0", true },
		{ "0x0", "GenuineIntel-6-55-4", false },
		{ "test", "test", true },
		{ "test", "testing", false },
		{ "esting", "testing", false },
		{ "(", "(", false },
		{ "", "", false },
		{ "(a)\\1", "aa", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_row(i, event_cpuid_matches(rows[i].pattern, rows[i].cpuid) ==
				      rows[i].matches);
}

static void pmus(void **state)
{
	static const struct {
		const char *pmu, *sysfs;
		bool matches;
	} rows[] = {
		{ "uncore_cbox", "uncore_cbox", true },
		{ "uncore_cbox", "uncore_cbox_0", true },
		{ "uncore_cbox", "uncore_cbox12", true },
		{ "uncore_cbox", "uncore_cbox_", false },
		{ "uncore_cbox", "uncore_cbo", false },
		{ "uncore_imc", "uncore_imc_free_running_0", false },
		{ "arm_cmn", "arm_cmn_ab", false },	/* a word, perhaps */
		{ "arm_cmn", "arm_cmn_1ab", true },
		{ "hisi_sccl,l3c", "hisi_sccl3_l3c12", true },
		{ "hisi_sccl,l3c", "hisi_sccl3_l3c_1", true },
		{ "hisi_sccl,l3c", "hisi_sccl3_ddrc1", false },
		{ "hisi_sccl,l3c", "hisi_sccl3_l3cx", false },
		{ "hisi_sccl,l3c", "x_hisi_sccl3_l3c1", false },
		{ "hisi_sccl,l3c", "hisi_sccl", false },
		{ "hisi_sccl", "hisi_sccl3_l3c12", false },
		{ ",", "x", false },
		{ "", "x", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_row(i, event_table_pmu_matches(rows[i].pmu, rows[i].sysfs) ==
				      rows[i].matches);
	assert_true(event_table_compatible("(434|436).*", "43602"));
	assert_false(event_table_compatible("(434|436).*", "x43602"));
	assert_true(event_table_compatible("0x00000030", "0x00000030"));
	assert_false(event_table_compatible("0x00000030", "0x000000301"));
}

#ifdef __x86_64__
/* Where the kernel says it, in decimal. */
static bool is_in_cpuinfo(const char *cpuid)
{
	unsigned int family, model, stepping;
	char vendor[16], command[512];

	assert_int_equal(sscanf(cpuid, "%15[^-]-%u-%X-%X", vendor, &family, &model, &stepping), 4);
	snprintf(command, sizeof(command),
		 "grep -q 'vendor_id.*: %s$' /proc/cpuinfo && "
		 "grep -q 'cpu family.*: %u$' /proc/cpuinfo && "
		 "grep -q 'model[^ ]*: %u$' /proc/cpuinfo && "
		 "grep -q 'stepping.*: %u$' /proc/cpuinfo",
		 vendor, family, model, stepping);
	return !system(command);
}
#endif

static void this_cpu(void **state)
{
	char cpuid[128] = "";

	(void)state;
	assert_int_equal(setenv("PERF_CPUID", "GenuineIntel-6-1-4", 1), 0);
	assert_int_equal(event_cpuid(cpuid, sizeof(cpuid)), 0);
	assert_string_equal(cpuid, "GenuineIntel-6-1-4");
	assert_int_equal(event_cpuid(cpuid, strlen(cpuid)), -ENAMETOOLONG);
	assert_int_equal(unsetenv("PERF_CPUID"), 0);
	assert_int_equal(event_cpuid(cpuid, sizeof(cpuid)), 0);
#ifdef __x86_64__
	assert_true(is_in_cpuinfo(cpuid));
#endif
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpuids),
		cmocka_unit_test(pmus),
		cmocka_unit_test(this_cpu),
	};

	return cmocka_run_group_tests_name("table_match", tests, NULL, NULL);
}
