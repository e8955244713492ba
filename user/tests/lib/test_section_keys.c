// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Counts of sections by CPU and key, from an ioctl(2) that is this file's own. */
#include "test.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#include "internal.h"

#define DEV 1000		/* no descriptor of this process */
#define ID 5
#define CPUS 2

/* What the module would know, and how it behaves. Each CPU has a total, an overflow and the keys. */
static struct {
	unsigned int keys;	/* of each CPU, highest first on the second one */
	unsigned int at_once;
	int err;
	bool stands;		/* the cursor does not move */
	bool too_many;
	bool histograms;	/* they are asked for */
	unsigned int calls;
} module;

/* Each entry has its count in a bucket of its CPU. */
static void fill_buckets(uint64_t to, unsigned int i, const struct pmcgrp_section_key *entry)
{
	struct pmcgrp_section_key_buckets *buckets = (void *)(uintptr_t)to;

	memset(&buckets[i], 0, sizeof(buckets[i]));
	buckets[i].bucket[0][7 + entry->cpu] = entry->count;
	buckets[i].bucket[1][64] = entry->count;
}

static struct pmcgrp_section_key entry_of(unsigned int at)
{
	unsigned int cpu = at / (module.keys + 2), i = at % (module.keys + 2);
	struct pmcgrp_section_key entry = { .cpu = cpu };
	unsigned int key = cpu ? module.keys + 1 - i : i - 2;

	if (!i) {
		entry.kind = PMCGRP_SECTION_KEY_TOTAL;
		entry.count = 100 + cpu;
		return entry;
	}
	if (i == 1) {
		entry.kind = PMCGRP_SECTION_KEY_OVERFLOW;
		entry.count = cpu;
		entry.stat[0] = (struct pmcgrp_section_key_stat){ 9, 9, 9 };
		return entry;
	}
	entry.kind = PMCGRP_SECTION_KEY_TASKS;
	entry.key[0] = 1000 + key / 2;
	entry.key[1] = key % 2;
	memset(entry.comm, 'x', sizeof(entry.comm));
	entry.count = 1;
	entry.stat[0] = (struct pmcgrp_section_key_stat){ 10 * cpu + key, 10 * cpu + key,
							  10 * cpu + key };
	entry.stat[1] = (struct pmcgrp_section_key_stat){ 5, 5 - cpu, 5 + cpu };
	return entry;
}

/* In place of libc's, for everything in this program. */
int ioctl(int fd, unsigned long request, ...)
{
	struct pmcgrp_section_keys *keys;
	struct pmcgrp_section_key *out;
	unsigned int all = CPUS * (module.keys + 2), i;
	va_list args;

	va_start(args, request);
	keys = va_arg(args, struct pmcgrp_section_keys *);
	va_end(args);
	module.calls++;
	errno = module.err;
	if (module.err)
		return -1;
	assert_int_equal(fd, DEV);
	assert_int_equal(request, PMCGRP_IOC_SECTION_KEYS);
	assert_int_equal(keys->size, sizeof(*keys));
	assert_int_equal(keys->flags, 0);
	assert_int_equal(keys->entry_size, sizeof(*out));
	assert_int_equal(!!keys->buckets, module.histograms);
	assert_int_equal(keys->bucket_size,
			 module.histograms ? sizeof(struct pmcgrp_section_key_buckets) : 0);
	errno = ENOENT;
	if (keys->id != ID)
		return -1;
	out = (void *)(uintptr_t)keys->entries;
	for (i = 0; i < keys->nr_entries && i < module.at_once && keys->cursor + i < all; i++) {
		out[i] = entry_of((unsigned int)keys->cursor + i);
		if (module.histograms)
			fill_buckets(keys->buckets, i, &out[i]);
	}
	if (!module.stands)
		keys->cursor += i;
	if (keys->cursor == all)
		keys->cursor = PMCGRP_SECTION_KEYS_END;
	keys->nr_entries = module.too_many ? 1000000 : i;
	keys->by = 1 + PMCGRP_KEY_PROCESS;
	keys->nr_members = 1;
	return 0;
}

static struct pmcgrp handle = { .backend = PMCGRP_BACKEND_DEVICE, .dev = DEV };

static void module_is(unsigned int keys, unsigned int at_once)
{
	memset(&module, 0, sizeof(module));
	module.keys = keys;
	module.at_once = at_once;
}

/* Totals stay apart, a key of two CPUs is one. */
static void merged(void **state)
{
	static const unsigned int at_once[] = { 1, 7, 1000 };
	struct pmcgrp_section_counts *counts;
	const struct pmcgrp_section_key *entry;
	unsigned int i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(at_once); i++) {
		module_is(400, at_once[i]);
		assert_int_equal(pmcgrp_section_read_keys(&handle, ID, &counts), 0);
		assert_int_equal(counts->by, 1 + PMCGRP_KEY_PROCESS);
		assert_int_equal(counts->nr_members, 1);
		assert_int_equal(counts->nr, CPUS + 400 + 1);
		for (k = 0; k < CPUS; k++) {
			assert_int_equal(counts->entry[k].kind, PMCGRP_SECTION_KEY_TOTAL);
			assert_int_equal(counts->entry[k].cpu, k);
			assert_int_equal(counts->entry[k].count, 100 + k);
		}
		for (k = 0; k < 400; k++) {
			entry = &counts->entry[CPUS + k];
			assert_int_equal(entry->kind, PMCGRP_SECTION_KEY_TASKS);
			assert_int_equal(entry->key[0], 1000 + k / 2);
			assert_int_equal(entry->key[1], k % 2);
			assert_string_equal(entry->comm, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
			assert_int_equal(entry->count, 2);
			assert_int_equal(entry->stat[0].sum, 10 + 2 * k);
			assert_int_equal(entry->stat[0].min, k);
			assert_int_equal(entry->stat[0].max, 10 + k);
			assert_int_equal(entry->stat[1].sum, 10);
			assert_int_equal(entry->stat[1].min, 4);
			assert_int_equal(entry->stat[1].max, 6);
		}
		entry = &counts->entry[CPUS + 400];
		assert_int_equal(entry->kind, PMCGRP_SECTION_KEY_OVERFLOW);
		assert_int_equal(entry->count, 1);
		assert_int_equal(entry->stat[0].min, 9);
		assert_null(counts->buckets);
		pmcgrp_section_counts_free(counts);
	}
	pmcgrp_section_counts_free(NULL);
}

/* Those of a key are added up bucket by bucket. */
static void histograms(void **state)
{
	const struct pmcgrp_section_key_buckets *buckets;
	struct pmcgrp_section_counts *counts;
	unsigned int k;

	(void)state;
	module_is(300, 7);
	module.histograms = true;
	assert_int_equal(pmcgrp_section_read_histograms(&handle, ID, &counts), 0);
	assert_int_equal(counts->nr, CPUS + 300 + 1);
	for (k = 0; k < counts->nr; k++) {
		buckets = &counts->buckets[k];
		assert_int_equal(buckets->bucket[1][64], counts->entry[k].count);
		if (k < CPUS)
			assert_int_equal(buckets->bucket[0][7 + k], 100 + k);
		else if (k < CPUS + 300)
			assert_true(buckets->bucket[0][7] == 1 && buckets->bucket[0][8] == 1);
		else
			assert_int_equal(buckets->bucket[0][8], 1);
	}
	pmcgrp_section_counts_free(counts);
	module.err = EFAULT;
	assert_int_equal(pmcgrp_section_read_histograms(&handle, ID, &counts), -EFAULT);
	assert_int_equal(pmcgrp_section_read_histograms(&handle, ID, NULL), -EINVAL);
}

static void refused(void **state)
{
	static const struct {
		int err;
		const char *says;
	} rows[] = {
		{ ENOTTY, "older than this library" },
		{ EACCES, "CAP_PERFMON" },
		{ EFAULT, "section 5 has counted by key: Bad address" },
	};
	struct pmcgrp perf = { .backend = PMCGRP_BACKEND_PERF };
	struct pmcgrp_section_counts *counts;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		module_is(1, 10);
		module.err = rows[i].err;
		assert_row(i, pmcgrp_section_read_keys(&handle, ID, &counts) == -rows[i].err);
		assert_row(i, strstr(pmcgrp_strerror(&handle), rows[i].says));
		assert_null(counts);
	}
	module_is(1, 10);
	assert_int_equal(pmcgrp_section_read_keys(&handle, ID + 1, &counts), -ENOENT);
	module.calls = 0;
	assert_int_equal(pmcgrp_section_read_keys(&perf, ID, &counts), -EOPNOTSUPP);
	assert_int_equal(pmcgrp_section_read_keys(&handle, ID, NULL), -EINVAL);
	assert_int_equal(pmcgrp_section_read_keys(NULL, ID, &counts), -EINVAL);
	assert_int_equal(module.calls, 0);
}

/* What would be read for ever, or beyond its room. */
static void confused(void **state)
{
	struct pmcgrp_section_counts *counts;

	(void)state;
	module_is(1, 2);
	module.stands = true;
	assert_int_equal(pmcgrp_section_read_keys(&handle, ID, &counts), -EPROTO);
	module_is(1, 2);
	module.too_many = true;
	assert_int_equal(pmcgrp_section_read_keys(&handle, ID, &counts), -EPROTO);
	assert_null(counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged),
		cmocka_unit_test(histograms),
		cmocka_unit_test(refused),
		cmocka_unit_test(confused),
	};

	return cmocka_run_group_tests_name("section_keys", tests, NULL, NULL);
}
