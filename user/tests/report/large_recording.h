/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * A recording of any size, as `pmcgrp record -a` writes them, whose sums are known. A clock takes a
 * snapshot of each of 8 CPUs every 100 us. In interval n of CPU c there are 1000 + n % 1000 cycles,
 * twice as many instructions, 100 branches, and c branch-misses; the thread 100 + n % 4 runs. Each
 * CPU's records come in batches of 500, and each round of 8 batches ends with FINISHED_ROUND.
 */
#ifndef LARGE_RECORDING_H
#define LARGE_RECORDING_H

#include "fake_perfdata.h"

#define LARGE_CPUS 8
#define LARGE_EVENTS 5
#define LARGE_BATCH 500
#define LARGE_SAMPLE 152	/* bytes */
#define LARGE_START UINT64_C(1000000000)
#define LARGE_PERIOD UINT64_C(100000)

static const struct fake_event large_events[LARGE_EVENTS] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, LARGE_PERIOD, "cpu-clock", 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, "instructions", 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, "branches", 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, "branch-misses", 0 },
};

/* How many samples a CPU has in a file of so many bytes. */
static inline uint64_t large_samples(uint64_t size)
{
	return size / LARGE_SAMPLE / LARGE_CPUS / LARGE_BATCH * LARGE_BATCH;
}

/* Their cycles: all but those before the first one. */
static inline uint64_t large_cycles(uint64_t samples)
{
	uint64_t cycles = 0, n;

	for (n = 1; n < samples; n++)
		cycles += 1000 + n % 1000;
	return cycles;
}

static inline uint64_t large_id(uint32_t cpu, size_t event)
{
	return 1 + (uint64_t)cpu * LARGE_EVENTS + event;
}

static inline struct perf_event_attr large_attr(size_t event)
{
	struct perf_event_attr attr = fake_attr(&large_events[event], FAKE_SAMPLE_TYPE);

	attr.sample_type |= PERF_SAMPLE_IP;
	return attr;
}

static inline void large_ids(struct fake *f, size_t event)
{
	uint32_t cpu;

	for (cpu = 0; cpu < LARGE_CPUS; cpu++)
		fake_u64(f, large_id(cpu, event));
}

static inline void large_begin(struct fake *f, uint64_t samples)
{
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct perf_event_attr) + 16,
		.features = { 1ULL << PERFDATA_EVENT_DESC },
	};
	uint32_t tid;
	size_t e;

	header.attrs.offset = sizeof(header) + 8ULL * LARGE_EVENTS * LARGE_CPUS;
	header.attrs.size = LARGE_EVENTS * header.attr_size;
	header.data.offset = header.attrs.offset + header.attrs.size;
	fake_add(f, &header, sizeof(header));
	for (e = 0; e < LARGE_EVENTS; e++)
		large_ids(f, e);
	for (e = 0; e < LARGE_EVENTS; e++) {
		struct perf_event_attr attr = large_attr(e);

		fake_add(f, &attr, sizeof(attr));
		fake_u64(f, sizeof(header) + 8 * LARGE_CPUS * e);
		fake_u64(f, 8 * LARGE_CPUS);
	}
	for (tid = 100; tid < 104; tid++)
		fake_comm(f, tid, tid % 2 ? "odd" : "even");
	fake_header(f)->data.size = f->size - header.data.offset +
		samples * LARGE_CPUS * LARGE_SAMPLE + 8 * (samples / LARGE_BATCH);
}

/* @cycles: by now. */
static inline void large_sample(struct fake *f, uint32_t cpu, uint64_t n, uint64_t cycles)
{
	const uint64_t values[LARGE_EVENTS] = { n * LARGE_PERIOD, cycles, 2 * cycles, 100 * n, cpu * n };
	size_t i, e, at = fake_open(f, PERF_RECORD_SAMPLE);

	fake_u64(f, large_id(cpu, 0));
	fake_u64(f, 0xffffffff81000000 + 16 * (n % 1000));
	fake_pair(f, 100 + n % 4, 100 + n % 4);
	fake_u64(f, LARGE_START + n * LARGE_PERIOD + cpu * 1000);
	fake_pair(f, cpu, 0);
	fake_u64(f, LARGE_EVENTS);
	fake_u64(f, n * LARGE_PERIOD);
	fake_u64(f, n * LARGE_PERIOD);
	/* What has caused it is last. */
	for (i = 0; i < LARGE_EVENTS; i++) {
		e = (i + 1) % LARGE_EVENTS;
		fake_u64(f, values[e]);
		fake_u64(f, large_id(cpu, e));
	}
	fake_close(f, at);
}

static inline void large_names(struct fake *f, uint64_t at)
{
	size_t e, begin = f->size + 16;
	uint64_t size;

	fake_u64(f, at + 16);
	fake_u64(f, 0);
	fake_pair(f, LARGE_EVENTS, sizeof(struct perf_event_attr));
	for (e = 0; e < LARGE_EVENTS; e++) {
		struct perf_event_attr attr = large_attr(e);
		char name[64] = "";

		strncpy(name, large_events[e].name, sizeof(name) - 1);
		fake_add(f, &attr, sizeof(attr));
		fake_pair(f, LARGE_CPUS, sizeof(name));
		fake_add(f, name, sizeof(name));
		large_ids(f, e);
	}
	size = f->size - begin;
	memcpy(f->bytes + begin - 8, &size, sizeof(size));
}

static inline void large_flush(struct fake *f, FILE *file)
{
	assert_int_equal(fwrite(f->bytes, 1, f->size, file), f->size);
	f->size = 0;
}

/* @rounds: whether the file says where they end. Returns large_samples(size). */
static inline uint64_t large_recording(const char *path, uint64_t size, bool rounds)
{
	uint64_t samples = large_samples(size), cycles = 0, before, first, n, at;
	FILE *file = fopen(path, "w");
	struct fake f = { 0 };
	uint32_t cpu;

	assert_non_null(file);
	large_begin(&f, samples);
	at = fake_header(&f)->data.offset + fake_header(&f)->data.size;
	for (first = 0; first < samples; first += LARGE_BATCH) {
		before = cycles;
		for (cpu = 0; cpu < LARGE_CPUS; cpu++) {
			cycles = before;
			for (n = first; n < first + LARGE_BATCH; n++) {
				cycles += n ? 1000 + n % 1000 : 0;
				large_sample(&f, cpu, n, cycles);
			}
		}
		/* Another record that says nothing is as long. */
		fake_close(&f, fake_open(&f, rounds ? PERFDATA_FINISHED_ROUND : PERFDATA_USER_FIRST + 1));
		large_flush(&f, file);
	}
	large_names(&f, at);
	large_flush(&f, file);
	assert_int_equal(fclose(file), 0);
	fake_free(&f);
	return samples;
}

#endif
