// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that waits for user memory, as long as userfaultfd likes: nobody else waits for it, and
 * SIGKILL ends it and whoever waits behind it.
 */
#include "pmcgrp_ring.h"
#include <linux/userfaultfd.h>
#include <poll.h>
#include "kselftest_harness.h"

/* What a healthy call takes at most, and what nobody may have to wait. */
#define SOON_MS	1000

/* What a child says of itself. */
struct child {
	int uffd;
	bool ready;
	uint32_t why;
};

FIXTURE(stall)
{
	int dev;
	struct perf_event_attr attr;
	struct child *child;
	size_t page;
	void *absent;	/* the page that does not come, in the child */
	pid_t pid;
	int uffd;
};

FIXTURE_SETUP(stall)
{
	self->pid = 0;
	self->uffd = -1;
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->page = sysconf(_SC_PAGESIZE);
	self->child = shared_memory(sizeof(*self->child));
	self->absent = (void *)fresh_pages(1);
	ASSERT_NE(NULL, self->child);
	ASSERT_NE(NULL, self->absent);
	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (self->uffd < 0)
		SKIP(return, "no userfaultfd");
	close(self->uffd);
	self->uffd = -1;
}

FIXTURE_TEARDOWN(stall)
{
	if (self->pid > 0)
		end_child(self->pid);
	if (self->uffd >= 0)
		close(self->uffd);
	close(self->dev);
}

/* Whether a child has ended in time; it is reaped then. */
static bool ended(pid_t pid, int *status)
{
	int ms;

	for (ms = 0; ms < SOON_MS; ms++) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		sleep_ns(NSEC_PER_MSEC);
	}
	return false;
}

static bool dies(pid_t pid)
{
	int status;

	return !kill(pid, SIGKILL) && ended(pid, &status) && WIFSIGNALED(status);
}

/* Nothing but the owner of this descriptor ends the wait for the page. */
static int keep_absent(void *page, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = (uintptr_t)page, .len = size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &range))
		return -1;
	return uffd;
}

/* A child does something with a page that does not come; its end says how that went. */
#define STALL(body) do {								\
	self->child->ready = false;							\
	self->child->why = 0;								\
	self->pid = fork();								\
	ASSERT_GE(self->pid, 0);							\
	if (!self->pid) {								\
		self->child->uffd = keep_absent(self->absent, self->page);		\
		__atomic_store_n(&self->child->ready, true, __ATOMIC_RELEASE);		\
		_exit(self->child->uffd < 0 ? 255 : -(body));				\
	}										\
} while (0)

/* Whether the child waits for its page. */
static bool stalled(pid_t pid, const struct child *child, int *uffd)
{
	struct pollfd p = { .events = POLLIN };
	int ms, pidfd = syscall(SYS_pidfd_open, pid, 0);

	for (ms = 0; ms < SOON_MS && !__atomic_load_n(&child->ready, __ATOMIC_ACQUIRE); ms++)
		sleep_ns(NSEC_PER_MSEC);
	*uffd = syscall(SYS_pidfd_getfd, pidfd, child->uffd, 0);
	close(pidfd);
	p.fd = *uffd;
	return *uffd >= 0 && poll(&p, 1, SOON_MS) == 1;
}

static int create_with(int dev, const struct perf_event_attr *attr, uint32_t *why)
{
	struct ask ask = { .nr = 1, .attr = attr };
	int fd = ask_group(dev, &ask);

	*why = ask.create.why;
	return fd < 0 ? fd : 0;
}

static int add_with(int fd, const struct perf_event_attr *attr, uint32_t *why)
{
	struct pmcgrp_add add = { .size = sizeof(add), .attr = (uintptr_t)attr };
	int err = ioctl(fd, PMCGRP_IOC_ADD, &add) < 0 ? -errno : 0;

	*why = add.why;
	return err;
}

static int trigger_with(int fd, const struct perf_event_attr *attr, uint32_t *why)
{
	struct pmcgrp_trigger_add add;
	int err = add_trigger(fd, attr, &add);

	*why = add.why;
	return err;
}

/* Others open, read and close groups; one who cannot has to be killed at least. */
#define EXPECT_OTHERS_GO_ON() do {							\
	struct group_values v_;								\
	int status_ = -1, fd_;								\
	pid_t pid_ = fork();								\
											\
	ASSERT_GE(pid_, 0);								\
	if (!pid_) {									\
		fd_ = group_of(self->dev, 1, &self->attr, 0);				\
		_exit(fd_ < 0 || !group_values(fd_, 1, &v_) || close(fd_));		\
	}										\
	if (ended(pid_, &status_)) {							\
		EXPECT_EQ(0, status_);							\
	} else {									\
		EXPECT_TRUE(false) TH_LOG("others wait");				\
		EXPECT_TRUE(dies(pid_));						\
	}										\
} while (0)

#define EXPECT_STALL_HURTS_NOBODY() do {						\
	EXPECT_TRUE(stalled(self->pid, self->child, &self->uffd));			\
	EXPECT_OTHERS_GO_ON();								\
	EXPECT_TRUE(dies(self->pid));							\
	self->pid = 0;									\
	EXPECT_OTHERS_GO_ON();								\
} while (0)

/* A member whose PMU would read its name is refused before it does. */
#define EXPECT_REFUSED_UNREAD() do {							\
	int status_ = -1;								\
											\
	EXPECT_OTHERS_GO_ON();								\
	EXPECT_TRUE(ended(self->pid, &status_));					\
	EXPECT_TRUE(WIFEXITED(status_));						\
	EXPECT_EQ(EOPNOTSUPP, WEXITSTATUS(status_));					\
	EXPECT_EQ(PMCGRP_WHY_EVENT_KIND, self->child->why);				\
	if (WIFEXITED(status_))								\
		self->pid = 0;								\
} while (0)

static long probe_type(const char *pmu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	return file_number(path, "");
}

static struct perf_event_attr probe(const char *pmu, const void *name)
{
	struct perf_event_attr attr = event(probe_type(pmu), 0);

	attr.config1 = (uintptr_t)name;
	return attr;
}

TEST_F(stall, name_of_a_kprobe)
{
	struct perf_event_attr attr = probe("kprobe", self->absent);

	if (probe_type("kprobe") < 0)
		SKIP(return, "no kprobe PMU");
	STALL(create_with(self->dev, &attr, &self->child->why));
	EXPECT_REFUSED_UNREAD();
}

TEST_F(stall, name_of_a_uprobe)
{
	struct perf_event_attr attr = probe("uprobe", self->absent);

	if (probe_type("uprobe") < 0)
		SKIP(return, "no uprobe PMU");
	STALL(create_with(self->dev, &attr, &self->child->why));
	EXPECT_REFUSED_UNREAD();
}

TEST_F(stall, name_of_a_kprobe_that_is_added)
{
	struct perf_event_attr attr = probe("kprobe", self->absent);
	int fd = group_of(self->dev, 1, &self->attr, PMCGRP_CREATE_LEADER);

	if (probe_type("kprobe") < 0)
		SKIP(return, "no kprobe PMU");
	ASSERT_GE(fd, 0);
	STALL(add_with(fd, &attr, &self->child->why));
	EXPECT_REFUSED_UNREAD();
	close(fd);
}

TEST_F(stall, attr)
{
	STALL(create_with(self->dev, self->absent, &self->child->why));
	EXPECT_STALL_HURTS_NOBODY();
}

TEST_F(stall, values)
{
	int fd = group_of(self->dev, 1, &self->attr, 0);

	ASSERT_GE(fd, 0);
	STALL(read(fd, self->absent, self->page));
	EXPECT_STALL_HURTS_NOBODY();
	close(fd);
}

TEST_F(stall, info)
{
	int fd = group_of(self->dev, 1, &self->attr, 0);
	struct pmcgrp_info_cpu cpu[1];
	struct pmcgrp_info info = {
		.size = sizeof(info), .members = (uintptr_t)self->absent, .cpus = (uintptr_t)cpu,
		.nr_members = 1, .nr_cpus = 1,
		.member_size = sizeof(struct pmcgrp_info_member), .cpu_size = sizeof(cpu[0]),
	};

	ASSERT_GE(fd, 0);
	STALL(ioctl(self->dev, PMCGRP_IOC_INFO_NEXT, &info));
	EXPECT_STALL_HURTS_NOBODY();
	close(fd);
}

/* A trigger's name is read, with a mutex of the group: who waits for that can be killed. */
TEST_F(stall, name_of_a_trigger)
{
	struct perf_event_attr attr = every(1, probe("kprobe", self->absent));
	struct perf_event_attr faults = every(1, self->attr);
	int fd = group_of(self->dev, 1, &self->attr, 0), status;
	struct group_values v;
	struct ring ring;
	uint32_t why;
	pid_t second;

	if (probe_type("kprobe") < 0)
		SKIP(return, "no kprobe PMU");
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	STALL(trigger_with(fd, &attr, &self->child->why));
	EXPECT_TRUE(stalled(self->pid, self->child, &self->uffd));
	EXPECT_OTHERS_GO_ON();
	EXPECT_TRUE(group_values(fd, 1, &v));
	second = fork();
	ASSERT_GE(second, 0);
	if (!second)
		_exit(!!trigger_with(fd, &faults, &why));
	EXPECT_FALSE(ended(second, &status));
	EXPECT_TRUE(dies(second));
	EXPECT_TRUE(dies(self->pid));
	self->pid = 0;
	EXPECT_EQ(0, trigger_with(fd, &faults, &why));
	ring_unmap(&ring);
	close(fd);
}

TEST_HARNESS_MAIN
