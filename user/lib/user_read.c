// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Reading a group without a system call: the group's page says which counters its members
 * have and what is to be added to them (<linux/pmcgrp.h>, "Reading from user space").
 *
 * The kernel changes the page only where the reader runs, while it does not: what it did
 * meanwhile is seen afterwards, by a barrier to the compiler alone.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#define barrier() __asm__ volatile("" ::: "memory")
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

#ifdef __aarch64__

/* Whether what a call lands on has to say so: then it has four instructions instead of two. */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define LANDING 1
#else
#define LANDING 0
#endif

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

/*
 * A register's number stands in the instruction that reads it: there is one for each. The n-th
 * puts PMEVCNTR<n>_EL0, or the one with 31, the last that the page can have, PMCCNTR_EL0 into x17,
 * and changes no other register but x30.
 */
__asm__(".pushsection .text\n"
	".balign 16\n"
	".hidden user_counters\n"
	".globl user_counters\n"
	".type user_counters, %function\n"
	"user_counters:\n"
	".irp name, evcntr0, evcntr1, evcntr2, evcntr3, evcntr4, evcntr5, evcntr6, evcntr7, "
	"evcntr8, evcntr9, evcntr10, evcntr11, evcntr12, evcntr13, evcntr14, evcntr15, "
	"evcntr16, evcntr17, evcntr18, evcntr19, evcntr20, evcntr21, evcntr22, evcntr23, "
	"evcntr24, evcntr25, evcntr26, evcntr27, evcntr28, evcntr29, evcntr30, ccntr\n"
	".if " STRING(LANDING) "\n"
	"hint #34\n"	/* bti c */
	"nop\n"
	".endif\n"
	"mrs x17, pm\\name\\()_el0\n"
	"ret\n"
	".endr\n"
	".size user_counters, . - user_counters\n"
	".popsection");

extern const char user_counters[] __attribute__((visibility("hidden")));

static inline uint64_t counter(const struct pmcgrp_user_page_member *member)
{
	register const char *at __asm__("x16") = user_counters + (member->index << (3 + LANDING));
	register uint64_t count __asm__("x17");

	__asm__ volatile("blr %1" : "=r"(count) : "r"(at) : "x30");
	return count;
}

static inline uint64_t ticks(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

/* By one instruction; a compiler that adds two times at once needs more. */
static inline uint64_t later(uint64_t time, uint64_t ns_shifted)
{
	__asm__("add %0, %0, %1, lsr #32" : "+r"(time) : "r"(ns_shifted));
	return time;
}

#elif defined(__x86_64__)

/* Of both registers the upper halves are cleared. */
static inline uint64_t counter(const struct pmcgrp_user_page_member *member)
{
	uint64_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(member->index));
	return high << 32 | low;
}

static inline uint64_t ticks(void)
{
	uint64_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
}

/* Both are added to, the id 0, and stored by one instruction each. */
static inline void put_pair(uint64_t *out, const struct pmcgrp_user_page_member *member,
			    uint64_t count)
{
	typedef uint64_t pair __attribute__((vector_size(16), may_alias));
	pair value = { count, 0 };

	value += *(const pair *)member;
	memcpy(out, &value, sizeof(value));
}

#else

/* The module has no page for this processor that says that it can be read so. */
static inline uint64_t counter(const struct pmcgrp_user_page_member *member)
{
	(void)member;
	return 0;
}

static inline uint64_t ticks(void)
{
	return UINT64_MAX;
}

#endif

#ifndef __x86_64__

/* The compiler reads both by one instruction, and stores both by one, where it has such. */
static inline void put_pair(uint64_t *out, const struct pmcgrp_user_page_member *member,
			    uint64_t count)
{
	uint64_t words[2];

	memcpy(words, member, sizeof(words));
	out[0] = words[0] + count;
	out[1] = words[1];
}

#endif

#ifndef __aarch64__

static inline uint64_t later(uint64_t time, uint64_t ns_shifted)
{
	return time + (ns_shifted >> 32);
}

#endif

/*
 * The page has an offset and an id beside each other, as the buffer a value and an id.
 *
 * A value, and its id if it is to have one; returns where to put the next.
 */
static inline uint64_t *put_member(uint64_t *out, const struct pmcgrp_user_page_member *member,
				   uint64_t format)
{
	if (format & PERF_FORMAT_ID) {
		put_pair(out, member, counter(member));
		return out + 2;
	}
	*out = counter(member) + member->offset;
	return out + 1;
}

static inline void put_members(uint64_t *out, const struct pmcgrp_user_page_member *member,
			       unsigned int nr, uint64_t format)
{
	unsigned int i;

	if (__builtin_constant_p(nr)) {
#pragma GCC unroll 8
		for (i = 0; i < nr; i++)
			out = put_member(out, &member[i], format);
	} else {
		for (i = 0; i < nr; i++)
			out = put_member(out, &member[i], format);
	}
}

#define FULL_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
		     PERF_FORMAT_TOTAL_TIME_RUNNING)

/* What is known of a page's address, and what vectors of two words want of places in it. */
#define PAGE_ALIGNMENT 4096
#define PAIR_ALIGNMENT 16

_Static_assert(!(offsetof(struct pmcgrp_user_page, time_enabled) % PAIR_ALIGNMENT), "times");
_Static_assert(!(offsetof(struct pmcgrp_user_page, member) % PAIR_ALIGNMENT), "members");
_Static_assert(!(sizeof(struct pmcgrp_user_page_member) % PAIR_ALIGNMENT), "a member");

/*
 * Returns whether what is put into @out was read at one instant; not if the thread was away
 * meanwhile: that is rare. What may have changed is looked at last, so that between two
 * barriers the compiler may read it as it likes.
 */
static inline bool read_page(const struct pmcgrp_user_page *mapped, unsigned int nr,
			     uint64_t format, uint64_t *out)
{
	const struct pmcgrp_user_page *page = __builtin_assume_aligned(mapped, PAGE_ALIGNMENT);
	uint64_t *times = out + 1, now, ns_shifted;
	uint32_t seq = page->seq;

	if (!page->until)
		return false;
	barrier();
	*out++ = nr;
	out += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	put_members(out, page->member, nr, format);
	now = ticks();
	if (now >= page->until)
		return false;
	ns_shifted = (now - page->cycles) * page->time_mult;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*times++ = later(page->time_enabled, ns_shifted);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*times = later(page->time_running, ns_shifted);
	barrier();
	return page->seq == seq;
}

/* A function that reads a group with a page; it is the shorter, the more of this is constant. */
#define READER(name, nr, format, size)						\
static ssize_t name(struct pmcgrp_group *group, void *buf, size_t len)		\
{										\
	if (len >= (size) && read_page(group->page, nr, format, buf))		\
		return size;							\
	return device_read(group, buf, len);					\
}

/* Of any format; of all that there is, and of values alone. */
READER(read_any, group->nr, group->read_format, group->page_read_size)
READER(read_full, group->nr, FULL_FORMAT, group->page_read_size)
READER(read_values, group->nr, PERF_FORMAT_GROUP, group->page_read_size)

/* So many members, as most PMUs have counters, by no loop. */
#define READERS(nr)								\
READER(read_full_##nr, nr, FULL_FORMAT, 24 + 16 * (nr))				\
READER(read_values_##nr, nr, PERF_FORMAT_GROUP, 8 + 8 * (nr))

READERS(1)
READERS(2)
READERS(3)
READERS(4)
READERS(5)
READERS(6)
READERS(7)
READERS(8)

#define ROW(nr)	read_full_##nr, read_values_##nr

static const struct {
	user_reader *full, *values;
} readers[] = {
	{ read_full, read_values },
	{ ROW(1) },
	{ ROW(2) },
	{ ROW(3) },
	{ ROW(4) },
	{ ROW(5) },
	{ ROW(6) },
	{ ROW(7) },
	{ ROW(8) },
};

static user_reader *reader_of(uint64_t format, unsigned int nr)
{
	unsigned int row = nr < sizeof(readers) / sizeof(readers[0]) ? nr : 0;

	switch (format) {
	case FULL_FORMAT:
		return readers[row].full;
	case PERF_FORMAT_GROUP:
		return readers[row].values;
	default:
		return read_any;
	}
}

ssize_t pmcgrp_group_read_user(struct pmcgrp_group *group, void *buf, size_t len)
{
	return group->read_user(group, buf, len);
}

enum pmcgrp_why pmcgrp_group_user_read_why(const struct pmcgrp_group *group)
{
	return group->page ? READ_ONCE(group->page->why) : group->user_read_why;
}

void user_read_map(struct pmcgrp_group *group)
{
	void *page;

	group->user_read_why = PMCGRP_WHY_FLAGS;
	if (!(group->flags & PMCGRP_CREATE_USER_READ))
		return;
	group->user_read_why = PMCGRP_WHY_READ_FORMAT;
	if (!(group->read_format & PERF_FORMAT_GROUP) || group->read_format & ~FULL_FORMAT)
		return;
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, group->fd,
		    PMCGRP_USER_PAGE_OFFSET);
	group->user_read_why = PMCGRP_WHY_NOMEM;
	if (page == MAP_FAILED)
		return;
	group->page = page;
	group->page_read_size = pmcgrp_read_size(group->read_format, group->nr);
	group->read_user = reader_of(group->read_format, group->nr);
}

void user_read_unmap(struct pmcgrp_group *group)
{
	if (group->page)
		munmap((void *)group->page, sysconf(_SC_PAGESIZE));
}
