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

#endif
