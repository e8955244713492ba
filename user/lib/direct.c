// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Reading a group without a system call: the group's page says which counters its members
 * have and what is to be added to them (<linux/pmcgrp.h>, "Direct reading").
 *
 * The kernel changes the page only where the reader runs, while it does not: what it did
 * meanwhile is seen afterwards, by a barrier to the compiler alone.
 */
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#define barrier() __asm__ volatile("" ::: "memory")
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

#ifdef __aarch64__

/* Whether what a jump lands on has to say so: then it has four instructions instead of two. */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define LANDING 1
#else
#define LANDING 0
#endif

/*
 * Each member's value from @member to before @end, and what @put does with it: its counter,
 * PMEVCNTR<index>_EL0, or with 31 PMCCNTR_EL0 (the page never has a greater one), and its
 * offset. A register's number stands in the instruction: there is one for each, and in one
 * loop with what comes before and behind it, where it lies is found out once.
 */
#define EACH_MEMBER(put)							\
	"adr %[first], 1f\n"							\
	"0: ldp %[value], %[index], [%[member]], #16\n"				\
	"add %[index], %[first], %[index], lsl #(3 + %c[landing])\n"		\
	"br %[index]\n"								\
	"1:\n"									\
	".irp k, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "	\
	"16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n"		\
	".if %c[landing]\n"							\
	"hint #36\n"	/* bti j */						\
	"nop\n"									\
	".endif\n"								\
	"mrs %[index], pmevcntr\\k\\()_el0\n"					\
	"b 2f\n"								\
	".endr\n"								\
	".if %c[landing]\n"							\
	"hint #36\n"								\
	".endif\n"								\
	"mrs %[index], pmccntr_el0\n"						\
	"2: add %[value], %[value], %[index]\n"					\
	put									\
	"cmp %[member], %[end]\n"						\
	"b.lo 0b"

/* Values and ids. */
static inline void put_members(uint64_t *out, const struct pmcgrp_direct_member *member,
			       const struct pmcgrp_direct_member *end, const uint64_t *id)
{
	uint64_t value, index, first;

	__asm__ volatile(EACH_MEMBER("ldr %[index], [%[id]], #8\n"
				     "stp %[value], %[index], [%[out]], #16\n")
			 : [value] "=&r"(value), [index] "=&r"(index), [first] "=&r"(first),
			   [member] "+&r"(member), [out] "+&r"(out), [id] "+&r"(id)
			 : [end] "r"(end), [landing] "i"(LANDING)
			 : "memory", "cc");
}

static inline void put_values(uint64_t *out, const struct pmcgrp_direct_member *member,
			      const struct pmcgrp_direct_member *end)
{
	uint64_t value, index, first;

	__asm__ volatile(EACH_MEMBER("str %[value], [%[out]], #8\n")
			 : [value] "=&r"(value), [index] "=&r"(index), [first] "=&r"(first),
			   [member] "+&r"(member), [out] "+&r"(out)
			 : [end] "r"(end), [landing] "i"(LANDING)
			 : "memory", "cc");
}

static inline uint64_t ticks(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

#elif defined(__x86_64__)

/*
 * Each member's value from @member to before @end, and what @put does with it, in %rax: rdpmc
 * clears the upper halves of both its registers. @i goes up to 0 by half a member: so it is the
 * index, once or twice, of all that stands before @end, @out's end and @id's.
 */
#define EACH_MEMBER(put)							\
	"0: mov 8(%[end],%[i],2), %%ecx\n"					\
	"rdpmc\n"								\
	"shl $32, %%rdx\n"							\
	"or %%rdx, %%rax\n"							\
	"add (%[end],%[i],2), %%rax\n"						\
	put									\
	"add $8, %[i]\n"							\
	"jnz 0b"

/* Values and ids. */
static inline void put_members(uint64_t *out, const struct pmcgrp_direct_member *member,
			       const struct pmcgrp_direct_member *end, const uint64_t *id)
{
	ptrdiff_t n = end - member, i = -8 * n;

	__asm__ volatile(EACH_MEMBER("mov %%rax, (%[out],%[i],2)\n"
				     "mov (%[id],%[i]), %%rdx\n"
				     "mov %%rdx, 8(%[out],%[i],2)\n")
			 : [i] "+&r"(i)
			 : [end] "r"(end), [out] "r"(out + 2 * n), [id] "r"(id + n)
			 : "rax", "rcx", "rdx", "memory", "cc");
}

static inline void put_values(uint64_t *out, const struct pmcgrp_direct_member *member,
			      const struct pmcgrp_direct_member *end)
{
	ptrdiff_t n = end - member, i = -8 * n;

	__asm__ volatile(EACH_MEMBER("mov %%rax, (%[out],%[i])\n")
			 : [i] "+&r"(i)
			 : [end] "r"(end), [out] "r"(out + n)
			 : "rax", "rcx", "rdx", "memory", "cc");
}

static inline uint64_t ticks(void)
{
	uint64_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
}

#else

/* The module has no page for this processor that says that it can be read so. */
static inline void put_values(uint64_t *out, const struct pmcgrp_direct_member *member,
			      const struct pmcgrp_direct_member *end)
{
	while (member < end)
		*out++ = (member++)->offset;
}

static inline void put_members(uint64_t *out, const struct pmcgrp_direct_member *member,
			       const struct pmcgrp_direct_member *end, const uint64_t *id)
{
	while (member < end) {
		*out++ = (member++)->offset;
		*out++ = *id++;
	}
}

static inline uint64_t ticks(void)
{
	return UINT64_MAX;
}

#endif

#define FULL_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
		     PERF_FORMAT_TOTAL_TIME_RUNNING)

/* What is read at one instant, with the page as it is now. Returns when that was. */
static inline uint64_t read_members(const struct pmcgrp_group *group,
				    const struct pmcgrp_direct *page, uint64_t format,
				    uint64_t *out)
{
	const struct pmcgrp_direct_member *member = page->member, *end = member + group->nr;
	uint64_t *times = out + 1, now, ns;

	*out++ = group->nr;
	out += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (format & PERF_FORMAT_ID)
		put_members(out, member, end, group->ids);
	else
		put_values(out, member, end);
	now = ticks();
	ns = (now - page->cycles) * page->time_mult >> page->time_shift;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*times++ = page->time_enabled + ns;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*times = page->time_running + ns;
	return now;
}

/* Returns whether it was possible; not if the thread was away meanwhile: that is rare. */
static inline bool read_page(const struct pmcgrp_group *group, uint64_t format, void *buf)
{
	const struct pmcgrp_direct *page = group->page;
	uint32_t seq = READ_ONCE(page->seq);
	uint64_t until = READ_ONCE(page->until), now;

	if (!until)
		return false;
	barrier();
	now = read_members(group, page, format, buf);
	barrier();
	return now < until && READ_ONCE(page->seq) == seq;
}

/* The other formats, apart: what they need more of registers the usual one need not save. */
static __attribute__((noinline)) ssize_t read_other(struct pmcgrp_group *group, void *buf, size_t len)
{
	if (len >= group->page_read_size && read_page(group, group->read_format, buf))
		return group->page_read_size;
	return pmcgrp_group_read(group, buf, len);
}

ssize_t pmcgrp_read_direct(struct pmcgrp_group *group, void *buf, size_t len)
{
	/* The same as the others, but quicker, for its format is a constant. */
	if (len >= group->full_read_size && read_page(group, FULL_FORMAT, buf))
		return group->full_read_size;
	return read_other(group, buf, len);
}

enum pmcgrp_why pmcgrp_group_direct_why(const struct pmcgrp_group *group)
{
	return group->page ? READ_ONCE(group->page->why) : group->direct_why;
}

void direct_map(struct pmcgrp_group *group)
{
	void *page;

	group->direct_why = PMCGRP_WHY_FLAGS;
	if (!(group->flags & PMCGRP_CREATE_DIRECT))
		return;
	group->direct_why = PMCGRP_WHY_READ_FORMAT;
	if (!(group->read_format & PERF_FORMAT_GROUP) || group->read_format & ~FULL_FORMAT)
		return;
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, group->fd,
		    PMCGRP_DIRECT_OFFSET);
	group->direct_why = PMCGRP_WHY_NOMEM;
	if (page == MAP_FAILED)
		return;
	group->page = page;
	group->page_read_size = pmcgrp_read_size(group->read_format, group->nr);
	if (group->read_format == FULL_FORMAT)
		group->full_read_size = group->page_read_size;
}

void direct_unmap(struct pmcgrp_group *group)
{
	if (group->page)
		munmap((void *)group->page, sysconf(_SC_PAGESIZE));
}
