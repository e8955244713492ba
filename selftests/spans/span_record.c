// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of spans: each call that is counted is a sample in the group's ring, or lost as one.
 * What the records have adds up to what the section has.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_ring.h"
#include "pmcgrp_span.h"
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

#define RAW_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)
#define CPUS_MAX	16

/* With RAW_TYPE and two members. */
struct span_sample {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, cpu_reserved;
	uint32_t raw_size;
	/* a struct pmcgrp_span_sample, which is not aligned */
	char raw[sizeof(struct pmcgrp_span_sample) + 2 * sizeof(uint64_t) + 4];
};

/* What the records of a span have. */
struct told {
	uint64_t id;		/* of the span */
	uint64_t record_id;
	uint64_t records;
	uint64_t lost;
	uint64_t others;	/* samples of no span */
	uint64_t wrong;
	uint64_t sum[3];	/* the time, then the members */
	uint64_t min[3];
	uint64_t max[3];
	uint64_t last;		/* time of the last one in a ring */
};

FIXTURE(span_record)
{
	int dev;
	struct perf_event_attr attr[2];	/* instructions first, or what comes nearest here */
	struct section section;
	struct ring ring[CPUS_MAX];
	int nr_rings;
};

FIXTURE_SETUP(span_record)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, testapi_load());
	ASSERT_TRUE(stay_on(0));
	self->attr[0] = have_instructions() ? hw(PERF_COUNT_HW_INSTRUCTIONS) :
					      sw(PERF_COUNT_SW_CPU_CLOCK);
	self->attr[1] = have_instructions() ? hw(PERF_COUNT_HW_CPU_CYCLES) :
					      sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
}

FIXTURE_TEARDOWN(span_record)
{
	EXPECT_EQ(0, testapi_unload());
	close(self->dev);
}

/* A group of this task, or of all CPUs, whose rings are mapped. */
static int group_with_rings(int dev, bool all, const struct perf_event_attr *attr, uint64_t type,
			    unsigned int pages, struct ring *ring, int *nr)
{
	struct ask ask = { .nr = 2, .attr = attr };
	struct pmcgrp_ring_setup setup;
	int group, cpu;

	ask.target_type = all ? PMCGRP_TARGET_ALL_CPUS : PMCGRP_TARGET_TASK;
	*nr = all ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
	group = ask_group(dev, &ask);
	if (group < 0 || *nr > CPUS_MAX || setup_ring(group, 0, type, 0, &setup))
		return -1;
	for (cpu = 0; cpu < *nr; cpu++)
		if (ring_map_at(group, all ? PMCGRP_RING_OFFSET(cpu) : 0, pages,
				PROT_READ | PROT_WRITE, &ring[cpu]))
			return -1;
	return group;
}

static void rings_unmap(struct ring *ring, int nr)
{
	while (nr)
		ring_unmap(&ring[--nr]);
}

static int record_ask(int group, struct pmcgrp_span_add *add)
{
	*add = (struct pmcgrp_span_add){
		.size = sizeof(*add),
		.flags = PMCGRP_SPAN_RECORD,
		.kind = PMCGRP_SECTION_FUNCTION,
		.begin = (uintptr_t)WORK,
	};
	return ioctl(group, PMCGRP_IOC_SPAN, add) ? -errno : 0;
}

static void told_init(struct told *told, const struct pmcgrp_span_add *add)
{
	*told = (struct told){ .id = add->id, .record_id = add->record_id };
	memset(told->min, 0xff, sizeof(told->min));
}

static void tell_value(struct told *told, unsigned int i, uint64_t value)
{
	told->sum[i] += value;
	told->min[i] = value < told->min[i] ? value : told->min[i];
	told->max[i] = value > told->max[i] ? value : told->max[i];
}

static void tell_span(struct told *told, const struct span_sample *sample)
{
	struct pmcgrp_span_sample head;
	uint64_t value[2];

	memcpy(&head, sample->raw, sizeof(head));
	memcpy(value, sample->raw + head.value_offset, sizeof(value));
	told->records++;
	told->wrong += sample->header.size != sizeof(*sample) ||
		       sample->raw_size != sizeof(sample->raw) || head.section != told->id ||
		       head.nr != 2 || head.value_offset < sizeof(head) || sample->id != told->record_id ||
		       head.begin + head.duration != sample->time || sample->time < told->last;
	told->last = sample->time;
	tell_value(told, 0, head.duration);
	tell_value(told, 1, value[0]);
	tell_value(told, 2, value[1]);
}

/* Reads what there is; the rest of a full ring is told as lost once there is room. */
static void drain(struct ring *ring, struct told *told)
{
	union record record;
	struct span_sample sample;
	int got;

	told->last = 0;
	while ((got = ring_next(ring, &record)) > 0) {
		if (record.header.type == PERF_RECORD_LOST) {
			told->lost += record.lost.lost;
			continue;
		}
		if (record.header.type != PERF_RECORD_SAMPLE) {
			told->wrong++;
			continue;
		}
		memcpy(&sample, &record, sizeof(sample));
		if (sample.id == told->record_id)
			tell_span(told, &sample);
		else
			told->others++;
		/* as perf has no data */
		if (sample.id != told->record_id)
			told->wrong += sample.raw_size != 4;
	}
	told->wrong += got < 0;
}

static void drain_all(struct ring *ring, int nr, struct told *told)
{
	while (nr)
		drain(&ring[--nr], told);
}

/* Whether the records are the section, but for those lost. */
static bool is_whole(const struct told *told, const struct section *section)
{
	unsigned int i;
	bool same = told->records == section->info.count && !told->wrong;

	for (i = 0; i < 3; i++)
		same &= told->sum[i] == section->stat[i].sum &&
			told->min[i] == section->stat[i].min &&
			told->max[i] == section->stat[i].max;
	if (!same)
		printf("# %llu counted, %llu records, %llu lost, %llu wrong\n",
		       (unsigned long long)section->info.count, (unsigned long long)told->records,
		       (unsigned long long)told->lost, (unsigned long long)told->wrong);
	return same;
}

/* On request between two spans, and from every context. */
TEST_F_TIMEOUT(span_record, each_call, 120)
{
	static const char *const contexts[] = { "task", "irqsoff", "hardirq", "softirq" };
	struct pmcgrp_span_add add;
	struct told told;
	int all, group;
	unsigned int i;

	for (all = 0; all < 2; all++) {
		group = group_with_rings(self->dev, all, self->attr, RAW_TYPE, 64, self->ring,
					 &self->nr_rings);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, record_ask(group, &add));
		EXPECT_NE(0, add.record_id);
		told_init(&told, &add);
		for (i = 0; i < ARRAY_SIZE(contexts); i++) {
			ASSERT_EQ(0, api("call %s 250 %u", contexts[i], 10 * (i + 1)));
			EXPECT_LE(1, sample_now(group, 0));
		}
		drain_all(self->ring, self->nr_rings, &told);
		ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
		/* a task waits for interrupts: those that come while it sleeps are not its own */
		if (all)
			EXPECT_EQ(1000, self->section.info.count + missed(&self->section));
		EXPECT_LE(all ? 750 : 500, self->section.info.count);
		EXPECT_TRUE(is_whole(&told, &self->section)) {
			TH_LOG("a group of %s", all ? "all CPUs" : "a task");
		}
		EXPECT_EQ(0, told.lost);
		EXPECT_LE(4, told.others);
		rings_unmap(self->ring, self->nr_rings);
		close(group);
	}
}

/* A record without room is lost and counted, and the span is counted. */
TEST_F(span_record, lost)
{
	struct pmcgrp_span_add add;
	struct told told;
	int group;

	group = group_with_rings(self->dev, false, self->attr, RAW_TYPE, 1, self->ring,
				 &self->nr_rings);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, record_ask(group, &add));
	told_init(&told, &add);
	ASSERT_EQ(0, api("call irqsoff 1000 10"));
	drain(self->ring, &told);
	EXPECT_LT(told.records, 1000);
	/* the next one has room again, and tells */
	ASSERT_EQ(0, api("call irqsoff 1 10"));
	drain(self->ring, &told);
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	EXPECT_EQ(1001, self->section.info.count);
	EXPECT_EQ(1001, told.records + told.lost);
	EXPECT_EQ(0, told.wrong);
	TH_LOG("%llu records in a page, %llu lost", (unsigned long long)told.records,
	       (unsigned long long)told.lost);
	/* paused, as any sample */
	ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	ASSERT_EQ(0, api("call irqsoff 5 10"));
	ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	ASSERT_EQ(0, api("call irqsoff 1 10"));
	drain(self->ring, &told);
	EXPECT_EQ(1007, told.records + told.lost);
	rings_unmap(self->ring, self->nr_rings);
	/* without a mapping there are no records, but counts */
	ASSERT_EQ(0, api("call irqsoff 3 10"));
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	EXPECT_EQ(1010, self->section.info.count);
	close(group);
}

/* Triggers write into the same ring, in x86 by NMI: no record is torn, each is counted. */
TEST_F_TIMEOUT(span_record, beside_a_trigger, 120)
{
	struct pmcgrp_trigger_add trigger;
	struct perf_event_attr by;
	struct pmcgrp_span_add add;
	struct told told;
	int group, round;

	group = group_with_rings(self->dev, true, self->attr, RAW_TYPE, 256, self->ring,
				 &self->nr_rings);
	ASSERT_GE(group, 0);
	by = every(have_instructions() ? 20011 : 100000,
		   have_instructions() ? hw(PERF_COUNT_HW_INSTRUCTIONS) :
					 sw(PERF_COUNT_SW_CPU_CLOCK));
	ASSERT_EQ(0, add_trigger(group, &by, &trigger));
	ASSERT_EQ(0, record_ask(group, &add));
	EXPECT_NE(trigger.id, add.record_id);
	told_init(&told, &add);
	for (round = 0; round < 20; round++)
		ASSERT_EQ(0, api("call task 100 100"));
	ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
	{
		union record record;
		struct span_sample sample;
		int cpu, got;

		/* with records of the ring's own among them */
		for (cpu = 0; cpu < self->nr_rings; cpu++) {
			told.last = 0;
			while ((got = ring_next(&self->ring[cpu], &record)) > 0) {
				if (record.header.type == PERF_RECORD_LOST)
					told.lost += record.lost.lost;
				if (record.header.type != PERF_RECORD_SAMPLE)
					continue;
				memcpy(&sample, &record, sizeof(sample));
				if (sample.id == told.record_id)
					tell_span(&told, &sample);
				else
					told.others++;
			}
			EXPECT_EQ(0, got);
		}
	}
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	EXPECT_EQ(2000, self->section.info.count + missed(&self->section));
	EXPECT_EQ(0, told.lost);
	EXPECT_TRUE(is_whole(&told, &self->section));
	EXPECT_LT(0, told.others);
	TH_LOG("%llu records of spans, %llu missed, %llu other samples",
	       (unsigned long long)told.records, (unsigned long long)missed(&self->section),
	       (unsigned long long)told.others);
	rings_unmap(self->ring, self->nr_rings);
	close(group);
}

TEST_F(span_record, refused)
{
	struct ask ask = { .nr = 2, .attr = self->attr };
	int group = ask_group(self->dev, &ask);
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_span_add add;

	ASSERT_GE(group, 0);
	EXPECT_EQ(-EINVAL, record_ask(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_RING, add.why);
	EXPECT_EQ(0, add.id | add.record_id);
	ASSERT_EQ(0, setup_ring(group, 0, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(-EINVAL, record_ask(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_RING, add.why);
	close(group);
	group = ask_group(self->dev, &ask);
	ASSERT_GE(group, 0);
	EXPECT_EQ(-EINVAL, setup_ring(group, PMCGRP_RING_COMPACT,
				      PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_SAMPLE_TYPE, setup.why);
	add = (struct pmcgrp_span_add){ .size = sizeof(add), .flags = PMCGRP_SPAN_HISTOGRAMS << 1 };
	EXPECT_EQ(-1, ioctl(group, PMCGRP_IOC_SPAN, &add));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, add.why);
	close(group);
}

TEST_HARNESS_MAIN
