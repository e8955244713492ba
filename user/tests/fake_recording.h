/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * A recording whose numbers can be worked out in one's head: a clock takes snapshots of two
 * CPUs each millisecond, 101 of each. In interval n, from 1 to 100, CPU 0 has n thousand cycles and
 * two instructions for each, CPU 1 twice as many cycles and as many instructions; one is
 * on the PMU always, the other in every second interval.
 */
#ifndef FAKE_RECORDING_H
#define FAKE_RECORDING_H

#include "fake_perfdata.h"
#include "pmcgrp.h"

#define FAKE_ID 0x10000000000ULL
#define FAKE_TRIGGER (FAKE_ID + 9)
#define FAKE_MS 1000000ULL
#define FAKE_START (1000 * FAKE_MS)
#define FAKE_INTERVALS 100

static const struct fake_event fake_recording_events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "cpu-clock", FAKE_TRIGGER },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", FAKE_ID },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, "instructions", FAKE_ID + 1 },
	/* What a terminal, a page, CSV and gnuplot must not take for their own. */
	{ PERF_TYPE_RAW, 0x11, 0, "</script>,\"<b>'x\033", FAKE_ID + 2 },
};

static inline void fake_recording(struct fake *f)
{
	uint64_t cycles[2] = { 0 }, running[2] = { 0 }, n;
	uint32_t cpu;

	fake_begin(f, fake_recording_events, ARRAY_SIZE(fake_recording_events));
	fake_comm(f, 42, "sort");
	for (n = 0; n <= FAKE_INTERVALS; n++) {
		for (cpu = 0; cpu < 2; cpu++) {
			bool on = n && (!cpu || n % 2 == 0);

			cycles[cpu] += on ? n * 1000 * (cpu + 1) : 0;
			running[cpu] += on ? FAKE_MS : 0;
			fake_sample(f, &(struct fake_sample){
				.id = FAKE_TRIGGER, .time = FAKE_START + n * FAKE_MS,
				.tid = n % 2 ? 42 : 0, .cpu = cpu, .enabled = n * FAKE_MS,
				.running = running[cpu], .nr = 3,
				.ids = { FAKE_ID, FAKE_ID + 1, FAKE_ID + 2 },
				.values = { cycles[cpu], cycles[cpu] * (cpu ? 1 : 2), 7 * n } });
		}
	}
	fake_record(f, PERF_RECORD_LOST, (uint64_t[]){ FAKE_TRIGGER, 5 }, 2, FAKE_TRIGGER,
		    FAKE_START + 50 * FAKE_MS, 0);
	fake_record(f, PERF_RECORD_THROTTLE,
		    (uint64_t[]){ FAKE_START + 50 * FAKE_MS, FAKE_TRIGGER, FAKE_TRIGGER }, 3,
		    FAKE_TRIGGER, FAKE_START + 50 * FAKE_MS, 0);
	fake_record(f, PERF_RECORD_UNTHROTTLE,
		    (uint64_t[]){ FAKE_START + 51 * FAKE_MS + 500000, FAKE_TRIGGER, FAKE_TRIGGER }, 3,
		    FAKE_TRIGGER, FAKE_START + 52 * FAKE_MS, 0);
	fake_end(f);
}

static const struct fake_event fake_calls_events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, "kprobe:f", 1 },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, "kretprobe:f", 2 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", 3 },
};

/* Call n of a function takes n us and 10 n cycles, from 1 to 10; then there is an entry more. */
static inline void fake_calls(struct fake *f)
{
	uint64_t i, n, returns;

	fake_begin(f, fake_calls_events, ARRAY_SIZE(fake_calls_events));
	for (i = 2; i <= 22; i++) {
		n = i / 2;
		returns = i % 2;
		fake_sample(f, &(struct fake_sample){
			.id = 1 + returns, .time = 100000 * n + returns * 1000 * n, .tid = 5,
			.nr = 1, .ids = { 3 }, .values = { 1000 * n + returns * 10 * n } });
	}
	fake_end(f);
}

/*
 * One of a machine with everything in it that a picture has to show: 12 CPUs for 400 ms, of which
 * 20 have no sample; an interval with 50 times as much as the others; losses; a CPU that is not on
 * the PMU for a while; a clock among the members; a member that counts nothing.
 */
#define FAKE_MACHINE_CPUS 12
#define FAKE_MACHINE_MS 400
#define FAKE_MACHINE_GAP_FROM 300	/* ms: the last sample before, and the first one behind it */
#define FAKE_MACHINE_GAP_TO 320
#define FAKE_MACHINE_OUTLIER 200	/* ms: of CPU 3 */
#define FAKE_MACHINE_LOST 120		/* ms: 50 samples of CPU 2 */

static const struct fake_event fake_machine_events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "every:1ms", FAKE_TRIGGER },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1, "sched:sched_switch", FAKE_TRIGGER + 1 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", FAKE_ID },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, "instructions", FAKE_ID + 1 },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, "task-clock", FAKE_ID + 2 },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, 0, "alignment-faults", FAKE_ID + 3 },
};

/* Cycles of millisecond @ms: busy and idle by turns, on each CPU at its own pace. */
static inline uint64_t fake_machine_cycles(uint64_t ms, uint32_t cpu)
{
	uint64_t turn = 20 + 5 * cpu, at = ms % turn;
	uint64_t cycles = at < turn / 2 ? 2000000 + 50000 * at : 300000 + 1000 * (ms * 7 % 31);

	return cpu == 3 && ms == FAKE_MACHINE_OUTLIER ? 50 * 2000000 : cycles;
}

static inline void fake_machine_sample(struct fake *f, uint64_t ms, uint32_t cpu,
				       uint64_t running, const uint64_t *counts)
{
	bool gap = ms > FAKE_MACHINE_GAP_FROM && ms < FAKE_MACHINE_GAP_TO;

	if (gap)
		return;
	fake_sample(f, &(struct fake_sample){
		.id = FAKE_TRIGGER + (ms % 7 == 0), .time = FAKE_START + ms * FAKE_MS,
		.tid = ms % 20 < 10 ? 42 : 100 + cpu, .cpu = cpu, .enabled = ms * FAKE_MS,
		.running = running, .nr = 4, .ids = { FAKE_ID, FAKE_ID + 1, FAKE_ID + 2, FAKE_ID + 3 },
		.values = { counts[0], counts[1], counts[2], 0 } });
}

static inline void fake_machine(struct fake *f)
{
	uint32_t cpu;
	uint64_t ms;

	fake_begin(f, fake_machine_events, ARRAY_SIZE(fake_machine_events));
	fake_comm(f, 42, "sort");
	for (cpu = 0; cpu < FAKE_MACHINE_CPUS; cpu++) {
		uint64_t counts[3] = { 0 }, running = 0;

		fake_comm(f, 100 + cpu, "worker");
		for (ms = 0; ms <= FAKE_MACHINE_MS; ms++) {
			uint64_t cycles = fake_machine_cycles(ms, cpu);
			bool on = cpu != 5 || ms <= 100 || ms > 150;

			/* Behind the gap the group was reset: no interval covers it. */
			if (ms == FAKE_MACHINE_GAP_TO)
				memset(counts, 0, sizeof(counts));
			if (ms && on) {
				counts[0] += cycles;
				counts[1] += cycles * (10 + cpu) / 10;
				counts[2] += cycles < 1000000 ? FAKE_MS / 4 : FAKE_MS;
				running += FAKE_MS;
			}
			fake_machine_sample(f, ms, cpu, running, counts);
		}
	}
	fake_record(f, PERF_RECORD_LOST, (uint64_t[]){ FAKE_TRIGGER, 50 }, 2, FAKE_TRIGGER,
		    FAKE_START + FAKE_MACHINE_LOST * FAKE_MS, 2);
	fake_record(f, PERF_RECORD_THROTTLE,
		    (uint64_t[]){ FAKE_START + 250 * FAKE_MS, FAKE_TRIGGER, FAKE_TRIGGER }, 3,
		    FAKE_TRIGGER, FAKE_START + 250 * FAKE_MS, 1);
	fake_record(f, PERF_RECORD_UNTHROTTLE,
		    (uint64_t[]){ FAKE_START + 254 * FAKE_MS, FAKE_TRIGGER, FAKE_TRIGGER }, 3,
		    FAKE_TRIGGER, FAKE_START + 254 * FAKE_MS, 1);
	fake_end(f);
}

/*
 * One of many CPUs, with samples lost at each other millisecond: 64 CPUs for 200 ms. Each has 1 to 1.6
 * million cycles in a millisecond, but for CPU 9, which has a hundred times as many in one of them.
 */
#define FAKE_CROWD_CPUS 64
#define FAKE_CROWD_MS 200
#define FAKE_CROWD_OUTLIER 60		/* ms */

static inline void fake_crowd(struct fake *f)
{
	uint32_t cpu;
	uint64_t ms;

	fake_begin(f, fake_machine_events, 4);
	for (cpu = 0; cpu < FAKE_CROWD_CPUS; cpu++) {
		uint64_t cycles = 0;

		for (ms = 0; ms <= FAKE_CROWD_MS; ms++) {
			cycles += (1000000 + 10000 * cpu) * (cpu == 9 && ms == FAKE_CROWD_OUTLIER ? 100 : 1);
			fake_sample(f, &(struct fake_sample){
				.id = FAKE_TRIGGER, .time = FAKE_START + ms * FAKE_MS,
				.tid = ms % 2 ? 42 : 100 + cpu, .cpu = cpu, .enabled = ms * FAKE_MS, .running = ms * FAKE_MS, .nr = 2,
				.ids = { FAKE_ID, FAKE_ID + 1 }, .values = { cycles, 2 * cycles } });
		}
	}
	for (ms = 2; ms < FAKE_CROWD_MS; ms += 2)
		fake_record(f, PERF_RECORD_LOST, (uint64_t[]){ FAKE_TRIGGER, 5 }, 2, FAKE_TRIGGER,
			    FAKE_START + ms * FAKE_MS, ms % FAKE_CROWD_CPUS);
	fake_end(f);
}

/*
 * One with call chains, in rounds of ten samples:
 *
 *	4	sort;[main];[parse]			100 cycles	200 instructions
 *	3	sort;[main];[read];the kernel		200		100
 *	1	sort;[main];[parse];[parse];[read]	100		100
 *	1	a record of a switch, no chain		 50		 25
 *	1	wc;x;[main]				100		150		1 page fault
 *
 * Before these there is one more, and behind them sort;[main];[tiny] with 1 cycle.
 */
#define FAKE_CHAINS_TYPE (FAKE_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN)
#define FAKE_CHAINS_ROUNDS 2000
#define FAKE_CHAINS_CYCLES (1250 * FAKE_CHAINS_ROUNDS + 1)

static const struct fake_event fake_chains_events[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "cpu-clock", 9 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", 1 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, "instructions", 2 },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, "page-faults", 3 },
};

/* A file of which no more than the name is known: 0x1000 bytes of a process's memory. */
static inline void fake_mmap(struct fake *f, uint32_t pid, uint64_t start, const char *path)
{
	uint64_t words[8] = { (uint64_t)pid << 32 | pid, start, 0x1000, 0 };

	strncpy((char *)&words[4], path, 31);
	fake_record(f, PERF_RECORD_MMAP, words, 8, 9, 0, 0);
}

static const uint64_t fake_chains_words[][8] = {
	{ (uint64_t)PERF_CONTEXT_USER, 0x2000, 0x1800 },
	{ (uint64_t)PERF_CONTEXT_KERNEL, 0xffff800080000100, (uint64_t)PERF_CONTEXT_USER, 0x3000, 0x1800 },
	{ (uint64_t)PERF_CONTEXT_USER, 0x3000, 0x2800, 0x2900, 0x1800 },
	{ 0 },
	{ (uint64_t)PERF_CONTEXT_USER, 0x1000 },
	/* The last word is the address behind main's last call. */
	{ (uint64_t)PERF_CONTEXT_USER, 0x4000, 0x2000 },
};
static const size_t fake_chains_nr[] = { 3, 5, 5, 0, 2, 3 };

/* @counts go on by @cycles and the others; @kind: of the two tables above. */
static inline void fake_chains_sample(struct fake *f, uint64_t time, unsigned int kind,
				      const uint64_t *counts)
{
	fake_sample(f, &(struct fake_sample){
		.id = 9, .time = time, .tid = kind == 4 ? 43 : 42, .enabled = time, .running = time,
		.nr = 3, .ids = { 1, 2, 3 }, .values = { counts[0], counts[1], counts[2] },
		.misc = kind == 3 ? PMCGRP_RECORD_MISC_SWITCH : PERF_RECORD_MISC_USER,
		.nr_chain = fake_chains_nr[kind], .chain = fake_chains_words[kind] });
}

static inline void fake_chains(struct fake *f)
{
	static const char * const paths[] = { "/no/main", "/no/parse", "/no/read", "/no/tiny" };
	static const unsigned int kinds[] = { 0, 0, 0, 0, 1, 1, 1, 2, 3, 4 };
	static const uint64_t more[][3] = {
		{ 100, 200 }, { 200, 100 }, { 100, 100 }, { 50, 25 }, { 100, 150, 1 },
	};
	uint64_t counts[3] = { 1000, 1000, 1000 };
	unsigned int i, k, n;

	fake_begin_type(f, fake_chains_events, ARRAY_SIZE(fake_chains_events), FAKE_CHAINS_TYPE);
	fake_comm(f, 42, "sort");
	fake_comm(f, 43, "wc;x");
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		fake_mmap(f, 42, 0x1000 * (i + 1), paths[i]);
		fake_mmap(f, 43, 0x1000 * (i + 1), paths[i]);
	}
	fake_chains_sample(f, FAKE_START, 0, counts);
	for (n = 0; n < 10 * FAKE_CHAINS_ROUNDS; n++) {
		for (k = 0; k < 3; k++)
			counts[k] += more[kinds[n % 10]][k];
		fake_chains_sample(f, FAKE_START + 1000 * (n + 1), kinds[n % 10], counts);
	}
	counts[0]++;
	fake_chains_sample(f, FAKE_START + 1000 * (n + 1), 5, counts);
	fake_end(f);
}

#endif
