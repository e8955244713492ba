// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a span costs, beside what it is there to replace: a BPF program at the call of a function,
 * which keeps four counters by thread, and one at its return, which adds up the differences.
 *
 * The programs do less than a span.  They have no minimum, maximum and histogram, and they take
 * calls that were preempted or not counted for right.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_bpf.h"
#include "pmcgrp_span.h"
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

#define MEMBERS 4
#define TIMES 1000ULL

/* What the programs have on their stack, below the frame pointer. */
#define KEY -8	   /* thread and process */
#define VALUES -40 /* a counter for each member */
#define VALUE -64  /* struct bpf_perf_event_value */
#define ZERO -72

struct sums {
	uint64_t calls;
	uint64_t member[MEMBERS];
};

FIXTURE(span_bpf)
{
	int dev;
	struct perf_event_attr attr[MEMBERS];
	int counter[MEMBERS], programs[2], points[2];
	int counters, begun, sums; /* maps */
};

FIXTURE_SETUP(span_bpf)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, testapi_load());
	ASSERT_TRUE(stay_on(0));
	self->attr[0] = hw(PERF_COUNT_HW_INSTRUCTIONS);
	self->attr[1] = hw(PERF_COUNT_HW_CPU_CYCLES);
	self->attr[2] = hw(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	self->attr[3] = hw(PERF_COUNT_HW_BRANCH_MISSES);
	if (have_event(self->attr[2]))
		return;
	/* QEMU's arm64 has these alone, and a code of each name */
	self->attr[2] = event(PERF_TYPE_RAW, 8);
	self->attr[3] = event(PERF_TYPE_RAW, 0x11);
}

FIXTURE_TEARDOWN(span_bpf)
{
	EXPECT_EQ(0, testapi_unload());
	close(self->dev);
}

/* A counter of this CPU into VALUES; a program's registers 6 and above are as they were. */
#define READ(map, i)                                                  \
	MAP(1, map), MOV_IMM(2, i), MOV(3, 10), ADD_IMM(3, VALUE),    \
		MOV_IMM(4, 24), CALL(BPF_FUNC_perf_event_read_value), \
		LOAD(1, 10, VALUE), STORE(10, VALUES + 8 * (i), 1)

/* The member's difference, and its sum: 6 is at what the call has kept, 7 at struct sums. */
#define SUM(i)                                                 \
	LOAD(1, 10, VALUES + 8 * (i)), LOAD(2, 6, 8 * (i)),    \
		INSN(BPF_ALU64 | BPF_SUB | BPF_X, 1, 2, 0, 0), \
		LOAD(2, 7, 8 + 8 * (i)), ADD(2, 1), STORE(7, 8 + 8 * (i), 2)

static int load_begin(int counters, int begun)
{
	const struct bpf_insn insn[] = {
		CALL(BPF_FUNC_get_current_pid_tgid),
		STORE(10, KEY, 0),
		READ(counters, 0),
		READ(counters, 1),
		READ(counters, 2),
		READ(counters, 3),
		MAP(1, begun),
		MOV(2, 10),
		ADD_IMM(2, KEY),
		MOV(3, 10),
		ADD_IMM(3, VALUES),
		MOV_IMM(4, 0),
		CALL(BPF_FUNC_map_update_elem),
		MOV_IMM(0, 0),
		EXIT,
	};

	return bpf_load(BPF_PROG_TYPE_KPROBE, insn, COUNT(insn));
}

static int load_end(int counters, int begun, int sums)
{
	/* instructions between the two jumps and the program's end */
	const int behind = 4 + MEMBERS * 6 + 5, before = 8 + behind;
	const struct bpf_insn insn[] = {
		CALL(BPF_FUNC_get_current_pid_tgid),
		STORE(10, KEY, 0),
		READ(counters, 0),
		READ(counters, 1),
		READ(counters, 2),
		READ(counters, 3),
		MAP(1, begun),
		MOV(2, 10),
		ADD_IMM(2, KEY),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(0, before),
		MOV(6, 0),
		STORE_IMM(10, ZERO, 0),
		MAP(1, sums),
		MOV(2, 10),
		ADD_IMM(2, ZERO),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(0, behind),
		MOV(7, 0),
		LOAD(1, 7, 0),
		ADD_IMM(1, 1),
		STORE(7, 0, 1),
		SUM(0),
		SUM(1),
		SUM(2),
		SUM(3),
		MAP(1, begun),
		MOV(2, 10),
		ADD_IMM(2, KEY),
		CALL(BPF_FUNC_map_delete_elem),
		MOV_IMM(0, 0),
		EXIT,
	};

	return bpf_load(BPF_PROG_TYPE_KPROBE, insn, COUNT(insn));
}

/* A program at the function's call or return. Returns a descriptor or -errno. */
static int attach(int program, bool at_return)
{
	struct perf_event_attr attr = event(0, at_return);
	int fd;

	attr.type = file_number("/sys/bus/event_source/devices/kprobe/type", "");
	attr.kprobe_func = (uintptr_t)WORK;
	fd = perf_open(&attr, -1, 0, -1);
	if (fd < 0)
		return fd;
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) ? -errno : fd;
}

static uint64_t cost_of_calls(void)
{
	uint64_t cost;

	return api("calls bare %llu", TIMES) || answer(&cost, 1) != 1 ? 0 : cost;
}

/*
 * For four members a span is at most half of that.  The counters are read in the same way by both,
 * each once at each end: the rest is what differs.
 */
TEST_F(span_bpf, cost)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .nr = MEMBERS, .attr = self->attr };
	uint64_t none, span, programs;
	struct sums sums = { 0 };
	struct section section;
	uint32_t i;
	int group;

	if (!have_instructions() || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	/* what the module counts the cost by */
	ASSERT_EQ(0, api("group all 0:1"));
	none = cost_of_calls();
	ASSERT_LT(0, none);
	group = ask_group(self->dev, &ask);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, WORK));
	span = cost_of_calls() - none;
	ASSERT_TRUE(find_span(self->dev, group, WORK, &section));
	ASSERT_EQ(TIMES, section.info.count);
	close(group);

	self->counters = bpf_map_of(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, MEMBERS);
	self->begun = bpf_map_of(BPF_MAP_TYPE_HASH, 8, 8 * MEMBERS, 1024);
	self->sums = bpf_map(sizeof(sums));
	ASSERT_LE(0, self->counters);
	ASSERT_LE(0, self->begun);
	ASSERT_LE(0, self->sums);
	for (i = 0; i < MEMBERS; i++) {
		self->counter[i] = perf_open(&self->attr[i], -1, 0, -1);
		ASSERT_GE(self->counter[i], 0);
		ASSERT_EQ(0, bpf_map_write(self->counters, i, &self->counter[i]));
	}
	self->programs[0] = load_begin(self->counters, self->begun);
	self->programs[1] = load_end(self->counters, self->begun, self->sums);
	for (i = 0; i < 2; i++) {
		ASSERT_GE(self->programs[i], 0);
		self->points[i] = attach(self->programs[i], i);
		ASSERT_GE(self->points[i], 0);
	}
	programs = cost_of_calls() - none;
	ASSERT_EQ(0, bpf_map_read(self->sums, &sums));
	for (i = 0; i < 2; i++) {
		close(self->points[i]);
		close(self->programs[i]);
	}
	for (i = 0; i < MEMBERS; i++)
		close(self->counter[i]);
	close(self->counters);
	close(self->begun);
	close(self->sums);

	/* they have counted as well */
	EXPECT_EQ(TIMES, sums.calls);
	EXPECT_LT(0, sums.member[0]);
	EXPECT_LE(section.stat[1].sum, sums.member[0]);
	TH_LOG("instructions a call, four members: a span %llu, BPF programs %llu", span / TIMES,
	       programs / TIMES);
	EXPECT_LE(span * 2, programs);
}

TEST_HARNESS_MAIN
