// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp doctor`: what it says of this machine is compared with what perf_event_open(2) says here,
 * and with what this program has made itself.
 *
 * It is without the module first, and loads it for each of its tests.
 * needs: module=no
 */
#include "pmcgrp_module.h"
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "tool_json.h"
#include "kselftest_harness.h"

#define OWN_NAME	"holds-counters"	/* of this program, as others see it */
#define LOOP		2000000			/* instructions, of which doctor knows */
#define ROUND_TRIPS	100
#define PAGES		256

static struct {
	int status;
	char text[1 << 17];
} run;

static void tool(const char *options)
{
	char line[128];
	size_t len;
	FILE *out;

	snprintf(line, sizeof(line), "pmcgrp doctor %s 2>&1", options);
	memset(&run, 0, sizeof(run));
	run.status = -1;
	out = popen(line, "r");
	if (!out)
		return;
	len = fread(run.text, 1, sizeof(run.text) - 1, out);
	run.text[len] = '\0';
	run.status = WEXITSTATUS(pclose(out));
}

/* What was found about this in a section; NULL: nothing. */
static const char *finding(const char *section, const char *what)
{
	char path[64];
	const char *p;
	int i;

	for (i = 0;; i++) {
		snprintf(path, sizeof(path), "%s.%d", section, i);
		p = json(run.text, path);
		if (!p || is(p, "what", what))
			return p;
	}
}

static bool verdict(const char *section, const char *what, const char *verdict)
{
	const char *p = finding(section, what);

	if (p && is(p, "verdict", verdict))
		return true;
	fprintf(stderr, "# %s: %.300s\n", what, p ? p : "not there");
	return false;
}

/* A number of it; -1: there is none. */
static long long value(const char *section, const char *what, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "values.%s", name);
	return number(finding(section, what), path);
}

/* Whether what was found has these words. */
static bool says(const char *section, const char *what, const char *words)
{
	const char *p = finding(section, what), *end, *at;

	p = p ? json(p, "found") : NULL;
	end = p ? strchr(p, '\n') : NULL;
	at = p ? strstr(p, words) : NULL;
	if (at && end && at < end)
		return true;
	fprintf(stderr, "# %s: %.200s\n", what, p ? p : "not there");
	return false;
}

static bool is_loaded(void)
{
	return !access("/sys/module/pmcgrp", F_OK);
}

FIXTURE(tool_doctor)
{
	int dev;
	bool hardware;
};

FIXTURE_SETUP(tool_doctor)
{
	self->dev = -1;
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	if (!is_loaded())
		ASSERT_EQ(0, module_load(""));
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, prctl(PR_SET_NAME, OWN_NAME));
	self->hardware = have_cycles();
}

/* As it was: it is not loaded when this program begins. */
FIXTURE_TEARDOWN(tool_doctor)
{
	int i;

	close(self->dev);
	for (i = 0; is_loaded() && !access(MODULE_FILE, F_OK) && module_unload() && i < 100; i++)
		usleep(50000);
}

/* It is not loaded: what can be said is said, and work is counted by perf alone. */
TEST(without_the_module)
{
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	if (is_loaded())
		SKIP(return, "the module is loaded");
	tool("--json");
	EXPECT_EQ(1, run.status);
	EXPECT_EQ(1, number(run.text, "summary.problem"));
	EXPECT_TRUE(verdict("module", "loaded", "problem"));
	EXPECT_TRUE(verdict("module", "modprobe", "warning"));
	EXPECT_TRUE(verdict("self-test", "counted with", "unknown"));
	EXPECT_TRUE(verdict("self-test", "page faults", "ok"));
	EXPECT_EQ(PAGES, value("self-test", "page faults", "known"));
	EXPECT_EQ(-1, value("self-test", "page faults", "pmcgrp"));
	EXPECT_LE(PAGES, value("self-test", "page faults", "perf"));
	EXPECT_FALSE(is_loaded());
}

TEST_F_TIMEOUT(tool_doctor, a_machine_that_is_well, 120)
{
	static const char * const all[] = { "context switches", "page faults", "task-clock" };
	char online[32];
	unsigned int i;

	tool("--json");
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(0, number(run.text, "summary.problem"));
	EXPECT_TRUE(verdict("machine", "kernel", "ok"));
	EXPECT_TRUE(verdict("machine", "architecture", "ok"));
	EXPECT_TRUE(verdict("machine", "processor", "ok"));
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), value("machine", "CPUs", "online"));
	snprintf(online, sizeof(online), "%ld online", sysconf(_SC_NPROCESSORS_ONLN));
	EXPECT_TRUE(says("machine", "CPUs", online));
	EXPECT_TRUE(verdict("config", "PERF_EVENTS", "ok"));
	EXPECT_TRUE(verdict("config", "MODULES", "ok"));
	EXPECT_EQ(rt_kernel(), value("config", "PREEMPT_RT", "realtime"));
	EXPECT_TRUE(verdict("module", "loaded", "ok"));
	EXPECT_TRUE(verdict("module", "version", "ok"));
	EXPECT_EQ(PMCGRP_ABI_VERSION, value("module", "version", "abi"));
	EXPECT_TRUE(verdict("module", "device", "ok"));
	EXPECT_EQ(0600, value("module", "device", "mode"));
	EXPECT_TRUE(verdict("module", "access", "ok"));
	EXPECT_TRUE(says("module", "parameters", "mux_interval_ms=4"));
	EXPECT_TRUE(verdict("rights", "CAP_PERFMON", "ok"));
	EXPECT_TRUE(verdict("holders", "pmcgrp groups", "ok"));
	EXPECT_TRUE(verdict("holders", "descriptors", "ok"));
	EXPECT_TRUE(verdict("self-test", "counted with", "ok"));
	EXPECT_TRUE(verdict("self-test", "instructions", have_instructions() ? "ok" : "unknown"));
	for (i = 0; i < COUNT(all); i++)
		EXPECT_TRUE(verdict("self-test", all[i], "ok"));
	/* As a table, for people. */
	tool("");
	EXPECT_EQ(0, run.status);
	EXPECT_NE(NULL, strstr(run.text, "\nSelf-test\n"));
	EXPECT_NE(NULL, strstr(run.text, ", problems: 0, "));
}

/* Where time passes by instructions only, nothing else has any part in the counts. */
TEST_F_TIMEOUT(tool_doctor, known_work_is_counted_exactly, 120)
{
	if (!deterministic())
		SKIP(return, "not a deterministic guest");
	tool("-j");
	EXPECT_EQ(LOOP, value("self-test", "instructions", "known"));
	EXPECT_EQ(LOOP, value("self-test", "instructions", "pmcgrp"));
	EXPECT_EQ(LOOP, value("self-test", "instructions", "perf"));
	EXPECT_EQ(PAGES, value("self-test", "page faults", "pmcgrp"));
	EXPECT_EQ(PAGES, value("self-test", "page faults", "perf"));
	EXPECT_EQ(PAGES, value("self-test", "page faults", "getrusage"));
	EXPECT_EQ(ROUND_TRIPS, value("self-test", "context switches", "known"));
	EXPECT_EQ(value("self-test", "context switches", "perf"),
		  value("self-test", "context switches", "getrusage"));
	EXPECT_LE(value("self-test", "context switches", "perf"),
		  value("self-test", "context switches", "pmcgrp"));
	EXPECT_LT(value("self-test", "task-clock", "thread"),
		  value("self-test", "task-clock", "perf"));
	EXPECT_LT(value("self-test", "task-clock", "perf"),
		  value("self-test", "task-clock", "pmcgrp"));
	EXPECT_LT(value("self-test", "task-clock", "pmcgrp"),
		  value("self-test", "task-clock", "wall"));
}

/* ---- Counters ---- */

/* How many of these events still fit beside as many copies as the PMU takes. */
static int own_counters(unsigned int copies)
{
	static const uint64_t generic[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
					    PERF_COUNT_HW_REF_CPU_CYCLES };
	int fd[COUNTERS_MOST + COUNT(generic)], nr, more, own = 0;
	struct perf_event_attr attr;
	unsigned int i;

	nr = open_copies(fd, machine()->instructions);
	if (nr != (int)copies)
		own = -1;
	for (i = 0; i < COUNT(generic) && own >= 0; i++) {
		attr = hw(generic[i]);
		attr.read_format = FORMAT;
		more = perf_open(&attr, 0, -1, fd[0]);
		if (more < 0)
			continue;
		fd[nr++] = more;
		own++;
	}
	while (nr)
		close(fd[--nr]);
	return own;
}

TEST_F_TIMEOUT(tool_doctor, as_many_counters_as_perf_has, 120)
{
	struct copies copies;
	int watchdogs;

	if (!self->hardware) {
		tool("-j --no-selftest");
		EXPECT_TRUE(verdict("pmus", "core PMU", "warning"));
		EXPECT_EQ(NULL, finding("pmus", "counters"));
		SKIP(return, "no counters");
	}
	copies = count_copies(machine()->instructions);
	watchdogs = watchdog_counters();
	tool("-j --no-selftest");
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(verdict("pmus", "counters", "ok"));
	EXPECT_EQ((long long)copies.fit, value("pmus", "counters", "counters"));
	EXPECT_EQ(own_counters(copies.fit), value("pmus", "counters", "own"));
	EXPECT_EQ((long long)copies.left, value("pmus", "free now", "free"));
	EXPECT_TRUE(says("pmus", "counters", "with pmcgrp, CPU 0"));
	EXPECT_EQ(watchdogs ? sysconf(_SC_NPROCESSORS_ONLN) : 0,
		  value("holders", "perf events", "watchdogs"));
	EXPECT_EQ(watchdogs, value("holders", "perf events", "most"));
	EXPECT_TRUE(verdict("holders", "perf events", "ok"));
	EXPECT_TRUE(verdict("holders", "NMI watchdog", watchdogs ? "warning" : "ok"));
	/* No self-test was asked for. */
	EXPECT_EQ(NULL, json(run.text, "self-test.0"));
}

/* Pinned perf events on CPU 0 keep their counters: so many fewer are free there, and not in all. */
TEST_F_TIMEOUT(tool_doctor, perf_has_counters, 120)
{
	struct perf_event_attr attr;
	struct copies copies;
	int fd[2], i, most;
	char owner[80];

	if (!self->hardware)
		SKIP(return, "no counters");
	copies = count_copies(machine()->instructions);
	most = watchdog_counters() + COUNT(fd);
	for (i = 0; i < (int)COUNT(fd); i++) {
		attr = instructions_copy(i);
		attr.pinned = 1;
		fd[i] = perf_open(&attr, -1, 0, -1);
		ASSERT_GE(fd[i], 0);
	}
	tool("-j --no-selftest");
	EXPECT_EQ(0, run.status);
	EXPECT_EQ((long long)copies.fit, value("pmus", "counters", "counters"));
	EXPECT_EQ((long long)copies.left - (long long)COUNT(fd),
		  value("pmus", "free now", "free"));
	EXPECT_TRUE(verdict("holders", "perf events", "warning"));
	EXPECT_EQ(most, value("holders", "perf events", "most"));
	EXPECT_TRUE(verdict("holders", "descriptors", "warning"));
	EXPECT_EQ(1, value("holders", "descriptors", "processes"));
	EXPECT_EQ((long long)COUNT(fd), value("holders", "descriptors", "perf-events"));
	EXPECT_TRUE(says("holders", "descriptors", OWN_NAME " (PID "));
	EXPECT_TRUE(says("holders", "descriptors", ": 2 perf events"));
	snprintf(owner, sizeof(owner), ": " OWN_NAME " (PID %d) has 2, on CPU 0: ", getpid());
	EXPECT_NE(NULL, strstr(run.text, owner));
	EXPECT_NE(NULL, strstr(run.text, "(pinned, of the CPU)"));
	EXPECT_EQ(most > (int)COUNT(fd), !!strstr(run.text, ": the NMI watchdog has "));
	for (i = 0; i < (int)COUNT(fd); i++)
		close(fd[i]);
}

/* Another group is named, with who has made it; and it goes on. */
TEST_F_TIMEOUT(tool_doctor, pmcgrp_has_counters, 120)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_CPU_CLOCK);
	struct group_values v;
	char owner[64];
	int fd;

	/* QEMU has a PMU without instructions where time is the host's. */
	if (self->hardware)
		attr = have_instructions() ? instructions_copy(0) : cycles_copy(0);
	fd = group_of_cpu(self->dev, 0, 1, &attr);
	ASSERT_GE(fd, 0);
	tool("-j");
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(verdict("holders", "pmcgrp groups", "warning"));
	EXPECT_EQ(1, value("holders", "pmcgrp groups", "groups"));
	EXPECT_EQ(self->hardware, value("holders", "pmcgrp groups", "counters"));
	snprintf(owner, sizeof(owner), OWN_NAME " (PID %d)", getpid());
	EXPECT_TRUE(says("holders", "pmcgrp groups", owner));
	EXPECT_TRUE(says("holders", "descriptors", ": 1 of pmcgrp's"));
	EXPECT_TRUE(verdict("self-test", "instructions", have_instructions() ? "ok" : "unknown"));
	EXPECT_TRUE(verdict("self-test", "page faults", "ok"));
	EXPECT_TRUE(verdict("self-test", "context switches", "ok"));
	EXPECT_TRUE(verdict("self-test", "task-clock", "ok"));
	ASSERT_TRUE(group_values(fd, 1, &v));
	EXPECT_LT(0, v.m[0].value);
	close(fd);
}

/* ---- Rights ---- */

/* Without capabilities the device is closed; root's files are not. */
TEST_F_TIMEOUT(tool_doctor, without_capabilities, 120)
{
	int status, cap;
	pid_t pid = fork();

	ASSERT_GE(pid, 0);
	if (!pid) {
		for (cap = 0; !prctl(PR_CAPBSET_DROP, cap); cap++)
			;
		tool("-j");
		if (run.status != 1 || !verdict("module", "loaded", "ok"))
			_exit(2);
		if (!verdict("module", "access", "problem") ||
		    !says("module", "access", "Permission denied"))
			_exit(3);
		if (!verdict("rights", "CAP_PERFMON", "warning") ||
		    !verdict("rights", "CAP_SYS_ADMIN", "warning"))
			_exit(4);
		if (!verdict("self-test", "counted with", "unknown"))
			_exit(5);
		_exit(number(run.text, "summary.problem") == 1 ? 0 : 6);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
