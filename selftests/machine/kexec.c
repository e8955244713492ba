// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another kernel is entered by kexec while groups count. x86's driver of the next kernel looks for
 * counters that are on (arch/x86/events/core.c: check_hw_exists()): with one on it blames the
 * firmware, with none off it does without a PMU. On AMD a later overflow of one is an unknown
 * NMI.
 *
 * The program runs in both kernels. In the first it packs the initramfs of the next one from what
 * lies in its own: the plan (vm/init) from this program on, and what it has found out here. By
 * that file it knows the next kernel.
 *
 * Those behind it would run in the kernel that it enters: it has a machine of its own.
 * needs: kernel=yes machines=*-kexec
 */
#include "pmcgrp_ring.h"
#include <sys/klog.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include "kselftest_harness.h"

#define KERNEL		"/lib/vmlinuz"		/* kernel=yes */
#define FOUND		"/etc/kexec"		/* there only in the next kernel */
#define NEXT		"/tmp/next"		/* what its initramfs has in addition */
#define INITRAMFS	"/tmp/initramfs"
#define DRIVER		"Performance Events: "
#define LOOPS		1000000
#define PERIOD		100000
#define CPUS_MAX	8
#define SYSLOG_ACTION_CONSOLE_LEVEL	8

/* The plan goes on with this program; the files that are packed last replace others. */
static const char * const pack[] = {
	"sed '/^run_test /{/^run_test kexec /,$!d}' /etc/plan >" NEXT "/etc/plan",
	"cd / && find . -xdev ! -path ." KERNEL " | cpio -o -H newc >" INITRAMFS,
	"cd " NEXT " && find . | cpio -o -H newc >>" INITRAMFS,
};

/* What must be the same in both kernels. */
struct found {
	char driver[256];	/* the kernel's words about its PMU */
	struct copies copies;
	uint64_t instructions;	/* in user space, of a loop */
};

static bool is_next(void)
{
	return !access(FOUND, F_OK);
}

/* Calls a function for each line of the kernel's log from boot on: dmesg -c takes none away. */
static bool each_line(void (*see)(const char *line, void *arg), void *arg)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192], *text;
	ssize_t n;

	if (fd < 0)
		return false;
	while ((n = read(fd, record, sizeof(record) - 1)) > 0) {
		record[n] = 0;
		text = strchr(record, ';');	/* before it are level, number and time */
		if (text)
			see(strtok(text + 1, "\n"), arg);
	}
	close(fd);
	return n < 0 && errno == EAGAIN;
}

static void see_driver(const char *line, void *arg)
{
	struct found *found = arg;

	if (!strncmp(line, DRIVER, strlen(DRIVER)))
		snprintf(found->driver, sizeof(found->driver), "%s", line);
}

static uint64_t count_loop(void)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t value = 0;
	int fd;

	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1);
	loop(LOOPS);
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		value = 0;
	close(fd);
	return value;
}

static bool find_out(struct found *found)
{
	*found = (struct found){};
	found->copies = machine()->copies;
	found->instructions = count_loop();
	return each_line(see_driver, found) && found->driver[0];
}

static bool leave_word(const struct found *found)
{
	int fd;
	bool ok;

	if (mkdir(NEXT, 0700) || mkdir(NEXT "/etc", 0700))
		return false;
	fd = open(NEXT FOUND, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ok = write(fd, found, sizeof(*found)) == sizeof(*found);
	close(fd);
	return ok;
}

static bool find_word(struct found *found)
{
	int fd = open(FOUND, O_RDONLY | O_CLOEXEC);
	bool ok = read(fd, found, sizeof(*found)) == sizeof(*found);

	close(fd);
	return ok;
}

/* Loads the next kernel and what it must know of this one; returns 0 or -errno. */
static int load_next(void)
{
	char cmdline[2048] = "";
	int kernel, initramfs, cmd, err;
	ssize_t n;

	cmd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	n = read(cmd, cmdline, sizeof(cmdline));
	close(cmd);
	if (n <= 0 || cmdline[n - 1] != '\n')
		return -EIO;
	cmdline[n - 1] = 0;
	kernel = open(KERNEL, O_RDONLY | O_CLOEXEC);
	initramfs = open(INITRAMFS, O_RDONLY | O_CLOEXEC);
	err = syscall(SYS_kexec_file_load, kernel, initramfs, n, cmdline, 0) ? -errno : 0;
	close(initramfs);
	close(kernel);
	return err;
}

FIXTURE(kexec)
{
	int dev;
	int cpus;
	struct perf_event_attr cycles[COUNTERS_MOST];
};

FIXTURE_SETUP(kexec)
{
	unsigned int k;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_LE(self->cpus, CPUS_MAX);
	if (access(KERNEL, R_OK) && !is_next())
		SKIP(return, "no kernel to be entered");
	if (!have_cycles() && !is_next())
		SKIP(return, "no PMU");
	for (k = 0; k < COUNTERS_MOST; k++)
		self->cycles[k] = cycles_copy(k);
}

FIXTURE_TEARDOWN(kexec)
{
	klogctl(SYSLOG_ACTION_CONSOLE_LEVEL, NULL, 1);	/* as vm/init has it */
	close(self->dev);
}

/* Opens a group with a ring that has samples, one each so many cycles; or -errno. */
static int sampled(int dev, struct ask ask)
{
	struct perf_event_attr by = every(PERIOD, cycles_copy(0));
	struct pmcgrp_trigger_add add;
	struct ring_sum sum = {};
	struct pmcgrp_ring_setup setup;
	struct ring ring;
	uint64_t at = 0;
	int fd, err;

	fd = ask_group(dev, &ask);
	if (fd < 0)
		return fd;
	if (ask.target_type == PMCGRP_TARGET_CPU)
		at = PMCGRP_RING_OFFSET(ask.target_id);
	err = setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup);
	if (!err)
		err = ring_map_at(fd, at, 1, PROT_READ | PROT_WRITE, &ring);
	if (!err)
		err = add_trigger(fd, &by, &add);
	if (err)
		return err;
	spin_ns(20 * NSEC_PER_MSEC);
	ring_drain(&ring, &sum, NULL, NULL);
	return sum.samples ? fd : -ENODATA;
}

/*
 * Each counter is in use: a group of each CPU and its trigger have one each, and so does the
 * trigger of the caller's own group. That has the others, as does one of a task on each CPU.
 */
TEST_F(kexec, next_kernel_is_entered)
{
	struct ask of_cpu = { .target_type = PMCGRP_TARGET_CPU, .flags = PMCGRP_CREATE_PINNED,
			      .nr = 1, .attr = self->cycles };
	unsigned int i, rest = counters() - 3;
	struct ask own = { .nr = rest, .attr = self->cycles + 1 };
	struct group_values none = {};
	struct found found;
	int fd;

	if (is_next())
		return;
	ASSERT_GT(counters(), 3);
	ASSERT_TRUE(find_out(&found));
	ASSERT_TRUE(leave_word(&found));
	for (i = 0; i < COUNT(pack); i++)
		ASSERT_EQ(0, system(pack[i]));
	ASSERT_EQ(0, load_next());
	/* from here on nothing but the console tells of warnings */
	ASSERT_EQ(0, klogctl(SYSLOG_ACTION_CONSOLE_LEVEL, NULL, 5));
	for (; of_cpu.target_id < self->cpus; of_cpu.target_id++) {
		fd = group_of_task(self->dev, spinner(of_cpu.target_id), rest, own.attr, 0);
		ASSERT_GE(fd, 0);
		EXPECT_TRUE(group_goes_on(fd, rest, &none));
		fd = sampled(self->dev, of_cpu);
		ASSERT_GE(fd, 0);
		EXPECT_TRUE(group_goes_on(fd, 1, &none));
	}
	/* the CPU that enters the next kernel, which checks its counters */
	ASSERT_TRUE(run_on(0));
	fd = sampled(self->dev, own);
	ASSERT_GE(fd, 0);
	EXPECT_TRUE(group_goes_on(fd, rest, &none));
	if (_metadata->exit_code == KSFT_PASS)
		reboot(RB_KEXEC);
	ASSERT_TRUE(false) TH_LOG("no other kernel has been entered");
}

/* Its driver has said the same, and its counters are as many and count the same. */
TEST_F(kexec, next_kernel_has_its_pmu)
{
	struct found before, now;

	if (!is_next())
		SKIP(return, "it has not been entered");
	ASSERT_TRUE(find_word(&before));
	ASSERT_TRUE(find_out(&now));
	EXPECT_STREQ(before.driver, now.driver);
	EXPECT_EQ(before.copies.fit, now.copies.fit);
	EXPECT_EQ(before.copies.left, now.copies.left);
	EXPECT_GE(now.instructions, 2 * LOOPS);
	if (deterministic())
		EXPECT_EQ(before.instructions, now.instructions);
	TH_LOG("%s; %u counters, %u free; a loop of %d iterations is %llu instructions", now.driver,
	       now.copies.fit, now.copies.left, LOOPS, (unsigned long long)now.instructions);
}

TEST_F(kexec, groups_count_in_next_kernel)
{
	struct ask of_cpu = { .target_type = PMCGRP_TARGET_CPU, .nr = 1, .attr = self->cycles };
	struct group_values none = {}, v;
	unsigned int nr;
	int fd;

	if (!is_next())
		SKIP(return, "it has not been entered");
	ASSERT_TRUE(have_cycles());
	nr = counters();
	fd = group_of(self->dev, nr, self->cycles, 0);
	ASSERT_GE(fd, 0);
	EXPECT_TRUE(group_goes_on(fd, nr, &none));
	ASSERT_TRUE(group_values(fd, nr, &v));
	EXPECT_EQ(v.enabled, v.running);
	close(fd);
	for (; of_cpu.target_id < self->cpus; of_cpu.target_id++) {
		ASSERT_TRUE(run_on(of_cpu.target_id));
		fd = sampled(self->dev, of_cpu);
		ASSERT_GE(fd, 0);
		EXPECT_TRUE(group_goes_on(fd, 1, &none));
		close(fd);
	}
}

static void see_complaint(const char *line, void *arg)
{
	static const char * const words[] = {
		"[Firmware Bug]", "corrupted hw-PMU", "Broken BIOS", "Broken PMU",
		"PMU not available", "NMI received for unknown reason", "Dazed and confused",
	};
	unsigned int i, *complaints = arg;

	for (i = 0; i < COUNT(words); i++) {
		if (!strstr(line, words[i]))
			continue;
		printf("# the kernel's log: %s\n", line);
		(*complaints)++;
		return;
	}
}

/* Last, so that a counter that was left on has had the time to overflow. */
TEST_F(kexec, next_kernel_complains_of_nothing)
{
	unsigned int complaints = 0;

	if (!is_next())
		SKIP(return, "it has not been entered");
	ASSERT_TRUE(each_line(see_complaint, &complaints));
	EXPECT_EQ(0, complaints);
}

TEST_HARNESS_MAIN
