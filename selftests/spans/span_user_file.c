// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of functions of programs: the breakpoints, the files that have them, what is refused, and
 * what a call costs.
 */
#include "pmcgrp_machine.h"
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "kselftest_harness.h"
#include "pmcgrp_span_user.h"

#define CODE_FILE	"/tmp/span_user.code"

/* Nobody can put a breakpoint in place of one. */
#ifdef __aarch64__
static const uint32_t trap_insn __attribute__((used)) = 0xd42000a0;
#else
static const uint32_t trap_insn __attribute__((used)) = 0xcccccccc;
#endif

/* A process that waits, reports the first bytes of user_work, calls it, and reports again. */
struct other {
	pid_t pid;
	int go, told;
};

static uint32_t first_bytes(void)
{
	return *(const volatile uint32_t *)(uintptr_t)user_work;
}

static bool other_start(struct other *other)
{
	int go[2], told[2];
	uint32_t bytes;
	char c;

	if (pipe(go) || pipe(told))
		return false;
	other->pid = fork();
	if (!other->pid) {
		close(go[1]);
		while (read(go[0], &c, 1) == 1) {
			if (c == 'c')
				user_work(10);
			bytes = first_bytes();
			if (write(told[1], &bytes, 4) != 4)
				_exit(1);
		}
		_exit(0);
	}
	close(go[0]);
	close(told[1]);
	other->go = go[1];
	other->told = told[0];
	return other->pid > 0;
}

static uint32_t other_do(const struct other *other, char what)
{
	uint32_t bytes = 0;

	if (write(other->go, &what, 1) != 1 || read(other->told, &bytes, 4) != 4)
		return 0;
	return bytes;
}

static bool other_end(struct other *other)
{
	int status;

	close(other->go);
	close(other->told);
	return waitpid(other->pid, &status, 0) == other->pid && !status;
}

/* Processes that are not counted have no breakpoint, or none from the first call on. */
TEST_F(span_user, breakpoints_of_others)
{
	static const bool stays[] = { false, false, false, true, true };
	const uint32_t bytes = first_bytes();
	struct other before, after;
	unsigned int t, calls;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		ASSERT_TRUE(other_start(&before));
		EXPECT_EQ(bytes, other_do(&before, 'l'));
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, user_work));
		EXPECT_NE(bytes, first_bytes());
		/* that of a single task is nowhere else from the beginning */
		EXPECT_EQ(t == 0, other_do(&before, 'l') == bytes) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(!stays[t], other_do(&before, 'c') == bytes);
		/* fork() copies it; inherited tasks keep it */
		ASSERT_TRUE(other_start(&after));
		EXPECT_NE(bytes, other_do(&after, 'l'));
		EXPECT_EQ(!stays[t] && t != 2, other_do(&after, 'c') == bytes) {
			TH_LOG("a group of %s", targets[t]);
		}
		user_work(10);
		EXPECT_NE(bytes, first_bytes());
		ASSERT_TRUE(FIND(group, user_work));
		calls = self->section.info.count + missed(&self->section);
		EXPECT_EQ(1 + 2 * stays[t] + (t == 2), calls) {
			TH_LOG("a group of %s", targets[t]);
		}
		/* it has the group and the first one's pipes as well */
		EXPECT_TRUE(other_end(&after));
		close(group);
		EXPECT_EQ(bytes, first_bytes());
		EXPECT_EQ(bytes, other_do(&before, 'l'));
		EXPECT_TRUE(other_end(&before));
	}
}

/* user_work in a file of its own, or NULL. */
static void (*map_code(void))(unsigned long)
{
	int fd = open(CODE_FILE, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (fd >= 0)
		close(fd);
	return at == MAP_FAILED ? NULL : (void (*)(unsigned long))(uintptr_t)at;
}

static bool make_code(void)
{
	size_t size = user_work_end - (const unsigned char *)(uintptr_t)user_work;
	int fd = open(CODE_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	bool made = fd >= 0 && write(fd, (const void *)(uintptr_t)user_work, size) == (ssize_t)size;

	close(fd);
	return made;
}

/* A library is mapped after the span began, again, elsewhere, and after it was removed. */
TEST_F(span_user, a_file_that_comes_and_goes)
{
	void (*code)(unsigned long n), (*more)(unsigned long n);
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	unsigned int t, i;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		ASSERT_TRUE(make_code());
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, user_ask(group, CODE_FILE, 0, LENGTH(user_work), NULL, 0, &add));
		code = map_code();
		more = map_code();
		ASSERT_NE(NULL, code);
		ASSERT_NE(NULL, more);
		for (i = 0; i < 10; i++) {
			code(10);
			more(10);
		}
		munmap((void *)(uintptr_t)code, 4096);
		ASSERT_EQ(0, unlink(CODE_FILE));
		for (i = 0; i < 10; i++)
			more(10);
		ASSERT_TRUE(find_span(self->dev, group, CODE_FILE, section));
		EXPECT_EQ(30, section->info.count + section->info.missed[PMCGRP_MISSED_MOVED]) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(30, section->info.count + missed(section));
		EXPECT_LT(10, section->info.count);
		if (t % 2)
			munmap((void *)(uintptr_t)more, 4096);
		close(group);
		if (!(t % 2)) {
			more(10);
			munmap((void *)(uintptr_t)more, 4096);
		}
	}
}

TEST_F(span_user, files_and_offsets_that_are_refused)
{
	static const struct {
		const char *path;
		int err;
	} file[] = {
		{ "/", EISDIR },
		{ "/tmp", EISDIR },
		{ "/dev/null", EINVAL },
		{ "/no/such/file", ENOENT },
		{ "/dev/null/file", ENOTDIR },
		{ "/proc/version", EIO },
	};
	int group = group_like(self->dev, 0, self->attr);
	char name[PMCGRP_SPAN_POINT_MAX + 2];
	struct pmcgrp_span_add add;
	struct stat st;
	unsigned int i;

	ASSERT_GE(group, 0);
	for (i = 0; i < ARRAY_SIZE(file); i++) {
		EXPECT_EQ(-file[i].err, user_ask(group, file[i].path, 0, 0, NULL, 0, &add)) {
			TH_LOG("%s", file[i].path);
		}
		EXPECT_EQ(PMCGRP_WHY_SPAN_FILE, add.why);
		EXPECT_EQ(0, add.id);
	}
	ASSERT_EQ(0, stat(self->path, &st));
	EXPECT_EQ(-EINVAL, user_ask(group, self->path, st.st_size, 0, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
	EXPECT_EQ(-EINVAL, user_ask(group, self->path, -8ULL, 0, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
	/* a breakpoint, in data that is mapped */
	EXPECT_EQ(-EOPNOTSUPP, user_ask(group, self->path, file_offset(&trap_insn), 0, NULL, 0,
					&add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
#ifdef __aarch64__
	EXPECT_EQ(-EINVAL, user_ask(group, self->path, file_offset(user_work) + 2, 0, NULL, 0,
				    &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
#endif
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	EXPECT_EQ(-EINVAL, user_ask(group, name, 0, 0, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EINVAL, user_ask(group, "", 0, 0, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EFAULT, user_ask(group, NULL, 0, 0, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EINVAL, user_ask(group, self->path, 0, 0, NULL, PMCGRP_SPAN_ACTIVE_MAX + 1,
				    &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_KIND, add.why);
	/* none of them is there */
	EXPECT_FALSE(find_section(self->dev, self->path, &self->section));
	/* the most that can be in flight */
	EXPECT_EQ(0, user_ask(group, self->path, file_offset(user_work), LENGTH(user_work), "most",
			      PMCGRP_SPAN_ACTIVE_MAX, &add));
	EXPECT_EQ(PMCGRP_SPAN_ACTIVE_MAX, add.max_active);
	close(group);
}

TEST_F(span_user, bad_arguments)
{
	uint64_t exit = file_offset(user_work_exit);
	struct pmcgrp_span_add good = {
		.size = sizeof(good), .kind = PMCGRP_SECTION_USER_FUNCTION,
		.begin = (uintptr_t)self->path, .offset = file_offset(user_work),
		.exits = (uintptr_t)&exit, .nr_exits = 1,
	};
	struct pmcgrp_span_add bad[5] = { good, good, good, good, good };
	int group = group_like(self->dev, 0, self->attr);
	unsigned int i;

	ASSERT_GE(group, 0);
	bad[0].end = good.begin;
	bad[1].key = PMCGRP_SPAN_KEY_CPU;
	bad[2].begin_arg = 1;
	bad[3].end_arg = 1;
	bad[4].arg_size = 4;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-1, ioctl(group, PMCGRP_IOC_SPAN, &bad[i])) {
			TH_LOG("%u", i);
		}
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(PMCGRP_WHY_SPAN_KEY, bad[i].why);
	}
	EXPECT_EQ(0, ioctl(group, PMCGRP_IOC_SPAN, &good));
	close(group);
}

/* Exits that are no list of offsets in the file. */
TEST_F(span_user, bad_exits)
{
	static uint64_t many[PMCGRP_SPAN_EXITS_MAX + 1];
	uint64_t at = file_offset(user_work_exit), twice[] = { at, at }, down[] = { at, at - 1 };
	uint64_t outside[] = { at, 1ULL << 40 }, negative[] = { at, -8ULL };
	struct pmcgrp_span_add good = {
		.size = sizeof(good), .kind = PMCGRP_SECTION_USER_FUNCTION,
		.begin = (uintptr_t)self->path, .offset = file_offset(user_work),
		.exits = (uintptr_t)&at, .nr_exits = 1,
	};
	const struct {
		const void *exits;
		unsigned int nr;
		int err;
		unsigned int why;
	} bad[] = {
		{ &at, 0, EINVAL, PMCGRP_WHY_SPAN_EXITS },
		{ NULL, 0, EINVAL, PMCGRP_WHY_SPAN_EXITS },
		{ NULL, 1, EFAULT, PMCGRP_WHY_SPAN_EXITS },
		{ many, ARRAY_SIZE(many), EINVAL, PMCGRP_WHY_SPAN_EXITS },
		{ many, -1, EINVAL, PMCGRP_WHY_SPAN_EXITS },
		{ twice, 2, EINVAL, PMCGRP_WHY_SPAN_EXITS },
		{ down, 2, EINVAL, PMCGRP_WHY_SPAN_EXITS },
		{ outside, 2, EINVAL, PMCGRP_WHY_SPAN_REFUSED },
		{ negative, 2, EINVAL, PMCGRP_WHY_SPAN_REFUSED },
	};
	int group = group_like(self->dev, 0, self->attr);
	const uint32_t bytes = first_bytes();
	struct pmcgrp_span_add add;
	unsigned int i;

	ASSERT_GE(group, 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		add = good;
		add.exits = (uintptr_t)bad[i].exits;
		add.nr_exits = bad[i].nr;
		EXPECT_EQ(-1, ioctl(group, PMCGRP_IOC_SPAN, &add)) {
			TH_LOG("%u", i);
		}
		EXPECT_EQ(bad[i].err, errno) {
			TH_LOG("%u", i);
		}
		EXPECT_EQ(bad[i].why, add.why) {
			TH_LOG("%u", i);
		}
		EXPECT_EQ(bytes, first_bytes());
	}
	add = good;
	add.kind = PMCGRP_SECTION_FUNCTION;
	add.offset = 0;
	EXPECT_EQ(-1, ioctl(group, PMCGRP_IOC_SPAN, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_EXITS, add.why);
	/* the last instruction alone: a call of no length */
	add = good;
	add.offset = at;
	ASSERT_EQ(0, ioctl(group, PMCGRP_IOC_SPAN, &add));
	user_work(10);
	ASSERT_TRUE(find_span(self->dev, group, self->path, &self->section));
	EXPECT_EQ(1, self->section.info.count + missed(&self->section));
	close(group);
}

/* CAP_PERFMON alone does not do: a breakpoint changes what programs do. */
TEST_F(span_user, without_the_capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	int group = group_like(self->dev, 0, self->attr), status, err;
	struct __user_cap_data_struct caps[2];
	struct pmcgrp_span_add add;
	pid_t pid;

	ASSERT_GE(group, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (syscall(SYS_capget, &head, caps))
			_exit(2);
		caps[0].effective &= ~(1U << CAP_SYS_ADMIN);
		if (syscall(SYS_capset, &head, caps))
			_exit(3);
		err = user_ask(group, self->path, file_offset(user_work), LENGTH(user_work), NULL,
			       0, &add);
		_exit(err != -EACCES || add.why != PMCGRP_WHY_PERMISSION);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(group);
}

/* Instructions, the kernel's too, of a thousand calls. */
static uint64_t cost_of_calls(int dev, const struct perf_event_attr *attr)
{
	int group = group_of(dev, 1, attr, 0), i;
	struct group_values v, w;

	if (group < 0)
		return 0;
	for (i = 0; i < 10; i++)
		user_work(10);
	if (!group_values(group, 1, &v))
		return 0;
	for (i = 0; i < 1000; i++)
		user_work(10);
	if (!group_values(group, 1, &w))
		return 0;
	close(group);
	return w.m[0].value - v.m[0].value;
}

/*
 * The cost of a span of a call: of the two traps, which any uprobe and uretprobe have, and of the
 * counting.  A group that is disabled has the traps and a look at each end.
 */
TEST_F_TIMEOUT(span_user, cost, 120)
{
	struct perf_event_attr all = hw(PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t none, traps, counted, others;
	struct other other;
	int group;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	none = cost_of_calls(self->dev, &all);
	group = group_like(self->dev, 0, self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, SPAN_OF(group, user_work));
	counted = cost_of_calls(self->dev, &all);
	ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
	traps = cost_of_calls(self->dev, &all);
	close(group);
	/* a span of another process's */
	ASSERT_TRUE(other_start(&other));
	group = group_of_task(self->dev, other.pid, 2, self->attr, 0);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, SPAN_OF(group, user_work));
	others = cost_of_calls(self->dev, &all);
	close(group);
	EXPECT_TRUE(other_end(&other));
	TH_LOG("instructions of a call %llu; span disabled %llu, counting %llu, of others %llu",
	       (unsigned long long)none / 1000, (unsigned long long)traps / 1000,
	       (unsigned long long)counted / 1000, (unsigned long long)others / 1000);
	EXPECT_LT(0, none);
	EXPECT_LT(none, traps);
	EXPECT_LT(traps, counted);
	/* what counts is less than the traps */
	EXPECT_LT(counted - traps, traps - none);
	EXPECT_LE(others, none + none / 10);
}

TEST_HARNESS_MAIN
