/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzzer's parts share: random numbers, memory with edges, the
 * descriptors that all workers use, and what has been found.
 */
#ifndef FUZZ_STATE_H
#define FUZZ_STATE_H

#include "pmcgrp_test.h"
#include <limits.h>
#include <stddef.h>

#define SEATS		48	/* descriptors of groups */
#define RIVALS		6	/* perf events that a worker has open */
#define TARGETS		4	/* children that a worker has */
#define WORKERS_MAX	32
#define MEMBERS		(PMCGRP_MEMBERS_MAX + 1)
#define ERRNOS		134	/* above are the kernel's own */
#define SERIALS		4096
#define FOUND_MAX	16
#define POISON		0xdeadbeefU

/* Each operation has a stream of random numbers of its own, so that it can be had again. */
static inline void rng_start(struct rng *r, uint64_t seed, uint64_t worker, uint64_t op)
{
	r->state = mix(mix(mix(seed) ^ worker) ^ op) | 1;
}

/* The numbers at which code goes wrong, and any other. */
static inline uint64_t odd_number(struct rng *r)
{
	uint64_t bit = 1ULL << below(r, 64), any = rng_next(r);

	switch (below(r, 6)) {
	case 0:
		return below(r, 16);
	case 1:
		return bit;
	case 2:
		return bit - 1;
	case 3:
		return -bit;
	case 4:
		return any >> below(r, 64);
	default:
		return any;
	}
}

/*
 * Memory for arguments: pages to write, then one that can only be read, then one
 * that cannot be touched. The read-only page is also mapped at alias.
 */
struct zone {
	char *mem;
	char *readonly;
	char *guard;
	char *alias;
};

/* What a CREATE points to, and what a read() writes to. */
struct zones {
	struct zone create;
	struct zone members;
	struct zone attrs;
	struct zone buf;
};

static inline size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static inline bool zone_make(struct zone *z, size_t size)
{
	size_t page = page_size(), len = (size + page - 1) / page * page;
	int fd = syscall(SYS_memfd_create, "fuzz", 0);
	char *mem;

	if (fd < 0 || ftruncate(fd, len + page))
		return false;
	mem = mmap(NULL, len + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	z->mem = mmap(mem, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	z->readonly = mmap(mem + len, page, PROT_READ, MAP_SHARED | MAP_FIXED, fd, len);
	z->guard = mem + len + page;
	z->alias = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, len);
	close(fd);
	return mem != MAP_FAILED && z->mem == mem && z->readonly == mem + len &&
	       z->alias != MAP_FAILED;
}

static inline bool zones_make(struct zones *z)
{
	return zone_make(&z->create, 8192) && zone_make(&z->members, MEMBERS * 4096) &&
	       zone_make(&z->attrs, MEMBERS * 160 + 4096) && zone_make(&z->buf, 8192);
}

enum place {
	PLACE_ALIGNED,
	PLACE_UNALIGNED,
	PLACE_END,	/* up to the last writable byte */
	PLACE_READONLY,
	PLACE_CUT,	/* half readable, half not to be touched */
	PLACE_NOWHERE,
	PLACES,
};

/* An address that no process has, or none that may be touched. */
static inline uint64_t nowhere(const struct zone *z, struct rng *r)
{
	static const uint64_t addresses[] = { 0, 1, 8, 1ULL << 47, 0x0000fffffffffff8,
					      0x0080000000000000, 0xffff800000000000,
					      0xffffffff81000000, 0xdead000000000000,
					      0xfffffffffffff000, -8ULL, -1ULL };

	if (chance(r, 20))
		return (uintptr_t)z->guard + 4 * below(r, 2);
	return addresses[below(r, COUNT(addresses))];
}

/* Where len bytes go that are to be placed so. */
static inline uint64_t zone_address(const struct zone *z, struct rng *r, enum place place,
				    size_t len)
{
	switch (place) {
	case PLACE_ALIGNED:
		return (uintptr_t)z->mem + 8 * below(r, 4);
	case PLACE_UNALIGNED:
		return (uintptr_t)z->mem + 1 + below(r, 7);
	case PLACE_END:
		return (uintptr_t)z->readonly - len;
	case PLACE_READONLY:
		return (uintptr_t)z->readonly;
	case PLACE_CUT:
		return (uintptr_t)z->guard - (len / 2 < page_size() ? len / 2 : 8);
	default:
		return nowhere(z, r);
	}
}

static inline bool zone_writable(const struct zone *z, uint64_t address, size_t len)
{
	uint64_t from = (uintptr_t)z->mem, to = (uintptr_t)z->readonly;

	return address >= from && address <= to && len <= to - address;
}

/* Copy to such an address as much as goes there. */
static inline void zone_write(const struct zone *z, uint64_t address, const void *bytes,
			      size_t len)
{
	uint64_t readonly = (uintptr_t)z->readonly, guard = (uintptr_t)z->guard;

	if (zone_writable(z, address, len)) {
		memcpy((void *)(uintptr_t)address, bytes, len);
	} else if (address >= readonly && address < guard) {
		if (len > guard - address)
			len = guard - address;
		memcpy(z->alias + (address - readonly), bytes, len);
	}
}

/* What is known about a group. */
struct made {
	uint64_t serial;	/* 0: nothing is known */
	uint64_t read_format;
	uint32_t nr;
	bool pinned;
	bool led;		/* has a leader: nr is not known */
	bool member;		/* the descriptor is not the leader's */
	uint64_t id[PMCGRP_MEMBERS_MAX];
	uint8_t same[PMCGRP_MEMBERS_MAX];	/* the first member with the same attr */
};

/*
 * A descriptor and its group. gen is odd while they change; a use of fd during
 * which gen stayed the same even number was a use of that group. No lock prevents
 * the use of fd while it is closed: the fuzzer tests just that.
 */
struct seat {
	unsigned int gen;
	int fd;
	struct made made;
};

/* Resets of a group begun and done, found by its serial. */
struct resets {
	unsigned int begun;
	unsigned int done;
};

struct shared {
	struct seat seat[SEATS];
	struct resets resets[SERIALS];
	uint64_t serial;
	unsigned int stop;
	unsigned int nr_found;
	char found[FOUND_MAX][200];
	uint64_t refused[ERRNOS];
	uint64_t groups;
	uint64_t members;	/* added */
	uint64_t reads;
	struct {
		uint64_t ops;
		const char *doing;
		pid_t tid;
		pid_t target[TARGETS];
	} worker[WORKERS_MAX];
};

static struct shared *shared;

static struct {
	uint64_t seed;
	unsigned int seconds;
	uint64_t ops;		/* 0: as many as there is time for */
	uint64_t first;
	unsigned int workers;
	bool hotplug;
	unsigned int cpus;
	int cgroup;	/* descriptor of the root of cgroups, or -1 */
	unsigned int nr_types;
	uint32_t type[32];	/* of the machine's PMUs */
	unsigned int nr_traces;
	uint32_t trace[8];	/* ids of tracepoints */
	uint32_t function;	/* that of ftrace:function, if it is to be avoided */
	unsigned int nr_events;
	struct perf_event_attr event[64];	/* that the machine's PMU counts */
} config = { .seed = 20260101, .workers = 4 };

/* A read of a seat, to compare the next one with. */
struct last {
	uint64_t serial;
	unsigned int resets;
	bool steady;		/* no reset was under way */
	uint64_t enabled;
	uint64_t running;
	uint64_t value[PMCGRP_MEMBERS_MAX];
};

struct worker {
	unsigned int index;
	bool alone;		/* a process with descriptors of its own */
	uint64_t op;
	struct rng rng;
	int dev;
	struct zones zones;
	struct seat *seat;
	struct last last[SEATS];
	int rival[RIVALS];
	pid_t target[TARGETS];	/* of shared->worker, changed by this worker only */
	uint64_t section;	/* id of its last span */
	int socket[2];
};

static inline void note(const struct worker *w, const char *text)
{
	unsigned int i = __atomic_fetch_add(&shared->nr_found, 1, __ATOMIC_RELAXED);

	if (i < FOUND_MAX)
		snprintf(shared->found[i], sizeof(shared->found[i]),
			 "worker %u, operation %llu: %s", w->index, (unsigned long long)w->op,
			 text);
}

/* Something that must not be, in printf's manner. */
#define found(w, ...) do {						\
	char text_[140];						\
	snprintf(text_, sizeof(text_), __VA_ARGS__);			\
	note(w, text_);							\
} while (0)

static inline void count(uint64_t *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

static inline bool seat_begin(struct seat *s)
{
	unsigned int gen = __atomic_load_n(&s->gen, __ATOMIC_ACQUIRE);

	return !(gen & 1) && __atomic_compare_exchange_n(&s->gen, &gen, gen + 1, false,
							 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static inline void seat_end(struct seat *s)
{
	__atomic_fetch_add(&s->gen, 1, __ATOMIC_ACQ_REL);
}

static inline bool seat_unchanged(const struct seat *s, unsigned int gen)
{
	return !(gen & 1) && __atomic_load_n(&s->gen, __ATOMIC_ACQUIRE) == gen;
}

/* Whether made is what belongs to the descriptor, which is to be used in any case. */
static inline bool seat_look(const struct seat *s, unsigned int *gen, int *fd, struct made *made)
{
	*gen = __atomic_load_n(&s->gen, __ATOMIC_ACQUIRE);
	*fd = __atomic_load_n(&s->fd, __ATOMIC_RELAXED);
	*made = s->made;
	return *fd >= 0 && made->serial && seat_unchanged(s, *gen);
}

/* Puts a descriptor there, closing the one before; made may be NULL. */
static inline void seat_put(struct seat *s, int fd, const struct made *made)
{
	static const struct made unknown;

	if (!seat_begin(s)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (s->fd >= 0)
		close(s->fd);
	__atomic_store_n(&s->fd, fd, __ATOMIC_RELAXED);
	s->made = made ? *made : unknown;
	seat_end(s);
}

static inline struct resets *resets_of(const struct made *made)
{
	return &shared->resets[made->serial % SERIALS];
}

#endif /* FUZZ_STATE_H */
