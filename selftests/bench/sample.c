// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sample into a ring costs, and how large it is: pmcgrp triggers against leader sampling by
 * perf. The rings overwrite themselves, so that no reader is measured.
 */
#include "bench.h"

#define CALLS		20000
#define PAGES		64
#define CLOCK_NS	100000
#define CLOCK_LOOP	100000000	/* instructions */

/* As `perf record -e '{...}:S'` has it. */
#define PERF_TYPES	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			 PERF_SAMPLE_READ)

struct sampled {
	struct ring ring;
	struct perf_group perf;
	int fd;
};

/* What the ring's control page says was written. */
static uint64_t bytes_of(const struct sampled *s)
{
	return ring_head(&s->ring);
}

static bool sampled_by_perf(struct sampled *s, struct perf_event_attr by)
{
	struct perf_event_attr attr[NR + 1];
	unsigned int i;

	by.sample_type = PERF_TYPES;
	by.sample_id_all = 1;
	attr[0] = by;
	for (i = 0; i < NR; i++)
		attr[i + 1] = members[0][i];
	return perf_group_open(&s->perf, attr, NR + 1, &(struct whom){ 0 }) &&
	       !ring_map_at(s->perf.fd[0], 0, PAGES, PROT_READ, &s->ring);
}

/* A group and its trigger, but no ring yet that anything could be written to. */
static bool triggered_by_pmcgrp(struct sampled *s, struct perf_event_attr by, uint32_t flags)
{
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;
	uint64_t types = flags & PMCGRP_RING_COMPACT ? 0 : PERF_TYPES;

	s->fd = group_open(members[0], NR, &(struct whom){ 0 });
	return s->fd >= 0 && !setup_ring(s->fd, flags, types, 0, &setup) &&
	       !add_trigger(s->fd, &by, &add);
}

static bool sampled_by_pmcgrp(struct sampled *s, struct perf_event_attr by, uint32_t flags)
{
	return triggered_by_pmcgrp(s, by, flags) &&
	       !ring_map_at(s->fd, 0, PAGES, PROT_READ, &s->ring);
}

static void sampled_end(struct sampled *s)
{
	if (s->ring.page)
		ring_unmap(&s->ring);
	perf_group_close(&s->perf);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct sampled){ .fd = -1 };
}

/* ---- A tracepoint ---- */

static struct perf_event_attr each_call(void)
{
	return every(1, tracepoint("syscalls/sys_enter_getpgid"));
}

static struct cost cost_of_call(void)
{
	return PER_TIME(CALLS, syscall(SYS_getpgid, 0));
}

static bool sample_tracepoint(struct result *r)
{
	struct sampled s = { .fd = -1 };
	bool good;

	if ((int64_t)each_call().config < 0)
		return cannot("there is no tracepoint of getpgid()");
	r->base = cost_of_call();
	good = sampled_by_perf(&s, each_call());
	if (good)
		r->perf = cost_less(cost_of_call(), r->base);
	sampled_end(&s);
	good = good && triggered_by_pmcgrp(&s, each_call(), 0);
	if (good)
		r->floor = cost_less(cost_of_call(), r->base);
	good = good && !ring_map_at(s.fd, 0, PAGES, PROT_READ, &s.ring);
	if (good)
		r->pmcgrp = cost_less(cost_of_call(), r->base);
	sampled_end(&s);
	return good;
}

/* ---- A clock ---- */

static struct cost cost_of_loop(void)
{
	struct stamp start = stamp_now();

	loop(CLOCK_LOOP / 2);
	return cost_since(&start);
}

/* What each period costs, of those that a loop lasts. */
static struct cost cost_of_period(struct cost base)
{
	struct cost all = cost_of_loop();

	return cost_of_each(cost_less(all, base), all.insns * NS_PER_INSN / CLOCK_NS);
}

static bool sample_clock(struct result *r)
{
	struct perf_event_attr by = every(CLOCK_NS, sw(PERF_COUNT_SW_CPU_CLOCK));
	struct cost base = cost_of_loop();
	struct sampled s = { .fd = -1 };
	bool good;

	good = sampled_by_perf(&s, by);
	if (good)
		r->perf = cost_of_period(base);
	sampled_end(&s);
	good = good && triggered_by_pmcgrp(&s, by, 0);
	if (good)
		r->floor = cost_of_period(base);
	good = good && !ring_map_at(s.fd, 0, PAGES, PROT_READ, &s.ring);
	if (good)
		r->pmcgrp = cost_of_period(base);
	sampled_end(&s);
	return good;
}

/* ---- Bytes ---- */

#define RECORDS	100

static struct cost bytes_of_record(struct sampled *s)
{
	uint64_t before = bytes_of(s);
	struct cost cost = PER_TIME(RECORDS, syscall(SYS_getpgid, 0));

	cost.insns = (double)(bytes_of(s) - before) / RECORDS;
	return cost;
}

static bool bytes_sample(struct result *r)
{
	struct sampled s = { .fd = -1 };
	bool good;

	good = sampled_by_perf(&s, each_call());
	if (good)
		r->perf = bytes_of_record(&s);
	sampled_end(&s);
	good = good && sampled_by_pmcgrp(&s, each_call(), PMCGRP_RING_COMPACT);
	if (good)
		r->pmcgrp = bytes_of_record(&s);
	sampled_end(&s);
	r->floor.insns = (1 + NR) * sizeof(uint64_t);
	return good;
}

#define UNMAPPED	"the trigger alone, with no ring"

const struct row sample_rows[] = {
	{ "sample.tracepoint.4hw", "instructions", UNMAPPED, 1, 0.40, sample_tracepoint },
	{ "sample.clock.4hw", "instructions", UNMAPPED, 1, 0.60, sample_clock },
	{ "bytes.sample.4hw", "bytes", "a header and the values", 1, 0.45, bytes_sample },
	{}
};
