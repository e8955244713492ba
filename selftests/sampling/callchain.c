// SPDX-License-Identifier: GPL-2.0-only
/* Call chains of samples: beside perf's of the same hits, and of stacks that are none. */
#include "pmcgrp_mark.h"
#include "pmcgrp_ring.h"
#include <sys/mman.h>
#include <sys/prctl.h>
#include "kselftest_harness.h"

/* prctl(PR_SET_NAME) hits it.  Tracepoints of system calls have the registers of user space. */
#define TRACEPOINT	"task/task_rename"
#define CHAIN_TYPE	(SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN)
#define PAGES		16
#define WORDS_MAX	(PERF_MAX_STACK_DEPTH + 2)
#define DEEP		400

/* One function in each: an address says whose it is. */
#define FUNCTION_SIZE	1024
#define framed __attribute__((noinline, noclone, aligned(FUNCTION_SIZE), \
			      optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))

static const char name[] = "callchain";

#ifdef __x86_64__
static inline long rename_here(void)
{
	long ret = SYS_prctl;

	asm volatile("syscall" : "+a"(ret) : "D"((long)PR_SET_NAME), "S"(name)
		     : "rcx", "r11", "memory");
	return ret;
}

/* Executes the system call while the frame pointer is something else. */
static framed long with_frame_pointer(unsigned long value)
{
	long ret = SYS_prctl;

	asm volatile("push %%rbp; mov %3, %%rbp; syscall; pop %%rbp"
		     : "+a"(ret)
		     : "D"((long)PR_SET_NAME), "S"(name), "r"(value)
		     : "rcx", "r11", "memory");
	return ret;
}
#else
static inline long rename_here(void)
{
	register long number asm("x8") = SYS_prctl;
	register const char *what asm("x1") = name;
	register long ret asm("x0") = PR_SET_NAME;

	asm volatile("svc #0" : "+r"(ret) : "r"(number), "r"(what) : "memory");
	return ret;
}

static framed long with_frame_pointer(unsigned long value)
{
	register long number asm("x8") = SYS_prctl;
	register const char *what asm("x1") = name;
	register long ret asm("x0") = PR_SET_NAME;

	asm volatile("mov x10, x29; mov x29, %3; svc #0; mov x29, x10"
		     : "+r"(ret)
		     : "r"(number), "r"(what), "r"(value)
		     : "x10", "memory");
	return ret;
}
#endif

static volatile long kept;

static framed void nothing(void)
{
	asm volatile("");
}

/* On arm64 only a function that calls another one has a frame. */
static framed void third(void)
{
	nothing();
	kept = rename_here();
}

static framed void second(void)
{
	third();
	kept++;
}

static framed void first(void)
{
	second();
	kept++;
}

static framed void deeper(int levels)
{
	if (levels)
		deeper(levels - 1);
	else
		third();
	kept++;
}

/* Without a system call. */
static framed void calls(int levels)
{
	if (levels)
		calls(levels - 1);
	kept++;
}

static void hit(void)
{
	kept = rename_here();
}

__attribute__((constructor)) static void hold(void)
{
	hold_tracepoint(TRACEPOINT, hit);
}

struct chain {
	uint64_t nr;
	uint64_t word[WORDS_MAX];
};

/* A group of this thread with a ring and a trigger. */
struct chained {
	int dev;
	int fd;
	struct perf_event_attr member;
	struct perf_event_attr trigger;
	struct ring ring;
	struct chain chain;		/* that of the last sample */
};

FIXTURE(callchain)
{
	struct chained x;
};

FIXTURE_SETUP(callchain)
{
	self->x.dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->x.dev, 0);
	self->x.member = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->x.trigger = every(1, tracepoint(TRACEPOINT));
	if (self->x.trigger.config == -1ULL)
		SKIP(return, "no " TRACEPOINT);
	self->x.fd = -1;
}

FIXTURE_TEARDOWN(callchain)
{
	if (self->x.ring.page)
		ring_unmap(&self->x.ring);
	if (self->x.fd >= 0)
		close(self->x.fd);
	close(self->x.dev);
}

/* A group of this thread whose trigger is self->x.trigger; it counts. */
static bool begin(struct chained *x, uint32_t flags)
{
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;

	x->fd = group_of(x->dev, 1, &x->member, 0);
	return x->fd >= 0 && !setup_ring(x->fd, flags, CHAIN_TYPE, 0, &setup) &&
	       !ring_map_at(x->fd, 0, PAGES,
			    flags & PMCGRP_RING_BACKWARD ? PROT_READ : PROT_READ | PROT_WRITE,
			    &x->ring) &&
	       !add_trigger(x->fd, &x->trigger, &add) &&
	       !ioctl(x->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* The chain is behind what struct sample has, the last part: false if its size is another. */
static bool chain_of(const union record *record, struct chain *chain)
{
	size_t at = sample_size(1);

	memset(chain, 0, sizeof(*chain));
	if (record->header.size < at + sizeof(chain->nr))
		return false;
	memcpy(&chain->nr, (const char *)record + at, sizeof(chain->nr));
	if (chain->nr > WORDS_MAX || record->header.size != at + (1 + chain->nr) * sizeof(uint64_t))
		return false;
	memcpy(chain->word, (const char *)record + at + sizeof(chain->nr),
	       chain->nr * sizeof(uint64_t));
	return true;
}

/* That of the next sample. */
static bool next_chain(struct chained *x)
{
	union record record;

	return ring_next(&x->ring, &record) == 1 && record.header.type == PERF_RECORD_SAMPLE &&
	       chain_of(&record, &x->chain);
}

/* Where the addresses of a part begin; chain->nr: nowhere. */
static unsigned int part(const struct chain *chain, uint64_t context)
{
	unsigned int i;

	for (i = 0; i < chain->nr; i++)
		if (chain->word[i] == context)
			return i + 1;
	return chain->nr;
}

static bool lies_in(uint64_t address, const void *function)
{
	return address - (uintptr_t)function < FUNCTION_SIZE;
}

TEST_F(callchain, callers)
{
	const struct chain *chain = &self->x.chain;
	unsigned int kernel, user;

	ASSERT_TRUE(begin(&self->x, 0));
	first();
	ASSERT_TRUE(next_chain(&self->x));
	kernel = part(chain, PERF_CONTEXT_KERNEL);
	user = part(chain, PERF_CONTEXT_USER);
	EXPECT_EQ(1, kernel);
	ASSERT_GT(user, kernel + 2);
	ASSERT_GE(chain->nr, user + 4);
	EXPECT_TRUE(lies_in(chain->word[user], third));
	EXPECT_TRUE(lies_in(chain->word[user + 1], second));
	EXPECT_TRUE(lies_in(chain->word[user + 2], first));
	/* Nothing of the handler: the first address is where the sample is. */
	for (; kernel < user - 1; kernel++)
		EXPECT_LT(1ULL << 63, chain->word[kernel]);
}

static struct perf_event_attr perf_chain_attr(struct chained *x)
{
	struct perf_event_attr attr = x->trigger;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.size = sizeof(attr);
	return attr;
}

/* perf core on arm64 has the caller of the tracepoint twice. */
static void drop_repeated(struct chain *chain)
{
	unsigned int i, nr = 0;

	for (i = 0; i < chain->nr; i++)
		if (!nr || chain->word[i] != chain->word[nr - 1])
			chain->word[nr++] = chain->word[i];
	chain->nr = nr;
}

/*
 * What has called the test has no frame pointers.  On x86 perf follows what is in that register
 * there, wherever it points to; pmcgrp only upwards.
 */
TEST_F(callchain, as_perf_has_it)
{
	struct perf_event_attr attr = perf_chain_attr(&self->x);
	struct chain perf = {};
	union record record;
	struct ring ring;
	unsigned int i, hits;
	int fd;

	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ring_map(fd, PAGES, &ring));
	ASSERT_TRUE(begin(&self->x, 0));
	/* pmcgrp makes a thread of the kernel, which Linux 6.1 names in its maker's context. */
	ring.page->data_tail = ring_head(&ring);
	for (hits = 0; hits < 20; hits++) {
		deeper(hits);
		ASSERT_TRUE(next_chain(&self->x));
		ASSERT_EQ(1, ring_next(&ring, &record));
		ASSERT_EQ(PERF_RECORD_SAMPLE, record.header.type);
		memcpy(&perf, &record.words[1], record.header.size - sizeof(record.header));
		/* third(), deeper() so often, and what has called that. */
		EXPECT_LE(part(&self->x.chain, PERF_CONTEXT_USER) + hits + 3, self->x.chain.nr);
		drop_repeated(&perf);
		drop_repeated(&self->x.chain);
		EXPECT_GE(perf.nr, self->x.chain.nr);
		for (i = 0; i < perf.nr && i < self->x.chain.nr; i++)
			EXPECT_EQ(perf.word[i], self->x.chain.word[i]);
	}
	ring_unmap(&ring);
	close(fd);
}

/* 127 addresses, the kernel's among them. */
TEST_F(callchain, deep)
{
	ASSERT_TRUE(begin(&self->x, 0));
	deeper(DEEP);
	ASSERT_TRUE(next_chain(&self->x));
	EXPECT_EQ(WORDS_MAX, self->x.chain.nr);
	EXPECT_TRUE(lies_in(self->x.chain.word[self->x.chain.nr - 1], deeper));
}

TEST_F(callchain, parts)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		self->x.trigger.exclude_callchain_kernel = i & 1;
		self->x.trigger.exclude_callchain_user = i >> 1;
		ASSERT_TRUE(begin(&self->x, 0));
		first();
		ASSERT_TRUE(next_chain(&self->x));
		EXPECT_EQ(!(i & 1), part(&self->x.chain, PERF_CONTEXT_KERNEL) < self->x.chain.nr);
		EXPECT_EQ(!(i >> 1), part(&self->x.chain, PERF_CONTEXT_USER) < self->x.chain.nr);
		ring_unmap(&self->x.ring);
		close(self->x.fd);
		self->x.ring.page = NULL;
		self->x.fd = -1;
	}
	self->x.member.exclude_callchain_user = 1;
	EXPECT_EQ(-EINVAL, group_of(self->x.dev, 1, &self->x.member, 0));
}

/* Frame pointers that point to nothing, or nowhere. */
TEST_F(callchain, broken_stacks)
{
	static unsigned long loop[2], chain[4];
	long page = sysconf(_SC_PAGESIZE);
	char *edge = (char *)fresh_pages(2);
	const unsigned long values[] = {
		0,
		1,
		8,
		7,
		~0UL,
		~7UL,
		1UL << 63,
		0xffff800000000000UL,
		0x00007ffffffffff8UL,
		0x0000fffffffffff8UL,
		(unsigned long)loop,
		(unsigned long)edge + page - 8,
		(unsigned long)edge + page,
		(unsigned long)chain,
		(unsigned long)loop + 1,
	};
	unsigned int i, user, good;

	ASSERT_EQ(0, munmap(edge + page, page));
	loop[0] = (unsigned long)loop;
	loop[1] = 0x1234;
	/* Two frames, the second one without a return address. */
	chain[0] = (unsigned long)&chain[2];
	chain[1] = 0x1234;
	ASSERT_TRUE(begin(&self->x, 0));
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		with_frame_pointer(values[i]);
		ASSERT_TRUE(next_chain(&self->x));
		user = part(&self->x.chain, PERF_CONTEXT_USER);
		ASSERT_GT(self->x.chain.nr, user);
		EXPECT_TRUE(lies_in(self->x.chain.word[user], with_frame_pointer));
		/* No more than the one frame of loop[] and chain[]. */
		good = values[i] == (unsigned long)loop || values[i] == (unsigned long)chain;
		EXPECT_EQ(user + 1 + good, self->x.chain.nr);
	}
	munmap(edge, page);
}

/* The samples in the ring: returns how many of their chains go through calls(). */
static unsigned int through_calls(struct chained *x, unsigned int *broken)
{
	union record record;
	unsigned int user, nr = 0;
	int got;

	while ((got = ring_next(&x->ring, &record)) > 0) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		*broken += !chain_of(&record, &x->chain) || !x->chain.nr;
		user = part(&x->chain, PERF_CONTEXT_USER);
		nr += x->chain.nr > user + 8 && lies_in(x->chain.word[user + 5], calls);
	}
	*broken += got < 0;
	return nr;
}

/* In an interrupt, whatever runs: after some time the program itself. */
TEST_F_TIMEOUT(callchain, clock, 120)
{
	uint64_t until = now_ns() + 60 * NSEC_PER_SEC;
	unsigned int broken = 0, nr = 0;

	self->x.trigger = every(500 * 1000, sw(PERF_COUNT_SW_CPU_CLOCK));
	ASSERT_TRUE(begin(&self->x, 0));
	while (nr < 10 && now_ns() < until) {
		calls(10);
		nr += through_calls(&self->x, &broken);
	}
	EXPECT_EQ(0, broken);
	EXPECT_LE(10, nr);
}

/* A sample on request has an empty chain; compact records have none. */
TEST_F(callchain, without)
{
	struct pmcgrp_ring_setup setup;
	int fd;

	ASSERT_TRUE(begin(&self->x, 0));
	ASSERT_EQ(1, sample_now(self->x.fd, 0));
	ASSERT_TRUE(next_chain(&self->x));
	EXPECT_EQ(0, self->x.chain.nr);
	fd = group_of(self->x.dev, 1, &self->x.member, 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, setup_ring(fd, PMCGRP_RING_COMPACT,
				      PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_SAMPLE_TYPE, setup.why);
	close(fd);
}

/* Records of many sizes: wrapped at the end of the ring, lost, and backwards. */
TEST_F(callchain, full_and_wrapped)
{
	unsigned int i, nr = 0, chains = 0;
	union record record;
	uint64_t lost = 0;
	int got;

	ASSERT_TRUE(begin(&self->x, 0));
	for (i = 0; i < 4000; i++) {
		deeper(i * 7 % 150);
		if (i % 50)
			continue;
		while ((got = ring_next(&self->x.ring, &record)) > 0) {
			if (record.header.type == PERF_RECORD_LOST)
				lost += record.lost.lost;
			if (record.header.type != PERF_RECORD_SAMPLE)
				continue;
			nr++;
			chains += chain_of(&record, &self->x.chain);
		}
		ASSERT_EQ(0, got);
	}
	while ((got = ring_next(&self->x.ring, &record)) > 0) {
		if (record.header.type == PERF_RECORD_LOST)
			lost += record.lost.lost;
		nr += record.header.type == PERF_RECORD_SAMPLE;
		chains += record.header.type == PERF_RECORD_SAMPLE &&
			  chain_of(&record, &self->x.chain);
	}
	EXPECT_EQ(nr, chains);
	EXPECT_LT(0, nr);
	/* Those after the last record that was written are told of by none yet. */
	EXPECT_GE(4000, nr + lost);
	EXPECT_LT(4000 - 100, nr + lost);
}

TEST_F(callchain, backwards)
{
	unsigned int i, nr = 0;
	union record record;
	uint64_t at, end;

	ASSERT_TRUE(begin(&self->x, PMCGRP_RING_BACKWARD));
	for (i = 0; i < 500; i++)
		deeper(i % 100);
	ASSERT_EQ(0, ioctl(self->x.fd, PERF_EVENT_IOC_DISABLE, 0));
	at = ring_head(&self->x.ring);
	end = at + self->x.ring.size;
	/* The oldest one may be overwritten in part: it reaches beyond the end. */
	while (at < end && ring_record(&self->x.ring, at, end, &record) > 0) {
		ASSERT_TRUE(chain_of(&record, &self->x.chain));
		at += record.header.size;
		nr++;
	}
	EXPECT_LT(20, nr);
}

TEST_HARNESS_MAIN
