// SPDX-License-Identifier: GPL-2.0-only
/* Groups with a leader: parts of CPUs, enabling, errors, hotplug, execve(), parallel use. */
#include "pmcgrp_leader.h"
#include <linux/capability.h>
#include <pthread.h>
#include <sys/prctl.h>
#include "kselftest_harness.h"

#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define NR		4
#define EVENTS		12
#define STORMERS	4
#define STORM_OPS	300

FIXTURE(leader)
{
	int dev;
	int cpus;
	struct perf_event_attr attr[EVENTS];
};

FIXTURE_SETUP(leader)
{
	unsigned int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_CONF);
	for (i = 0; i < EVENTS; i++) {
		self->attr[i] = sw(PERF_COUNT_SW_CPU_CLOCK);	/* as task-clock is, too */
		self->attr[i].exclude_host = i & 1;
		self->attr[i].exclude_hv = i / 2 & 1;
		self->attr[i].exclude_guest = i / 4 & 1;
		self->attr[i].exclude_idle = i / 8 & 1;
		if (have_cycles())
			self->attr[i] = cycles_copy(i);
	}
}

FIXTURE_TEARDOWN(leader)
{
	close(self->dev);
}

static int leader_of(int dev, uint32_t type, int id, const struct perf_event_attr *attr,
		     uint64_t flags, uint64_t read_format)
{
	struct ask ask = { .target_type = type, .target_id = id, .nr = 1, .attr = attr,
			   .flags = flags | PMCGRP_CREATE_LEADER, .read_format = read_format };

	return ask_group(dev, &ask);
}

static bool own(int fd, struct own_values *v)
{
	return read(fd, v, sizeof(*v)) == sizeof(*v);
}

/* RESET with FLAG_TIMES: perf has no such thing; of a member it takes that one's only. */
TEST_F(leader, reset_of_times)
{
	static const struct own_values none;
	struct own_values l, m, after;
	struct pmcgrp_add add;
	unsigned int whole;
	int fd, member;

	for (whole = 0; whole < 2; whole++) {
		fd = leader_of(self->dev, 0, 0, self->attr, 0, OWN_FORMAT);
		member = ask_member(fd, &self->attr[1], 0, OWN_FORMAT, &add);
		ASSERT_GE(member, 0);
		loop(10000);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_TRUE(own(fd, &l));
		ASSERT_TRUE(own(member, &m));
		EXPECT_GT(l.enabled, m.enabled);
		EXPECT_GT(m.value, 0);
		EXPECT_GT(m.running, 0);
		ASSERT_EQ(0, ioctl(member, PERF_EVENT_IOC_RESET,
				   PMCGRP_IOC_FLAG_TIMES | (whole ? PERF_IOC_FLAG_GROUP : 0)));
		ASSERT_TRUE(own(member, &after));
		EXPECT_EQ(0, memcmp(&after, &none, sizeof(none)));
		ASSERT_TRUE(own(fd, &after));
		EXPECT_EQ(0, memcmp(&after, whole ? &none : &l, sizeof(none)));
		/* on from there */
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		loop(10000);
		ASSERT_TRUE(own(member, &after));
		EXPECT_GT(after.value, 0);
		EXPECT_EQ(after.enabled, after.running);
		close(member);
		close(fd);
	}
}

/* The counts of the CPUs make the sum, whatever was done to the members. */
TEST_F(leader, parts_of_cpus_make_the_sum)
{
	struct {
		uint64_t cpu;
		uint64_t nr;
		uint64_t enabled;
		uint64_t running;
		struct {
			uint64_t value;
			uint64_t id;
		} m[NR];
	} part[64];
	struct pmcgrp_read_cpus arg = { .size = sizeof(arg), .buf = (uintptr_t)part,
					.buf_size = sizeof(part) };
	struct pmcgrp_add add;
	struct group_values v;
	uint64_t sum;
	unsigned int cpu, i, round;
	unsigned long cmd;
	int fd[NR];

	fd[0] = leader_of(self->dev, PMCGRP_TARGET_ALL_CPUS, 0, self->attr, 0, 0);
	ASSERT_GE(fd[0], 0);
	for (i = 1; i < NR; i++) {
		sleep_ns(NSEC_PER_MSEC);
		fd[i] = ask_member(fd[0], &self->attr[i], i == 2 ? PMCGRP_ADD_DISABLED : 0,
				   FORMAT, &add);
		ASSERT_GE(fd[i], 0);
	}
	for (round = 0; round < 5; round++) {
		sleep_ns(NSEC_PER_MSEC);
		cmd = round % 2 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
		ASSERT_EQ(0, ioctl(fd[1 + round % 3], cmd, 0));
		ASSERT_EQ(0, ioctl(fd[round % 4], PERF_EVENT_IOC_RESET,
				   round == 3 ? PMCGRP_IOC_FLAG_TIMES : 0));
		sleep_ns(NSEC_PER_MSEC);
		if (round == 4) {
			/* one member is closed and another one added */
			close(fd[1]);
			fd[1] = add_member(fd[0], &self->attr[5]);
			ASSERT_GE(fd[1], 0);
		}
		ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_TRUE(group_values(fd[0], NR, &v));
		ASSERT_EQ(0, ioctl(fd[0], PMCGRP_IOC_READ_CPUS, &arg));
		ASSERT_EQ(sizeof(part[0]), arg.record_size);
		for (i = 0; i < NR; i++) {
			for (sum = 0, cpu = 0; cpu < arg.nr_cpus; cpu++) {
				sum += part[cpu].m[i].value;
				EXPECT_EQ(v.m[i].id, part[cpu].m[i].id);
				EXPECT_LT(part[cpu].m[i].value, 1ULL << 60);
			}
			EXPECT_EQ(v.m[i].value, sum) {
				TH_LOG("round %u, member %u", round, i);
			}
		}
		for (sum = 0, cpu = 0; cpu < arg.nr_cpus; cpu++)
			sum += part[cpu].enabled;
		EXPECT_EQ(v.enabled, sum);
		ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	}
	for (i = 0; i < NR; i++)
		close(fd[i]);
}

/* execve() enables the leader, and that lets the others count. */
TEST_F(leader, enable_on_exec)
{
	const uint64_t flags = PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC;
	struct own_values l, m, off;
	int fd, member, other, go;
	struct pmcgrp_add add;
	unsigned int closed;
	pid_t pid;

	for (closed = 0; closed < 2; closed++) {
		pid = exec_child(&go);
		ASSERT_GT(pid, 0);
		fd = leader_of(self->dev, 0, pid, self->attr, flags, OWN_FORMAT);
		member = ask_member(fd, &self->attr[1], 0, OWN_FORMAT, &add);
		other = ask_member(fd, &self->attr[2], PMCGRP_ADD_DISABLED, OWN_FORMAT, &add);
		ASSERT_GE(other, 0);
		ASSERT_TRUE(own(member, &m));
		EXPECT_EQ(0, m.enabled);
		if (closed)
			close(fd);
		ASSERT_TRUE(exec_go(pid, go));
		ASSERT_TRUE(own(member, &m));
		ASSERT_TRUE(own(other, &off));
		EXPECT_GT(m.value, 0);
		EXPECT_EQ(m.enabled, m.running);
		EXPECT_EQ(0, off.value);
		EXPECT_EQ(0, off.enabled);
		if (!closed) {
			ASSERT_TRUE(own(fd, &l));
			EXPECT_GT(l.value, 0);
			EXPECT_EQ(l.enabled, m.enabled);
			close(fd);
		}
		close(member);
		close(other);
	}
}

/* Only the leader is in error, and only it was pinned. */
TEST_F(leader, pinned)
{
	struct perf_event_attr pin;
	unsigned int nr = counters(), i;
	int perf[COUNTERS_MOST], fd, member;
	struct own_values v, w;
	struct pmcgrp_add add;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	for (i = 0; i < nr; i++) {
		pin = cycles_copy(100 + i);
		pin.pinned = 1;
		perf[i] = perf_open(&pin, -1, 0, -1);
		ASSERT_GE(perf[i], 0);
	}
	fd = leader_of(self->dev, PMCGRP_TARGET_CPU, 0, self->attr, PMCGRP_CREATE_PINNED,
		       OWN_FORMAT);
	ASSERT_GE(fd, 0);
	member = ask_member(fd, &self->attr[1], 0, OWN_FORMAT, &add);
	ASSERT_GE(member, 0);
	sleep_ns(20 * NSEC_PER_MSEC);
	EXPECT_EQ(0, read(fd, &v, sizeof(v)));
	ASSERT_TRUE(own(member, &v));
	EXPECT_EQ(0, v.value);
	close(fd);
	for (i = 0; i < nr; i++)
		close(perf[i]);
	sleep_ns(50 * NSEC_PER_MSEC);
	ASSERT_TRUE(own(member, &v));
	EXPECT_GT(v.running, 0);
	sleep_ns(NSEC_PER_MSEC);
	ASSERT_TRUE(own(member, &w));
	EXPECT_GT(w.value, v.value);
	close(member);
}

/* Refused or taken in: a group that has become too large is right again without the last. */
/* Without a leader no descriptor is to be like an event of perf's. */
TEST_F(leader, as_perf)
{
	struct ask ask = { .nr = 1, .attr = self->attr, .flags = PMCGRP_CREATE_AS_PERF };
	int fd;

	EXPECT_EQ(-EINVAL, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, ask.create.why);
	ask.flags |= PMCGRP_CREATE_LEADER;
	fd = ask_group(self->dev, &ask);
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0x80));
	close(fd);
}

TEST_F(leader, one_too_many_for_the_pmu)
{
	int fd, member[EVENTS], room = counters(), i, nr = 1;
	struct group_values v, w;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	fd = leader_of(self->dev, 0, 0, self->attr, 0, 0);
	ASSERT_GE(fd, 0);
	ASSERT_LE(room + 2, EVENTS);
	for (i = 1; i < room + 2; i++) {
		member[i] = add_member(fd, &self->attr[i]);
		if (member[i] < 0) {
			EXPECT_EQ(-EINVAL, member[i]);
			break;
		}
		nr++;
	}
	TH_LOG("%d members, %d counters", nr, room);
	EXPECT_GE(nr, room - 1);
	for (i = nr - 1; i > room - 3; i--) {
		close(member[i]);
		nr--;
	}
	ASSERT_TRUE(group_values(fd, nr, &v));
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, nr, &w));
	EXPECT_GT(w.running, v.running);
	for (i = 0; i < nr; i++)
		EXPECT_GT(w.m[i].value, v.m[i].value);
	close(fd);
}

/* With CAP_PERFMON alone, or with all there is. */
static int set_admin(bool admin)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		return -1;
	if (admin)
		data[0].effective |= 1U << CAP_SYS_ADMIN;
	else
		data[0].effective &= ~(1U << CAP_SYS_ADMIN);
	return syscall(SYS_capset, &head, data);
}

/*
 * The very last thing that can fail is the file: a number beyond the limit is refused to
 * those who are not root.  By then the member has joined, and has to leave again.
 */
TEST_F(leader, no_file_for_a_member)
{
	long most = file_number("/proc/sys/fs/file-max", "");
	struct group_values v, w;
	struct pmcgrp_add add;
	char text[32];
	int fd, ret;

	fd = leader_of(self->dev, 0, 0, self->attr, 0, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(group_values(fd, 1, &v));
	ASSERT_TRUE(file_write("/proc/sys/fs/file-max", "0"));
	ASSERT_EQ(0, set_admin(false));
	ret = ask_member(fd, &self->attr[1], 0, 0, &add);
	ASSERT_EQ(0, set_admin(true));
	snprintf(text, sizeof(text), "%ld", most);
	ASSERT_TRUE(file_write("/proc/sys/fs/file-max", text));
	EXPECT_EQ(-ENFILE, ret);
	EXPECT_EQ(0, add.id);
	EXPECT_EQ(PMCGRP_WHY_NONE, add.why);
	loop(1000);
	ASSERT_TRUE(group_values(fd, 1, &w));
	EXPECT_EQ(v.m[0].id, w.m[0].id);
	EXPECT_GT(w.m[0].value, v.m[0].value);
	ret = add_member(fd, &self->attr[1]);
	EXPECT_GE(ret, 0);
	EXPECT_TRUE(group_values(fd, 2, &w));
	close(ret);
	close(fd);
}

/* What comes and goes while a CPU is away is there, or not, when it comes back. */
TEST_F_TIMEOUT(leader, across_hotplug, 120)
{
	struct group_values v, w;
	struct pmcgrp_add add;
	int all, one, member[3];

	if (access(CPU1, W_OK))
		SKIP(return, "one CPU");
	all = leader_of(self->dev, PMCGRP_TARGET_ALL_CPUS, 0, self->attr, 0, 0);
	one = leader_of(self->dev, PMCGRP_TARGET_CPU, 1, self->attr, 0, 0);
	ASSERT_GE(all, 0);
	ASSERT_GE(one, 0);
	member[0] = add_member(all, &self->attr[1]);
	ASSERT_GE(member[0], 0);
	ASSERT_TRUE(file_write(CPU1, "0"));
	EXPECT_EQ(-ENODEV, ask_member(one, &self->attr[1], 0, FORMAT, &add));
	EXPECT_EQ(PMCGRP_WHY_CPU_OFFLINE, add.why);
	ASSERT_TRUE(group_values(one, 1, &v));
	member[1] = add_member(all, &self->attr[2]);
	ASSERT_GE(member[1], 0);
	close(member[0]);
	ASSERT_TRUE(group_values(all, 2, &w));
	ASSERT_TRUE(file_write(CPU1, "1"));
	EXPECT_TRUE(group_goes_on(one, 1, &v));
	EXPECT_TRUE(group_goes_on(all, 2, &w));
	member[2] = add_member(one, &self->attr[1]);
	ASSERT_GE(member[2], 0);
	ASSERT_TRUE(group_values(one, 2, &v));
	EXPECT_TRUE(group_goes_on(one, 2, &v));
	ASSERT_TRUE(group_values(member[2], 2, &w));
	EXPECT_LT(w.m[1].value, w.m[0].value);
	/* a leader that goes while its CPU is away */
	ASSERT_TRUE(file_write(CPU1, "0"));
	close(one);
	ASSERT_TRUE(group_values(member[2], 1, &v));
	ASSERT_TRUE(file_write(CPU1, "1"));
	EXPECT_TRUE(group_goes_on(member[2], 1, &v));
	close(member[1]);
	close(member[2]);
	close(all);
}

static struct {
	int fd;
	const struct perf_event_attr *attr;
	unsigned int nr;	/* of these; all fit the PMU at a time */
	unsigned int wrong;
} storm;

static void *stormer(void *arg)
{
	static const unsigned long cmds[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
					      PERF_EVENT_IOC_RESET };
	struct rng r = { .state = (uintptr_t)arg };
	int i, k, fd[4] = { -1, -1, -1, -1 };
	struct group_values v;
	struct pmcgrp_add add;

	for (i = 0; i < (slow_kernel() ? STORM_OPS / 10 : STORM_OPS); i++) {
		k = below(&r, 4);
		if (fd[k] < 0) {
			fd[k] = ask_member(storm.fd, &storm.attr[below(&r, storm.nr)],
					   below(&r, 2), FORMAT, &add);
			storm.wrong += fd[k] < 0;
		} else if (chance(&r, 30)) {
			close(fd[k]);
			fd[k] = -1;
		} else if (chance(&r, 40)) {
			storm.wrong += ioctl(fd[k], cmds[below(&r, 3)], below(&r, 2)) != 0;
		} else {
			storm.wrong += read(fd[k], &v, sizeof(v)) <= 0 ||
				       v.running > v.enabled || !v.nr || v.m[0].id == 0;
		}
	}
	for (k = 0; k < 4; k++)
		if (fd[k] >= 0)
			close(fd[k]);
	return NULL;
}

/* Children of a target that make children of their own, and move about. */
static void family(int cpus)
{
	unsigned int round;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (round = 0;; round++) {
		if (!fork()) {
			run_on(round % cpus);
			loop(2000);
			_exit(0);
		}
		loop(1000);
		if (round % 4 == 3)
			while (wait(NULL) > 0)
				;
	}
}

/* All operations at once, by independent threads. */
TEST_F_TIMEOUT(leader, storm, 300)
{
	static const struct {
		uint32_t type;
		uint64_t flags;
	} targets[] = {
		{ PMCGRP_TARGET_TASK, PMCGRP_CREATE_INHERIT },
		{ PMCGRP_TARGET_PROCESS, PMCGRP_CREATE_INHERIT },
		{ PMCGRP_TARGET_ALL_CPUS, 0 },
	};
	pthread_t thread[STORMERS];
	struct group_values v;
	unsigned int t;
	uintptr_t i;
	pid_t pid;

	storm.attr = self->attr;
	storm.nr = have_cycles() && counters() < 6 ? counters() : 6;
	for (t = 0; t < 3; t++) {
		pid = fork();
		if (!pid)
			family(self->cpus);
		storm.fd = leader_of(self->dev, targets[t].type,
				     targets[t].type == PMCGRP_TARGET_ALL_CPUS ? 0 : pid,
				     self->attr, targets[t].flags, 0);
		ASSERT_GE(storm.fd, 0);
		for (i = 0; i < STORMERS; i++)
			ASSERT_EQ(0, pthread_create(&thread[i], NULL, stormer,
						    (void *)(20260101 + t * STORMERS + i)));
		for (i = 0; i < STORMERS; i++)
			pthread_join(thread[i], NULL);
		EXPECT_EQ(0, storm.wrong);
		ASSERT_EQ(0, ioctl(storm.fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
		ASSERT_TRUE(group_values(storm.fd, 1, &v));
		EXPECT_TRUE(group_goes_on(storm.fd, 1, &v));
		ASSERT_TRUE(end_child(pid));
		close(storm.fd);
	}
}

TEST_HARNESS_MAIN
