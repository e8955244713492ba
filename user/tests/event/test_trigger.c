// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Triggers from their names, with tracefs and sysfs in a folder of our own. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "event/machine.h"
#include "event/trigger.h"

static char root[64] = "/tmp/pmcgrp-test-XXXXXX";
static char tracing[128], devices[128];
static const char * const tracing_folders[TRACEFS_FOLDERS] = { "/nonexistent", tracing };

static void put(const char *folder, const char *file, const char *text)
{
	char path[512], line[600];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", root, folder);
	snprintf(line, sizeof(line), "mkdir -p %s", path);
	assert_int_equal(system(line), 0);
	strcat(path, "/");
	strcat(path, file);
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(tracing, sizeof(tracing), "%s/events", root);
	snprintf(devices, sizeof(devices), "%s/devices", root);
	event_machine_here = (struct event_machine){ .tracing = tracing_folders, .devices = devices,
						     .tables = "/nonexistent" };
	put("events/sched/sched_switch", "id", "316\n");
	put("events/sched/broken", "id", "x\n");
	put("devices/cpu", "type", "4\n");
	put("devices/cpu/format", "late", "config3:4-7\n");
	put("devices/kprobe", "type", "8\n");
	put("devices/kprobe/format", "retprobe", "config:0\n");
	put("devices/uprobe", "type", "9\n");
	put("devices/uprobe/format", "retprobe", "config:3\n");
	return 0;
}

static int teardown(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", root);
	return system(line);
}

static void times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{ "100us", 100000 },
		{ "10us", 10000 },
		{ "10000ns", 10000 },
		{ "1ms", 1000000 },
		{ "2s", 2000000000 },
	};
	struct pmcgrp_events_error error;
	struct trigger t;
	size_t i, cpus;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (cpus = 0; cpus < 2; cpus++) {
			assert_row(i, !trigger_every(&t, rows[i].text, cpus, &error));
			assert_row(i, t.attr.type == PERF_TYPE_SOFTWARE);
			assert_row(i, t.attr.config == (cpus ? PERF_COUNT_SW_CPU_CLOCK :
							       PERF_COUNT_SW_TASK_CLOCK));
			assert_row(i, t.attr.sample_period == rows[i].ns && !t.attr.freq);
			assert_row(i, !strncmp(t.name, "every:", 6));
			assert_row(i, !strcmp(t.name + 6, rows[i].text));
			assert_row(i, !t.probe);
			trigger_free(&t);
		}
	}
}

static void numbers(void **state)
{
	struct pmcgrp_events_error error;
	struct trigger t;

	(void)state;
	assert_int_equal(trigger_every(&t, "1000000:instructions:u", false, &error), 0);
	assert_int_equal(t.attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(t.attr.config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_int_equal(t.attr.sample_period, 1000000);
	assert_true(t.attr.exclude_kernel && !t.attr.exclude_user);
	assert_string_equal(t.name, "every:1000000:instructions:u");
	trigger_free(&t);
	assert_int_equal(trigger_every(&t, "5:r1a8", true, &error), 0);
	assert_int_equal(t.attr.type, PERF_TYPE_RAW);
	assert_int_equal(t.attr.config, 0x1a8);
	assert_int_equal(t.attr.size, sizeof(t.attr));
	trigger_free(&t);
	/* Of Linux 6.3 and newer, whatever header this is built with. */
	assert_int_equal(trigger_every(&t, "7:cpu/config=1,late=9/", true, &error), 0);
	assert_true(t.attr.size >= PERF_ATTR_SIZE_VER8 && t.attr.config == 1);
	assert_true(attr_config3(&t.attr) == 0x90 && t.attr.sample_period == 7);
	trigger_free(&t);
}

static void named(void **state)
{
	struct pmcgrp_events_error error;
	struct trigger t;

	(void)state;
	assert_int_equal(trigger_on(&t, "sched:sched_switch", &error), 0);
	assert_int_equal(t.attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(t.attr.config, 316);
	assert_int_equal(t.attr.sample_period, 1);
	assert_string_equal(t.name, "sched:sched_switch");
	assert_false(t.probe);
	trigger_free(&t);
	assert_int_equal(trigger_on(&t, "context-switches", &error), 0);
	assert_int_equal(t.attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(t.attr.config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_int_equal(t.attr.sample_period, 1);
	trigger_free(&t);
	assert_int_equal(trigger_on(&t, "page-faults:u", &error), 0);
	assert_true(t.attr.exclude_kernel);
	trigger_free(&t);
}

static void probes(void **state)
{
	struct pmcgrp_events_error error;
	struct trigger t;

	(void)state;
	assert_int_equal(trigger_on(&t, "kprobe:vfs_read", &error), 0);
	assert_int_equal(t.attr.type, 8);
	assert_int_equal(t.attr.config, 0);
	assert_int_equal(t.attr.sample_period, 1);
	assert_string_equal((const char *)(uintptr_t)t.attr.kprobe_func, "vfs_read");
	assert_int_equal(t.attr.probe_offset, 0);
	assert_true(t.probe);
	assert_string_equal(t.name, "kprobe:vfs_read");
	trigger_free(&t);
	assert_int_equal(trigger_on(&t, "kretprobe:vfs_read", &error), 0);
	assert_int_equal(t.attr.config, 1);
	trigger_free(&t);
	assert_int_equal(trigger_on(&t, "kprobe:vfs_read+0x10", &error), 0);
	assert_string_equal((const char *)(uintptr_t)t.attr.kprobe_func, "vfs_read");
	assert_int_equal(t.attr.probe_offset, 16);
	trigger_free(&t);
	assert_int_equal(trigger_on(&t, "kprobe:0xffffffff81000000", &error), 0);
	assert_int_equal(t.attr.kprobe_func, 0);
	assert_int_equal(t.attr.kprobe_addr, 0xffffffff81000000);
	trigger_free(&t);
	assert_int_equal(trigger_on(&t, "uprobe:/lib/a:b.so:0x1234", &error), 0);
	assert_int_equal(t.attr.type, 9);
	assert_string_equal((const char *)(uintptr_t)t.attr.uprobe_path, "/lib/a:b.so");
	assert_int_equal(t.attr.probe_offset, 0x1234);
	assert_int_equal(t.attr.config, 0);
	trigger_free(&t);
	assert_int_equal(trigger_on(&t, "uretprobe:/bin/ls:100", &error), 0);
	assert_int_equal(t.attr.config, 8);
	trigger_free(&t);
}

static const struct {
	bool every;
	const char *text;
	size_t column;
	const char *says;
} bad[] = {
	{ true, "", 0, "neither a time" },
	{ true, "us", 0, "neither a time" },
	{ true, "-1us", 0, "neither a time" },
	{ true, "100", 3, "neither a time" },
	{ true, "100u", 3, "neither a time" },
	{ true, "0us", 0, "not a number from 1" },
	{ true, "9us", 0, "10us and more" },
	{ true, "99999999999999999999s", 0, "not a number from 1" },
	{ true, "9999999999999s", 0, "longer than" },
	{ true, "100:", 4, "name is missing" },
	{ true, "100:cpu-clock", 0, "of a clock give the time" },
	{ true, "100:cycles,faults", 4, "one event at a time" },
	{ true, "100:{cycles", 4, "not closed" },
	{ true, "100:cycles:D", 4, "D is for the group" },
	{ true, "100:nosuch", 4, "'nosuch' is not an event" },
	{ false, "", 0, "name is missing" },
	{ false, "nosuch", 0, "'nosuch' is not an event" },
	{ false, "sched:nosuch", 6, "no tracepoint 'nosuch' in sched" },
	{ false, "sched:broken", 6, "no number in its file id" },
	{ false, "..:sched", 0, "no" },
	{ false, "cycles", 0, "--every 1000000:cycles" },
	{ false, "cycles:u", 0, "--every 1000000:cycles:u" },
	{ false, "task-clock", 0, "of a clock" },
	{ false, "faults,cs", 0, "one event at a time" },
	{ false, "kprobe:", 7, "is missing here" },
	{ false, "kprobe:x+y", 9, "an offset is a number" },
	{ false, "uprobe:/bin/ls", 7, "FILE:OFFSET" },
	{ false, "uprobe:/bin/ls:x", 7, "FILE:OFFSET" },
	{ false, "uprobe::1", 7, "FILE:OFFSET" },
};

static void wrong(void **state)
{
	struct pmcgrp_events_error error;
	struct trigger t;
	size_t i;
	int ret;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ret = bad[i].every ? trigger_every(&t, bad[i].text, false, &error) :
				     trigger_on(&t, bad[i].text, &error);
		if (ret != -EINVAL || error.column != bad[i].column ||
		    !strstr(error.text, bad[i].says))
			fail_msg("'%s': %d, at %zu: %s", bad[i].text, ret, error.column,
				 error.text);
		assert_row(i, !t.name && !t.text);
	}
}

/* A kernel that has none. */
static void no_probes(void **state)
{
	static const char * const nowhere[TRACEFS_FOLDERS] = { "/nonexistent", "/nonexistent" };
	struct pmcgrp_events_error error;
	struct trigger t;

	(void)state;
	event_machine_here = (struct event_machine){ .tracing = nowhere, .devices = "/nonexistent",
						     .tables = "/nonexistent" };
	assert_int_equal(trigger_on(&t, "kprobe:vfs_read", &error), -EINVAL);
	assert_non_null(strstr(error.text, "no PMU kprobe"));
	assert_int_equal(trigger_on(&t, "sched:sched_switch", &error), -EINVAL);
	assert_non_null(strstr(error.text, "mount -t tracefs"));
	event_machine_here = (struct event_machine){ .tracing = tracing_folders, .devices = devices,
						     .tables = "/nonexistent" };
	put("devices/kprobe/format", "retprobe", "config1:0\n");
	assert_int_equal(trigger_on(&t, "kretprobe:vfs_read", &error), -EINVAL);
	assert_non_null(strstr(error.text, "no return probes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(numbers),
		cmocka_unit_test(named),
		cmocka_unit_test(probes),
		cmocka_unit_test(wrong),
		cmocka_unit_test(no_probes),
	};

	return cmocka_run_group_tests_name("trigger", tests, setup, teardown);
}
