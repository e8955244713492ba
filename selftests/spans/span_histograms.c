// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histograms of spans by key: those of all keys together are the span's, and each fits the count,
 * the least and the greatest value of its key.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_section_keys.h"
#include "pmcgrp_span_kernel.h"

#define PROCESSES 40

/* Each has done one call more than the one before, of another length than its neighbours. */
static bool processes(pid_t *pid)
{
	unsigned int k;
	int status;

	for (k = 0; k < PROCESSES; k++) {
		pid[k] = fork();
		if (!pid[k])
			_exit(api("call irqsoff %u %u", k + 1, 10U << (k % 5)) ? 1 : 0);
		if (pid[k] < 0 || waitpid(pid[k], &status, 0) != pid[k] || status)
			return false;
	}
	return true;
}

/* Entries and their histograms. */
static struct pmcgrp_section_key_buckets buckets[ENTRIES];

static int read_buckets(int dev, uint64_t id, uint32_t room)
{
	struct pmcgrp_section_keys arg = { .size = sizeof(arg), .id = id };
	int err = 0;

	keys.nr = 0;
	while (!err && arg.cursor != PMCGRP_SECTION_KEYS_END) {
		if (keys.nr + room > ENTRIES)
			return -ENOSPC;
		arg.entries = (uintptr_t)&keys.entry[keys.nr];
		arg.buckets = (uintptr_t)&buckets[keys.nr];
		arg.nr_entries = room;
		arg.entry_size = sizeof(keys.entry[0]);
		arg.bucket_size = sizeof(buckets[0]);
		err = keys_ask(dev, &arg);
		keys.nr += arg.nr_entries;
	}
	return err;
}

static uint64_t sum_of(const __u64 *bucket)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < PMCGRP_SECTION_BUCKETS; i++)
		sum += bucket[i];
	return sum;
}

static unsigned int bucket_of(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

/* Its first and last bucket that are not empty have the least and the greatest value. */
static bool fits(const struct pmcgrp_section_key *entry, const __u64 *bucket, unsigned int i)
{
	unsigned int first = 0, last = PMCGRP_SECTION_BUCKETS - 1;

	while (first < last && !bucket[first])
		first++;
	while (last && !bucket[last])
		last--;
	return sum_of(bucket) == entry->count && first == bucket_of(entry->stat[i].min) &&
	       last == bucket_of(entry->stat[i].max);
}

static unsigned int wrong_entries(unsigned int nr_members)
{
	unsigned int k, i, wrong = 0;

	for (k = 0; k < keys.nr; k++) {
		if (!keys.entry[k].count)
			continue;
		for (i = 0; i <= nr_members; i++)
			wrong += !fits(&keys.entry[k], buckets[k].bucket[i], i);
		for (; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
			wrong += sum_of(buckets[k].bucket[i]) != 0;
	}
	return wrong;
}

static bool is_total(const struct pmcgrp_section_key *entry)
{
	return entry->kind == PMCGRP_SECTION_KEY_TOTAL;
}

/* The section's histograms are those of all CPUs, or of all keys. */
static bool add_up(const struct section *section, bool cpus)
{
	struct pmcgrp_section_key_buckets sum = {};
	unsigned int k, i, b;
	bool same = true;

	for (k = 0; k < keys.nr; k++) {
		if (cpus != is_total(&keys.entry[k]))
			continue;
		for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
			for (b = 0; b < PMCGRP_SECTION_BUCKETS; b++)
				sum.bucket[i][b] += buckets[k].bucket[i][b];
	}
	for (i = 0; i <= section->info.nr_members; i++)
		same &= !memcmp(sum.bucket[i], section->stat[i].bucket, sizeof(sum.bucket[i]));
	return same;
}

TEST_F_TIMEOUT(span, of_each_key, 120)
{
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	uint64_t seen = 0;
	pid_t pid[PROCESSES];
	unsigned int k, n;

	self->group = group_of_all(self->dev, self->attr);
	ASSERT_GE(self->group, 0);
	ASSERT_EQ(0, span_with(self->group, BY(PROCESS), 0, PMCGRP_SPAN_HISTOGRAMS, &add));
	EXPECT_EQ(256, add.slots);
	ASSERT_TRUE(processes(pid));
	ASSERT_TRUE(find_span(self->dev, self->group, WORK, section));
	ASSERT_EQ(0, read_buckets(self->dev, add.id, 7));
	EXPECT_EQ(PROCESSES * (PROCESSES + 1) / 2, section->info.count);
	EXPECT_TRUE(keys_add_up(section));
	EXPECT_TRUE(add_up(section, true));
	EXPECT_TRUE(add_up(section, false));
	EXPECT_EQ(0, wrong_entries(section->info.nr_members));
	for (n = 0; n < keys.nr; n++)
		for (k = 0; k < PROCESSES; k++)
			if (keys.entry[n].kind == PMCGRP_SECTION_KEY_TASKS &&
			    keys.entry[n].key[0] == (uint64_t)pid[k]) {
				seen++;
				EXPECT_EQ(k + 1, sum_of(buckets[n].bucket[1]));
			}
	EXPECT_LE(PROCESSES, seen);
	/* as many at once as there are is the same */
	n = keys.nr;
	ASSERT_EQ(0, read_buckets(self->dev, add.id, 1000));
	EXPECT_EQ(n, keys.nr);
	EXPECT_TRUE(add_up(section, false));
}

/* What has no slot has a histogram of its own. */
TEST_F_TIMEOUT(span, of_what_has_no_slot, 120)
{
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	pid_t pid[PROCESSES];

	self->group = group_of_all(self->dev, self->attr);
	ASSERT_GE(self->group, 0);
	ASSERT_EQ(0, span_with(self->group, BY(PROCESS), 8, PMCGRP_SPAN_HISTOGRAMS, &add));
	EXPECT_EQ(8, add.slots);
	ASSERT_TRUE(processes(pid));
	ASSERT_TRUE(find_span(self->dev, self->group, WORK, section));
	ASSERT_EQ(0, read_buckets(self->dev, add.id, 3));
	EXPECT_LT(0, keys_sum(PMCGRP_SECTION_KEY_OVERFLOW, NULL).count);
	EXPECT_TRUE(add_up(section, true));
	EXPECT_TRUE(add_up(section, false));
	EXPECT_EQ(0, wrong_entries(section->info.nr_members));
}

/* CPUs have theirs in any case; keys that have none are 0 where something else was. */
TEST_F(span, of_cpus_alone)
{
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	unsigned int k, i;

	self->group = group_of_all(self->dev, self->attr);
	ASSERT_GE(self->group, 0);
	ASSERT_EQ(0, span_with(self->group, BY(PROCESS), 0, 0, &add));
	ASSERT_EQ(0, api("call irqsoff 100 10"));
	ASSERT_TRUE(find_span(self->dev, self->group, WORK, section));
	memset(buckets, 0xff, sizeof(buckets));
	ASSERT_EQ(0, read_buckets(self->dev, add.id, 9));
	EXPECT_TRUE(add_up(section, true));
	for (k = 0; k < keys.nr; k++)
		for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
			if (!is_total(&keys.entry[k]))
				EXPECT_EQ(0, sum_of(buckets[k].bucket[i]));
}

TEST_F(span, bad_arguments)
{
	static struct pmcgrp_section_key entry[2];
	struct pmcgrp_section_keys good, arg;
	uint32_t unknown = PMCGRP_SPAN_HISTOGRAMS << 1;
	struct pmcgrp_span_add add;

	self->group = group_of_all(self->dev, self->attr);
	ASSERT_GE(self->group, 0);
	EXPECT_EQ(-EINVAL, span_with(self->group, 0, 0, PMCGRP_SPAN_HISTOGRAMS, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_BY, add.why);
	EXPECT_EQ(-EINVAL, span_with(self->group, BY(PROCESS), 0, unknown, &add));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, add.why);
	ASSERT_EQ(0, span_with(self->group, BY(PROCESS), 1, PMCGRP_SPAN_HISTOGRAMS, &add));
	ASSERT_EQ(0, api("call irqsoff 10 10"));
	good = (struct pmcgrp_section_keys){
		.size = sizeof(good),
		.id = add.id,
		.entries = (uintptr_t)entry,
		.nr_entries = 2,
		.entry_size = sizeof(entry[0]),
		.buckets = (uintptr_t)buckets,
		.bucket_size = sizeof(buckets[0]),
	};
	arg = good;
	EXPECT_EQ(0, keys_ask(self->dev, &arg));
	EXPECT_EQ(10, entry[0].count);
	EXPECT_EQ(10, sum_of(buckets[0].bucket[0]));
	arg = good;
	arg.buckets = 1;
	EXPECT_EQ(-EFAULT, keys_ask(self->dev, &arg));
	/* a caller that does not want them */
	memset(buckets, 0, sizeof(buckets[0]));
	arg = good;
	arg.buckets = 0;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg.bucket_size = 0;
	EXPECT_EQ(0, keys_ask(self->dev, &arg));
	EXPECT_EQ(10, entry[0].count);
	EXPECT_EQ(0, sum_of(buckets[0].bucket[0]));
	arg = good;
	arg.bucket_size--;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg.bucket_size = 65537;
	EXPECT_EQ(-E2BIG, keys_ask(self->dev, &arg));
}

/* A caller that knows longer entries than the kernel: the stride is its own, the rest zero. */
TEST_F(span, longer_entries)
{
	static struct {
		struct pmcgrp_section_key_buckets known;
		__u64 newer[3];
	} histogram[3];
	static struct {
		struct pmcgrp_section_key known;
		__u64 newer;
	} entry[3];
	struct pmcgrp_section_keys arg;
	struct pmcgrp_span_add add;
	unsigned int i;

	self->group = group_of_all(self->dev, self->attr);
	ASSERT_GE(self->group, 0);
	ASSERT_EQ(0, span_with(self->group, BY(PROCESS), 1, PMCGRP_SPAN_HISTOGRAMS, &add));
	ASSERT_EQ(0, api("call irqsoff 10 10"));
	memset(histogram, 0xff, sizeof(histogram));
	memset(entry, 0xff, sizeof(entry));
	arg = (struct pmcgrp_section_keys){
		.size = sizeof(arg),
		.id = add.id,
		.entries = (uintptr_t)entry,
		.nr_entries = 2,
		.entry_size = sizeof(entry[0]),
		.buckets = (uintptr_t)histogram,
		.bucket_size = sizeof(histogram[0]),
	};
	ASSERT_EQ(0, keys_ask(self->dev, &arg));
	ASSERT_EQ(2, arg.nr_entries);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(10, entry[i].known.count);
		EXPECT_EQ(0, entry[i].newer);
		EXPECT_EQ(10, sum_of(histogram[i].known.bucket[0]));
		EXPECT_EQ(0, histogram[i].newer[0] | histogram[i].newer[2]);
	}
	EXPECT_EQ(~0ULL, entry[2].known.count);
	EXPECT_EQ(~0ULL, histogram[2].known.bucket[0][0]);
}

/* Instructions of 1000 calls with a span. */
static uint64_t cost(int dev, const struct perf_event_attr *attr, uint32_t flags)
{
	int group = group_of_all(dev, attr);
	struct pmcgrp_span_add add;
	uint64_t cost = 0;

	if (span_with(group, BY(PROCESS), 0, flags, &add) || api("calls bare 1000") ||
	    answer(&cost, 1) != 1)
		cost = 0;
	close(group);
	return cost;
}

/* Three histograms are three additions. */
TEST_F_TIMEOUT(span, costs, 120)
{
	uint64_t without, with;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	ASSERT_EQ(0, api("group all 0:1,0:0"));
	without = cost(self->dev, self->attr, 0);
	with = cost(self->dev, self->attr, PMCGRP_SPAN_HISTOGRAMS);
	ASSERT_LT(0, without);
	TH_LOG("histograms of three values: %llu instructions more a call",
	       (unsigned long long)(with - without) / 1000);
	EXPECT_LT(without, with);
	EXPECT_LT(with - without, 100 * 1000);
}

TEST_HARNESS_MAIN
