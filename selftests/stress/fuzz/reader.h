/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptors for reading only: of any group or member, and what must not go by them. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include "ring.h"

static void reader_controls(struct worker *w, int reader)
{
	static const unsigned long refused[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_PAUSE_OUTPUT, PMCGRP_IOC_SAMPLE, PMCGRP_IOC_KEYS_FLUSH,
		PMCGRP_IOC_READER, PMCGRP_IOC_ADD, PMCGRP_IOC_RING, PMCGRP_IOC_TRIGGER,
		PMCGRP_IOC_KEYS, PMCGRP_IOC_SPAN
	};
	struct zone *z = &w->zones.buf;
	unsigned long cmd = refused[below(&w->rng, COUNT(refused))];
	unsigned long arg = zone_address(z, &w->rng, below(&w->rng, PLACES), 64);
	int ret = ioctl(reader, cmd, arg);

	if (ret >= 0 || (errno != EBADF && errno != EFAULT))
		found(w, "a reader: ioctl %lx: %d, errno %d", cmd, ret, errno);
}

static void reader_maps(struct worker *w, int reader)
{
	static const uint64_t offsets[] = { 0, PMCGRP_KEYS_OFFSET, PMCGRP_USER_PAGE_OFFSET };
	uint64_t offset = offsets[below(&w->rng, COUNT(offsets))];
	size_t size = (1 + (below(&w->rng, 2) << below(&w->rng, 5))) * page_size();
	char *mem;

	if (chance(&w->rng, 30))
		offset = PMCGRP_RING_OFFSET(below(&w->rng, config.cpus + 1));
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, reader, offset);
	if (mem != MAP_FAILED) {
		found(w, "a reader: a mapping at %llx that can be written to",
		      (unsigned long long)offset);
		munmap(mem, size);
	}
	mem = mmap(NULL, size, PROT_READ, MAP_SHARED, reader, offset);
	if (mem == MAP_FAILED)
		return;
	if (offset == PMCGRP_USER_PAGE_OFFSET)
		found(w, "a reader: a user page");
	if (!mprotect(mem, page_size(), PROT_READ | PROT_WRITE))
		found(w, "a reader: mprotect() at %llx", (unsigned long long)offset);
	(void)*(volatile char *)mem;
	munmap(mem, size);
}

static void op_reader(struct worker *w)
{
	static const int errnos[] = { EBADF, ENOTTY, EINVAL, EMFILE, ENFILE, ENOMEM };
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	int fd = __atomic_load_n(&s->fd, __ATOMIC_RELAXED), reader;
	unsigned long flags = chance(&w->rng, 5) ? odd_number(&w->rng) : 0;
	char buf[64];

	reader = ioctl(fd, PMCGRP_IOC_READER, flags);
	if (reader < 0) {
		if (!one_of(errno, errnos, COUNT(errnos)))
			found(w, "READER: errno %d", errno);
		return;
	}
	if (flags || (fcntl(reader, F_GETFL) & O_ACCMODE) != O_RDONLY)
		found(w, "READER: flags %lx, mode %x", flags, fcntl(reader, F_GETFL));
	reader_controls(w, reader);
	reader_maps(w, reader);
	if (read(reader, buf, sizeof(buf)) > (ssize_t)sizeof(buf))
		found(w, "a reader: too much was read");
	poll_now(reader);
	close(reader);
}

#endif /* FUZZ_READER_H */
