/* SPDX-License-Identifier: GPL-2.0-only */
/* Rings and triggers on whatever group there is, mapped, moved, scribbled on and read. */
#ifndef FUZZ_RING_H
#define FUZZ_RING_H

#include "form.h"
#include "pmcgrp_ring.h"

#define MAPS	4	/* that a thread has */

/* A mapping, or the part of one that is left. */
static __thread struct {
	char *mem;
	size_t size;
	bool write;
} maps[MAPS];

static bool one_of(int err, const int *errnos, unsigned int nr)
{
	while (nr--)
		if (err == errnos[nr])
			return true;
	return false;
}

static void op_ring(struct worker *w)
{
	static const int errnos[] = {
		0, EINVAL, EBUSY, EOPNOTSUPP, ENOMEM, EBADF, ENOTTY, ESRCH,
	};
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	int fd = __atomic_load_n(&s->fd, __ATOMIC_RELAXED);
	struct pmcgrp_ring_setup setup = { .size = sizeof(setup), .sample_type = SAMPLE_TYPE };

	if (chance(&w->rng, 50))
		setup.flags = below(&w->rng, 32);
	if (chance(&w->rng, 95))
		setup.clockid = setup.flags & PMCGRP_RING_USE_CLOCKID ? below(&w->rng, 12) : 0;
	else
		setup.clockid = odd_number(&w->rng);
	if (setup.flags & PMCGRP_RING_COMPACT)
		setup.sample_type &= rng_next(&w->rng) & (PERF_SAMPLE_IDENTIFIER | 0x86);
	if (chance(&w->rng, 60))
		setup.wakeup = 1 + below(&w->rng, 100);
	if (setup.wakeup % 4 == 1 && !(setup.flags & PMCGRP_RING_COMPACT))
		setup.sample_type |= PERF_SAMPLE_CGROUP;
	if (chance(&w->rng, 10))
		setup.sample_type = odd_number(&w->rng);
	if (chance(&w->rng, 5))
		setup.flags = odd_number(&w->rng);
	if (chance(&w->rng, 5))
		setup.size = below(&w->rng, sizeof(setup));
	errno = 0;
	ioctl(fd, PMCGRP_IOC_RING, &setup);
	if (!one_of(errno, errnos, COUNT(errnos)) ||
	    (errno == ESRCH && setup.why != PMCGRP_WHY_TASK_GONE))
		found(w, "RING: errno %d, why %u", errno, setup.why);
	if (!errno && setup.clockid != 0 && setup.clockid != CLOCK_MONOTONIC &&
	    setup.clockid != CLOCK_MONOTONIC_RAW)
		found(w, "RING: clock %d", setup.clockid);
}

static struct perf_event_attr random_trigger(struct rng *r)
{
	struct perf_event_attr attr;

	switch (below(r, 8)) {
	case 0:
		attr = every(10000 + below(r, 1000000), sw(PERF_COUNT_SW_CPU_CLOCK));
		break;
	case 1:
		attr = every(10000 + below(r, 1000000), sw(PERF_COUNT_SW_TASK_CLOCK));
		break;
	case 2:
		attr = every(1 + below(r, 100), sw(below(r, 12)));
		break;
	case 3:
		attr = every(1, event(PERF_TYPE_TRACEPOINT, below(r, 1000)));
		if (config.nr_traces)
			attr.config = config.trace[below(r, config.nr_traces)];
		break;
	case 4:
		attr = sw(PERF_COUNT_SW_CPU_CLOCK);
		attr.freq = 1;
		attr.sample_freq = odd_number(r);
		break;
	case 5:
		attr = every(odd_number(r), random_event(r, false));
		break;
	default:
		attr = every(10000 + below(r, 1000000), random_event(r, chance(r, 10)));
	}
	return attr;
}

static void op_trigger(struct worker *w)
{
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	int fd = __atomic_load_n(&s->fd, __ATOMIC_RELAXED);
	struct perf_event_attr attr = random_trigger(&w->rng);
	struct pmcgrp_trigger_add add = { .size = sizeof(add), .attr = (uintptr_t)&attr };
	int err;

	if (chance(&w->rng, 5))
		add.flags = odd_number(&w->rng);
	if (chance(&w->rng, 5))
		add.attr = nowhere(&w->zones.attrs, &w->rng);
	if (chance(&w->rng, 5))
		add.size = below(&w->rng, sizeof(add));
	err = ioctl(fd, PMCGRP_IOC_TRIGGER, &add) ? errno : 0;
	if (err >= ERRNOS)
		found(w, "TRIGGER: errno %d", err);
	else if (err)
		count(&shared->refused[err]);
	if (!err && (!add.id || !add.index || add.index > PMCGRP_TRIGGERS_MAX || add.why))
		found(w, "TRIGGER: id %llu, index %u, why %u", (unsigned long long)add.id,
		      add.index, add.why);
}

/* What is in a mapping may be anything: others write its tail. It has to be there. */
static void look_at(struct worker *w, unsigned int i)
{
	struct perf_event_mmap_page *page = (void *)maps[i].mem;
	volatile char *mem = maps[i].mem;
	size_t at;

	for (at = 0; at < maps[i].size; at += page_size() / 2)
		(void)mem[at];
	if (!maps[i].write || maps[i].size < 2 * page_size())
		return;
	if (chance(&w->rng, 70))
		page->data_tail = page->data_head;
	else
		*(uint64_t *)(mem + 8 * below(&w->rng, 512)) = odd_number(&w->rng);
}

static void unmap(unsigned int i)
{
	if (maps[i].mem)
		munmap(maps[i].mem, maps[i].size);
	maps[i].mem = NULL;
}

static void op_map(struct worker *w)
{
	static const int errnos[] = { EINVAL, EPERM,  ENOSPC, ENOMEM,
				      EBADF,  ENODEV, EACCES, EAGAIN };
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	int fd = __atomic_load_n(&s->fd, __ATOMIC_RELAXED);
	unsigned int i = below(&w->rng, MAPS);
	size_t page = page_size(), pages = 1UL << below(&w->rng, 6);
	bool write = chance(&w->rng, 80);
	uint64_t offset = 0;
	char *mem;

	if (maps[i].mem && chance(&w->rng, 70)) {
		look_at(w, i);
		return;
	}
	/* A part of it first, now and then, or somewhere else. */
	if (maps[i].mem && maps[i].size > page && chance(&w->rng, 20)) {
		munmap(maps[i].mem + maps[i].size - page, page);
		maps[i].size -= page;
		return;
	}
	if (maps[i].mem && chance(&w->rng, 20)) {
		mem = mremap(maps[i].mem, maps[i].size, maps[i].size + page * below(&w->rng, 2),
			     MREMAP_MAYMOVE);
		if (mem != MAP_FAILED)
			maps[i].mem = mem;
		return;
	}
	unmap(i);
	if (chance(&w->rng, 50))
		offset = PMCGRP_RING_OFFSET(below(&w->rng, config.cpus + 1));
	if (chance(&w->rng, 5))
		offset = odd_number(&w->rng);
	if (chance(&w->rng, 15)) {
		offset = PMCGRP_USER_PAGE_OFFSET;
		pages = 0;
	}
	if (chance(&w->rng, 10))
		pages = below(&w->rng, 70);
	maps[i].size = (1 + pages) * page;
	maps[i].write = write;
	mem = mmap(NULL, maps[i].size, PROT_READ | (write ? PROT_WRITE : 0),
		   chance(&w->rng, 95) ? MAP_SHARED : MAP_PRIVATE, fd, offset);
	if (mem != MAP_FAILED)
		maps[i].mem = mem;
	else if (!one_of(errno, errnos, COUNT(errnos)) && errno != EOVERFLOW)
		found(w, "mmap: errno %d", errno);
}

static void op_sample(struct worker *w)
{
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	int fd = __atomic_load_n(&s->fd, __ATOMIC_RELAXED), ret;
	unsigned int rounds = 1 + below(&w->rng, 20);

	if (chance(&w->rng, 10))
		ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, below(&w->rng, 2));
	while (rounds--) {
		ret = ioctl(fd, PMCGRP_IOC_SAMPLE, odd_number(&w->rng));
		if (ret > (int)config.cpus || (ret < 0 && errno != EINVAL && errno != EBADF &&
					       errno != ENOTTY))
			found(w, "SAMPLE: %d, errno %d", ret, errno);
	}
	poll_now(fd);
}

#endif /* FUZZ_RING_H */
