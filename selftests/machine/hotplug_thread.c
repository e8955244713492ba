// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread that takes a CPU offline is counted while it does: its group can be enabled, disabled,
 * read and closed at any time, and goes on when the CPU is back.
 *
 * Tracepoints are silent on a CPU that is about to go. What comes in there would stay in, and
 * whoever waits for it would wait for ever.
 */
#include "pmcgrp_test.h"
#include <dirent.h>
#include <sched.h>
#include "kselftest_harness.h"

#define TIMES	12

FIXTURE(hotplug_thread)
{
	int dev;
	int cpu;
	pid_t thread;
	struct perf_event_attr attr;
};

/* The thread by its name, and whether its group counts what it creates: by a context, a binding. */
FIXTURE_VARIANT(hotplug_thread)
{
	const char *name;
	uint64_t flags;
};

FIXTURE_VARIANT_ADD(hotplug_thread, stopper) { .name = "migration" };
FIXTURE_VARIANT_ADD(hotplug_thread, stopper_inherit) {
	.name = "migration", .flags = PMCGRP_CREATE_INHERIT,
};

FIXTURE_VARIANT_ADD(hotplug_thread, cpuhp) { .name = "cpuhp" };

static pid_t thread_of_cpu(const char *name, int cpu)
{
	char want[32], comm[32], path[64];
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;
	FILE *f;

	snprintf(want, sizeof(want), "%s/%d\n", name, cpu);
	while (proc && !found && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%.16s/comm", entry->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) && !strcmp(comm, want))
			found = atoi(entry->d_name);
		fclose(f);
	}
	if (proc)
		closedir(proc);
	return found;
}

FIXTURE_SETUP(hotplug_thread)
{
	self->cpu = sysconf(_SC_NPROCESSORS_CONF) - 1;
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	if (!self->cpu || !set_online(self->cpu, true))
		SKIP(return, "needs a second CPU that can be taken offline");
	ASSERT_TRUE(run_on(0));
	self->thread = thread_of_cpu(variant->name, self->cpu);
	ASSERT_GT(self->thread, 0);
	self->attr = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
}

FIXTURE_TEARDOWN(hotplug_thread)
{
	if (self->cpu)
		set_online(self->cpu, true);
	close(self->dev);
}

/* A child that enables and disables a group all the time. */
static pid_t toggler(int fd)
{
	pid_t pid = fork();

	while (!pid) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	return pid;
}

/*
 * Work for both threads on a CPU that is online: its stopper pushes a task off that runs there. The
 * other one runs when the CPU comes back. (What runs while it goes is counted nowhere.)
 */
static bool push_off(int cpu)
{
	cpu_set_t there, here;
	pid_t pid = fork();
	bool ok;

	if (!pid)
		for (;;)
			;
	CPU_ZERO(&there);
	CPU_ZERO(&here);
	CPU_SET(cpu, &there);
	CPU_SET(0, &here);
	ok = pid > 0 && !sched_setaffinity(pid, sizeof(there), &there);
	sleep_ns(20 * NSEC_PER_MSEC);
	ok = ok && !sched_setaffinity(pid, sizeof(here), &here);
	sleep_ns(20 * NSEC_PER_MSEC);
	return end_child(pid) && ok;
}

TEST_F_TIMEOUT(hotplug_thread, is_counted, 120)
{
	struct group_values v, w;
	unsigned int i;
	pid_t pid;
	int fd;

	fd = group_of_task(self->dev, self->thread, 1, &self->attr,
			   variant->flags | PMCGRP_CREATE_DISABLED);
	ASSERT_GE(fd, 0);
	pid = toggler(fd);
	ASSERT_GT(pid, 0);
	for (i = 0; i < TIMES; i++) {
		ASSERT_TRUE(set_online(self->cpu, false));
		ASSERT_TRUE(group_values(fd, 1, &v));
		ASSERT_TRUE(set_online(self->cpu, true));
	}
	ASSERT_TRUE(end_child(pid));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(group_values(fd, 1, &v));
	ASSERT_TRUE(set_online(self->cpu, false));
	ASSERT_TRUE(set_online(self->cpu, true));
	ASSERT_TRUE(push_off(self->cpu));
	ASSERT_TRUE(group_values(fd, 1, &w));
	EXPECT_GT(w.enabled, v.enabled);
	EXPECT_GT(w.m[0].value, v.m[0].value);
	close(fd);
}

TEST_HARNESS_MAIN
