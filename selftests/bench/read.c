// SPDX-License-Identifier: GPL-2.0-only
/* What a read() of a group costs: of the reader itself, of a task elsewhere, of all CPUs. */
#include "bench.h"

#define READS	10000

static bool all_read(long turns, int fd)
{
	struct group_values v;
	long bad = 0;

	while (turns--)
		bad += read(fd, &v, sizeof(v)) <= 0;
	return !bad;
}

/* -1: it could not be read. */
static double cost_of_read(int fd, long turns)
{
	uint64_t start;

	if (!all_read(10, fd))
		return -1;
	start = now_ns();
	return all_read(turns, fd) ? insns_since(start) / turns : -1;
}

static bool read_both(struct result *r, const struct perf_event_attr *attr, unsigned int nr,
		      const struct whom *whom, long turns)
{
	struct perf_group perf;
	int fd;

	if (!perf_group_open(&perf, attr, nr, whom))
		return false;
	r->perf = cost_of_read(perf.fd[0], turns);
	perf_group_close(&perf);
	fd = pmcgrp_open(attr, nr, whom);
	if (fd < 0)
		return false;
	r->pmcgrp = cost_of_read(fd, turns);
	close(fd);
	return r->perf > 0 && r->pmcgrp > 0;
}

static bool read_self(struct result *r)
{
	r->floor = PER_TURN(READS, syscall(SYS_getppid));
	return read_both(r, members[0], NR, &(struct whom){ 0 }, READS);
}

const struct row read_rows[] = {
	{ "read.self.4hw", "instructions", "an empty system call", 1, read_self },
	{}
};
