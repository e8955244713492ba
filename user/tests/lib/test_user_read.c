// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Reading from user space: where it cannot be the page is found, its reason told, and the read falls
 * back. Where it can be each counter's register is one that faults, and the handler of the
 * signal gives it a value. (Registers that count are read in guests: selftests/bench.)
 */
#include "test.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "internal.h"

#define FULL (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	      PERF_FORMAT_TOTAL_TIME_RUNNING)

static const uint64_t words[] = { 1, 10, 10, 42, 7 };

static struct pmcgrp_group *group_of_fd(int fd, unsigned int nr, uint64_t flags,
					uint64_t read_format)
{
	struct pmcgrp_group *group = calloc(1, sizeof(*group));

	assert_non_null(group);
	group->backend = PMCGRP_BACKEND_DEVICE;
	group->nr = nr;
	group->flags = flags;
	group->read_format = read_format;
	group->read_user = pmcgrp_group_read;
	group->fd = fd;
	user_read_map(group);
	return group;
}

/* A group whose descriptor gives a read at offset 0 and has a page where the module has it. */
static struct pmcgrp_group *group_with(const struct pmcgrp_user_page *page, unsigned int nr,
				       uint64_t flags, uint64_t read_format)
{
	int fd = memfd_create("group", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, words, sizeof(words), 0), sizeof(words));
	assert_int_equal(pwrite(fd, page, sizeof(*page), PMCGRP_USER_PAGE_OFFSET), sizeof(*page));
	return group_of_fd(fd, nr, flags, read_format);
}

static void check_read(struct pmcgrp_group *group)
{
	uint64_t out[8] = { 0 };

	lseek(group->fd, 0, SEEK_SET);
	assert_int_equal(pmcgrp_group_read_user(group, out, sizeof(words)), sizeof(words));
	assert_memory_equal(out, words, sizeof(words));
}

static const struct {
	uint64_t flags, read_format;
	struct pmcgrp_user_page page;
	enum pmcgrp_why why;
	bool mapped;
} rows[] = {
	{ 0, FULL, { .nr = 1 }, PMCGRP_WHY_FLAGS, false },
	{ PMCGRP_CREATE_USER_READ, FULL, { .nr = 1 }, PMCGRP_WHY_NONE, true },
	{ PMCGRP_CREATE_USER_READ, PERF_FORMAT_GROUP, { .nr = 1 }, PMCGRP_WHY_NONE, true },
	{ PMCGRP_CREATE_USER_READ, FULL, { .why = PMCGRP_WHY_USER_READ_DENIED },
	  PMCGRP_WHY_USER_READ_DENIED,
	  true },
	{ PMCGRP_CREATE_USER_READ, FULL, { .why = PMCGRP_WHY_USER_READ_EVENT },
	  PMCGRP_WHY_USER_READ_EVENT,
	  true },
	{ PMCGRP_CREATE_USER_READ, 0, { .nr = 1 }, PMCGRP_WHY_READ_FORMAT, false },
	{ PMCGRP_CREATE_USER_READ, FULL | PMCGRP_FORMAT_LOST, { .nr = 1 }, PMCGRP_WHY_READ_FORMAT,
	  false },
#if !defined(__aarch64__) && !defined(__x86_64__)
	/* On other processors no page can be used. */
	{ PMCGRP_CREATE_USER_READ, FULL, { .nr = 1, .until = UINT64_MAX }, PMCGRP_WHY_NONE, true },
#endif
};

static void falls_back(void **state)
{
	struct pmcgrp_group *group;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		group = group_with(&rows[i].page, 1, rows[i].flags, rows[i].read_format);
		assert_row(i, !!group->page == rows[i].mapped);
		assert_row(i, pmcgrp_group_user_read_why(group) == rows[i].why);
		check_read(group);
		pmcgrp_group_close(group);
	}
}

static void small_buffer(void **state)
{
	struct pmcgrp_user_page page = { .nr = 1, .until = UINT64_MAX };
	struct pmcgrp_group *group = group_with(&page, 1, PMCGRP_CREATE_USER_READ, FULL);
	uint64_t out[2] = { 0 };

	(void)state;
	/* It is the kernel's to say what is wrong; this file gives what fits. */
	lseek(group->fd, 0, SEEK_SET);
	assert_int_equal(pmcgrp_group_read_user(group, out, 8), 8);
	assert_int_equal(out[0], words[0]);
	assert_int_equal(out[1], 0);
	pmcgrp_group_close(group);
}

/* A module that knows the flag but has no page for us. */
static void no_page(void **state)
{
	struct pmcgrp_group *group;
	uint64_t out[8] = { 0 };
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	group = group_of_fd(fds[0], 1, PMCGRP_CREATE_USER_READ, FULL);
	assert_null(group->page);
	assert_int_equal(pmcgrp_group_user_read_why(group), PMCGRP_WHY_NOMEM);
	assert_int_equal(write(fds[1], words, sizeof(words)), sizeof(words));
	assert_int_equal(pmcgrp_group_read_user(group, out, sizeof(out)), sizeof(words));
	assert_memory_equal(out, words, sizeof(words));
	close(fds[1]);
	pmcgrp_group_close(group);
}

#if defined(__x86_64__) || defined(__aarch64__)

static struct pmcgrp_user_page *shown;	/* the page, to be written to */
static volatile unsigned int faults;	/* how many registers were read */
static unsigned int change_at;		/* which of these has the page changed; 0: none */

/* Of the register with an index. */
static uint64_t count_of(uint64_t index)
{
	return 0xfedcba9800000000 + 0x100000001 * index;
}

#ifdef __x86_64__

#define FAULT SIGSEGV

/* No processor has such, so that it faults, whether or not others can be read. */
static uint64_t index_of(unsigned int member)
{
	return 0x10000000 + (member * 5 & 63);
}

/* RDPMC. */
static bool give_count(mcontext_t *context)
{
	const unsigned char *code = (const unsigned char *)context->gregs[REG_RIP];
	uint64_t count = count_of((uint32_t)context->gregs[REG_RCX]);

	if (code[0] != 0x0f || code[1] != 0x33)
		return false;
	context->gregs[REG_RAX] = (uint32_t)count;
	context->gregs[REG_RDX] = count >> 32;
	context->gregs[REG_RIP] += 2;
	return true;
}

static uint64_t clock_now(void)
{
	return __builtin_ia32_rdtsc();
}

#else

#define FAULT SIGILL

static uint64_t index_of(unsigned int member)
{
	return member * 5 & 31;
}

/* MRS of PMEVCNTR<n>_EL0, or PMCCNTR_EL0. */
static bool give_count(mcontext_t *context)
{
	uint32_t code = *(const uint32_t *)context->pc;

	if ((code & 0xfffffc00) == 0xd53be800)
		context->regs[code & 31] = count_of(code >> 5 & 31);
	else if ((code & 0xffffffe0) == 0xd53b9d00)
		context->regs[code & 31] = count_of(31);
	else
		return false;
	context->pc += 4;
	return true;
}

static uint64_t clock_now(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
}

#endif

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)info;
	if (!give_count(&((ucontext_t *)context)->uc_mcontext))
		signal(sig, SIG_DFL);
	else if (++faults == change_at)
		shown->seq += 2;
}

/* A group that can be read; the page's id of a member, as all that it has, is a function of nr. */
static struct pmcgrp_group *readable_group(unsigned int nr, uint64_t read_format)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	struct pmcgrp_user_page page = {
		.seq = 2 * nr,
		.nr = nr,
		.until = UINT64_MAX,
		.cycles = 12345,
		.time_enabled = 1000000 + nr,
		.time_running = 900000 + nr,
	};
	struct pmcgrp_group *group;
	unsigned int i;

	for (i = 0; i < nr; i++)
		page.member[i] = (struct pmcgrp_user_page_member){
			.offset = 1000 * nr + i,
			.id = 500 * nr + i,
			.index = index_of(i),
		};
	sigaction(FAULT, &action, NULL);
	faults = 0;
	change_at = 0;
	group = group_with(&page, nr, PMCGRP_CREATE_USER_READ, read_format);
	shown = mmap(NULL, sizeof(*shown), PROT_READ | PROT_WRITE, MAP_SHARED, group->fd,
		     PMCGRP_USER_PAGE_OFFSET);
	assert_ptr_not_equal(shown, MAP_FAILED);
	return group;
}

static void readable_group_close(struct pmcgrp_group *group)
{
	munmap(shown, sizeof(*shown));
	pmcgrp_group_close(group);
	signal(FAULT, SIG_DFL);
}

/* What read() of such a group gives, with times that stand still. Returns how many bytes. */
static size_t expected(uint64_t *out, unsigned int nr, uint64_t format)
{
	uint64_t *at = out;
	unsigned int i;

	*at++ = nr;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = 1000000 + nr;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = 900000 + nr;
	for (i = 0; i < nr; i++) {
		*at++ = count_of(index_of(i)) + 1000 * nr + i;
		if (format & PERF_FORMAT_ID)
			*at++ = 500 * nr + i;
	}
	return (at - out) * sizeof(*out);
}

/* Each number of members in each format: nothing is written beyond what is returned. */
static void all_that_is_read(void **state)
{
	uint64_t out[4 + 2 * PMCGRP_MEMBERS_MAX], want[4 + 2 * PMCGRP_MEMBERS_MAX], format;
	struct pmcgrp_group *group;
	unsigned int nr;
	ssize_t size;

	(void)state;
	for (format = 0; format <= FULL; format++) {
		if (!(format & PERF_FORMAT_GROUP))
			continue;
		for (nr = 1; nr <= PMCGRP_MEMBERS_MAX; nr++) {
			memset(out, 0xa5, sizeof(out));
			memset(want, 0xa5, sizeof(want));
			size = expected(want, nr, format);
			group = readable_group(nr, format);
			assert_row(nr, pmcgrp_group_read_user(group, out, size) == size);
			assert_row(nr, faults == nr);
			assert_row(nr, !memcmp(out, want, sizeof(out)));
			readable_group_close(group);
		}
	}
}

/* Both times go on by the clock, here by two nanoseconds with each tick. */
static void times_go_on(void **state)
{
	const uint64_t formats[] = { FULL, FULL & ~PERF_FORMAT_ID };
	uint64_t out[3 + 2 * 4], before, after;
	struct pmcgrp_group *group;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		group = readable_group(4, formats[i]);
		shown->time_mult = 1ULL << 33;
		do {
			before = clock_now();
			shown->cycles = before - 1000;
			assert_true(pmcgrp_group_read_user(group, out, sizeof(out)) > 0);
			after = clock_now();
		} while (after - before > UINT32_MAX / 4);	/* a busy host: the product is too big */
		assert_int_equal(out[1] - out[2], 100000);
		assert_true(out[1] >= 1000004 + 2000);
		assert_true(out[1] <= 1000004 + 2 * (after - before + 1000));
		readable_group_close(group);
	}
}

/* The module's read() is asked instead: it gives what the file has. */
static void check_falls_back(struct pmcgrp_group *group, unsigned int reads)
{
	uint64_t out[3 + 2 * PMCGRP_MEMBERS_MAX];
	ssize_t size = pmcgrp_read_size(group->read_format, group->nr);

	lseek(group->fd, 0, SEEK_SET);
	assert_int_equal(pmcgrp_group_read_user(group, out, size), size);
	assert_memory_equal(out, words, sizeof(words[0]) * 2);
	assert_int_equal(faults, reads);
}

static void none_of_it_counts(void **state)
{
	const uint64_t formats[] = { FULL, PERF_FORMAT_GROUP, PERF_FORMAT_GROUP | PERF_FORMAT_ID };
	const unsigned int nrs[] = { 1, 4, 8, 9 };
	struct pmcgrp_group *group;
	uint64_t out[64];
	unsigned int k;
	size_t i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		for (n = 0; n < ARRAY_SIZE(nrs); n++) {
			/* The thread is away after each of the registers. */
			for (k = 1; k <= nrs[n]; k++) {
				group = readable_group(nrs[n], formats[i]);
				change_at = k;
				check_falls_back(group, nrs[n]);
				readable_group_close(group);
			}
			/* The page is old; it says that it cannot be. */
			group = readable_group(nrs[n], formats[i]);
			shown->until = 1;
			check_falls_back(group, nrs[n]);
			faults = 0;
			shown->until = 0;
			check_falls_back(group, 0);
			/* Not enough room. */
			shown->until = UINT64_MAX;
			lseek(group->fd, 0, SEEK_SET);
			assert_int_equal(pmcgrp_group_read_user(group, out, 15), 15);
			assert_int_equal(faults, 0);
			readable_group_close(group);
		}
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(falls_back),
		cmocka_unit_test(small_buffer),
		cmocka_unit_test(no_page),
#if defined(__x86_64__) || defined(__aarch64__)
		cmocka_unit_test(all_that_is_read),
		cmocka_unit_test(times_go_on),
		cmocka_unit_test(none_of_it_counts),
#endif
	};

	return cmocka_run_group_tests_name("user_read", tests, NULL, NULL);
}
