/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a group by its page, step by step as <linux/pmcgrp.h> says under "Reading from user
 * space".
 */
#ifndef PMCGRP_USER_PAGE_H
#define PMCGRP_USER_PAGE_H

#include "pmcgrp_test.h"

/* Where the administrator allows it. */
#ifdef __x86_64__
#define DIRECT_SYSCTL	"/sys/bus/event_source/devices/cpu/rdpmc"
#else
#define DIRECT_SYSCTL	"/proc/sys/kernel/perf_user_access"
#endif

/* Whether counters interrupt by NMI: then none is read from its register. */
static inline bool pmu_has_nmi(void)
{
	FILE *file = fopen("/proc/cmdline", "r");
	char line[4096] = "";

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	return strstr(line, "gicv3_pseudo_nmi=1");
}

#ifdef __aarch64__

#define DIRECT_COUNTER(n)							\
({									\
	uint64_t value_;						\
									\
	asm volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value_));	\
	value_;								\
})

/* Those that QEMU's model has. */
static inline uint64_t user_counter(uint32_t index)
{
	uint64_t value;

	switch (index) {
	case 0:
		return DIRECT_COUNTER(0);
	case 1:
		return DIRECT_COUNTER(1);
	case 2:
		return DIRECT_COUNTER(2);
	case 3:
		return DIRECT_COUNTER(3);
	case 4:
		return DIRECT_COUNTER(4);
	case 5:
		return DIRECT_COUNTER(5);
	case 31:
		asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
		return value;
	default:
		fprintf(stderr, "no counter %u\n", index);
		abort();
	}
}

static inline uint64_t user_clock(void)
{
	uint64_t value;

	asm volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

#elif defined(__x86_64__)

static inline uint64_t user_counter(uint32_t index)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t user_clock(void)
{
	uint32_t low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#else

static inline uint64_t user_counter(uint32_t index)
{
	return 0;
}

static inline uint64_t user_clock(void)
{
	return UINT64_MAX;
}

#endif

static inline void user_barrier(void)
{
	asm volatile("" : : : "memory");
}

/* Whether the kernel has a file for it, and takes that. */
static inline bool user_allow(int value)
{
	int fd = open(DIRECT_SYSCTL, O_WRONLY);
	bool done;

	if (fd < 0)
		return false;
	done = dprintf(fd, "%d\n", value) > 0;
	close(fd);
	return done;
}

static inline const volatile struct pmcgrp_user_page *direct_map(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd,
			  PMCGRP_USER_PAGE_OFFSET);

	return page == MAP_FAILED ? NULL : page;
}

static inline void direct_unmap(const volatile struct pmcgrp_user_page *page)
{
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/* Whether the page would do; then what read() with FORMAT gives. */
static inline bool user_values(const volatile struct pmcgrp_user_page *page,
			       struct group_values *v)
{
	uint64_t until, now, ns;
	uint32_t seq, i;

	do {
		seq = page->seq;
		user_barrier();
		until = page->until;
		if (!until)
			return false;
		v->nr = page->nr;
		for (i = 0; i < v->nr; i++) {
			v->m[i].value = page->member[i].offset +
				user_counter(page->member[i].index);
			v->m[i].id = page->member[i].id;
		}
		now = user_clock();
		ns = (now - page->cycles) * page->time_mult >> 32;
		v->enabled = page->time_enabled + ns;
		v->running = page->time_running + ns;
		user_barrier();
	} while (page->seq != seq || seq & 1);
	return now < until;
}

#endif /* PMCGRP_USER_PAGE_H */
